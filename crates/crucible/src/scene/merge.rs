//! Edited scenes in the files that they came from: a chunk, a skeleton, what is made of the native scene and what is made
//! of the edited one.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

use crate::chunk::model::{AttributeStream, Chunk};
use crate::chunk::record::{Attribute, AttributeFlag};
use crate::cmodel::model::CModel;
use crate::skeleton::model::{Bone, SkeletonChunk};
use crate::stream::Stream;
use alloc::vec::Vec;
use meshwright_edit::three_way::{Match, Trio, Trios, digest, pick, sequence};
use meshwright_scene::{Budget, ConvertError};

/// The bytes of a vertex in a stream.
fn row<'s>(stream: Option<&'s Stream<'_>>, each: usize, vertex: usize) -> Option<&'s [u8]> {
    stream?.data().get(vertex.checked_mul(each)?..vertex.checked_add(1)?.checked_mul(each)?)
}

impl Chunk<'static> {
    /// The chunk with what is other in `after` than in `before`: what is made of the edited scene, and of the native one, in
    /// the dialect of this chunk. The value of each attribute of each vertex is kept apart, and so are triangles; what is
    /// untouched keeps its packed bytes.
    ///
    /// # Errors
    /// When the scene counts other vertices than the chunk, or when the budget does not allow for it.
    pub fn merge(&self, before: &Self, after: &Self, budget: &Budget) -> Result<Self, ConvertError> {
        if before == after {
            return Ok(self.clone());
        }
        let counts = |c: &Self| (c.dialect, c.vertex_count(), c.triangles().len());
        if counts(self) != counts(before) {
            return Err(ConvertError::unsupported(
                "meshes",
                "the scene counts other vertices than the chunk",
            ));
        }
        let all = self.vertex_count().saturating_add(after.vertex_count()) as u64;
        budget.charge_items("vertices", all, 160)?;
        let faces = self.triangles().len().saturating_add(after.triangles().len()) as u64;
        budget.charge_items("triangles", faces, 160)?;
        let keys = |chunk: &Self| -> Vec<u64> {
            let words = |v: usize| {
                let size = |s: &AttributeStream<'_>| self.size_of(s.flag);
                let rows = chunk.streams.iter().filter_map(move |s| row(Some(&s.stream), size(s)?, v));
                digest(rows.flatten().map(|b| u32::from(*b)))
            };
            (0..chunk.vertex_count()).map(words).collect()
        };
        let identity = |n: usize| -> Match { (0..n).map(Some).collect() };
        let (old, new) = (keys(before), keys(after));
        let found = sequence(&old, &new, budget)?;
        let places = Trios::of(old.len(), &identity(old.len()), &found, false, budget)?;
        let mut made = self.clone();
        // A stream that the edited scene stores in another form is removed here.
        let has = |c: &Self, flag| c.streams.iter().any(|s| s.flag == flag);
        made.streams.retain(|s| !has(before, s.flag) || has(after, s.flag));
        for stream in &mut made.streams {
            let own = core::mem::take(&mut stream.stream);
            stream.stream = self.stream_of(stream.flag, own, [before, after], &places)?;
        }
        for stream in &after.streams {
            if !has(self, stream.flag) && !has(before, stream.flag) {
                let new = self.stream_of(stream.flag, Stream::default(), [before, after], &places)?;
                let at = made.streams.iter().position(|s| s.flag > stream.flag).unwrap_or(made.streams.len());
                made.streams.insert(at, AttributeStream { flag: stream.flag, stream: new });
            }
        }
        let number = |at: Option<usize>| at.and_then(|at| u32::try_from(at).ok()).unwrap_or(u32::MAX);
        let was: Vec<[u32; 3]> =
            before.triangles().map(|t| t.map(|v| number(places.of_before(v as usize)))).collect();
        let is: Vec<[u32; 3]> =
            after.triangles().map(|t| t.map(|v| number(places.of_after(v as usize)))).collect();
        let [old, new] = [&was, &is].map(|list| list.iter().map(|t| digest(*t)).collect::<Vec<_>>());
        let found = sequence(&old, &new, budget)?;
        let trios = Trios::of(was.len(), &identity(was.len()), &found, false, budget)?;
        let native: Vec<[u32; 3]> =
            self.triangles().map(|t| t.map(|v| number(places.of_native(v as usize)))).collect();
        let face = |t: &Trio| {
            let kept = t.native.map(|n| native[n]).filter(|f| !f.contains(&u32::MAX));
            let still = t.before.zip(t.after).is_some_and(|(b, a)| was[b] == is[a]);
            kept.filter(|_| still).or_else(|| t.after.map(|a| is[a])).unwrap_or_default()
        };
        let faces: Vec<[u32; 3]> = trios.records.iter().map(face).collect();
        if !self.triangles().eq(faces.iter().copied()) {
            // Indices after the last whole triangle belong to no triangle.
            let rest: Vec<u32> = self.indices().iter().skip(3 * self.triangles().len()).collect();
            let all: Vec<u32> = faces.as_flattened().iter().copied().chain(rest).collect();
            let size = self.index_size;
            made.set_indices(&all);
            if made.index_size.bytes() < size.bytes() {
                let data = made.indices.data_mut();
                *data = all.iter().flat_map(|i| i.to_le_bytes()).collect();
                made.index_size = size;
            }
        }
        Ok(made)
    }

    /// The bytes that a vertex has in a stream of this flag.
    fn size_of(&self, flag: AttributeFlag) -> Option<usize> {
        let dialect = self.dialect;
        let known = Attribute::ALL.into_iter().find(|a| a.flag(dialect) == Some(flag));
        known.map(|a| a.size(dialect)).or_else(|| {
            let own = self.streams.iter().find(|s| s.flag == flag)?;
            let count = self.vertex_count();
            let size = own.stream.data().len().checked_div(count)?;
            (size * count == own.stream.data().len()).then_some(size)
        })
    }

    /// A stream with what was edited of it.
    fn stream_of(
        &self,
        flag: AttributeFlag,
        own: Stream<'static>,
        [before, after]: [&Self; 2],
        places: &Trios,
    ) -> Result<Stream<'static>, ConvertError> {
        let Some(each) = self.size_of(flag) else {
            if places.is_native() {
                return Ok(own);
            }
            return Err(ConvertError::unsupported(
                "meshes",
                "an unknown attribute has no value for a new vertex",
            ));
        };
        let of = |chunk: &'_ Self| chunk.streams.iter().position(|s| s.flag == flag);
        let (b, a) = (of(before), of(after));
        let there = b.is_some() || a.is_some() || !own.data().is_empty();
        let mut data = Vec::with_capacity(own.data().len());
        for trio in places.records.iter().filter(|_| there) {
            let get = |chunk: &'_ Self, at: Option<usize>, v: Option<usize>| -> Option<Vec<u8>> {
                row(at.map(|at| &chunk.streams[at].stream), each, v?).map(<[u8]>::to_vec)
            };
            let native = trio.native.and_then(|n| row(Some(&own), each, n)).map(<[u8]>::to_vec);
            let (was, is) = (get(before, b, trio.before), get(after, a, trio.after));
            data.extend(match (native, is) {
                (Some(native), Some(is)) if was.as_ref() != Some(&is) && was.is_some() => {
                    drop(native);
                    is
                }
                (Some(native), _) => native,
                (None, is) => is.unwrap_or_else(|| alloc::vec![0; each]),
            });
        }
        Ok(if data == own.data() { own } else { Stream::new(data) })
    }
}

impl CModel<'static> {
    /// The container with what is other in `after` than in `before`, chunk by chunk; `found` says which of before each chunk
    /// of after was.
    ///
    /// # Errors
    /// When the scene has other meshes than the container, else as [`Chunk::merge`].
    pub fn merge(
        &self,
        before: &Self,
        after: &Self,
        found: &[Option<usize>],
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        if self.meshes.len() != before.meshes.len() || after.meshes.len() != found.len() {
            return Err(ConvertError::unsupported("meshes", "the scene has other meshes than the container"));
        }
        let identity: Match = (0..before.meshes.len()).map(Some).collect();
        let trios = Trios::of(self.meshes.len(), &identity, found, false, budget)?;
        let mut meshes = budget.reserve("meshes", trios.records.len())?;
        for trio in &trios.records {
            let after = trio.after.and_then(|a| after.meshes.get(a));
            let old = trio
                .native
                .and_then(|n| self.meshes.get(n))
                .zip(trio.before.and_then(|b| before.meshes.get(b)));
            meshes.extend(match (old, after) {
                (Some((native, before)), Some(after)) => Some(native.merge(before, after, budget)?),
                (None, Some(after)) => Some(after.clone()),
                (old, None) => old.map(|(native, _)| native.clone()),
            });
        }
        Ok(Self { meshes, tail: self.tail.clone() })
    }
}

impl SkeletonChunk {
    /// The skeleton with what is other in `after` than in `before`, both with this one's order of quaternions; `found` says
    /// which bone of before each bone of after was. Position, rotation, scale and parent of each bone are kept apart.
    ///
    /// # Errors
    /// When the scene has other bones than the skeleton, or when the budget does not allow for it.
    pub fn merge(
        &self,
        before: &Self,
        after: &Self,
        found: &[Option<usize>],
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        if self.bones.len() != before.bones.len() || after.bones.len() != found.len() {
            return Err(ConvertError::unsupported("bones", "the scene has other bones than the skeleton"));
        }
        let identity: Match = (0..before.bones.len()).map(Some).collect();
        let trios = Trios::of(self.bones.len(), &identity, found, false, budget)?;
        budget.charge_items("bones", trios.records.len() as u64, size_of::<Bone>())?;
        let number = |at: Option<usize>| at.and_then(|at| u16::try_from(at).ok());
        let bone = |trio: &Trio| {
            let new = trio.after.map(|a| &after.bones[a]);
            let parent = new.and_then(|a| a.parent).and_then(|p| number(trios.of_after(p.into())));
            let old = trio.native.map(|n| &self.bones[n]).zip(trio.before.map(|b| &before.bones[b]));
            let Some((native, was)) = old else {
                return new.map(|a| Bone { parent, children: Vec::new(), ..a.clone() });
            };
            let new = new?;
            let stood = was.parent.and_then(|p| number(trios.of_before(p.into())));
            let own = native.parent.and_then(|p| number(trios.of_native(p.into())));
            Some(Bone {
                position: pick(native.position, &was.position, new.position),
                rotation: pick(native.rotation, &was.rotation, new.rotation),
                scale: pick(native.scale, &was.scale, new.scale),
                parent: if stood == parent { own } else { parent },
                children: native.children.clone(),
            })
        };
        let mut made = Self { bones: trios.records.iter().filter_map(bone).collect(), ..self.clone() };
        let parents = |s: &Self| s.bones.iter().map(|b| b.parent).collect::<Vec<_>>();
        if parents(&made) != parents(self) {
            made.list_children();
        }
        if made.bones != self.bones {
            made.packed = crate::stream::Packed::NONE;
        }
        Ok(made)
    }
}

//! Applies a patch to the original file: a chunk, a container or a skeleton.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

use super::from_scene::{ChunkConversion, DrawnPart, bone_numbers, one_skeleton};
use super::target::CrucibleTarget;
use super::to_scene::has_positions;
use crate::chunk::model::{AttributeStream, Chunk};
use crate::chunk::record::{Attribute, AttributeFlag};
use crate::cmodel::model::CModel;
use crate::skeleton::model::{Bone, SkeletonChunk};
use crate::stream::{Packed, Stream};
use alloc::vec::Vec;
use meshwright_edit::apply::{Joints, Origin, Records, Surface, keep_near};
use meshwright_edit::{Attributes, Patch};
use meshwright_scene::{Budget, ConvertError, Converted, FromSceneOptions, LimitExceeded, Scene};

/// A vertex of the result.
struct Vertex {
    original: Option<usize>,
    made: usize,
    changed: Attributes,
}

/// The edits of a scene.
struct Edited<'a> {
    native: &'a Scene,
    patch: &'a Patch,
    budget: &'a Budget,
}

impl Chunk<'static> {
    /// Applies a patch of `native`, the scene of this chunk, in its dialect. Unedited streams keep their
    /// packed bytes.
    ///
    /// # Errors
    /// As [`from_scene`](Self::from_scene) for the edited scene, or if a stream of an unknown attribute has
    /// no value for a new vertex.
    pub fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        options: &FromSceneOptions<CrucibleTarget>,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = &options.budget();
        let (scene, losses) = one_skeleton(&patch.scene, options, budget)?;
        let mut work = ChunkConversion::new(&scene, options, losses, budget)?;
        let parts = work.parts(&scene);
        let made = work.chunk_of_all()?;
        let merged = Edited { native, patch, budget }.chunk((0, self), &made, &parts)?;
        Ok(Converted::new(merged, patch.losses_of_edits(work.losses)))
    }

    /// Returns the size of a vertex in a stream with this flag, in bytes.
    fn size_of(&self, flag: AttributeFlag) -> Option<usize> {
        let dialect = self.dialect;
        flag.attribute(dialect).map(|a| a.size(dialect)).or_else(|| {
            let own = self.stream_of(flag)?;
            let size = own.data().len().checked_div(self.vertex_count())?;
            (size * self.vertex_count() == own.data().len()).then_some(size)
        })
    }

    fn stream_of(&self, flag: AttributeFlag) -> Option<&Stream<'static>> {
        self.streams.iter().find(|s| s.flag == flag).map(|s| &s.stream)
    }
}

impl CModel<'static> {
    /// Applies a patch of `native`, the scene of this container, chunk by chunk.
    ///
    /// # Errors
    /// As [`Chunk::merge`].
    pub fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        options: &FromSceneOptions<CrucibleTarget>,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = &options.budget();
        let (scene, losses) = one_skeleton(&patch.scene, options, budget)?;
        let mut work = ChunkConversion::new(&scene, options, losses, budget)?;
        let parts = work.parts(&scene);
        let made = work.model()?;
        // If other chunks have positions, chunks without positions are not in the scene.
        let drawn = self.meshes.iter().any(has_positions);
        let shown = |n: &usize| !drawn || self.meshes.get(*n).is_some_and(has_positions);
        let places: Vec<usize> = (0..self.meshes.len()).filter(shown).collect();
        let of = |part: &DrawnPart| places.get(patch.meshes.get(part.mesh?)?.original?).copied();
        let found: Vec<_> = parts.iter().map(of).collect();
        let records = Records::new(self.meshes.len(), |n| shown(&n), &found, budget)?;
        let edited = Edited { native, patch, budget };
        let mut meshes = budget.reserve("meshes", records.list.len())?;
        for Origin { original, made: new } in &records.list {
            let old =
                original.and_then(|n| Some((places.binary_search(&n).unwrap_or(n), self.meshes.get(n)?)));
            let new = new.and_then(|m| made.meshes.get(m).zip(parts.get(m)));
            meshes.extend(match (old, new) {
                (Some(old), Some((new, part))) => {
                    Some(edited.chunk(old, new, core::slice::from_ref(part))?)
                }
                (Some((_, old)), None) => Some(old.clone()),
                (None, new) => new.map(|(new, _)| new.clone()),
            });
        }
        let made = Self { meshes, tail: self.tail.clone() };
        Ok(Converted::new(made, patch.losses_of_edits(work.losses)))
    }
}

impl Edited<'_> {
    /// Merges a chunk, which is this mesh of the native scene, with a converted chunk that consists of
    /// `parts`.
    fn chunk(
        &self,
        (number, old): (usize, &Chunk<'static>),
        new: &Chunk<'static>,
        parts: &[DrawnPart],
    ) -> Result<Chunk<'static>, ConvertError> {
        let all = old.vertex_count().saturating_add(new.vertex_count()) as u64;
        self.budget.charge_items("vertices", all, 160)?;
        let faces = old.triangles().len().saturating_add(new.triangles().len()) as u64;
        self.budget.charge_items("triangles", faces, 160)?;
        let has = |chunk: &Chunk<'static>, flag| chunk.stream_of(flag).is_some();
        let flag = |attribute: Attribute| attribute.flag(old.dialect);
        // An edited mesh that is not flat is converted again, because its axes differ.
        let moved = old.is_plane() && flag(Attribute::Position2).is_some_and(|flag| !has(new, flag));
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let made: Vec<[u32; 3]> = new.triangles().collect();
        let own: Vec<[u32; 3]> = old.triangles().collect();
        let (mut first, mut taken) = (0, false);
        for part in parts {
            let original = part.mesh.and_then(|m| self.patch.meshes.get(m)?.original);
            let same = original == Some(number) && !taken && !moved;
            taken |= same;
            let surface = Surface::new(self.patch, part.mesh.filter(|_| same));
            let base = vertices.len();
            let rows = surface.vertices().chain(core::iter::repeat((None, Attributes::NONE)));
            let vertex = |(v, (original, changed))| Vertex { original, made: v, changed };
            vertices.extend((base..base + part.vertices).zip(rows).map(vertex));
            let shift = u32::try_from(base).unwrap_or(u32::MAX);
            let new = made.get(first..first + part.triangles).unwrap_or_default();
            let new = new.iter().map(|t| t.map(|v| v.wrapping_sub(shift)));
            let merged = surface.merged_triangles(old.vertex_count(), &own, new);
            triangles.extend(merged.into_iter().map(|(t, _)| t.map(|v| v.wrapping_add(shift))));
            first += part.triangles;
        }
        let shown = self.patch.original_meshes.get(number);
        let skeleton = shown.and_then(|m| m.skeleton).map(|s| s.0);
        let renumbered = skeleton.map_or(Ok(false), |s| self.is_renumbered(s))?;
        // Streams that the edited scene stores in another form are removed.
        let in_scene = |flag: AttributeFlag| {
            flag.attribute(old.dialect).zip(shown).is_some_and(|(attribute, m)| match attribute {
                Attribute::Position3 => true,
                Attribute::Position2 => old.is_plane(),
                Attribute::Normal => m.normals,
                Attribute::Uv => m.uvs,
                Attribute::Tangent => m.tangents,
                Attribute::Color => m.colors,
                Attribute::BoneWeights => m.skeleton.is_some(),
            })
        };
        let mut flags: Vec<AttributeFlag> = old.streams.iter().map(|s| s.flag).collect();
        flags.retain(|flag| has(new, *flag) || !in_scene(*flag));
        // The conversion invents positions that the original does not have.
        let is_place = |flag: AttributeFlag| {
            matches!(flag.attribute(old.dialect), Some(Attribute::Position3 | Attribute::Position2))
        };
        for stream in new.streams.iter().filter(|s| !has(old, s.flag) && (moved || !is_place(s.flag))) {
            let at = flags.iter().position(|flag| *flag > stream.flag).unwrap_or(flags.len());
            flags.insert(at, stream.flag);
        }
        let mut result = old.clone();
        result.streams = Vec::with_capacity(flags.len());
        for flag in flags {
            let changed = match flag.attribute(old.dialect) {
                Some(Attribute::Position3 | Attribute::Position2) => Attributes::MODEL_POSITION,
                Some(Attribute::Normal) => Attributes::MODEL_NORMAL,
                Some(Attribute::Uv) => Attributes::UV,
                Some(Attribute::Color) => Attributes::COLOR,
                Some(Attribute::BoneWeights) => Attributes::WEIGHTS,
                Some(Attribute::Tangent) | None => Attributes::NONE,
            };
            let all = renumbered && changed == Attributes::WEIGHTS;
            let edited = |v: &Vertex| all || v.changed.has(changed);
            result
                .streams
                .push(AttributeStream { flag, stream: stream(flag, [old, new], &vertices, edited)? });
        }
        if own != triangles {
            put_triangles(&mut result, &triangles);
        }
        Ok(result)
    }

    /// Returns true if bones of a skeleton have new numbers.
    fn is_renumbered(&self, skeleton: usize) -> Result<bool, LimitExceeded> {
        let numbers = |scene: &Scene| match scene.skeletons.get(skeleton) {
            Some(own) => bone_numbers(own, self.budget),
            None => Ok(None),
        };
        let (old, new) = (numbers(self.native)?, numbers(&self.patch.scene)?);
        let number = |list: &Option<Vec<u32>>, joint: usize| match list {
            Some(list) => list.get(joint).copied(),
            None => u32::try_from(joint).ok(),
        };
        let joints = self.patch.joints.get(skeleton).map_or(&[][..], Vec::as_slice);
        let other =
            |(j, own): (usize, Option<usize>)| own.is_some_and(|o| number(&old, o) != number(&new, j));
        Ok(joints.iter().map(|j| j.original).enumerate().any(other))
    }
}

/// Returns a stream of the result: converted values if they were edited or are new, otherwise the
/// original's.
fn stream(
    flag: AttributeFlag,
    [old, new]: [&Chunk<'static>; 2],
    vertices: &[Vertex],
    edited: impl Fn(&Vertex) -> bool,
) -> Result<Stream<'static>, ConvertError> {
    let own = old.stream_of(flag);
    let Some(each) = old.size_of(flag) else {
        let kept = (0..old.vertex_count()).map(Some).eq(vertices.iter().map(|v| v.original));
        let message = "an unknown attribute has no value for a new vertex";
        let kept = own.filter(|_| kept).cloned();
        return kept.ok_or_else(|| ConvertError::unsupported("meshes", message));
    };
    let row = |stream: Option<&Stream<'static>>, vertex: usize| -> Option<Vec<u8>> {
        let range = vertex.checked_mul(each)?..vertex.checked_add(1)?.checked_mul(each)?;
        stream?.data().get(range).map(<[u8]>::to_vec)
    };
    let mut data = Vec::with_capacity(vertices.len().saturating_mul(each));
    for vertex in vertices {
        let kept = || vertex.original.and_then(|n| row(own, n));
        let made = || row(new.stream_of(flag), vertex.made);
        let value = if edited(vertex) { made().or_else(kept) } else { kept().or_else(made) };
        data.extend(value.unwrap_or_else(|| alloc::vec![0; each]));
    }
    // A stream may be empty, or longer than the number of vertices.
    let same =
        own.filter(|own| own.data().get(..data.len()) == Some(&data) && vertices.len() == old.vertex_count());
    let empty = own.filter(|own| own.data().is_empty() && new.stream_of(flag).is_none());
    Ok(same.or(empty).cloned().unwrap_or_else(|| Stream::new(data)))
}

/// Writes triangles to a chunk, with indices that are at least as wide as before.
fn put_triangles(chunk: &mut Chunk<'static>, triangles: &[[u32; 3]]) {
    // Indices after the last whole triangle belong to no triangle.
    let mut all = triangles.as_flattened().to_vec();
    all.extend(chunk.indices().iter().skip(3 * chunk.triangles().len()));
    let size = chunk.index_size;
    chunk.set_indices(&all);
    if chunk.index_size.bytes() < size.bytes() {
        let data = chunk.indices.data_mut();
        data.clear();
        all.iter().for_each(|i| data.extend_from_slice(&i.to_le_bytes()));
        chunk.index_size = size;
    }
}

impl SkeletonChunk {
    /// Applies a patch of `native`, the scene of this skeleton, in its order of quaternions.
    ///
    /// # Errors
    /// As [`from_scene`](Self::from_scene) for the edited scene.
    pub fn merge(
        &self,
        native: &Scene,
        patch: &Patch,
        options: &FromSceneOptions<CrucibleTarget>,
    ) -> Result<Converted<Self>, ConvertError> {
        let budget = &options.budget();
        let Converted { value: new, losses, .. } = Self::from_scene(&patch.scene, options)?;
        let roots =
            native.skeletons.first().map_or(0, |s| s.joints.iter().filter(|j| j.parent.is_none()).count());
        let count = patch.joints.iter().find(|list| !list.is_empty()).map_or(0, Vec::len);
        let made: Vec<_> = (0..new.bones.len()).map(|b| Some(b).filter(|b| *b < count)).collect();
        // An additional root that the original lacks is not an edit.
        let joints = Joints::new(self.bones.len(), &made, (native, patch), roots == 1, budget)?;
        budget.charge_items("bones", joints.records.list.len() as u64, size_of::<Bone>())?;
        let above = |bone: &Bone| bone.parent.map(usize::from);
        let bone = |(b, ([old, new], parent)): (usize, ([Option<&Bone>; 2], Option<usize>))| {
            let added = new.and_then(above).filter(|p| *p >= count);
            let added = added.and_then(|p| joints.records.of_made(p)).or(parent);
            let parent = added.and_then(|p| u16::try_from(p).ok());
            let rest = new.filter(|_| old.is_some() && joints.change(b).rest);
            let own = old.or(new)?;
            Some(Bone {
                position: rest.map_or(own.position, |new| keep_near(own.position, new.position)),
                rotation: rest.map_or(own.rotation, |new| keep_near(own.rotation, new.rotation)),
                scale: rest.map_or(own.scale, |new| keep_near(own.scale, new.scale)),
                parent,
                children: own.children.clone(),
            })
        };
        let bones = joints.bones([&self.bones, &new.bones], above).enumerate().filter_map(bone).collect();
        let mut merged = Self { bones, ..self.clone() };
        let parents = |s: &Self| s.bones.iter().map(|b| b.parent).collect::<Vec<_>>();
        if parents(&merged) != parents(self) {
            merged.list_children();
        }
        if merged.bones != self.bones {
            merged.packed = Packed::NONE;
        }
        Ok(Converted::new(merged, patch.losses_of_edits(losses)))
    }
}

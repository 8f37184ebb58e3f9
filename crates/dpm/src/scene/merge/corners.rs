//! Vertices and triangles of a ZYM, whose shaders share one list of vertices. What the conversion makes of a vertex is
//! known by the corners of triangles that have it: it may become several, or one with another.

use super::bones::MergedBones;
use crate::zym::{Zym, ZymInfluence, ZymRun};
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_scene::merge::{self, Match, Place, Trio, Trios, digest, named, pick, sequence};
use meshwright_scene::{Budget, LimitExceeded};

/// A vertex by value.
type Row = (Vec<ZymInfluence>, [F32; 2]);

/// Vertices and triangles of the three models.
pub(super) struct Corners<'a> {
    models: [&'a Zym; 3],
    /// Where the influences of each vertex begin.
    starts: [Vec<usize>; 3],
    /// The first triangle of each run.
    firsts: [Vec<usize>; 3],
    bones: &'a MergedBones,
    budget: &'a Budget,
}

/// What merging did.
#[derive(Default)]
pub(super) struct MergedCorners {
    /// Vertices follow a bone that only the conversion has.
    pub made_up: bool,
    /// Runs of which the model has another number of triangles than the scene.
    pub rewritten: usize,
}

impl<'a> Corners<'a> {
    pub(super) fn new(
        models: [&'a Zym; 3],
        bones: &'a MergedBones,
        budget: &'a Budget,
    ) -> Result<Self, LimitExceeded> {
        let vertices: usize = models.iter().map(|m| m.counts.len()).sum();
        let runs: usize = models.iter().map(|m| m.runs.len()).sum();
        budget.charge_items("vertices", (vertices + runs) as u64, size_of::<usize>())?;
        fn sums(counts: impl Iterator<Item = usize>) -> Vec<usize> {
            let mut sum = 0_usize;
            let mut starts = Vec::with_capacity(counts.size_hint().0);
            for count in counts {
                starts.push(sum);
                sum = sum.saturating_add(count);
            }
            starts
        }
        let starts = models.map(|m| sums(m.counts.iter().map(|c| *c as usize)));
        let firsts = models.map(|m| sums(m.runs.iter().map(|r| r.triangles.len())));
        Ok(Self { models, starts, firsts, bones, budget })
    }

    fn row(&self, model: usize, vertex: u32) -> (&'a [ZymInfluence], [F32; 2]) {
        let (zym, v) = (self.models[model], vertex as usize);
        let start = self.starts[model].get(v).copied().unwrap_or(0);
        let count = zym.counts.get(v).map_or(0, |c| *c as usize);
        let own = zym.influences.get(start..start.saturating_add(count)).unwrap_or_default();
        (own, zym.texcoords.get(v).copied().unwrap_or_default())
    }

    fn bone(&self, model: usize, bone: u32) -> Option<u32> {
        match model {
            0 => self.bones.of_native(bone),
            1 => self.bones.of_before(bone),
            _ => self.bones.of_after(bone),
        }
    }

    /// Puts vertices, triangles and zones into a model that has the native ones.
    pub(super) fn merge(&self, model: &mut Zym) -> Result<MergedCorners, LimitExceeded> {
        let [native, before, after] = self.models;
        let mut made = MergedCorners::default();
        let whole = |m: &'a Zym| (&m.counts, &m.influences, &m.texcoords, &m.trizone);
        if whole(before) == whole(after) && before.runs == after.runs && self.bones.same_numbers() {
            return Ok(made);
        }
        fn names(runs: &[ZymRun]) -> Vec<&[u8]> {
            runs.iter().map(|r| r.shader.bytes()).collect()
        }
        let count = |run: &ZymRun| run.triangles.len();
        let stands = |n: usize, b: usize| n == b && count(&native.runs[n]) == count(&before.runs[b]);
        let there = named(&names(&native.runs), &names(&before.runs), stands, self.budget)?;
        let alike = |b: usize, a: usize| {
            count(&before.runs[b]) == count(&after.runs[a])
                && self.keys(1, &before.runs[b]).eq(self.keys(2, &after.runs[a]))
        };
        let edited = named(&names(&before.runs), &names(&after.runs), alike, self.budget)?;
        let runs = Trios::of(native.runs.len(), &there, &edited, true, self.budget)?;
        let corners = 3 * (native.triangle_count() + after.triangle_count());
        self.budget.charge_items("vertices", native.counts.len() as u64, size_of::<Option<Row>>() + 64)?;
        self.budget.charge_items("triangles", corners as u64, 160)?;
        let mut vertices = merge::Corners::new(native.counts.len(), self.budget)?;
        let mut merged: Vec<(ZymRun, Vec<[Place; 3]>)> = Vec::new();
        let mut zones = Vec::new();
        for trio in &runs.records {
            let (run, triangles) = self.run(trio, &mut vertices, &mut zones, &mut made)?;
            merged.push((run, triangles));
        }
        self.put(model, vertices, merged, zones);
        Ok(made)
    }

    fn keys(&self, model: usize, run: &'a ZymRun) -> impl Iterator<Item = u64> {
        run.triangles.iter().map(move |t| {
            let words = |v: u32| {
                let (influences, uv) = self.row(model, v);
                let bones = influences.iter().map(move |i| self.bone(model, i.bone).unwrap_or(u32::MAX));
                let places = influences.iter().flat_map(|i| i.origin.map(F32::to_bits));
                bones.chain(places).chain(uv.map(F32::to_bits))
            };
            digest(t.iter().flat_map(|v| words(*v)))
        })
    }

    /// A run of the result, whose triangles may name vertices that get their numbers later.
    fn run(
        &self,
        trio: &Trio,
        vertices: &mut merge::Corners<Row>,
        zones: &mut Vec<u8>,
        made: &mut MergedCorners,
    ) -> Result<(ZymRun, Vec<[Place; 3]>), LimitExceeded> {
        let [native, before, after] = [trio.native, trio.before, trio.after];
        let of = |model: usize, at: Option<usize>| at.and_then(|at| self.models[model].runs.get(at));
        let (n, b, a) = (of(0, native), of(1, before), of(2, after));
        let shader = trio.pick(|_| n.map(|r| r.shader), |_| b.map(|r| r.shader), |_| a.map(|r| r.shader));
        let count = |run: Option<&ZymRun>| run.map_or(0, |r| r.triangles.len());
        let whole = n.is_some() && b.is_some() && count(n) == count(b);
        if n.is_some() && a.is_some() && !whole {
            made.rewritten += 1;
        }
        let found: Match = match (b, a) {
            (Some(b), Some(a)) if whole => {
                let old: Vec<u64> = self.keys(1, b).collect();
                let new: Vec<u64> = self.keys(2, a).collect();
                sequence(&old, &new, self.budget)?
            }
            (_, Some(a)) => self.budget.filled("triangles", a.triangles.len(), None)?,
            _ => Vec::new(),
        };
        let native_count = if whole || a.is_none() { count(n) } else { 0 };
        let identity: Vec<_> = (0..native_count).map(Some).collect();
        let there = if a.is_none() { &[][..] } else { &identity };
        let triangles = Trios::of(native_count, there, &found, false, self.budget)?;
        let mut list = self.budget.reserve("triangles", triangles.records.len())?;
        for one in &triangles.records {
            let corner = |run: Option<&ZymRun>, at: Option<usize>, k: usize| {
                run.zip(at).and_then(|(run, at)| run.triangles.get(at)).and_then(|t| t.get(k).copied())
            };
            list.push([0, 1, 2].map(|k| {
                let of = |model: usize| match model {
                    0 => corner(n, one.native, k),
                    1 => corner(b, one.before, k),
                    _ => corner(a, one.after, k),
                };
                self.corner([of(0), of(1), of(2)], vertices, made)
            }));
            let zone = |model: usize, run: Option<usize>, at: usize| {
                let first = run.and_then(|r| self.firsts[model].get(r).copied())?;
                self.models[model].trizone.get(first.saturating_add(at)).copied()
            };
            let zone = one.pick(|i| zone(0, native, i), |i| zone(1, before, i), |i| zone(2, after, i));
            zones.push(zone.unwrap_or(0));
        }
        Ok((ZymRun { shader: shader.unwrap_or_default(), triangles: Vec::new() }, list))
    }

    /// The vertex of a corner.
    fn corner(
        &self,
        [n, b, a]: [Option<u32>; 3],
        vertices: &mut merge::Corners<Row>,
        made: &mut MergedCorners,
    ) -> Place {
        let after = a.map_or(usize::MAX, |a| a as usize);
        vertices.place(n.map(|n| n as usize), after, || self.merged([n, b, a], made))
    }

    /// The vertex of a corner by value.
    fn merged(&self, [n, b, a]: [Option<u32>; 3], made: &mut MergedCorners) -> Row {
        let mut bone = |model: usize, bone: u32| {
            let number = self.bone(model, bone);
            made.made_up |= number.is_none();
            number.unwrap_or(0)
        };
        let mut taken = |model: usize, v: u32| {
            let (influences, uv) = self.row(model, v);
            let own = influences.iter().map(|i| ZymInfluence { bone: bone(model, i.bone), ..*i });
            (own.collect::<Vec<_>>(), uv)
        };
        let (Some(n), Some(a)) = (n, a) else {
            return n.map(|n| taken(0, n)).or_else(|| a.map(|a| taken(2, a))).unwrap_or_default();
        };
        let Some(b) = b else { return taken(2, a) };
        let uv = pick(self.row(0, n).1, &self.row(1, b).1, self.row(2, a).1);
        let follows = |model: usize, v: u32| {
            let own = self.row(model, v).0.iter();
            own.map(|i| (self.bone(model, i.bone), i.origin)).collect::<Vec<_>>()
        };
        let still = follows(1, b) == follows(2, a);
        let kept = still && self.row(0, n).0.iter().all(|i| self.bone(0, i.bone).is_some());
        let (row, _) = if kept { taken(0, n) } else { taken(2, a) };
        (row, uv)
    }

    /// Numbers the vertices: native ones in their order, but those that lost their last triangle, and new ones behind.
    fn put(
        &self,
        model: &mut Zym,
        vertices: merge::Corners<Row>,
        runs: Vec<(ZymRun, Vec<[Place; 3]>)>,
        zones: Vec<u8>,
    ) {
        let native = self.models[0];
        let mut drawn = alloc::vec![false; native.counts.len()];
        for v in native.runs.iter().flat_map(|r| r.triangles.as_flattened()) {
            if let Some(drawn) = drawn.get_mut(*v as usize) {
                *drawn = true;
            }
        }
        let unused = |v: usize| {
            let (influences, uv) = self.row(0, u32::try_from(v).unwrap_or(u32::MAX));
            let own =
                influences.iter().map(|i| ZymInfluence { bone: self.bone(0, i.bone).unwrap_or(0), ..*i });
            (drawn.get(v) == Some(&false)).then(|| (own.collect(), uv))
        };
        let (rows, numbers) = vertices.finish(unused);
        (model.counts, model.influences, model.texcoords) = Default::default();
        for (influences, uv) in rows {
            model.counts.push(u32::try_from(influences.len()).unwrap_or(u32::MAX));
            model.influences.extend(influences);
            model.texcoords.push(uv);
        }
        let numbered = |(run, list): (ZymRun, Vec<[Place; 3]>)| ZymRun {
            triangles: list.into_iter().map(|t| t.map(|place| numbers.of(place))).collect(),
            ..run
        };
        model.runs = runs.into_iter().map(numbered).collect();
        model.trizone = zones;
    }
}

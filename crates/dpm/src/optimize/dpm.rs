//! Optimizes a DPM.

use super::bones::{BoneChoice, choose};
use super::vertex_cache::{self, Cost, VertexNumbering};
use super::{OptimizeOptions, Statistics, first_use, moving, places, renumbered, used_frames};
use crate::clips::FrameClip;
use crate::dpm::{Dpm, Influence, Mesh, PoseId, Vertices};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::cmp::Ordering;
use meshwright_core::{Budget, F32, Order as _, SortedMap, SortedSet, WriteError};

impl Dpm {
    /// Applies the options in place. The memory has been charged.
    pub(crate) fn reduce(
        &mut self,
        options: &OptimizeOptions,
        clips: &mut [FrameClip],
        budget: &Budget,
        dense: &mut VertexNumbering,
    ) -> Result<BoneChoice, WriteError> {
        self.discard_layout();
        if options.influences {
            self.each_vertices(drop_zeros);
        }
        if options.meshes {
            join(self, budget)?;
        }
        let mut seen = SortedSet::new();
        let all = self.meshes.iter().filter(|m| seen.insert(Arc::as_ptr(&m.vertices)));
        let bones = all.flat_map(|m| m.vertices.influences.iter().map(|i| i.bone));
        let chosen = choose(&self.bones, &moving(self.bones.len(), bones), options.bones);
        if !chosen.kept.is_identity() {
            self.renumber_bones(&chosen.kept);
        }
        if options.frames && !clips.is_empty() {
            drop_frames(self, clips);
        }
        drop_poses(self, options.poses);
        sort_meshes(self, options, dense);
        Ok(chosen)
    }

    /// Removes unused and duplicate data.
    #[cfg(feature = "scene")]
    pub(crate) fn tidy(&mut self, clips: &mut [FrameClip], budget: &Budget) -> Result<(), WriteError> {
        let most = self.meshes.iter().map(|m| m.vertices.len()).max().unwrap_or(0);
        budget.charge_items("vertices", most as u64, EQUAL)?;
        budget.charge_items("poses", self.poses.len() as u64, size_of::<crate::bone::BonePose>())?;
        self.reduce(&OptimizeOptions::tidy(), clips, budget, &mut VertexNumbering::default()).map(|_| ())
    }
}

/// The memory per vertex for finding equal vertices.
#[cfg(feature = "scene")]
const EQUAL: usize = 40;

impl Dpm {
    /// Counts the parts of a model. Shared sections count for each mesh, but are examined once.
    pub(crate) fn statistics(&self, bytes: usize, dense: &mut VertexNumbering) -> Statistics {
        let mut counted = Statistics {
            bytes,
            bones: self.bones.len(),
            meshes: self.meshes.len(),
            frames: self.frames.len(),
            poses: self.pose_count(),
            ..Statistics::default()
        };
        let mut known: SortedMap<_, Cost> = SortedMap::new();
        for mesh in &self.meshes {
            let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
            counted.vertices += vertices;
            counted.influences += mesh.vertices.influences.len();
            counted.triangles += triangles;
            let cost =
                *known.entry(Arc::as_ptr(&mesh.triangles)).or_insert_with(|| dense.cost(&mesh.triangles));
            counted.misses += cost.misses;
            counted.strips += cost.strips;
        }
        counted
    }

    /// Returns the memory of copies and tables. Shared sections count for each mesh, because they may be copied.
    pub(crate) fn costs(&self, counted: &Statistics) -> [super::Items; 6] {
        [
            ("vertices", counted.vertices, vertex_cache::VERTEX + 32),
            ("influences", counted.influences, 3 * size_of::<Influence>()),
            ("triangles", counted.triangles, vertex_cache::TRIANGLE + 32),
            ("poses", self.poses.len(), 3 * size_of::<crate::bone::BonePose>()),
            ("frames", counted.frames, 128),
            ("bones", counted.bones, crate::bone_order::SORTING),
        ]
    }
}

/// Removes influences that add nothing, except for one per vertex.
fn drop_zeros(vertices: &mut Vertices) {
    let adds =
        |i: &Influence| i.influence.get() != 0.0 || i.origin.iter().chain(&i.normal).any(|v| v.get() != 0.0);
    if vertices.influences.iter().all(adds) {
        return;
    }
    let mut kept = Vertices { counts: Vec::with_capacity(vertices.counts.len()), ..Vertices::default() };
    kept.influences.reserve_exact(vertices.influences.len());
    for own in vertices.iter() {
        let start = kept.influences.len();
        kept.influences.extend(own.iter().filter(|i| adds(i)));
        if kept.influences.len() == start {
            kept.influences.extend(own.first());
        }
        kept.counts.push(u32::try_from(kept.influences.len() - start).unwrap_or(u32::MAX));
    }
    *vertices = kept;
}

/// Removes meshes without triangles, except for one, and joins meshes with the same shader.
fn join(model: &mut Dpm, budget: &Budget) -> Result<(), WriteError> {
    let drawn = model.meshes.iter().any(|m| !m.triangles.is_empty());
    let mut first = true;
    model.meshes.retain(|m| {
        let keep = if drawn { !m.triangles.is_empty() } else { first };
        first = false;
        keep
    });
    let mut places: SortedMap<Vec<u8>, usize> = SortedMap::new();
    let mut joined: Vec<Mesh> = Vec::with_capacity(model.meshes.len());
    for mesh in core::mem::take(&mut model.meshes) {
        let place = *places.entry(mesh.shader.bytes().to_vec()).or_insert(joined.len());
        let Some(to) = joined.get_mut(place) else {
            joined.push(mesh);
            continue;
        };
        budget.work("meshes", mesh.vertices.influences.len() as u64)?;
        let base = u32::try_from(to.vertices.len()).unwrap_or(u32::MAX);
        let vertices = Arc::make_mut(&mut to.vertices);
        vertices.counts.extend_from_slice(&mesh.vertices.counts);
        vertices.influences.extend_from_slice(&mesh.vertices.influences);
        Arc::make_mut(&mut to.texcoords).extend_from_slice(&mesh.texcoords);
        let moved = mesh.triangles.iter().map(|t| t.map(|v| v.saturating_add(base)));
        Arc::make_mut(&mut to.triangles).extend(moved);
        Arc::make_mut(&mut to.groupids).extend_from_slice(&mesh.groupids);
    }
    model.meshes = joined;
    Ok(())
}

/// Removes frames that are in no clip.
fn drop_frames(model: &mut Dpm, clips: &mut [FrameClip]) {
    let ranges: Vec<(u32, u32)> = clips.iter().map(|c| (c.start, c.length)).collect();
    let used = used_frames(model.frames.len(), &ranges);
    let places = places(&used);
    for clip in clips {
        clip.start = places.get(clip.start as usize).copied().unwrap_or(clip.start);
    }
    let mut used = used.iter();
    model.frames.retain(|_| used.next() == Some(&true));
}

/// Removes poses that no frame uses. If `equal`, it also removes duplicates of poses.
fn drop_poses(model: &mut Dpm, equal: bool) {
    let (bones, count) = (model.bones.len(), model.pose_count());
    let pose = |p: usize| model.poses.get(p * bones..(p + 1) * bones).unwrap_or_default();
    let compare = |a: usize, b: usize| {
        for (m, n) in pose(a).iter().zip(pose(b)) {
            let order = m.0.map(|row| row.map(F32::to_bits)).cmp(&n.0.map(|row| row.map(F32::to_bits)));
            if order.is_ne() {
                return order;
            }
        }
        Ordering::Equal
    };
    // The pose that replaces each pose.
    let mut stands: Vec<usize> = (0..count).collect();
    if equal {
        let mut sorted = stands.clone();
        sorted.order_by(|&a, &b| compare(a, b));
        for run in sorted.chunk_by(|&a, &b| compare(a, b).is_eq()) {
            run.iter().for_each(|&p| stands[p] = run[0]);
        }
    }
    let mut used = alloc::vec![false; count];
    for frame in &mut model.frames {
        let pose = stands.get(frame.pose.0 as usize).copied().unwrap_or_default();
        frame.pose = PoseId(u32::try_from(pose).unwrap_or(u32::MAX));
        used[pose] = true;
    }
    let places = places(&used);
    for frame in &mut model.frames {
        frame.pose = PoseId(places[frame.pose.0 as usize]);
    }
    let mut kept = Vec::with_capacity(model.poses.len());
    (0..count).filter(|&p| used[p]).for_each(|p| kept.extend_from_slice(pose(p)));
    model.poses = kept;
}

type Sections = [usize; 4];

/// Returns the addresses of a mesh's sections.
fn sections(mesh: &Mesh) -> Sections {
    [
        Arc::as_ptr(&mesh.vertices).addr(),
        Arc::as_ptr(&mesh.texcoords).addr(),
        Arc::as_ptr(&mesh.triangles).addr(),
        Arc::as_ptr(&mesh.groupids).addr(),
    ]
}

/// Sorts triangles and vertices. Meshes that share all their sections still share them. Meshes that share
/// only some sections are not changed, so that these stay shared.
fn sort_meshes(model: &mut Dpm, options: &OptimizeOptions, dense: &mut VertexNumbering) {
    let whole: Vec<Sections> = model.meshes.iter().map(sections).collect();
    let mut owners: SortedMap<(usize, usize), Option<Sections>> = SortedMap::new();
    for own in &whole {
        for (kind, &address) in own.iter().enumerate() {
            let owner = owners.entry((kind, address)).or_insert(Some(*own));
            if *owner != Some(*own) {
                *owner = None;
            }
        }
    }
    let mut done: SortedMap<Sections, Mesh> = SortedMap::new();
    for (mesh, own) in model.meshes.iter_mut().zip(whole) {
        if own.iter().enumerate().any(|(kind, &address)| owners.get(&(kind, address)) == Some(&None)) {
            continue;
        }
        let sorted = done.entry(own).or_insert_with(|| sorted(mesh, options, dense));
        *mesh = Mesh { shader: mesh.shader, ..sorted.clone() };
    }
}

fn sorted(mesh: &Mesh, options: &OptimizeOptions, dense: &mut VertexNumbering) -> Mesh {
    let count = mesh.vertices.len();
    let equal = if options.vertices { equals(mesh) } else { Vec::new() };
    if !options.triangles && !options.order && (!options.vertices || is_tidy(mesh, &equal)) {
        return mesh.clone();
    }
    let (mut triangles, mut groupids) = (mesh.triangles.to_vec(), mesh.groupids.to_vec());
    if options.vertices {
        triangles.as_flattened_mut().iter_mut().for_each(|v| *v = equal[*v as usize]);
    }
    if let Some(order) = options.triangles.then(|| dense.better(&triangles)).flatten() {
        groupids = order.iter().map(|&t| groupids[t as usize]).collect();
        triangles = order.iter().map(|&t| triangles[t as usize]).collect();
    }
    let mut order = first_use(&triangles, count, !options.vertices);
    if !options.order {
        order.sort_unstable();
    }
    renumbered(&mut triangles, &order, count);
    let starts = starts(&mesh.vertices);
    let own = |v: &u32| part(&mesh.vertices, &starts, *v);
    Mesh {
        shader: mesh.shader,
        vertices: Arc::new(order.iter().map(own).collect()),
        texcoords: Arc::new(order.iter().map(|&v| mesh.texcoords[v as usize]).collect()),
        triangles: Arc::new(triangles),
        groupids: Arc::new(groupids),
    }
}

fn starts(vertices: &Vertices) -> Vec<usize> {
    let mut at = 0;
    let start = |&count: &u32| {
        let start = at;
        at += count as usize;
        start
    };
    vertices.counts.iter().map(start).collect()
}

fn part<'v>(vertices: &'v Vertices, starts: &[usize], v: u32) -> &'v [Influence] {
    let (start, count) = (starts[v as usize], vertices.counts[v as usize] as usize);
    vertices.influences.get(start..start + count).unwrap_or_default()
}

/// Returns whether no vertex has an earlier duplicate, and every vertex is in a triangle.
fn is_tidy(mesh: &Mesh, equal: &[u32]) -> bool {
    let mut used = alloc::vec![false; equal.len()];
    mesh.triangles.as_flattened().iter().for_each(|v| used[*v as usize] = true);
    equal.iter().zip(0_u32..).all(|(first, v)| *first == v) && used.iter().all(|used| *used)
}

/// Returns for each vertex the first vertex with the same bits.
fn equals(mesh: &Mesh) -> Vec<u32> {
    let starts = starts(&mesh.vertices);
    let words = |i: &Influence| {
        let ([a, b, c], [d, e, f]) = (i.origin, i.normal);
        let [a, b, c, w, d, e, f] = [a, b, c, i.influence, d, e, f].map(F32::to_bits);
        [i.bone, a, b, c, w, d, e, f]
    };
    let uv = |v: u32| mesh.texcoords[v as usize].map(F32::to_bits);
    let of = |v: u32| part(&mesh.vertices, &starts, v);
    let compare = |a: u32, b: u32| -> Ordering {
        uv(a).cmp(&uv(b)).then_with(|| of(a).iter().map(words).cmp(of(b).iter().map(words)))
    };
    let hash = |v: u32| {
        let mix = |hash: u64, word: u32| {
            (hash ^ u64::from(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
        };
        let hash = uv(v).into_iter().fold(0, mix);
        of(v).iter().flat_map(words).fold(hash, mix)
    };
    first_alike(starts.len(), hash, |a, b| compare(a, b).is_eq()).unwrap_or_else(|| {
        let mut sorted: Vec<u32> = (0_u32..).zip(&starts).map(|(v, _)| v).collect();
        sorted.order_by(|&a, &b| compare(a, b));
        let mut first = alloc::vec![0; sorted.len()];
        for run in sorted.chunk_by(|&a, &b| compare(a, b).is_eq()) {
            run.iter().for_each(|&v| first[v as usize] = run[0]);
        }
        first
    })
}

/// Returns for each item the first equal item; `None` if there are too many hash collisions.
fn first_alike(
    count: usize,
    hash: impl Fn(u32) -> u64,
    alike: impl Fn(u32, u32) -> bool,
) -> Option<Vec<u32>> {
    const NONE: u32 = u32::MAX;
    let slots = count.checked_mul(2)?.checked_next_power_of_two()?;
    let mut table = alloc::vec![NONE; slots];
    let mut first = Vec::with_capacity(count);
    // Collisions cost steps; a hostile file can cause many of them.
    let mut steps = count.saturating_mul(16);
    for v in 0..u32::try_from(count).ok()? {
        // The upper bits of the hash depend on all bits of the value.
        let mut slot = (hash(v) >> 32) as usize & (slots - 1);
        loop {
            match table[slot] {
                NONE => {
                    table[slot] = v;
                    first.push(v);
                    break;
                }
                other if alike(other, v) => {
                    first.push(other);
                    break;
                }
                _ => slot = (slot + 1) & (slots - 1),
            }
            steps = steps.checked_sub(1)?;
        }
    }
    Some(first)
}

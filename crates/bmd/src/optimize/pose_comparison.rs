//! The poses of the model with the old and the new keys of a clip, at every whole frame.
//!
//! Bones are processed parents first. Each bone may use a share of the bound, which grows along the chain of
//! bones with keys, so that errors of parents leave room for their children. The error is measured at
//! everything that the bone moves.

use super::options::{Errors, distance};
use super::work_limit::WorkLimit;
use crate::math::degrees;
use crate::model::{Bmd, Bone, identity};
use crate::packed::Vertex;
use crate::pose::{Base, BoneSample, Curves, Timing, follow, order};
use alloc::vec::Vec;
use meshwright_core::SortedSet;
use meshwright_core::math::quat::{self, Quat};
use meshwright_core::math::{Affine64, add, sub, unit, wide};

/// The axis-aligned bounding box of points.
#[derive(Clone, Copy, Debug)]
struct BoundingBox {
    low: [f64; 3],
    high: [f64; 3],
}

/// Returns a vector of what `axis` returns for each axis.
fn vector(axis: impl Fn(usize) -> f64) -> [f64; 3] {
    [axis(0), axis(1), axis(2)]
}

impl BoundingBox {
    fn around(point: [f64; 3]) -> Self {
        Self { low: point, high: point }
    }

    fn add(&mut self, other: &Self) {
        self.low = vector(|i| self.low[i].min(other.low[i]));
        self.high = vector(|i| self.high[i].max(other.high[i]));
    }

    fn corners(&self) -> [[f64; 3]; 8] {
        core::array::from_fn(|c| vector(|i| if c >> i & 1 == 0 { self.low[i] } else { self.high[i] }))
    }

    /// Returns the bounding box of the transformed box.
    fn transform(&self, by: &Affine64) -> Self {
        let center = by.point(vector(|i| (self.low[i] + self.high[i]) / 2.0));
        let half = vector(|i| (self.high[i] - self.low[i]) / 2.0);
        let rows = by.to_rows();
        let reach = vector(|i| (0..3).map(|k| rows[i][k].abs() * half[k]).sum());
        Self { low: sub(center, reach), high: add(center, reach) }
    }
}

/// The points that each bone moves directly: its origin, its vertices, and its solid.
pub(super) struct Points {
    bounds: Vec<BoundingBox>,
    /// Positions in the space of the bone, without duplicates.
    places: Vec<Vec<[f32; 3]>>,
}

impl Points {
    /// Collects the points; `None` if no work or memory is left for them.
    pub(super) fn collect(model: &Bmd, memory: u64, work: &WorkLimit) -> Option<Self> {
        let lists = distinct(model);
        let vertices: u64 = lists.iter().map(|v| v.len() as u64).sum();
        if vertices.saturating_mul(POINT) > memory || !work.spend(vertices.saturating_mul(POINT)) {
            return None;
        }
        let mut seen: Vec<SortedSet<[u32; 3]>> = alloc::vec![SortedSet::new(); model.bones.len()];
        for list in lists {
            for v in list {
                if let Some(set) = seen.get_mut(usize::from(v.bone())) {
                    set.insert(v.position().map(f32::to_bits));
                }
            }
        }
        let mut solids = SortedSet::new();
        for (set, bone) in seen.iter_mut().zip(&model.bones) {
            set.insert([0; 3]);
            let solid = model.meshes.get(usize::from(bone.solid)).filter(|_| bone.solid > 0);
            // A list that many bones share counts once.
            if let Some(solid) = solid.filter(|m| solids.insert(identity(&m.vertices))) {
                set.extend(solid.vertices.iter().map(|v| v.position().map(f32::to_bits)));
            }
        }
        let mut points =
            Self { bounds: Vec::with_capacity(seen.len()), places: Vec::with_capacity(seen.len()) };
        for set in seen {
            let list: Vec<[f32; 3]> = set.into_iter().map(|p| p.map(f32::from_bits)).collect();
            let mut bounds = BoundingBox::around([0.0; 3]);
            list.iter().for_each(|p| bounds.add(&BoundingBox::around(wide(*p))));
            points.bounds.push(bounds);
            points.places.push(list);
        }
        Some(points)
    }
}

/// Bytes, and steps of work, for each vertex.
const POINT: u64 = 64;

/// Returns the vertex lists of a model, shared ones once.
fn distinct(model: &Bmd) -> Vec<&Vec<Vertex>> {
    let mut seen = SortedSet::new();
    let lists = model.meshes.iter().map(|m| &m.vertices);
    lists.filter(|v| seen.insert(identity(v))).map(|v| &**v).collect()
}

/// The poses of one clip with the old keys and with the new ones.
pub(super) struct PoseComparison<'m> {
    bones: &'m [Bone],
    points: &'m Points,
    bases: Vec<Base>,
    pub(super) order: Vec<usize>,
    timing: Timing,
    /// The model-space matrices of all bones, frame by frame, and the rotations of their chains.
    old: Vec<Affine64>,
    new: Vec<Affine64>,
    old_turns: Vec<Quat>,
    new_turns: Vec<Quat>,
    /// The bounding box of everything that each bone moves, in the bone's space, frame by frame.
    reach: Vec<BoundingBox>,
    shares: Vec<Share>,
}

/// The part of a bound that may be used: by the parents of a bone, and including the bone itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Share {
    pub(super) above: f64,
    pub(super) own: f64,
}

impl<'m> PoseComparison<'m> {
    /// Returns the steps of work to compute and measure the poses of a clip.
    fn steps(model: &Bmd, frames: u32) -> u64 {
        const BONE: u64 = 96;
        (model.bones.len() as u64).saturating_mul(u64::from(frames)).saturating_mul(BONE)
    }

    /// Returns the bytes of the poses of a clip.
    fn memory(model: &Bmd, frames: u32) -> u64 {
        let bone = 2 * (size_of::<Affine64>() + size_of::<Quat>()) + size_of::<BoundingBox>();
        (model.bones.len() as u64).saturating_mul(u64::from(frames)).saturating_mul(bone as u64)
    }

    /// Computes the poses with the old keys; `None` if no work or memory is left for them.
    pub(super) fn new(
        model: &'m Bmd,
        points: &'m Points,
        curves: &[Curves],
        timing: Timing,
        memory: u64,
        work: &WorkLimit,
    ) -> Option<Self> {
        if Self::memory(model, timing.frames) > memory || !work.spend(Self::steps(model, timing.frames)) {
            return None;
        }
        let bones = &model.bones;
        let normal = model.normal_bones();
        let order: Vec<usize> =
            order(bones)?.into_iter().map(|b| b as usize).filter(|b| (1..normal).contains(b)).collect();
        let cells = bones.len() * timing.frames as usize;
        let mut posed = Self {
            bones,
            points,
            bases: bones.iter().map(Base::decode).collect(),
            shares: shares(bones, &order, curves),
            order,
            timing,
            old: alloc::vec![Affine64::IDENTITY; cells],
            new: Vec::new(),
            old_turns: alloc::vec![quat::IDENTITY; cells],
            new_turns: Vec::new(),
            reach: Vec::with_capacity(cells),
        };
        for f in 0..timing.frames {
            posed.frame(f, curves);
        }
        posed.new = posed.old.clone();
        posed.new_turns = posed.old_turns.clone();
        Some(posed)
    }

    fn cell_index(&self, frame: u32, bone: usize) -> usize {
        frame as usize * self.bones.len() + bone
    }

    fn parent(&self, bone: usize) -> usize {
        usize::from(self.bones[bone].parent)
    }

    /// Computes one frame of the old poses, and the bounds of everything that each bone moves.
    fn frame(&mut self, f: u32, curves: &[Curves]) {
        let mut reach = self.points.bounds.clone();
        let mut locals = alloc::vec![Affine64::IDENTITY; self.bones.len()];
        for b in self.order.clone() {
            let sample = curves.get(b).map_or(BoneSample::REST, |c| c.sample(self.timing, f64::from(f)));
            let (at, parent) = (self.cell_index(f, b), self.cell_index(f, self.parent(b)));
            locals[b] = self.bases[b].apply(&sample);
            self.old[at] = self.old[parent].after(&locals[b]);
            self.old_turns[at] = self.turn_bone(self.old_turns[parent], b, sample.rotation);
        }
        for (p, bone) in self.bones.iter().enumerate().filter(|(i, b)| *i > 0 && b.is_pseudo()) {
            for (id, _) in bone.transform.followed().into_iter().filter(|part| part.1.decode() != 0.0) {
                let own = self.points.bounds[p];
                if let Some(followed) = reach.get_mut(usize::from(id)) {
                    followed.add(&own);
                }
            }
        }
        for b in self.order.iter().rev().copied() {
            let above = reach[b].transform(&locals[b]);
            reach[self.parent(b)].add(&above);
        }
        self.reach.append(&mut reach);
    }

    fn turn_bone(&self, parent: Quat, bone: usize, by: Quat) -> Quat {
        let own = quat::product(by, self.bases[bone].rotation);
        unit(quat::product(parent, own)).unwrap_or(parent)
    }

    /// Returns the share of a bound that a bone may use.
    pub(super) fn share(&self, bone: usize) -> Share {
        self.shares[bone]
    }

    /// Returns the rotations, frame by frame, that restore a bone's old orientation whatever the errors of
    /// its parents.
    pub(super) fn wanted_turns(&self, bone: usize) -> Vec<Quat> {
        let back = quat::conjugate(self.bases[bone].rotation);
        let wanted = |f: u32| {
            let above = quat::conjugate(self.new_turns[self.cell_index(f, self.parent(bone))]);
            let own = quat::product(above, self.old_turns[self.cell_index(f, bone)]);
            unit(quat::product(own, back)).unwrap_or(quat::IDENTITY)
        };
        (0..self.timing.frames).map(wanted).collect()
    }

    /// Returns the target positions of everything that a bone moves.
    pub(super) fn place(&self, bone: usize) -> PoseTargets {
        let frame = |f: u32| {
            let (at, parent) = (self.cell_index(f, bone), self.cell_index(f, self.parent(bone)));
            let corners = self.reach[at].corners();
            let old = &self.old[at];
            Target {
                parent: self.new[parent],
                corners,
                targets: corners.map(|c| old.point(c)),
                origin: old.w,
            }
        };
        PoseTargets { base: self.bases[bone], frames: (0..self.timing.frames).map(frame).collect() }
    }

    /// Applies the new keys of a bone. Its parents must have their new keys already.
    pub(super) fn settle(&mut self, bone: usize, curves: &Curves) {
        for f in 0..self.timing.frames {
            let sample = curves.sample(self.timing, f64::from(f));
            let (at, parent) = (self.cell_index(f, bone), self.cell_index(f, self.parent(bone)));
            self.new[at] = self.new[parent].after(&self.bases[bone].apply(&sample));
            self.new_turns[at] = self.turn_bone(self.new_turns[parent], bone, sample.rotation);
        }
    }

    /// Measures the largest differences between the two poses: of the positions of everything that a bone
    /// moves, and of the rotations of bones.
    pub(super) fn measure(&mut self, work: &WorkLimit, errors: &mut Errors) {
        let n = self.bones.len();
        for f in 0..self.timing.frames {
            for (p, bone) in self.bones.iter().enumerate().filter(|(i, b)| *i > 0 && b.is_pseudo()) {
                let at = self.cell_index(f, p);
                let start = self.cell_index(f, 0);
                self.old[at] = follow(bone, &self.old[start..start + n]);
                self.new[at] = follow(bone, &self.new[start..start + n]);
            }
        }
        for (old, new) in self.old_turns.iter().zip(&self.new_turns).filter(|(a, b)| a != b) {
            errors.angle = errors.angle.max(degrees(*old, *new));
        }
        // No point in a box moves further than its farthest corner, so most boxes need no closer look. If
        // scales overflow, the difference counts as 0.
        let far = |i: usize, p: [f64; 3]| {
            let old = self.old[i].point(p);
            if old.iter().all(|c| c.is_finite()) { distance(old, self.new[i].point(p)) } else { 0.0 }
        };
        let most = |i: usize| {
            let corners = self.points.bounds[i % n].corners();
            corners.into_iter().fold(0.0_f64, |m, c| m.max(far(i, c)))
        };
        let differ = (0..self.old.len()).filter(|i| self.old[*i] != self.new[*i]);
        let mut boxes: Vec<(f64, usize)> = differ.map(|i| (most(i), i)).collect();
        boxes.sort_unstable_by(|a, b| b.0.total_cmp(&a.0));
        for (at_most, i) in boxes {
            if at_most <= errors.distance {
                break;
            }
            let places = &self.points.places[i % n];
            if !work.spend(places.len() as u64 * 8) {
                // The corners limit the error, if no work is left for the points.
                errors.distance = at_most;
                break;
            }
            errors.distance = places.iter().fold(errors.distance, |m, p| m.max(far(i, wide(*p))));
        }
    }
}

/// Returns the share of each bone in a bound.
fn shares(bones: &[Bone], order: &[usize], curves: &[Curves]) -> Vec<Share> {
    let keyed = |b: usize| curves.get(b).is_some_and(|c| *c != Curves::default());
    let parent = |b: usize| usize::from(bones[b].parent);
    let (mut above, mut below) = (alloc::vec![0_u32; bones.len()], alloc::vec![0_u32; bones.len()]);
    // The maximum factor by which a pseudo-bone amplifies the error of one of its bones.
    let mut grows = alloc::vec![1.0_f64; bones.len()];
    for bone in bones.iter().skip(1).filter(|b| b.is_pseudo()) {
        let parts = bone.transform.followed().map(|p| (usize::from(p.0), f64::from(p.1.decode())));
        let (sum, size) = parts.iter().fold((0.0, 0.0), |(s, a), p| (s + p.1, a + p.1.abs()));
        for (id, _) in parts.iter().filter(|p| p.1 != 0.0) {
            if let Some(g) = grows.get_mut(*id) {
                *g = g.max(size / f64::abs(sum));
            }
        }
    }
    for &b in order {
        above[b] = above[parent(b)] + u32::from(keyed(b));
    }
    for &b in order.iter().rev() {
        let p = parent(b);
        below[p] = below[p].max(below[b] + u32::from(keyed(b)));
        grows[p] = grows[p].max(grows[b]);
    }
    let mut shares = alloc::vec![Share::default(); bones.len()];
    for &b in order {
        let whole = f64::from(above[b] + below[b]).max(1.0);
        let before = shares[parent(b)].own;
        let own = if keyed(b) { f64::from(above[b]) / whole / grows[b] } else { before };
        shares[b] = Share { above: before, own: own.max(before) };
    }
    shares
}

/// The points that a bone moves, at one frame.
struct Target {
    /// The matrix of the parent with its new keys.
    parent: Affine64,
    /// Corners of the box in the space of the bone.
    corners: [[f64; 3]; 8],
    /// The same corners in model space, with the old keys.
    targets: [[f64; 3]; 8],
    /// The bone's origin in model space, with the old keys.
    origin: [f64; 3],
}

/// The target positions of everything that a bone moves, frame by frame.
pub(super) struct PoseTargets {
    base: Base,
    frames: Vec<Target>,
}

impl PoseTargets {
    /// Steps of work to test a sample against a bound.
    pub(super) const COST: u64 = 24;

    /// Returns the translations, frame by frame, that restore the old position of the bone's origin whatever
    /// the errors of its parents.
    pub(super) fn origins(&self, old: &[BoneSample]) -> Vec<[f64; 3]> {
        let wanted = |(t, old): (&Target, &BoneSample)| match t.parent.inverse() {
            Some(back) => sub(back.point(t.origin), self.base.origin),
            None => old.translation,
        };
        self.frames.iter().zip(old).map(wanted).collect()
    }

    /// Returns true if, with this sample at a frame, everything that the bone moves stays within `bound` of
    /// its target.
    pub(super) fn is_near(&self, frame: u32, sample: &BoneSample, bound: f64) -> bool {
        let Some(target) = self.frames.get(frame as usize) else { return false };
        let matrix = target.parent.after(&self.base.apply(sample));
        let square = bound * bound;
        target.corners.iter().zip(&target.targets).all(|(c, t)| {
            let p = matrix.point(*c);
            (0..3).map(|i| (p[i] - t[i]) * (p[i] - t[i])).sum::<f64>() <= square
        })
    }
}

//! Optimizes models: fewer bytes, and an order of triangles that is drawn faster, as the format's
//! description recommends to exporters.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "counts what is in memory, of models that were checked before"
)]
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "tests use small numbers")
)]

mod bones;
mod dpm;
mod vertex_cache;
mod zym;

use crate::bone::Name;
use crate::clips::FrameClip;
use alloc::vec::Vec;
use meshwright_core::{Budget, Limits, WriteError};

/// The removal of bones that move nothing. Bones with the [attachment flag](crate::BoneFlags::ATTACHMENT),
/// parents of remaining bones, and the first bone, whose scale engines use for the model, always stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnusedBones {
    /// No bones are removed.
    Keep,
    /// All such bones are removed if the model has attachment flags. Otherwise only bones without a name
    /// are: games find attachments by name, and in a model without flags any bone may be one.
    #[default]
    Unmarked,
    /// All such bones are removed.
    Remove,
}

/// The steps of an optimisation. By default, these are all steps that change no frame, no triangle and no
/// clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// The removal of bones that move nothing.
    pub bones: UnusedBones,
    /// True if influences with zero weight, position and normal are removed (DPM).
    pub influences: bool,
    /// True if unused vertices are removed and equal ones merged (DPM; in a ZYM, equal vertices can have
    /// different normals).
    pub vertices: bool,
    /// True if equal poses are stored once (DPM).
    pub poses: bool,
    /// True if triangles are sorted for strips and vertex caches, if that is better than their order. Their
    /// numbers for game code move with them.
    pub triangles: bool,
    /// True if vertices are sorted by their first use in triangles.
    pub order: bool,
    /// True if meshes without triangles are removed, and meshes of one shader joined.
    pub meshes: bool,
    /// True if frames that are in no clip are removed, except for the first, if the clips are known.
    pub frames: bool,
    /// The limits of memory.
    pub limits: Limits,
}

impl Default for OptimizeOptions {
    fn default() -> Self {
        Self {
            bones: UnusedBones::default(),
            influences: true,
            vertices: true,
            poses: true,
            triangles: true,
            order: true,
            meshes: false,
            frames: false,
            limits: Limits::default(),
        }
    }
}

impl OptimizeOptions {
    /// Returns options that change only the layout of the file.
    #[must_use]
    pub fn nothing() -> Self {
        Self {
            bones: UnusedBones::Keep,
            influences: false,
            vertices: false,
            poses: false,
            triangles: false,
            order: false,
            ..Self::default()
        }
    }

    /// Returns options that remove unused and duplicate data, and keep the order of triangles and vertices.
    /// Conversions use them.
    #[must_use]
    pub fn tidy() -> Self {
        Self { triangles: false, order: false, ..Self::default() }
    }

    /// Sets the removal of bones that move nothing.
    #[must_use]
    pub const fn with_bones(mut self, bones: UnusedBones) -> Self {
        self.bones = bones;
        self
    }

    /// Sets whether meshes without triangles are removed, and meshes of one shader joined.
    #[must_use]
    pub const fn with_meshes(mut self, meshes: bool) -> Self {
        self.meshes = meshes;
        self
    }

    /// Sets whether frames that are in no clip are removed.
    #[must_use]
    pub const fn with_frames(mut self, frames: bool) -> Self {
        self.frames = frames;
        self
    }

    /// Sets the limits.
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

/// The content and cost of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// The size of the file in bytes.
    pub bytes: usize,
    /// The number of bones.
    pub bones: usize,
    /// The number of meshes or, in a ZYM, of triangle runs.
    pub meshes: usize,
    /// The number of vertices of all meshes.
    pub vertices: usize,
    /// The number of influences.
    pub influences: usize,
    /// The number of triangles of all meshes.
    pub triangles: usize,
    /// The number of frames.
    pub frames: usize,
    /// The number of stored poses.
    pub poses: usize,
    /// The number of vertices that a graphics card computes if it remembers the last 16.
    pub misses: usize,
    /// The number of runs in which each triangle shares an edge with the one before it.
    pub strips: usize,
}

impl Statistics {
    /// Returns the average cache miss ratio: computed vertices per triangle, between 0.5 and 3; 0 if there
    /// are no triangles.
    pub fn acmr(&self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "a ratio")]
        let ratio = self.misses as f64 / self.triangles.max(1) as f64;
        ratio
    }
}

/// An optimised model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Optimized<M> {
    /// The model.
    pub model: M,
    /// The file.
    pub bytes: Vec<u8>,
    /// The given clips, with the numbers of the remaining frames.
    pub clips: Vec<FrameClip>,
    /// The content and cost before the optimisation.
    pub before: Statistics,
    /// The content and cost after the optimisation.
    pub after: Statistics,
    /// The removed bones.
    pub removed: Vec<Name>,
    /// Bones that move nothing and have no attachment flag, but were kept because they may be attachments;
    /// see [`UnusedBones`].
    pub unmarked: Vec<Name>,
}

/// Items, how many, and the memory of each.
pub(crate) type Items = (&'static str, usize, usize);

/// Charges the memory and the work of an optimisation.
pub(crate) fn charge(budget: &Budget, items: &[Items]) -> Result<(), WriteError> {
    for &(what, count, size) in items {
        budget.charge_items(what, count as u64, size)?;
        budget.work(what, (count as u64).saturating_mul(64))?;
    }
    Ok(())
}

/// Returns for each bone whether it moves a vertex. `used` are the bones of all influences.
fn moving(bones: usize, used: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut moving = alloc::vec![false; bones];
    for bone in used {
        if let Some(moving) = moving.get_mut(bone as usize) {
            *moving = true;
        }
    }
    moving
}

/// Returns the position of each vertex in the order of first use by triangles. Unused vertices come last if
/// `keep` is true.
fn first_use(triangles: &[[u32; 3]], vertices: usize, keep: bool) -> Vec<u32> {
    let mut seen = alloc::vec![false; vertices];
    let mut order = Vec::with_capacity(vertices);
    for &v in triangles.as_flattened() {
        if let Some(seen) = seen.get_mut(v as usize)
            && !core::mem::replace(seen, true)
        {
            order.push(v);
        }
    }
    if keep {
        order.extend((0_u32..).zip(&seen).filter(|(_, seen)| !**seen).map(|(v, _)| v));
    }
    order
}

/// Renumbers triangles. `order` has the old indices of the remaining vertices.
fn renumbered(triangles: &mut [[u32; 3]], order: &[u32], vertices: usize) {
    let mut numbers = alloc::vec![0_u32; vertices];
    for (new, &old) in (0_u32..).zip(order) {
        numbers[old as usize] = new;
    }
    for v in triangles.as_flattened_mut() {
        *v = numbers[*v as usize];
    }
}

/// Returns for each frame whether it is in a clip or is the first frame.
fn used_frames(frames: usize, ranges: &[(u32, u32)]) -> Vec<bool> {
    // Count the starts and ends of ranges, so that each range costs only one step.
    let mut edges = alloc::vec![0_i64; frames + 1];
    for &(start, length) in ranges.iter().chain(&[(0, 1)]) {
        let start = (start as usize).min(frames);
        edges[start] += 1;
        edges[start.saturating_add(length as usize).min(frames)] -= 1;
    }
    let mut open = 0_i64;
    let used = |edge: &i64| {
        open += edge;
        open > 0
    };
    edges.iter().take(frames).map(used).collect()
}

/// Returns the number of remaining frames before each frame.
fn places(used: &[bool]) -> Vec<u32> {
    let mut next = 0_u32;
    let place = |used: &bool| {
        let place = next;
        next += u32::from(*used);
        place
    };
    used.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_clips_stay() {
        let used = used_frames(8, &[(2, 2), (3, 1), (6, 9), (50, 1)]);
        assert_eq!(used, [true, false, true, true, false, false, true, true]);
        assert_eq!(places(&used), [0, 1, 1, 2, 3, 3, 3, 4]);
        assert_eq!(used_frames(0, &[(0, 4)]), []);
    }

    #[test]
    fn vertices_come_as_they_are_used() {
        let mut triangles = [[4, 1, 4], [1, 0, 3]];
        assert_eq!(first_use(&triangles, 5, true), [4, 1, 0, 3, 2]);
        let order = first_use(&triangles, 5, false);
        assert_eq!(order, [4, 1, 0, 3]);
        renumbered(&mut triangles, &order, 5);
        assert_eq!(triangles, [[0, 1, 0], [1, 2, 3]]);
    }
}

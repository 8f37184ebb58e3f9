//! The same model in fewer bytes, and in an order in which it is drawn faster: what the format's description asks a saver
//! to do.
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
mod cache;
mod dpm;
mod zym;

use crate::bone::Name;
use crate::clips::FrameClip;
use alloc::vec::Vec;
use meshwright_core::{LimitExceeded, Limits, WriteError};

/// The removal of bones that move nothing. Bones that are flagged as [attachments](crate::BoneFlags::ATTACHMENT),
/// parents of remaining bones, and the first bone, whose scale engines use for the model, always stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum UnusedBones {
    /// None.
    Keep,
    /// All where the model flags attachments at all, else those without a name: games find attachments by name, and in
    /// a model without flags any bone may be one.
    #[default]
    Unmarked,
    /// All.
    Remove,
}

/// The steps of an optimisation. By default, all steps that change no frame, no triangle and no clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OptimizeOptions {
    /// Bones that move nothing.
    pub bones: UnusedBones,
    /// Parts of vertices that are zero in weight, position and normal go (DPM).
    pub influences: bool,
    /// Vertices that no triangle has go; equal ones become one (DPM; the normals of a ZYM tell them apart).
    pub vertices: bool,
    /// Equal poses are stored once (DPM).
    pub poses: bool,
    /// Triangles are put into an order for strips and vertex caches, where it is better than theirs. What game code
    /// keeps for each goes with them.
    pub triangles: bool,
    /// Vertices are put into the order in which triangles first have them.
    pub order: bool,
    /// Meshes without triangles go, and meshes of one shader become one.
    pub meshes: bool,
    /// Frames but the first go that no clip has, where the clips are known.
    pub frames: bool,
    /// The limits of its memory.
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
    /// Options that change nothing but the file's layout.
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

    /// Options that leave out what is unused or there twice, and keep triangles and vertices in their order: what a
    /// conversion does.
    #[must_use]
    pub fn tidy() -> Self {
        Self { triangles: false, order: false, ..Self::default() }
    }

    /// The same options with another treatment of bones that move nothing.
    #[must_use]
    pub const fn with_bones(mut self, bones: UnusedBones) -> Self {
        self.bones = bones;
        self
    }

    /// The same options with meshes without triangles, and several meshes of one shader, left or not.
    #[must_use]
    pub const fn with_meshes(mut self, meshes: bool) -> Self {
        self.meshes = meshes;
        self
    }

    /// The same options with frames that no clip has left or not.
    #[must_use]
    pub const fn with_frames(mut self, frames: bool) -> Self {
        self.frames = frames;
        self
    }

    /// The same options with other limits.
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
    /// Bytes of its file.
    pub bytes: usize,
    /// Bones.
    pub bones: usize,
    /// Meshes, or runs of triangles of one shader.
    pub meshes: usize,
    /// Vertices of all meshes.
    pub vertices: usize,
    /// Parts of vertices.
    pub influences: usize,
    /// Triangles of all meshes.
    pub triangles: usize,
    /// Frames.
    pub frames: usize,
    /// Poses that are stored.
    pub poses: usize,
    /// Vertices that are computed when all triangles are drawn by a card that remembers the last 16.
    pub misses: usize,
    /// Runs of triangles each of which shares an edge with the one before it.
    pub strips: usize,
}

impl Statistics {
    /// The average cache miss ratio: vertices computed for each triangle, between 0.5 and 3; 0 without triangles.
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
    /// The clips that were given, over the frames that are left.
    pub clips: Vec<FrameClip>,
    /// The content and cost of the model before.
    pub before: Statistics,
    /// The content and cost of the model now.
    pub after: Statistics,
    /// Bones that are gone.
    pub removed: Vec<Name>,
    /// Bones that move nothing, are no attachments by their flags, and stayed because they may be: see
    /// [`UnusedBones`].
    pub unmarked: Vec<Name>,
}

/// A limit as the error of a writer.
fn limit(e: LimitExceeded) -> WriteError {
    WriteError::Limit { what: e.what, wanted: e.wanted, limit: e.left }
}

/// The position of each vertex in the order of first use by triangles. Unused vertices come last, or nowhere.
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

/// Triangles over vertices of which those of `order` stay, in that order.
fn renumbered(triangles: &mut [[u32; 3]], order: &[u32], vertices: usize) {
    let mut numbers = alloc::vec![0_u32; vertices];
    for (new, &old) in (0_u32..).zip(order) {
        numbers[old as usize] = new;
    }
    for v in triangles.as_flattened_mut() {
        *v = numbers[*v as usize];
    }
}

/// Which frames some clip has, and the first.
fn used_frames(frames: usize, ranges: impl Iterator<Item = (u32, u32)>) -> Vec<bool> {
    // The starts and ends of ranges, so that each of them costs only one step.
    let mut edges = alloc::vec![0_i64; frames + 1];
    for (start, length) in ranges.chain([(0, 1)]) {
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
        let used = used_frames(8, [(2, 2), (3, 1), (6, 9), (50, 1)].into_iter());
        assert_eq!(used, [true, false, true, true, false, false, true, true]);
        assert_eq!(places(&used), [0, 1, 1, 2, 3, 3, 3, 4]);
        assert_eq!(used_frames(0, [(0, 4)].into_iter()), []);
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

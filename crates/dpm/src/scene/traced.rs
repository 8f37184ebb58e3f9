//! A model that was made from a scene, with the source of each record.

use crate::clips::FrameClip;
use alloc::vec::Vec;

/// A model made of a scene, and the parts of the scene that its records are.
#[cfg_attr(not(feature = "recover"), allow(dead_code, reason = "read by merges"))]
pub(super) struct Traced<M> {
    pub(super) model: M,
    pub(super) clips: Vec<FrameClip>,
    /// The joint of each bone; nothing for the root.
    pub(super) joints: Vec<Option<usize>>,
    /// The mesh of each mesh or run, where it has that one's vertices and triangles.
    pub(super) meshes: Vec<Option<usize>>,
}

#[cfg(feature = "recover")]
impl<M> Traced<M> {
    /// The input of a patch, and the clips.
    pub(super) fn split(self) -> (meshwright_edit::apply::Made<M>, Vec<FrameClip>) {
        let Self { model, clips, joints, meshes } = self;
        let ranges: Vec<core::ops::Range<u32>> = clips.iter().map(FrameClip::frames).collect();
        (meshwright_edit::apply::Made { model, clips: ranges, joints, meshes }, clips)
    }
}

//! A model that was converted from a scene, with the source of each record.

use crate::clips::FrameClip;
use alloc::vec::Vec;

/// A converted model, and the sources of its records in the scene.
#[cfg_attr(not(feature = "recover"), allow(dead_code, reason = "read by merges"))]
pub(super) struct Traced<M> {
    pub(super) model: M,
    pub(super) clips: Vec<FrameClip>,
    /// The joint of each bone; `None` for the root.
    pub(super) joints: Vec<Option<usize>>,
    /// The scene's mesh of each mesh or run, if it has exactly that mesh's vertices and triangles.
    pub(super) meshes: Vec<Option<usize>>,
}

#[cfg(feature = "recover")]
impl<M> Traced<M> {
    /// Splits it into the input of a patch, and the clips.
    pub(super) fn split(self) -> (meshwright_edit::apply::Made<M>, Vec<FrameClip>) {
        let Self { model, clips, joints, meshes } = self;
        let ranges: Vec<core::ops::Range<u32>> = clips.iter().map(FrameClip::frames).collect();
        (meshwright_edit::apply::Made { model, clips: ranges, joints, meshes }, clips)
    }
}

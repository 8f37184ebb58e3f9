//! The motion of a model, which DPM and ZYM store in the same way.

use crate::bone::{Bone, BonePose};
use crate::clips::FrameClip;
use alloc::vec::Vec;

/// The bones, frames and clips of a model that are copied.
#[derive(Debug)]
pub(super) struct Motion<'m> {
    pub(super) bones: &'m [Bone],
    /// The pose of each frame.
    pub(super) poses: Vec<&'m [BonePose]>,
    pub(super) clips: &'m [FrameClip],
}

//! Merging of models with bones and frames.

use super::clips::Clips;
use super::frames::{FrameOrigin, Frames, Kept, frames};
use super::joints::Joints;
use super::records::Origin;
use crate::patch::Patch;
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::{ConvertError, Loss, Scene};

/// The functions that a format with bones and frames provides so that patches can be written into its models.
pub trait ApplyPatch: Clone + PartialEq {
    /// A bone.
    type Bone: Copy;
    /// The pose of a bone in a frame.
    type Pose: Copy + PartialEq;
    /// Stored bounds.
    type Bounds: Copy + PartialEq;
    /// The result of a merge.
    type Merged;

    /// Returns the bones.
    fn bones(&self) -> &[Self::Bone];

    /// Returns the parent of a bone.
    fn parent(bone: &Self::Bone) -> Option<usize>;

    /// Returns a bone of the result: the original with the name of the made one if it was renamed, otherwise the made
    /// one.
    fn bone(
        original: Option<&Self::Bone>,
        made: Option<&Self::Bone>,
        renamed: bool,
        parent: Option<usize>,
    ) -> Option<Self::Bone>;

    /// Returns the poses of all bones in a frame. The first frame is the bind pose.
    fn frame(&self, frame: usize) -> &[Self::Pose];

    /// Number of frames.
    fn frame_count(&self) -> usize;

    /// Returns the bounds of the model, then those of its parts.
    fn bounds(&mut self) -> impl Iterator<Item = &mut Self::Bounds>;

    /// Recomputes the stored bounds. Returns whether the budget allowed it.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    fn recompute_bounds_within(
        &mut self,
        budget: &Budget,
        losses: &mut Vec<Loss>,
    ) -> Result<bool, LimitExceeded>;

    /// Merges the original and the made model.
    ///
    /// # Errors
    /// When the format cannot hold it.
    fn merged(work: &Work<'_, Self>, losses: &mut Vec<Loss>) -> Result<Self::Merged, ConvertError>;
}

/// A model made from a scene, without bounds, and the sources of its records in the scene.
#[derive(Clone, Debug)]
pub struct Made<M> {
    /// The model.
    pub model: M,
    /// The frame ranges of the clips with frames.
    pub clips: Vec<Range<u32>>,
    /// The joint of each bone; `None` for bones that the conversion adds.
    pub joints: Vec<Option<usize>>,
    /// Source of each mesh: the mesh of the scene with its vertices and triangles.
    pub meshes: Vec<Option<usize>>,
}

/// The input of a merge.
#[derive(Debug)]
pub struct Work<'a, M> {
    /// The model that the patch was computed for.
    pub original: &'a M,
    /// The edited scene in the format.
    pub made: &'a Made<M>,
    /// The edits.
    pub patch: &'a Patch,
    /// The bones and their indices.
    pub joints: Joints,
    /// The clips and their indices.
    pub clips: Clips<'a>,
    /// Clips are listed in a companion file.
    pub listed: bool,
    /// The limits of the merge.
    pub budget: &'a Budget,
}

/// Writes a patch of `native`, the scene of the original, into the original. If vertices of the result follow a bone
/// that only the conversion adds, the result gets that bone.
///
/// # Errors
/// As [`ApplyPatch::merged`], and when the budget does not allow for it.
pub fn apply<M: ApplyPatch>(
    original: &M,
    made: &Made<M>,
    (native, patch): (&Scene, &Patch),
    listed: bool,
    (budget, losses): (&Budget, &mut Vec<Loss>),
) -> Result<M::Merged, ConvertError> {
    let mut wanted = false;
    loop {
        let joints = Joints::new(original.bones().len(), &made.joints, (native, patch), wanted, budget)?;
        let clips = Clips::new(native, patch, budget)?;
        let work = Work { original, made, patch, joints, clips, listed, budget };
        let merged = M::merged(&work, losses)?;
        if wanted || !work.joints.is_missing() {
            return Ok(merged);
        }
        wanted = true;
    }
}

impl<M: ApplyPatch> Work<'_, M> {
    /// Returns the bones of the result.
    pub fn bones(&self) -> Vec<M::Bone> {
        let bone = |(b, Origin { original, made }): (usize, &Origin)| {
            let native = original.and_then(|n| self.original.bones().get(n));
            let made = made.and_then(|m| self.made.model.bones().get(m));
            let parent = self.joints.parent(b, native.and_then(M::parent), made.and_then(M::parent));
            M::bone(native, made, self.joints.change(b).renamed, parent)
        };
        self.joints.records.list.iter().enumerate().filter_map(bone).collect()
    }

    /// Returns the pose of a frame of the result. Bones without a known pose have `None`.
    pub fn pose(&self, frame: &FrameOrigin) -> impl Iterator<Item = Option<M::Pose>> {
        let own = [(self.original, frame.original), (&self.made.model, frame.made)];
        let own = own.map(|(model, at)| at.map_or(&[][..], |at| model.frame(at)));
        let rest = [self.original.frame(0), self.made.model.frame(0)];
        self.joints.pose(*frame, &self.clips, own, rest)
    }

    /// Returns the frames of the result: the bind pose, then the frames of clips and those outside all clips. If `all`
    /// is true, every frame of the original stays.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn frames(&self, all: bool) -> Result<Frames, LimitExceeded> {
        let same = |a: &FrameOrigin, b: &FrameOrigin| self.pose(a).eq(self.pose(b));
        let runs = self.clips.runs(self.made.clips.clone());
        frames(&runs, self.original.frame_count(), Kept { first: true, all }, same, self.budget)
    }

    /// Sets the bounds of a result; `origins` gives the original of each part. Stored bounds stay if the recomputed
    /// ones did not change.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn put_bounds(
        &self,
        model: &mut M,
        origins: impl Iterator<Item = Option<usize>>,
        losses: &mut Vec<Loss>,
    ) -> Result<(), LimitExceeded> {
        let (mut was, mut is) = (self.original.clone(), model.clone());
        let affordable = is != was && is.recompute_bounds_within(self.budget, losses)?;
        if !affordable || !was.recompute_bounds_within(self.budget, losses)? {
            return Ok(());
        }
        let was: Vec<_> = was.bounds().collect();
        let origins = core::iter::once(Some(0)).chain(origins.map(|n| n.map(|n| n.saturating_add(1))));
        for ((to, is), n) in model.bounds().zip(is.bounds()).zip(origins) {
            if n.and_then(|n| was.get(n)).is_none_or(|was| **was != *is) {
                *to = *is;
            }
        }
        Ok(())
    }
}

//! Merging of models with bones and frames.

use super::clips::{ClipList, Clips};
use super::frames::{FrameOrigin, Frames, Kept, frames};
use super::joints::Joints;
use crate::patch::Patch;
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::{ConvertError, Loss, Scene};

/// The original of each part of a result, by number.
pub type Originals = Vec<Option<usize>>;

/// The functions that a format with bones and frames provides so that patches can be written into its models.
///
/// DPM and ZYM implement it. Both store a pose of every bone in every frame, and bounds. The other formats lack such
/// frames, and use the parts of this module by themselves:
/// - BMD stores keys of each bone and channel, and levels of detail.
/// - IQM stores a channel as whole numbers of one step. A new value may change the step of all frames.
/// - Crucible and FSOMODEL have no clips.
/// - The Sims store bones, skins and motions in files of their own.
pub trait ApplyPatch: Clone + PartialEq {
    /// The pose of a bone in a frame.
    type Pose: Copy + PartialEq;
    /// Stored bounds.
    type Bounds: Copy + PartialEq;

    /// All frames of the original stay if a companion file lists the clips.
    const KEEPS_LISTED_FRAMES: bool;

    /// Number of bones.
    fn bone_count(&self) -> usize;

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
    fn bound_within(&mut self, budget: &Budget, losses: &mut Vec<Loss>) -> Result<bool, LimitExceeded>;

    /// Puts the bones, vertices and triangles of a result into a copy of the original.
    ///
    /// # Errors
    /// When the format cannot hold them.
    fn put_shape(&mut self, work: &Merge<'_, Self>) -> Result<(), ConvertError>;

    /// Puts the frames of a result into it. Returns the original of each part with bounds.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    fn put_frames(&mut self, work: &Merge<'_, Self>, plan: &Frames) -> Result<Originals, ConvertError>;

    /// Sorts the bones of a result, and checks it.
    ///
    /// # Errors
    /// When it breaks a rule of the format.
    fn finish(&mut self) -> Result<(), ConvertError>;
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
pub struct Merge<'a, M> {
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
    /// The place of the list of clips.
    pub list: ClipList,
    /// The limits of the merge.
    pub budget: &'a Budget,
}

/// Writes a patch of `native`, the scene of the original, into the original. If vertices of the result follow a bone
/// that only the conversion adds, the result gets that bone.
///
/// # Errors
/// When the format cannot hold the result, and when the budget does not allow for it.
pub fn apply<'a, M: ApplyPatch>(
    original: &'a M,
    made: &'a Made<M>,
    (native, patch): (&'a Scene, &'a Patch),
    list: ClipList,
    (budget, losses): (&'a Budget, &mut Vec<Loss>),
) -> Result<(M, Frames, Clips<'a>), ConvertError> {
    let mut wanted = false;
    loop {
        let joints = Joints::new(original.bone_count(), &made.joints, (native, patch), wanted, budget)?;
        let clips = Clips::new(native, patch, budget)?;
        let work = Merge { original, made, patch, joints, clips, list, budget };
        let (model, frames) = work.merged(losses)?;
        if wanted || !work.joints.is_missing() {
            return Ok((model, frames, work.clips));
        }
        wanted = true;
    }
}

impl<M: ApplyPatch> Merge<'_, M> {
    /// Returns the merged model, and its frames.
    fn merged(&self, losses: &mut Vec<Loss>) -> Result<(M, Frames), ConvertError> {
        let mut model = self.original.clone();
        model.put_shape(self)?;
        let plan = self.frames(M::KEEPS_LISTED_FRAMES && self.list == ClipList::Companion)?;
        let origins = model.put_frames(self, &plan)?;
        self.put_bounds(&mut model, &origins, losses)?;
        model.finish()?;
        Ok((model, plan))
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
    fn frames(&self, all: bool) -> Result<Frames, LimitExceeded> {
        let same = |a: &FrameOrigin, b: &FrameOrigin| self.pose(a).eq(self.pose(b));
        let runs = self.clips.runs(self.made.clips.clone());
        frames(&runs, self.original.frame_count(), Kept { first: true, all }, same, self.budget)
    }

    /// Sets the bounds of a result; `origins` gives the original of each part. Stored bounds stay if the recomputed
    /// ones did not change.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    fn put_bounds(
        &self,
        model: &mut M,
        origins: &Originals,
        losses: &mut Vec<Loss>,
    ) -> Result<(), LimitExceeded> {
        let mut is = model.clone();
        if is == *self.original || !is.bound_within(self.budget, losses)? {
            return Ok(());
        }
        let origins =
            || core::iter::once(Some(0)).chain(origins.iter().map(|n| n.map(|n| n.saturating_add(1))));
        // If all stored bounds are the computed ones, it does not matter how the original's were computed.
        let same =
            model.bounds().zip(is.bounds()).zip(origins()).all(|((to, is), n)| n.is_none() || to == is);
        let mut was = self.original.clone();
        if !same && !was.bound_within(self.budget, losses)? {
            return Ok(());
        }
        let was: Vec<_> = was.bounds().collect();
        for ((to, is), n) in model.bounds().zip(is.bounds()).zip(origins()) {
            if n.and_then(|n| was.get(n)).is_none_or(|was| **was != *is) {
                *to = *is;
            }
        }
        Ok(())
    }
}

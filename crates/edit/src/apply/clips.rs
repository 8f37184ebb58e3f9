//! The clips of a merged file.

use super::frames::Runs;
use crate::patch::{ClipPatch, Patch};
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::{Clip, Motion, Scene};

/// The place of a model's list of clips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClipList {
    /// The model itself, in its own records or the names of its frames.
    Model,
    /// A companion file, such as `.framegroups`.
    Companion,
}

/// The clips of the original and those made from the edited scene. Clips without frames are left out.
#[derive(Debug)]
pub struct Clips<'a> {
    native: &'a Scene,
    patch: &'a Patch,
    /// Indices of the clips with frames in the original's scene, and in the edited scene.
    numbers: [Vec<usize>; 2],
    /// Original of each made clip, as an index among the original clips with frames.
    pub found: Vec<Option<usize>>,
}

impl<'a> Clips<'a> {
    /// Lists the clips of a patch of `native`.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn new(native: &'a Scene, patch: &'a Patch, budget: &Budget) -> Result<Self, LimitExceeded> {
        let all = native.clips.len().saturating_add(patch.scene.clips.len());
        budget.charge_items("clips", all as u64, size_of::<[Option<usize>; 4]>())?;
        let numbers = [native, &patch.scene].map(|scene| {
            let some = scene.clips.iter().enumerate().filter(|(_, c)| is_moving(scene, c));
            some.map(|(number, _)| number).collect::<Vec<_>>()
        });
        let [old, new] = &numbers;
        let found = |c: &usize| {
            let original = patch.clips.get(*c)?.original?;
            old.binary_search(&original).ok()
        };
        let found = new.iter().map(found).collect();
        Ok(Self { native, patch, numbers, found })
    }

    /// Returns a clip of the original's scene.
    pub fn original(&self, clip: usize) -> Option<&'a Clip> {
        let [old, _] = &self.numbers;
        self.native.clips.get(*old.get(clip)?)
    }

    /// Returns a clip of the edited scene and its changes.
    pub fn edited_clip(&self, clip: usize) -> Option<(&'a Clip, &'a ClipPatch)> {
        let [_, new] = &self.numbers;
        let number = *new.get(clip)?;
        Some((self.patch.scene.clips.get(number)?, self.patch.clips.get(number)?))
    }

    /// Returns the original of a made clip, and its index in the original's scene.
    pub fn was(&self, clip: usize) -> Option<(usize, &'a Clip)> {
        let [old, _] = &self.numbers;
        let number = *old.get(self.found.get(clip).copied().flatten()?)?;
        Some((number, self.native.clips.get(number)?))
    }

    /// Returns the index among the made clips of a clip of the edited scene. Clips without frames have none.
    pub fn place(&self, number: usize) -> Option<usize> {
        let [_, new] = &self.numbers;
        new.binary_search(&number).ok()
    }

    /// Returns the frame ranges of the original clips, together with the given ranges of the made clips.
    pub fn runs(&self, made: Vec<Range<u32>>) -> Runs {
        let [old, _] = &self.numbers;
        let range = |c: &Clip| c.start..c.start.saturating_add(c.frames);
        let original = (0..old.len()).filter_map(|c| self.original(c)).map(range).collect();
        Runs { original, made, found: self.found.clone() }
    }

    /// Returns true if the original's scene has no clips.
    pub fn is_still(&self) -> bool {
        let [old, _] = &self.numbers;
        old.is_empty()
    }

    /// Returns true if a joint of the edited scene has another pose in a frame of a made clip.
    pub fn is_changed(&self, (clip, frame): (usize, u32), joint: usize) -> bool {
        self.edited_clip(clip).is_none_or(|(_, own)| own.poses.is_changed(frame, joint))
    }

    /// Returns true if the name of a made clip differs from its original's.
    pub fn is_renamed(&self, clip: usize) -> bool {
        self.edited_clip(clip).is_none_or(|(_, own)| own.renamed || own.original.is_none())
    }
}

/// Returns true if a clip has frames, and joints to move.
fn is_moving(scene: &Scene, clip: &Clip) -> bool {
    let frames = match &clip.motion {
        Motion::Poses { frames, .. } => !frames.is_empty(),
        Motion::Tracks(_) => clip.frames > 0,
    };
    frames && scene.skeletons.get(clip.skeleton.0).is_some_and(|s| !s.joints.is_empty())
}

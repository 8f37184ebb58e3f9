//! The bones of a merged file.

use super::clips::Clips;
use super::frames::FrameOrigin;
use super::records::{Origin, Records};
use crate::patch::{JointPatch, Patch};
use alloc::vec::Vec;
use core::cell::Cell;
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::Scene;

/// Bones with their indices in the original, among the made bones, and in the result. The bones of the original are the
/// joints of its first skeleton in the same order. It may have more bones that are not in the scene.
#[derive(Debug)]
pub struct Joints {
    /// The bones of the result.
    pub records: Records,
    /// Joint of the edited scene, with its changes, of each bone of the result.
    joints: Vec<Option<(usize, JointPatch)>>,
    missing: Cell<bool>,
}

impl Joints {
    /// Lists the bones of a result; the original has `original` bones. `made` gives, for each made bone, the joint in
    /// the only skeleton of the edited scene. Made bones without a joint are in the result only if `wanted` is true.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn new(
        original: usize,
        made: &[Option<usize>],
        (native, patch): (&Scene, &Patch),
        wanted: bool,
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        let shown = native.skeletons.first().map_or(0, |s| s.joints.len());
        let changes = patch.joints.iter().find(|list| !list.is_empty()).map_or(&[][..], Vec::as_slice);
        let of = |bone: usize| {
            let joint = made.get(bone).copied().flatten()?;
            Some((joint, changes.get(joint).copied().unwrap_or_default()))
        };
        budget.charge_items("bones", made.len() as u64, size_of::<[Option<(usize, JointPatch)>; 2]>())?;
        let found: Vec<_> = (0..made.len()).map(|m| of(m).and_then(|(_, own)| own.original)).collect();
        let mut records = Records::new(original, |n| n < shown, &found, budget)?;
        if !wanted {
            records = records.filtered(|o| o.original.is_some() || o.made.is_none_or(|m| of(m).is_some()));
        }
        let joints = records.list.iter().map(|o| o.made.and_then(of)).collect();
        Ok(Self { records, joints, missing: Cell::new(false) })
    }

    /// Returns the index of a made bone. If the bone is not in the result, it returns 0 and sets
    /// [missing](Self::is_missing).
    pub fn of_made(&self, bone: u32) -> u32 {
        let place = self.records.of_made(bone as usize).and_then(|at| u32::try_from(at).ok());
        self.missing.set(self.missing.get() || place.is_none());
        place.unwrap_or(0)
    }

    /// Returns the index of a bone of the original.
    pub fn of_original(&self, bone: u32) -> Option<u32> {
        self.records.of_original(bone as usize).and_then(|at| u32::try_from(at).ok())
    }

    /// Returns true if [`of_made`](Self::of_made) was called for a bone that is not in the result.
    pub fn is_missing(&self) -> bool {
        self.missing.get()
    }

    /// Returns the changes of a bone.
    pub fn change(&self, bone: usize) -> JointPatch {
        self.joints.get(bone).copied().flatten().map(|(_, change)| change).unwrap_or_default()
    }

    /// Returns the parent of a bone in the result. It is the original's parent unless that was edited or removed.
    /// `original` and `made` are the parent's indices in both lists.
    pub fn parent(&self, bone: usize, original: Option<usize>, made: Option<usize>) -> Option<usize> {
        let origin = self.records.list.get(bone).copied().unwrap_or_default();
        let kept = original.and_then(|p| self.records.of_original(p));
        let keeps =
            origin.original.is_some() && !self.change(bone).parent && kept.is_some() == original.is_some();
        if keeps { kept } else { made.and_then(|p| self.records.of_made(p)) }
    }

    /// Returns, for each bone of the result, the original and the made bone, and the parent in the result. `parent`
    /// returns a bone's parent.
    pub fn bones<'b, B>(
        &'b self,
        [original, made]: [&'b [B]; 2],
        parent: impl Fn(&B) -> Option<usize> + 'b,
    ) -> impl Iterator<Item = ([Option<&'b B>; 2], Option<usize>)> {
        self.records.list.iter().enumerate().map(move |(bone, origin)| {
            let old = origin.original.and_then(|n| original.get(n));
            let new = origin.made.and_then(|m| made.get(m));
            ([old, new], self.parent(bone, old.and_then(&parent), new.and_then(&parent)))
        })
    }

    /// Returns true if a bone has another pose in a frame than in the original's frame. In a frame outside every clip,
    /// bones have the rest pose.
    pub fn is_changed(&self, bone: usize, frame: &FrameOrigin, clips: &Clips<'_>) -> bool {
        self.joints.get(bone).copied().flatten().is_some_and(|(joint, change)| match frame.clip {
            Some(clip) => clips.is_changed(clip, joint),
            None => frame.made.is_some() && change.rest,
        })
    }

    /// Returns a pose of the result from those of an original and a made frame, either of which may be absent. Unedited
    /// bones have the original's values. A bone without a value in both frames has the one of `rest`.
    pub fn pose<'p, T: Copy>(
        &'p self,
        frame: FrameOrigin,
        clips: &'p Clips<'p>,
        [original, made]: [&'p [T]; 2],
        rest: [&'p [T]; 2],
    ) -> impl Iterator<Item = Option<T>> + use<'p, T> {
        self.records.list.iter().enumerate().map(move |(bone, Origin { original: n, made: m })| {
            let of = |list: &[T], at: &Option<usize>| at.and_then(|at| list.get(at)).copied();
            let native = of(original, n);
            let made = || of(made, m).or_else(|| of(rest[1], m));
            let kept = native.filter(|_| !self.is_changed(bone, &frame, clips)).or_else(made).or(native);
            kept.or_else(|| of(rest[0], n))
        })
    }
}

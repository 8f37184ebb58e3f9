//! Compares edited clips with native ones, at their frames or at the times that a tool sampled.

use crate::comparison::Comparison;
use crate::correspond::new_joint_indices::Placed;
use crate::correspond::poses::{LONGEST_STEP, Poser, SAME_TIME, differs, nearest_whole};
use crate::correspond::steps::{between, steps};
use crate::joint_index::At;
use crate::tolerance::Tolerance;
use alloc::vec::Vec;
use core::cell::LazyCell;
use meshwright_core::Order as _;
use meshwright_core::math::{Affine64, Trs64};
use meshwright_scene::{Clip, ConvertError, Interpolation, Local, Motion, Sampler, Skeleton, Track};

/// Relative rounding error of times and frames, which are 32-bit floats on both ways.
const SAME_MOMENT: f64 = 5e-7;

/// The input of a comparison of poses.
pub(crate) struct Sampled<'w, 's, 'b> {
    pub(crate) work: &'w Comparison<'s, 'b>,
    pub(crate) placed: &'w Placed,
    pub(crate) tolerance: Tolerance,
    /// The skeletons of the result.
    pub(crate) skeletons: &'w [Skeleton],
}

/// A joint of the result, a time in seconds, and the difference of its pose as an angle and a length.
type Off = (usize, f64, (f64, f64));

/// Samples that a tool took of a native clip at its own rate.
pub(crate) struct Samples {
    /// Seconds between two samples.
    step: f64,
    /// Time of the last sample, in seconds.
    pub(crate) end: f64,
    /// Seconds of the native clip after the last sample.
    pub(crate) cut: f64,
    /// Samples that differ from the native clip, sorted.
    pub(crate) off: Vec<Off>,
}

impl Samples {
    /// Returns true if a joint differs in one of the samples next to a time.
    pub(crate) fn are_off(&self, joint: usize, seconds: f64) -> bool {
        let from = seconds - self.step + SAME_TIME;
        let first = self.off.partition_point(|(own, at, _)| (*own, *at) < (joint, from));
        let to = seconds + self.step - SAME_TIME;
        self.off.get(first).is_some_and(|(own, at, _)| *own == joint && *at < to)
    }
}

impl<'s> Sampled<'_, 's, '_> {
    /// Returns the samples if the edited clip is a sampled native clip, otherwise `None`. The last sample may be up to
    /// a step after the native end, or up to an editor's step before it. The native clip is interpolated by its own
    /// rule, or by Blender's linear interpolation of quaternion components.
    pub(crate) fn find_samples(
        &self,
        c: usize,
        exported: &Sampler<'s, '_>,
        poser: &mut Poser<'_, 's, '_>,
    ) -> Result<Option<Samples>, ConvertError> {
        let Some(own) = self.at_steps(exported, poser)? else { return Ok(None) };
        if own.off.is_empty() || !self.may_blend(exported) {
            return Ok(Some(own));
        }
        let blended = Sampler::new(self.work.exported, c, self.work.budget)?;
        let blended = self.at_steps(&blended.ruled(Interpolation::LinearShort), poser)?;
        Ok(blended.filter(|other| other.off.len() < own.off.len()).or(Some(own)))
    }

    const fn may_blend(&self, exported: &Sampler<'_, '_>) -> bool {
        self.work.tolerance.still && !matches!(exported.clip().interpolation, Interpolation::LinearShort)
    }

    fn at_steps(
        &self,
        exported: &Sampler<'s, '_>,
        poser: &mut Poser<'_, 's, '_>,
    ) -> Result<Option<Samples>, ConvertError> {
        let clip = poser.sampler.clip();
        let Some(steps) = steps(clip) else { return Ok(None) };
        let step = steps.step;
        let last = f64::from(exported.clip().frames.saturating_sub(1));
        let end = clip.seconds(steps.frame(steps.count.saturating_sub(1)));
        let behind = end - exported.clip().seconds(last);
        // A looping clip may hold its last pose for a whole frame.
        let most = if clip.looping {
            clip.seconds(step.max(1.0)) + SAME_TIME
        } else {
            clip.seconds(step) - SAME_TIME
        };
        if behind <= -clip.seconds(step).min(LONGEST_STEP) || behind > most {
            return Ok(None);
        }
        let cut = if behind < -SAME_TIME { -behind } else { 0.0 };
        let mut samples = Samples { step: clip.seconds(step), end, cut, off: Vec::new() };
        let (mut pose, mut next) = (Vec::new(), Vec::new());
        for k in 0..steps.count {
            let own = steps.frame(k);
            if clip.looping && own >= f64::from(clip.frames) {
                // The next repetition starts here.
                continue;
            }
            let seconds = clip.seconds(own);
            poser.seek(seconds)?;
            self.shown_at(exported, seconds, last, &mut pose)?;
            let before = samples.off.len();
            if self.differences(exported, poser, (&pose, &[]), &mut |_, _, _| {}) > 0 {
                let later = exported.clip().frame_at(seconds * (1.0 + SAME_MOMENT));
                exported.locals(later.min(last), &mut next)?;
                let mut off = |at: At, _, by| samples.off.push((at.joint, seconds, by));
                self.differences(exported, poser, (&pose, &next), &mut off);
            }
            let met = samples.off.len().saturating_sub(before);
            self.work.budget.charge_items("poses", met as u64, size_of::<Off>().saturating_mul(2))?;
        }
        samples.off.order_by(|(a, at, _), (b, other, _)| a.cmp(b).then(at.total_cmp(other)));
        Ok(Some(samples))
    }

    /// Returns true if every frame and key of the edited clip equals the native clip at that time, by its own
    /// interpolation or by Blender's.
    pub(crate) fn is_shown(
        &self,
        c: usize,
        exported: &Sampler<'s, '_>,
        poser: &mut Poser<'_, 's, '_>,
    ) -> Result<bool, ConvertError> {
        if self.shows(exported, poser)? {
            return Ok(true);
        }
        if !self.may_blend(exported) {
            return Ok(false);
        }
        let blended = Sampler::new(self.work.exported, c, self.work.budget)?;
        self.shows(&blended.ruled(Interpolation::LinearShort), poser)
    }

    /// Returns true if every frame and key of the edited clip equals a native clip at that time.
    fn shows(&self, exported: &Sampler<'s, '_>, poser: &mut Poser<'_, 's, '_>) -> Result<bool, ConvertError> {
        let clip = poser.sampler.clip();
        let mut pose = Vec::new();
        let between = between(clip, self.work.budget)?;
        for frame in poser.sampler.whole_frames().chain(between) {
            let seconds = clip.seconds(frame);
            poser.seek(seconds)?;
            self.shown_at(exported, seconds, f64::INFINITY, &mut pose)?;
            if self.differences(exported, poser, (&pose, &[]), &mut |_, _, _| {}) > 0 {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Computes the pose of a native clip at a time, at most at frame `most`.
    fn shown_at(
        &self,
        exported: &Sampler<'s, '_>,
        seconds: f64,
        most: f64,
        pose: &mut Vec<Affine64>,
    ) -> Result<(), ConvertError> {
        let frame = exported.clip().frame_at(seconds).min(most);
        let whole = nearest_whole(frame);
        Ok(exported.locals(if (frame - whole).abs() < 1e-3 { whole } else { frame }, pose)?)
    }

    /// Calls `found` for each native joint with another pose, and returns how many there are. A joint may differ by its
    /// movement up to the `next` pose.
    pub(crate) fn differences(
        &self,
        exported: &Sampler<'s, '_>,
        poser: &Poser<'_, 's, '_>,
        (pose, next): (&[Affine64], &[Affine64]),
        found: &mut dyn FnMut(At, Affine64, (f64, f64)),
    ) -> usize {
        let skeleton = exported.clip().skeleton.0;
        let mut count = 0_usize;
        let natives = self.placed.native.get(skeleton).map_or(&[][..], Vec::as_slice);
        let tracks = LazyCell::new(|| self.native_tracks(exported.clip()));
        for (joint, there) in pose.iter().enumerate() {
            let Some(result) = natives.get(joint).copied().flatten() else { continue };
            let edited = poser.source(result);
            let own = self.work.native.skeletons.get(skeleton).and_then(|s| s.joints.get(joint));
            let follows = own.is_some_and(|j| !j.follows.is_empty());
            let Some(here) = edited.filter(|_| !follows).and_then(|e| poser.local(e)) else { continue };
            let held = edited.and_then(|e| poser.held_pose(e));
            let straight = edited.filter(|_| self.tolerance.still).and_then(|e| poser.straight(e));
            let tolerance = match next.get(joint).filter(|_| self.tolerance.still) {
                Some(next) => self.tolerance.and_between(there, next),
                None => self.tolerance,
            };
            // Without keys, the native clip would show the rest pose of the result.
            let rest = self.new_rest(At { skeleton, joint }, result);
            let rested = rest.and_then(|rest| Some(with_rest((*tracks)?, joint, &rest, there)));
            let off = |here: &Affine64| {
                let off = |there| differs(here, there, held, &tolerance);
                off(there).or_else(|| rested.as_ref().and_then(off))
            };
            if straight.is_some_and(|here| off(&here).is_none()) {
                continue;
            }
            if let Some(by) = off(&here) {
                count = count.saturating_add(1);
                found(result, here, by);
            }
        }
        // New joints that move.
        let joints = self.skeletons.get(skeleton).map_or(&[][..], |s| &s.joints);
        for (joint, own) in joints.iter().enumerate().skip(natives.iter().flatten().count()) {
            let at = At { skeleton, joint };
            if let Some(here) = poser.source(at).and_then(|e| poser.local(e))
                && let Some(by) = differs(&here, &own.rest.to_affine64(), None, &self.tolerance)
            {
                count = count.saturating_add(1);
                found(at, here, by);
            }
        }
        count
    }

    /// Returns the tracks of the native clip of an exported one.
    fn native_tracks(&self, exported: &Clip) -> Option<&'s [Track]> {
        let clip = self.work.exported.clips.iter().position(|clip| core::ptr::eq(clip, exported))?;
        match &self.work.native.clips.get(clip)?.motion {
            Motion::Tracks(tracks) => Some(tracks),
            Motion::Poses { .. } => None,
        }
    }

    /// Returns the rest pose of a native joint in the result, if it is another one than in the original.
    fn new_rest(&self, native: At, result: At) -> Option<Local> {
        let old = self.work.native.skeletons.get(native.skeleton)?.joints.get(native.joint)?.rest;
        let new = self.skeletons.get(result.skeleton)?.joints.get(result.joint)?.rest;
        (old != new).then_some(new)
    }
}

/// Returns what tracks show of a joint's pose if the joint has another rest pose: where they have no keys, the rest pose.
fn with_rest(tracks: &[Track], joint: usize, rest: &Local, pose: &Affine64) -> Affine64 {
    let track = tracks.get(joint).filter(|t| t.joint == joint);
    let track = track.or_else(|| tracks.iter().find(|t| t.joint == joint));
    let keyed = |t: &Track| [!t.translation.is_empty(), !t.rotation.is_empty(), !t.scale.is_empty()];
    let [moves, turns, scales] = match track.map(keyed) {
        None | Some([false, false, false]) => return rest.to_affine64(),
        Some([true, true, true]) => return *pose,
        Some(keyed) => keyed,
    };
    let (pose, rest) = (Trs64::from_affine(pose), rest.to_trs64());
    let translation = if moves { pose.translation } else { rest.translation };
    let rotation = if turns { pose.rotation } else { rest.rotation };
    let scale = if scales { pose.scale } else { rest.scale };
    Trs64 { translation, rotation, scale }.to_affine()
}

/// Returns the frame of a clip that is nearest to a time.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a frame of a clip")]
pub(crate) fn nearest_frame(exported: &Sampler<'_, '_>, seconds: f64) -> u32 {
    let clip = exported.clip();
    nearest_whole(clip.frame_at(seconds)).clamp(0.0, f64::from(clip.frames.saturating_sub(1))) as u32
}

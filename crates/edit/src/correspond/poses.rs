//! Poses of edited clips in native axes, and their differences from native poses.

use crate::comparison::Comparison;
use crate::correspond::new_joint_indices::{Placed, nearest_kept};
use crate::joint_index::{At, ListIndex};
use crate::tolerance::{Exactness, Tolerance};
use crate::tools::blender::STILL;
use crate::tools::blender_bones::Straight;
use alloc::vec::Vec;
use meshwright_core::LimitExceeded;
use meshwright_core::math::quat;
use meshwright_core::math::{Affine64, Trs64, distance, lerp};
use meshwright_scene::{Clip, ConvertError, Motion, Sampler, Skeleton, Track};

/// Largest difference of clip ends that does not count as an edit, in seconds.
pub(crate) const SAME_TIME: f64 = 1e-4;

/// The longest step of a tool that cuts clips at its own whole frames, in seconds.
pub(crate) const LONGEST_STEP: f64 = 1.0 / 23.9;

/// The length of an edited clip compared with its native clip.
pub(crate) struct Length {
    /// Seconds to the last frame of the edited clip.
    pub(crate) open: f64,
    /// Seconds missing at the end; negative if the edited clip is longer.
    pub(crate) missing: f64,
}

impl Length {
    pub(crate) fn new(exported: &Sampler<'_, '_>, edited: &Sampler<'_, '_>) -> Self {
        let last = |clip: &Clip| clip.seconds(f64::from(clip.frames.saturating_sub(1)));
        let (was, is) = (exported.clip(), edited.clip());
        let open = last_key(is).map_or_else(|| last(is), |frame| is.seconds(frame));
        let ends =
            [was.duration_seconds() - open, was.duration_seconds() - is.duration_seconds(), last(was) - open];
        let missing = ends.into_iter().min_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap_or(0.0);
        Self { open, missing }
    }

    fn is_same(&self) -> bool {
        self.missing.abs() <= SAME_TIME
    }

    /// Returns true if a tool cut the clip after the last whole frame at its own rate.
    pub(crate) fn is_cut(&self) -> bool {
        !self.is_same() && self.missing > 0.0 && self.missing < LONGEST_STEP
    }

    pub(crate) fn is_near(&self) -> bool {
        self.is_same() || self.is_cut()
    }

    /// Returns true for a loop with one more frame. Otherwise it would end with the pose of its first frame.
    pub(crate) fn is_longer_by_one(exported: &Clip, edited: &Clip) -> bool {
        let same_rate = (exported.rate - edited.rate).abs() <= f32::EPSILON * edited.rate;
        let loops = exported.looping && edited.looping;
        same_rate
            && loops
            && exported.frames.checked_add(1) == Some(edited.frames)
            && last_key(edited).is_none()
    }
}

/// Returns the last key of a clip that ends between two frames. Its number of frames is rounded up.
fn last_key(clip: &Clip) -> Option<f64> {
    let Motion::Tracks(tracks) = &clip.motion else { return None };
    let ends = |t: &Track| {
        [&t.translation.frames, &t.rotation.frames, &t.scale.frames].map(|k| k.last().copied().unwrap_or(0.0))
    };
    let end = tracks.iter().flat_map(ends).fold(0.0, f32::max);
    let open = f64::from(clip.frames.saturating_sub(1)) - f64::from(end);
    (open > 0.0 && open < 1.0).then_some(end.into())
}

/// Computes the poses of an edited clip for the joints of the result.
pub(crate) struct Poser<'w, 's, 'b> {
    work: &'w Comparison<'s, 'b>,
    placed: &'w Placed,
    pub(crate) sampler: Sampler<'s, 'b>,
    /// The edited skeleton.
    pub(crate) skeleton: usize,
    source: &'s Skeleton,
    locals: Vec<Affine64>,
    worlds: Vec<Affine64>,
    /// The first and the last pose of each joint.
    edges: Vec<[Trs64; 2]>,
    /// The elapsed fraction of the clip.
    over: f64,
    /// The time of the last key, in seconds. A tool may cut a clip before its last frame.
    end: f64,
    /// The edited skeleton without rounding errors.
    straight: Option<Straight>,
}

impl<'w, 's, 'b> Poser<'w, 's, 'b> {
    pub(crate) fn new(
        work: &'w Comparison<'s, 'b>,
        placed: &'w Placed,
        e: usize,
    ) -> Result<Option<Self>, ConvertError> {
        let sampler = Sampler::new(work.edited, e, work.budget)?;
        let skeleton = sampler.clip().skeleton.0;
        let Some(source) = work.edited.skeletons.get(skeleton) else { return Ok(None) };
        let count = source.joints.len();
        work.budget.charge_items("joints", count as u64, size_of::<[Trs64; 4]>())?;
        let (locals, worlds, edges) = (Vec::new(), Vec::new(), Vec::new());
        let straight = if work.tolerance.still { Straight::new(work, placed, skeleton)? } else { None };
        let end = keyed_seconds(sampler.clip());
        let mut poser =
            Self { work, placed, sampler, skeleton, source, locals, worlds, edges, over: 0.0, end, straight };
        let pose = |poser: &mut Self, seconds| {
            poser.seek(seconds)?;
            let local = |joint| poser.local(joint).map_or(Trs64::IDENTITY, |m| Trs64::from_affine(&m));
            Ok::<Vec<_>, ConvertError>((0..count).map(local).collect())
        };
        let (first, last) = (pose(&mut poser, 0.0)?, pose(&mut poser, end)?);
        poser.edges = first.into_iter().zip(last).map(<[Trs64; 2]>::from).collect();
        Ok(Some(poser))
    }

    /// Returns the pose of a joint that has keys only at both ends, by steps and by linear interpolation.
    pub(crate) fn held_pose(&self, joint: usize) -> Option<[Trs64; 2]> {
        let [first, last] = self.edges.get(joint)?;
        let t = self.over;
        let between = Trs64 {
            translation: lerp(first.translation, last.translation, t),
            rotation: quat::slerp(first.rotation, quat::toward(first.rotation, last.rotation), t),
            scale: lerp(first.scale, last.scale, t),
        };
        Some([*first, between])
    }

    pub(crate) fn seek(&mut self, seconds: f64) -> Result<(), LimitExceeded> {
        let clip = self.sampler.clip();
        self.over = if self.end > 0.0 { (seconds / self.end).clamp(0.0, 1.0) } else { 0.0 };
        let frame = clip.frame_at(seconds);
        // Key times are 32-bit floats, so that times close to a frame are that frame.
        let whole = nearest_whole(frame);
        let frame = if (frame - whole).abs() < 1e-3 { whole } else { frame };
        self.sampler.locals(frame, &mut self.locals)?;
        if let Some(straight) = &mut self.straight {
            straight.pose(self.source, &self.locals);
        }
        self.sampler.model(frame, &mut self.worlds)
    }

    /// Counts the joints whose pose is bit-identical to the exported clip. Joints that are in their rest pose and first
    /// pose are left out.
    pub(crate) fn compare(
        &self,
        exported: &Sampler<'_, '_>,
        pose: &[Affine64],
        first: &[Affine64],
        found: &mut Exactness,
    ) {
        let skeleton = exported.clip().skeleton.0;
        let natives = self.placed.native.get(skeleton).map_or(&[][..], Vec::as_slice);
        let rests = exported.skeleton().joints.iter().map(|j| j.rest.to_affine64());
        for (((joint, there), first), rest) in pose.iter().enumerate().zip(first).zip(rests) {
            if *there == rest && there == first {
                continue;
            }
            let result = natives.get(joint).copied().flatten();
            if let Some(here) = result.and_then(|r| self.local(self.source(r)?))
                && differs(&here, there, None, &self.work.tolerance).is_none()
            {
                found.add(here == *there);
            }
        }
    }

    /// Returns the edited joint of a joint of the result, if the clip moves it.
    pub(crate) fn source(&self, result: At) -> Option<usize> {
        let edited = result.value_in(&self.placed.result)?;
        (edited.skeleton == self.skeleton).then_some(edited.joint)
    }

    /// Returns a joint of the edited skeleton in model space, with the native axes.
    fn world(&self, joint: usize) -> Option<Affine64> {
        let world = *self.worlds.get(joint)?;
        let bone = self.work.bones.get(At { skeleton: self.skeleton, joint });
        Some(match bone.turn {
            Some(turn) => world.after(&Trs64 { rotation: turn, ..Trs64::IDENTITY }.to_affine()),
            None => world,
        })
    }

    /// Returns the edited joint of the nearest ancestor that is in the result.
    fn above(&self, joint: usize) -> Option<Option<usize>> {
        let at = At { skeleton: self.skeleton, joint };
        let own = at.value_in(&self.placed.edited)?.skeleton;
        let above = nearest_kept(self.source, at, self.placed)
            .filter(|a| a.skeleton == own)
            .and_then(|a| a.value_in(&self.placed.result));
        Some(above.map(|a| a.joint))
    }

    /// Returns the pose of an edited joint relative to its parent in the result.
    pub(crate) fn local(&self, joint: usize) -> Option<Affine64> {
        let parent = self.source.joints.get(joint)?.parent;
        let turned = |joint: usize| self.work.bones.get(At { joint, skeleton: self.skeleton }).turn.is_some();
        let above = self.above(joint)?;
        if above == parent && !turned(joint) && !parent.is_some_and(turned) {
            return self.locals.get(joint).copied();
        }
        let world = self.world(joint)?;
        match above {
            Some(above) => Some(self.world(above)?.inverse()?.after(&world)),
            None => Some(world),
        }
    }

    /// Returns true if an editor rounded its bones.
    pub(crate) const fn leans(&self) -> bool {
        self.straight.is_some()
    }

    /// Like [`local`](Self::local), without the editor's rounding of bones.
    pub(crate) fn straight(&self, joint: usize) -> Option<Affine64> {
        self.straight.as_ref()?.local(joint, self.above(joint)?)
    }
}

/// Returns the time of the last key of a clip, in seconds.
fn keyed_seconds(clip: &Clip) -> f64 {
    let whole = f64::from(clip.frames.saturating_sub(1));
    let Motion::Tracks(tracks) = &clip.motion else { return clip.seconds(whole) };
    let mut last = f64::NEG_INFINITY;
    for track in tracks {
        for frames in [&track.translation.frames, &track.rotation.frames, &track.scale.frames] {
            last = frames.last().map_or(last, |frame| last.max(f64::from(*frame)));
        }
    }
    clip.seconds(if last.is_finite() { last } else { whole })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "saturates, and frames are few"
)]
pub(crate) fn nearest_whole(frame: f64) -> f64 {
    (frame + 0.5) as i64 as f64
}

impl Tolerance {
    /// Adds the difference of two poses of a joint to the tolerance.
    pub(crate) fn and_between(self, a: &Affine64, b: &Affine64) -> Self {
        let (p, q) = (Trs64::from_affine(a), Trs64::from_affine(b));
        let scaled = p.scale.iter().zip(q.scale).map(|(a, b)| (a - b).abs() / a.abs().max(1e-6));
        Self {
            rotation: self.rotation + quat::angle(p.rotation, q.rotation),
            translation: self.translation + distance(p.translation, q.translation),
            scale: self.scale + scaled.fold(0.0, f64::max),
            ..self
        }
    }
}

/// Returns the difference of two poses of a joint as an angle and a length, or `None` if they are equal within the
/// tolerance. `held` is the pose from keys only at the ends of the clip: a tool drops the other keys of joints that
/// hardly move.
pub(crate) fn differs(
    here: &Affine64,
    there: &Affine64,
    held: Option<[Trs64; 2]>,
    tolerance: &Tolerance,
) -> Option<(f64, f64)> {
    let (a, b) = (Trs64::from_affine(here), Trs64::from_affine(there));
    let angle = quat::angle(a.rotation, b.rotation);
    let moved = distance(a.translation, b.translation);
    let scaled =
        a.scale.iter().zip(b.scale).map(|(a, b)| (a - b).abs() / b.abs().max(1e-6)).fold(0.0, f64::max);
    let exact = here == there;
    let is_held = |near: &dyn Fn(&Trs64) -> bool| tolerance.still && held.iter().flatten().any(near);
    let size = a.translation.iter().fold(1.0, |s: f64, c| s.max(c.abs()));
    let far = b.translation.iter().fold(0.0, |s: f64, c| s.max(c.abs())) * tolerance.reach;
    let turns = angle > tolerance.rotation
        && !(angle <= 4.0 * STILL && is_held(&|h| quat::angle(h.rotation, a.rotation) <= 4e-6));
    let moves = moved > tolerance.translation.max(far)
        && !(moved <= 2.0 * STILL && is_held(&|h| distance(h.translation, a.translation) <= 2e-7 * size));
    let scales = scaled > tolerance.scale
        && !(scaled <= 2.0 * STILL && is_held(&|h| distance(h.scale, a.scale) <= 1e-6));
    let same = exact || !turns && !moves && !scales;
    (!same).then_some((angle, moved))
}

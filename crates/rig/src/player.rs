//! Playback of an animation.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint of the skeleton they were made for"
)]

use crate::animation::{Animation, Motion};
use crate::error::RigError;
use crate::joint_pose::{Group, Lanes};
use crate::kernels::lanes;
use crate::keyed_motion::{ChannelGroup, KeyInterval, KeyedMotion, ROTATION, TimelineUser, is_opposite};
use crate::local_pose::LocalPose;
use alloc::vec::Vec;
use meshwright_scene::Interpolation;

/// Plays an animation. It remembers the current keys of every joint, so the cost does not depend on the number of
/// keys. Frames can be sampled in any order.
#[derive(Clone, Debug)]
pub struct Player<'a> {
    animation: &'a Animation,
    /// The keys around the current frame, for each list of key frames.
    intervals: Vec<KeyInterval>,
    /// The range of frames with these keys.
    from: f32,
    until: f32,
    /// The state of joints with separate lists of key frames.
    spans: Vec<LaneSpan>,
}

/// The current keys of eight joints. Joints without keys have their rest value twice.
#[derive(Clone, Debug)]
struct LaneSpan {
    before: [Lanes; 4],
    after: [Lanes; 4],
    /// The frame of the key before, and 1 / distance to the key after it.
    start: Lanes,
    inverse: Lanes,
}

impl<'a> Player<'a> {
    /// Makes a player at the first frame.
    pub fn new(animation: &'a Animation) -> Self {
        let (mut intervals, mut spans) = (Vec::new(), Vec::new());
        if let Motion::Keyed(keys) = &animation.motion {
            intervals.resize(keys.timelines.len(), KeyInterval::UNKNOWN);
            // In the order of `place`.
            spans.extend(keys.channels.iter().flatten().filter_map(|eight| match eight {
                ChannelGroup::Separate { rest, .. } => Some(LaneSpan::resting(*rest)),
                _ => None,
            }));
        }
        Self { animation, intervals, from: f32::INFINITY, until: f32::NEG_INFINITY, spans }
    }

    /// Returns the animation.
    pub fn animation(&self) -> &'a Animation {
        self.animation
    }

    /// Writes the pose at a frame. Fractional frames and frames outside the clip are treated as in
    /// [`Sampler::sample`].
    ///
    /// # Errors
    ///
    /// If the pose belongs to another skeleton.
    ///
    /// [`Sampler::sample`]: crate::Sampler::sample
    pub fn sample(&mut self, frame: f64, out: &mut LocalPose) -> Result<(), RigError> {
        let animation = self.animation;
        RigError::length("joints of the pose", animation.joint_count(), out.joint_count())?;
        let frame = animation.timing.place(frame);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the frame was placed inside the clip, and cutting it to a whole number is meant"
        )]
        let whole = frame as usize;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            reason = "a whole number of frames is below 2^32; the rest is below 1"
        )]
        let rest = (frame - whole as f64) as f32;
        match &animation.motion {
            Motion::Uniform { groups, order } => {
                animation.blend_poses(groups, order, FramePosition { whole, rest }, out);
            }
            Motion::Keyed(keys) => {
                self.seek(keys, whole, rest);
                self.blend_keys(keys, whole, rest, out);
            }
        }
        Ok(())
    }

    /// Writes the pose at a time in seconds.
    ///
    /// # Errors
    ///
    /// The same as for [`sample`](Self::sample).
    pub fn sample_seconds(&mut self, seconds: f64, out: &mut LocalPose) -> Result<(), RigError> {
        self.sample(self.animation.frame_at(seconds), out)
    }

    fn blend_keys(&self, keys: &KeyedMotion, whole: usize, rest: f32, out: &mut LocalPose) {
        let rule = self.animation.rule;
        let at = FrameState { intervals: &self.intervals, spans: &self.spans, whole, rest };
        let to = out.groups_mut();
        self.animation.instructions.run(
            #[inline(always)]
            || blend_keys(keys, &at, rule, to),
        );
        if rule == Interpolation::Spherical {
            for (to, eight) in out.groups_mut().iter_mut().zip(&keys.channels[ROTATION]) {
                to.rotation = match at.values(eight) {
                    LaneValues::Constant(value) => *value,
                    LaneValues::Keys(before, after, ratio) => lanes::spherical(before, after, &ratio),
                };
            }
        }
    }

    /// Finds the keys around the frame.
    fn seek(&mut self, keys: &KeyedMotion, whole: usize, rest: f32) {
        let timing = self.animation.timing;
        #[expect(clippy::cast_precision_loss, reason = "keys are stored in this precision")]
        let (frame, period) = (whole as f32 + rest, timing.looping.then_some(timing.frames as f32));
        if self.from <= frame && frame < self.until {
            return;
        }
        (self.from, self.until) = (f32::NEG_INFINITY, f32::INFINITY);
        for (interval, line) in self.intervals.iter_mut().zip(&keys.timelines) {
            if !interval.holds(frame) {
                *interval = interval.find(&line.frames, frame, period);
                for user in &line.users {
                    if let ChannelGroup::Separate { place, tracks, .. } =
                        &keys.channels[user.channel][user.group]
                    {
                        self.spans[*place].set_lane(user, interval, &tracks[user.lane]);
                    }
                }
            }
            self.from = self.from.max(interval.from);
            self.until = self.until.min(interval.until);
        }
    }
}

/// Returns the position of the frame between two keys, from 0 to 1. It is clamped because the frame was rounded when
/// the keys were found.
#[inline(always)]
fn ratio(whole: usize, rest: f32, start: f32, inverse: f32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "keys are stored in this precision")]
    let whole = whole as f32;
    (((whole - start) + rest) * inverse).clamp(0.0, 1.0)
}

impl LaneSpan {
    fn resting(value: [Lanes; 4]) -> Self {
        Self { before: value, after: value, start: Lanes::default(), inverse: Lanes::default() }
    }

    /// Sets the keys of one joint.
    #[inline]
    fn set_lane(&mut self, user: &TimelineUser, interval: &KeyInterval, keys: &[[f32; 4]]) {
        let lane = user.lane;
        let before = keys[interval.before];
        let mut after = keys[interval.after];
        // Exactly opposite quaternions are the same rotation, and have no mean: the earlier one is used.
        if user.channel == ROTATION && is_opposite(&before, &after) {
            after = before;
        }
        (self.start.0[lane], self.inverse.0[lane]) = (interval.start, interval.inverse);
        for c in 0..4 {
            self.before[c].0[lane] = before[c];
            self.after[c].0[lane] = after[c];
        }
    }
}

/// A frame: its whole part, and the rest below 1.
#[derive(Clone, Copy, Debug)]
struct FramePosition {
    whole: usize,
    rest: f32,
}

/// A frame of an animation with keys.
struct FrameState<'a> {
    intervals: &'a [KeyInterval],
    spans: &'a [LaneSpan],
    whole: usize,
    rest: f32,
}

/// The values of eight joints around a frame.
enum LaneValues<'a> {
    Constant(&'a [Lanes; 4]),
    Keys(&'a [Lanes; 4], &'a [Lanes; 4], Lanes),
}

impl<'a> FrameState<'a> {
    #[inline(always)]
    fn values(&self, eight: &'a ChannelGroup) -> LaneValues<'a> {
        match eight {
            ChannelGroup::Constant(value) => LaneValues::Constant(value),
            ChannelGroup::Shared { line, values } => {
                let b = &self.intervals[*line];
                let t = ratio(self.whole, self.rest, b.start, b.inverse);
                LaneValues::Keys(&values[b.before], &values[b.after], Lanes([t; 8]))
            }
            ChannelGroup::Separate { place, .. } => {
                let s = &self.spans[*place];
                let t = Lanes::make(|i| ratio(self.whole, self.rest, s.start.0[i], s.inverse.0[i]));
                LaneValues::Keys(&s.before, &s.after, t)
            }
        }
    }

    /// Computes a translation or a scale.
    #[inline(always)]
    fn vector(&self, eight: &'a ChannelGroup, out: &mut [Lanes; 3]) {
        match self.values(eight) {
            LaneValues::Constant([x, y, z, _]) => *out = [*x, *y, *z],
            LaneValues::Keys(before, after, t) => {
                for (c, out) in out.iter_mut().enumerate() {
                    *out = lanes::lerp(&before[c], &after[c], &t);
                }
            }
        }
    }
}

impl Animation {
    /// Blends two stored poses.
    fn blend_poses(&self, groups: &[Group], order: &[usize], frame: FramePosition, out: &mut LocalPose) {
        let FramePosition { whole, rest } = frame;
        let size = self.joint_count().div_ceil(8);
        let pose = |f: usize| {
            let at = order.get(f)?.checked_mul(size)?;
            groups.get(at..at.checked_add(size)?)
        };
        let Some(a) = pose(whole) else { return };
        let b = pose(if whole + 1 < self.timing.frames { whole + 1 } else { 0 }).unwrap_or(a);
        let short = self.rule != Interpolation::Linear;
        let to = out.groups_mut();
        self.instructions.run(
            #[inline(always)]
            || lanes::between(a, b, rest, short, to),
        );
        if self.rule == Interpolation::Spherical {
            for (to, (a, b)) in out.groups_mut().iter_mut().zip(a.iter().zip(b)) {
                to.rotation = lanes::spherical(&a.rotation, &b.rotation, &Lanes([rest; 8]));
            }
        }
    }
}

/// Computes the pose at a frame, with linear rotations.
#[inline(always)]
fn blend_keys(keys: &KeyedMotion, at: &FrameState<'_>, rule: Interpolation, out: &mut [Group]) {
    let [translations, rotations, scales] = &keys.channels;
    for (((out, t), r), s) in out.iter_mut().zip(translations).zip(rotations).zip(scales) {
        at.vector(t, &mut out.translation);
        at.vector(s, &mut out.scale);
        out.rotation = match at.values(r) {
            LaneValues::Constant(value) => *value,
            LaneValues::Keys(a, b, t) => lanes::nlerp(a, b, &t, rule != Interpolation::Linear),
        };
    }
}

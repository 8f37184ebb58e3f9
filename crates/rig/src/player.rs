//! A place in an animation.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint of the skeleton they were made for"
)]

use crate::animation::{Animation, Motion};
use crate::error::RigError;
use crate::joint_pose::{Group, Lanes};
use crate::kernels::lanes;
use crate::keyed_motion::{Bracket, Eight, Keyed, ROTATION, User, is_opposite};
use crate::local_pose::LocalPose;
use alloc::vec::Vec;
use meshwright_scene::Interpolation;

/// Plays an animation: it remembers between which keys every joint was, so that going on costs the same however
/// many keys there are. Frames may be sampled in any order.
#[derive(Clone, Debug)]
pub struct Player<'a> {
    animation: &'a Animation,
    /// Between which keys the frame is, for every list of frames.
    brackets: Vec<Bracket>,
    /// From which frame on, and up to which, all of them hold.
    from: f32,
    until: f32,
    /// Joints whose keys are at frames of their own.
    spans: Vec<Span>,
}

/// Where eight joints are between their keys. Joints without keys are between their rest value and itself.
#[derive(Clone, Debug)]
struct Span {
    before: [Lanes; 4],
    behind: [Lanes; 4],
    /// The frame of the key before, and one over the distance to the key behind.
    start: Lanes,
    inverse: Lanes,
}

impl<'a> Player<'a> {
    /// At the first frame.
    pub fn new(animation: &'a Animation) -> Self {
        let (mut brackets, mut spans) = (Vec::new(), Vec::new());
        if let Motion::Keyed(keys) = &animation.motion {
            brackets.resize(keys.lines.len(), Bracket::NOWHERE);
            // In the order of their numbers.
            spans.extend(keys.channels.iter().flatten().filter_map(|eight| match eight {
                Eight::Apart { rest, .. } => Some(Span::resting(*rest)),
                _ => None,
            }));
        }
        Self { animation, brackets, from: f32::INFINITY, until: f32::NEG_INFINITY, spans }
    }

    /// What is played.
    pub fn animation(&self) -> &'a Animation {
        self.animation
    }

    /// The pose at a frame; frames outside of the clip and between its frames as in [`Sampler::sample`].
    ///
    /// # Errors
    ///
    /// Where the pose is of another skeleton.
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
            Motion::Uniform { groups, order } => animation.blend_poses(groups, order, (whole, rest), out),
            Motion::Keyed(keys) => {
                self.seek(keys, whole, rest);
                self.blend_keys(keys, whole, rest, out);
            }
        }
        Ok(())
    }

    /// The same at a time in seconds.
    ///
    /// # Errors
    ///
    /// As [`sample`](Self::sample).
    pub fn sample_seconds(&mut self, seconds: f64, out: &mut LocalPose) -> Result<(), RigError> {
        self.sample(self.animation.frame_at(seconds), out)
    }

    fn blend_keys(&self, keys: &Keyed, whole: usize, rest: f32, out: &mut LocalPose) {
        let rule = self.animation.rule;
        let at = At { brackets: &self.brackets, spans: &self.spans, whole, rest };
        let to = out.groups_mut();
        self.animation.instructions.run(
            #[inline(always)]
            || blend_keys(keys, &at, rule, to),
        );
        if rule == Interpolation::Spherical {
            for (to, eight) in out.groups_mut().iter_mut().zip(&keys.channels[ROTATION]) {
                to.rotation = match at.between(eight) {
                    Between::Still(value) => *value,
                    Between::Keys(before, behind, ratio) => lanes::spherical(before, behind, &ratio),
                };
            }
        }
    }

    /// Brings every bracket to the keys around the frame.
    fn seek(&mut self, keys: &Keyed, whole: usize, rest: f32) {
        let timing = self.animation.timing;
        #[expect(clippy::cast_precision_loss, reason = "keys are stored in this precision")]
        let (frame, period) = (whole as f32 + rest, timing.looping.then_some(timing.frames as f32));
        if self.from <= frame && frame < self.until {
            return;
        }
        (self.from, self.until) = (f32::NEG_INFINITY, f32::INFINITY);
        for (bracket, line) in self.brackets.iter_mut().zip(&keys.lines) {
            if !bracket.holds(frame) {
                *bracket = bracket.find(&line.frames, frame, period);
                for user in &line.users {
                    if let Eight::Apart { place, tracks, .. } = &keys.channels[user.channel][user.group] {
                        self.spans[*place].put(user, bracket, &tracks[user.lane]);
                    }
                }
            }
            self.from = self.from.max(bracket.from);
            self.until = self.until.min(bracket.until);
        }
    }
}

/// How far the frame is from the key before to the key behind. The frame that the keys were found for is
/// rounded: between keys that are closest together it may lie outside.
#[inline(always)]
fn ratio(whole: usize, rest: f32, start: f32, inverse: f32) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "keys are stored in this precision")]
    let whole = whole as f32;
    (((whole - start) + rest) * inverse).clamp(0.0, 1.0)
}

impl Span {
    fn resting(value: [Lanes; 4]) -> Self {
        Self { before: value, behind: value, start: Lanes::default(), inverse: Lanes::default() }
    }

    /// Takes over the keys of one joint.
    #[inline]
    fn put(&mut self, user: &User, bracket: &Bracket, keys: &[[f32; 4]]) {
        let lane = user.lane;
        let before = keys[bracket.before];
        let mut behind = keys[bracket.behind];
        // Exactly opposite quaternions have no middle, and stand for one rotation: the earlier holds.
        if user.channel == ROTATION && is_opposite(&before, &behind) {
            behind = before;
        }
        (self.start.0[lane], self.inverse.0[lane]) = (bracket.start, bracket.inverse);
        for c in 0..4 {
            self.before[c].0[lane] = before[c];
            self.behind[c].0[lane] = behind[c];
        }
    }
}

/// A frame of an animation with keys.
struct At<'a> {
    brackets: &'a [Bracket],
    spans: &'a [Span],
    whole: usize,
    rest: f32,
}

/// What eight joints are between.
enum Between<'a> {
    Still(&'a [Lanes; 4]),
    Keys(&'a [Lanes; 4], &'a [Lanes; 4], Lanes),
}

impl<'a> At<'a> {
    #[inline(always)]
    fn between(&self, eight: &'a Eight) -> Between<'a> {
        match eight {
            Eight::Still(value) => Between::Still(value),
            Eight::Together { line, values } => {
                let b = &self.brackets[*line];
                let t = ratio(self.whole, self.rest, b.start, b.inverse);
                Between::Keys(&values[b.before], &values[b.behind], Lanes([t; 8]))
            }
            Eight::Apart { place, .. } => {
                let s = &self.spans[*place];
                let t = Lanes::make(|i| ratio(self.whole, self.rest, s.start.0[i], s.inverse.0[i]));
                Between::Keys(&s.before, &s.behind, t)
            }
        }
    }

    /// A translation or a scale.
    #[inline(always)]
    fn vector(&self, eight: &'a Eight, out: &mut [Lanes; 3]) {
        match self.between(eight) {
            Between::Still([x, y, z, _]) => *out = [*x, *y, *z],
            Between::Keys(before, behind, t) => {
                for (c, out) in out.iter_mut().enumerate() {
                    *out = lanes::lerp(&before[c], &behind[c], &t);
                }
            }
        }
    }
}

impl Animation {
    /// The pose between two of the stored ones.
    fn blend_poses(
        &self,
        groups: &[Group],
        order: &[usize],
        (whole, rest): (usize, f32),
        out: &mut LocalPose,
    ) {
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

/// The pose at a frame; rotations linearly.
#[inline(always)]
fn blend_keys(keys: &Keyed, at: &At<'_>, rule: Interpolation, out: &mut [Group]) {
    let [translations, rotations, scales] = &keys.channels;
    for (((out, t), r), s) in out.iter_mut().zip(translations).zip(rotations).zip(scales) {
        at.vector(t, &mut out.translation);
        at.vector(s, &mut out.scale);
        out.rotation = match at.between(r) {
            Between::Still(value) => *value,
            Between::Keys(a, b, t) => lanes::nlerp(a, b, &t, rule != Interpolation::Linear),
        };
    }
}

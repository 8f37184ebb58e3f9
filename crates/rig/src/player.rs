//! A place in an animation.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint of the skeleton they were made for"
)]

use crate::animation::{Animation, Motion, ROTATION, SCALE, TRANSLATION, Track};
use crate::error::RigError;
use crate::joint::{Group, Lanes};
use crate::kernels::lanes;
use crate::local::LocalPose;
use alloc::vec::Vec;
use glam::{Quat, Vec4};
use meshwright_scene::Interpolation;

/// Plays an animation: it remembers between which keys every joint was, so that going on costs the same however
/// many keys there are. Frames may be sampled in any order.
#[derive(Clone, Debug)]
pub struct Player<'a> {
    animation: &'a Animation,
    spans: [Vec<Span>; 3],
}

/// Where eight joints are between their keys. Joints without keys are between their rest value and itself.
#[derive(Clone, Debug)]
struct Span {
    before: [Lanes; 4],
    behind: [Lanes; 4],
    /// From which frame on, and up to which, the keys are the right ones.
    from: Lanes,
    until: Lanes,
    /// The frame of the key before, and one over the distance to the key behind.
    start: Lanes,
    inverse: Lanes,
    /// The track of each lane, and the number of keys at or before the frame.
    tracks: [Option<usize>; 8],
    keys: [usize; 8],
}

impl<'a> Player<'a> {
    /// At the first frame.
    pub fn new(animation: &'a Animation) -> Self {
        let spans = [TRANSLATION, ROTATION, SCALE].map(|channel| match &animation.motion {
            Motion::Uniform { .. } => Vec::new(),
            Motion::Keyed { rest, tracks } => {
                let of = |g: &Group| match channel {
                    TRANSLATION => [g.translation[0], g.translation[1], g.translation[2], Lanes::default()],
                    ROTATION => g.rotation,
                    _ => [g.scale[0], g.scale[1], g.scale[2], Lanes::default()],
                };
                let mut spans: Vec<Span> = rest.groups().iter().map(|g| Span::resting(of(g))).collect();
                for (i, track) in tracks[channel].iter().enumerate() {
                    let lane = track.slot % 8;
                    if let Some(span) = spans.get_mut(track.slot / 8) {
                        span.tracks[lane] = Some(i);
                        // Nothing is found yet.
                        (span.from.0[lane], span.until.0[lane]) = (f32::INFINITY, f32::NEG_INFINITY);
                    }
                }
                spans
            }
        });
        Self { animation, spans }
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
            Motion::Keyed { tracks, .. } => {
                // A clip without frames is the rest pose, keys or not.
                if animation.timing.frames > 0 {
                    self.seek(tracks, whole, rest);
                }
                self.blend_keys(whole, rest, out);
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

    fn blend_keys(&self, whole: usize, rest: f32, out: &mut LocalPose) {
        let spans = &self.spans;
        let (rule, to) = (self.animation.rule, out.groups_mut());
        self.animation.path.run(
            #[inline(always)]
            || blend_spans(spans, whole, rest, rule, to),
        );
        if rule == Interpolation::Spherical {
            for (to, s) in out.groups_mut().iter_mut().zip(&spans[ROTATION]) {
                to.rotation = spherical(&s.before, &s.behind, &s.ratio(whole, rest));
            }
        }
    }

    /// Brings every span to the keys around the frame.
    fn seek(&mut self, tracks: &[Vec<Track>; 3], whole: usize, rest: f32) {
        let timing = self.animation.timing;
        #[expect(clippy::cast_precision_loss, reason = "keys are stored in this precision")]
        let (frame, period) = (whole as f32 + rest, timing.looping.then_some(timing.frames as f32));
        for (channel, (spans, tracks)) in self.spans.iter_mut().zip(tracks).enumerate() {
            for span in spans {
                let mut stale = false;
                for i in 0..8 {
                    stale |= !(span.from.0[i] <= frame && frame < span.until.0[i]);
                }
                if !stale {
                    continue;
                }
                for lane in 0..8 {
                    let fresh = span.from.0[lane] <= frame && frame < span.until.0[lane];
                    if let Some(track) = span.tracks[lane].and_then(|t| tracks.get(t)).filter(|_| !fresh) {
                        span.find(lane, track, frame, period);
                        if channel == ROTATION {
                            span.hold_opposite(lane);
                        }
                    }
                }
            }
        }
    }
}

impl Span {
    fn resting(value: [Lanes; 4]) -> Self {
        Self {
            before: value,
            behind: value,
            from: Lanes([f32::NEG_INFINITY; 8]),
            until: Lanes([f32::INFINITY; 8]),
            start: Lanes::default(),
            inverse: Lanes::default(),
            tracks: [None; 8],
            keys: [0; 8],
        }
    }

    /// How far the frame is from the key before to the key behind. The frame that the keys were found for is
    /// rounded: between keys that are closest together it may lie outside.
    #[inline(always)]
    fn ratio(&self, whole: usize, rest: f32) -> Lanes {
        #[expect(clippy::cast_precision_loss, reason = "keys are stored in this precision")]
        let whole = whole as f32;
        Lanes::make(|i| (((whole - self.start.0[i]) + rest) * self.inverse.0[i]).clamp(0.0, 1.0))
    }

    /// Finds the keys around a frame: usually those after the current ones.
    fn find(&mut self, lane: usize, track: &Track, frame: f32, period: Option<f32>) {
        let frames = &track.frames;
        let key = |i: usize| frames.get(i).copied().unwrap_or(f32::INFINITY);
        let holds = |n: usize| n <= frames.len() && (n == 0 || key(n - 1) <= frame) && frame < key(n);
        let known = self.keys[lane];
        let n = if holds(known + 1) { known + 1 } else { frames.partition_point(|&k| k <= frame) };
        self.keys[lane] = n;
        let last = frames.len() - 1;
        let (mut from, mut until) = (if n == 0 { f32::NEG_INFINITY } else { key(n - 1) }, key(n));
        let (mut before, mut behind, mut start, mut length) = (n.max(1) - 1, n.min(last), from, 0.0);
        if n > 0 && n <= last {
            length = key(n) - key(n - 1);
        } else if let Some(period) = period {
            // Across the end; keys that reach beyond it leave no gap.
            let gap = key(0) + period - key(last);
            let wrapped = key(last) - period;
            if n == 0 && frame < wrapped {
                until = wrapped;
            } else if last > 0 && gap > 0.0 {
                (before, behind, length) = (last, 0, gap);
                start = if n == 0 { wrapped } else { key(last) };
                from = start;
            }
        }
        if length > 0.0 {
            self.inverse.0[lane] = 1.0 / length;
            self.start.0[lane] = start;
        } else {
            behind = before;
            (self.inverse.0[lane], self.start.0[lane]) = (0.0, 0.0);
        }
        (self.from.0[lane], self.until.0[lane]) = (from, until);
        for c in 0..4 {
            self.before[c].0[lane] = track.values[before][c];
            self.behind[c].0[lane] = track.values[behind][c];
        }
    }

    /// Exactly opposite quaternions have no middle, and stand for one rotation: the earlier holds.
    fn hold_opposite(&mut self, lane: usize) {
        if (0..4).all(|c| self.behind[c].0[lane] == -self.before[c].0[lane]) {
            for c in 0..4 {
                self.behind[c].0[lane] = self.before[c].0[lane];
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
        self.path.run(
            #[inline(always)]
            || lanes::between(a, b, rest, short, to),
        );
        if self.rule == Interpolation::Spherical {
            for (to, (a, b)) in out.groups_mut().iter_mut().zip(a.iter().zip(b)) {
                to.rotation = spherical(&a.rotation, &b.rotation, &Lanes([rest; 8]));
            }
        }
    }
}

/// The poses that all spans stand for; rotations linearly.
#[inline(always)]
fn blend_spans(spans: &[Vec<Span>; 3], whole: usize, rest: f32, rule: Interpolation, out: &mut [Group]) {
    let [translations, rotations, scales] = spans;
    for (((out, t), r), s) in out.iter_mut().zip(translations).zip(rotations).zip(scales) {
        let (tr, rr, sr) = (t.ratio(whole, rest), r.ratio(whole, rest), s.ratio(whole, rest));
        for c in 0..3 {
            out.translation[c] = lanes::lerp(&t.before[c], &t.behind[c], &tr);
            out.scale[c] = lanes::lerp(&s.before[c], &s.behind[c], &sr);
        }
        out.rotation = lanes::nlerp(&r.before, &r.behind, &rr, rule != Interpolation::Linear);
    }
}

/// Spherical blends of rotations, the short way.
fn spherical(a: &[Lanes; 4], b: &[Lanes; 4], t: &Lanes) -> [Lanes; 4] {
    let mut out = [Lanes::default(); 4];
    let quat = |q: &[Lanes; 4], i: usize| {
        let v = Vec4::from_array([0, 1, 2, 3].map(|c: usize| q[c].0[i]));
        v.try_normalize().map_or(Quat::IDENTITY, Quat::from_vec4)
    };
    for i in 0..8 {
        let q = quat(a, i).slerp(quat(b, i), t.0[i]).to_array();
        for (lanes, c) in out.iter_mut().zip(q) {
            lanes.0[i] = c;
        }
    }
    out
}

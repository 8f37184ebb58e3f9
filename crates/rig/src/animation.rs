//! Clips made ready for playing many times.

use crate::error::RigError;
use crate::joint::{Group, JointPose, Lanes};
use crate::kernels::{Path, lanes};
use crate::local::LocalPose;
use crate::rig::Rig;
use crate::sample::{Sampler, Source, place};
use alloc::vec::Vec;
use glam::{Quat, Vec4};
use meshwright_scene::{Channel, Interpolation, Trs};

/// A clip made ready for one skeleton: translations, rotations and scales in the order in which eight joints
/// are computed at once. [`Player`]s share it.
///
/// It answers what the [`Sampler`] it was made from answers, up to the precision of 32 bits and up to shear,
/// and with rotations of unit length.
#[derive(Clone, Debug, PartialEq)]
pub struct Animation {
    path: Path,
    joints: usize,
    frames: usize,
    rate: f32,
    looping: bool,
    rule: Interpolation,
    motion: Motion,
}

#[derive(Clone, Debug, PartialEq)]
enum Motion {
    /// A pose for every frame: `groups` groups each, and the pose of every frame.
    Uniform { groups: Vec<Group>, order: Vec<usize> },
    /// Keys by place; and the rest pose for joints without.
    Keyed { rest: LocalPose, tracks: [Vec<Track>; 3] },
}

/// The keys of one channel of one joint.
#[derive(Clone, Debug, PartialEq)]
struct Track {
    slot: usize,
    frames: Vec<f32>,
    /// The components, three of four used for vectors.
    values: Vec<[f32; 4]>,
}

const TRANSLATION: usize = 0;
const ROTATION: usize = 1;
const SCALE: usize = 2;

impl Animation {
    /// Makes a clip ready. Refused when the sampler is not of this skeleton, and where the elements of
    /// matrices would have to be blended, which has no such form: choose
    /// [`Blend::Rigid`](crate::Blend::Rigid) for the sampler, or sample matrices with it.
    pub fn new(rig: &Rig, sampler: &Sampler<'_>) -> Result<Self, RigError> {
        let fault = |message| Err(RigError::invalid("sampler", message));
        let clip = sampler.clip();
        let joints = rig.joint_count();
        let mut rule = sampler.rule();
        if rule == Interpolation::Matrix {
            return fault("blends matrices; choose Blend::Rigid");
        }
        let motion = match sampler.source() {
            // The rest pose: a joint without keys is between its rest value and itself.
            Source::Poses { set, frames: [] } => {
                RigError::length("poses", joints, set.joints)?;
                Motion::Keyed { rest: LocalPose::new(rig), tracks: Default::default() }
            }
            Source::Poses { set, frames } => {
                RigError::length("poses", joints, set.joints)?;
                // Signs of quaternions that come from matrices mean nothing: the short way.
                if rule == Interpolation::Linear {
                    rule = Interpolation::LinearShort;
                }
                let mut places = alloc::vec![usize::MAX; set.len()];
                let (mut groups, mut order) = (Vec::new(), Vec::new());
                for &frame in *frames {
                    let Some((pose, place)) = set.pose(frame as usize).zip(places.get_mut(frame as usize))
                    else {
                        return fault("names a missing pose");
                    };
                    if *place == usize::MAX {
                        *place = groups.len() / joints.div_ceil(8).max(1);
                        let mut parts = LocalPose::neutral(joints);
                        for (joint, m) in pose.iter().enumerate() {
                            parts.set(rig, joint, &JointPose::from(&Trs::from_affine(m).0))?;
                        }
                        groups.extend_from_slice(parts.groups());
                    }
                    order.push(*place);
                }
                Motion::Uniform { groups, order }
            }
            Source::Tracks(keys) => {
                let mut tracks = [Vec::new(), Vec::new(), Vec::new()];
                for k in keys {
                    let Some(slot) = rig.slot(k.joint) else { return fault("is not of this skeleton") };
                    let three = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
                    push(&mut tracks[TRANSLATION], slot, k.translation, three);
                    push(&mut tracks[ROTATION], slot, k.rotation, |q| q);
                    push(&mut tracks[SCALE], slot, k.scale, three);
                }
                tracks.iter_mut().for_each(|t| t.sort_by_key(|t| t.slot));
                Motion::Keyed { rest: LocalPose::new(rig), tracks }
            }
        };
        let (frames, rate, looping) = (sampler.frames(), clip.rate, clip.looping);
        Ok(Self { path: rig.path(), joints, frames, rate, looping, rule, motion })
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// Frames per second.
    pub fn rate(&self) -> f32 {
        self.rate
    }

    /// Whether it loops.
    pub fn is_looping(&self) -> bool {
        self.looping
    }

    /// How many joints a pose has.
    pub fn joint_count(&self) -> usize {
        self.joints
    }

    fn groups(&self) -> usize {
        self.joints.div_ceil(8)
    }
}

fn push<T: Copy>(to: &mut Vec<Track>, slot: usize, channel: &Channel<T>, value: impl Fn(T) -> [f32; 4]) {
    let (frames, values): (Vec<_>, Vec<_>) =
        channel.frames.iter().zip(&channel.values).map(|(f, v)| (*f, value(*v))).unzip();
    if !frames.is_empty() {
        to.push(Track { slot, frames, values });
    }
}

/// Plays an animation: it remembers between which keys every joint was, so that going on costs the same however
/// many keys there are. Any frame may be asked for at any time.
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
    /// Refused when the pose is of another skeleton.
    pub fn sample(&mut self, frame: f64, out: &mut LocalPose) -> Result<(), RigError> {
        let animation = self.animation;
        RigError::length("joints of the pose", animation.joints, out.joint_count())?;
        let n = animation.frames;
        let frame = if n == 0 { 0.0 } else { place(frame, n, animation.looping) };
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
                let size = animation.groups();
                let pose = |f: usize| {
                    let at = order.get(f)?.checked_mul(size)?;
                    groups.get(at..at.checked_add(size)?)
                };
                let Some(a) = pose(whole) else { return Ok(()) };
                let b = pose(if whole + 1 < n { whole + 1 } else { 0 }).unwrap_or(a);
                let short = animation.rule != Interpolation::Linear;
                let to = out.groups_mut();
                animation.path.run(
                    #[inline(always)]
                    || lanes::between(a, b, rest, short, to),
                );
                if animation.rule == Interpolation::Spherical {
                    for (to, (a, b)) in out.groups_mut().iter_mut().zip(a.iter().zip(b)) {
                        to.rotation = spherical(&a.rotation, &b.rotation, &Lanes([rest; 8]));
                    }
                }
            }
            Motion::Keyed { tracks, .. } => {
                // A clip without frames is the rest pose, keys or not.
                let (tracks, frames) = if n == 0 { (None, 1) } else { (Some(tracks), n) };
                self.seek(tracks, whole, rest, frames);
                let spans = &self.spans;
                let (rule, to) = (animation.rule, out.groups_mut());
                animation.path.run(
                    #[inline(always)]
                    || blend_spans(spans, whole, rest, rule, to),
                );
                if rule == Interpolation::Spherical {
                    for (to, s) in out.groups_mut().iter_mut().zip(&self.spans[ROTATION]) {
                        to.rotation = spherical(&s.before, &s.behind, &s.ratio(whole, rest));
                    }
                }
            }
        }
        Ok(())
    }

    /// Brings every span to the keys around the frame.
    fn seek(&mut self, tracks: Option<&[Vec<Track>; 3]>, whole: usize, rest: f32, frames: usize) {
        let Some(tracks) = tracks else { return };
        #[expect(clippy::cast_precision_loss, reason = "keys are stored in this precision")]
        let (frame, period) = (whole as f32 + rest, self.animation.looping.then_some(frames as f32));
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

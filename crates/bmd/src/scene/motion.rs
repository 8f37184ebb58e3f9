//! Clips from tracks and poses.

use super::bones::Bones;
use super::names::name;
use crate::math::{self, Quat, narrow};
use crate::model::{Clip, ClipRate};
use crate::optimize::clips::{fit_rotations, fit_triples};
use crate::pose::{Curves, Timing};
use crate::stream::{Keys, Stream};
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_scene::{
    AxisMap, Channel, Clip as SceneClip, ConvertError, Interpolation, Loss, Memory, Motion, PoseSet, Scene,
    Trs,
};

/// The most frames that a clip can count.
const MOST_FRAMES: f64 = 255.0;
/// The highest rate, in quarters of a frame per second.
const MOST_QUARTERS: f64 = 127.0;

/// How near the keys of a clip must come.
#[derive(Clone, Copy)]
pub(super) struct Bounds {
    pub(super) angle: f64,
    pub(super) distance: f64,
    pub(super) scale: f64,
}

/// Where the frames of the new clip lie in the old one.
struct Plan {
    rate: u8,
    frames: u32,
    /// Frames of the old clip per frame of the new one.
    step: f64,
}

impl Plan {
    /// The rate nearest to the clip's own, or lower where the frames would not fit.
    fn of(clip: &SceneClip) -> Self {
        let (rate, frames) = (f64::from(clip.rate), f64::from(clip.frames.max(1)));
        // A looping clip lasts as many frames as it has, another one fewer.
        let spans = if clip.looping { frames } else { (frames - 1.0).max(0.0) };
        let room = if clip.looping { MOST_FRAMES } else { MOST_FRAMES - 1.0 };
        let seconds = spans / rate;
        let mut quarters = whole(rate * 4.0).clamp(1.0, MOST_QUARTERS);
        if whole(seconds * quarters / 4.0) > room {
            quarters = (room * 4.0 / seconds - 0.5).clamp(1.0, MOST_QUARTERS);
        }
        let quarters = f64::from(byte(quarters)).max(1.0);
        let count = whole(seconds * quarters / 4.0).clamp(if clip.looping { 1.0 } else { 0.0 }, room);
        let step = if count > 0.0 { spans / count } else { 1.0 };
        let frames = u32::from(byte(count)) + u32::from(!clip.looping);
        Self { rate: byte(quarters), frames, step }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to a byte")]
fn byte(x: f64) -> u8 {
    x.clamp(0.0, 255.0) as u8
}

#[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "counts of frames")]
fn whole(x: f64) -> f64 {
    (x.clamp(-1e15, 1e15) + 0.5) as i64 as f64
}

/// A scene's clip on the bones of the model.
pub(super) fn convert(
    scene: &Scene,
    index: usize,
    bones: &Bones,
    axes: &AxisMap,
    bounds: Bounds,
    memory: &Memory,
    losses: &mut Vec<Loss>,
) -> Result<Option<Clip>, ConvertError> {
    let path = format!("clips[{index}]");
    let Some(clip) = scene.clips.get(index) else { return Ok(None) };
    if clip.skeleton != bones.skeleton || clip.frames == 0 {
        losses.push(Loss::new("clip-dropped", path, "a clip of another skeleton, or without frames"));
        return Ok(None);
    }
    let plan = Plan::of(clip);
    let change = (f64::from(plan.rate) / 4.0 - f64::from(clip.rate)).abs();
    if change > 1e-4 {
        let message = "the rate was changed to one that the format has; by frames per second";
        losses.push(Loss::measured("rate-changed", path.as_str(), message, change));
    }
    let joints = bones.bone_of.len();
    memory.charge("frames", joints.saturating_mul(plan.frames as usize), size_of::<Trs>())?;
    let timing = Timing { frames: plan.frames, looping: clip.looping };
    let mut keys: Vec<Keys> =
        alloc::vec![Keys::default(); bones.bones.iter().filter(|b| !b.is_pseudo()).count()];
    let mut worst = (0.0_f64, 0.0_f64, 0.0_f64);
    for joint in 0..joints {
        let Some(bone) = bones.bone_of.get(joint).copied().filter(|b| *b > 0) else { continue };
        let Some(slot) = keys.get_mut(bone) else { continue };
        let Some(values) = sampled(scene, clip, joint, &plan) else { continue };
        let fit = Values::of(&values, joint, bone, bones, axes);
        *slot = fit.keys(timing, bounds);
        fit.measure(slot, timing, &mut worst);
    }
    let errors =
        [("keys-turned", "degrees", worst.0), ("keys-moved", "units", worst.1), ("keys-scaled", "", worst.2)];
    for (code, unit, amount) in errors {
        if amount > 1e-6 {
            let message =
                format!("keys were rounded and thinned; largest difference at a whole frame, {unit}");
            losses.push(Loss::measured(code, path.as_str(), message, amount));
        }
    }
    Ok(Some(Clip {
        name: Some(name(&clip.name, &path, losses)),
        frames: u8::try_from(plan.frames).unwrap_or(u8::MAX),
        rate: ClipRate::new(plan.rate.min(127), clip.looping).unwrap_or(ClipRate::USUAL),
        stream: Arc::new(Stream::from_bones(keys.iter().map(Keys::to_steps))),
        ..Clip::default()
    }))
}

/// What a bone does relative to its base, frame by frame.
struct Values {
    rotation: Vec<Quat>,
    translation: Vec<[f64; 3]>,
    scale: Vec<[f64; 3]>,
}

impl Values {
    fn of(values: &[Trs], joint: usize, bone: usize, bones: &Bones, axes: &AxisMap) -> Self {
        let base = bones.base(bone);
        let [x, y, z, w] = base.rotation;
        let back = [-x, -y, -z, w];
        let above = bones.scale_above.get(joint).copied().unwrap_or([1.0; 3]);
        let own = bones.scale.get(joint).copied().unwrap_or([1.0; 3]);
        let ratio = |a: f32, b: f32| if b == 0.0 { 1.0 } else { f64::from(a) / f64::from(b) };
        let mut this = Self { rotation: Vec::new(), translation: Vec::new(), scale: Vec::new() };
        for trs in values {
            let trs = axes.trs(trs);
            let q = math::product(trs.rotation.map(f64::from), back);
            this.rotation.push(math::unit(q).unwrap_or([0.0, 0.0, 0.0, 1.0]));
            this.translation.push(core::array::from_fn(|i| {
                f64::from(trs.translation[i]) * f64::from(above[i]) - base.origin[i]
            }));
            this.scale.push(core::array::from_fn(|i| ratio(trs.scale[i], own[i])));
        }
        this
    }

    fn keys(&self, timing: Timing, bounds: Bounds) -> Keys {
        let mut keys = Keys::default();
        let mut tags = alloc::vec![false; timing.frames as usize];
        let mut tag = |frames: &[u32]| {
            for f in frames {
                if let Some(t) = tags.get_mut(*f as usize) {
                    *t = true;
                }
            }
            tags.clone()
        };
        keys.rotation = fit_rotations(&self.rotation, timing, bounds.angle, &tag(&[]));
        let tagged = tag(&keys.rotation.iter().map(|k| k.0).collect::<Vec<_>>());
        keys.translation = fit_triples(&self.translation, [0.0; 3], timing, bounds.distance, &tagged);
        let tagged = tag(&keys.translation.iter().map(|k| k.0).collect::<Vec<_>>());
        keys.scale = fit_triples(&self.scale, [1.0; 3], timing, bounds.scale, &tagged);
        keys
    }

    fn measure(&self, keys: &Keys, timing: Timing, worst: &mut (f64, f64, f64)) {
        let curves = Curves::of(keys);
        let rows = self.rotation.iter().zip(&self.translation).zip(&self.scale);
        for (f, ((q, t), s)) in (0..timing.frames).map(f64::from).zip(rows) {
            let turned = timing.rotation(&curves.rotation, f).unwrap_or([0.0, 0.0, 0.0, 1.0]);
            worst.0 = worst.0.max(math::angle(*q, turned));
            let apart =
                |a: [f64; 3], b: &[f64; 3]| a.iter().zip(b).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            worst.1 = worst.1.max(apart(timing.triple(&curves.translation, f).unwrap_or([0.0; 3]), t));
            worst.2 = worst.2.max(apart(timing.triple(&curves.scale, f).unwrap_or([1.0; 3]), s));
        }
    }
}

/// The local transforms of a joint at the new clip's frames; `None` when nothing moves it.
fn sampled(scene: &Scene, clip: &SceneClip, joint: usize, plan: &Plan) -> Option<Vec<Trs>> {
    let times = (0..plan.frames).map(|f| f64::from(f) * plan.step);
    match &clip.motion {
        Motion::Tracks(tracks) => {
            let rest = match scene.skeletons.get(clip.skeleton.0)?.joints.get(joint)?.rest {
                meshwright_scene::Local::Trs(t) => t,
                meshwright_scene::Local::Affine(m) => Trs::from_affine(&m).0,
            };
            let of = |t: &&meshwright_scene::Track| t.joint == joint;
            let last =
                |has: fn(&meshwright_scene::Track) -> bool| tracks.iter().rev().filter(of).find(|t| has(t));
            let translation = last(|t| !t.translation.is_empty()).map(|t| &t.translation);
            let rotation = last(|t| !t.rotation.is_empty()).map(|t| &t.rotation);
            let scale = last(|t| !t.scale.is_empty()).map(|t| &t.scale);
            if translation.is_none() && rotation.is_none() && scale.is_none() {
                return None;
            }
            let period = clip.looping.then_some(f64::from(clip.frames));
            let linear =
                |a: [f64; 3], b: [f64; 3], t: f64| core::array::from_fn(|i| a[i] * (1.0 - t) + b[i] * t);
            let turn = |a: Quat, b: Quat, t: f64| turned(a, b, t, clip.interpolation);
            Some(
                times
                    .map(|t| Trs {
                        translation: translation
                            .and_then(|c| at(c, t, period, linear))
                            .unwrap_or(rest.translation),
                        rotation: rotation.and_then(|c| at(c, t, period, turn)).unwrap_or(rest.rotation),
                        scale: scale.and_then(|c| at(c, t, period, linear)).unwrap_or(rest.scale),
                    })
                    .collect(),
            )
        }
        Motion::Poses { set, frames } => {
            let set = scene.pose_sets.get(set.0)?;
            Some(times.map(|t| posed(set, frames, joint, t, clip.looping)).collect())
        }
    }
}

fn turned(a: Quat, b: Quat, t: f64, rule: Interpolation) -> Quat {
    let (a, b) = (math::unit(a).unwrap_or(a), math::unit(b).unwrap_or(b));
    let b = match rule {
        Interpolation::Linear => b,
        Interpolation::LinearShort if math::dot(a, b) < 0.0 => b.map(|c| -c),
        Interpolation::LinearShort => b,
        Interpolation::Spherical | Interpolation::Matrix => return math::slerp(a, b, t),
    };
    let mixed = core::array::from_fn(|i| a[i] * (1.0 - t) + b[i] * t);
    math::unit(mixed).unwrap_or(a)
}

/// The value of a channel at a frame.
fn at<const N: usize>(
    channel: &Channel<[f32; N]>,
    t: f64,
    period: Option<f64>,
    mix: impl Fn([f64; N], [f64; N], f64) -> [f64; N],
) -> Option<[f32; N]> {
    let key = |i: usize| channel.frames.get(i).map(|f| f64::from(*f));
    let value = |i: usize| channel.values.get(i).copied();
    let wide = |i: usize| value(i).map(|v| v.map(f64::from));
    let last = channel.values.len().checked_sub(1)?;
    let after = channel.frames.partition_point(|f| f64::from(*f) <= t);
    if let Some(before) = after.checked_sub(1)
        && key(before) == Some(t)
    {
        return value(before);
    }
    let (a, b, f) = if after == 0 || after > last {
        let gap = period.map(|n| key(0).unwrap_or(0.0) + n - key(last).unwrap_or(0.0));
        let Some((n, gap)) = period.zip(gap.filter(|g| *g > 0.0)) else {
            return value(if after == 0 { 0 } else { last });
        };
        let passed = if after == 0 { t + n - key(last)? } else { t - key(last)? };
        (wide(last)?, wide(0)?, (passed / gap).clamp(0.0, 1.0))
    } else {
        let (from, to) = (key(after - 1)?, key(after)?);
        (wide(after - 1)?, wide(after)?, (t - from) / (to - from))
    };
    Some(mix(a, b, f).map(narrow))
}

/// The pose of a joint at a frame; between two, parts are blended.
fn posed(set: &PoseSet, frames: &[u32], joint: usize, t: f64, looping: bool) -> Trs {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "frames are small and not negative"
    )]
    let first = t as usize;
    let pose = |f: usize| {
        let f = if f < frames.len() || !looping { f.min(frames.len().saturating_sub(1)) } else { 0 };
        let m = set.pose(*frames.get(f)? as usize)?.get(joint)?;
        Some(Trs::from_affine(m).0)
    };
    let (Some(a), Some(b)) = (pose(first), pose(first.saturating_add(1))) else { return Trs::IDENTITY };
    #[expect(clippy::cast_precision_loss, reason = "frames are small")]
    let f = t - first as f64;
    if f == 0.0 {
        return a;
    }
    let linear = |a: [f32; 3], b: [f32; 3]| -> [f32; 3] {
        core::array::from_fn(|i| narrow(f64::from(a[i]) * (1.0 - f) + f64::from(b[i]) * f))
    };
    let q = turned(a.rotation.map(f64::from), b.rotation.map(f64::from), f, Interpolation::LinearShort);
    Trs {
        translation: linear(a.translation, b.translation),
        rotation: q.map(narrow),
        scale: linear(a.scale, b.scale),
    }
}

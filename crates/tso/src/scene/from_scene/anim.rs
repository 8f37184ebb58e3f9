//! A scene's skeletons and clips as `.skel` and `.anim`.

use super::mesh::{bone_name, name_of, rest_parts};
use crate::anim::{Anim, FRAME_RATE, KEYS_UNUSED, Motion};
use crate::fields::Flag;
use crate::pose::{Between, narrow};
use crate::scene::extras;
use crate::scene::space::{frame_numbers, map};
use crate::skel::{Bone, Skel};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{F32, f32s};
use meshwright_scene::{
    AxisMap, Channel, Clip, ConvertError, Converted, Interpolation, Loss, Memory, Motion as ClipMotion,
    Scene, SceneOptions, SkeletonId, Track, Trs,
};

/// Scales that differ from 1 by more are reported; the formats have none.
const SCALE_TOLERANCE: f32 = 1e-4;

/// A rotation as files store it.
fn stored(map: &AxisMap, q: [f32; 4]) -> [F32; 4] {
    let [x, y, z, w] = map.rotation(q);
    f32s([-x, -y, -z, w])
}

/// Sets values that are beyond the numbers of the format to `none`, and answers how many.
fn bounded<const N: usize>(values: &mut [[F32; N]], none: [f32; N]) -> usize {
    let bad = values.iter_mut().filter(|v| !v.iter().all(|c| c.is_finite()));
    bad.map(|v| *v = f32s(none)).count()
}

fn not_finite(path: &str, n: usize, losses: &mut Vec<Loss>) {
    if n > 0 {
        let message = format!("{n} values are beyond the numbers of the format, set to none");
        losses.push(Loss::new("not-finite", path, message));
    }
}

/// True where a transform does more than turn and move.
fn is_scaled((trs, shear): &(Trs, f32)) -> bool {
    *shear > SCALE_TOLERANCE || has_scale(trs.scale)
}

fn has_scale(scale: [f32; 3]) -> bool {
    scale.iter().any(|s| (s - 1.0).abs() > SCALE_TOLERANCE)
}

const NO_MOVE: [f32; 3] = [0.0; 3];
const NO_TURN: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

impl Skel {
    /// Makes a skeleton of a scene's skeleton, in its rest pose.
    pub fn from_scene(scene: &Scene, skeleton: SkeletonId) -> Result<Converted<Self>, ConvertError> {
        let path = format!("skeletons[{}]", skeleton.0);
        let source =
            scene.skeletons.get(skeleton.0).ok_or_else(|| ConvertError::invalid(&*path, "does not exist"))?;
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        let back = map(scene.space).inverse();
        let mut losses = Vec::new();
        let names: Vec<_> = source
            .joints
            .iter()
            .enumerate()
            .map(|(i, j)| bone_name(&j.name, &format!("{path}.joints[{i}].name"), &mut losses))
            .collect();
        let mut seen = BTreeSet::new();
        let mut bones = Vec::with_capacity(names.len());
        for (i, joint) in source.joints.iter().enumerate() {
            let path = format!("{path}.joints[{i}]");
            let Some(name) = names.get(i) else { continue };
            if !seen.insert(name.clone()) || name.bytes().eq_ignore_ascii_case(b"NULL") {
                let message =
                    format!("{name} cannot name one more bone; files tell bones apart by name only");
                return Err(ConvertError::unsupported(path, message));
            }
            let parts = rest_parts(&joint.rest);
            if is_scaled(&parts) {
                losses.push(Loss::new("joint-scale", &*path, "bones have no scale or shear"));
            }
            if !joint.follows.is_empty() {
                losses.push(Loss::new(
                    "follows-dropped",
                    &*path,
                    "bones cannot follow others, it stays at rest",
                ));
            }
            let rest = back.trs(&parts.0);
            let mut translation = [f32s(rest.translation)];
            let mut rotation = [stored(&AxisMap::IDENTITY, rest.rotation)];
            let bad = bounded(&mut translation, NO_MOVE) + bounded(&mut rotation, NO_TURN);
            not_finite(&path, bad, &mut losses);
            let ([translation], [rotation]) = (translation, rotation);
            bones.push(Bone {
                unknown: 1,
                name: name.clone(),
                parent: joint.parent.and_then(|p| names.get(p)).cloned().unwrap_or_else(|| "NULL".into()),
                translation,
                rotation,
                can_translate: 1,
                can_rotate: 1,
                can_blend: 1,
                ..Bone::default()
            });
        }
        if bones.len() > usize::from(u16::MAX) {
            return Err(ConvertError::unsupported(path, "more than 65535 bones"));
        }
        let name = bone_name(&source.name, &format!("{path}.name"), &mut losses);
        Ok(Converted::new(Self { name, bones, trailing: Vec::new() }, losses))
    }
}

impl Anim {
    /// Makes an animation of a scene's clip, with a key for every thirtieth of a second.
    pub fn from_scene(scene: &Scene, clip: usize) -> Result<Converted<Self>, ConvertError> {
        let path = format!("clips[{clip}]");
        let source = scene.clips.get(clip).ok_or_else(|| ConvertError::invalid(&*path, "does not exist"))?;
        scene.validate().map_err(|e| ConvertError::invalid(e.path, e.message))?;
        let memory = Memory::new(SceneOptions::default().limits.memory);
        let mut losses = Vec::new();
        let frames = Frames::of(source, &path, &mut losses)?;
        let joints = scene.skeletons.get(source.skeleton.0).map_or(&[][..], |s| &s.joints);
        let map = map(scene.space).inverse();
        let mut anim = Self { moving: Flag::YES, ..Self::default() };
        anim.name = name_of(&source.name, &format!("{path}.name"), usize::from(u16::MAX), &mut losses);
        anim.duration = F32::new(frames.milliseconds());
        let mut sampled = Vec::new();
        match &source.motion {
            ClipMotion::Tracks(tracks) => {
                for track in tracks {
                    if track.scale.values.iter().any(|s| has_scale(*s)) {
                        losses.push(scale_dropped(&path, track.joint));
                    }
                    sampled.push(frames.sample(track, source.interpolation, &map, &memory)?);
                }
            }
            ClipMotion::Poses { set, frames: poses } => {
                let set = scene.pose_sets.get(set.0);
                for joint in 0..joints.len() {
                    memory.charge("keys", poses.len(), 2 * size_of::<Trs>())?;
                    let at = |frame: &u32| {
                        let pose = set.and_then(|s| s.pose(usize::try_from(*frame).ok()?));
                        pose.and_then(|p| p.get(joint)).map_or((Trs::IDENTITY, 0.0), Trs::from_affine)
                    };
                    let mut track = Track { joint, ..Track::default() };
                    let mut scaled = false;
                    for (parts, frame) in poses.iter().map(at).zip(frame_numbers()) {
                        scaled |= is_scaled(&parts);
                        track.translation.push(frame, parts.0.translation);
                        track.rotation.push(frame, parts.0.rotation);
                    }
                    if scaled {
                        losses.push(scale_dropped(&path, joint));
                    }
                    sampled.push(frames.sample(&track, Interpolation::LinearShort, &map, &memory)?);
                }
            }
        }
        for (joint, translations, rotations) in sampled {
            let name = joints.get(joint).map_or("", |j| &j.name);
            let mut motion = Motion {
                bone: bone_name(name, &format!("{path}.joints[{joint}]"), &mut losses),
                frames: frames.count,
                duration: anim.duration,
                first_translation: KEYS_UNUSED,
                first_rotation: KEYS_UNUSED,
                ..Motion::default()
            };
            let first = |n: usize| {
                u32::try_from(n)
                    .map_err(|_| ConvertError::unsupported(&*path, "the format counts with 32 bits"))
            };
            if !translations.is_empty() {
                (motion.has_translation, motion.first_translation) =
                    (Flag::YES, first(anim.translations.len())?);
                anim.translations.extend(translations);
            }
            if !rotations.is_empty() {
                (motion.has_rotation, motion.first_rotation) = (Flag::YES, first(anim.rotations.len())?);
                anim.rotations.extend(rotations);
            }
            anim.motions.push(motion);
        }
        let bad = bounded(&mut anim.translations, NO_MOVE) + bounded(&mut anim.rotations, NO_TURN);
        not_finite(&path, bad, &mut losses);
        let lost = extras::take_events(source, &mut anim);
        if lost > 0 {
            losses.push(Loss::new("event-dropped", &*path, format!("{lost} events cannot be stored")));
        }
        Ok(Converted::new(anim, losses))
    }
}

fn scale_dropped(path: &str, joint: usize) -> Loss {
    Loss::new("scale-dropped", path, format!("joint {joint} is scaled, bones have no scale"))
}

/// The frames of a clip at 30 per second.
#[derive(Clone, Copy, Debug)]
struct Frames {
    count: u32,
    /// The clip's own frames per one of ours.
    step: f64,
    /// The clip's own frames from one start to the next, where it loops.
    period: Option<f64>,
}

impl Frames {
    fn of(clip: &Clip, path: &str, losses: &mut Vec<Loss>) -> Result<Self, ConvertError> {
        let step = f64::from(clip.rate) / f64::from(FRAME_RATE);
        let last = f64::from(clip.frames.saturating_sub(u32::from(!clip.looping)));
        let count = (last / step + 0.5).clamp(0.0, f64::from(u32::MAX));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to 32 bits")]
        let count = (count as u32).saturating_add(1);
        if count > 1 << f32::MANTISSA_DIGITS {
            return Err(ConvertError::unsupported(path, "more than 16777216 frames"));
        }
        if step != 1.0 {
            let message = format!("{} frames per second were resampled to 30", clip.rate);
            losses.push(Loss::new("resampled", path, message));
        }
        Ok(Self { count, step, period: clip.looping.then_some(last) })
    }

    #[expect(clippy::cast_possible_truncation, reason = "a duration that no reader looks at")]
    fn milliseconds(self) -> f32 {
        (f64::from(self.count) * 1000.0 / f64::from(FRAME_RATE)) as f32
    }

    #[expect(clippy::type_complexity, reason = "joint, translations, rotations")]
    fn sample(
        self,
        track: &Track,
        interpolation: Interpolation,
        map: &AxisMap,
        memory: &Memory,
    ) -> Result<(usize, Vec<[F32; 3]>, Vec<[F32; 4]>), ConvertError> {
        // A clip that loops closes with the frame that it starts with.
        let own = |t: f64| self.period.filter(|p| t >= *p).map_or(t, |_| 0.0);
        let times = || (0..self.count).map(|f| own(f64::from(f) * self.step));
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        if !track.translation.is_empty() {
            translations = memory.reserve("keys", count)?;
            translations.extend(times().filter_map(|t| {
                let (a, b, t) = around(&track.translation, t, self.period)?;
                let at = |i: usize| f64::from(a[i]) + (f64::from(b[i]) - f64::from(a[i])) * t;
                let value = if t == 0.0 { *a } else { narrow(core::array::from_fn(at)) };
                Some(f32s(map.point(value)))
            }));
        }
        if !track.rotation.is_empty() {
            rotations = memory.reserve("keys", count)?;
            rotations.extend(times().filter_map(|t| {
                let (a, b, t) = around(&track.rotation, t, self.period)?;
                if t == 0.0 {
                    return Some(stored(map, *a));
                }
                let (a, b) = (a.map(f64::from), b.map(f64::from));
                let value = match interpolation {
                    Interpolation::Spherical => Between::Slerp.rotation(a, b, t),
                    Interpolation::Linear => Between::Nlerp.long_way(a, b, t),
                    Interpolation::LinearShort | Interpolation::Matrix => Between::Nlerp.rotation(a, b, t),
                };
                Some(stored(map, narrow(value)))
            }));
        }
        Ok((track.joint, translations, rotations))
    }
}

/// The keys around a frame, and how far it is from the one to the other. With a `period` the first key follows
/// the last; without, the outer keys hold.
fn around<T>(channel: &Channel<T>, frame: f64, period: Option<f64>) -> Option<(&T, &T, f64)> {
    let last = channel.frames.len().checked_sub(1)?;
    let key = |i: usize| channel.frames.get(i).copied().map_or(0.0, f64::from);
    let next = channel.frames.partition_point(|f| f64::from(*f) <= frame);
    let (mut before, mut after) = (next.saturating_sub(1), next.min(last));
    let (mut passed, mut gap) = (frame - key(before), key(after) - key(before));
    if let Some(period) = period.filter(|p| (next == 0 || next > last) && key(0) + p > key(last)) {
        (before, after, gap) = (last, 0, key(0) + period - key(last));
        passed = frame - key(last) + if next == 0 { period } else { 0.0 };
    }
    let t = if gap > 0.0 { (passed / gap).clamp(0.0, 1.0) } else { 0.0 };
    Some((channel.values.get(before)?, channel.values.get(after)?, t))
}

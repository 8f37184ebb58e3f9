//! Clips of a scene as frames of a DPM: every clip is sampled at its whole frames.

use super::from::Skeletons;
use crate::bone::{BonePose, Name};
use crate::clips::FrameClip;
use crate::dpm::{Bounds, Frame, PoseId};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use meshwright_scene::{
    Affine, Channel, Clip, ConvertError, Interpolation, Local, Loss, Memory, Motion, Scene, Track, Trs,
    normalize,
};

/// Frames and poses under construction.
pub(crate) struct Frames {
    pub frames: Vec<Frame>,
    pub poses: Vec<BonePose>,
    bones: usize,
    /// Poses of pose sets that are there already, by skeleton, set and number.
    known: BTreeMap<(usize, usize, u32), PoseId>,
    /// The first frame of each pose.
    first: BTreeMap<PoseId, usize>,
}

impl Frames {
    /// Begins with the bind pose.
    pub(crate) fn new(bind: Vec<BonePose>) -> Self {
        let mut frames = Self {
            frames: Vec::new(),
            bones: bind.len(),
            poses: bind,
            known: BTreeMap::new(),
            first: BTreeMap::new(),
        };
        frames.push(Name::truncated(b"bind_0"), PoseId(0));
        frames
    }

    fn push(&mut self, name: Name, pose: PoseId) {
        self.first.entry(pose).or_insert(self.frames.len());
        self.frames.push(Frame { name, bounds: Bounds::default(), pose });
    }

    /// A pose as a number; the bind pose is recognised.
    fn pose(&mut self, locals: &[BonePose]) -> PoseId {
        if self.poses.get(..self.bones) == Some(locals) {
            return PoseId(0);
        }
        let id = self.poses.len().checked_div(self.bones).unwrap_or(0);
        self.poses.extend_from_slice(locals);
        PoseId(u32::try_from(id).unwrap_or(u32::MAX))
    }

    /// Adds a clip's frames, or finds them among those there are, and answers where they start.
    fn place(&mut self, name: &[u8], poses: &[PoseId], memory: &Memory) -> Result<usize, ConvertError> {
        if let Some(&start) = poses.first().and_then(|p| self.first.get(p)) {
            let there = self.frames.get(start..).unwrap_or_default().iter().map(|f| f.pose);
            if there.take(poses.len()).eq(poses.iter().copied()) {
                return Ok(start);
            }
        }
        let start = self.frames.len();
        memory.charge("frames", poses.len(), size_of::<Frame>())?;
        for (i, &pose) in poses.iter().enumerate() {
            let number = format!("_{i}");
            let room = 31_usize.saturating_sub(number.len());
            let mut full: Vec<u8> = name.iter().copied().take(room).collect();
            full.extend_from_slice(number.as_bytes());
            self.push(Name::truncated(&full), pose);
        }
        Ok(start)
    }
}

/// Samples all clips.
pub(crate) fn sample(
    scene: &Scene,
    skeletons: &Skeletons<'_>,
    frames: &mut Frames,
    memory: &Memory,
    losses: &mut Vec<Loss>,
) -> Result<Vec<FrameClip>, ConvertError> {
    let mut clips = Vec::new();
    for (i, clip) in scene.clips.iter().enumerate() {
        let path = format!("clips[{i}]");
        if clip.frames == 0 {
            losses.push(Loss::new("empty-clip", path, "has no frame"));
            continue;
        }
        if clip.interpolation != Interpolation::Matrix || matches!(clip.motion, Motion::Tracks(_)) {
            let message = "between frames, engines blend matrices or their own quaternions";
            losses.push(Loss::new("interpolation", &*path, message));
        }
        let name = name_of(clip, &path, losses);
        let poses = match &clip.motion {
            Motion::Poses { set, frames: list } => {
                let mut poses = memory.reserve("frames", list.len())?;
                for &p in list {
                    let key = (clip.skeleton.0, set.0, p);
                    if let Some(&id) = frames.known.get(&key) {
                        poses.push(id);
                        continue;
                    }
                    let set = scene.pose_sets.get(set.0);
                    let locals = set.and_then(|s| s.pose(p as usize)).unwrap_or_default();
                    let id = new_pose(clip, locals, skeletons, frames, memory)?;
                    frames.known.insert(key, id);
                    poses.push(id);
                }
                poses
            }
            Motion::Tracks(tracks) => {
                if off_frame(tracks) {
                    let message = "keys between whole frames are left out; the motion is sampled";
                    losses.push(Loss::new("resampled", &*path, message));
                }
                let mut sampler = Sampler::new(scene, clip, tracks, &path, losses);
                let mut poses = memory.reserve("frames", clip.frames as usize)?;
                for frame in 0..clip.frames {
                    let locals = sampler.at(frame);
                    poses.push(new_pose(clip, locals, skeletons, frames, memory)?);
                }
                poses
            }
        };
        let start = frames.place(&name, &poses, memory)?;
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        if clip.rate < 1.0 {
            let message = format!("{} frames per second; the engine plays 1", clip.rate);
            losses.push(Loss::measured("fps-clamped", &*path, message, clip.rate.into()));
        }
        clips.push(FrameClip {
            name,
            start: number(start),
            length: number(poses.len()),
            fps: clip.rate,
            looping: clip.looping,
        });
    }
    Ok(clips)
}

fn new_pose(
    clip: &Clip,
    locals: &[Affine],
    skeletons: &Skeletons<'_>,
    frames: &mut Frames,
    memory: &Memory,
) -> Result<PoseId, ConvertError> {
    memory.charge("poses", frames.bones, size_of::<BonePose>())?;
    let mut pose = frames.poses.get(..frames.bones).unwrap_or_default().to_vec();
    skeletons.fill(clip.skeleton.0, locals, &mut pose);
    Ok(frames.pose(&pose))
}

/// A clip's name as the companion can hold it.
fn name_of(clip: &Clip, path: &str, losses: &mut Vec<Loss>) -> Vec<u8> {
    let byte = |c: char| u8::try_from(u32::from(c)).ok().filter(|b| *b >= b' ' && *b != b'"' && *b != 0x7f);
    let name: Vec<u8> = clip.name.chars().take(31).map(|c| byte(c).unwrap_or(b'_')).collect();
    if name.is_empty() || meshwright_core::text::latin1(&name) != clip.name {
        losses.push(Loss::new("name-changed", path, "the clip's name does not fit a companion file"));
    }
    name
}

fn off_frame(tracks: &[Track]) -> bool {
    let whole = |frames: &[f32]| frames.iter().all(|f| *f < 16_777_216.0 && *f % 1.0 == 0.0);
    tracks
        .iter()
        .any(|t| !(whole(&t.translation.frames) && whole(&t.rotation.frames) && whole(&t.scale.frames)))
}

/// Evaluates tracks at whole frames.
struct Sampler<'a> {
    /// Per joint: its rest, and the last track of each channel that has keys.
    joints: Vec<Channels<'a>>,
    interpolation: Interpolation,
    locals: Vec<Affine>,
}

struct Channels<'a> {
    rest: Local,
    trs: Trs,
    translation: Option<&'a Channel<[f32; 3]>>,
    rotation: Option<&'a Channel<[f32; 4]>>,
    scale: Option<&'a Channel<[f32; 3]>>,
}

impl<'a> Sampler<'a> {
    fn new(scene: &'a Scene, clip: &Clip, tracks: &'a [Track], path: &str, losses: &mut Vec<Loss>) -> Self {
        let rests = scene.skeletons.get(clip.skeleton.0).into_iter().flat_map(|s| &s.joints).map(|j| j.rest);
        let mut joints: Vec<_> = rests
            .map(|rest| Channels { rest, trs: Trs::IDENTITY, translation: None, rotation: None, scale: None })
            .collect();
        for track in tracks {
            let Some(joint) = joints.get_mut(track.joint) else { continue };
            joint.translation = Some(&track.translation).filter(|c| !c.is_empty()).or(joint.translation);
            joint.rotation = Some(&track.rotation).filter(|c| !c.is_empty()).or(joint.rotation);
            joint.scale = Some(&track.scale).filter(|c| !c.is_empty()).or(joint.scale);
        }
        let mut sheared = 0.0_f32;
        for joint in joints.iter_mut().filter(|j| j.moves()) {
            let error;
            (joint.trs, error) = match joint.rest {
                Local::Trs(trs) => (trs, 0.0),
                Local::Affine(m) => Trs::from_affine(&m),
            };
            sheared = sheared.max(error);
        }
        if sheared > 1.0e-4 {
            let message = "the rest of a joint that moves is sheared; tracks replace it by a rotation";
            losses.push(Loss::measured("joint-shear", path, message, sheared.into()));
        }
        let locals = Vec::with_capacity(joints.len());
        Self { joints, interpolation: clip.interpolation, locals }
    }

    fn at(&mut self, frame: u32) -> &[Affine] {
        #[expect(clippy::cast_precision_loss, reason = "keys are stored in 32 bits")]
        let at = frame as f32;
        self.locals.clear();
        for joint in &self.joints {
            if !joint.moves() {
                self.locals.push(joint.rest.to_affine());
                continue;
            }
            let mut trs = joint.trs;
            if let Some((a, b, t)) = joint.translation.and_then(|c| around(c, at)) {
                trs.translation = mix(a, b, t);
            }
            if let Some((a, b, t)) = joint.rotation.and_then(|c| around(c, at)) {
                trs.rotation = turn(a, b, t, self.interpolation);
            }
            if let Some((a, b, t)) = joint.scale.and_then(|c| around(c, at)) {
                trs.scale = mix(a, b, t);
            }
            self.locals.push(trs.to_affine());
        }
        &self.locals
    }
}

impl Channels<'_> {
    fn moves(&self) -> bool {
        self.translation.is_some() || self.rotation.is_some() || self.scale.is_some()
    }
}

/// The keys before and after a frame, and how far it is between them.
fn around<T: Copy>(channel: &Channel<T>, at: f32) -> Option<(T, T, f32)> {
    let after = channel.frames.partition_point(|f| *f <= at);
    let last = channel.values.len().checked_sub(1)?;
    let (i, j) = (after.saturating_sub(1).min(last), after.min(last));
    let (a, b) = (*channel.values.get(i)?, *channel.values.get(j)?);
    let (from, to) = (*channel.frames.get(i)?, *channel.frames.get(j)?);
    let t = if to > from { ((at - from) / (to - from)).clamp(0.0, 1.0) } else { 0.0 };
    Some((a, b, t))
}

fn mix<const N: usize>(a: [f32; N], b: [f32; N], t: f32) -> [f32; N] {
    core::array::from_fn(|i| if t == 0.0 { a[i] } else { a[i] + (b[i] - a[i]) * t })
}

/// A rotation between two keys.
fn turn(a: [f32; 4], b: [f32; 4], t: f32, how: Interpolation) -> [f32; 4] {
    if t == 0.0 {
        return a;
    }
    let dot: f32 = a.iter().zip(b).map(|(a, b)| a * b).sum();
    let b = if dot < 0.0 && how != Interpolation::Linear { b.map(|c| -c) } else { b };
    if how != Interpolation::Spherical {
        return normalize(mix(a, b, t)).unwrap_or(a);
    }
    // Halving the arc needs no trigonometry and meets the spherical blend to the last bit of `t`.
    let (mut a, mut b, mut t) = (a, b, t);
    for _ in 0..24 {
        let Some(half) = normalize(mix(a, b, 0.5)) else { break };
        t *= 2.0;
        if t >= 1.0 {
            (a, t) = (half, t - 1.0);
        } else {
            b = half;
        }
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halving_meets_the_spherical_blend() {
        // A quarter turn about z: a third of the way is 30 degrees.
        let s = core::f32::consts::FRAC_1_SQRT_2;
        let q = turn([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, s, s], 1.0 / 3.0, Interpolation::Spherical);
        let expected = (15.0_f32).to_radians().sin_cos();
        assert!((q[2] - expected.0).abs() < 1e-6 && (q[3] - expected.1).abs() < 1e-6, "{q:?}");
    }

    #[test]
    fn keys_are_found_and_ends_are_held() {
        let mut c = Channel::new();
        c.push(2.0, [0.0; 3]);
        c.push(4.0, [2.0; 3]);
        let at = |f: f32| around(&c, f).map(|(a, b, t)| mix(a, b, t)[0]).unwrap();
        assert_eq!([at(0.0), at(2.0), at(3.0), at(4.0), at(9.0)], [0.0, 0.0, 1.0, 2.0, 2.0]);
        assert!(around(&Channel::<[f32; 3]>::new(), 0.0).is_none());
    }
}

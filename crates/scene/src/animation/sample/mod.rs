//! Evaluates a clip at any frame, in 64 bits, for formats that store other poses or keys.
//!
//! [`Sampler`] evaluates every kind of [`Motion`] by the clip's own interpolation. To play clips, use the
//! rig crate, which is faster and gives the same poses.

mod resample;

use crate::animation::motion::{Channel, Clip, Interpolation, Motion, PoseSet};
use crate::convert::ConvertError;
use crate::model::Scene;
use crate::skeleton::Skeleton;
use crate::skeleton::bind::to_model;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::math::quat::{self, Quat};
use meshwright_core::math::{Affine, Affine64, Trs64, dot, lerp, unit, wide};
use meshwright_core::{Budget, LimitExceeded};
pub use resample::Resampling;

/// Evaluates one clip.
#[derive(Debug)]
pub struct Sampler<'s, 'b> {
    clip: &'s Clip,
    skeleton: &'s Skeleton,
    order: Vec<usize>,
    source: MotionSource<'s>,
    rule: Interpolation,
    budget: &'b Budget,
}

#[derive(Debug)]
enum MotionSource<'s> {
    Poses {
        set: &'s PoseSet,
        frames: &'s [u32],
    },
    /// The channels of each joint that has keys.
    JointKeys(Vec<JointKeys<'s>>),
}

#[derive(Clone, Copy, Debug, Default)]
struct JointKeys<'s> {
    translation: Option<&'s Channel<[f32; 3]>>,
    rotation: Option<&'s Channel<[f32; 4]>>,
    scale: Option<&'s Channel<[f32; 3]>>,
}

impl JointKeys<'_> {
    const fn any(&self) -> bool {
        self.translation.is_some() || self.rotation.is_some() || self.scale.is_some()
    }
}

/// A rotation: a quaternion, or the blend of two rotations as matrices.
enum BlendedRotation {
    Quat(Quat),
    Basis([[f64; 3]; 3]),
}

impl<'s, 'b> Sampler<'s, 'b> {
    /// Prepares a clip of a scene. If a joint has several tracks, each channel uses the last track that has
    /// keys for it.
    ///
    /// # Errors
    /// If the clip does not exist or does not fit its skeleton, or if the budget does not suffice for the tables.
    pub fn new(scene: &'s Scene, clip: usize, budget: &'b Budget) -> Result<Self, ConvertError> {
        let fault = |message: &str| ConvertError::invalid(format!("clips[{clip}]"), message);
        let clip = scene.clips.get(clip).ok_or_else(|| fault("does not exist"))?;
        let skeleton =
            scene.skeletons.get(clip.skeleton.0).ok_or_else(|| fault("names a missing skeleton"))?;
        let n = skeleton.joints.len();
        budget.charge_items("joints", n as u64, size_of::<[usize; 4]>())?;
        let order = skeleton.order().ok_or_else(|| fault("its joints form no tree"))?;
        let source = match &clip.motion {
            Motion::Poses { set, frames } => {
                let set = scene.pose_sets.get(set.0).ok_or_else(|| fault("names missing poses"))?;
                if set.joints != n || frames.iter().any(|&f| set.pose(f as usize).is_none()) {
                    return Err(fault("poses do not fit the skeleton"));
                }
                MotionSource::Poses { set, frames }
            }
            Motion::Tracks(tracks) => {
                let mut keys = budget.filled("tracks", n, JointKeys::default())?;
                for track in tracks {
                    let slot = keys.get_mut(track.joint).ok_or_else(|| fault("names a missing joint"))?;
                    slot.translation = last(slot.translation, &track.translation);
                    slot.rotation = last(slot.rotation, &track.rotation);
                    slot.scale = last(slot.scale, &track.scale);
                }
                MotionSource::JointKeys(keys)
            }
        };
        Ok(Self { clip, skeleton, order, source, rule: clip.interpolation, budget })
    }

    /// Sets another interpolation of rotations between keys.
    #[must_use]
    pub const fn ruled(mut self, rule: Interpolation) -> Self {
        self.rule = rule;
        self
    }

    /// Returns the clip.
    #[must_use]
    pub const fn clip(&self) -> &'s Clip {
        self.clip
    }

    /// Returns the skeleton that it moves.
    #[must_use]
    pub const fn skeleton(&self) -> &'s Skeleton {
        self.skeleton
    }

    /// Returns the number of frames.
    #[must_use]
    pub fn frames(&self) -> usize {
        match &self.source {
            MotionSource::Poses { frames, .. } => frames.len(),
            MotionSource::JointKeys(_) => self.clip.frames as usize,
        }
    }

    /// Returns true if the clip moves a joint: the joint has keys, or the clip has complete poses.
    #[must_use]
    pub fn moves(&self, joint: usize) -> bool {
        match &self.source {
            MotionSource::Poses { .. } => joint < self.skeleton.joints.len(),
            MotionSource::JointKeys(keys) => keys.get(joint).is_some_and(JointKeys::any),
        }
    }

    /// Returns true if a key is not at a whole frame.
    #[must_use]
    pub fn is_off_frame(&self) -> bool {
        // Above 2^24 every float is whole, but not every frame number is a float.
        let off = |frames: &[f32]| frames.iter().any(|f| !(*f < 16_777_216.0 && *f % 1.0 == 0.0));
        match &self.source {
            MotionSource::Poses { .. } => false,
            MotionSource::JointKeys(keys) => keys.iter().any(|k| {
                k.translation.is_some_and(|c| off(&c.frames))
                    || k.rotation.is_some_and(|c| off(&c.frames))
                    || k.scale.is_some_and(|c| off(&c.frames))
            }),
        }
    }

    /// Returns the transform of a joint relative to its parent at a frame, which may be fractional. A
    /// looping clip repeats with the period [`frames`](Self::frames). Another clip is held before its first
    /// and after its last frame. NaN counts as frame 0. At a whole frame of a clip of poses, the result is
    /// the stored pose. A joint without keys has its rest pose, as do all joints of a clip without frames.
    #[must_use]
    pub fn local(&self, joint: usize, frame: f64) -> Affine64 {
        let rest = || self.skeleton.joints.get(joint).map_or(Affine64::IDENTITY, |j| j.rest.to_affine64());
        let Some(frame) = self.place(frame) else { return rest() };
        match &self.source {
            MotionSource::Poses { set, frames } => self.posed(set, frames, joint, frame).unwrap_or_else(rest),
            MotionSource::JointKeys(keys) => match keys.get(joint).filter(|k| k.any()) {
                Some(keys) => match self.keyed(keys, joint, frame) {
                    (trs, None) => trs.to_affine(),
                    (trs, Some([x, y, z])) => {
                        let ([a, b, c], w) = (trs.scale, trs.translation);
                        Affine64 { x: x.map(|v| v * a), y: y.map(|v| v * b), z: z.map(|v| v * c), w }
                    }
                },
                None => rest(),
            },
        }
    }

    /// Does the same as [`local`](Self::local), as translation, rotation and scale without shear.
    #[must_use]
    pub fn trs(&self, joint: usize, frame: f64) -> Trs64 {
        if let (MotionSource::JointKeys(keys), Some(frame)) = (&self.source, self.place(frame))
            && let Some(keys) = keys.get(joint).filter(|k| k.any())
            && let (trs, None) = self.keyed(keys, joint, frame)
        {
            return trs;
        }
        match (self.skeleton.joints.get(joint), self.place(frame).is_some() && self.moves(joint)) {
            (Some(joint), false) => joint.rest.to_trs64(),
            _ => Trs64::from_affine(&self.local(joint, frame)),
        }
    }

    /// Computes the transforms of all joints relative to their parents at a frame, into `out`.
    ///
    /// # Errors
    /// If the budget does not suffice for the work, or for the capacity that `out` lacks.
    pub fn locals(&self, frame: f64, out: &mut Vec<Affine64>) -> Result<(), LimitExceeded> {
        let n = self.skeleton.joints.len();
        self.budget.work("poses", n as u64)?;
        out.clear();
        if out.capacity() < n {
            *out = self.budget.reserve("poses", n)?;
        }
        out.extend((0..n).map(|joint| self.local(joint, frame)));
        Ok(())
    }

    /// Computes the transforms of all joints to model space at a frame, into `out`. Joints that follow
    /// others get the mean of those.
    ///
    /// # Errors
    /// As [`locals`](Self::locals).
    pub fn model(&self, frame: f64, out: &mut Vec<Affine64>) -> Result<(), LimitExceeded> {
        self.locals(frame, out)?;
        let follows = self.skeleton.joints.iter().map(|j| j.follows.len() as u64).sum::<u64>();
        self.budget.work("poses", follows.saturating_add(out.len() as u64))?;
        to_model(self.skeleton, &self.order, out);
        Ok(())
    }

    /// Returns a complete pose for each of some frames, for formats without keys.
    ///
    /// # Errors
    /// If the budget does not suffice for the poses.
    pub fn poses(&self, frames: impl ExactSizeIterator<Item = f64>) -> Result<PoseSet, LimitExceeded> {
        let joints = self.skeleton.joints.len();
        let mut locals: Vec<Affine> = self.budget.reserve("poses", joints.saturating_mul(frames.len()))?;
        let mut pose = Vec::new();
        for frame in frames {
            self.locals(frame, &mut pose)?;
            locals.extend(pose.iter().map(Affine64::narrow));
        }
        Ok(PoseSet { joints, locals })
    }

    /// Returns all whole frames, for [`poses`](Self::poses).
    pub fn whole_frames(&self) -> impl ExactSizeIterator<Item = f64> + use<> {
        let n = u32::try_from(self.frames()).unwrap_or(u32::MAX);
        (0..n).map(f64::from)
    }

    /// Maps a frame to the clip: from 0 to less than the number of frames if the clip loops, otherwise up to
    /// the last frame.
    fn place(&self, frame: f64) -> Option<f64> {
        let n = u32::try_from(self.frames()).ok().filter(|n| *n > 0)?;
        let period = f64::from(n);
        if frame.is_nan() || self.clip.looping && frame.is_infinite() {
            return Some(0.0);
        }
        if !self.clip.looping {
            return Some(frame.clamp(0.0, period - 1.0));
        }
        let rest = frame % period;
        let rest = if rest < 0.0 { rest + period } else { rest };
        // A tiny negative remainder would round up to the period itself.
        Some(if rest < period { rest } else { 0.0 })
    }

    fn posed(&self, set: &PoseSet, frames: &[u32], joint: usize, frame: f64) -> Option<Affine64> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the frame was placed inside the clip, and cutting it to a whole number is meant"
        )]
        let first = frame as u32;
        let t = frame - f64::from(first);
        let pose = |f: usize| set.pose(*frames.get(f)? as usize)?.get(joint);
        let first = first as usize;
        let a = pose(first)?.wide();
        let next = Some(first.saturating_add(1)).filter(|next| *next < frames.len()).unwrap_or(0);
        let Some(b) = pose(next).filter(|_| t > 0.0).map(Affine::wide) else { return Some(a) };
        let rule = match self.rule {
            Interpolation::Matrix => {
                let mix = |a, b| lerp(a, b, t);
                return Some(Affine64 {
                    x: mix(a.x, b.x),
                    y: mix(a.y, b.y),
                    z: mix(a.z, b.z),
                    w: mix(a.w, b.w),
                });
            }
            // The signs of quaternions from matrices have no meaning, so the short way is taken.
            Interpolation::Linear | Interpolation::LinearShort => Interpolation::LinearShort,
            Interpolation::Spherical => Interpolation::Spherical,
        };
        let (a, b) = (Trs64::from_affine(&a), Trs64::from_affine(&b));
        let rotation = match turn(a.rotation, b.rotation, t, rule) {
            BlendedRotation::Quat(q) => q,
            BlendedRotation::Basis(basis) => quat::from_basis(basis),
        };
        let translation = lerp(a.translation, b.translation, t);
        Some(Trs64 { translation, rotation, scale: lerp(a.scale, b.scale, t) }.to_affine())
    }

    /// Returns the transform from keys, and its rotation as a matrix if rotations are blended as matrices.
    fn keyed(&self, keys: &JointKeys<'_>, joint: usize, frame: f64) -> (Trs64, Option<[[f64; 3]; 3]>) {
        let rest = self.skeleton.joints.get(joint).map_or(Trs64::IDENTITY, |j| j.rest.to_trs64());
        let period = self.clip.looping.then_some(f64::from(self.clip.frames));
        let vector = |c: Option<&Channel<[f32; 3]>>| {
            sample_keys(c?, frame, period, wide, |a, b, t| lerp(wide(a), wide(b), t))
        };
        let rotation = keys.rotation.and_then(|c| {
            let rule = self.rule;
            sample_keys(
                c,
                frame,
                period,
                |q| BlendedRotation::Quat(wide(q)),
                |a, b, t| turn(wide(a), wide(b), t, rule),
            )
        });
        let (rotation, basis) = match rotation {
            Some(BlendedRotation::Quat(q)) => (q, None),
            Some(BlendedRotation::Basis(basis)) => (quat::from_basis(basis), Some(basis)),
            None => (rest.rotation, None),
        };
        let trs = Trs64 {
            translation: vector(keys.translation).unwrap_or(rest.translation),
            rotation,
            scale: vector(keys.scale).unwrap_or(rest.scale),
        };
        (trs, basis)
    }
}

fn last<'s, T>(old: Option<&'s Channel<T>>, new: &'s Channel<T>) -> Option<&'s Channel<T>> {
    if new.is_empty() || new.frames.is_empty() { old } else { Some(new) }
}

/// Interpolates between two keys by a rule.
fn turn(a: Quat, b: Quat, t: f64, rule: Interpolation) -> BlendedRotation {
    let mixed = |b| unit(lerp(a, b, t)).unwrap_or(quat::IDENTITY);
    match rule {
        // Exactly opposite keys have no midpoint and mean the same rotation: the earlier one is used.
        Interpolation::Linear if a == b.map(|c| -c) => BlendedRotation::Quat(a),
        Interpolation::Linear => BlendedRotation::Quat(mixed(b)),
        Interpolation::LinearShort => {
            BlendedRotation::Quat(mixed(if dot(a, b) < 0.0 { b.map(|c| -c) } else { b }))
        }
        Interpolation::Spherical => {
            let (a, b) = (unit(a).unwrap_or(quat::IDENTITY), unit(b).unwrap_or(quat::IDENTITY));
            BlendedRotation::Quat(quat::slerp(a, quat::toward(a, b), t))
        }
        Interpolation::Matrix => {
            let (a, b) = (quat::to_basis(a), quat::to_basis(b));
            let ([a, b, c], [d, e, f]) = (a, b);
            BlendedRotation::Basis([lerp(a, d, t), lerp(b, e, t), lerp(c, f, t)])
        }
    }
}

/// Returns the value of a channel at a frame: that of a key, or a blend of two. `period` is that of a
/// looping clip, whose last key blends into its first.
fn sample_keys<T: Copy, U>(
    channel: &Channel<T>,
    frame: f64,
    period: Option<f64>,
    key: impl Fn(T) -> U,
    between: impl Fn(T, T, f64) -> U,
) -> Option<U> {
    let count = channel.values.len().min(channel.frames.len());
    let last = count.checked_sub(1)?;
    let frames = channel.frames.get(..count)?;
    let time = |i: usize| frames.get(i).copied().map_or(0.0, f64::from);
    let value = |i: usize| channel.values.get(i).copied();
    let blend = |a: usize, b: usize, t: f64| Some(between(value(a)?, value(b)?, t));
    // The number of keys at or before the frame.
    let n = frames.partition_point(|&k| f64::from(k) <= frame);
    if let Some(before) = n.checked_sub(1) {
        if time(before) == frame {
            return value(before).map(key);
        }
        if n <= last {
            return blend(before, n, (frame - time(before)) / (time(n) - time(before)));
        }
    }
    // Before the first key or after the last one.
    let edge = if n == 0 { 0 } else { last };
    let Some(period) = period else { return value(edge).map(key) };
    let gap = time(0) + period - time(last);
    let passed = if n == 0 { frame + period - time(last) } else { frame - time(last) };
    // Keys that reach beyond the period leave no gap to blend across.
    if last == 0 || gap <= 0.0 || !(0.0..=gap).contains(&passed) {
        return value(edge).map(key);
    }
    blend(last, 0, passed / gap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::animation::motion::{PoseSetId, Track};
    use crate::model::ids::SkeletonId;
    use crate::skeleton::{Joint, Local};
    use crate::testing::strategy::wild_scene;
    use alloc::vec;
    use core::f64::consts::FRAC_PI_2;
    use meshwright_core::Limits;
    use meshwright_core::math::{Trs, narrow};
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn budget() -> Budget {
        Budget::new(Limits::default())
    }

    /// Two joints at x = 1 and 2; the second has keys at frames 0 and 2 of 4.
    fn scene(interpolation: Interpolation, looping: bool) -> Scene {
        let joint = |parent| {
            Joint::new("j", parent, Local::Trs(Trs { translation: [1.0, 0.0, 0.0], ..Trs::IDENTITY }))
        };
        let mut track = Track { joint: 1, ..Track::default() };
        track.translation.push(0.0, [0.0; 3]);
        track.translation.push(2.0, [4.0, 0.0, 0.0]);
        track.rotation.push(0.0, [0.0, 0.0, 0.0, 1.0]);
        track.rotation.push(2.0, narrow(quat::about([0.0, 0.0, 1.0], FRAC_PI_2).map(|c| -c)));
        let clip = Clip {
            name: "turn".into(),
            skeleton: SkeletonId(0),
            rate: 2.0,
            frames: 4,
            looping,
            start: 0,
            interpolation,
            motion: Motion::Tracks(vec![track]),
            extras: None,
        };
        let skeleton = Skeleton { joints: vec![joint(None), joint(Some(0))], ..Skeleton::default() };
        Scene { skeletons: vec![skeleton], clips: vec![clip], ..Scene::default() }
    }

    #[test]
    fn keys_are_blended_by_the_rule() {
        let budget = budget();
        let degrees = |rule| {
            let scene = scene(rule, false);
            let sampler = Sampler::new(&scene, 0, &budget).unwrap();
            let x = sampler.local(1, 0.5).x;
            meshwright_core::math::atan2(x[1], x[0]).to_degrees()
        };
        assert!((degrees(Interpolation::Spherical) - 22.5).abs() < 1e-4);
        assert!((degrees(Interpolation::LinearShort) - 21.598).abs() < 1e-2);
        assert!((degrees(Interpolation::Linear) + 34.278).abs() < 1e-2, "the long way");
        assert!((degrees(Interpolation::Matrix) - 18.435).abs() < 1e-2);
    }

    #[test]
    fn ends_are_held_or_closed() {
        let budget = budget();
        let x = |looping, frame: f64| {
            let scene = scene(Interpolation::LinearShort, looping);
            let sampler = Sampler::new(&scene, 0, &budget).unwrap();
            sampler.trs(1, frame).translation[0]
        };
        assert_eq!([x(false, -1.0), x(false, 1.0), x(false, 3.0), x(false, 99.0)], [0.0, 2.0, 4.0, 4.0]);
        assert_eq!([x(true, 3.0), x(true, 4.0), x(true, 5.0), x(true, -1.0)], [2.0, 0.0, 2.0, 2.0]);
        assert_eq!([x(true, f64::NAN), x(true, f64::INFINITY)], [0.0, 0.0]);
    }

    #[test]
    fn model_space_and_dense_poses() {
        let (scene, budget) = (scene(Interpolation::LinearShort, false), budget());
        let sampler = Sampler::new(&scene, 0, &budget).unwrap();
        let mut model = Vec::new();
        sampler.model(2.0, &mut model).unwrap();
        assert_eq!(model[1].w, [5.0, 0.0, 0.0]);
        assert_eq!((sampler.moves(0), sampler.moves(1), sampler.is_off_frame()), (false, true, false));
        assert_eq!(sampler.trs(0, 1.0).translation, [1.0, 0.0, 0.0]);
        let poses = sampler.poses(sampler.whole_frames()).unwrap();
        let x: Vec<_> = (0..4).map(|f| poses.pose(f).unwrap()[1].w[0]).collect();
        assert_eq!(x, [0.0, 2.0, 4.0, 4.0]);
        assert_eq!(scene.clips[0].duration_seconds(), 1.5);
    }

    #[test]
    fn poses_are_as_stored_at_whole_frames() {
        let (mut scene, budget) = (scene(Interpolation::Linear, false), budget());
        let sheared = Affine { y: [0.5, 1.0, 0.0], ..Affine::IDENTITY };
        let locals = vec![sheared, sheared, Affine::IDENTITY, Affine { w: [2.0; 3], ..Affine::IDENTITY }];
        scene.pose_sets = vec![PoseSet { joints: 2, locals }];
        scene.clips[0].motion = Motion::Poses { set: PoseSetId(0), frames: vec![1, 0] };
        let sampler = Sampler::new(&scene, 0, &budget).unwrap();
        assert_eq!(sampler.local(0, 1.0).narrow(), sheared);
        assert_eq!(sampler.local(1, 0.5).w, [1.0; 3]);
        assert_eq!(sampler.frames(), 2);
    }

    #[test]
    fn work_has_an_end() {
        let mut scene = scene(Interpolation::Spherical, true);
        scene.clips[0].frames = u32::MAX;
        let small = Budget::new(Limits::default().with_memory(10_000));
        let sampler = Sampler::new(&scene, 0, &small).unwrap();
        assert!(sampler.poses(sampler.whole_frames()).is_err());
        let mut pose = Vec::new();
        let refused = sampler.whole_frames().find_map(|f| sampler.locals(f, &mut pose).err());
        assert_eq!(refused.map(|e| e.unit()), Some("steps"));
    }

    proptest! {
        #[test]
        fn any_clip_has_finite_poses(scene in wild_scene(), frame in -9.0..9.0_f64) {
            let budget = budget();
            for i in 0..scene.clips.len() {
                let sampler = Sampler::new(&scene, i, &budget).unwrap();
                let mut model = Vec::new();
                for frame in [frame, frame.round(), f64::NAN, f64::NEG_INFINITY] {
                    sampler.model(frame, &mut model).unwrap();
                    prop_assert!(model.iter().all(Affine64::is_finite));
                }
                for joint in 0..sampler.skeleton().joints.len() {
                    let (trs, local) = (sampler.trs(joint, frame), sampler.local(joint, frame));
                    prop_assert_eq!(trs.translation, local.w);
                }
            }
        }
    }
}

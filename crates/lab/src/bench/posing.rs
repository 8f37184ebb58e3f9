//! Whole poses: sampled, concatenated, made into a palette.

use super::measure::{Contender, Effort, Samples, keep, measure};
use super::meshes::{Random, skeleton};
use meshwright::rig::glam::{Affine3A, Quat, Vec3};
use meshwright::rig::{Animation, Layer, LocalPose, Player, Rig, Sampler};
use meshwright::scene::{
    Channel, Clip, Interpolation, Motion, PoseSet, PoseSetId, Scene, SkeletonId, Track, Trs,
};

const FRAMES: u32 = 60;

/// One joint of one frame, as a program on plain glam has it.
#[derive(Clone, Copy)]
struct Parts {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
}

/// A clip for one skeleton, for ours and for the peer.
pub(crate) struct Case {
    scene: Scene,
    rig: Rig,
    parents: Vec<Option<usize>>,
    inverse_bind: Vec<Affine3A>,
    frames: Vec<Vec<Parts>>,
}

impl Case {
    pub(crate) fn new(joints: usize, keyed: bool) -> Result<Self, String> {
        let skeleton = skeleton(joints);
        let rig = Rig::new(&skeleton).map_err(|e| e.to_string())?;
        let mut random = Random::new(3);
        let frames: Vec<Vec<Parts>> = (0..FRAMES)
            .map(|_| {
                let joint =
                    |_| Parts { translation: random.vector(), rotation: random.rotation(), scale: Vec3::ONE };
                (0..joints).map(joint).collect()
            })
            .collect();
        let trs = |p: &Parts| Trs {
            translation: p.translation.into(),
            rotation: p.rotation.into(),
            scale: p.scale.into(),
        };
        let mut scene = Scene::default();
        let motion = if keyed {
            let track = |joint: usize| {
                let mut track = Track { joint, ..Track::default() };
                for (f, pose) in frames.iter().enumerate() {
                    track.translation.push(f as f32, pose[joint].translation.into());
                    track.rotation.push(f as f32, pose[joint].rotation.into());
                }
                track.scale = Channel::new();
                track
            };
            Motion::Tracks((0..joints).map(track).collect())
        } else {
            let locals = frames.iter().flatten().map(|p| trs(p).to_affine()).collect();
            scene.pose_sets.push(PoseSet { joints, locals });
            Motion::Poses { set: PoseSetId(0), frames: (0..FRAMES).collect() }
        };
        scene.clips.push(
            Clip::new("run", SkeletonId(0), 30.0, motion)
                .with_frames(FRAMES, true)
                .with_interpolation(Interpolation::LinearShort),
        );
        let parents = skeleton.joints.iter().map(|j| j.parent).collect();
        let bind = |m: &meshwright::scene::Affine| Affine3A {
            matrix3: meshwright::rig::glam::Mat3A::from_cols(m.x.into(), m.y.into(), m.z.into()),
            translation: m.w.into(),
        };
        let inverse_bind = skeleton.joints.iter().map(|j| bind(&j.inverse_bind)).collect();
        scene.skeletons.push(skeleton);
        Ok(Self { scene, rig, parents, inverse_bind, frames })
    }

    /// Ours, and plain glam.
    pub(crate) fn measure(&self, effort: Effort) -> Result<Samples, String> {
        let n = self.rig.joint_count();
        let sampler = Sampler::new(&self.scene, 0).map_err(|e| e.to_string())?;
        let animation = Animation::new(&self.rig, &sampler).map_err(|e| e.to_string())?;
        let mut player = Player::new(&animation);
        let mut pose = LocalPose::new(&self.rig);
        let mut model = vec![Affine3A::IDENTITY; n];
        let mut palette = model.clone();
        let (mut plain_model, mut plain_palette) = (model.clone(), model.clone());
        let (mut at, mut plain_at) = (0.0_f64, 0.0_f32);
        let mut contenders = [
            Contender::new(|| {
                at = (at + 0.37) % f64::from(FRAMES);
                let done = player.sample(at, &mut pose);
                if done.is_ok() && self.rig.compose(&pose, &mut model, &mut palette).is_ok() {
                    keep(&mut palette);
                }
            }),
            Contender::new(|| {
                plain_at = (plain_at + 0.37) % FRAMES as f32;
                self.plain(plain_at, &mut plain_model, &mut plain_palette);
                keep(&mut plain_palette);
            }),
        ];
        Ok(measure(effort, &mut contenders))
    }

    /// Three poses mixed into one, ours and on plain glam.
    pub(crate) fn measure_blend(&self, effort: Effort) -> Result<Samples, String> {
        const WEIGHTS: [f32; 3] = [0.5, 0.3, 0.2];
        let sampler = Sampler::new(&self.scene, 0).map_err(|e| e.to_string())?;
        let animation = Animation::new(&self.rig, &sampler).map_err(|e| e.to_string())?;
        let mut player = Player::new(&animation);
        let mut poses = [(); 3].map(|()| LocalPose::new(&self.rig));
        for (pose, frame) in poses.iter_mut().zip([0.0, 1.0, 2.0]) {
            player.sample(frame, pose).map_err(|e| e.to_string())?;
        }
        let [a, b, c] = &poses;
        let layers = [Layer::new(a, WEIGHTS[0]), Layer::new(b, WEIGHTS[1]), Layer::new(c, WEIGHTS[2])];
        let mut out = LocalPose::new(&self.rig);
        let mut plain = self.frames[0].clone();
        let mut contenders = [
            Contender::new(|| {
                if out.blend(&self.rig, &layers).is_ok() {
                    keep(&mut out);
                }
            }),
            Contender::new(|| {
                for (j, mixed) in plain.iter_mut().enumerate() {
                    let first = self.frames[0][j].rotation;
                    let (mut t, mut r, mut s) = (Vec3::ZERO, Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), Vec3::ZERO);
                    for (frame, weight) in self.frames.iter().zip(WEIGHTS) {
                        let part = &frame[j];
                        t += part.translation * weight;
                        s += part.scale * weight;
                        // A rotation has two signs; the sum wants that of the first.
                        r += part.rotation * weight.copysign(weight * first.dot(part.rotation));
                    }
                    *mixed = Parts { translation: t, rotation: r.normalize(), scale: s };
                }
                keep(&mut plain);
            }),
        ];
        Ok(measure(effort, &mut contenders))
    }

    /// Parents come first in this skeleton.
    fn plain(&self, frame: f32, model: &mut [Affine3A], palette: &mut [Affine3A]) {
        let first = frame as usize;
        let t = frame - first as f32;
        let (a, b) = (&self.frames[first], &self.frames[(first + 1) % self.frames.len()]);
        for j in 0..a.len() {
            let (a, b) = (&a[j], &b[j]);
            let local = Affine3A::from_scale_rotation_translation(
                a.scale.lerp(b.scale, t),
                a.rotation.lerp(b.rotation, t),
                a.translation.lerp(b.translation, t),
            );
            let m = match self.parents[j] {
                Some(p) => model[p] * local,
                None => local,
            };
            model[j] = m;
            palette[j] = m * self.inverse_bind[j];
        }
    }
}

//! Whole poses: sampled, concatenated, made into a palette.

use super::measure::{Contender, Effort, Samples, keep, measure};
use super::meshes::{Random, skeleton};
use meshwright::rig::glam::{Affine3A, Quat, Vec3};
use meshwright::rig::{Animation, LocalPose, Player, Rig, Sampler};
use meshwright::scene::{Clip, Interpolation, Motion, PoseSet, PoseSetId, Scene, SkeletonId, Trs};

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
    pub(crate) fn new(joints: usize) -> Result<Self, String> {
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
        let locals = frames.iter().flatten().map(|p| trs(p).to_affine()).collect();
        scene.pose_sets.push(PoseSet { joints, locals });
        let motion = Motion::Poses { set: PoseSetId(0), frames: (0..FRAMES).collect() };
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

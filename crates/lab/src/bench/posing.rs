//! Whole poses: sampled, concatenated, made into a palette.

use super::measure::{Contender, Effort, Samples, keep, measure};
use super::meshes::{Random, skeleton};
use meshwright::rig::glam::{Affine3A, Mat3A, Quat, Vec3};
use meshwright::rig::{Animation, LocalPose, Player, Rig, Sampler};
use meshwright::scene::{Affine, Clip, Interpolation, Motion, PoseSet, PoseSetId, Scene, SkeletonId, Trs};

const FRAMES: u32 = 60;

/// One joint of one frame, as a program on plain glam has it.
#[derive(Clone, Copy)]
struct Parts {
    translation: Vec3,
    rotation: Quat,
    scale: Vec3,
}

/// Measures a clip of a skeleton, by the library and on plain glam.
pub(crate) fn measure_poses(joints: usize, effort: Effort) -> Result<Samples, String> {
    let (skeleton, mut random) = (skeleton(joints), Random::new(3));
    let rig = Rig::new(&skeleton).map_err(|e| e.to_string())?;
    let mut joint = || Parts { translation: random.vector(), rotation: random.rotation(), scale: Vec3::ONE };
    let frames: Vec<Vec<Parts>> = (0..FRAMES).map(|_| (0..joints).map(|_| joint()).collect()).collect();
    let affine = |p: &Parts| {
        Trs { translation: p.translation.into(), rotation: p.rotation.into(), scale: p.scale.into() }
            .to_affine()
    };
    let mut scene = Scene::default();
    scene.pose_sets.push(PoseSet { joints, locals: frames.iter().flatten().map(affine).collect() });
    let motion = Motion::Poses { set: PoseSetId(0), frames: (0..FRAMES).collect() };
    let clip = Clip::new("run", SkeletonId(0), 30.0, motion).with_frames(FRAMES).with_looping(true);
    scene.clips.push(clip.with_interpolation(Interpolation::LinearShort));
    let parents: Vec<_> = skeleton.joints.iter().map(|j| j.parent).collect();
    let bind = |m: &Affine| Affine3A {
        matrix3: Mat3A::from_cols(m.x.into(), m.y.into(), m.z.into()),
        translation: m.w.into(),
    };
    let inverse_bind: Vec<_> = skeleton.joints.iter().map(|j| bind(&j.inverse_bind)).collect();
    scene.skeletons.push(skeleton);
    let sampler = Sampler::new(&scene, 0).map_err(|e| e.to_string())?;
    let animation = Animation::new(&rig, &sampler).map_err(|e| e.to_string())?;
    let (mut player, mut pose) = (Player::new(&animation), LocalPose::new(&rig));
    let mut model = vec![Affine3A::IDENTITY; joints];
    let mut palette = model.clone();
    let (mut plain_model, mut plain_palette) = (model.clone(), model.clone());
    let (mut at, mut plain_at) = (0.0_f64, 0.0_f32);
    let ours = Contender::new(|| {
        at = (at + 0.37) % f64::from(FRAMES);
        let done = player.sample(at, &mut pose);
        if done.is_ok() && rig.compose(&pose, &mut model, &mut palette).is_ok() {
            keep(&mut palette);
        }
    });
    let plain = Contender::new(|| {
        plain_at = (plain_at + 0.37) % FRAMES as f32;
        let (first, t) = (plain_at as usize, plain_at.fract());
        let (from, to) = (&frames[first], &frames[(first + 1) % frames.len()]);
        // Parents come first in this skeleton.
        for (j, (a, b)) in from.iter().zip(to).enumerate() {
            let local = Affine3A::from_scale_rotation_translation(
                a.scale.lerp(b.scale, t),
                a.rotation.lerp(b.rotation, t),
                a.translation.lerp(b.translation, t),
            );
            plain_model[j] = parents[j].map_or(local, |parent| plain_model[parent] * local);
            plain_palette[j] = plain_model[j] * inverse_bind[j];
        }
        keep(&mut plain_palette);
    });
    Ok(measure(effort, &mut [ours, plain]))
}

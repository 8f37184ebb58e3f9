//! Tests arguments at the limits of what is allowed.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a failing test panics; numbers are small"
)]

use meshwright_rig::glam::{Affine3A, DAffine3, Quat, Vec3};
use meshwright_rig::{
    Animation, Evaluator, JointIndices, JointPose, JointSet, Layer, LocalPose, Matrix, PlanOptions, Player,
    Pose, Rig, RootMotion, Sampler, SkinPlan, SkinSource,
};
use meshwright_scene::{
    Affine, Channel, Clip, Interpolation, Joint, Local, Motion, PoseSet, PoseSetId, Scene, Skeleton,
    SkeletonId, Track, Trs,
};

/// Returns a scene with a root joint at (0, 7, 0) and a clip that moves it.
fn scene(motion: Motion, frames: u32, looping: bool) -> Scene {
    let rest = Trs { translation: [0.0, 7.0, 0.0], ..Trs::IDENTITY };
    Scene::default()
        .with_skeletons(vec![Skeleton {
            name: String::new(),
            joints: vec![Joint::new("root", None, Local::Trs(rest))],
        }])
        .with_pose_sets(vec![PoseSet { joints: 1, locals: vec![Affine::IDENTITY] }])
        .with_clips(vec![
            Clip::new(String::new(), SkeletonId(0), 0.0, motion)
                .with_frames(frames)
                .with_looping(looping)
                .with_interpolation(Interpolation::LinearShort),
        ])
}

fn along_x(keys: &[(f32, f32)]) -> Motion {
    let mut translation = Channel::new();
    keys.iter().for_each(|&(frame, x)| translation.push(frame, [x, 0.0, 0.0]));
    Motion::Tracks(vec![Track { joint: 0, translation, ..Track::default() }])
}

/// Returns the position of the joint at a frame, by sampler and by player.
fn place(scene: &Scene, frame: f64) -> [Vec3; 2] {
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let sampler = Sampler::new(scene, 0).unwrap();
    let mut sampled = [Affine3A::IDENTITY];
    sampler.sample(&rig, frame, &mut sampled).unwrap();
    let animation = Animation::new(&rig, &sampler).unwrap();
    let mut pose = LocalPose::new(&rig);
    // The old content of the pose is overwritten.
    pose.set(&rig, 0, &JointPose { translation: Vec3::splat(99.0), ..JointPose::IDENTITY }).unwrap();
    Player::new(&animation).sample(frame, &mut pose).unwrap();
    [sampled[0].translation.into(), pose.get(&rig, 0).unwrap().translation]
}

#[test]
fn a_clip_that_does_not_loop_is_held_for_ever() {
    let held = scene(along_x(&[(0.0, 1.0), (3.0, 4.0)]), 4, false);
    assert_eq!(place(&held, f64::INFINITY), [Vec3::X * 4.0; 2]);
    assert_eq!(place(&held, f64::NEG_INFINITY), [Vec3::X; 2]);
    assert_eq!(place(&held, f64::NAN), [Vec3::X; 2]);
    let looping = scene(along_x(&[(0.0, 1.0), (3.0, 4.0)]), 4, true);
    for frame in [f64::INFINITY, f64::NEG_INFINITY, f64::NAN, -1e-300, 0.0, 4.0, -4.0] {
        assert_eq!(place(&looping, frame), [Vec3::X; 2], "{frame}");
    }
}

#[test]
fn a_clip_without_frames_is_the_rest_pose() {
    let rest = [Vec3::Y * 7.0; 2];
    for looping in [false, true] {
        let poses = Motion::Poses { set: PoseSetId(0), frames: Vec::new() };
        assert_eq!(place(&scene(poses, 0, looping), 1.0), rest);
        assert_eq!(place(&scene(along_x(&[(0.0, 1.0)]), 0, looping), 1.0), rest);
    }
}

#[test]
fn what_has_no_frame_or_no_value_is_no_key() {
    let tracks = |frames: &[f32], values: &[f32]| {
        let values = values.iter().map(|&x| [x, 0.0, 0.0]).collect();
        let translation = Channel { frames: frames.to_vec(), values };
        Motion::Tracks(vec![Track { joint: 0, translation, ..Track::default() }])
    };
    for (frames, values, expected) in [
        (&[][..], &[5.0][..], Vec3::Y * 7.0),
        (&[0.0, 2.0], &[], Vec3::Y * 7.0),
        (&[0.0, 2.0], &[5.0], Vec3::X * 5.0),
        (&[0.0], &[5.0, 6.0], Vec3::X * 5.0),
    ] {
        let found = place(&scene(tracks(frames, values), 3, false), 1.0);
        assert_eq!(found, [expected; 2], "{frames:?} {values:?}");
    }
}

/// The last key is after the end of the loop, so there is no blend across the end.
#[test]
fn keys_behind_the_end_of_a_loop() {
    let clip = scene(along_x(&[(1.0, 10.0), (3.0, 30.0), (4.5, 45.0)]), 4, true);
    for (frame, x) in [(0.0, 10.0), (0.25, 10.0), (0.5, 45.0), (0.75, 27.5), (1.0, 10.0), (3.75, 37.5)] {
        assert_eq!(place(&clip, frame).map(|p| p.x), [x; 2], "{frame}");
    }
    // A player that continues from an earlier frame gives the same result.
    let rig = Rig::new(&clip.skeletons[0]).unwrap();
    let animation = Animation::new(&rig, &Sampler::new(&clip, 0).unwrap()).unwrap();
    let (mut player, mut pose) = (Player::new(&animation), LocalPose::new(&rig));
    for i in (0..64).chain((0..32).rev()) {
        let frame = f64::from(i) / 8.0;
        player.sample(frame, &mut pose).unwrap();
        assert_eq!(pose.get(&rig, 0).unwrap().translation, place(&clip, frame)[0], "{frame}");
    }
}

/// A step is written as two keys that are as close as possible.
#[test]
fn a_step_is_not_overshot() {
    let step = 1001.0_f32.next_up();
    let clip = scene(along_x(&[(0.0, 0.0), (1001.0, 0.0), (step, 1.0), (2000.0, 1.0)]), 2001, false);
    for i in -40..=40 {
        let frame = 1001.0 + f64::from(i) * 1e-5;
        for x in place(&clip, frame).map(|p| p.x) {
            assert!((0.0..=1.0).contains(&x), "{frame}: {x}");
        }
    }
}

#[test]
fn the_figure_does_not_jump_at_the_beginning_and_far_away_is_no_panic() {
    let walk = scene(along_x(&[(0.0, 0.0), (3.0, 3.0)]), 4, true);
    let rig = Rig::new(&walk.skeletons[0]).unwrap();
    let animation = Animation::new(&rig, &Sampler::new(&walk, 0).unwrap()).unwrap();
    let mut player = Player::new(&animation);
    let mut scratch = LocalPose::new(&rig);
    let root = RootMotion::new(0);
    let mut x =
        |a: f64, b: f64| root.between_frames(&rig, &mut player, a, b, &mut scratch).unwrap().translation.x;
    for (a, b) in [(-1e-20, 0.0), (0.0, -1e-20), (-1e-20, 1e-20), (8.0_f64.next_down(), 8.0)] {
        assert!(x(a, b).abs() < 1e-5, "{a:e} {b:e}: {}", x(a, b));
    }
    for (a, b) in [(-0.5, 0.25), (3.75, 4.5), (-8.25, -7.5), (-4.0, -3.25), (7.25, 8.0)] {
        assert!((x(a, b) - 0.75).abs() < 1e-5, "{a} {b}: {}", x(a, b));
    }
    assert!((x(4e9, 4e9 + 8.5) - 8.5).abs() < 1e-3);
    for far in [1e18, 1e19, 1e300, f64::MAX, f64::INFINITY, f64::NAN] {
        let _ = (x(-far, far), x(far, -far), x(0.0, far), x(-far, 0.0), x(far, far));
    }
}

#[test]
fn small_shares_count_as_much_as_large_ones() {
    let motion = along_x(&[(0.0, 0.0)]);
    let rig = Rig::new(&scene(motion, 1, false).skeletons[0]).unwrap();
    let turned = JointPose { rotation: Quat::from_rotation_z(1.0), ..JointPose::IDENTITY };
    let (mut pose, mut out) = (LocalPose::new(&rig), LocalPose::new(&rig));
    pose.set(&rig, 0, &turned).unwrap();
    for weight in [1.0, 1e-10, 1e-18, 1e-30, f32::MIN_POSITIVE] {
        out.blend(&rig, &[Layer::new(&pose, weight), Layer::new(&pose, weight)]).unwrap();
        let found = out.get(&rig, 0).unwrap();
        assert!(found.rotation.angle_between(turned.rotation) < 1e-3, "{weight:e}: {found:?}");
        assert!(found.translation.length() < 1e-6 && found.scale.abs_diff_eq(Vec3::ONE, 1e-6));
    }
    // 1 divided by them is infinite.
    for weight in [1e-40, f32::from_bits(1), 0.0, -1.0, f32::NAN] {
        out.blend(&rig, &[Layer::new(&pose, weight)]).unwrap();
        assert_eq!(out, LocalPose::new(&rig), "{weight:e}");
    }
}

#[test]
fn a_joint_that_is_not_finite_spoils_neither_box_nor_precision() {
    let joint = |name: &str| Joint::new(name, None, Local::default());
    let skeleton = Skeleton { name: String::new(), joints: vec![joint("a"), joint("b"), joint("c")] };
    let rig = Rig::new(&skeleton).unwrap();
    let positions = [[1.0, 2.0, 3.0], [-1.0, 0.0, 1.0], [5.0, 5.0, 5.0], [f32::INFINITY, 0.0, 0.0], [0.0; 3]];
    let joints = [[0, 1, 0, 0], [0, 2, 0, 0], [2, 0, 0, 0], [0, 0, 0, 0], [1, 0, 0, 0]];
    let weights = [
        [0.5, 0.5, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0],
        [f32::INFINITY, 0.0, 0.0, 0.0],
    ];
    let sets = [JointSet::new(JointIndices::U8(&joints), &weights)];
    let source = SkinSource::new(&positions, &sets);
    let plan = SkinPlan::from_source(&source, 3, PlanOptions::default()).unwrap();
    for spoiled in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let mut pose = Pose::<Affine3A>::new(&rig);
        pose.local_matrices_mut()[2].translation.x = spoiled;
        pose.local_matrices_mut()[2].matrix3.y_axis.z = spoiled;
        pose.update(&rig).unwrap();
        let bounds = plan.bounds(&pose).unwrap();
        assert!(bounds.contains(positions[0].into()) && bounds.contains(positions[1].into()), "{bounds:?}");
        assert!(bounds.min.is_finite() && bounds.max.is_finite());
    }
}

#[test]
fn influences_of_weight_zero_are_passed_over_in_either_precision() {
    use meshwright_scene::{Influence, Mesh, Skin};
    let joint = |name: &str| Joint::new(name, None, Local::default());
    let skeleton = Skeleton { name: String::new(), joints: vec![joint("a"), joint("b")] };
    let rig = Rig::new(&skeleton).unwrap();
    let influences = vec![Influence { joint: 0, weight: 1.0 }, Influence { joint: 1, weight: 0.0 }];
    let mesh = Mesh::default()
        .with_positions(vec![[1.0, 2.0, 3.0]])
        .with_normals(vec![[0.0, 0.0, 1.0]])
        .with_skin(Skin { skeleton: SkeletonId(0), starts: vec![0, 2], influences, local: Vec::new() });
    let plan = SkinPlan::new(&mesh, &rig).unwrap();
    let mut pose = Pose::<DAffine3>::new(&rig);
    pose.local_matrices_mut()[1].translation.x = f64::NAN;
    pose.local_matrices_mut()[1].matrix3.x_axis.x = f64::INFINITY;
    pose.update(&rig).unwrap();
    let mut out = [[0.0; 3]];
    plan.positions(&pose, &mut out).unwrap();
    assert_eq!(out, [[1.0, 2.0, 3.0]]);
    plan.normals(&pose, meshwright_rig::NormalLength::AsIs, &mut out).unwrap();
    assert_eq!(out, [[0.0, 0.0, 1.0]]);
}

/// A file may have them, and glam may be built to panic on them.
#[test]
fn rotations_that_are_not_of_unit_length_have_matrices() {
    let rest = Trs { rotation: [0.0, 0.0, 3.0, 1.0], ..Trs::IDENTITY };
    let joints = vec![Joint::new("a", None, Local::Trs(rest))];
    let rig = Rig::new(&Skeleton { name: String::new(), joints }).unwrap();
    let mut pose = Pose::<Affine3A>::new(&rig);
    pose.compose(&rig, &LocalPose::new(&rig)).unwrap();
    let expected = Affine3A::from_affine(&rest.to_affine());
    assert!(pose.local_matrices()[0].abs_diff_eq(pose.model_matrices()[0], 1e-5));
    assert!(pose.local_matrices()[0].abs_diff_eq(expected, 1e-5), "{} {expected}", pose.local_matrices()[0]);
}

#[test]
fn seconds_follow_the_rate_of_the_clip() {
    let mut walk = scene(along_x(&[(0.0, 0.0), (10.0, 10.0)]), 11, false);
    walk.clips[0].rate = 5.0;
    let rig = Rig::new(&walk.skeletons[0]).unwrap();
    let sampler = Sampler::new(&walk, 0).unwrap();
    let animation = Animation::new(&rig, &sampler).unwrap();
    assert_eq!((animation.duration_seconds(), animation.frame_at(0.5)), (2.0, 2.5));
    let mut evaluator = Evaluator::new(&walk).unwrap();
    let mut local = LocalPose::new(&rig);
    let mut pose = Pose::<DAffine3>::new(&rig);
    for (seconds, x) in [(-1.0, 0.0), (0.0, 0.0), (0.5, 2.5), (1.9, 9.5), (2.0, 10.0), (3.0, 10.0)] {
        Player::new(&animation).sample_seconds(seconds, &mut local).unwrap();
        pose.sample_seconds(&rig, &sampler, seconds).unwrap();
        evaluator.pose_seconds(0, seconds).unwrap();
        let evaluated = evaluator.skeleton(0).unwrap().1;
        assert_eq!(f64::from(local.get(&rig, 0).unwrap().translation.x), x);
        assert_eq!(
            (pose.model_matrices()[0].translation.x, evaluated.model_matrices()[0].translation.x),
            (x, x)
        );
    }
    assert!(evaluator.pose_seconds(1, 0.0).is_err());
    // A loop of 11 frames lasts 2.2 seconds.
    walk.clips[0].looping = true;
    let sampler = Sampler::new(&walk, 0).unwrap();
    pose.sample_seconds(&rig, &sampler, 2.2 + 0.5).unwrap();
    assert!((pose.model_matrices()[0].translation.x - 2.5).abs() < 1e-9);
}

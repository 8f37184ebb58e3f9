//! Properties of players, blends and root motion.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; tests use small numbers"
)]

use meshwright_rig::glam::{Affine3A, DAffine3, Quat, Vec3};
use meshwright_rig::{
    Animation, Blend, InstructionSet, JointPose, Layer, LocalPose, Mask, Matrix, Player, Pose, Rig, RootAxes,
    RootMotion, Sampler,
};
use meshwright_scene::strategy::{clean_scene, wild_scene};
use meshwright_scene::{
    Channel, Clip, Interpolation, Joint, Local, MeshId, Motion, Scene, Skeleton, SkeletonId, Track, Trs,
};
use meshwright_testkit::proptest;
use proptest::prelude::*;

fn instruction_sets() -> [InstructionSet; 2] {
    [InstructionSet::PORTABLE, InstructionSet::detect()]
}

fn is_near(a: &Affine3A, b: &Affine3A, tolerance: f32) -> bool {
    let size = b.to_cols_array().iter().fold(1.0_f32, |s, c| s.max(c.abs()));
    a.abs_diff_eq(*b, tolerance * size)
}

/// Returns the sampler of a clip without blending matrix elements, which players do not support.
fn sampler(scene: &Scene, clip: usize) -> Sampler<'_> {
    let sampler = Sampler::new(scene, clip).unwrap();
    if scene.clips[clip].interpolation == Interpolation::Matrix {
        sampler.with_blend(Blend::Rigid)
    } else {
        sampler
    }
}

fn joints() -> impl Strategy<Value = JointPose> {
    // proptest asserts that no step of its sampler leaves a range, so the ends are multiples of the
    // precision of the larger one.
    let number = || -4.0_f32..4.0;
    let vector = || [number(), number(), number()];
    (
        vector(),
        [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, 0.125_f32..1.0],
        [0.25_f32..3.0, 0.25_f32..3.0, 0.25_f32..3.0],
    )
        .prop_map(|(t, q, s)| JointPose {
            translation: t.into(),
            rotation: Quat::from_array(q).normalize(),
            scale: s.into(),
        })
}

fn chain(n: usize) -> Rig {
    let joint = |i: usize| {
        let rest = Trs { translation: [0.0, 1.0, 0.0], ..Trs::IDENTITY };
        Joint::new(format!("{i}"), i.checked_sub(1).map(|p| p / 2), Local::Trs(rest))
    };
    Rig::new(&Skeleton { name: String::new(), joints: (0..n).map(joint).collect() }).unwrap()
}

fn pose_of(rig: &Rig, joints: &[JointPose]) -> LocalPose {
    let mut pose = LocalPose::new(rig);
    for (i, j) in joints.iter().enumerate() {
        pose.set(rig, i, j).unwrap();
    }
    pose
}

fn all(rig: &Rig, pose: &LocalPose) -> Vec<JointPose> {
    (0..rig.joint_count()).map(|j| pose.get(rig, j).unwrap()).collect()
}

fn same(a: &[JointPose], b: &[JointPose], tolerance: f32) -> bool {
    a.iter().zip(b).all(|(a, b)| {
        a.translation.abs_diff_eq(b.translation, tolerance)
            && a.scale.abs_diff_eq(b.scale, tolerance)
            && a.rotation.dot(b.rotation).abs() >= 1.0 - tolerance
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    /// In order, backwards and at random, with one player and with new ones.
    #[test]
    fn players_agree_with_samplers(scene in clean_scene(), jumps in prop::collection::vec(-3.0_f64..9.0, 4)) {
        for (c, clip) in scene.clips.iter().enumerate() {
            for instructions in instruction_sets() {
                let rig = Rig::new(&scene.skeletons[clip.skeleton.0]).unwrap().with_instructions(instructions);
                let sampler = sampler(&scene, c);
                let animation = Animation::new(&rig, &sampler).unwrap();
                let mut player = Player::new(&animation);
                let mut pose = LocalPose::new(&rig);
                let steps = (0..24).map(|i| f64::from(i) * 0.25);
                let times = steps.clone().chain(steps.rev()).chain(jumps.iter().copied());
                for frame in times.chain([f64::NAN, 1e12, -0.0]) {
                    player.sample(frame, &mut pose).unwrap();
                    let mut expected = vec![DAffine3::IDENTITY; rig.joint_count()];
                    sampler.sample(&rig, frame, &mut expected).unwrap();
                    for (joint, e) in expected.iter().enumerate() {
                        let found = pose.get(&rig, joint).unwrap().to_matrix();
                        prop_assert!(is_near(&found, &Affine3A::from_f64(e), 2e-4), "{frame}: {found} {e}");
                    }
                    let mut again = LocalPose::new(&rig);
                    Player::new(&animation).sample(frame, &mut again).unwrap();
                    prop_assert_eq!(&again, &pose);
                }
            }
        }
    }

    #[test]
    fn composing_is_concatenating(scene in wild_scene()) {
        for skeleton in &scene.skeletons {
            for instructions in instruction_sets() {
                let rig = Rig::new(skeleton).unwrap().with_instructions(instructions);
                let parts = LocalPose::new(&rig);
                let mut expected = Pose::<DAffine3>::new(&rig);
                for (j, local) in expected.local_matrices_mut().iter_mut().enumerate() {
                    // Players drop the shear.
                    *local = parts.get(&rig, j).unwrap().to_matrix().to_f64();
                }
                expected.update(&rig).unwrap();
                let mut found = Pose::<Affine3A>::new(&rig);
                found.compose(&rig, &parts).unwrap();
                let size = |m: &Affine3A| m.to_cols_array().iter().fold(1.0_f32, |s, c| s.max(c.abs()));
                for j in 0..rig.joint_count() {
                    let wide = |m: &[DAffine3]| Affine3A::from_f64(&m[j]);
                    prop_assert!(is_near(&found.local_matrices()[j], &wide(expected.local_matrices()), 1e-5));
                    prop_assert!(is_near(&found.model_matrices()[j], &wide(expected.model_matrices()), 1e-3));
                    // With small scales, products of large elements cancel out.
                    let inverse = size(&Affine3A::from_affine(&skeleton.joints[j].inverse_bind));
                    let tolerance = 1e-4 * size(&wide(expected.model_matrices())) * inverse;
                    let (f, e) = (&found.palette()[j], wide(expected.palette()));
                    prop_assert!(f.abs_diff_eq(e, tolerance), "{f} {e}");
                }
            }
        }
    }

    #[test]
    fn a_blend_of_one_pose_is_the_pose(a in prop::collection::vec(joints(), 11), weight in 0.015625_f32..9.0) {
        let rig = chain(11);
        let pose = pose_of(&rig, &a);
        let mut out = LocalPose::new(&rig);
        out.blend(&rig, &[Layer::new(&pose, weight), Layer::new(&pose, 0.5)]).unwrap();
        prop_assert!(same(&all(&rig, &out), &a, 1e-4));
    }

    #[test]
    fn blends_go_by_the_share(
        a in prop::collection::vec(joints(), 9),
        b in prop::collection::vec(joints(), 9),
        t in 0.0_f32..=1.0,
        branch in 0_usize..9,
    ) {
        let rig = chain(9);
        let (pa, pb) = (pose_of(&rig, &a), pose_of(&rig, &b));
        let mut mask = Mask::new(&rig, 0.0);
        mask.set_branch(&rig, branch, 1.0);
        let mut out = LocalPose::new(&rig);
        out.blend(&rig, &[Layer::new(&pa, 1.0 - t), Layer::new(&pb, t).with_mask(&mask)]).unwrap();
        let rest = all(&rig, &LocalPose::new(&rig));
        for (j, found) in all(&rig, &out).iter().enumerate() {
            let inside = std::iter::successors(Some(j), |j| rig.parent(*j)).any(|j| j == branch);
            prop_assert_eq!(mask.get(&rig, j), Some(f32::from(u8::from(inside))));
            let (wa, wb) = (1.0 - t, if inside { t } else { 0.0 });
            let total = wa + wb;
            if total > 1e-3 {
                let mean = |a: Vec3, b: Vec3| (a * wa + b * wb) / total;
                prop_assert!(found.translation.abs_diff_eq(mean(a[j].translation, b[j].translation), 1e-4));
                prop_assert!(found.scale.abs_diff_eq(mean(a[j].scale, b[j].scale), 1e-4));
                let turned = a[j].rotation.lerp(b[j].rotation, wb / total);
                prop_assert!(found.rotation.dot(turned).abs() > 1.0 - 1e-4);
            } else if total == 0.0 {
                prop_assert_eq!(*found, rest[j]);
            }
        }
        out.cross_fade(&rig, &pa, &pb, t).unwrap();
        let mut two = LocalPose::new(&rig);
        two.blend(&rig, &[Layer::new(&pa, 1.0 - t), Layer::new(&pb, t)]).unwrap();
        prop_assert_eq!(&out, &two);
    }

    #[test]
    fn differences_bring_back_the_pose(a in prop::collection::vec(joints(), 10), b in prop::collection::vec(joints(), 10)) {
        let rig = chain(10);
        let (pa, pb) = (pose_of(&rig, &a), pose_of(&rig, &b));
        let mut difference = LocalPose::new(&rig);
        difference.difference(&rig, &pa, &pb).unwrap();
        let mut out = pb.clone();
        out.add(&rig, &[Layer::new(&difference, 1.0)]).unwrap();
        prop_assert!(same(&all(&rig, &out), &a, 1e-4));
        out.copy_from(&pb).unwrap();
        out.add(&rig, &[Layer::new(&difference, 0.0)]).unwrap();
        prop_assert!(same(&all(&rig, &out), &b, 1e-5));
    }

    /// Invalid weights and NaN poses do not panic, and layers without weight change nothing.
    #[test]
    fn strange_layers(weights in prop::collection::vec(any::<f32>(), 3), poison: bool) {
        let rig = chain(5);
        let bad = JointPose { translation: Vec3::NAN, rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), scale: Vec3::INFINITY };
        let spoiled = pose_of(&rig, &[bad; 5]);
        let rest = LocalPose::new(&rig);
        let mut out = LocalPose::new(&rig);
        let layers = [Layer::new(&rest, weights[0]), Layer::new(if poison { &spoiled } else { &rest }, weights[1])];
        out.blend(&rig, &layers).unwrap();
        out.add(&rig, &layers).unwrap();
        out.blend(&rig, &[Layer::new(&rest, 1.0), Layer::new(&spoiled, -weights[2].abs())]).unwrap();
        prop_assert!(same(&all(&rig, &out), &all(&rig, &rest), 1e-6));
        out.blend(&rig, &[]).unwrap();
        prop_assert_eq!(&out, &rest);
        out.difference(&rig, &spoiled, &spoiled).unwrap();
    }

    #[test]
    fn steps_of_the_figure_add_up(
        frames in 2_u32..9,
        looping: bool,
        times in [-20.0_f64..20.0, -20.0_f64..20.0, -20.0_f64..20.0],
        seed in prop::collection::vec(joints(), 9),
    ) {
        let scene = walk(frames, looping, &seed);
        let rig = Rig::new(&scene.skeletons[0]).unwrap();
        let animation = Animation::new(&rig, &Sampler::new(&scene, 0).unwrap()).unwrap();
        let mut player = Player::new(&animation);
        let mut scratch = LocalPose::new(&rig);
        let root = RootMotion::new(0);
        let mut go = |a: f64, b: f64| {
            root.between_frames(&rig, &mut player, a, b, &mut scratch).unwrap().to_matrix()
        };
        let [a, b, c] = times;
        let (one, two, both) = (go(a, b), go(b, c), go(a, c));
        prop_assert!(is_near(&(one * two), &both, 2e-3), "{} {both}", one * two);
        prop_assert!(is_near(&(go(a, b) * go(b, a)), &Affine3A::IDENTITY, 2e-3));
        prop_assert!(is_near(&go(a, a), &Affine3A::IDENTITY, 2e-3));
    }

    #[test]
    fn what_is_taken_out_and_what_stays_make_the_joint(joint in joints()) {
        let rig = chain(3);
        for axes in [RootAxes::GROUND, RootAxes::new(Vec3::ONE, None), RootAxes::new(Vec3::ZERO, Some(Vec3::X))] {
            let mut pose = pose_of(&rig, &[joint]);
            let out = RootMotion::new(0).with_axes(axes).extract(&rig, &mut pose).unwrap();
            let stays = pose.get(&rig, 0).unwrap();
            prop_assert!(is_near(&(out.to_matrix() * stays.to_matrix()), &joint.to_matrix(), 1e-4));
            if axes == RootAxes::GROUND {
                prop_assert!(out.translation.y == 0.0);
                prop_assert!(out.rotation.xyz().x == 0.0 && out.rotation.xyz().z == 0.0);
            }
        }
    }
}

/// Returns a scene whose root joint walks.
fn walk(frames: u32, looping: bool, seed: &[JointPose]) -> Scene {
    let (mut translation, mut rotation) = (Channel::new(), Channel::new());
    for (f, joint) in (0..frames).zip(seed) {
        translation.push(f as f32, joint.translation.into());
        rotation.push(f as f32, joint.rotation.into());
    }
    let track = Track { joint: 0, translation, rotation, ..Track::default() };
    Scene::default()
        .with_skeletons(vec![Skeleton {
            name: String::new(),
            joints: vec![Joint::new("root", None, Local::default())],
        }])
        .with_clips(vec![
            Clip::new("walk", SkeletonId(0), 10.0, Motion::Tracks(vec![track]))
                .with_frames(frames)
                .with_looping(looping)
                .with_interpolation(Interpolation::LinearShort),
        ])
}

#[test]
fn a_walk_goes_on_where_its_clip_begins_anew() {
    let step = |x: f32| JointPose { translation: Vec3::new(x, x, 0.0), ..JointPose::IDENTITY };
    let scene = walk(4, true, &[step(0.0), step(1.0), step(2.0), step(3.0)]);
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let animation = Animation::new(&rig, &Sampler::new(&scene, 0).unwrap()).unwrap();
    let mut player = Player::new(&animation);
    let mut scratch = LocalPose::new(&rig);
    let root = RootMotion::new(0);
    let mut x = |a, b| root.between_frames(&rig, &mut player, a, b, &mut scratch).unwrap().translation;
    // The character moves one unit per frame, without end, and not upwards.
    for (a, b) in [(0.0, 3.0), (0.0, 4.0), (3.5, 8.25), (2.0, 402.0), (5.0, 1.0), (f64::NAN, 1.0)] {
        let expected = if f64::is_nan(a) { 0.0 } else { (b - a) as f32 };
        assert!((x(a, b) - Vec3::new(expected, 0.0, 0.0)).length() < 1e-3, "{a} {b}");
    }
    assert!(RootMotion::new(7).extract(&rig, &mut scratch).is_err());
}

#[test]
fn blends_of_matrices_have_no_parts() {
    let mut scene = walk(3, true, &[JointPose::IDENTITY; 3]);
    scene.clips[0].interpolation = Interpolation::Matrix;
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let sampler = Sampler::new(&scene, 0).unwrap();
    assert!(Animation::new(&rig, &sampler).is_err());
    let animation = Animation::new(&rig, &sampler.with_blend(Blend::Rigid)).unwrap();
    assert_eq!((animation.frame_count(), animation.rate(), animation.is_looping()), (3, 10.0, true));
    assert_eq!(animation.joint_count(), 1);
    let mut foreign = LocalPose::new(&chain(2));
    assert!(Player::new(&animation).sample(0.0, &mut foreign).is_err());
    assert!(foreign.blend(&rig, &[]).is_err() && foreign.add(&rig, &[]).is_err());
    assert!(rig.compose(&foreign, &mut [], &mut []).is_err());
}

#[test]
fn rotations_go_evenly_only_when_spherical() {
    let turn = |angle: f32| JointPose { rotation: Quat::from_rotation_y(angle), ..JointPose::IDENTITY };
    let angle = |rule, frame| {
        let mut scene = walk(2, false, &[turn(0.0), turn(2.8)]);
        scene.clips[0].interpolation = rule;
        let rig = Rig::new(&scene.skeletons[0]).unwrap();
        let animation = Animation::new(&rig, &Sampler::new(&scene, 0).unwrap()).unwrap();
        let mut pose = LocalPose::new(&rig);
        Player::new(&animation).sample(frame, &mut pose).unwrap();
        pose.get(&rig, 0).unwrap().rotation.angle_between(Quat::IDENTITY)
    };
    assert!((angle(Interpolation::Spherical, 0.25) - 0.7).abs() < 1e-3);
    assert!((angle(Interpolation::LinearShort, 0.25) - 0.7).abs() > 0.02);
    assert!((angle(Interpolation::LinearShort, 0.5) - 1.4).abs() < 1e-3);
}

#[test]
fn opposite_keys_hold_the_earlier() {
    let key = Quat::from_rotation_x(1.0);
    let turned = |rotation| JointPose { rotation, ..JointPose::IDENTITY };
    let mut scene = walk(3, true, &[turned(key), turned(-key), turned(key)]);
    scene.clips[0].interpolation = Interpolation::Linear;
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let sampler = Sampler::new(&scene, 0).unwrap();
    let animation = Animation::new(&rig, &sampler).unwrap();
    for frame in [0.5, 1.25, 1.5] {
        let mut pose = LocalPose::new(&rig);
        Player::new(&animation).sample(frame, &mut pose).unwrap();
        assert!(pose.get(&rig, 0).unwrap().rotation.angle_between(key) < 1e-3, "{frame}");
        let mut exact = [DAffine3::IDENTITY];
        sampler.sample(&rig, frame, &mut exact).unwrap();
        assert!(exact[0].abs_diff_eq(DAffine3::from_quat(key.as_dquat()), 1e-6), "{frame}");
    }
}

/// A player that continues looks at few keys, however many there are. One that jumps finds its keys too.
#[test]
fn a_long_clip_plays_in_order_and_at_random() {
    let n = 100_000;
    let mut scene = walk(1, true, &[JointPose::IDENTITY]);
    let Motion::Tracks(tracks) = &mut scene.clips[0].motion else { panic!() };
    tracks[0].translation = Channel::new();
    for f in 0..n {
        tracks[0].translation.push(f as f32, [f as f32, 0.0, 0.0]);
    }
    scene.clips[0].frames = n;
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let animation = Animation::new(&rig, &Sampler::new(&scene, 0).unwrap()).unwrap();
    let mut player = Player::new(&animation);
    let mut pose = LocalPose::new(&rig);
    for i in 0..2 * n {
        let frame = f64::from(i) * 0.49;
        player.sample(frame, &mut pose).unwrap();
        let x = pose.get(&rig, 0).unwrap().translation.x;
        assert!((f64::from(x) - frame).abs() < 0.02, "{frame} {x}");
    }
    for i in 0..1000 {
        let frame = f64::from(i * 7919 % (n - 1)) + 0.5;
        player.sample(frame, &mut pose).unwrap();
        assert!((f64::from(pose.get(&rig, 0).unwrap().translation.x) - frame).abs() < 0.02);
    }
}

/// A solid moves with its joint, even if its vertices follow other joints.
#[test]
fn a_solid_moves_with_the_joint_that_it_bounds() {
    let at = |x: f32| Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY });
    let mut joints = vec![Joint::new("hip", None, at(1.0)), Joint::new("knee", Some(0), at(2.0))];
    joints[1].solid = Some(MeshId(4));
    let mut skeleton = Skeleton { name: String::new(), joints };
    skeleton.bind_rest().unwrap();
    let rig = Rig::new(&skeleton).unwrap();
    let mut pose = Pose::<Affine3A>::new(&rig);
    assert_eq!((rig.solid(0), rig.solid(1), rig.solid(2)), (None, Some(MeshId(4)), None));
    // The joint is bound at 3, so a corner of the solid at 3.5 is half a unit away from it.
    pose.local_matrices_mut()[0] = Affine3A::from_translation(Vec3::new(0.0, 5.0, 0.0));
    pose.local_matrices_mut()[1] = Affine3A::from_rotation_z(core::f32::consts::FRAC_PI_2);
    pose.update(&rig).unwrap();
    let (mesh, matrix) = pose.solid(&rig, 1).unwrap();
    assert_eq!(mesh, MeshId(4));
    let corner = matrix.transform_point3(Vec3::new(3.5, 0.0, 0.0));
    assert!((corner - Vec3::new(0.0, 5.5, 0.0)).length() < 1e-5, "{corner}");
    assert!(pose.solid(&rig, 0).is_none());
}

//! Properties of sampling and skinning.
#![allow(
    clippy::unwrap_used,
    clippy::cast_precision_loss,
    reason = "a failing test panics; tests use small numbers"
)]

use meshwright_rig::glam::{Affine3A, DAffine3, DQuat, DVec3};
use meshwright_rig::{
    Blend, Choice, Evaluator, Matrix, NameMatch, NormalLength, PlanOptions, Pose, Rig, RigError, Sampler,
    SkinPlan, VertexSpace, Workspace, blend_poses, evaluate, world_transforms,
};
use meshwright_scene::strategy::{clean_scene, wild_scene};
use meshwright_scene::{
    Affine, Channel, Clip, Influence, Interpolation, Joint, Local, Mesh, MeshId, Motion, PoseSet, PoseSetId,
    Scene, Skeleton, SkeletonId, Skin, Track, Trs,
};
use meshwright_testkit::proptest;
use proptest::prelude::*;
use std::sync::Arc;

fn distance(a: &[[f32; 3]], b: &[[f32; 3]]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).flat_map(|(a, b)| a.iter().zip(b)).fold(0.0, |d, (a, b)| d.max((a - b).abs()))
}

fn extent(p: &[[f32; 3]]) -> f32 {
    p.iter().flatten().fold(1.0, |e, c| e.max(c.abs()))
}

fn bits(v: &[[f32; 3]]) -> Vec<[u32; 3]> {
    v.iter().map(|v| v.map(f32::to_bits)).collect()
}

fn positions<M: Matrix>(scene: &Scene, at: Option<(usize, f64)>, mesh: usize) -> Option<Vec<[f32; 3]>> {
    let mesh = &scene.meshes[mesh];
    let skin = mesh.skin.as_ref()?;
    let rig = Rig::new(&scene.skeletons[skin.skeleton.0]).unwrap();
    let mut pose = Pose::<M>::new(&rig);
    if let Some((clip, frame)) = at
        && scene.clips[clip].skeleton == skin.skeleton
    {
        pose.sample(&rig, &Sampler::new(scene, clip).unwrap(), frame).unwrap();
    }
    let plan = SkinPlan::new(mesh, &rig).unwrap();
    let mut out = vec![[0.0; 3]; plan.vertex_count()];
    plan.positions(&pose, &mut out).unwrap();
    Some(out)
}

/// Returns frames to test: whole and fractional ones, before the first and after the last.
fn times(clip: &Clip) -> impl Iterator<Item = f64> {
    let n = f64::from(clip.frames);
    (-4..4 * i32::try_from(clip.frames).unwrap().min(8)).map(|f| f64::from(f) / 2.0).chain([n, n + 0.5, 1e9])
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn the_rest_pose_leaves_what_is_bound_to_it(scene in clean_scene()) {
        for (i, mesh) in scene.meshes.iter().enumerate() {
            let pose = evaluate(&scene, None, MeshId(i)).unwrap();
            prop_assert!(distance(&pose.positions, &mesh.positions) <= 2e-4 * extent(&mesh.positions));
            prop_assert_eq!(pose.normals.len(), mesh.normals.len());
        }
    }

    #[test]
    fn no_scene_makes_it_panic_and_evaluation_is_finite_where_matrices_are(scene in wild_scene()) {
        let mut evaluator = Evaluator::new(&scene).unwrap();
        for (c, clip) in scene.clips.iter().enumerate() {
            for frame in times(clip).chain([f64::NAN, f64::INFINITY, -1e-300]) {
                evaluator.pose(Some((c, frame))).unwrap();
                for (i, _) in scene.meshes.iter().enumerate() {
                    let mesh = evaluator.mesh(MeshId(i)).unwrap();
                    prop_assert!(mesh.positions.iter().flatten().all(|v| v.is_finite()));
                }
            }
        }
        prop_assert_eq!(world_transforms(&scene).unwrap().len(), scene.nodes.len());
    }

    #[test]
    fn memory_of_the_caller_gets_the_same_vertices(scene in wild_scene()) {
        let mut evaluator = Evaluator::new(Arc::new(scene.clone())).unwrap();
        if let Some(clip) = scene.clips.first() {
            evaluator.pose(Some((0, times(clip).last().unwrap_or(0.0)))).unwrap();
        }
        let mut work = Workspace::new();
        for (m, expected) in evaluator.meshes().unwrap().iter().enumerate() {
            let mut positions = vec![[f32::NAN; 3]; expected.positions.len()];
            let mut normals = vec![[f32::NAN; 3]; expected.normals.len()];
            let wanted = (!normals.is_empty()).then_some(&mut *normals);
            evaluator.mesh_into(MeshId(m), &mut work, &mut positions, wanted).unwrap();
            prop_assert_eq!(bits(&positions), bits(&expected.positions));
            prop_assert_eq!(bits(&normals), bits(&expected.normals));
            let mut longer = vec![[0.0; 3]; positions.len() + 1];
            prop_assert!(evaluator.mesh_into(MeshId(m), &mut work, &mut longer, None).is_err());
            if expected.normals.is_empty() && !positions.is_empty() {
                let asked = Some(&mut longer[1..]);
                prop_assert!(evaluator.mesh_into(MeshId(m), &mut work, &mut positions, asked).is_err());
            }
        }
    }

    #[test]
    fn both_precisions_agree(scene in clean_scene()) {
        for (m, _) in scene.meshes.iter().enumerate() {
            for c in 0..scene.clips.len() {
                for frame in times(&scene.clips[c]) {
                    let Some(wide) = positions::<DAffine3>(&scene, Some((c, frame)), m) else { continue };
                    let fast = positions::<Affine3A>(&scene, Some((c, frame)), m).unwrap();
                    // The chains have up to seven scaled joints up to eight units apart.
                    prop_assert!(distance(&wide, &fast) <= 1e-4 * extent(&wide), "{:?} {:?}", wide, fast);
                }
            }
        }
    }

    #[test]
    fn stored_poses_come_back_exactly_at_whole_frames(scene in wild_scene()) {
        for (c, clip) in scene.clips.iter().enumerate() {
            let Motion::Poses { set, frames } = &clip.motion else { continue };
            let rig = Rig::new(&scene.skeletons[clip.skeleton.0]).unwrap();
            let sampler = Sampler::new(&scene, c).unwrap();
            let mut locals = vec![Affine3A::IDENTITY; rig.joint_count()];
            for (f, &p) in frames.iter().enumerate() {
                sampler.sample(&rig, f as f64, &mut locals).unwrap();
                let stored = scene.pose_sets[set.0].pose(p as usize).unwrap();
                let back: Vec<_> = locals.iter().map(Matrix::to_affine).collect();
                prop_assert_eq!(&back, stored);
            }
        }
    }

    #[test]
    fn a_looping_clip_repeats_and_another_is_held(scene in wild_scene(), frame in 0.0_f64..5.0) {
        for (c, clip) in scene.clips.iter().enumerate() {
            let rig = Rig::new(&scene.skeletons[clip.skeleton.0]).unwrap();
            let sampler = Sampler::new(&scene, c).unwrap();
            let at = |frame: f64| {
                let mut locals = vec![DAffine3::IDENTITY; rig.joint_count()];
                sampler.sample(&rig, frame, &mut locals).unwrap();
                locals
            };
            let n = f64::from(clip.frames);
            if clip.frames == 0 {
                continue;
            }
            if clip.looping {
                let frame = frame % n;
                for (a, b) in at(frame).iter().zip(at(frame + 3.0 * n)).chain(at(frame).iter().zip(at(frame - n))) {
                    prop_assert!(a.abs_diff_eq(b, 1e-9), "{a:?} {b:?}");
                }
            } else {
                prop_assert_eq!(at(-frame), at(0.0));
                prop_assert_eq!(at(n - 1.0 + frame), at(n - 1.0));
            }
        }
    }

    #[test]
    fn an_evaluator_agrees_with_evaluate(scene in wild_scene()) {
        let mut evaluator = Evaluator::new(&scene).unwrap();
        let moments = (0..scene.clips.len()).map(|c| Some((c, 1.25))).chain([None]);
        for at in moments {
            evaluator.pose(at).unwrap();
            let meshes = evaluator.meshes().unwrap();
            for (m, found) in meshes.iter().enumerate() {
                let alone = evaluate(&scene, at, MeshId(m)).unwrap();
                prop_assert_eq!(bits(&found.positions), bits(&alone.positions));
                prop_assert_eq!(bits(&found.normals), bits(&alone.normals));
            }
        }
    }

    #[test]
    fn skinning_is_linear_in_the_weights(a in -2.0_f32..2.0, b in -2.0_f32..2.0, t: [i8; 3]) {
        let mut skeleton = Skeleton { name: String::new(), joints: vec![
            Joint::new("a", None, Local::default()),
            Joint::new("b", Some(0), Local::default()),
        ] };
        skeleton.bind_rest().unwrap();
        let rig = Rig::new(&skeleton).unwrap();
        let mut pose = Pose::<DAffine3>::new(&rig);
        let t = DVec3::from(t.map(f64::from));
        pose.local_matrices_mut()[0] = DAffine3::from_rotation_translation(
            DQuat::from_rotation_y(0.7), t);
        pose.local_matrices_mut()[1] = DAffine3::from_scale(DVec3::new(1.0, 2.0, 3.0));
        pose.update(&rig).unwrap();
        let at = |wa: f32, wb: f32| {
            let mut skin = Skin::new(SkeletonId(0));
            skin.influences = vec![Influence { joint: 0, weight: wa }, Influence { joint: 1, weight: wb }];
            skin.end_vertex();
            let mesh = Mesh::default().with_positions(vec![[1.0, 2.0, 3.0]]).with_normals(vec![[0.0, 0.0, 1.0]]).with_skin(skin);
            let plan = SkinPlan::new(&mesh, &rig).unwrap();
            let (mut p, mut n) = ([[0.0; 3]], [[0.0; 3]]);
            plan.positions(&pose, &mut p).unwrap();
            plan.normals(&pose, NormalLength::AsIs, &mut n).unwrap();
            [p[0], n[0]].concat()
        };
        prop_assume!(a + b != 0.0);
        let (one, two, both) = (at(1.0, 0.0), at(0.0, 1.0), at(a, b));
        for ((x, y), z) in one.iter().zip(&two).zip(&both) {
            prop_assert!((a * x + b * y - z).abs() <= 1e-3, "{x} {y} {z}");
        }
    }

    #[test]
    fn both_forms_agree_where_the_local_vertices_coincide(scene in clean_scene()) {
        for (m, mesh) in scene.meshes.iter().enumerate() {
            let Some(skin) = mesh.skin.as_ref().filter(|s| !s.local.is_empty()) else { continue };
            let mut bound = scene.clone();
            bound.meshes[m].skin.as_mut().unwrap().local.clear();
            let rig = Rig::new(&scene.skeletons[skin.skeleton.0]).unwrap();
            let stored = PlanOptions::default().with_bind_pose(Choice::Never);
            prop_assert_eq!(SkinPlan::with_options(mesh, &rig, stored).unwrap().vertex_space(), VertexSpace::Joint);
            prop_assert_eq!(SkinPlan::new(&bound.meshes[m], &rig).unwrap().vertex_space(), VertexSpace::Model);
            let moments = (0..scene.clips.len()).map(|c| Some((c, 0.5))).chain([None]);
            for at in moments {
                let local = evaluate(&scene, at, MeshId(m)).unwrap();
                let bind = evaluate(&bound, at, MeshId(m)).unwrap();
                let size = extent(&local.positions).max(extent(&mesh.positions));
                // The inverse bind matrices of chains of scaled joints lose a few digits.
                prop_assert!(distance(&local.positions, &bind.positions) <= 2e-4 * size);
            }
        }
    }

    #[test]
    fn joints_in_any_order_give_the_same_model(scene in clean_scene()) {
        for skeleton in &scene.skeletons {
            let rig = Rig::new(skeleton).unwrap();
            let pose = Pose::<DAffine3>::new(&rig);
            let expected = skeleton.rest_model().unwrap();
            for (a, b) in pose.model_matrices().iter().zip(&expected) {
                prop_assert!(a.abs_diff_eq(DAffine3::from_affine(b), 1e-2));
            }
        }
    }
}

fn one_joint(motion: Motion, interpolation: Interpolation, looping: bool, poses: Vec<Affine>) -> Scene {
    Scene::default()
        .with_skeletons(vec![Skeleton {
            name: String::new(),
            joints: vec![Joint::new("Root", None, Local::default())],
        }])
        .with_pose_sets(vec![PoseSet { joints: 1, locals: poses }])
        .with_clips(vec![
            Clip::new("c", SkeletonId(0), 10.0, motion)
                .with_frames(2)
                .with_looping(looping)
                .with_interpolation(interpolation),
        ])
}

fn quarter_turn() -> Affine {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    Trs { rotation: [0.0, 0.0, half, half], ..Trs::IDENTITY }.to_affine()
}

#[test]
fn matrices_shrink_between_frames_and_rigid_poses_do_not() {
    let motion = || Motion::Poses { set: PoseSetId(0), frames: vec![0, 1] };
    let poses = vec![Affine::IDENTITY, quarter_turn()];
    let scene = one_joint(motion(), Interpolation::Matrix, true, poses);
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let sampler = Sampler::new(&scene, 0).unwrap();
    let x = |sampler: &Sampler<'_>, frame| {
        let mut pose = Pose::<DAffine3>::new(&rig);
        pose.sample(&rig, sampler, frame).unwrap();
        pose.local_matrices()[0].matrix3.x_axis
    };
    let middle = x(&sampler, 0.5);
    assert!(middle.abs_diff_eq(DVec3::new(0.5, 0.5, 0.0), 1e-6));
    let rigid = sampler.clone().with_blend(Blend::Rigid);
    assert!((x(&rigid, 0.5).length() - 1.0).abs() < 1e-6);
    // After the last frame of a looping clip comes the first.
    assert!(x(&sampler, 1.5).abs_diff_eq(middle, 1e-6));
    let held = one_joint(motion(), Interpolation::Matrix, false, vec![Affine::IDENTITY, quarter_turn()]);
    assert_eq!(x(&Sampler::new(&held, 0).unwrap(), 1.5), x(&sampler, 1.0));
}

#[test]
fn tracks_replace_only_what_they_have_keys_for() {
    let mut translation = Channel::new();
    translation.push(0.0, [0.0; 3]);
    translation.push(1.0, [4.0, 0.0, 0.0]);
    let track = Track { joint: 0, translation, ..Track::default() };
    let mut scene = one_joint(Motion::Tracks(vec![track]), Interpolation::LinearShort, false, vec![]);
    let rest = Trs { translation: [9.0; 3], rotation: [0.0, 1.0, 0.0, 0.0], scale: [2.0; 3] };
    scene.skeletons[0].joints[0].rest = Local::Trs(rest);
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let mut pose = Pose::<DAffine3>::new(&rig);
    pose.sample(&rig, &Sampler::new(&scene, 0).unwrap(), 0.25).unwrap();
    let expected = Trs { translation: [1.0, 0.0, 0.0], ..rest }.to_affine();
    assert_eq!(Matrix::to_affine(&pose.model_matrices()[0]), expected);
    // Without keys the rest matrix stays, including shear.
    let shear = Affine { y: [0.5, 1.0, 0.0], ..Affine::IDENTITY };
    scene.skeletons[0].joints[0].rest = Local::Affine(shear);
    scene.clips[0].motion = Motion::Tracks(vec![Track::default()]);
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let mut pose = Pose::<DAffine3>::new(&rig);
    pose.sample(&rig, &Sampler::new(&scene, 0).unwrap(), 0.25).unwrap();
    assert_eq!(Matrix::to_affine(&pose.model_matrices()[0]), shear);
}

#[test]
fn a_joint_can_follow_others() {
    let at = |x: f32| Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY });
    let mut skeleton = Skeleton {
        name: String::new(),
        joints: vec![
            Joint::new("pseudo", Some(1), at(100.0)),
            Joint::new("a", None, at(2.0)),
            Joint::new("b", None, at(4.0)),
        ],
    };
    skeleton.joints[0].follows = vec![(1, 1.0), (2, 3.0)];
    let pose = Pose::<Affine3A>::new(&Rig::new(&skeleton).unwrap());
    assert_eq!(pose.model_matrices()[0].translation.x, 3.5);
    skeleton.joints[0].follows = vec![(1, 0.0)];
    let pose = Pose::<Affine3A>::new(&Rig::new(&skeleton).unwrap());
    assert_eq!(pose.model_matrices()[0], Affine3A::IDENTITY);
}

#[test]
fn attachments_are_found_by_name() {
    let scene = one_joint(Motion::Tracks(vec![]), Interpolation::Linear, false, vec![]);
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let pose = Pose::<DAffine3>::new(&rig);
    assert_eq!(pose.attachment(&rig, "Root", NameMatch::Exact), Some(DAffine3::IDENTITY));
    assert_eq!(pose.attachment(&rig, "ROOT", NameMatch::Exact), None);
    assert_eq!(rig.find_joint("rOOT", NameMatch::IgnoreCase), Some(0));
    assert_eq!(rig.joint_name(0), Some("Root"));
}

#[test]
fn poses_blend_by_either_rule() {
    let a = [DAffine3::IDENTITY];
    let b = [<DAffine3 as Matrix>::from_affine(&quarter_turn())];
    let mut out = [DAffine3::IDENTITY];
    blend_poses(&a, &b, 0.5, Blend::Matrix, &mut out).unwrap();
    assert!((out[0].matrix3.determinant() - 0.5).abs() < 1e-6);
    blend_poses(&a, &b, 0.5, Blend::Rigid, &mut out).unwrap();
    assert!((out[0].matrix3.determinant() - 1.0).abs() < 1e-6);
    assert!(blend_poses(&a, &[], 0.5, Blend::Rigid, &mut out).is_err());
}

#[test]
fn vertices_without_weight_stay_and_lengths_are_checked() {
    let skeleton = Skeleton { name: String::new(), joints: vec![Joint::new("a", None, Local::default())] };
    let rig = Rig::new(&skeleton).unwrap();
    let mut pose = Pose::<Affine3A>::new(&rig);
    pose.local_matrices_mut()[0].translation.x = 5.0;
    pose.update(&rig).unwrap();
    let mut skin = Skin::new(SkeletonId(0));
    skin.end_vertex();
    let mut mesh =
        Mesh::default().with_positions(vec![[1.0; 3]]).with_normals(vec![[0.0, 3.0, 0.0]]).with_skin(skin);
    let plan = SkinPlan::new(&mesh, &rig).unwrap();
    let mut out = [[0.0; 3]];
    plan.positions(&pose, &mut out).unwrap();
    assert_eq!(out, [[1.0; 3]]);
    plan.normals(&pose, NormalLength::AsIs, &mut out).unwrap();
    assert_eq!(out, [[0.0, 3.0, 0.0]]);
    plan.normals(&pose, NormalLength::Unit, &mut out).unwrap();
    assert_eq!(out, [[0.0, 1.0, 0.0]]);
    let short = plan.positions(&pose, &mut []).unwrap_err();
    assert_eq!(short, RigError::Length { what: "result", expected: 1, found: 0 });
    mesh.skin.as_mut().unwrap().influences.push(Influence { joint: 1, weight: 1.0 });
    mesh.skin.as_mut().unwrap().starts = vec![0, 1];
    assert!(SkinPlan::new(&mesh, &rig).is_err());
    mesh.skin = None;
    assert!(SkinPlan::new(&mesh, &rig).is_err());
}

#[test]
fn a_deep_chain_keeps_its_precision_in_64_bits() {
    // With a thousand joints, each rotated and moved, the last 64-bit model matrix is still a rotation.
    let turn = Trs {
        translation: [0.1, 0.0, 0.0],
        rotation: meshwright_scene::normalize([0.01, 0.02, 0.03, 1.0]).unwrap(),
        ..Trs::IDENTITY
    };
    let joints = (0..1000_usize).map(|i| Joint::new("", i.checked_sub(1), Local::Trs(turn))).collect();
    let rig = Rig::new(&Skeleton { name: String::new(), joints }).unwrap();
    let local = <DAffine3 as Matrix>::from_affine(&turn.to_affine());
    let expected = (1..1000).fold(local, |m, _| m * local);
    let wide = Pose::<DAffine3>::new(&rig).model_matrices()[999];
    assert_eq!(wide, expected);
    let fast = Pose::<Affine3A>::new(&rig).model_matrices()[999];
    assert!(Matrix::to_f64(&fast).abs_diff_eq(wide, 1e-3));
}

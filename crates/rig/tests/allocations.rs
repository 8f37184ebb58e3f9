//! Checks that functions called per frame do not allocate.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright_rig::glam::{Affine3A, DAffine3};
use meshwright_rig::{
    Animation, Choice, InterleavedLayout, Layer, LocalPose, Mask, Matrix, NameMatch, NormalLength, Output,
    PlanOptions, Player, Pose, Rig, RootMotion, Sampler, SkinPlan, Workspace,
};
use meshwright_scene::{
    Affine, Channel, Clip, Influence, Interpolation, Joint, Local, Mesh, Motion, PoseSet, PoseSetId, Scene,
    Skeleton, SkeletonId, Skin, Track, Trs,
};
use meshwright_testkit::heap::measured;

fn scene() -> Scene {
    let mut skeleton = Skeleton { name: String::new(), joints: Vec::new() };
    for i in 0..20_usize {
        let rest = Local::Trs(Trs { translation: [0.0, 1.0, 0.0], ..Trs::IDENTITY });
        skeleton.joints.push(Joint::new(format!("j{i}"), i.checked_sub(1), rest));
    }
    skeleton.joints[19].follows = vec![(3, 1.0), (4, 1.0)];
    skeleton.bind_rest().unwrap();
    let mut skin = Skin::new(SkeletonId(0));
    for v in 0..100_u32 {
        for k in 0..3 {
            skin.influences.push(Influence { joint: (v + k) % 20, weight: 1.0 / 3.0 });
        }
        skin.end_vertex();
    }
    let mesh = Mesh::default()
        .with_positions(vec![[1.0, 2.0, 3.0]; 100])
        .with_normals(vec![[0.0, 1.0, 0.0]; 100])
        .with_skin(skin);
    let mut rotation = Channel::new();
    rotation.push(0.0, [0.0, 0.0, 0.0, 1.0]);
    rotation.push(1.0, [0.6, 0.0, 0.0, 0.8]);
    let tracks = vec![Track { joint: 2, rotation, ..Track::default() }];
    let clip = |motion, interpolation| {
        Clip::new(String::new(), SkeletonId(0), 10.0, motion)
            .with_frames(2)
            .with_looping(true)
            .with_interpolation(interpolation)
    };
    let poses = Motion::Poses { set: PoseSetId(0), frames: vec![0, 1] };
    Scene::default()
        .with_meshes(vec![mesh])
        .with_skeletons(vec![skeleton])
        .with_pose_sets(vec![PoseSet { joints: 20, locals: vec![Affine::IDENTITY; 40] }])
        .with_clips(vec![
            clip(poses.clone(), Interpolation::Matrix),
            clip(poses, Interpolation::Spherical),
            clip(Motion::Tracks(tracks), Interpolation::LinearShort),
        ])
}

fn frames<M: Matrix>(scene: &Scene) {
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let plan = SkinPlan::new(&scene.meshes[0], &rig).unwrap();
    let mut pose = Pose::<M>::new(&rig);
    let samplers: Vec<_> = (0..3).map(|c| Sampler::new(scene, c).unwrap()).collect();
    let (mut positions, mut normals) = (vec![[0.0; 3]; 100], vec![[0.0; 3]; 100]);
    let ((), cost) = measured(|| {
        for sampler in &samplers {
            for frame in [0.0, 0.3, 1.7] {
                pose.sample(&rig, sampler, frame).unwrap();
                plan.positions(&pose, &mut positions).unwrap();
                plan.normals(&pose, NormalLength::Unit, &mut normals).unwrap();
                assert!(pose.attachment(&rig, "J7", NameMatch::IgnoreCase).is_some());
            }
        }
    });
    assert_eq!(cost.calls, 0, "something was allocated");
}

/// Tests the fast kernels, players, blends and bounding boxes.
fn fast_frames(scene: &Scene, options: PlanOptions) {
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let plan = SkinPlan::with_options(&scene.meshes[0], &rig, options).unwrap();
    let mut work = Workspace::new().reserved_for(&plan);
    let animation = Animation::new(&rig, &Sampler::new(scene, 2).unwrap()).unwrap();
    let mut player = Player::new(&animation);
    let [mut a, mut b] = [LocalPose::new(&rig), LocalPose::new(&rig)];
    let mut pose = Pose::<Affine3A>::new(&rig);
    let mask = Mask::new(&rig, 0.5);
    let root = RootMotion::new(0);
    let (mut p, mut n) = (vec![[0.0; 3]; 100], vec![[0.0; 3]; 100]);
    let mut bytes = vec![0; 32 * 100];
    let layout = InterleavedLayout::new(32).with_position(4).with_normal(20);
    let ((), cost) = measured(|| {
        for frame in [0.0, 0.4, 1.9, 0.1] {
            player.sample(frame, &mut a).unwrap();
            root.between_frames(&rig, &mut player, 0.0, frame, &mut b).unwrap();
            b.copy_from(&a).unwrap();
            b.blend(&rig, &[Layer::new(&a, 1.0), Layer::new(&a, 0.5).with_mask(&mask)]).unwrap();
            b.add(&rig, &[Layer::new(&a, 0.1)]).unwrap();
            pose.compose(&rig, &b).unwrap();
            plan.skin(
                &pose,
                &mut work,
                Output::positions(&mut p).with_normals(&mut n).with_normal_length(NormalLength::Unit),
            )
            .unwrap();
            plan.skin(&pose, &mut work, Output::interleaved(&mut bytes, layout)).unwrap();
            plan.skin_dual(&pose, &mut work, Output::positions(&mut p)).unwrap();
            assert!(plan.bounds(&pose).is_some());
            assert!(plan.exact_bounds(&pose, &mut work).unwrap().is_some());
        }
    });
    assert_eq!(cost.calls, 0, "something was allocated");
}

/// Only rayon allocates: one job per further thread, whatever the mesh.
#[cfg(feature = "rayon")]
#[test]
fn threads_allocate_a_job_each() {
    const VERTICES: u32 = 300_000;
    let mut scene = scene();
    let mut skin = Skin::new(SkeletonId(0));
    for v in 0..VERTICES {
        skin.influences.push(Influence { joint: v % 20, weight: 1.0 });
        skin.end_vertex();
    }
    let mut out = vec![[0.0; 3]; VERTICES as usize];
    scene.meshes[0] = Mesh::default().with_positions(vec![[1.0, 2.0, 3.0]; out.len()]).with_skin(skin);
    let rig = Rig::new(&scene.skeletons[0]).unwrap();
    let plan = SkinPlan::new(&scene.meshes[0], &rig).unwrap();
    let pose = Pose::<Affine3A>::new(&rig);
    let mut work = Workspace::new().reserved_for(&plan);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(4).build().unwrap();
    for _ in 0..3 {
        let ((), cost) = pool.install(|| {
            measured(|| plan.skin_parallel(&pose, &mut work, Output::positions(&mut out)).unwrap())
        });
        assert!(cost.calls <= 3 + 1, "{} allocations", cost.calls);
    }
}

#[test]
fn fast_frames_allocate_nothing() {
    let scene = scene();
    for table in [Choice::Never, Choice::Always] {
        fast_frames(&scene, PlanOptions::default().with_blend_table(table));
    }
}

#[test]
fn frames_allocate_nothing() {
    let scene = scene();
    frames::<Affine3A>(&scene);
    frames::<DAffine3>(&scene);
}

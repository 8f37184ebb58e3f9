//! Samples a clip and skins a mesh: `cargo run -p meshwright-rig --example skin`.
//!
//! The scene is built here: an arm of two joints that bends and stretches again within a second. A scene
//! from a file is used in the same way.
#![allow(clippy::print_stdout, reason = "an example")]

use meshwright_rig::glam::Affine3A;
use meshwright_rig::{
    Animation, Evaluator, LocalPose, NormalLength, Output, Player, Pose, Rig, RigError, Sampler, SkinPlan,
    Workspace,
};
use meshwright_scene::{
    Clip, Influence, Interpolation, Joint, Local, Mesh, MeshId, Motion, Scene, Skeleton, SkeletonId, Skin,
    Track, Trs,
};

fn main() -> Result<(), RigError> {
    let scene = arm();
    everything_at_once(&scene)?;
    one_mesh(&scene)?;
    every_frame(&scene)
}

/// The simple way: all meshes of a scene at a time of a clip.
fn everything_at_once(scene: &Scene) -> Result<(), RigError> {
    let mut evaluator = Evaluator::new(scene)?;
    for seconds in [0.0, 0.25, 0.5, 1.25] {
        evaluator.pose_seconds(0, seconds)?;
        let vertices = evaluator.mesh(MeshId(0))?;
        println!("{seconds:4} s: the hand is at {:.2?}", vertices.positions[4]);
    }
    Ok(())
}

/// Computes one pose and one mesh, in a new `Vec`.
fn one_mesh(scene: &Scene) -> Result<(), RigError> {
    let rig = Rig::new(&scene.skeletons[0])?;
    let plan = SkinPlan::new(&scene.meshes[0], &rig)?;
    let mut pose = Pose::<Affine3A>::new(&rig);
    pose.sample_seconds(&rig, &Sampler::new(scene, 0)?, 0.5)?;
    let vertices = plan.skin_to_vec(&pose, NormalLength::Unit, &mut Workspace::new())?;
    println!("{}: the hand is at {:.2?}", plan.info(), vertices.positions[4]);
    Ok(())
}

/// The fast way: everything is prepared once, and no frame allocates.
fn every_frame(scene: &Scene) -> Result<(), RigError> {
    let rig = Rig::new(&scene.skeletons[0])?;
    let animation = Animation::new(&rig, &Sampler::new(scene, 0)?)?;
    let plan = SkinPlan::new(&scene.meshes[0], &rig)?;
    let mut work = Workspace::new().reserved_for(&plan);
    let mut player = Player::new(&animation);
    let (mut parts, mut pose) = (LocalPose::new(&rig), Pose::<Affine3A>::new(&rig));
    let mut positions = vec![[0.0; 3]; plan.vertex_count()];
    let mut highest = 0.0_f32;
    for tick in 0..60 {
        player.sample_seconds(f64::from(tick) / 60.0, &mut parts)?;
        pose.compose(&rig, &parts)?;
        plan.skin(&pose, &mut work, Output::positions(&mut positions))?;
        highest = positions.iter().fold(highest, |h, p| h.max(p[1]));
    }
    println!("in {} s the arm reaches up to {highest:.2}", animation.duration_seconds());
    Ok(())
}

/// Returns a strip along x from 0 to 2 with two joints, the second of which rotates about z.
fn arm() -> Scene {
    let elbow = Trs { translation: [1.0, 0.0, 0.0], ..Trs::IDENTITY };
    let mut skeleton = Skeleton {
        name: "arm".into(),
        joints: vec![
            Joint::new("shoulder", None, Local::Trs(Trs::IDENTITY)),
            Joint::new("elbow", Some(0), Local::Trs(elbow)),
        ],
    };
    skeleton.bind_rest();

    let mut skin = Skin::new(SkeletonId(0));
    let mut mesh = Mesh::default();
    for (x, forearm) in [(0.0, 0.0), (0.5, 0.0), (1.0, 0.5), (1.5, 1.0), (2.0, 1.0)] {
        mesh.positions.push([x, 0.0, 0.0]);
        mesh.normals.push([0.0, 1.0, 0.0]);
        skin.influences.push(Influence { joint: 0, weight: 1.0 - forearm });
        skin.influences.push(Influence { joint: 1, weight: forearm });
        skin.end_vertex();
    }
    mesh.skin = Some(skin);

    let mut bend = Track { joint: 1, ..Track::default() };
    bend.rotation.push(0.0, [0.0, 0.0, 0.0, 1.0]);
    let half = std::f32::consts::FRAC_1_SQRT_2;
    bend.rotation.push(15.0, [0.0, 0.0, half, half]);
    let clip = Clip::new("bend", SkeletonId(0), 30.0, Motion::Tracks(vec![bend]))
        .with_frames(30)
        .with_looping(true)
        .with_interpolation(Interpolation::LinearShort);

    let mut scene = Scene::default();
    scene.skeletons.push(skeleton);
    scene.meshes.push(mesh);
    scene.clips.push(clip);
    scene
}

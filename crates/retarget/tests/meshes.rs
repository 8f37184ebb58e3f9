//! Tests meshes on another skeleton.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use crate::figure::{MIXAMO, SIMS, Shape, figure};
use meshwright_retarget::{RetargetOptions, retarget_scene};
use meshwright_rig::Evaluator;
use meshwright_scene::{Influence, Joint, Local, Mesh, MeshId, Node, NodeId, Scene, SkeletonId, Skin};

fn retargeted(source: &Scene, target: &Scene) -> Scene {
    let done = retarget_scene(source, target, &RetargetOptions::default()).unwrap();
    done.value.scene.validate().unwrap();
    done.value.scene
}

fn distance(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt()
}

/// The corners around each joint stay around it, in every frame and for all rest poses.
#[test]
fn vertices_stay_around_their_joints() {
    let to = Shape { droop: 80.0, along: true, leg: 0.7, arm: 0.6, ..Shape::default() };
    let (source, target) = (figure(&MIXAMO, &Shape::default()), figure(&SIMS, &to));
    let done = retargeted(&source, &target);
    let mut evaluator = Evaluator::new(&done).unwrap();
    for at in [None, Some((0, 0.0)), Some((0, 11.5))] {
        evaluator.pose(at).unwrap();
        let mesh = evaluator.mesh(MeshId(0)).unwrap();
        let pose = evaluator.skeleton(0).unwrap().1.model_matrices();
        for (joint, corners) in mesh.positions.chunks(3).enumerate() {
            let place = pose[joint].translation.as_vec3().into();
            for corner in corners {
                // In the source they are 0.03 from the joint, and no bone is stretched by half.
                assert!(
                    (0.02..0.045).contains(&distance(*corner, place)),
                    "{at:?} {joint}: {corner:?} {place:?}"
                );
            }
        }
        for normal in &mesh.normals {
            assert!((distance(*normal, [0.0; 3]) - 1.0).abs() < 0.1);
        }
    }
}

/// Vertices between two bones are restored too, although blends of matrices have no exact inverse.
#[test]
fn there_and_back_is_the_same_mesh() {
    let to = Shape { droop: 80.0, leg: 0.9, shin: 0.52, arm: 0.55, hips: 0.09, ..Shape::default() };
    let mut source = figure(&MIXAMO, &Shape::default());
    let parents: Vec<_> = source.skeletons[0].joints.iter().map(|j| j.parent).collect();
    let skin = source.meshes[0].skin.as_mut().unwrap();
    let single = std::mem::replace(skin, Skin::new(SkeletonId(0))).influences;
    for influence in single {
        let above = parents[influence.joint as usize].map_or(influence.joint, |p| u32::try_from(p).unwrap());
        for (joint, weight) in [(influence.joint, 0.7), (above, 0.3)] {
            skin.influences.push(Influence { joint, weight });
        }
        skin.end_vertex();
    }
    let there = retargeted(&source, &figure(&SIMS, &to));
    let back = retargeted(&there, &source);
    for (a, b) in source.meshes[0].positions.iter().zip(&back.meshes[0].positions) {
        assert!(distance(*a, *b) < 1.7e-4, "{a:?} {b:?}: a ten-thousandth of the height");
    }
}

#[test]
fn unmapped_bones_hand_their_weights_to_the_bone_above() {
    let mut source = figure(&MIXAMO, &Shape::default());
    let mut target = figure(&SIMS, &Shape::default());
    // The target has no fingers and no toes.
    let joints = &mut target.skeletons[0].joints;
    for joint in joints.iter_mut().filter(|j| j.name.contains("FINGER") || j.name.contains("TOE")) {
        joint.name = format!("other {}", joint.name.len());
    }
    target.meshes.clear();
    target.nodes.clear();
    target.clips.clear();
    source.clips.clear();
    let done = retargeted(&source, &target);
    let hand = done.skeletons[0].joints.iter().position(|j| j.name == "L_HAND").unwrap();
    let on_hand = done.meshes[0].skin.as_ref().unwrap().influences.iter();
    assert_eq!(on_hand.filter(|i| i.joint as usize == hand).count(), 6, "its own and those of the finger");
}

#[test]
fn vertices_above_all_mapped_bones_follow_the_topmost_of_them() {
    let mut source = figure(&MIXAMO, &Shape::default());
    source.clips.clear();
    let joints = &mut source.skeletons[0].joints;
    // Children come first, and the last joint is above the hips.
    let count = joints.len();
    joints.reverse();
    for joint in joints.iter_mut() {
        joint.parent = Some(joint.parent.map_or(count, |parent| count - 1 - parent));
    }
    joints.push(Joint::new("Armature", None, Local::default()));
    source.skeletons[0].bind_rest().unwrap();
    for influence in &mut source.meshes[0].skin.as_mut().unwrap().influences {
        influence.joint = u32::try_from(count).unwrap();
    }
    let done = retargeted(&source, &figure(&SIMS, &Shape::default()));
    let hips = done.skeletons[0].joints.iter().position(|j| j.name == "PELVIS").unwrap();
    let influences = &done.meshes[0].skin.as_ref().unwrap().influences;
    assert!(influences.iter().all(|i| i.joint as usize == hips), "{influences:?}");
}

#[test]
fn meshes_without_bones_are_dropped_and_said() {
    let mut source = figure(&MIXAMO, &Shape::default());
    source.meshes.push(Mesh::new("box", vec![[0.0; 3]; 3], vec![[0, 1, 2]]));
    source.nodes.push(Node::of_mesh("box", MeshId(1)));
    let target = figure(&SIMS, &Shape::default());
    let done = retarget_scene(&source, &target, &RetargetOptions::default()).unwrap();
    assert!(done.losses.iter().any(|l| l.code == "retarget-meshes-dropped"));
    assert!(done.value.scene.nodes[NodeId(1).0].meshes.is_empty());
    let none = retarget_scene(&source, &Scene::default(), &RetargetOptions::default()).unwrap_err();
    assert!(none.to_string().contains("no skeleton"), "{none}");
}

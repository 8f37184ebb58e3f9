//! Meshes far from the origin, and joints that are nearly flat, in the bind pose.

use super::meshes::Random;
use super::{instruction_sets, is_near, skin, zero};
use meshwright_rig::glam::{DAffine3, DQuat, EulerRot, Quat};
use meshwright_rig::{NormalLength, Pose, Rig, SkinPlan, VertexSpace};
use meshwright_scene::{Influence, Joint, Local, LocalVertex, Mesh, Skeleton, SkeletonId, Skin, Trs};

/// Returns a mesh whose joints agree about all vertices. The second joint has the scale `small` in the bind pose.
fn bound_to_small_joint(small: f32) -> (Rig, Mesh) {
    let rotation = Quat::from_euler(EulerRot::XYZ, 0.3, 1.1, 2.0).into();
    let rest = |translation, rotation, scale| Local::Trs(Trs { translation, rotation, scale: [scale; 3] });
    let root = Joint::new("root", None, rest([3.0, 5.0, 2.0], rotation, 1.0));
    let joint = Joint::new("small", Some(0), rest([0.0; 3], [0.0, 0.0, 0.0, 1.0], small));
    let mut skeleton = Skeleton { name: String::new(), joints: vec![root, joint] };
    skeleton.bind_rest().unwrap();
    let mut random = Random(5);
    let mut skin = Skin::new(SkeletonId(0));
    for v in 0..100 {
        let position = random.vector();
        let share = if v == 0 { 0.5 } else { 1.0 };
        for _ in 0..if v == 0 { 2 } else { 1 } {
            skin.influences.push(Influence { joint: u32::from(v > 0), weight: share });
            let position = position.map(|c| c * share);
            skin.local.push(LocalVertex { position, ..LocalVertex::default() });
        }
        skin.end_vertex();
    }
    let mesh = Mesh::default().with_positions(vec![[0.0; 3]; 100]).with_skin(skin);
    (Rig::new(&skeleton).unwrap(), mesh)
}

#[test]
fn a_joint_that_is_nearly_flat_in_the_bind_pose_costs_no_precision() {
    for (small, space) in [(0.5, VertexSpace::Model), (1e-5, VertexSpace::Joint)] {
        let (rig, mesh) = bound_to_small_joint(small);
        let plan = SkinPlan::new(&mesh, &rig).unwrap();
        assert_eq!(plan.info().space, space, "{small}");
        let mut pose = Pose::<DAffine3>::new(&rig);
        pose.local_matrices_mut()[1] = DAffine3::IDENTITY;
        pose.update(&rig).unwrap();
        let mut expected = zero(plan.vertex_count());
        plan.positions(&pose, &mut expected.positions).unwrap();
        for instructions in instruction_sets() {
            let found = skin(&plan, &pose, instructions, NormalLength::AsIs);
            assert!(is_near(&found.positions, &expected.positions, 1e-5), "{small} {instructions:?}");
        }
    }
}

#[test]
fn bounds_hold_a_mesh_that_is_far_from_the_origin_in_the_bind_pose() {
    for far in [1e2, 1e4, 1e6_f32] {
        let rest = Trs { translation: [far; 3], ..Trs::IDENTITY };
        let mut skeleton =
            Skeleton { name: String::new(), joints: vec![Joint::new("a", None, Local::Trs(rest))] };
        skeleton.bind_rest().unwrap();
        let rig = Rig::new(&skeleton).unwrap();
        let mut pose = Pose::<DAffine3>::new(&rig);
        for seed in 1..50 {
            let mut random = Random(seed);
            let [x, y, z] = random.vector().map(|c| f64::from(c) * 3.0);
            let turn = DQuat::from_euler(EulerRot::XYZ, x, y, z);
            pose.local_matrices_mut()[0] = DAffine3::from_quat(turn);
            pose.update(&rig).unwrap();
            let mut skin_of_one = Skin::new(SkeletonId(0));
            skin_of_one.influences.push(Influence { joint: 0, weight: 1.0 });
            skin_of_one.end_vertex();
            let positions = vec![random.vector().map(|c| far + c)];
            let mesh = Mesh::default().with_positions(positions).with_skin(skin_of_one);
            let plan = SkinPlan::new(&mesh, &rig).unwrap();
            let bounds = plan.bounds(&pose).unwrap();
            for instructions in instruction_sets() {
                let found = skin(&plan, &pose, instructions, NormalLength::AsIs).positions[0];
                assert!(bounds.contains(found.into()), "{far} {instructions:?} {bounds:?} {found:?}");
            }
        }
    }
}

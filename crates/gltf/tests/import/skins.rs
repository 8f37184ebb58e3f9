//! Skins, their joints, and what follows a joint, with literal values of small documents.

use super::{CORNERS, HALF, Made, QUARTER, STILL, armature, is_near, posed};
use meshwright_rig::Evaluator;
use meshwright_scene::MeshId;
use serde_json::json;

#[test]
fn a_mesh_below_a_joint_follows_it() {
    let mut made = Made::new(json!({
        "scenes": [{ "nodes": [0] }], "scene": 0,
        "nodes": [
            { "name": "arm", "children": [1, 2], "translation": [1, 0, 0] },
            { "name": "sword", "mesh": 0, "scale": [-1, 1, 1] },
            { "name": "tag_hand", "translation": [0, 3, 0] },
        ],
    }));
    let positions = made.floats("VEC3", &CORNERS);
    let (input, output) = (made.floats("SCALAR", &[[0.0], [1.0]]), made.floats("VEC4", &[STILL, QUARTER]));
    made.root["meshes"] = json!([{ "primitives": [{ "attributes": { "POSITION": positions }, "mode": 5 }] }]);
    made.root["animations"] = json!([{ "channels": [{ "sampler": 0, "target": { "node": 0, "path": "rotation" } }],
        "samplers": [{ "input": input, "output": output }] }]);
    let (made, _) = made.read().unwrap();
    let scene = &made.value.scene;
    assert_eq!(
        scene.skeletons[0].joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(),
        ["arm", "tag_hand"]
    );
    // Mirrored, so that the front is kept by turning triangles round.
    assert_eq!(scene.meshes[0].triangles[0], [2, 1, 0]);
    assert_eq!(scene.meshes[0].skin.as_ref().unwrap().influences(3)[0].joint, 0);
    let at = posed(&made.value, 0, 1.0);
    assert!(is_near(at[1], [1.0, -1.0, 0.0]), "{at:?}");
}

/// Returns the armature with a second skin over its joints, which binds them with these offsets.
fn with_second_skin(offsets: &[[f32; 2]; 2]) -> Made {
    let channel = json!({ "node": 2, "path": "rotation" });
    let mut made = armature(&channel, "LINEAR", &[[0.0], [0.5]], &[STILL, QUARTER]);
    let matrix =
        |[x, y]: [f32; 2]| [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, x, y, 0.0, 1.0];
    let bind = made.floats("MAT4", &offsets.map(matrix));
    made.root["skins"].as_array_mut().unwrap().push(json!({ "joints": [1, 2], "inverseBindMatrices": bind }));
    made
}

#[test]
fn skins_that_bind_one_skeleton_apart_share_it() {
    for (second, joints) in [([[3.0_f32, 0.0], [3.0, -1.0]], 2), ([[3.0, 0.0], [4.0, -1.0]], 4)] {
        let mut made = with_second_skin(&second);
        let third = made.root["skins"][1].clone();
        made.root["skins"].as_array_mut().unwrap().push(third);
        made.root["nodes"]
            .as_array_mut()
            .unwrap()
            .extend([1, 2].map(|skin| json!({ "mesh": 0, "skin": skin })));
        made.root["scenes"] = json!([{ "nodes": [0, 3, 4, 5] }]);
        let (made, _) = made.read().unwrap();
        let scene = &made.value.scene;
        assert_eq!((scene.skeletons.len(), scene.clips.len(), scene.meshes.len()), (1, 1, 3));
        // The third skin is like the second: it shares the copies of joints.
        assert_eq!(scene.skeletons[0].joints.len(), joints);
        let mut evaluator = Evaluator::new(scene).unwrap();
        evaluator.pose_seconds(0, 0.5).unwrap();
        for (mesh, [x, y]) in [(0, [0.0, -1.0]), (1, second[1]), (2, second[1])] {
            // The tip's vertex: its offset in the joint turned by a quarter, then the armature.
            let (px, py) = (1.0 + x, 1.0 + y);
            let wanted = [2.0 * -py, 0.0, 5.0 + 2.0 * (1.0 + px)];
            let at = evaluator.mesh(MeshId(mesh)).unwrap().positions;
            assert!(is_near(at[2], wanted), "mesh {mesh}: {at:?}, not {wanted:?}");
        }
    }
}

#[test]
fn a_skin_that_moves_no_mesh_does_not_bind() {
    let mut made = with_second_skin(&[[3.0, 0.0], [4.0, -1.0]]);
    made.root["skins"].as_array_mut().unwrap().reverse();
    made.root["nodes"][3]["skin"] = json!(1);
    let (made, _) = made.read().unwrap();
    let scene = &made.value.scene;
    assert_eq!((scene.skeletons.len(), scene.clips.len(), scene.skeletons[0].joints.len()), (1, 1, 2));
    assert_eq!(scene.meshes[0].positions[2], [1.0, 1.0, 0.0]);
    assert_eq!(scene.skeletons[0].joints[1].inverse_bind.w, [0.0, -1.0, 0.0]);
}

#[test]
fn a_part_without_weights_follows_each_of_its_nodes() {
    let channel = json!({ "node": 2, "path": "rotation" });
    let mut made = armature(&channel, "LINEAR", &[[0.0], [0.5]], &[STILL, QUARTER]);
    let positions = made.root["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    let plain = json!({ "attributes": { "POSITION": positions } });
    made.root["meshes"][0]["primitives"].as_array_mut().unwrap().push(plain);
    let other = json!({ "mesh": 0, "skin": 0, "translation": [1, 2, 3] });
    made.root["nodes"].as_array_mut().unwrap().push(other);
    made.root["scenes"] = json!([{ "nodes": [0, 3, 4] }]);
    let (made, _) = made.read().unwrap();
    let scene = &made.value.scene;
    let placed: Vec<_> = scene.meshes.iter().map(|mesh| (mesh.is_skinned(), mesh.positions[0])).collect();
    assert_eq!(placed, [(true, [0.0; 3]), (false, [9.0; 3]), (false, [1.0, 2.0, 3.0])]);
    assert_eq!(scene.nodes.iter().map(|node| node.meshes.len()).collect::<Vec<_>>(), [2, 2]);
}

#[test]
fn a_mirrored_skeleton_is_unmirrored() {
    let channel = json!({ "node": 2, "path": "rotation" });
    let mut made = armature(&channel, "LINEAR", &[[0.0], [0.5]], &[STILL, QUARTER]);
    made.root["nodes"][0] = json!({ "name": "armature", "children": [1, 3, 4], "scale": [2, -2, 2] });
    // A mesh without a skin that follows a joint.
    made.root["nodes"][2]["children"] = json!([5]);
    let positions = made.root["meshes"][0]["primitives"][0]["attributes"]["POSITION"].clone();
    made.root["meshes"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "primitives": [{ "attributes": { "POSITION": positions } }] }));
    let nodes = made.root["nodes"].as_array_mut().unwrap();
    nodes.extend([json!({ "name": "empty" }), json!({ "mesh": 1, "translation": [0, -1, 0] })]);
    made.root["scenes"] = json!([{ "nodes": [0] }]);
    let (made, _) = made.read().unwrap();
    let scene = &made.value.scene;
    for joint in &scene.skeletons[0].joints {
        let scale = joint.rest.to_trs64().scale;
        assert!(scale.iter().all(|c| *c > 0.0), "{}: {scale:?}", joint.name);
    }
    let mut evaluator = Evaluator::new(scene).unwrap();
    for (seconds, wanted) in [(0.0, [2.0, -2.0, 0.0]), (0.5, [0.0, -4.0, 0.0])] {
        evaluator.pose_seconds(0, seconds).unwrap();
        for mesh in 0..2 {
            let at = evaluator.mesh(MeshId(mesh)).unwrap().positions;
            assert!(is_near(at[2], wanted), "mesh {mesh}: {at:?}, not {wanted:?}");
            // The front stays the front.
            let [a, b, c] = scene.meshes[mesh].triangles[0].map(|v| at[v as usize]);
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            assert!(area < 0.0, "mesh {mesh}: {area}");
        }
    }
}

#[test]
fn cameras_and_lights_are_reported() {
    let mut made = with_second_skin(&[[0.0, 0.0], [0.0, -1.0]]);
    let light = json!({ "KHR_lights_punctual": { "light": 0 } });
    made.root["nodes"]
        .as_array_mut()
        .unwrap()
        .extend([json!({ "camera": 0 }), json!({ "extensions": light })]);
    made.root["scenes"] = json!([{ "nodes": [0, 3, 4, 5] }]);
    let (made, _) = made.read().unwrap();
    let lost: Vec<_> = made.losses.iter().map(|loss| (loss.code, loss.count)).collect();
    assert_eq!(lost, [("cameras-dropped", 2)]);
}

#[test]
fn joints_outside_the_scene_follow_moving_nodes_above_them() {
    let channel = json!({ "node": 0, "path": "rotation" });
    let turned = [HALF, 0.0, 0.0, HALF];
    let mut made = armature(&channel, "LINEAR", &[[0.0], [0.5]], &[turned, STILL]);
    made.root["scenes"] = json!([{ "nodes": [3] }]);
    let (made, _) = made.read().unwrap();
    let at = posed(&made.value, 0, 0.5);
    assert!(is_near(at[2], [2.0, 2.0, 5.0]), "{at:?}");
}

//! Tests the structure of an exported document.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::panic,
    reason = "a failing test panics; tests use small numbers"
)]

use meshwright_gltf::playback::Player;
use meshwright_gltf::{ExportOptions, Gltf, Influences, export};
use meshwright_scene::{
    Affine, Channel, Clip, ConvertError, Converted, Extra, Image, Influence, Interpolation, Joint, Level,
    Local, Loss, Material, MaterialId, Mesh, MeshId, Motion, Node, NodeId, PoseSet, PoseSetId, Scene,
    Skeleton, SkeletonId, Skin, Space, Track, Trs,
};
use serde_json::{Value, json};

fn done(scene: &Scene) -> Converted<Gltf<'_>> {
    export(scene, &ExportOptions::default()).unwrap()
}

fn document(gltf: &Gltf<'_>) -> Value {
    serde_json::from_slice(&gltf.to_gltf("x.bin").0).unwrap()
}

fn loss<'a>(losses: &'a [Loss], code: &str) -> &'a Loss {
    losses.iter().find(|l| l.code == code).unwrap_or_else(|| panic!("no {code} in {losses:?}"))
}

fn triangle(name: &str) -> Mesh {
    Mesh::new(name, vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])
}

fn translated(x: f32) -> Local {
    Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY })
}

/// Returns a scene of two joints, and a triangle that is bound to both.
fn skinned() -> Scene {
    let joints = vec![Joint::new("Hip", None, translated(1.0)), Joint::new("Knee", Some(0), translated(2.0))];
    let mut skeleton = Skeleton { name: "bones".into(), joints };
    skeleton.bind_rest().unwrap();
    let mut skin = Skin::new(SkeletonId(0));
    for joint in [0, 1, 1] {
        skin.influences.push(Influence { joint, weight: 1.0 });
        skin.end_vertex();
    }
    let mesh = triangle("leg").with_skin(skin);
    Scene::new("model")
        .with_nodes(vec![Node::of_mesh("drawn", MeshId(0))])
        .with_meshes(vec![mesh])
        .with_skeletons(vec![skeleton])
}

fn clip(frames: u32, interpolation: Interpolation, motion: Motion) -> Clip {
    Clip::new("walk", SkeletonId(0), 10.0, motion)
        .with_frames(frames)
        .with_looping(true)
        .with_interpolation(interpolation)
}

fn turn(degrees: f32) -> [f32; 4] {
    let half = degrees.to_radians() / 2.0;
    [half.sin(), 0.0, 0.0, half.cos()]
}

#[test]
fn a_skinned_mesh_hangs_from_nothing_beside_its_skeleton() {
    let gltf = document(&done(&skinned()).value);
    assert_eq!(gltf["asset"]["generator"], json!(concat!("meshwright ", env!("CARGO_PKG_VERSION"))));
    assert_eq!(
        gltf["nodes"],
        json!([
            { "name": "bones", "children": [1] },
            { "name": "Hip", "children": [2], "translation": [1.0, 0.0, 0.0] },
            { "name": "Knee", "translation": [2.0, 0.0, 0.0] },
            { "name": "drawn", "mesh": 0, "skin": 0 },
        ])
    );
    assert_eq!(gltf["scenes"], json!([{ "name": "model", "nodes": [0, 3] }]));
    assert_eq!(gltf["skins"][0]["joints"], json!([1, 2]));
    assert_eq!(gltf["skins"][0]["skeleton"], json!(0));
}

#[test]
fn nodes_keep_their_tree_and_lose_what_moved_away() {
    let mut scene = skinned();
    scene.meshes.extend([triangle("a"), triangle("b")]);
    let child = |name: &str, parent: usize, meshes: &[usize]| Node {
        name: name.into(),
        parent: Some(NodeId(parent)),
        meshes: meshes.iter().map(|m| MeshId(*m)).collect(),
        ..Node::default()
    };
    scene.nodes = vec![
        Node { name: "top".into(), local: translated(5.0), ..Node::default() },
        child("both", 0, &[1, 2]),
        child("leg only", 0, &[0]),
        child("leg and b", 0, &[0, 2]),
        child("mark", 0, &[]),
    ];
    let gltf = document(&done(&scene).value);
    let names: Vec<_> =
        gltf["nodes"].as_array().unwrap().iter().map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        ["bones", "Hip", "Knee", "top", "both", "a", "b", "leg only", "leg and b", "leg", "mark"]
    );
    assert_eq!(gltf["nodes"][3]["children"], json!([4, 8, 10]));
    assert_eq!(gltf["nodes"][4]["children"], json!([5, 6]));
    assert_eq!(gltf["nodes"][8]["mesh"], json!(2));
    assert_eq!(gltf["scenes"][0]["nodes"], json!([0, 3, 7, 9]));
}

#[test]
fn levels_are_scenes() {
    let mut scene = skinned();
    scene.extras = Some(Extra::Map(vec![("version".into(), 2_u32.into())]));
    scene.meshes.push(triangle("far"));
    scene.nodes.push(Node::of_mesh("far", MeshId(1)));
    scene.nodes.push(Node::of_mesh("never", MeshId(1)));
    let level = |name: &str, nodes: &[usize], max_distance| Level {
        name: name.into(),
        nodes: nodes.iter().map(|n| NodeId(*n)).collect(),
        max_distance,
    };
    scene.levels =
        vec![level("near", &[0], Some(8.0)), level("far", &[1, 1], None), level("none", &[], None)];
    let done = done(&scene);
    let gltf = document(&done.value);
    assert_eq!(
        gltf["scenes"],
        json!([
            { "name": "near", "nodes": [0, 3], "extras": { "version": 2, "max_distance": 8.0 } },
            { "name": "far", "nodes": [4] },
        ])
    );
    assert_eq!(loss(&done.losses, "node-not-drawn").path, "nodes[2]");
    assert_eq!(loss(&done.losses, "empty-level").path, "levels[2]");
    scene.nodes[1].parent = Some(NodeId(0));
    let refused = export(&scene, &ExportOptions::default()).unwrap_err();
    assert!(refused.to_string().starts_with("levels[1].nodes[0]"), "{refused}");
}

#[test]
fn extras_are_where_they_belong() {
    let extra = |v: u32| Some(Extra::Map(vec![("n".into(), v.into())]));
    let mut scene = skinned();
    scene.nodes[0].extras = extra(1);
    scene.meshes[0].extras = extra(2);
    scene.meshes[0].material = Some(MaterialId(0));
    scene.materials = vec![Material::named("skin").with_extras(extra(3))];
    scene.skeletons[0].joints[1].extras = extra(4);
    scene.clips = vec![clip(1, Interpolation::Linear, Motion::Tracks(vec![])).with_extras(extra(5))];
    let gltf = document(&done(&scene).value);
    assert_eq!(gltf["nodes"][3]["extras"]["n"], json!(1));
    assert_eq!(gltf["meshes"][0]["extras"]["n"], json!(2));
    assert_eq!(gltf["materials"][0]["extras"]["n"], json!(3));
    assert_eq!(gltf["nodes"][2]["extras"]["n"], json!(4));
    assert_eq!(gltf["animations"][0]["extras"]["n"], json!(5));
}

#[test]
fn materials_are_written_once_and_only_when_used() {
    let image = |bytes: &[u8]| Some(Image::new("i", "image/jpeg", bytes.to_vec()));
    let material = |name: &str, image| Material::named(name).with_image(image);
    let with = |m, uvs| triangle("").with_material(MaterialId(m)).with_uvs(uvs);
    let uvs = || vec![[0.0, 1.0]; 3];
    let jpeg = [0xff, 0xd8, 0xff, 0xe0];
    let scene = Scene::default()
        .with_nodes((0..5).map(|m| Node::of_mesh("", MeshId(m))).collect())
        .with_meshes(vec![with(0, uvs()), with(0, vec![]), with(2, uvs()), with(2, vec![]), with(0, uvs())])
        .with_materials(vec![
            material("picture", image(&jpeg)),
            material("unused", image(&jpeg)),
            material("broken", image(b"BM")),
        ]);
    let done = done(&scene);
    let gltf = document(&done.value);
    let names: Vec<_> =
        gltf["materials"].as_array().unwrap().iter().map(|m| m["name"].as_str().unwrap()).collect();
    // A mesh without texture coordinates needs the material without its texture.
    assert_eq!(names, ["picture", "picture", "broken", "broken"]);
    assert!(gltf["materials"][1]["pbrMetallicRoughness"].get("baseColorTexture").is_none());
    assert_eq!(gltf["images"].as_array().unwrap().len(), 1);
    assert_eq!(gltf["materials"][0]["pbrMetallicRoughness"]["metallicFactor"], json!(0.0));
    assert_eq!(loss(&done.losses, "texture-without-uvs").path, "materials[0]");
    assert_eq!(loss(&done.losses, "image-unreadable").path, "materials[2]");
}

#[test]
fn indices_never_say_65535_in_16_bits() {
    for (vertices, component) in [(65_535_u32, 5123), (65_536, 5125)] {
        let mesh = Mesh::new("", vec![[0.0; 3]; vertices as usize], vec![[0, 1, vertices - 1]]);
        let scene = Scene::default().with_nodes(vec![Node::of_mesh("", MeshId(0))]).with_meshes(vec![mesh]);
        let gltf = document(&done(&scene).value);
        let index = gltf["meshes"][0]["primitives"][0]["indices"].as_u64().unwrap() as usize;
        assert_eq!(gltf["accessors"][index]["componentType"], json!(component));
    }
}

#[test]
fn broken_attributes_are_replaced_and_reported() {
    let mesh = triangle("")
        .with_normals(vec![[0.0; 3], [f32::NAN, 0.0, 0.0], [0.0, 0.0, 2.0]])
        .with_tangents(vec![[0.0, 0.0, 0.0, -0.5]; 3])
        .with_uvs(vec![[f32::INFINITY, 0.5]; 3]);
    let empty = triangle("nothing").with_triangles(vec![]);
    let scene = Scene::default()
        .with_nodes(vec![Node::of_mesh("", MeshId(0)), Node::of_mesh("", MeshId(1))])
        .with_meshes(vec![mesh, empty, triangle("hidden")]);
    let done = done(&scene);
    let drawn = Player::new(&done.value.to_glb()).unwrap().evaluate(None, 0.0);
    assert_eq!(drawn.len(), 1);
    assert_eq!(drawn[0].normals, [[0.0, 0.0, 1.0]; 3]);
    for code in ["normals-replaced", "normals-scaled", "tangents-replaced", "uvs-replaced"] {
        assert_eq!(loss(&done.losses, code).path, "meshes[0]");
    }
    assert_eq!(loss(&done.losses, "empty-mesh").path, "meshes[1]");
    assert_eq!(loss(&done.losses, "mesh-not-drawn").path, "meshes[2]");
    assert_eq!(done.value.mesh_sources(), [MeshId(0)]);
}

#[test]
fn further_sets_hold_further_influences() {
    let mut scene = skinned();
    let joints = (0..6).map(|i| Joint::new(format!("{i}"), None, Local::default())).collect();
    scene.skeletons = vec![Skeleton { name: String::new(), joints }];
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..3 {
        skin.influences.extend((0..6).map(|joint| Influence { joint, weight: 1.0 / 6.0 }));
        skin.end_vertex();
    }
    scene.meshes[0].skin = Some(skin);
    let four = done(&scene);
    assert!((loss(&four.losses, "influences-dropped").amount.unwrap() - 1.0 / 3.0).abs() < 1e-6);
    assert!(document(&four.value)["meshes"][0]["primitives"][0]["attributes"].get("JOINTS_1").is_none());
    let all = export(&scene, &ExportOptions::default().with_influences(Influences::All)).unwrap();
    assert_eq!(all.losses, []);
    assert!(document(&all.value)["meshes"][0]["primitives"][0]["attributes"].get("JOINTS_1").is_some());
}

#[test]
fn channels_that_say_nothing_are_left_out() {
    let mut scene = skinned();
    let rest: Vec<Affine> = scene.skeletons[0].joints.iter().map(|j| j.rest.to_affine()).collect();
    let at = |x: f32| Affine { w: [x, 0.0, 0.0], ..Affine::IDENTITY };
    let locals = [&rest[..], &[rest[0], at(3.0)], &[rest[0], at(3.0)]].concat();
    scene.pose_sets = vec![PoseSet { joints: 2, locals }];
    let poses = |frames: &[u32]| Motion::Poses { set: PoseSetId(0), frames: frames.to_vec() };
    scene.clips = vec![
        clip(3, Interpolation::Matrix, poses(&[0, 1, 0])),
        clip(3, Interpolation::Matrix, poses(&[1, 2, 1])),
        clip(3, Interpolation::Matrix, poses(&[0, 0, 0])),
        clip(2, Interpolation::Matrix, poses(&[0, 1])),
    ];
    let done = done(&scene);
    let gltf = document(&done.value);
    let keys = |a: usize| {
        let samplers = gltf["animations"][a]["samplers"].as_array().unwrap();
        let count =
            |s: &Value| gltf["accessors"][s["input"].as_u64().unwrap() as usize]["count"].as_u64().unwrap();
        samplers.iter().map(count).collect::<Vec<_>>()
    };
    let target = |a: usize| gltf["animations"][a]["channels"][0]["target"].clone();
    // It moves; it is elsewhere; it rests, but is as long and has keys for everything that the others move.
    assert_eq!((keys(0), target(0)), (vec![3], json!({ "node": 2, "path": "translation" })));
    assert_eq!((keys(1), target(1)), (vec![2], json!({ "node": 2, "path": "translation" })));
    assert_eq!((keys(2), target(2)), (vec![2], json!({ "node": 2, "path": "translation" })));
    let durations = Player::new(&done.value.to_glb()).unwrap().animations().to_vec();
    assert!(durations.iter().zip([0.2, 0.2, 0.2, 0.1]).all(|(a, d)| a.duration == d), "{durations:?}");
    let closed = export(&scene, &ExportOptions::default().with_close_loops(true)).unwrap().value.to_glb();
    let player = Player::new(&closed).unwrap();
    assert!(player.animations().iter().zip([0.3, 0.3, 0.3, 0.2]).all(|(a, d)| a.duration == d));
    assert_eq!(player.evaluate(Some(3), 0.2), player.evaluate(Some(3), 0.0));
}

#[test]
fn the_difference_between_keys_is_measured() {
    let mut scene = skinned();
    let track = |keys: &[(f32, [f32; 4])]| {
        let mut rotation = Channel::new();
        keys.iter().for_each(|&(f, q)| rotation.push(f, q));
        Motion::Tracks(vec![Track { joint: 0, rotation, ..Track::default() }])
    };
    let far = [(0.0, turn(0.0)), (4.0, turn(120.0))];
    let long = [(0.0, turn(0.0)), (4.0, turn(120.0).map(|c| -c))];
    let small = [(0.0, turn(0.0)), (4.0, turn(20.0))];
    let mut amount = |interpolation, keys: &[(f32, [f32; 4])]| {
        scene.clips = vec![clip(5, interpolation, track(keys))];
        let losses = done(&scene).losses;
        losses.iter().find(|l| l.code == "interpolation").and_then(|l| l.amount)
    };
    assert_eq!(amount(Interpolation::Spherical, &far), None);
    assert_eq!(amount(Interpolation::LinearShort, &small), None);
    let chord = amount(Interpolation::LinearShort, &far).unwrap();
    assert!((1.0..4.0).contains(&chord), "{chord}");
    assert!(amount(Interpolation::Linear, &long).unwrap() > 90.0);
    assert_eq!(amount(Interpolation::Matrix, &far), Some(chord), "played by dual quaternions");
}

#[test]
fn keys_that_32_bits_cannot_distinguish_still_rise() {
    let mut scene = skinned();
    let mut translation = Channel::new();
    // 2^24 frames at a third of a frame per second: neighbouring frames fall together as times.
    for (i, f) in [16_777_210.0, 16_777_211.0, 16_777_212.0, 16_777_213.0_f32].into_iter().enumerate() {
        translation.push(f, [i as f32, 0.0, 0.0]);
    }
    scene.clips = vec![clip(
        16_777_214,
        Interpolation::Linear,
        Motion::Tracks(vec![Track { joint: 0, translation, ..Track::default() }]),
    )];
    scene.clips[0].rate = 0.3;
    let done = done(&scene);
    assert!(done.losses.iter().any(|l| l.code == "key-times"));
    assert!(Player::new(&done.value.to_glb()).is_ok());
    scene.clips[0].rate = 1e-38;
    let refused = export(&scene, &ExportOptions::default()).unwrap_err();
    assert!(matches!(refused, ConvertError::Invalid { .. }), "{refused}");
}

#[test]
fn joints_that_follow_others_are_sampled() {
    let mut scene = skinned();
    let mut pseudo = Joint::new("pseudo", Some(1), Local::default());
    pseudo.follows = vec![(0, 1.0), (1, 1.0)];
    scene.skeletons[0].joints.push(pseudo);
    scene.skeletons[0].bind_rest().unwrap();
    for influence in &mut scene.meshes[0].skin.as_mut().unwrap().influences {
        influence.joint = 2;
    }
    let mut translation = Channel::new();
    translation.push(0.0, [2.0, 0.0, 0.0]);
    translation.push(4.0, [10.0, 0.0, 0.0]);
    let track = Track { joint: 1, translation, ..Track::default() };
    scene.clips = vec![clip(5, Interpolation::Linear, Motion::Tracks(vec![track]))];
    let gltf = done(&scene).value;
    let json = document(&gltf);
    assert_eq!(json["nodes"][0]["children"], json!([1, 3]));
    let player = Player::new(&gltf.to_glb()).unwrap();
    for frame in 0..5_u8 {
        // The knee moves two units a frame, the mean of hip and knee one.
        let x = player.evaluate(Some(0), f32::from(frame) / 10.0)[0].positions[0][0];
        assert!((x - f64::from(frame)).abs() < 1e-6, "{frame}: {x}");
    }
}

#[test]
fn what_cannot_be_written_is_refused() {
    let mut scene = skinned();
    scene.space = Space::File;
    assert!(export(&scene, &ExportOptions::default()).unwrap_err().to_string().starts_with("space"));
    scene.space = Space::Gltf;
    scene.meshes[0].triangles[0][0] = 3;
    assert!(export(&scene, &ExportOptions::default()).unwrap_err().to_string().contains("triangles"));
    let scene = skinned();
    let refused = export(&scene, &ExportOptions::default().with_memory(100)).unwrap_err();
    assert!(matches!(refused, ConvertError::Limit { .. }));
}

fn translations(keys: &[(f32, f32)]) -> Motion {
    let mut translation = Channel::new();
    keys.iter().for_each(|&(f, x)| translation.push(f, [x, 0.0, 0.0]));
    Motion::Tracks(vec![Track { joint: 0, translation, ..Track::default() }])
}

/// Returns the position of the joint that the tests move at a frame, as in a viewer, and the length of the animation.
fn played(scene: &Scene, options: &ExportOptions, frame: f32) -> (f64, f32) {
    let player = Player::new(&export(scene, options).unwrap().value.to_glb()).unwrap();
    let x = player.evaluate(Some(0), frame / 10.0)[0].positions[0][0];
    (x + 1.0, player.animations()[0].duration)
}

#[test]
fn what_a_loop_blends_beyond_its_outer_keys_is_seen() {
    let mut scene = skinned();
    // From the key at 5 the loop goes on to that at 2, seven frames later.
    scene.clips = vec![clip(10, Interpolation::Linear, translations(&[(2.0, 0.0), (5.0, 7.0)]))];
    let open = ExportOptions::default();
    for (frame, x) in [(0.0, 2.0), (1.0, 1.0), (2.0, 0.0), (5.0, 7.0), (7.0, 5.0), (9.0, 3.0)] {
        let (at, duration) = played(&scene, &open, frame);
        assert!((at - x).abs() < 1e-5, "frame {frame}: {at}");
        assert_eq!(duration, 0.9);
    }
    assert_eq!(done(&scene).lost().count(), 0);
    let closed = played(&scene, &open.with_close_loops(true), 10.0);
    assert!((closed.0 - 2.0).abs() < 1e-5 && closed.1 == 1.0, "{closed:?}");
}

#[test]
fn keys_behind_the_end_pull_but_do_not_lengthen() {
    let mut scene = skinned();
    for looping in [false, true] {
        let motion = translations(&[(0.0, 0.0), (20.0, 20.0), (30.0, 0.0)]);
        scene.clips = vec![clip(10, Interpolation::Linear, motion).with_frames(10).with_looping(looping)];
        for frame in [0.0, 4.0, 9.0] {
            let (at, duration) = played(&scene, &ExportOptions::default(), frame);
            assert!((at - f64::from(frame)).abs() < 1e-5, "{looping} {frame}: {at}");
            assert_eq!(duration, 0.9);
        }
        assert_eq!(loss(&done(&scene).losses, "keys-cut").path, "clips[0]");
    }
    scene.clips = vec![clip(10, Interpolation::Linear, translations(&[(12.0, 3.0)]))];
    assert_eq!(played(&scene, &ExportOptions::default(), 5.0), (3.0, 0.9));
}

#[test]
fn rotations_stay_within_the_range_of_the_schema() {
    let over = f32::from_bits(1.0_f32.to_bits() + 1);
    let mut scene = skinned();
    let turned = Trs { rotation: [over, 0.0, 0.0, 0.0], ..Trs::IDENTITY };
    scene.skeletons[0].joints[1].rest = Local::Trs(turned);
    scene.nodes.push(Node { name: "mark".into(), local: Local::Trs(turned), ..Node::default() });
    let gltf = document(&done(&scene).value);
    let turned = gltf["nodes"].as_array().unwrap().iter().filter(|n| n.get("rotation").is_some());
    let rotations: Vec<_> = turned.map(|n| n["rotation"].clone()).collect();
    assert_eq!(rotations, [json!([1.0, 0.0, 0.0, 0.0]), json!([1.0, 0.0, 0.0, 0.0])]);
}

#[test]
fn a_mesh_without_material_is_no_metal() {
    let mut scene = skinned();
    scene.meshes.push(triangle("other"));
    scene.nodes.push(Node::of_mesh("other", MeshId(1)));
    let gltf = document(&done(&scene).value);
    assert_eq!(gltf["materials"].as_array().unwrap().len(), 1);
    assert_eq!(gltf["materials"][0]["pbrMetallicRoughness"]["metallicFactor"], json!(0.0));
    assert!((0..2).all(|m| gltf["meshes"][m]["primitives"][0]["material"] == json!(0)));
}

#[test]
fn nodes_without_anything_to_draw_keep_their_place_and_extras() {
    let mut scene = skinned();
    scene.meshes.push(triangle("nothing").with_triangles(vec![]));
    let node = |name: &str, parent: Option<usize>, meshes: &[usize], extras| Node {
        name: name.into(),
        parent: parent.map(NodeId),
        local: translated(4.0),
        meshes: meshes.iter().map(|m| MeshId(*m)).collect(),
        extras,
    };
    scene.nodes = vec![
        node("group", None, &[], Some(Extra::Map(vec![("n".into(), 1_u32.into())]))),
        node("leg", Some(0), &[0], None),
        node("gun point", None, &[1], None),
        node("silent group", None, &[], None),
        node("leg again", Some(3), &[0], None),
    ];
    let gltf = document(&done(&scene).value);
    let nodes = gltf["nodes"].as_array().unwrap();
    let names: Vec<_> = nodes.iter().skip(3).map(|n| n["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["group", "leg", "gun point", "leg again"]);
    assert_eq!(gltf["nodes"][3]["extras"]["n"], json!(1));
    assert_eq!(gltf["nodes"][5]["translation"], json!([4.0, 0.0, 0.0]));
}

/// A mesh that bounds a joint is written though no node draws it, and the joint's extras name it by number and name.
#[test]
fn a_solid_is_a_mesh_that_extras_point_at() {
    let mut scene = skinned();
    // A mesh that nothing needs comes first: numbers of the document are not those of the scene.
    scene.meshes.insert(0, triangle("nothing"));
    scene.nodes[0].meshes = vec![MeshId(1)];
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..3 {
        skin.influences.push(Influence { joint: 1, weight: 1.0 });
        skin.end_vertex();
    }
    scene.meshes.push(triangle("shell").with_skin(skin));
    scene.skeletons[0].joints[1].solid = Some(MeshId(2));
    scene.skeletons[0].joints[1].extras = Some(Extra::Map(vec![("id".into(), 7_u32.into())]));
    let json = document(&done(&scene).value);
    let node = |name: &str| json["nodes"].as_array().unwrap().iter().find(|n| n["name"] == name).unwrap();
    let extras = &node("Knee")["extras"];
    assert_eq!(*extras, json!({ "id": 7, "solid": 1, "solid_mesh": "shell" }));
    assert!(node("Hip")["extras"].is_null());
    let meshes = json["meshes"].as_array().unwrap();
    assert_eq!((meshes.len(), &meshes[1]["name"]), (2, &json!("shell")));
    assert!(json["nodes"].as_array().unwrap().iter().all(|n| n["mesh"] != 1));
    scene.skeletons[0].joints[1].solid = Some(MeshId(3));
    assert!(export(&scene, &ExportOptions::default()).is_err());
}

//! Plays files with any JSON and truncated chunks: the result is a player or an error.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use meshwright_gltf::playback::Player;
use meshwright_gltf::{ExportOptions, export};
use meshwright_scene::{
    Channel, Clip, Influence, Interpolation, Joint, Local, Mesh, MeshId, Motion, Node, Scene, Skeleton,
    SkeletonId, Skin, Track,
};
use serde_json::{Value, json};

/// Returns a skinned triangle with a clip.
fn glb() -> Vec<u8> {
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..3 {
        skin.influences.push(Influence { joint: 1, weight: 1.0 });
        skin.end_vertex();
    }
    let mesh = Mesh::new("", vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]])
        .with_normals(vec![[0.0, 0.0, 1.0]; 3])
        .with_skin(skin);
    let joints = vec![Joint::new("a", None, Local::default()), Joint::new("b", Some(0), Local::default())];
    let mut skeleton = Skeleton { name: "s".into(), joints };
    skeleton.bind_rest();
    let mut track = Track { joint: 1, scale: Channel::new(), ..Track::default() };
    for (frame, x) in [(0.0, 0.0), (2.0, 1.0)] {
        track.translation.push(frame, [x; 3]);
        track.rotation.push(frame, meshwright_scene::normalize([x, 0.0, 0.0, 1.0]).unwrap());
    }
    let clip = Clip::new("c", SkeletonId(0), 2.0, Motion::Tracks(vec![track]))
        .with_frames(3)
        .with_interpolation(Interpolation::Spherical);
    let scene = Scene::default()
        .with_nodes(vec![Node::of_mesh("n", MeshId(0))])
        .with_meshes(vec![mesh])
        .with_skeletons(vec![skeleton])
        .with_clips(vec![clip]);
    export(&scene, &ExportOptions::default()).unwrap().value.to_glb()
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

fn split(glb: &[u8]) -> (Value, &[u8]) {
    let length = word(glb, 12);
    (serde_json::from_slice(&glb[20..20 + length]).unwrap(), &glb[28 + length..])
}

fn join(json: &Value, bin: &[u8]) -> Vec<u8> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let length = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let mut glb = [b"glTF".as_slice(), &[2, 0, 0, 0], &length(28 + text.len() + bin.len())].concat();
    glb.extend([&length(text.len())[..], b"JSON", &text, &length(bin.len()), b"BIN\0", bin].concat());
    glb
}

/// Plays a file that can be played, and says whether it can.
fn played(glb: &[u8]) -> bool {
    match Player::with_memory(glb, 1 << 24) {
        Ok(player) => {
            for animation in (0..player.animations().len()).map(Some).chain([None]) {
                for time in [0.0, 0.3, f32::NAN, f32::INFINITY] {
                    player.evaluate(animation, time);
                }
            }
            true
        }
        Err(e) => {
            assert!(e.to_string().len() < 4096, "{e}");
            false
        }
    }
}

/// Collects the JSON pointers of all values in a document.
fn pointers(value: &Value, at: &str, out: &mut Vec<String>) {
    out.push(at.to_owned());
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| pointers(v, &format!("{at}/{i}"), out));
        }
        Value::Object(fields) => fields.iter().for_each(|(k, v)| pointers(v, &format!("{at}/{k}"), out)),
        _ => {}
    }
}

#[test]
fn every_value_of_the_document_may_be_any_other() {
    let glb = glb();
    let (document, bin) = split(&glb);
    assert!(played(&join(&document, bin)));
    let values = [
        json!(0),
        json!(1),
        json!(3),
        json!(-1),
        json!(255),
        json!(i32::MAX),
        json!(u32::MAX),
        json!(u64::MAX),
        json!(1e300),
        json!(null),
        json!(true),
        json!([]),
        json!({}),
        json!("SCALAR"),
        json!([0, 0, 0, 0]),
    ];
    let mut all = Vec::new();
    pointers(&document, "", &mut all);
    assert!(all.len() > 150, "{}", all.len());
    let mut accepted = 0;
    for pointer in &all {
        for value in &values {
            let mut broken = document.clone();
            *broken.pointer_mut(pointer).unwrap() = value.clone();
            accepted += usize::from(played(&join(&broken, bin)));
        }
    }
    // Names, bounds and much else mean nothing to a player.
    assert!(accepted > all.len(), "{accepted}");
}

#[test]
fn nodes_in_circles_and_with_two_parents_are_refused() {
    let glb = glb();
    let (document, bin) = split(&glb);
    let nodes = document["nodes"].as_array().unwrap().len();
    for children in [json!([0]), json!([1, 1]), json!((0..nodes).collect::<Vec<_>>())] {
        let mut broken = document.clone();
        broken["nodes"][0]["children"] = children;
        assert!(!played(&join(&broken, bin)));
    }
}

#[test]
fn a_deep_document_is_refused() {
    let glb = glb();
    let (mut document, bin) = split(&glb);
    document["extras"] = json!("HERE");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let text = document.to_string().replace("\"HERE\"", &deep);
    let mut file = [b"glTF".as_slice(), &[2, 0, 0, 0], &[0; 4]].concat();
    let length = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    file.extend([&length(text.len())[..], b"JSON", text.as_bytes()].concat());
    file.extend([&length(bin.len())[..], b"BIN\0", bin].concat());
    let whole = length(file.len());
    file[8..12].copy_from_slice(&whole);
    let thread = std::thread::Builder::new().stack_size(256 << 10);
    thread.spawn(move || played(&file)).unwrap().join().expect("no recursion on depth");
}

#[test]
fn every_cut_and_every_byte_makes_a_player_or_an_error() {
    let glb = glb();
    for cut in 0..glb.len() {
        assert!(!played(&glb[..cut]));
        let mut shorter = glb[..cut].to_vec();
        if let Some(length) = shorter.get_mut(8..12) {
            length.copy_from_slice(&u32::try_from(cut).unwrap().to_le_bytes());
        }
        played(&shorter);
    }
    for at in 0..glb.len() {
        for byte in [0, 0x7f, 0xff] {
            let mut broken = glb.clone();
            broken[at] = byte;
            played(&broken);
        }
    }
}

#[test]
fn chunks_of_other_types_are_passed_over() {
    let glb = glb();
    let start = 20 + word(&glb, 12);
    let other = [&8_u32.to_le_bytes()[..], b"NEW!", &[0; 8]].concat();
    for at in [start, glb.len()] {
        let mut file = [&glb[..at], &other, &glb[at..]].concat();
        let length = u32::try_from(file.len()).unwrap().to_le_bytes();
        file[8..12].copy_from_slice(&length);
        assert!(played(&file), "{at}");
    }
}

#[test]
fn rotations_may_be_normalised_integers() {
    let glb = glb();
    let (mut document, bin) = split(&glb);
    let channels = document["animations"][0]["channels"].as_array().unwrap();
    let rotation = channels.iter().find(|c| c["target"]["path"] == "rotation").unwrap();
    let sampler = usize::try_from(rotation["sampler"].as_u64().unwrap()).unwrap();
    let output = document["animations"][0]["samplers"][sampler]["output"].as_u64().unwrap();
    let output = usize::try_from(output).unwrap();
    let mut longer = bin.to_vec();
    for part in [0, 0, 0, 32767, -32768, 0, 0, 0_i16] {
        longer.extend(part.to_le_bytes());
    }
    let views = document["bufferViews"].as_array_mut().unwrap();
    views.push(json!({ "buffer": 0, "byteOffset": bin.len(), "byteLength": 16 }));
    let view = views.len() - 1;
    document["buffers"][0]["byteLength"] = json!(longer.len());
    document["accessors"][output] =
        json!({ "bufferView": view, "componentType": 5122, "normalized": true, "count": 2, "type": "VEC4" });
    let player = Player::new(&join(&document, &longer)).unwrap();
    // Half a turn around x, where the joint was moved to (1, 1, 1).
    let end = player.evaluate(Some(0), 1.0)[0].positions[2];
    assert!(end[1].abs() < 1e-6 && (end[2] - 1.0).abs() < 1e-6, "{end:?}");
}

/// Many nodes that draw one mesh with very many sets of joints: the work is much larger than the file and the pose.
#[test]
fn many_nodes_of_a_mesh_with_many_sets_are_refused() {
    let glb = glb();
    let (mut document, bin) = split(&glb);
    let attributes = document["meshes"][0]["primitives"][0]["attributes"].as_object_mut().unwrap();
    let (joints, weights) = (attributes["JOINTS_0"].clone(), attributes["WEIGHTS_0"].clone());
    for set in 1..3000 {
        attributes.insert(format!("JOINTS_{set}"), joints.clone());
        attributes.insert(format!("WEIGHTS_{set}"), weights.clone());
    }
    let nodes = document["nodes"].as_array_mut().unwrap();
    let drawn = nodes.iter().find(|n| n.get("mesh").is_some()).unwrap().clone();
    nodes.extend(std::iter::repeat_n(drawn, 3000));
    let file = join(&document, bin);
    assert!(Player::with_memory(&file, 1 << 28).is_err());
}

//! Tests that an import restores the data that an export writes for it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::{Kind, Limits};
use meshwright_gltf::{ExportOptions, GltfFile, export};
use meshwright_scene::{
    Affine, Channel, Clip, Extra, Influence, Joint, Level, Local, Mesh, MeshId, Motion, Node, NodeId, Scene,
    Skeleton, SkeletonId, Skin, Track, Trs,
};

fn mesh(name: &str, size: f32) -> Mesh {
    Mesh::new(name, vec![[0.0, 0.0, 0.0], [size, 0.0, 0.0], [0.0, size, 0.0]], vec![[0, 1, 2]])
}

fn bound(mut mesh: Mesh, joints: &[Option<u32>]) -> Mesh {
    let mut skin = Skin::new(SkeletonId(0));
    for joint in joints {
        skin.influences.extend(joint.map(|joint| Influence { joint, weight: 1.0 }));
        skin.end_vertex();
    }
    mesh.skin = Some(skin);
    mesh
}

/// Returns a scene with two levels, a joint with an undrawn solid, a vertex without joints, and a clip.
fn scene() -> Scene {
    let place = |y: f32| Local::Trs(Trs { translation: [0.0, y, 0.0], ..Trs::IDENTITY });
    let mut tip = Joint::new("tip", Some(0), place(1.0));
    tip.inverse_bind = Affine { w: [0.0, -1.0, 0.0], ..Affine::IDENTITY };
    tip.solid = Some(MeshId(2));
    tip.extras = Some(Extra::Map(vec![("flags".into(), Extra::Int(4))]));
    let mut turn = Channel::new();
    turn.push(0.0, [0.0, 0.0, 0.0, 1.0]);
    turn.push(3.0, [0.0, 0.6, 0.0, 0.8]);
    let tracks = vec![Track { joint: 1, rotation: turn, ..Track::default() }];
    let clip = Clip::new("walk", SkeletonId(0), 8.0, Motion::Tracks(tracks))
        .with_frames(4)
        .with_looping(true)
        .with_start(5)
        .with_extras(Extra::Map(vec![("events".into(), Extra::Int(7))]));
    let fine = bound(mesh("fine", 1.0), &[Some(0), Some(1), None]);
    let coarse = bound(mesh("coarse", 1.0), &[Some(0), Some(1), Some(1)]);
    let level =
        |name: &str, node, max_distance| Level { name: name.into(), nodes: vec![NodeId(node)], max_distance };
    Scene::new("model")
        .with_format("dpm")
        .with_meshes(vec![fine, coarse, mesh("hull", 2.0)])
        .with_nodes(vec![Node::of_mesh("a", MeshId(0)), Node::of_mesh("b", MeshId(1))])
        .with_skeletons(vec![Skeleton {
            name: "rig".into(),
            joints: vec![Joint::new("root", None, place(0.0)), tip],
        }])
        .with_clips(vec![clip])
        .with_levels(vec![level("near", 0, Some(4.0)), level("far", 1, None)])
        .with_extras(Extra::Map(vec![("note".into(), Extra::Text("kept".into()))]))
}

fn back(scene: &Scene) -> (Scene, GltfFile) {
    let glb = export(scene, &ExportOptions::default()).unwrap().value.to_glb();
    let file = GltfFile::parse(&glb).unwrap();
    let made = file.import("model", None).unwrap().0;
    made.value.scene.validate().unwrap();
    assert!(made.losses.is_empty(), "{:?}", made.losses);
    (made.value.scene, file)
}

#[test]
fn what_a_scene_says_of_itself_comes_back() {
    let mut sent = scene();
    sent.rescale(0.5).unwrap();
    let (got, file) = back(&sent);
    assert!(file.validate().is_empty(), "{:?}", file.validate());
    assert_eq!((got.format.as_str(), got.scale), ("dpm", 0.5));
    assert_eq!(got.extras, sent.extras);
    let levels: Vec<_> = got.levels.iter().map(|l| (l.name.as_str(), l.max_distance)).collect();
    assert_eq!(levels, [("near", Some(2.0)), ("far", None)]);
    for (level, mesh) in got.levels.iter().zip(["fine", "coarse"]) {
        let [node] = level.nodes[..] else { panic!("{level:?}") };
        let [drawn] = got.nodes[node.0].meshes[..] else { panic!("{level:?}") };
        assert_eq!(got.meshes[drawn.0].name, mesh);
    }
    let [clip] = &got.clips[..] else { panic!("{:?}", got.clips) };
    assert_eq!((clip.name.as_str(), clip.rate, clip.frames), ("walk", 8.0, 4));
    assert_eq!((clip.looping, clip.start, &clip.extras), (true, 5, &sent.clips[0].extras));
}

#[test]
fn clips_keep_rates_that_no_game_uses() {
    for rate in [1.0e-30, 1.0e-6, 0.005, 0.01, 1000.0, 5000.0, 1.0e9, 1.0e30] {
        for (frames, looping) in [(4, true), (4, false), (5, true)] {
            let mut sent = scene();
            (sent.clips[0].rate, sent.clips[0].frames, sent.clips[0].looping) = (rate, frames, looping);
            let clip = &back(&sent).0.clips[0];
            assert_eq!((clip.rate, clip.frames, clip.looping), (rate, frames, looping));
        }
    }
}

#[test]
fn a_rate_that_no_game_uses_must_fit_the_keys() {
    let glb = export(&scene(), &ExportOptions::default()).unwrap().value.to_glb();
    for rate in [b":5e3", b":4e9"] {
        let mut stated = glb.clone();
        while let Some(at) = stated.windows(4).position(|w| w == b":8.0") {
            stated[at..at + 4].copy_from_slice(rate);
        }
        let file = GltfFile::parse(&stated).unwrap();
        let clip = &file.import("model", None).unwrap().0.value.scene.clips[0];
        // The keys are at 0 and 0.375 seconds.
        assert_eq!((clip.rate, clip.frames), (16.0, 7));
    }
}

#[test]
fn the_scale_is_divided_out() {
    let mut sent = scene();
    sent.rescale(0.0254).unwrap();
    let (mut got, _) = back(&sent);
    got.rescale(1.0 / f64::from(got.scale)).unwrap();
    assert_eq!(got.scale, 1.0);
    for (got, sent) in got.meshes[0].positions.iter().zip(&scene().meshes[0].positions) {
        assert!(got.iter().zip(sent).all(|(a, b)| (a - b).abs() < 1e-6), "{got:?} {sent:?}");
    }
}

#[test]
fn joints_keep_their_solids_and_lose_the_one_that_never_moves() {
    let (got, _) = back(&scene());
    let joints = &got.skeletons[0].joints;
    assert_eq!(joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["root", "tip"]);
    let solid = joints[1].solid.unwrap();
    assert_eq!((got.meshes[solid.0].name.as_str(), joints[0].solid), ("hull", None));
    assert!(got.nodes.iter().all(|node| !node.meshes.contains(&solid)));
    assert_eq!(joints[1].extras, scene().skeletons[0].joints[1].extras);
    let skin = got.meshes[0].skin.as_ref().unwrap();
    let of = |v: usize| &skin.influences[skin.starts[v] as usize..skin.starts[v + 1] as usize];
    assert_eq!(
        [0, 1, 2].map(|v| of(v).iter().map(|i| i.joint).collect::<Vec<_>>()),
        [vec![0], vec![1], vec![]]
    );
}

/// Returns a document in which a text replaces the extras of the export.
fn import_text(text: &str) -> GltfFile {
    let scene = scene();
    let glb = export(&scene, &ExportOptions::default()).unwrap();
    let (json, bin) = glb.value.to_gltf("data");
    let mut root: serde_json::Value = serde_json::from_slice(&json).unwrap();
    root["scenes"][0]["extras"]["meshwright"] = text.into();
    // Blender drops these extras.
    root["animations"][0].as_object_mut().unwrap().remove("extras");
    let mut file = GltfFile::parse(&serde_json::to_vec(&root).unwrap()).unwrap();
    file.supply(root["buffers"][0]["uri"].as_str().unwrap(), bin.to_vec());
    file
}

#[test]
fn the_text_of_the_scene_stands_in_for_extras_that_tools_drop() {
    let text = r#"{"v":1,"scale":2,"clips":[{"name":"walk","rate":4,"loop":true,"start":3,"frames":3}]}"#;
    let file = import_text(text);
    let (made, report) = file.import("", None).unwrap();
    assert!(report.is_empty(), "{report:?}");
    let clip = &made.value.scene.clips[0];
    // Three frames of 4 a second take as long as the keys say: the last is where it comes round or not.
    assert_eq!((clip.rate, clip.looping, clip.start), (4.0, true, 3));
    assert_eq!(made.value.scene.scale, 2.0);
}

#[test]
fn what_cannot_be_read_of_it_is_a_warning() {
    for text in ["{", "", "[1]", r#"{"v":2}"#, "{'v': 1}"] {
        let (made, report) = import_text(text).import("", None).unwrap();
        let codes: Vec<_> = report.totals().map(|t| t.0).collect();
        assert_eq!(codes, ["extras-ignored"], "{text}");
        assert_eq!((made.value.scene.scale, made.value.scene.levels.len()), (1.0, 0));
    }
    let odd = import_text(r#"{"v":1,"scale":-1,"clips":[{"name":"walk","rate":1e30,"frames":-1}]}"#);
    let clip = odd.import("", None).unwrap().0.value.scene.clips.remove(0);
    assert!(clip.rate > 0.0 && clip.rate < 1000.0);
}

#[test]
fn the_scene_is_given_away_once_and_made_again_within_the_limits_that_are_asked_for() {
    let glb = export(&scene(), &ExportOptions::default()).unwrap().value.to_glb();
    let file = GltfFile::parse(&glb).unwrap();
    let needs = file.memory_needed().unwrap();
    let within = |memory| file.import_within("a", None, Limits::default().with_memory(memory));
    // With one byte less, the import fails with a limit error.
    assert_eq!(within(needs - 1).unwrap_err().kind(), Kind::Limit);
    let (first, report) = within(needs).unwrap();
    let (again, same) = within(needs).unwrap();
    assert_eq!((&first, &report), (&again, &same));
    assert_eq!(file.validate(), report);
    // Its companion files are read again with it.
    let mut other = file.clone();
    other.supply("x", *b"y");
    assert_eq!((other.memory_needed(), other.import("a", None).unwrap().0), (None, first));
}

//! Tests clips as animations: switching between clips, and the cost of many clips.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; tests use small numbers"
)]

use meshwright_gltf::playback::Player;
use meshwright_gltf::{ExportOptions, Gltf, export};
use meshwright_rig::{Evaluator, Precision};
use meshwright_scene::{
    Affine, Budget, Channel, Clip, ConvertError, Extra, Influence, Interpolation, Joint, Limits, Local, Mesh,
    MeshId, Motion, Node, PoseSet, PoseSetId, Scene, Skeleton, SkeletonId, Skin, Track, Trs,
};
use meshwright_testkit::Deadline;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn done(scene: &Scene) -> Gltf<'static> {
    export(scene, &ExportOptions::default()).unwrap().value.into_owned()
}

fn document(gltf: &Gltf<'_>) -> Value {
    serde_json::from_slice(&gltf.to_gltf("x.bin").0).unwrap()
}

fn translated(x: f32) -> Local {
    Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY })
}

fn affine_at(x: f32) -> Affine {
    Affine { w: [x, 0.0, 0.0], ..Affine::IDENTITY }
}

/// Returns a chain of three joints at unit distances, without clips.
fn skeleton() -> Skeleton {
    let names = ["hip", "knee", "foot"].into_iter().enumerate();
    let joints = names.map(|(i, name)| Joint::new(name, i.checked_sub(1), translated(1.0))).collect();
    let mut skeleton = Skeleton { name: String::new(), joints };
    skeleton.bind_rest().unwrap();
    skeleton
}

fn scene(skeleton: Skeleton, clips: Vec<Clip>) -> Scene {
    Scene::new("robot").with_skeletons(vec![skeleton]).with_clips(clips)
}

fn slide(joint: usize, values: &[f32]) -> Track {
    let mut track = Track { joint, ..Track::default() };
    for (frame, x) in (0_u8..).zip(values) {
        track.translation.push(f32::from(frame), [*x, 0.0, 0.0]);
    }
    track
}

fn turn(joint: usize) -> Track {
    let mut rotation = Channel::new();
    rotation.push(0.0, [0.0, 0.0, 0.0, 1.0]);
    rotation.push(2.0, [1.0, 0.0, 0.0, 0.0]);
    Track { joint, rotation, ..Track::default() }
}

fn clip(name: &str, tracks: Vec<Track>) -> Clip {
    Clip::new(name, SkeletonId(0), 10.0, Motion::Tracks(tracks))
}

/// Times and values of channels by the names of node and path.
type Channels = BTreeMap<String, (Vec<f32>, Vec<f32>)>;

/// Returns the keys of every animation.
fn channels(gltf: &Gltf<'_>) -> Vec<Channels> {
    let (document, bin) = (document(gltf), gltf.buffer());
    let number = |v: &Value| usize::try_from(v.as_u64().unwrap_or(0)).unwrap();
    let floats = |accessor: &Value| {
        let accessor = &document["accessors"][number(accessor)];
        let view = &document["bufferViews"][number(&accessor["bufferView"])];
        let start = number(&view["byteOffset"]) + number(&accessor["byteOffset"]);
        let components = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        let length = number(&accessor["count"]) * components * 4;
        assert!(number(&accessor["byteOffset"]) + length <= number(&view["byteLength"]));
        let words = bin[start..start + length].as_chunks::<4>().0;
        words.iter().map(|b| f32::from_le_bytes(*b)).collect::<Vec<_>>()
    };
    let all = document["animations"].as_array().cloned().unwrap_or_default();
    let of = |animation: &Value| {
        let keys = |channel: &Value| {
            let sampler = &animation["samplers"][number(&channel["sampler"])];
            let target = &channel["target"];
            let node = document["nodes"][number(&target["node"])]["name"].as_str().unwrap().to_owned();
            let name = format!("{node} {}", target["path"].as_str().unwrap());
            (name, (floats(&sampler["input"]), floats(&sampler["output"])))
        };
        animation["channels"].as_array().unwrap().iter().map(keys).collect()
    };
    all.iter().map(of).collect()
}

#[test]
fn every_clip_says_where_everything_is_that_another_moves() {
    let clips = || {
        let still = Motion::Poses { set: PoseSetId(0), frames: vec![0, 1] };
        vec![
            clip("slide", vec![slide(1, &[1.0, 4.0, 9.0])]),
            clip("turn", vec![turn(2)]),
            Clip::new("poses", SkeletonId(0), 10.0, still),
        ]
    };
    let locals =
        vec![affine_at(1.0), affine_at(1.0), affine_at(1.0), affine_at(3.0), affine_at(1.0), affine_at(1.0)];
    let all = scene(skeleton(), clips()).with_pose_sets(vec![PoseSet { joints: 3, locals }]);
    let channels = channels(&done(&all));
    let names = ["foot rotation", "hip translation", "knee translation"];
    for channels in &channels {
        assert_eq!(channels.keys().collect::<Vec<_>>(), names);
    }
    // A channel that a clip does not move has one key, which is the rest pose.
    assert_eq!(channels[0]["foot rotation"], (vec![0.0], vec![0.0, 0.0, 0.0, 1.0]));
    assert_eq!(channels[1]["knee translation"], (vec![0.0], vec![1.0, 0.0, 0.0]));
    assert_eq!(channels[2]["knee translation"].0, [0.0]);
    assert_eq!(channels[2]["hip translation"], (vec![0.0, 0.1], vec![1.0, 0.0, 0.0, 3.0, 0.0, 0.0]));
    // A clip by itself has what it moves and no more.
    let alone = scene(skeleton(), clips().into_iter().take(1).collect());
    assert_eq!(self::channels(&done(&alone))[0].keys().collect::<Vec<_>>(), ["knee translation"]);
    // Clips of another skeleton are another matter.
    let mut two = scene(skeleton(), clips().into_iter().take(2).collect());
    two.skeletons.push(skeleton());
    two.clips[1].skeleton = SkeletonId(1);
    assert!(self::channels(&done(&two)).iter().all(|channels| channels.len() == 1));
}

#[test]
fn what_bones_cannot_hold_at_rest_is_keyed_in_every_clip() {
    let keyed = |skeleton: &Skeleton| {
        let clips = vec![clip("slide", vec![slide(2, &[1.0, 4.0])])];
        let channels = channels(&done(&scene(skeleton.clone(), clips)));
        channels[0].keys().filter(|name| !name.starts_with("foot t")).cloned().collect::<Vec<_>>()
    };
    assert_eq!(keyed(&skeleton()), Vec::<String>::new());
    // A rest scale.
    let mut scaled = skeleton();
    scaled.joints[0].rest = Local::Trs(Trs { scale: [0.7; 3], ..Trs::IDENTITY });
    scaled.bind_rest().unwrap();
    assert_eq!(keyed(&scaled), ["hip scale"]);
    // A rest pose that is not the bind pose.
    let mut posed = skeleton();
    posed.joints[1].rest = translated(5.0);
    assert_eq!(keyed(&posed), ["knee translation"]);
    let half = core::f32::consts::FRAC_1_SQRT_2;
    posed.joints[1].rest = Local::Trs(Trs { rotation: [half, 0.0, 0.0, half], ..Trs::IDENTITY });
    assert_eq!(keyed(&posed), ["knee rotation", "knee translation"]);
}

#[test]
fn keys_within_equal_runs_are_dropped_and_the_clip_keeps_its_length() {
    let values = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0];
    let tracks = || vec![slide(0, &values), slide(1, &[7.0; 10])];
    let gltf = done(&scene(skeleton(), vec![clip("runs", tracks())]));
    let all = channels(&gltf);
    let (times, keys) = &all[0]["hip translation"];
    assert_eq!(times, &[0.2, 0.3, 0.6, 0.7]);
    assert_eq!(keys.chunks(3).map(|v| v[0]).collect::<Vec<_>>(), [1.0, 2.0, 2.0, 3.0]);
    // One channel lasts from the first frame to the last.
    assert_eq!(all[0]["knee translation"].0, [0.0, 0.9]);
    assert_eq!(Player::new(&gltf.to_glb()).unwrap().animations()[0].duration, 0.9);
    // Without another channel, the moving one gets keys at both ends.
    let gltf = done(&scene(skeleton(), vec![clip("runs", vec![slide(0, &values)])]));
    assert_eq!(channels(&gltf)[0]["hip translation"].0, [0.0, 0.2, 0.3, 0.6, 0.7, 0.9]);
    // Equal neighbours that come only in pairs keep the times that all channels share.
    let gltf = done(&scene(skeleton(), vec![clip("pairs", vec![slide(0, &[1.0, 1.0, 2.0, 2.0])])]));
    assert_eq!(channels(&gltf)[0]["hip translation"].0, [0.0, 0.1, 0.2, 0.3]);
}

#[test]
fn keys_share_a_view_and_equal_ones_are_stored_once() {
    let clips =
        (0..40_u8).map(|i| clip(&i.to_string(), vec![slide(0, &[1.0, f32::from(i % 2), 5.0]), turn(2)]));
    let gltf = done(&scene(skeleton(), clips.collect()));
    let document = document(&gltf);
    // The inverse bind matrices, and all keys.
    assert_eq!(document["bufferViews"].as_array().unwrap().len(), 2);
    // Times of slides and of turns, two slides, one turn, matrices.
    assert_eq!(document["accessors"].as_array().unwrap().len(), 6);
    assert_eq!(document["animations"].as_array().unwrap().len(), 40);
    assert!(document["animations"][7]["samplers"][0].get("interpolation").is_none());
    assert_eq!(channels(&gltf)[7]["hip translation"].1[3], 1.0);
}

#[test]
fn a_skeleton_that_moves_nothing_has_a_skin() {
    let gltf = document(&done(&scene(skeleton(), vec![clip("turn", vec![turn(1)])])));
    assert_eq!(gltf["skins"][0]["joints"], json!([1, 2, 3]));
    assert_eq!(gltf["skins"][0]["skeleton"], json!(0));
    assert_eq!(gltf["scenes"][0]["nodes"], json!([0]));
    assert!(gltf.get("meshes").is_none());
}

#[test]
fn an_animation_says_how_its_clip_is_played() {
    let extras = Extra::Map(vec![("events".into(), 3_u32.into()), ("rate".into(), 99_u32.into())]);
    let first =
        clip("a \"b\"", vec![slide(0, &[1.0, 2.0, 3.0])]).with_frames(3).with_looping(true).with_start(17);
    let second = clip("once", vec![slide(0, &[1.0, 2.0])]).with_extras(extras);
    let mut scene = scene(skeleton(), vec![first, second]).with_format("dpm");
    scene.clips[0].rate = 12.3;
    let done = export(&scene, &ExportOptions::default()).unwrap();
    let gltf = document(&done.value);
    assert_eq!(
        gltf["animations"][0]["extras"],
        json!({ "rate": 12.3, "loop": true, "start": 17, "frames": 3, "period": 0.243_902 })
    );
    assert_eq!(
        gltf["animations"][1]["extras"],
        json!({ "rate": 10.0, "loop": false, "start": 0, "frames": 2, "events": 3 })
    );
    // The same as a text, which editors keep.
    let told = gltf["scenes"][0]["extras"]["meshwright"].as_str().unwrap();
    assert_eq!(
        serde_json::from_str::<Value>(told).unwrap(),
        json!({ "v": 1, "format": "dpm", "name": "robot", "clips": [
            { "name": "a \"b\"", "rate": 12.3, "loop": true, "start": 17, "frames": 3 },
            { "name": "once", "rate": 10.0, "loop": false, "start": 0, "frames": 2 },
        ] })
    );
    // A loop takes a frame longer in its game.
    let note = done.notes().find(|l| l.code == "loop-period").unwrap();
    assert!(note.message.contains("0.243902 s in the game and 0.162602 s"), "{note}");
    assert!((note.count, note.amount) == (1, Some(0.081_301)), "{note:?}");
    let closed = export(&scene, &ExportOptions::default().with_close_loops(true)).unwrap();
    assert!(closed.losses.iter().all(|l| l.code != "loop-period"));
}

#[test]
fn the_scale_of_a_scene_is_told() {
    let mut scene = scene(skeleton(), vec![]);
    assert!(document(&done(&scene))["scenes"][0].get("extras").is_none());
    scene.rescale(0.0254).unwrap();
    let gltf = document(&done(&scene));
    assert_eq!(gltf["scenes"][0]["extras"]["meshwright"], json!(r#"{"v":1,"name":"robot","scale":0.0254}"#));
    assert_eq!(gltf["nodes"][1]["translation"], json!([0.0254, 0.0, 0.0]));
}

#[test]
fn vertices_that_no_triangle_uses_are_told() {
    let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [5.0; 3], [0.0, 1.0, 0.0]];
    let mesh = Mesh::new("m", corners, vec![[0, 1, 3]]);
    let mut scene = Scene::default().with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("m", MeshId(0))]);
    let note = |scene: &Scene| {
        let done = export(scene, &ExportOptions::default()).unwrap();
        done.notes().find(|l| l.code == "vertices-unused").map(|l| (l.path.clone(), l.count))
    };
    assert_eq!(note(&scene), Some(("meshes[0]".into(), 1)));
    scene.prune(&Budget::new(Limits::default())).unwrap();
    assert_eq!(note(&scene), None);
}

#[test]
fn binds_that_shear_are_straightened_where_joints_share_them() {
    // Two helper joints for the mean of others, and a third with a matrix of its own.
    let mut skeleton = skeleton();
    let sheared = Affine { x: [0.9, 0.2, 0.1], y: [-0.3, 0.8, 0.0], z: [0.0, 0.1, 1.1], w: [0.5, 0.0, 2.0] };
    for joint in [1, 2] {
        skeleton.joints[joint].inverse_bind = sheared;
    }
    let mut skin = Skin::new(SkeletonId(0));
    for weights in [[0.0, 0.25, 0.75], [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]] {
        skin.influences.extend((0_u32..).zip(weights).map(|(joint, weight)| Influence { joint, weight }));
        skin.end_vertex();
    }
    let corners = vec![[1.0, 2.0, 3.0], [1.0, -2.0, 0.5], [0.0, 1.0, 0.0]];
    let mesh =
        Mesh::new("m", corners, vec![[0, 1, 2]]).with_normals(vec![[0.0, 0.6, 0.8]; 3]).with_skin(skin);
    let clips = vec![clip("turn", vec![turn(1), slide(2, &[1.0, 5.0])])];
    let scene =
        scene(skeleton, clips).with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("m", MeshId(0))]);
    let gltf = done(&scene);
    let document = document(&gltf);
    let matrices =
        &document["accessors"][document["skins"][0]["inverseBindMatrices"].as_u64().unwrap() as usize];
    let view = &document["bufferViews"][matrices["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap() as usize;
    let bytes = &gltf.buffer()[start..start + view["byteLength"].as_u64().unwrap() as usize];
    let floats: Vec<f32> = bytes.as_chunks().0.iter().map(|b| f32::from_le_bytes(*b)).collect();
    for matrix in floats.chunks(16) {
        let column = |i: usize| [matrix[4 * i], matrix[4 * i + 1], matrix[4 * i + 2]];
        for (i, j) in [(0, 1), (1, 2), (0, 2)] {
            let dot: f32 = column(i).iter().zip(column(j)).map(|(a, b)| a * b).sum();
            assert!(dot.abs() < 1e-6, "{matrix:?}");
        }
    }
    // All positions are as in the skeleton.
    let player = Player::new(&gltf.to_glb()).unwrap();
    let mut evaluator = Evaluator::new(&scene).unwrap().with_precision(Precision::Double);
    for (frame, time) in [(0.0, 0.0), (1.0, 0.1)] {
        evaluator.pose(Some((0, frame))).unwrap();
        let expected = evaluator.meshes().unwrap();
        let found = player.evaluate(Some(0), time);
        for (a, b) in found[0].positions.iter().zip(&expected[0].positions) {
            let near = a.iter().zip(b).all(|(a, b)| (a - f64::from(*b)).abs() < 2e-6);
            assert!(near, "frame {frame}: {a:?} {b:?}");
        }
    }
}

/// Returns a scene of many clips whose frames alternate between two poses.
fn pairs(joints: usize, frames: usize, clips: usize, poses: [Affine; 2]) -> Scene {
    let names = (0..joints).map(|i| Joint::new(format!("{i}"), None, Local::Affine(poses[0])));
    let mut skeleton = Skeleton { name: String::new(), joints: names.collect() };
    skeleton.bind_rest().unwrap();
    let locals = poses.iter().flat_map(|pose| vec![*pose; joints]).collect();
    let clips = (0..clips).map(|i| {
        let frames = (0_u32..).map(|f| f % 2).take(frames).collect();
        let motion = Motion::Poses { set: PoseSetId(0), frames };
        Clip::new(i.to_string(), SkeletonId(0), 10.0, motion).with_interpolation(Interpolation::Matrix)
    });
    Scene::default()
        .with_clips(clips.collect())
        .with_skeletons(vec![skeleton])
        .with_pose_sets(vec![PoseSet { joints, locals }])
}

/// Checks that work takes only some seconds.
fn timed<T>(work: impl FnOnce() -> T) -> T {
    let deadline = Deadline::seconds(10);
    let done = work();
    deadline.met("the export");
    done
}

#[test]
fn poses_are_taken_apart_once_however_many_frames_show_them() {
    // They differ only in shear, which is lost.
    let sheared = |by| Affine { x: [0.8, by, 0.0], y: [by, 0.8, 0.0], ..Affine::IDENTITY };
    let scene = pairs(2000, 2000, 300, [sheared(0.6), sheared(-0.6)]);
    let done = timed(|| export(&scene, &ExportOptions::default())).unwrap();
    assert_eq!(
        done.losses.iter().filter(|l| l.code == "joint-shear" && l.path.starts_with("clips")).count(),
        300
    );
    assert!(done.value.glb_len() < 1 << 20);
}

#[test]
fn work_has_an_end_however_little_it_leaves() {
    // Equal keys of all joints and clips are stored once; they are made for each.
    let scene = pairs(2000, 2000, 300, [affine_at(0.0), affine_at(1.0)]);
    let refused = timed(|| export(&scene, &ExportOptions::default()));
    let Err(ConvertError::Limit(limit)) = refused else { panic!("{:?}", refused.map(|d| d.value.glb_len())) };
    assert_eq!((limit.what(), limit.unit()), ("keys", "steps"));
}

#[test]
fn a_mesh_moves_as_it_did_with_all_its_keys() {
    let mut skin = Skin::new(SkeletonId(0));
    for joint in [0, 1, 2] {
        skin.influences.push(Influence { joint, weight: 1.0 });
        skin.end_vertex();
    }
    let mesh =
        Mesh::new("leg", vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]).with_skin(skin);
    let still = [1.0, 1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0];
    let clips = vec![clip("a", vec![slide(0, &still)]), clip("b", vec![slide(1, &still), turn(2)])];
    let scene =
        scene(skeleton(), clips).with_meshes(vec![mesh]).with_nodes(vec![Node::of_mesh("leg", MeshId(0))]);
    let player = Player::new(&done(&scene).to_glb()).unwrap();
    for (frame, x) in (0_u8..).zip(still) {
        let time = f32::from(frame) / 10.0;
        for clip in [0, 1] {
            let posed = player.evaluate(Some(clip), time)[0].positions[2];
            assert!((posed[0] - f64::from(x - 1.0)).abs() < 1e-6, "clip {clip} frame {frame}: {posed:?}");
        }
    }
}

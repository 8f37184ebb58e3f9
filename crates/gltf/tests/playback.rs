//! A GLB, played only from its bytes, moves like its original scene.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; tests use small numbers"
)]

use meshwright_gltf::playback::{Player, PrimitivePose};
use meshwright_gltf::{ExportOptions, Gltf, Influences, export};
use meshwright_rig::glam::DVec3;
use meshwright_rig::{Evaluator, Precision, world_transforms};
use meshwright_scene::strategy::{clean_scene, wild_scene};
use meshwright_scene::{Interpolation, MeshId, Motion, Scene};
use meshwright_testkit::proptest;
use proptest::prelude::*;

/// Returns the scene's own result: the positions and normals of every drawn mesh, by the number of the glTF mesh, one entry
/// for each node that draws it.
fn native(scene: &Scene, gltf: &Gltf<'_>, at: Option<(usize, f64)>) -> Vec<(usize, Vec<DVec3>, Vec<DVec3>)> {
    let mut evaluator = Evaluator::new(scene).unwrap().with_precision(Precision::Double);
    evaluator.pose(at).unwrap();
    let worlds = world_transforms(scene).unwrap();
    let wide = |v: &[f32; 3]| DVec3::from(v.map(f64::from));
    let mut drawn = Vec::new();
    for (node, world) in scene.nodes.iter().zip(&worlds) {
        for mesh in &node.meshes {
            let Some(index) = gltf.mesh_sources().iter().position(|m| m == mesh) else { continue };
            let pose = evaluator.mesh(*mesh).unwrap();
            let skinned = scene.meshes[mesh.0].skin.is_some();
            let turn = world.matrix3.inverse().transpose();
            let place = |p: DVec3| if skinned { p } else { world.transform_point3(p) };
            let point = |n: DVec3| (if skinned { n } else { turn * n }).normalize_or_zero();
            drawn.push((
                index,
                pose.positions.iter().map(wide).map(place).collect(),
                pose.normals.iter().map(wide).map(point).collect(),
            ));
        }
    }
    drawn
}

fn distance(a: &[DVec3], b: &[[f64; 3]]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).fold(0.0, |d, (a, b)| d.max(a.distance(DVec3::from(*b))))
}

/// Checks that every drawn mesh of the scene is drawn at the same place in the file.
fn agree(native: &[(usize, Vec<DVec3>, Vec<DVec3>)], played: &[PrimitivePose], tolerance: f64) {
    assert_eq!(native.len(), played.len());
    for (mesh, positions, normals) in native {
        let extent = positions.iter().fold(1.0_f64, |e, p| e.max(p.abs().max_element()));
        let of_mesh = played.iter().filter(|p| p.mesh == *mesh);
        let nearest = of_mesh
            .map(|p| (distance(positions, &p.positions), p))
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .expect("the mesh is drawn");
        assert!(nearest.0 <= tolerance * extent, "{} away, extent {extent}", nearest.0);
        assert_eq!(normals.is_empty(), nearest.1.normals.is_empty());
        for (a, b) in normals.iter().zip(&nearest.1.normals) {
            // If a joint is flat or weights cancel out, the direction is noise.
            if a.length() > 0.5 {
                assert!(a.distance(DVec3::from(*b)) < 2e-3, "{a} {b:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(192) })]

    #[test]
    fn clean_scenes_move_alike(scene in clean_scene(), close in any::<bool>(), all in any::<bool>()) {
        let influences = if all { Influences::All } else { Influences::Four };
        let options = ExportOptions::default().with_close_loops(close).with_influences(influences);
        let gltf = export(&scene, &options).unwrap().value;
        let player = Player::new(&gltf.to_glb()).unwrap();
        agree(&native(&scene, &gltf, None), &player.evaluate(None, 0.0), 1e-5);
        prop_assert_eq!(player.animations().len(), gltf.clip_sources().len());
        for (a, &c) in gltf.clip_sources().iter().enumerate() {
            let clip = &scene.clips[c];
            let frames = clip.frames + u32::from(close && clip.looping);
            for f in 0..frames {
                let time = (f64::from(f) / f64::from(clip.rate)) as f32;
                // Between the keys of tracks only the spherical rule is glTF's own.
                let whole = matches!(clip.motion, Motion::Poses { .. })
                    || clip.interpolation == Interpolation::Spherical;
                if !whole {
                    continue;
                }
                agree(&native(&scene, &gltf, Some((c, f64::from(f)))), &player.evaluate(Some(a), time), 1e-5);
            }
            let end = (f64::from(frames - 1) / f64::from(clip.rate)) as f32;
            prop_assert_eq!(player.animations()[a].duration, end);
            prop_assert_eq!(&player.animations()[a].name, &clip.name);
        }
    }

    #[test]
    fn same_scene_same_bytes(scene in wild_scene()) {
        let one = export(&scene, &ExportOptions::default()).unwrap();
        let twin = scene.clone();
        let two = export(&twin, &ExportOptions::default()).unwrap();
        prop_assert_eq!(one.value.to_glb(), two.value.to_glb());
        prop_assert_eq!(one.losses, two.losses);
        prop_assert_eq!(one.value.glb_len(), one.value.to_glb().len() as u64);
        let (mut streamed, mut buffer) = (Vec::new(), Vec::new());
        one.value.write_glb(&mut streamed).unwrap();
        one.value.write_buffer(&mut buffer).unwrap();
        prop_assert_eq!(&streamed, &one.value.to_glb());
        prop_assert_eq!((buffer.len() as u64, &buffer), (one.value.buffer_len(), &one.value.buffer()));
        prop_assert!(streamed.ends_with(&buffer));
        prop_assert_eq!(&one.value.clone().into_owned().into_glb(), &streamed);
        prop_assert_eq!(&one.value.clone().into_glb(), &streamed);
    }

    #[test]
    fn any_valid_scene_can_be_written_and_played(scene in wild_scene()) {
        let gltf = export(&scene, &ExportOptions::default()).unwrap().value;
        let glb = gltf.to_glb();
        let player = Player::new(&glb).unwrap();
        for a in (0..player.animations().len()).map(Some).chain([None]) {
            for drawn in player.evaluate(a, 0.5) {
                prop_assert!(drawn.positions.iter().flatten().all(|c| c.is_finite()));
                prop_assert!(gltf.mesh_sources().get(drawn.mesh).is_some_and(|&MeshId(m)| m < scene.meshes.len()));
            }
        }
        prop_assert_eq!(player.animations().len(), gltf.clip_sources().len());
        let (json, bin) = gltf.to_gltf("a b.bin");
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        prop_assert!(!has_null(&json));
        if let Some(buffer) = json["buffers"].get(0) {
            prop_assert_eq!(buffer["uri"].as_str(), Some("a%20b.bin"));
            prop_assert_eq!(buffer["byteLength"].as_u64(), Some(bin.len() as u64));
        }
    }

    #[test]
    fn a_limit_is_an_error_and_never_a_panic(scene in wild_scene(), bytes in 0_u64..40_000) {
        // Refused or done; the file is never larger than the limit.
        if let Ok(done) = export(&scene, &ExportOptions::default().with_memory(bytes)) {
            prop_assert!(done.value.glb_len() <= bytes + 64);
        }
    }

    #[test]
    fn damaged_files_never_panic(scene in clean_scene(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut glb = export(&scene, &ExportOptions::default()).unwrap().value.to_glb();
        let i = at.index(glb.len());
        glb[i] = byte;
        if let Ok(player) = Player::with_memory(&glb, 1 << 24) {
            for a in 0..player.animations().len() {
                player.evaluate(Some(a), 0.3);
            }
        }
        glb.truncate(i);
        prop_assert!(Player::new(&glb).is_err());
    }
}

fn has_null(json: &serde_json::Value) -> bool {
    match json {
        serde_json::Value::Null => true,
        serde_json::Value::Array(items) => items.iter().any(has_null),
        serde_json::Value::Object(fields) => fields.values().any(has_null),
        _ => false,
    }
}

/// A joint below a flattened and turned one, and one that shears: the nodes cannot have the joints' poses, but the
/// vertices are right.
#[test]
fn the_rest_pose_survives_shear() {
    use meshwright_scene::{
        Affine, Influence, Joint, Local, Mesh, Node, Skeleton, SkeletonId, Skin, Trs, normalize,
    };
    let flat = Trs {
        translation: [0.0, 1.0, 0.0],
        rotation: normalize([0.3, 0.1, 0.2, 0.9]).unwrap(),
        scale: [3.0, 1.0, 0.5],
    };
    let sheared = Affine { y: [0.7, 1.0, 0.0], w: [1.0, 0.0, 0.0], ..Affine::IDENTITY };
    let joints = vec![
        Joint::new("flat", None, Local::Affine(flat.to_affine())),
        Joint::new("turned", Some(0), Local::Trs(Trs { scale: [1.0; 3], ..flat })),
        Joint::new("sheared", Some(1), Local::Affine(sheared)),
    ];
    let mut skeleton = Skeleton { name: String::new(), joints };
    assert_eq!(skeleton.bind_rest(), Some(vec![]));
    let mut skin = Skin::new(SkeletonId(0));
    for joint in 0..3 {
        skin.influences.push(Influence { joint, weight: 1.0 });
        skin.end_vertex();
    }
    let mesh = Mesh::new("", vec![[1.0, 2.0, 3.0], [-1.0, 2.0, 0.0], [5.0, 1.0, 1.0]], vec![[0, 1, 2]])
        .with_skin(skin);
    let scene = Scene::default()
        .with_nodes(vec![Node::of_mesh("", MeshId(0))])
        .with_meshes(vec![mesh])
        .with_skeletons(vec![skeleton]);
    let done = export(&scene, &ExportOptions::default()).unwrap();
    assert!(done.losses.iter().any(|l| l.code == "joint-shear" && l.amount > Some(0.1)));
    let player = Player::new(&done.value.to_glb()).unwrap();
    agree(&native(&scene, &done.value, None), &player.evaluate(None, 0.0), 1e-5);
}

/// If every joint has all channels and all end early, the clip keeps its length.
#[test]
fn a_clip_keeps_its_length() {
    use meshwright_scene::{Channel, Clip, Joint, Local, Skeleton, SkeletonId, Track};
    let mut track = Track { joint: 0, ..Track::default() };
    for (frame, x) in [(0.0, 1.0), (1.0, 2.0)] {
        track.translation.push(frame, [x; 3]);
        track.scale.push(frame, [x; 3]);
        track.rotation.push(frame, meshwright_scene::normalize([x - 1.0, 0.0, 0.0, 1.0]).unwrap());
    }
    let full = track.clone();
    let rest = Track { scale: Channel::new(), ..track.clone() };
    let still = Track { joint: 0, ..Track::default() };
    let clip = |track| {
        Clip::new(String::new(), SkeletonId(0), 2.0, Motion::Tracks(vec![track]))
            .with_frames(9)
            .with_interpolation(Interpolation::Spherical)
    };
    let joints = vec![Joint::new("a", None, Local::default())];
    let scene = Scene::default()
        .with_skeletons(vec![Skeleton { name: String::new(), joints }])
        .with_clips(vec![clip(full), clip(rest), clip(still)]);
    let glb = export(&scene, &ExportOptions::default()).unwrap().value.to_glb();
    let player = Player::new(&glb).unwrap();
    let durations: Vec<f32> = player.animations().iter().map(|a| a.duration).collect();
    assert_eq!(durations, [4.0, 4.0, 4.0]);
}

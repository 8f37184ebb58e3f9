//! Scenes made of models, evaluated by nothing but what they hold, and models made of scenes.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare small numbers, and fail by a panic"
)]

use crate::support::scenes::*;
use crate::support::{assert_near, extent};
use meshwright_core::F32;
use meshwright_dpm::{
    Bone, BonePose, Dpm, DpmFiles, Frame, FrameClip, Influence, Mesh, Name, PoseId, Vertices, Zym, strategy,
    write_scene,
};
use meshwright_scene::{AxisMap, ConvertError, FromSceneOptions, Node, Scene, SceneOptions, Space};
use meshwright_testkit::proptest;
use proptest::prelude::*;
use std::sync::Arc;

#[test]
fn the_demo_in_gltf_space() {
    let (model, clips) = hopper();
    let made = model.to_scene(&SceneOptions::default(), Some(&clips)).unwrap();
    assert_eq!(codes(&made.losses), ["bone-flags", "groupids"]);
    let scene = made.value;
    assert_eq!((scene.meshes.len(), scene.nodes.len(), scene.materials.len()), (2, 2, 2));
    assert_eq!(scene.materials[0].name, "models/hopper/skin");
    assert_eq!(scene.skeletons[0].joints[4].name, "tag_hat", "bones that move nothing are kept");
    let clips: Vec<_> = scene.clips.iter().map(|c| (c.name.as_str(), c.frames, c.rate, c.looping)).collect();
    assert_eq!(clips, [("idle", 6, 6.0, true), ("hop", 8, 12.0, true)]);
    for mesh in 0..2 {
        for (clip, frame, file) in [(0, 0, 1), (0, 5, 6), (1, 4, 11)] {
            let model_space = posed(&scene, Some((clip, frame)));
            let native = model.evaluate(mesh, file).unwrap();
            let mapped: Vec<_> = native.positions.iter().map(|p| TO_GLTF.point(*p).map(f64::from)).collect();
            assert_near("local form", &by_local(&scene, mesh, &model_space).0, &mapped, 2e-5, &[]);
            assert_near("bind form", &by_bind(&scene, mesh, &model_space), &mapped, 2e-5, &[]);
        }
        for n in &scene.meshes[mesh].normals {
            assert!((n.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-5);
        }
    }
    // Faces look outwards: with their normals, and counter-clockwise.
    let body = &scene.meshes[0];
    for t in &body.triangles {
        let [a, b, c] = t.map(|v| body.positions[v as usize].map(f64::from));
        let (u, v): ([f64; 3], [f64; 3]) =
            (std::array::from_fn(|i| b[i] - a[i]), std::array::from_fn(|i| c[i] - a[i]));
        let face = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
        let along = |v: u32| -> f64 {
            let n = body.normals[v as usize];
            (0..3).map(|i| face[i] * f64::from(n[i])).sum()
        };
        assert!(t.iter().map(|v| along(*v)).sum::<f64>() > 0.0, "{t:?}");
    }
}

#[test]
fn meshes_that_are_given_away_make_the_same_scene() {
    let (model, clips) = hopper();
    let options = SceneOptions::default();
    for options in [options.clone(), options.clone().with_extras(true), options.with_bind_only(true)] {
        let expected = model.to_scene(&options, Some(&clips)).unwrap();
        let mut own = Dpm::parse(&model.to_bytes().unwrap()).unwrap();
        let place = own.meshes[0].triangles.as_ptr();
        let made = own.take_scene(&options, Some(&clips)).unwrap();
        assert_eq!((&made.value, &made.losses), (&expected.value, &expected.losses));
        assert_eq!(made.value.meshes[0].triangles.as_ptr(), place, "not copied");
        assert!(own.meshes.is_empty() && own.frames == model.frames);
        let made = model.clone().take_scene(&options, Some(&clips)).unwrap();
        assert_eq!(made.value, expected.value, "what others have is copied");
    }
    let mut broken = model.clone();
    Arc::make_mut(&mut broken.meshes[0].triangles)[0][0] = u32::MAX;
    assert!(broken.take_scene(&SceneOptions::default(), None).is_err());
    assert_eq!(broken.meshes.len(), 2, "a model that becomes no scene stays whole");
}

#[test]
fn extras_hold_native_fields() {
    let (model, clips) = hopper();
    let options = SceneOptions::default().with_extras(true);
    let made = model.to_scene(&options, Some(&clips)).unwrap();
    assert!(made.losses.is_empty(), "{:?}", made.losses);
    let text = format!("{:?}", made.value.extras);
    assert!(text.contains("hop_7") && text.contains("allradius"));
    assert!(made.value.meshes.iter().all(|m| m.extras.is_some()));
    // And come back from there.
    let back = write_scene(&made.value, &FromSceneOptions::default()).unwrap().value.model;
    assert_eq!(back.bones, model.bones);
    assert_eq!(back.meshes[1].groupids, model.meshes[1].groupids);
}

/// Every pose of every clip and the bind pose, at home and after the journey.
pub(crate) fn compare_models(name: &str, model: &Dpm, clips: Option<&[FrameClip]>, back: &DpmFiles) {
    let before = clips.map_or_else(|| model.clips_from_names(), <[_]>::to_vec);
    let after = &back.clips;
    assert_eq!(before.len(), after.len(), "{name}");
    let mut frames = vec![(0, 0)];
    for (a, b) in before.iter().zip(after) {
        assert_eq!((&a.name, a.length, a.fps, a.looping), (&b.name, b.length, b.fps, b.looping), "{name}");
        frames.extend(a.frames().zip(b.frames()));
    }
    assert_eq!(model.bones.len(), back.model.bones.len());
    for m in 0..model.meshes.len() {
        assert_eq!(model.meshes[m].triangles, back.model.meshes[m].triangles, "{name}");
        assert_eq!(model.meshes[m].texcoords, back.model.meshes[m].texcoords, "{name}");
        for &(a, b) in &frames {
            let own = wide(&model.evaluate(m, a as usize).unwrap().positions);
            let tolerance = 1e-5 * extent(&own);
            let got = back.model.evaluate(m, b as usize).unwrap().positions;
            assert_near(&format!("{name} mesh {m} frame {a}"), &got, &own, tolerance, &[]);
        }
    }
    let written = back.model.to_bytes().unwrap();
    assert_eq!(Dpm::parse(&written).unwrap(), back.model, "{name}");
}

#[test]
fn the_demo_comes_back() {
    let (model, clips) = hopper();
    for space in [Space::Gltf, Space::File] {
        let options = SceneOptions::in_space(space);
        let scene = model.to_scene(&options, Some(&clips)).unwrap().value;
        let back = write_scene(&scene, &FromSceneOptions::default()).unwrap();
        assert_eq!(codes(&back.losses), <[&str; 0]>::default());
        compare_models("hopper", &model, Some(&clips), &back.value);
        assert_eq!(back.value.model.frames.len(), 15, "poses are not repeated");
        // In bind form, as it comes from a glTF file.
        let mut bare = scene.clone();
        bare.meshes.iter_mut().for_each(|m| m.skin.as_mut().unwrap().local.clear());
        let back = write_scene(&bare, &FromSceneOptions::default()).unwrap();
        compare_models("hopper, bound", &model, Some(&clips), &back.value);
    }
    let scene = model.to_scene(&SceneOptions::default(), None).unwrap().value;
    let bounds = write_scene(&scene, &FromSceneOptions::default()).unwrap().value.model.bounds;
    let top = (0..15).flat_map(|f| model.evaluate(0, f).unwrap().positions).fold(0.0_f32, |m, p| m.max(p[2]));
    assert!((bounds.maxs[2].get() - top).abs() < 1e-5, "bounds are true ones");
}

/// Returns a chain of `n` bones, each turned and moved against its parent, a vertex on the last.
fn chain(n: usize) -> Dpm {
    let (c, s) = (0.8_f32, 0.6_f32);
    let turned =
        BonePose([[c, -s, 0.0, 1.0], [s, c, 0.0, 0.25], [0.0, 0.0, 1.0, 0.125]].map(|r| r.map(F32::new)));
    let origin = [1.0, 2.0, 3.0].map(F32::new);
    let part = Influence { origin, influence: F32::new(1.0), normal: [F32::new(0.0); 3], bone: n as u32 - 1 };
    let mut vertices = Vertices::default();
    (0..3).for_each(|_| vertices.push(&[part]));
    let mesh = Mesh {
        shader: Name::truncated(b"chain"),
        vertices: Arc::new(vertices),
        texcoords: Arc::new(vec![[F32::new(0.5); 2]; 3]),
        triangles: Arc::new(vec![[0, 1, 2]]),
        groupids: Arc::new(vec![0]),
    };
    let bones = (0..n).map(|i| Bone { parent: i as i32 - 1, ..Bone::default() }).collect();
    Dpm::new(bones, vec![mesh], vec![turned; n], vec![Frame::default()])
}

#[test]
fn a_chain_of_255_bones_keeps_its_precision() {
    let model = chain(255);
    let scene = model.to_scene(&SceneOptions::default(), None).unwrap();
    assert_eq!(codes(&scene.losses), ["normals-replaced"]);
    let scene = scene.value;
    let bound = by_bind(&scene, 0, &posed(&scene, None));
    let native = model.evaluate(0, 0).unwrap().positions;
    let mapped: Vec<_> = native.iter().map(|p| TO_GLTF.point(*p).map(f64::from)).collect();
    // The chain reaches 32 units up.
    assert_near("chain", &bound, &mapped, 1e-6 * 32.0, &[]);
    assert_near("chain", &scene.meshes[0].positions, &mapped, 0.0, &[]);
}

#[test]
fn losses_are_reported() {
    let (mut model, _) = hopper();
    let reported = |model: &Dpm| {
        let made = model.to_scene(&SceneOptions::default().with_extras(true), None).unwrap();
        made.losses.iter().map(|l| (l.code, l.amount)).collect::<Vec<_>>()
    };
    // Parts of vertex 7, the first of two bones, that do not meet: each is half a unit off.
    let skin = Arc::make_mut(&mut model.meshes[0].vertices);
    skin.influences[7].origin[0] = F32::new(skin.influences[7].origin[0].get() + 0.5);
    let residual = reported(&model);
    assert_eq!(residual[0].0, "bind-residual");
    assert!((residual[0].1.unwrap() - 0.5).abs() < 0.1, "{residual:?}");

    let (mut model, _) = hopper();
    model.poses[3] = BonePose([[F32::new(0.0); 4]; 3]);
    assert!(reported(&model).iter().any(|l| l.0 == "bind-singular"));

    let (mut model, _) = hopper();
    Arc::make_mut(&mut model.meshes[0].texcoords)[3][0] = F32::new(f32::NAN);
    let made = model.to_scene(&SceneOptions::default(), None).unwrap();
    assert!(codes(&made.losses).contains(&"uvs-replaced"));
    assert!(made.value.meshes[0].uvs.iter().flatten().all(|c| c.is_finite()));

    let (model, _) = hopper();
    let mut given = [clip("walk", 3, 3)];
    let made = model.to_scene(&SceneOptions::default().with_extras(true), Some(&given)).unwrap();
    assert_eq!((made.losses[0].code, made.losses[0].count), ("frames-without-clip", 11));

    given[0].length = u32::MAX;
    let e = model.to_scene(&SceneOptions::default(), Some(&given)).unwrap_err();
    assert!(matches!(e, ConvertError::Invalid { .. }), "{e}");

    let e = model.to_scene(&SceneOptions::default().with_memory(5000), None).unwrap_err();
    assert!(matches!(e, ConvertError::Limit { .. }));
    let mut model = model;
    model.poses[9].0[0][0] = F32::new(f32::INFINITY);
    assert!(matches!(model.to_scene(&SceneOptions::default(), None), Err(ConvertError::Invalid { .. })));
}

#[test]
fn a_companion_without_clips_leaves_the_own_list() {
    let (mut model, _) = hopper();
    let clips = |m: &Dpm| m.to_scene(&SceneOptions::default(), Some(&[])).unwrap().value.clips.len();
    assert_eq!(clips(&model), 3);
    // A model that does not move has no clip at all then.
    model.frames.truncate(1);
    model.poses.truncate(model.bones.len());
    assert_eq!(clips(&model), 0);
}

#[test]
fn a_foreign_scene_becomes_a_model() {
    let scene = foreign();
    let made = write_scene(&scene, &FromSceneOptions::default()).unwrap();
    let mut reported = codes(&made.losses);
    reported.sort_unstable();
    let expected = [
        "fps-clamped",
        "interpolation",
        "mesh-not-drawn",
        "name-changed",
        "name-changed",
        "nodes-applied",
        "normals-computed",
        "rest-pose-dropped",
        "vertices-unbound",
    ];
    assert_eq!(reported, expected);
    let (model, clips) = (&made.value.model, &made.value.clips);
    assert_eq!(Dpm::parse(&model.to_bytes().unwrap()).unwrap(), *model);
    let names: Vec<_> = model.bones.iter().map(|b| (b.name.text(), b.parent)).collect();
    assert_eq!(names, [("base".into(), -1), ("tip".into(), 0), ("root".into(), -1)]);
    assert_eq!(*clips, [FrameClip { fps: 0.5, looping: false, ..clip("a _clip_", 1, 3) }]);
    // Frame 0 is the bind pose: vertices where the scene has them.
    let back = AxisMap::new([1, 2, 0], [1.0; 3], 1.0).inverse();
    let bind: Vec<_> = scene.meshes[0].positions.iter().map(|p| back.point(*p).map(f64::from)).collect();
    assert_near("bind", &model.evaluate(0, 0).unwrap().positions, &bind, 1e-5, &[]);
    // The last frame by hand: base at x 5, tip 4 above it and turned by a quarter about z.
    let p = scene.meshes[0].positions[1];
    let tip = [5.0 - (p[1] - 2.0), 4.0 + p[0], p[2]];
    let base = [5.0 + p[0], p[1], p[2]];
    let hand: [f32; 3] = std::array::from_fn(|i| 0.75 * tip[i] + 0.25 * base[i]);
    let hand = back.point(hand).map(f64::from);
    assert_near("frame 3", &model.evaluate(0, 3).unwrap().positions[1..2], &[hand], 1e-5, &[]);
    // The still mesh is where its nodes put it, mirrored, so that its corners go the other way round.
    let (v, p) = (&model.evaluate(1, 0).unwrap(), scene.meshes[1].positions[1]);
    let hand = back.point([10.0 - p[0], 1.0 + p[1], 2.0 * p[2]]).map(f64::from);
    assert_near("still", &v.positions[1..2], &[hand], 1e-5, &[]);
    let [a, b, c] = scene.meshes[1].triangles[0];
    assert_eq!(model.meshes[1].triangles[0], [c, b, a]);
    assert_eq!(model.meshes[1].shader.bytes(), b"still ?");
}

#[test]
fn a_scene_of_nothing_is_refused() {
    let e = write_scene(&Scene::default(), &FromSceneOptions::default()).unwrap_err();
    assert!(matches!(e, ConvertError::Unsupported { .. }), "{e}");
    let mut scene = foreign();
    scene.clips[0].frames = u32::MAX;
    let e = write_scene(&scene, &FromSceneOptions::default()).unwrap_err();
    assert!(matches!(e, ConvertError::Limit { .. }), "{e}");
}

#[test]
fn a_mesh_without_bones_hangs_from_one() {
    let mut scene = Scene::new("still");
    let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    scene.meshes.push(meshwright_scene::Mesh::new("a", corners, vec![[0, 1, 2]]));
    scene.nodes.push(Node::of_mesh("a", meshwright_scene::MeshId(0)));
    let dpm = write_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert_eq!((dpm.model.bones.len(), dpm.model.frames.len(), dpm.clips.len()), (1, 1, 0));
    assert_eq!(dpm.model.evaluate(0, 0).unwrap().positions[1], [0.0, 1.0, 0.0]);
    let zym = Zym::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert_eq!(codes(&zym.losses), ["clip-added"]);
    assert_eq!((zym.value.bones.len(), zym.value.pose_count(), zym.value.scenes.len()), (1, 1, 1));
    assert_eq!(zym.value.evaluate(0).unwrap().positions[1], [0.0, 1.0, 0.0]);
}

#[test]
fn frames_times_bones_are_charged() {
    let mut scene = foreign();
    scene.clips[0].frames = 1_000_000;
    let options = FromSceneOptions::default().with_memory(1 << 20);
    for e in [Dpm::from_scene(&scene, &options).unwrap_err(), Zym::from_scene(&scene, &options).unwrap_err()]
    {
        assert!(matches!(e, ConvertError::Limit { .. }), "{e}");
    }
}

proptest! {
    #[test]
    fn every_tame_model_is_a_scene_and_comes_back(mut model in strategy::dpm()) {
        for pose in &mut model.poses {
            pose.0.as_flattened_mut().iter_mut().for_each(tame);
        }
        for mesh in &mut model.meshes {
            for i in &mut Arc::make_mut(&mut mesh.vertices).influences {
                i.origin.iter_mut().chain(&mut i.normal).chain([&mut i.influence]).for_each(tame);
            }
        }
        // Clips with names that a companion can hold.
        for (i, frame) in model.frames.iter_mut().enumerate() {
            frame.name = Name::truncated(format!("f{}_{i}", i / 2).as_bytes());
        }
        let options = SceneOptions::default().with_extras(true);
        let scene = model.to_scene(&options, None).unwrap().value;
        prop_assert_eq!(scene.validate(), Ok(()));
        let back = write_scene(&scene, &FromSceneOptions::default()).unwrap().value;
        prop_assert_eq!(back.model.frames[0].pose, PoseId(0));
        prop_assert_eq!(model.clips_from_names().len(), back.clips.len());
        for m in 0..model.meshes.len() {
            let clips = model.clips_from_names().into_iter().zip(&back.clips);
            for (a, b) in clips {
                for (a, b) in a.frames().zip(b.frames()) {
                    let own = model.evaluate(m, a as usize).unwrap().positions;
                    let got = back.model.evaluate(m, b as usize).unwrap().positions;
                    prop_assert_eq!(own, got, "poses and bone-space vertices are kept as they are");
                }
            }
        }
    }
}

//! Models made of scenes that other tools leave: limits of engines, the saver's list, frames and names.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests use small numbers, and fail by a panic"
)]

use meshwright_dpm::{Dpm, DpmFiles, DpmSceneOptions, OptimizeOptions, Zym, write_scene};
use meshwright_scene::{
    Channel, Clip, Converted, Engine, Extra, FromSceneOptions, Influence, Interpolation, Joint, Local, Loss,
    Material, MaterialId, Mesh, MeshId, Motion, Node, Scene, SceneOptions, Skeleton, SkeletonId, Skin, Track,
    Trs,
};
use meshwright_testkit::proptest;
use proptest::prelude::*;

fn translated(x: f32) -> Local {
    Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY })
}

fn skin(rows: &[impl AsRef<[(u32, f32)]>]) -> Skin {
    let mut skin = Skin::new(SkeletonId(0));
    for row in rows {
        skin.influences.extend(row.as_ref().iter().map(|&(joint, weight)| Influence { joint, weight }));
        skin.end_vertex();
    }
    skin
}

fn triangle(name: &str, skin: Option<Skin>) -> Mesh {
    Mesh::new(name, vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]).with_skin(skin)
}

/// One skinned triangle on the first of so many joints in a row.
fn scene(joints: usize) -> Scene {
    let joint = |i: usize| Joint::new(format!("bone {i}"), i.checked_sub(1).map(|_| 0), translated(i as f32));
    let mut skeleton = Skeleton { joints: (0..joints).map(joint).collect(), ..Skeleton::default() };
    skeleton.bind_rest();
    Scene::new("m")
        .with_meshes(vec![triangle("t", Some(skin(&[[(0, 1.0)]; 3])))])
        .with_nodes(vec![Node::of_mesh("n", MeshId(0))])
        .with_skeletons(vec![skeleton])
}

fn amount(losses: &[Loss], code: &str) -> Option<f64> {
    losses.iter().find(|l| l.code == code).map(|l| l.amount.unwrap_or(l.count as f64))
}

fn convert(scene: &Scene, engine: impl Into<Option<Engine>>) -> Converted<DpmFiles> {
    write_scene(scene, &FromSceneOptions::default().for_engine(engine)).unwrap()
}

#[test]
fn unused_bones_go_before_an_engine_has_too_many() {
    let mut scene = scene(300);
    scene.skeletons[0].joints[299].extras = Some(Extra::Map(vec![("attach".into(), true.into())]));
    assert_eq!(convert(&scene, None).value.model.bones.len(), 300, "the format has no limit");
    for engine in [Engine::DarkPlaces, Engine::Fte, Engine::DpModel] {
        let files = convert(&scene, engine);
        assert_eq!(
            (files.value.model.bones.len(), amount(&files.losses, "bones-dropped")),
            (256, Some(44.0))
        );
        let names: Vec<_> = files.value.model.bones.iter().map(|b| b.name.text()).collect();
        assert_eq!((names[0].as_str(), names[255].as_str()), ("bone 0", "bone 299"), "attachments stay");
    }
    let zym = Zym::from_scene(&scene, &FromSceneOptions::default().for_engine(Engine::DarkPlaces)).unwrap();
    assert_eq!(zym.value.bones.len(), 256);
    // Bones that move something do not go.
    let rows: Vec<Vec<(u32, f32)>> =
        (0..3).map(|v| (v * 100..v * 100 + 100).map(|j| (j, 0.01)).collect()).collect();
    scene.meshes[0].skin = Some(skin(&rows));
    let e =
        write_scene(&scene, &FromSceneOptions::default().for_engine(Engine::Fte)).unwrap_err().to_string();
    assert_eq!(e, "skeletons[0]: 300 bones, 300 of them used; FTE accepts 256");
}

#[test]
fn influences_are_cut_to_what_an_engine_keeps_and_sum_to_1() {
    let mut scene = scene(20);
    let row: Vec<(u32, f32)> = (0..20).map(|j| (j, (j + 1) as f32 / 210.0)).collect();
    scene.meshes[0].skin = Some(skin(&[row.clone(), row, vec![(0, 0.5), (1, 0.75)]]));
    let all = convert(&scene, None);
    assert_eq!(all.value.model.meshes[0].vertices.counts, [20, 20, 2]);
    assert_eq!(amount(&all.losses, "weights-normalized"), Some(0.25));
    for (engine, most, share) in
        [(Engine::DarkPlaces, 4, 1.0 - 74.0 / 210.0), (Engine::DpModel, 16, 10.0 / 210.0)]
    {
        let files = convert(&scene, engine);
        assert_eq!(files.value.model.meshes[0].vertices.counts, [most, most, 2]);
        assert!((amount(&files.losses, "influences-dropped").unwrap() - share).abs() < 1e-6);
        for vertex in files.value.model.meshes[0].vertices.iter() {
            let sum: f32 = vertex.iter().map(|i| i.influence.get()).sum();
            assert!((sum - 1.0).abs() < 1e-6, "{sum}");
        }
    }
}

#[test]
fn other_limits_are_errors_that_name_them() {
    let refuses = |scene: &Scene, engine, parts: [&str; 3]| {
        let options = FromSceneOptions::default().for_engine(engine).with_memory(1 << 30);
        let text = write_scene(scene, &options).unwrap_err().to_string();
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    };
    let mut many = scene(2);
    many.materials = (0..257).map(|i| Material::named(format!("m{i}"))).collect();
    many.meshes = (0..257).map(|i| triangle("t", None).with_material(MaterialId(i))).collect();
    many.nodes = (0..257).map(|i| Node::of_mesh("n", MeshId(i))).collect();
    refuses(&many, Engine::DpModel, ["materials: 257 ", "dpmodel", "256"]);
    assert_eq!(convert(&many, Engine::DarkPlaces).value.model.meshes.len(), 257);
    let mut large = scene(2);
    large.meshes[0].triangles = vec![[0, 1, 2]; 65_537];
    refuses(&large, Engine::DpModel, ["meshes: 65537 triangles", "dpmodel", "65536"]);
    // As many different blends as vertices.
    let mut blended = scene(250);
    let pairs = (0..250_u32).flat_map(|a| (0..a).map(move |b| [(a, 0.5), (b, 0.5)]));
    let rows: Vec<[(u32, f32); 2]> =
        pairs.flat_map(|[a, b]| [[(a.0, 0.25), (b.0, 0.75)], [(a.0, 0.375), (b.0, 0.625)], [a, b]]).collect();
    let mesh = &mut blended.meshes[0];
    mesh.positions = vec![[0.0; 3]; rows.len()];
    mesh.skin = Some(skin(&rows));
    refuses(&blended, Engine::DarkPlaces, ["meshes: 93625 ", "DarkPlaces", "65536"]);
    assert_eq!(convert(&blended, Engine::Fte).value.model.bones.len(), 250);
}

/// Returns a scene that comes from elsewhere, with a clip of keys.
fn moving(format: &str) -> Scene {
    let mut translation = Channel::new();
    // Near enough to the bind pose, and back.
    translation.push(0.0, [1.000_001, 0.0, 0.0]);
    translation.push(1.0, [1.0, 2.0, 0.0]);
    translation.push(2.0, [1.0, 0.0, 0.0]);
    let track = Track { joint: 1, translation, ..Track::default() };
    let clip = Clip::new("go", SkeletonId(0), 24.0, Motion::Tracks(vec![track]));
    scene(3).with_clips(vec![clip.with_interpolation(Interpolation::Spherical)]).with_format(format)
}

#[test]
fn a_clip_that_begins_with_the_bind_pose_gains_no_frame() {
    for format in ["gltf", ""] {
        let files = convert(&moving(format), None).value;
        assert_eq!((files.model.frames.len(), files.clips[0].start, files.clips[0].length), (3, 0, 3));
        let again = files.model.to_scene(&SceneOptions::default(), Some(&files.clips)).unwrap().value;
        let twice = convert(&again, None).value;
        assert_eq!((twice.model.frames.len(), twice.clips), (3, files.clips));
        assert_eq!(twice.model.poses, files.model.poses);
    }
}

#[test]
fn the_saver_drops_what_is_there_twice_or_for_nothing() {
    let mut scene = moving("gltf");
    scene.skeletons[0].joints[2].name.clear();
    // Each triangle has vertices of its own.
    let mesh = &mut scene.meshes[0];
    mesh.positions = [mesh.positions.clone(), mesh.positions.clone(), vec![[9.0; 3]]].concat();
    mesh.triangles = vec![[0, 1, 2], [3, 4, 5]];
    mesh.skin = Some(skin(&[[(1, 1.0)]; 7]));
    let files = convert(&scene, None);
    let model = &files.value.model;
    assert_eq!((model.bones.len(), model.meshes[0].vertices.len(), model.pose_count()), (2, 3, 2));
    assert_eq!(*model.meshes[0].triangles, [[0, 1, 2]; 2]);
    for (code, count) in [("bones-removed", 1.0), ("vertices-joined", 4.0)] {
        assert_eq!(amount(&files.losses, code), Some(count), "{code}");
    }
    let nothing = DpmSceneOptions::default().with_optimize(OptimizeOptions::nothing());
    let kept = write_scene(&scene, &FromSceneOptions::for_format(nothing)).unwrap().value.model;
    assert_eq!((kept.bones.len(), kept.meshes[0].vertices.len()), (3, 7));
    let native =
        Dpm::from_scene(&scene.clone().with_format("dpm"), &FromSceneOptions::default()).unwrap().value;
    assert_eq!(native.meshes[0].vertices.len(), 7, "an existing DPM is unchanged");
}

#[test]
fn keys_between_frames_are_measured() {
    let mut scene = moving("");
    let Motion::Tracks(tracks) = &mut scene.clips[0].motion else { panic!("tracks") };
    tracks[0].translation.frames = vec![0.0, 0.5, 2.0];
    for losses in
        [convert(&scene, None).losses, Zym::from_scene(&scene, &FromSceneOptions::default()).unwrap().losses]
    {
        let off = amount(&losses, "resampled-moved").unwrap();
        // At 0.5 the joint is up at 2, and half way to frame 1, which is at 4/3.
        assert!((off - 4.0 / 3.0).abs() < 1e-4, "{off}");
    }
}

#[test]
fn names_stay_apart_when_they_are_cut() {
    let mut scene = moving("");
    let long = "a name that is longer than the room for it";
    scene.materials = vec![Material::named(format!("{long}/a")), Material::named(format!("{long}/b"))];
    scene.meshes = [0, 1, 0].map(|m| triangle("t", None).with_material(MaterialId(m))).into();
    scene.nodes = (0..3).map(|m| Node::of_mesh("n", MeshId(m))).collect();
    for joint in &mut scene.skeletons[0].joints {
        joint.name = long.into();
    }
    let mut again = scene.clips[0].clone();
    (scene.clips[0].name, again.name) = (format!("{long} 1"), format!("{long} 2"));
    let Motion::Tracks(tracks) = &mut again.motion else { panic!("tracks") };
    tracks[0].joint = 2;
    scene.clips.push(again);
    let files = convert(&scene, None).value;
    let shaders: Vec<_> = files.model.meshes.iter().map(|m| m.shader.text()).collect();
    assert_eq!(shaders[0], shaders[2]);
    assert_eq!([&shaders[0], &shaders[1]].map(String::len), [31, 31]);
    assert_ne!(shaders[0], shaders[1]);
    let bones: std::collections::BTreeSet<_> = files.model.bones.iter().map(|b| b.name.text()).collect();
    assert_eq!(bones.len(), files.model.bones.len());
    assert_ne!(files.clips[0].name, files.clips[1].name);
    // A program that groups frames by name finds the same clips.
    let grouped: Vec<_> = files.model.clips_from_names().iter().map(|c| (c.start, c.length)).collect();
    assert_eq!(grouped, files.clips.iter().map(|c| (c.start, c.length)).collect::<Vec<_>>());
    let zym = Zym::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert_ne!(zym.scenes[0].name.text(), zym.scenes[1].name.text());
}

proptest! {
    #[test]
    fn any_engine_reads_what_is_made_for_it(scene in meshwright_scene::strategy::foreign_scene(), which in 0_usize..3) {
        let engine = [Engine::DarkPlaces, Engine::Fte, Engine::DpModel][which];
        if let Ok(made) = write_scene(&scene, &FromSceneOptions::default().for_engine(engine)) {
            let (model, limits) = (made.value.model, engine.limits());
            prop_assert!(!model.validate().has_errors());
            prop_assert!(model.bones.len() <= limits.bones && model.frames.len() <= limits.frames);
            let most = model.meshes.iter().flat_map(|m| m.vertices.counts.iter()).max();
            prop_assert!(most.is_none_or(|m| *m as usize <= limits.influences));
            prop_assert!(model.bones.iter().enumerate().all(|(i, b)| b.parent().is_none_or(|p| p < i)));
        }
    }
}

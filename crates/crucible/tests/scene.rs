//! Tests conversions to the exchange model and back.
#![cfg(feature = "scene")]
#![allow(clippy::unwrap_used, reason = "tests")]

use meshwright_core::{F32, ReadOptions, f32s, values};
use meshwright_crucible::{
    Attribute, Bone, BoneWeight, CModel, Chunk, CrucibleFile, CrucibleOptions, CrucibleTarget, Dialect,
    QuaternionOrder, SkeletonChunk, strategy, write_scene,
};
use meshwright_scene::flatten::{DrawOptions, Drawables, Levels};
use meshwright_scene::posed::{Triangle, largest_distance};
use meshwright_scene::strategy::{foreign_scene, wild_scene};
use meshwright_scene::{
    Budget, ConvertError, Converted, FromSceneOptions, Influence, Joint, Limits, Local, Mesh, MeshId, Node,
    NodeId, Scene, SceneOptions, Skeleton, SkeletonId, Skin, Space, Trs,
};
use meshwright_testkit::{fixtures, proptest};
use proptest::prelude::*;

fn fixture(name: &str) -> Vec<u8> {
    fixtures("crucible", &["cmesh", "cskel", "cmodel"]).into_iter().find(|f| f.name == name).unwrap().bytes
}

fn file_space() -> SceneOptions {
    SceneOptions::in_space(Space::File)
}

fn codes<T>(converted: &Converted<T>) -> Vec<&'static str> {
    let mut codes: Vec<_> = converted.losses.iter().map(|l| l.code).collect();
    codes.dedup();
    codes
}

/// Returns six times the volume of a closed mesh whose front faces are outside.
fn volume(positions: &[[f32; 3]], triangles: &[[u32; 3]]) -> f32 {
    let at = |i: u32| positions[i as usize];
    let each = |t: &[u32; 3]| {
        let ([a, b, c], [d, e, f], [g, h, i]) = (at(t[0]), at(t[1]), at(t[2]));
        a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    };
    triangles.iter().map(each).sum()
}

#[test]
fn the_lighthouse_stands_upright_with_its_fronts_outside() {
    let (mesh, bones) = (fixture("lighthouse.ok.cmesh"), fixture("lighthouse.ok.cskel"));
    let (chunk, skeleton) = (Chunk::parse(&mesh).unwrap(), SkeletonChunk::parse(&bones).unwrap());
    assert!(chunk.validate_with(&skeleton).is_empty());
    let converted = chunk.to_scene(&SceneOptions::default(), Some(&skeleton)).unwrap();
    assert_eq!(converted.losses, []);
    let scene = converted.value;
    scene.validate().unwrap();
    let mesh = &scene.meshes[0];
    assert!(volume(&mesh.positions, &mesh.triangles) > 5.0);
    for (p, n) in mesh.positions.iter().zip(&mesh.normals) {
        assert!(p[0] * n[0] + p[2] * n[2] >= -1e-5, "{p:?} {n:?}");
    }
    assert_eq!(scene.skeletons[0].joints[2].parent, Some(1));
    assert!((scene.skeletons[0].rest_model().unwrap()[2].w[1] - 3.9).abs() < 1e-5);
    let skin = mesh.skin.as_ref().unwrap();
    assert!(skin.influences.iter().all(|i| i.weight > 0.0), "unused slots are not influences");
}

#[test]
fn bones_without_a_skeleton_are_those_that_are_named() {
    let file = fixture("bone32_dialect.ok.cmesh");
    let converted = Chunk::parse(&file).unwrap().to_scene(&SceneOptions::default(), None).unwrap();
    assert_eq!(codes(&converted), ["skeleton-missing"]);
    let scene = &converted.value;
    scene.validate().unwrap();
    let names: Vec<_> = scene.skeletons[0].joints.iter().map(|j| j.name.as_str()).collect();
    assert_eq!(names, ["bone0", "bone1", "bone2", "bone70000"]);
    let skin = scene.meshes[0].skin.as_ref().unwrap();
    assert_eq!(skin.influences(0)[0], Influence { joint: 3, weight: 0.5 });
    // The bone numbers are restored, and do not fit the 16 bits of the description's dialect.
    let wide = FromSceneOptions::for_format(CrucibleTarget::with_dialect(Dialect::Bone32));
    let back = Chunk::from_scene(scene, &wide).unwrap().value;
    assert_eq!(back.bone_weights().unwrap().get(0).unwrap()[0].bone, 70000);
    assert!(Chunk::from_scene(scene, &FromSceneOptions::default()).is_err());
}

#[test]
fn a_stream_that_means_nothing_is_a_loss() {
    let file = fixture("reserved_tangent.reject.cmesh");
    let chunk = Chunk::parse_with(&file, &ReadOptions::lenient()).unwrap().model;
    let converted = chunk.to_scene(&file_space(), None).unwrap();
    assert_eq!(codes(&converted), ["tangent-handedness", "streams-dropped"]);
    assert_eq!(converted.value.meshes[0].colors, [[7; 4]; 3]);
}

#[test]
fn a_missing_bone_is_reported() {
    let mut chunk = Chunk::new(Dialect::Seed);
    chunk.set_floats(Attribute::Position3, &[[0.0_f32; 3]]).unwrap();
    let weight = |bone, w: f32| BoneWeight { bone, influence: F32::new(w) };
    chunk.set_bone_weights(&[[weight(0, 0.5), weight(9, 0.5), weight(0, 0.0), weight(0, 0.0)]]).unwrap();
    let skeleton = SkeletonChunk::parse(&fixture("lighthouse.ok.cskel")).unwrap();
    assert!(chunk.validate_with(&skeleton).has("bone-range"));
    assert!(!chunk.validate().has("bone-range"));
    let converted = chunk.to_scene(&SceneOptions::default(), Some(&skeleton)).unwrap();
    assert_eq!(codes(&converted), ["bone-missing"]);
}

/// Returns a quad in the plane of x and y that faces -z, with a texture.
fn quad(mirrored: bool) -> Chunk<'static> {
    let mut chunk = Chunk::new(Dialect::Tangent);
    chunk
        .set_floats(
            Attribute::Position3,
            &[[-1.0, -1.0, 0.0], [-1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [1.0, -1.0, 0.0]],
        )
        .unwrap();
    chunk.set_floats(Attribute::Normal, &[[0.0, 0.0, -1.0]; 4]).unwrap();
    // Seen from the front in left-handed space, x runs to the right.
    let u = |x: f32| if mirrored { 1.0 - x } else { x };
    chunk.set_floats(Attribute::Uv, &[[u(0.0), 1.0], [u(0.0), 0.0], [u(1.0), 0.0], [u(1.0), 1.0]]).unwrap();
    chunk.set_floats(Attribute::Tangent, &[[if mirrored { -1.0 } else { 1.0 }, 0.0, 0.0]; 4]).unwrap();
    chunk.set_indices(&[0, 1, 2, 0, 2, 3]);
    chunk
}

/// Returns a chunk with 2D positions: an image drawn by two triangles, with normals towards the viewer.
fn screen() -> Chunk<'static> {
    let mut chunk = Chunk::new(Dialect::Seed);
    let corners = [[0.0, 0.0], [3.0, 0.0], [3.0, 1.0], [0.0, 1.0]];
    chunk.set_floats(Attribute::Position2, &corners).unwrap();
    chunk
        .set_floats(
            Attribute::Normal,
            &[[0.0, 0.0, -1.0], [0.6, 0.0, -0.8], [0.0, 0.6, -0.8], [0.0, 0.0, -1.0]],
        )
        .unwrap();
    chunk.set_floats(Attribute::Uv, &[[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]]).unwrap();
    chunk.set_indices(&[0, 1, 2, 0, 2, 3]);
    chunk
}

#[test]
fn positions_in_the_plane_are_not_mirrored() {
    for options in [SceneOptions::default(), file_space()] {
        let converted = screen().to_scene(&options, None).unwrap();
        assert_eq!(converted.losses, []);
        let mesh = &converted.value.meshes[0];
        assert_eq!(mesh.positions[1], [3.0, 0.0, 0.0]);
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
        let back = if options.space == Space::Gltf { 1.0 } else { -1.0 };
        assert_eq!(mesh.normals[1], [0.6, 0.0, 0.8 * back]);
        let again = Chunk::from_scene(&converted.value, &FromSceneOptions::default()).unwrap().value;
        assert_eq!(again, screen());
        let model = CModel::from_scene(&converted.value, &FromSceneOptions::default()).unwrap().value;
        assert_eq!(model.meshes, [screen()]);
    }
    // A 2D mesh whose points were moved out of the plane has 3D positions.
    let mut scene = screen().to_scene(&SceneOptions::default(), None).unwrap().value;
    scene.meshes[0].positions[0][2] = 0.5;
    let raised = Chunk::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert!(raised.positions_2d().is_none());
    assert_eq!(raised.positions().unwrap().get(1).map(values), Some([-3.0, 0.0, 0.0]));
}

#[test]
fn a_skeleton_is_not_mirrored_beside_the_plane_that_it_moves() {
    let skeleton = SkeletonChunk::parse(&fixture("lighthouse.ok.cskel")).unwrap();
    let mut moved = screen();
    let one = |bone| BoneWeight { bone, influence: F32::new(1.0) };
    let none = BoneWeight::default();
    moved.set_bone_weights(&[[one(1), none, none, none]; 4]).unwrap();
    let mut skeleton = skeleton;
    skeleton.bones[1].position = f32s([0.5, 2.0, 0.0]);
    let scene = moved.to_scene(&SceneOptions::default(), Some(&skeleton)).unwrap().value;
    assert_eq!(scene.meshes[0].positions[1], [3.0, 0.0, 0.0]);
    let rest = scene.skeletons[0].joints[1].rest.to_affine();
    assert_eq!(rest.w, [0.5, 2.0, 0.0]);
    let target = CrucibleTarget::default().with_file(CrucibleFile::Chunk);
    let files = write_scene(&scene, "a", &FromSceneOptions::for_format(target)).unwrap().value;
    let files: Vec<_> = files.iter().collect();
    assert_eq!(Chunk::parse(&files[0].bytes).unwrap(), moved);
    let back = SkeletonChunk::parse(&files[1].bytes).unwrap();
    assert_eq!(back.bones[1].position, skeleton.bones[1].position);
    // In a container with 3D chunks, it has the positions of its skeleton and of those chunks.
    let mixed = CModel::new(vec![moved.clone(), quad(false), screen()]);
    let scene = mixed.to_scene(&SceneOptions::default(), Some(&skeleton)).unwrap().value;
    let first = |mesh: usize| (scene.meshes[mesh].positions[1], scene.meshes[mesh].triangles[0]);
    assert_eq!(first(0), ([-3.0, 0.0, 0.0], [2, 1, 0]));
    assert_eq!(first(2), ([3.0, 0.0, 0.0], [0, 1, 2]));
    let back = CModel::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert_eq!(back.meshes[2], screen());
    assert!(back.meshes[0].positions().is_some());
}

#[test]
fn a_tangent_gets_the_side_that_the_picture_has() {
    for (mirrored, side) in [(false, 1.0), (true, -1.0)] {
        let converted = quad(mirrored).to_scene(&SceneOptions::default(), None).unwrap();
        assert_eq!(converted.losses, []);
        let mesh = &converted.value.meshes[0];
        // In glTF, cross(normal, tangent) times w points up in the image, which is up in space here.
        let ([nx, ny, nz], [tx, ty, tz, w]) = (mesh.normals[0], mesh.tangents[0]);
        let b = [ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx].map(|c| c * w);
        assert_eq!(b, [0.0, 1.0, 0.0]);
        assert_eq!(w, side);
        // Mirroring changes the handedness.
        let raw = quad(mirrored).to_scene(&file_space(), None).unwrap().value;
        assert_eq!(raw.meshes[0].tangents[0][3], -side);
    }
    let mut plain = quad(false);
    plain.remove(Attribute::Uv);
    let converted = plain.to_scene(&SceneOptions::default(), None).unwrap();
    assert_eq!(codes(&converted), ["tangent-handedness"]);
    assert_eq!(converted.losses[0].count, 4);
    assert!(converted.losses[0].is_note());
}

#[test]
fn what_gltf_cannot_hold_is_mended_and_reported() {
    for name in
        ["nan.warn.cmesh", "normals.warn.cmesh", "weights.warn.cmesh", "loose.warn.cmesh", "tail.warn.cmesh"]
    {
        let file = fixture(name);
        let converted = Chunk::parse(&file).unwrap().to_scene(&SceneOptions::default(), None).unwrap();
        converted.value.validate().unwrap();
        assert!(!converted.losses.is_empty(), "{name}");
        let unit = |n: &[f32; 3]| (n.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-5;
        assert!(converted.value.meshes[0].normals.iter().all(unit), "{name}");
    }
    let file = fixture("lone_tangent.warn.cmesh");
    assert!(Chunk::parse(&file).unwrap().to_scene(&SceneOptions::default(), None).is_err(), "no positions");
    let mut two = CModel { meshes: vec![quad(true), Chunk::parse(&file).unwrap()], ..CModel::default() };
    let converted = two.to_scene(&SceneOptions::default(), None).unwrap();
    assert_eq!(converted.value.meshes.len(), 1);
    assert!(converted.losses.iter().any(|l| l.code == "mesh-not-drawn" && l.path == "meshes[1]"));
    two.meshes.remove(0);
    assert!(two.to_scene(&SceneOptions::default(), None).is_err(), "nothing is left");
    let file = fixture("two.ok.cmodel");
    let scene =
        CModel::parse(&file).unwrap().to_scene(&SceneOptions::default().with_extras(true), None).unwrap();
    assert_eq!(scene.value.meshes.len(), 2);
    assert!(scene.value.meshes[0].extras.is_some());
}

#[test]
fn a_scene_costs_what_it_is_allowed_to() {
    let chunk = quad(false);
    assert!(chunk.to_scene(&SceneOptions::default().with_memory(100), None).is_err());
    assert!(chunk.to_scene(&SceneOptions::default().with_memory(1000), None).is_ok());
}

fn skinned(influences: &[f32]) -> Scene {
    let joints = (0..influences.len().max(1))
        .map(|i| {
            let rest = Trs { translation: [1.0, 0.0, 0.0], ..Trs::IDENTITY };
            Joint::new(format!("j{i}"), i.checked_sub(1), Local::Trs(rest))
        })
        .collect();
    let mut skeleton = Skeleton { name: "s".into(), joints };
    skeleton.bind_rest().unwrap();
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..3 {
        skin.influences.extend((0..).zip(influences).map(|(joint, &weight)| Influence { joint, weight }));
        skin.end_vertex();
    }
    let mesh =
        Mesh::new("", vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]).with_skin(skin);
    Scene::default()
        .with_nodes(vec![Node::of_mesh("m", MeshId(0))])
        .with_meshes(vec![mesh])
        .with_skeletons(vec![skeleton])
}

#[test]
fn a_fifth_influence_is_dropped_and_reported() {
    let scene = skinned(&[0.1, 0.3, 0.2, 0.25, 0.15]);
    let converted = Chunk::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    let loss = converted.losses.iter().find(|l| l.code == "influences-dropped").unwrap();
    assert!((loss.amount.unwrap() - 0.1).abs() < 1e-6);
    let weights = converted.value.bone_weights().unwrap().get(0).unwrap();
    assert_eq!(weights.map(|w| w.bone), [1, 3, 2, 4]);
    assert!((weights.iter().map(|w| w.influence.get()).sum::<f32>() - 1.0).abs() < 1e-6);
    assert!(converted.value.validate().is_empty());
}

#[test]
fn nodes_are_applied_and_meshes_joined() {
    let mut scene = skinned(&[1.0]);
    scene.meshes[0].skin = None;
    let place = |x: f32| Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY });
    scene.nodes = vec![
        Node { local: place(5.0), ..Node::of_mesh("a", MeshId(0)) },
        Node { local: place(1.0), parent: Some(NodeId(0)), ..Node::of_mesh("b", MeshId(0)) },
    ];
    let chunk = Chunk::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert!(codes(&chunk).contains(&"nodes-applied") && codes(&chunk).contains(&"meshes-merged"));
    assert_eq!(chunk.value.vertex_count(), 6);
    assert_eq!(chunk.value.positions().unwrap().get(0).map(values), Some([-5.0, 0.0, 0.0]));
    assert_eq!(chunk.value.positions().unwrap().get(3).map(values), Some([-6.0, 0.0, 0.0]));
    assert_eq!(chunk.value.triangles().last(), Some([5, 4, 3]));
    scene.meshes.push(scene.meshes[0].clone());
    let model = CModel::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert_eq!(model.value.meshes.len(), 2);
    assert!(codes(&model).contains(&"mesh-not-drawn") && !codes(&chunk).contains(&"mesh-not-drawn"));
}

#[test]
fn several_roots_get_a_common_one() {
    let mut scene = skinned(&[0.5, 0.5]);
    scene.skeletons[0].joints[1].parent = None;
    let converted = SkeletonChunk::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert!(codes(&converted).contains(&"root-added"));
    assert_eq!(converted.value.bones.len(), 3);
    assert!(converted.value.validate().is_empty());
    assert!(converted.value.to_bytes().is_ok());
}

fn options() -> FromSceneOptions<CrucibleTarget> {
    FromSceneOptions::default()
}

/// Many instances of one mesh are charged for their copies before these are made.
#[test]
fn instances_are_charged() {
    let mut scene = skinned(&[1.0]);
    scene.meshes[0].skin = None;
    scene.nodes = (0..1000).map(|i| Node::of_mesh(format!("n{i}"), MeshId(0))).collect();
    for limit in [10_000, 200_000] {
        let tight = options().with_memory(limit);
        assert!(matches!(CModel::from_scene(&scene, &tight), Err(ConvertError::Limit(_))));
        assert!(matches!(Chunk::from_scene(&scene, &tight), Err(ConvertError::Limit(_))));
        assert!(matches!(write_scene(&scene, "a", &tight), Err(ConvertError::Limit(_))));
    }
    assert_eq!(CModel::from_scene(&scene, &options()).unwrap().value.meshes.len(), 1000);
    assert_eq!(Chunk::from_scene(&scene, &options()).unwrap().value.vertex_count(), 3000);
}

#[test]
fn a_scene_becomes_files() {
    let (mesh, bones) = (fixture("lighthouse.ok.cmesh"), fixture("lighthouse.ok.cskel"));
    let (chunk, skeleton) = (Chunk::parse(&mesh).unwrap(), SkeletonChunk::parse(&bones).unwrap());
    let scene = chunk.to_scene(&SceneOptions::default(), Some(&skeleton)).unwrap().value;
    for (file, names) in [
        (CrucibleFile::Chunk, &["l.cmesh", "l.cskel"][..]),
        (CrucibleFile::Model, &["l.cmodel", "l.cskel"]),
        (CrucibleFile::Skeleton, &["l.cskel"]),
    ] {
        let target = CrucibleTarget::with_dialect(Dialect::Tangent).with_file(file);
        let files = write_scene(&scene, "l", &FromSceneOptions::for_format(target)).unwrap().value;
        assert_eq!(files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(), names);
        let again = SkeletonChunk::parse(files.get("l.cskel").unwrap()).unwrap();
        assert_eq!(again.bones.len(), skeleton.bones.len());
        let main = &files.main().unwrap().bytes;
        let read = match file {
            CrucibleFile::Chunk => Chunk::parse(main).unwrap(),
            CrucibleFile::Model => CModel::parse(main).unwrap().meshes.remove(0),
            CrucibleFile::Skeleton => continue,
        };
        assert!(read.validate_with(&again).is_empty());
        assert_eq!(read.bone_weights().map(|w| w.len()), chunk.bone_weights().map(|w| w.len()));
        let back = read.to_scene(&SceneOptions::default(), Some(&again)).unwrap().value;
        assert_eq!(back.meshes[0].skin, scene.meshes[0].skin);
        assert_eq!(back.meshes[0].positions, scene.meshes[0].positions);
    }
}

#[test]
fn bones_that_were_made_up_make_no_skeleton() {
    let file = fixture("bone32_dialect.ok.cmesh");
    let scene = Chunk::parse(&file).unwrap().to_scene(&SceneOptions::default(), None).unwrap().value;
    let target = CrucibleTarget::with_dialect(Dialect::Bone32);
    let files = write_scene(&scene, "a", &FromSceneOptions::for_format(target)).unwrap().value;
    assert_eq!(files.len(), 1);
}

#[test]
fn weights_of_another_skeleton_are_lost_where_one_is_chosen() {
    let mut scene = skinned(&[1.0]);
    scene.skeletons.push(scene.skeletons[0].clone());
    let mut other = scene.meshes[0].clone();
    other.skin.as_mut().unwrap().skeleton = SkeletonId(1);
    scene.meshes.push(other);
    scene.nodes.push(Node::of_mesh("n", MeshId(1)));
    let made = CModel::from_scene(&scene, &options()).unwrap();
    assert!(codes(&made).contains(&"skeletons-joined"));
    let weighted = |m: &CModel<'_>| m.meshes.iter().map(|m| m.bone_weights().is_some()).collect::<Vec<_>>();
    assert_eq!(weighted(&made.value), [true, true]);
    let second = FromSceneOptions::for_format(CrucibleTarget::default().with_skeleton(SkeletonId(1)));
    let made = CModel::from_scene(&scene, &second).unwrap();
    assert_eq!(weighted(&made.value), [false, true]);
    let files = write_scene(&scene, "a", &second).unwrap();
    assert!(codes(&files).contains(&"skins-dropped") && codes(&files).contains(&"skeletons-dropped"));
    let none = CrucibleTarget::default().with_skeleton(SkeletonId(7));
    assert!(write_scene(&scene, "a", &FromSceneOptions::for_format(none)).is_err());
}

#[test]
fn rotations_are_stored_as_asked() {
    let skeleton = SkeletonChunk::parse(&fixture("lighthouse.ok.cskel")).unwrap();
    let scene = skeleton.to_scene(&SceneOptions::default()).unwrap().value;
    let target = CrucibleTarget::default().with_quaternions(QuaternionOrder::Wxyz);
    let made = SkeletonChunk::from_scene(&scene, &FromSceneOptions::for_format(target)).unwrap().value;
    let plain = SkeletonChunk::from_scene(&scene, &options()).unwrap().value;
    assert_eq!(made.order, QuaternionOrder::Wxyz);
    for (a, b) in made.bones.iter().zip(&plain.bones) {
        assert_eq!(made.rotation(a), plain.rotation(b));
    }
    assert!(SkeletonChunk::from_scene(&Scene::default(), &options()).is_err());
}

fn gentle_skeleton() -> impl Strategy<Value = SkeletonChunk> {
    let bone = (
        [-5.0_f32..5.0, -5.0_f32..5.0, -5.0_f32..5.0],
        [-1.0_f32..1.0, -1.0_f32..1.0, -1.0_f32..1.0, 0.25_f32..1.0],
        [0.5_f32..2.0, 0.5_f32..2.0, 0.5_f32..2.0],
    );
    (strategy::skeleton(), proptest::collection::vec(bone, 20)).prop_map(|(mut skeleton, values)| {
        for (bone, (p, q, s)) in skeleton.bones.iter_mut().zip(values) {
            let l = q.iter().map(|c| c * c).sum::<f32>().sqrt();
            *bone = Bone {
                position: f32s(p),
                rotation: f32s(q.map(|c| c / l)),
                scale: f32s(s),
                parent: bone.parent,
                children: bone.children.clone(),
            };
        }
        skeleton
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// The scene of every chunk is valid.
    #[test]
    fn every_scene_is_sound(chunk in strategy::dialect().prop_flat_map(strategy::chunk), raw: bool) {
        let options = if raw { file_space() } else { SceneOptions::default() };
        match chunk.to_scene(&options, None) {
            Ok(converted) => converted.value.validate().map_err(|e| TestCaseError::fail(e.to_string()))?,
            Err(_) => prop_assert!(chunk.positions().is_none() && chunk.positions_2d().is_none()),
        }
    }

    /// The scene of every skeleton is valid, even if its bones are not finite.
    #[test]
    fn every_skeleton_is_sound(skeleton in strategy::skeleton(), raw: bool) {
        let options = if raw { file_space() } else { SceneOptions::default() };
        let scene = skeleton.to_scene(&options).unwrap().value;
        scene.validate().map_err(|e| TestCaseError::fail(e.to_string()))?;
        let back = SkeletonChunk::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
        prop_assert!(!back.validate().has_errors());
    }

    /// Positions, normals, texture coordinates, colours and triangles survive the conversion to glTF's space
    /// and back.
    #[test]
    fn a_chunk_comes_back(mut chunk in strategy::dialect().prop_flat_map(strategy::chunk)) {
        if chunk.vertex_count() == 0 {
            return Ok(());
        }
        let n = chunk.vertex_count();
        let points: Vec<_> = (0..n).map(|i| [i as f32, 1.0 - i as f32, 0.25]).collect();
        chunk.set_floats(Attribute::Position3, &points).unwrap();
        for a in [Attribute::Position2, Attribute::BoneWeights, Attribute::Tangent] {
            chunk.remove(a);
        }
        if chunk.normals().is_some() {
            chunk.set_floats(Attribute::Normal, &vec![[0.0, 1.0, 0.0]; n]).unwrap();
        }
        if chunk.uvs().is_some() {
            chunk.set_floats(Attribute::Uv, &vec![[0.25, 0.75]; n]).unwrap();
        }
        let whole: Vec<u32> = chunk.triangles().flatten().collect();
        chunk.set_indices(&whole);
        let scene = chunk.to_scene(&SceneOptions::default(), None).unwrap().value;
        let back = Chunk::from_scene(&scene, &FromSceneOptions::for_format(CrucibleTarget::with_dialect(chunk.dialect))).unwrap().value;
        prop_assert_eq!(back.indices().iter().collect::<Vec<_>>(), whole);
        for a in Attribute::ALL {
            prop_assert_eq!(back.stream(a), chunk.stream(a));
        }
    }

    /// The inverse of the engine's pose rule gives a skeleton with the same pose.
    #[test]
    fn a_skeleton_comes_back(skeleton in gentle_skeleton()) {
        let scene = skeleton.to_scene(&SceneOptions::default()).unwrap().value;
        scene.validate().unwrap();
        let back = SkeletonChunk::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
        let (a, b) = (skeleton.pose().unwrap(), back.pose().unwrap());
        let size = a.iter().flat_map(|p| p.translation).fold(1.0_f32, |m, c| m.max(c.abs()));
        for (a, b) in a.iter().zip(&b) {
            let matrix = |p: &Trs| p.to_affine().to_array();
            for (x, y) in matrix(a).iter().zip(matrix(b)) {
                prop_assert!((x - y).abs() <= 2e-3 * size, "{a:?} {b:?}");
            }
        }
    }

    /// Every scene is rejected or becomes files that are read without a broken rule.
    #[test]
    fn every_scene_becomes_files_that_are_read(scene in wild_scene(), which in 0_usize..3, dialect in strategy::dialect()) {
        let file = [CrucibleFile::Chunk, CrucibleFile::Model, CrucibleFile::Skeleton][which];
        let options = FromSceneOptions::for_format(CrucibleTarget::with_dialect(dialect).with_file(file));
        let Ok(files) = write_scene(&scene, "a", &options) else { return Ok(()) };
        let read = CrucibleOptions::default().with_dialect(dialect);
        for file in &files.value {
            let report = match file.name.rsplit('.').next() {
                Some("cmesh") => Chunk::parse_with(&file.bytes, &read).unwrap().model.validate(),
                Some("cmodel") => CModel::parse_with(&file.bytes, &read).unwrap().model.validate(),
                _ => SkeletonChunk::parse(&file.bytes).unwrap().validate(),
            };
            prop_assert!(!report.has_errors(), "{}: {:?}", file.name, report);
        }
    }
}

/// Returns the triangles of a scene in the bind pose.
fn bound(scene: &Scene) -> Vec<Triangle> {
    let budget = Budget::new(Limits::default());
    let options = DrawOptions::default().with_levels(Levels::Finest);
    let drawables = Drawables::new(scene, &options, &budget).unwrap();
    let of = |mesh: &Mesh| -> Vec<Triangle> {
        mesh.triangles.iter().map(|t| t.map(|v| mesh.positions[v as usize].map(f64::from))).collect()
    };
    drawables.flat_map(|d| of(&d.unwrap().mesh)).collect()
}

proptest! {
    /// Weights sum to 1 and name existing bones, and the model has the bind pose of the scene.
    #[test]
    fn foreign_scenes_stand_as_they_are_bound(scene in foreign_scene(), which in 0_usize..2, dialect in strategy::dialect()) {
        let file = [CrucibleFile::Chunk, CrucibleFile::Model][which];
        let options = FromSceneOptions::for_format(CrucibleTarget::with_dialect(dialect).with_file(file));
        let Ok(files) = write_scene(&scene, "a", &options) else { return Ok(()) };
        let read = CrucibleOptions::default().with_dialect(dialect);
        let bytes = |name: &str| files.value.iter().find(|f| f.name.ends_with(name)).map(|f| f.bytes.clone());
        let skeleton = bytes(".cskel").map(|b| SkeletonChunk::parse(&b).unwrap());
        let model = match bytes(".cmodel") {
            Some(bytes) => CModel::parse_with(&bytes, &read).unwrap().model.into_owned(),
            None => CModel::new(vec![Chunk::parse_with(&bytes(".cmesh").unwrap(), &read).unwrap().model.into_owned()]),
        };
        let bones = skeleton.as_ref().map_or(0, |s| s.bones.len());
        for weights in model.meshes.iter().filter_map(Chunk::bone_weights) {
            for four in weights.iter() {
                let sum: f32 = four.iter().map(|w| w.influence.get()).sum();
                prop_assert!((sum - 1.0).abs() < 1e-5, "{sum}");
                prop_assert!(four.iter().all(|w| bones == 0 || w.influence.get() == 0.0 || (w.bone as usize) < bones));
            }
        }
        let back = model.to_scene(&SceneOptions::default(), skeleton.as_ref()).unwrap().value;
        let (a, b) = (bound(&scene), bound(&back));
        let size = a.iter().flatten().flatten().fold(1.0_f64, |m, c| m.max(c.abs()));
        let off = largest_distance(&a, &b);
        prop_assert!((a.is_empty() && b.is_empty()) || off <= 1e-5 * size, "{off} of {size}");
    }
}

/// Tests two characters with a skeleton each, and a mesh without one, in one chunk.
#[test]
fn all_skeletons_and_all_meshes_go_into_one_chunk() {
    let mut skeleton =
        Skeleton { joints: vec![Joint::new("a", None, Local::default())], ..Skeleton::default() };
    skeleton.joints.push(Joint::new(
        "b",
        Some(0),
        Local::Trs(Trs { translation: [0.0, 2.0, 0.0], ..Trs::IDENTITY }),
    ));
    skeleton.bind_rest();
    let mesh = |id: Option<usize>| {
        let skin = id.map(|id| {
            let mut skin = Skin::new(SkeletonId(id));
            for weight in [0.5, 1.0, 2.0] {
                skin.influences.push(Influence { joint: 1, weight });
                skin.end_vertex();
            }
            skin
        });
        Mesh::new("m", vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2]]).with_skin(skin)
    };
    let mut scene = Scene::default()
        .with_skeletons(vec![skeleton.clone(), skeleton])
        .with_meshes(vec![mesh(Some(0)), mesh(Some(1)), mesh(None)])
        .with_nodes((0..3).map(|m| Node::of_mesh("n", MeshId(m))).collect());
    scene.meshes[1].normals = vec![[0.0, 0.0, 1.0]; 3];
    scene.meshes[2].uvs = vec![[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]];
    let options = FromSceneOptions::for_format(CrucibleTarget::default().with_file(CrucibleFile::Chunk));
    let made = Chunk::from_scene(&scene, &options).unwrap();
    let weights: Vec<_> =
        made.value.bone_weights().unwrap().iter().map(|w| (w[0].bone, w[0].influence.get())).collect();
    assert_eq!(
        weights,
        [[(1, 1.0); 3], [(3, 1.0); 3], [(4, 1.0); 3]].concat(),
        "the last bone is the added root"
    );
    assert!(made.value.stream(Attribute::Normal).is_some() && made.value.stream(Attribute::Uv).is_some());
    let skeleton = SkeletonChunk::from_scene(&scene, &options).unwrap();
    assert_eq!(skeleton.value.bones.len(), 5);
    for code in
        ["skeletons-joined", "weights-normalized", "normals-computed", "uvs-missing", "vertices-unbound"]
    {
        assert!(made.losses.iter().any(|l| l.code == code), "{code}: {:?}", codes(&made));
    }
}

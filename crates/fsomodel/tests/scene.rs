//! To the exchange model and back.
#![cfg(feature = "scene")]
#![allow(clippy::unwrap_used, reason = "tests")]

use meshwright_core::values;
use meshwright_fsomodel::{Dialect, FsoModel, FsoOptions, FsoTarget, Metadata, strategy};
use meshwright_scene::{
    Affine, Converted, Local, Material, MaterialId, Mesh, MeshId, Node, NodeId, Scene, SceneOptions, Space,
    Trs, handedness,
};
use meshwright_testkit::{fixtures, testdata};
use proptest::prelude::*;
use std::fs;

fn fixture(name: &str) -> Vec<u8> {
    fixtures("fsomodel", &["fom", "json"]).into_iter().find(|f| f.name == name).unwrap().bytes
}

fn codes<T>(converted: &Converted<T>) -> Vec<&'static str> {
    let mut codes: Vec<_> = converted.losses.iter().map(|l| l.code).collect();
    codes.sort_unstable();
    codes.dedup();
    codes
}

fn fighter() -> (Vec<u8>, Vec<u8>) {
    let dir = testdata().join("fsomodel/pairs");
    (fs::read(dir.join("fighter.ok.fom")).unwrap(), fs::read(dir.join("fighter.ok.json")).unwrap())
}

#[test]
fn the_companion_places_the_meshes() {
    let (file, text) = fighter();
    let options = FsoOptions::default().with_metadata(&text[..]);
    let model = FsoModel::parse_with(&file, &options).unwrap().model;
    let converted = model.to_scene(&SceneOptions::default().with_extras(true)).unwrap();
    assert_eq!(codes(&converted), ["bitangents-dropped"]);
    let scene = &converted.value;
    scene.validate().unwrap();
    let drawn = scene.drawn().unwrap();
    assert_eq!(drawn.iter().map(|d| d.1.0).collect::<Vec<_>>(), [0, 1, 1]);
    assert_eq!(drawn[2].2.w, [-0.6, 0.0, 0.0]);
    assert_eq!(scene.nodes[1].parent, Some(NodeId(0)));
    assert_eq!(scene.meshes[1].material, Some(MaterialId(1)));
    assert!(scene.materials[0].extras.is_some());

    // And back: the same file, and a companion that says the same.
    let back = FsoModel::from_scene(scene, &FsoTarget::of(Dialect::Gl3)).unwrap();
    assert_eq!(back.losses, []);
    assert!(back.value.validate().is_empty(), "{:?}", back.value.validate());
    assert_eq!(back.value.metadata, model.metadata);
    let again = FsoModel::parse_with(&file, &options).unwrap().model;
    for (a, b) in back.value.vertices().iter().zip(again.vertices().iter()) {
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert_eq!(a.position, b.position);
        assert!(near(values(a.uv), values(b.uv)) && near(values(a.normal), values(b.normal)));
        assert!(near(values(a.tangent), values(b.tangent)) && near(values(a.bitangent), values(b.bitangent)));
    }
}

#[test]
fn the_description_has_no_tree() {
    let (file, text) = fighter();
    let options = FsoOptions::default().with_metadata(&text[..]);
    let model = FsoModel::parse_with(&file, &options).unwrap().model;
    let mut scene = model.to_scene(&SceneOptions::default()).unwrap().value;
    scene.meshes.push(quad(false));
    let back = FsoModel::from_scene(&scene, &FsoTarget::default()).unwrap();
    assert_eq!(codes(&back), ["handedness-dropped", "materials-dropped", "mesh-not-drawn", "nodes-applied"]);
    assert!(back.value.validate().is_empty(), "{:?}", back.value.validate());
    assert_eq!(back.value.ranges().len(), 3);
    let direct = fixture("fighter.ok.fom");
    let direct = FsoModel::parse(&direct).unwrap();
    for (a, b) in back.value.vertices().iter().zip(direct.vertices().iter()) {
        let near = values(a.position).iter().zip(values(b.position)).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near, "{a:?} {b:?}");
    }
    let merged = FsoModel::from_scene(&scene, &FsoTarget::of(Dialect::Doc56)).unwrap();
    assert!(codes(&merged).contains(&"meshes-merged"));
    assert_eq!(merged.value.indices().len() as u64, direct.ranges().map(|r| r.count).sum::<u64>());
    assert!(!merged.value.validate().has_errors());
}

/// A quad that looks along z, with a picture whose origin is the bottom left.
fn quad(mirrored: bool) -> Mesh {
    let u = |x: f32| if mirrored { 1.0 - x } else { x };
    Mesh {
        positions: vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        normals: vec![[0.0, 0.0, 1.0]; 4],
        uvs: vec![[u(0.0), 0.0], [u(1.0), 0.0], [u(1.0), 1.0], [u(0.0), 1.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..Mesh::default()
    }
}

fn scene_of(meshes: Vec<Mesh>, space: Space) -> Scene {
    let nodes = (0..meshes.len()).map(|i| Node::of_mesh(format!("n{i}"), MeshId(i))).collect();
    Scene { meshes, nodes, space, ..Scene::default() }
}

#[test]
fn mirrored_pictures_keep_their_side_in_every_dialect() {
    let scene = scene_of(vec![quad(false), quad(true)], Space::File);
    for dialect in [Dialect::Seed44, Dialect::Gl3] {
        let made = FsoModel::from_scene(&scene, &FsoTarget::of(dialect)).unwrap();
        assert!(codes(&made).contains(&"tangents-computed"));
        for space in [Space::File, Space::Gltf] {
            let back = made.value.to_scene(&SceneOptions::in_space(space)).unwrap().value;
            for (mesh, side) in back.meshes.iter().zip([1.0, -1.0]) {
                for (n, t) in mesh.normals.iter().zip(&mesh.tangents) {
                    assert_eq!(t, &[side, 0.0, 0.0, side], "{dialect}");
                    // Up in the picture is up in space.
                    assert_eq!(handedness(*n, [t[0], t[1], t[2]], [0.0, 1.0, 0.0]), Some(t[3]));
                }
            }
        }
        // From glTF's space, where pictures start at the top.
        let gltf = made.value.to_scene(&SceneOptions::default()).unwrap().value;
        assert_eq!(gltf.meshes[0].uvs[0], [0.0, 1.0]);
        let mut bare = gltf.clone();
        bare.meshes.iter_mut().for_each(|m| m.tangents.clear());
        for scene in [gltf, bare] {
            let again = FsoModel::from_scene(&scene, &FsoTarget::of(dialect)).unwrap().value;
            assert_eq!(again.chunks, made.value.chunks);
        }
    }
}

#[test]
fn what_gltf_cannot_hold_is_mended_and_told() {
    for (name, code) in [
        ("nan.warn.fom", "position-not-finite"),
        ("normals.warn.fom", "normals-replaced"),
        ("normals.warn.fom", "normals-scaled"),
        ("two_indices.warn.fom", "indices-left-over"),
        ("two_indices.warn.fom", "indices-unused"),
        ("two_indices.warn.fom", "vertices-unused"),
        ("unknown.ok.fom", "chunks-dropped"),
    ] {
        let bytes = fixture(name);
        let converted = FsoModel::parse(&bytes).unwrap().to_scene(&SceneOptions::default()).unwrap();
        converted.value.validate().unwrap();
        assert!(codes(&converted).contains(&code), "{name}: {:?}", converted.losses);
        let unit = |v: &[f32]| (v.iter().map(|c| c * c).sum::<f32>() - 1.0).abs() < 1e-5;
        for mesh in &converted.value.meshes {
            assert!(
                mesh.normals.iter().all(|n| unit(n)) && mesh.tangents.iter().all(|t| unit(&t[..3])),
                "{name}"
            );
        }
    }
}

#[test]
fn a_tree_of_any_order_is_written_parents_first() {
    let mut scene = scene_of(vec![quad(false)], Space::Gltf);
    let local = |x: f32| Local::Trs(Trs { translation: [x, 0.0, 0.0], ..Trs::IDENTITY });
    let node = |name: &str, parent: Option<usize>, x: f32| Node {
        name: name.into(),
        parent: parent.map(NodeId),
        local: local(x),
        ..Node::default()
    };
    scene.nodes = vec![
        node("leaf", Some(3), 4.0),
        node("b", Some(2), 2.0),
        node("root", None, 1.0),
        node("c", Some(2), 3.0),
    ];
    scene.nodes[0].meshes.push(MeshId(0));
    let made = FsoModel::from_scene(&scene, &FsoTarget::of(Dialect::Gl3)).unwrap().value;
    let metadata = made.metadata.as_ref().unwrap();
    let names: Vec<_> = metadata.nodes.iter().map(|n| n.name.as_deref().unwrap_or_default()).collect();
    assert_eq!(names, ["root", "b", "c", "leaf"]);
    let text = metadata.to_bytes().unwrap();
    assert_eq!(&Metadata::parse(&text).unwrap(), metadata);
    scene.nodes.push(node("second", None, 9.0));
    let made = FsoModel::from_scene(&scene, &FsoTarget::of(Dialect::Gl3)).unwrap();
    assert!(codes(&made).contains(&"root-added"));
    let bytes = made.value.to_bytes().unwrap();
    let text = made.value.metadata.as_ref().unwrap().to_bytes().unwrap();
    let options = FsoOptions::default().with_metadata(&text[..]);
    let again = FsoModel::parse_with(&bytes, &options).unwrap().model;
    assert_eq!(again, made.value);
    let placed = again.to_scene(&SceneOptions::default()).unwrap().value.drawn().unwrap();
    assert_eq!(placed[0].2, Affine { w: [8.0, 0.0, 0.0], ..Affine::IDENTITY });
}

/// The engine's loader takes no material without the name of a texture.
#[test]
fn every_material_names_a_texture() {
    let mut scene = scene_of(vec![quad(false), quad(false)], Space::Gltf);
    scene.materials.push(Material { name: "stone".into(), ..Material::default() });
    scene.meshes[0].material = Some(MaterialId(0));
    let made = FsoModel::from_scene(&scene, &FsoTarget::of(Dialect::Gl3)).unwrap();
    assert!(codes(&made).contains(&"texture-added") && codes(&made).contains(&"material-added"));
    let metadata = made.value.metadata.as_ref().unwrap();
    let textures: Vec<_> = metadata.materials.iter().map(|m| m.diffuse_texture.as_deref()).collect();
    assert_eq!(textures, [Some("stone"), Some("none")]);
    assert!(made.value.validate().is_empty(), "{:?}", made.value.validate());
}

#[test]
fn sixteen_bits_are_not_exceeded() {
    let mut mesh = quad(false);
    mesh.positions = vec![[0.0; 3]; 0x1_0001];
    mesh.normals.clear();
    mesh.uvs.clear();
    let scene = scene_of(vec![mesh], Space::Gltf);
    assert!(FsoModel::from_scene(&scene, &FsoTarget::of(Dialect::Gl3)).is_err());
    let wide = FsoModel::from_scene(&scene, &FsoTarget::default()).unwrap();
    assert!(codes(&wide).contains(&"normals-computed") && codes(&wide).contains(&"uvs-missing"));
    // Two meshes have a base each, except where there is no table for it.
    let mut half = quad(false);
    half.positions = vec![[0.0; 3]; 0x9000];
    half.normals.clear();
    half.uvs.clear();
    let scene = scene_of(vec![half.clone(), half], Space::Gltf);
    assert!(FsoModel::from_scene(&scene, &FsoTarget::of(Dialect::Gl3)).is_ok());
    assert!(FsoModel::from_scene(&scene, &FsoTarget::of(Dialect::Doc56)).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Whatever a model holds, its scene is one that every consumer takes.
    #[test]
    fn every_scene_is_sound(model in strategy::dialect().prop_flat_map(strategy::model), raw: bool) {
        let options = SceneOptions::in_space(if raw { Space::File } else { Space::Gltf });
        let scene = model.to_scene(&options).unwrap().value;
        scene.validate().map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(scene.meshes.len(), model.ranges().len());
        for (mesh, range) in scene.meshes.iter().zip(model.ranges()) {
            prop_assert_eq!(mesh.triangles.len() as u64, range.count / 3);
        }
        let made = FsoModel::from_scene(&scene, &FsoTarget::of(model.dialect)).unwrap().value;
        prop_assert!(!made.validate().has_errors());
        prop_assert!(made.to_bytes().is_ok());
    }
}

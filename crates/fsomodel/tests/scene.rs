//! Tests conversions to the exchange model and back.
#![cfg(feature = "scene")]
#![allow(clippy::unwrap_used, reason = "tests")]

use meshwright_core::values;
use meshwright_fsomodel::{Dialect, FsoModel, FsoOptions, FsoSceneOptions, Metadata, strategy, write_scene};
use meshwright_scene::posed::{Triangle, largest_distance, triangles};
use meshwright_scene::strategy::{foreign_scene, wild_scene};
use meshwright_scene::{
    Affine, Budget, ConvertError, Converted, FromSceneOptions, Influence, Joint, Level, Levels, Limits,
    Local, Loss, Material, MaterialId, Mesh, MeshId, Naming, Node, NodeId, Scene, SceneOptions, Skeleton,
    SkeletonId, Skin, Space, Trs, handedness,
};
use meshwright_testkit::{fixtures, proptest, testdata};
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

fn options_for(dialect: Dialect) -> FromSceneOptions<FsoSceneOptions> {
    FromSceneOptions::for_format(dialect.into())
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
    let drawn = scene.drawn_meshes().unwrap();
    assert_eq!(drawn.iter().map(|d| d.1.0).collect::<Vec<_>>(), [0, 1, 1]);
    assert_eq!(drawn[2].2.w, [-0.6, 0.0, 0.0]);
    assert_eq!(scene.nodes[1].parent, Some(NodeId(0)));
    assert_eq!(scene.meshes[1].material, Some(MaterialId(1)));
    assert!(scene.materials[0].extras.is_some());

    // Convert back: the file is the same, and the companion file has the same content.
    let back = FsoModel::from_scene(scene, &options_for(Dialect::Gl3)).unwrap();
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
    let back = FsoModel::from_scene(&scene, &options_for(Dialect::Seed44)).unwrap();
    assert_eq!(codes(&back), ["handedness-dropped", "materials-dropped", "mesh-not-drawn", "nodes-applied"]);
    assert!(back.value.validate().is_empty(), "{:?}", back.value.validate());
    assert_eq!(back.value.ranges().len(), 3);
    let direct = fixture("fighter.ok.fom");
    let direct = FsoModel::parse(&direct).unwrap();
    for (a, b) in back.value.vertices().iter().zip(direct.vertices().iter()) {
        let near = values(a.position).iter().zip(values(b.position)).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near, "{a:?} {b:?}");
    }
    let merged = FsoModel::from_scene(&scene, &options_for(Dialect::Doc56)).unwrap();
    assert!(codes(&merged).contains(&"meshes-merged"));
    assert_eq!(merged.value.indices().len() as u64, direct.ranges().map(|r| r.count).sum::<u64>());
    assert!(!merged.value.validate().has_errors());
}

/// Returns a quad that faces z, with a texture whose origin is the bottom left.
fn quad(mirrored: bool) -> Mesh {
    let u = |x: f32| if mirrored { 1.0 - x } else { x };
    Mesh::new(
        "",
        vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]],
        vec![[0, 1, 2], [0, 2, 3]],
    )
    .with_normals(vec![[0.0, 0.0, 1.0]; 4])
    .with_uvs(vec![[u(0.0), 0.0], [u(1.0), 0.0], [u(1.0), 1.0], [u(0.0), 1.0]])
}

fn scene_of(meshes: Vec<Mesh>, space: Space) -> Scene {
    let nodes = (0..meshes.len()).map(|i| Node::of_mesh(format!("n{i}"), MeshId(i))).collect();
    Scene::default().in_space(space).with_nodes(nodes).with_meshes(meshes)
}

#[test]
fn mirrored_pictures_keep_their_side_in_every_dialect() {
    let scene = scene_of(vec![quad(false), quad(true)], Space::File);
    for dialect in [Dialect::Seed44, Dialect::Gl3] {
        let made = FsoModel::from_scene(&scene, &options_for(dialect)).unwrap();
        assert!(codes(&made).contains(&"tangents-computed"));
        for space in [Space::File, Space::Gltf] {
            let back = made.value.to_scene(&SceneOptions::in_space(space)).unwrap().value;
            for (mesh, side) in back.meshes.iter().zip([1.0, -1.0]) {
                for (n, t) in mesh.normals.iter().zip(&mesh.tangents) {
                    assert_eq!(t, &[side, 0.0, 0.0, side], "{dialect}");
                    // Up in the image is up in space.
                    assert_eq!(handedness(*n, [t[0], t[1], t[2]], [0.0, 1.0, 0.0]), Some(t[3]));
                }
            }
        }
        // Convert from glTF's space, where images start at the top.
        let gltf = made.value.to_scene(&SceneOptions::default()).unwrap().value;
        assert_eq!(gltf.meshes[0].uvs[0], [0.0, 1.0]);
        let mut bare = gltf.clone();
        bare.meshes.iter_mut().for_each(|m| m.tangents.clear());
        for scene in [gltf, bare] {
            let again = FsoModel::from_scene(&scene, &options_for(dialect)).unwrap().value;
            assert_eq!(again.chunks, made.value.chunks);
        }
    }
}

#[test]
fn what_gltf_cannot_hold_is_mended_and_reported() {
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
    let made = FsoModel::from_scene(&scene, &options_for(Dialect::Gl3)).unwrap().value;
    let metadata = made.metadata.as_ref().unwrap();
    let names: Vec<_> = metadata.nodes.iter().map(|n| n.name.as_deref().unwrap_or_default()).collect();
    assert_eq!(names, ["root", "b", "c", "leaf"]);
    let text = metadata.to_bytes().unwrap();
    assert_eq!(&Metadata::parse(&text).unwrap(), metadata);
    scene.nodes.push(node("second", None, 9.0));
    let made = FsoModel::from_scene(&scene, &options_for(Dialect::Gl3)).unwrap();
    assert!(codes(&made).contains(&"root-added"));
    let bytes = made.value.to_bytes().unwrap();
    let text = made.value.metadata.as_ref().unwrap().to_bytes().unwrap();
    let options = FsoOptions::default().with_metadata(&text[..]);
    let again = FsoModel::parse_with(&bytes, &options).unwrap().model;
    assert_eq!(again, made.value);
    let placed = again.to_scene(&SceneOptions::default()).unwrap().value.drawn_meshes().unwrap();
    assert_eq!(placed[0].2, Affine { w: [8.0, 0.0, 0.0], ..Affine::IDENTITY });
}

/// The engine's loader takes no material without the name of a texture.
#[test]
fn every_material_names_a_texture() {
    let mut scene = scene_of(vec![quad(false), quad(false)], Space::Gltf);
    scene.materials.push(Material::named("stone"));
    scene.meshes[0].material = Some(MaterialId(0));
    let made = FsoModel::from_scene(&scene, &options_for(Dialect::Gl3)).unwrap();
    assert!(codes(&made).contains(&"texture-added") && codes(&made).contains(&"material-added"));
    let metadata = made.value.metadata.as_ref().unwrap();
    let textures: Vec<_> = metadata.materials.iter().map(|m| m.diffuse_texture.as_deref()).collect();
    assert_eq!(textures, [Some("stone"), Some("none")]);
    assert!(made.value.validate().is_empty(), "{:?}", made.value.validate());
}

/// Returns a row of triangles with separate vertices for each corner.
fn soup(triangles: u16) -> Mesh {
    let corners = 0..3 * u32::from(triangles);
    let triangles: Vec<_> = corners.clone().step_by(3).map(|i| [i, i + 1, i + 2]).collect();
    let position = |i: u32| [(i / 3) as f32, (i % 3 == 1).into(), (i % 3 == 2).into()].map(|c: f32| c);
    Mesh::new("soup", corners.map(position).collect(), triangles)
}

#[test]
fn sixteen_bits_are_not_exceeded() {
    let mut scene = scene_of(vec![soup(22_000)], Space::Gltf);
    scene.nodes.push(Node { parent: Some(NodeId(0)), ..Node::of_mesh("again", MeshId(0)) });
    let made = FsoModel::from_scene(&scene, &options_for(Dialect::Gl3)).unwrap();
    assert!(codes(&made).contains(&"mesh-split"));
    let metadata = made.value.metadata.as_ref().unwrap();
    // The mesh is split once, though two nodes draw it.
    let counts: Vec<_> = metadata.meshes.iter().map(|m| (m.count, m.base_index, m.max_index)).collect();
    assert_eq!(counts, [(65_535, 0, 65_534), (465, 65_535, 464)]);
    assert!(metadata.nodes.iter().all(|n| n.meshes == [0, 1]));
    assert_eq!(made.value.vertices().len(), 66_000);
    let wide = FsoModel::from_scene(&scene, &options_for(Dialect::Seed44)).unwrap();
    assert!(codes(&wide).contains(&"normals-computed") && codes(&wide).contains(&"uvs-missing"));
    assert!(
        wide.notes().any(|n| n.code == "normals-computed") && !wide.lost().any(|l| l.code == "uvs-missing")
    );
    assert_eq!(wide.value.entries().map(|e| e.count).collect::<Vec<_>>(), [66_000; 2]);
    // Each of two meshes has its own base index, except in the dialect without a table.
    let scene = scene_of(vec![soup(12_000), soup(12_000)], Space::Gltf);
    let made = FsoModel::from_scene(&scene, &options_for(Dialect::Gl3)).unwrap();
    assert!(!codes(&made).contains(&"mesh-split"));
    let e = FsoModel::from_scene(&scene, &options_for(Dialect::Doc56)).unwrap_err();
    assert!(e.to_string().starts_with("meshes[1]: "), "{e}");
    // A mesh with exactly as many vertices as indices can address is not split.
    let mut whole = soup(21_845);
    whole.positions.push([0.0; 3]);
    let made = FsoModel::from_scene(&scene_of(vec![whole], Space::Gltf), &options_for(Dialect::Gl3)).unwrap();
    assert_eq!(made.value.vertices().len(), 1 << 16);
    assert_eq!(made.value.ranges().len(), 1);
}

#[test]
fn files_are_what_readers_take() {
    let (file, text) = fighter();
    let model = FsoModel::parse_with(&file, &FsoOptions::default().with_metadata(&text[..])).unwrap().model;
    let scene = model.to_scene(&SceneOptions::default().with_extras(true)).unwrap().value;
    for dialect in Dialect::ALL {
        let made = write_scene(&scene, "ships/fighter", &options_for(dialect)).unwrap();
        let names: Vec<_> = made.value.iter().map(|f| f.name.as_str()).collect();
        let mut options = FsoOptions::default().with_dialect(dialect);
        if dialect == Dialect::Gl3 {
            assert_eq!(names, ["ships/fighter.fom", "ships/fighter.json"]);
            let metadata = made.value.get("ships/fighter.json").unwrap();
            options = options.with_metadata(metadata);
        } else {
            assert_eq!(names, ["ships/fighter.fom"]);
        }
        let model = FsoModel::from_scene(&scene, &options_for(dialect)).unwrap();
        let bytes = made.value.get("ships/fighter.fom").unwrap();
        assert_eq!(FsoModel::parse_with(bytes, &options).unwrap().model, model.value);
        assert_eq!(made.losses, model.losses);
    }
}

#[test]
fn the_finest_level_is_drawn_unless_asked() {
    let mut scene = scene_of(vec![quad(false), quad(true), quad(false)], Space::Gltf);
    let level = |n| Level { nodes: vec![NodeId(n)], ..Level::default() };
    scene.levels = vec![level(0), level(1)];
    scene.nodes[2].meshes.clear();
    for dialect in [Dialect::Seed44, Dialect::Gl3] {
        let loose = usize::from(dialect == Dialect::Gl3);
        let options = options_for(dialect);
        let count = |options: &FromSceneOptions<_>| {
            let made = FsoModel::from_scene(&scene, options).unwrap();
            assert!(made.value.validate().is_empty(), "{:?}", made.value.validate());
            (made.value.ranges().len(), codes(&made).contains(&"levels-dropped"))
        };
        assert_eq!(count(&options), (1 + loose, true));
        assert_eq!(count(&options.clone().with_prune(true)), (1, true));
        for all in [Levels::Each, Levels::Merged] {
            assert_eq!(count(&options.clone().with_levels(all)), (2 + loose, false));
        }
    }
}

/// Node transforms do not move a skinned mesh.
#[test]
fn a_skinned_mesh_stays_where_its_bones_are() {
    let mut mesh = quad(false);
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..4 {
        skin.influences.push(Influence { joint: 0, weight: 1.0 });
        skin.end_vertex();
    }
    mesh.skin = Some(skin);
    let mut scene = scene_of(vec![mesh, quad(true)], Space::File);
    scene.skeletons =
        vec![Skeleton { name: "s".into(), joints: vec![Joint::new("j", None, Local::default())] }];
    let moved = Local::Trs(Trs { translation: [5.0, 0.0, 0.0], ..Trs::IDENTITY });
    scene.nodes[0].local = moved;
    scene.nodes[1].local = moved;
    for dialect in [Dialect::Seed44, Dialect::Gl3] {
        let made = FsoModel::from_scene(&scene, &options_for(dialect)).unwrap();
        assert!(codes(&made).contains(&"skins-dropped"));
        let back = made.value.to_scene(&SceneOptions::in_space(Space::File)).unwrap().value;
        let drawn = back.drawn_meshes().unwrap();
        let x: Vec<_> =
            drawn.iter().map(|(_, id, m)| m.point(back.meshes[id.0].positions[0])[0].to_bits()).collect();
        assert_eq!(x, [(-1.0_f32).to_bits(), 4.0_f32.to_bits()], "{dialect}");
    }
}

#[test]
fn names_have_no_end_within() {
    let mut scene = scene_of(vec![quad(false)], Space::Gltf);
    scene.meshes[0].name = "a\0b".into();
    let made = FsoModel::from_scene(&scene, &options_for(Dialect::Gl3)).unwrap();
    assert_eq!(made.lost().filter(|l| l.code == "name-changed").count(), 1);
    let metadata = made.value.metadata.unwrap();
    assert_eq!(metadata.meshes[0].name.as_deref(), Some("a_b"));
    assert!(metadata.to_bytes().is_ok());
    let strict = options_for(Dialect::Gl3).with_names(Naming::Refuse);
    assert!(matches!(FsoModel::from_scene(&scene, &strict), Err(ConvertError::Unsupported { .. })));
}

#[test]
fn what_nothing_draws_is_left_out_on_request() {
    let mut scene = scene_of(vec![quad(false)], Space::Gltf);
    scene.meshes.push(quad(true));
    scene.materials = vec![Material::named("loose"), Material::named("drawn")];
    scene.meshes[0].material = Some(MaterialId(1));
    scene.meshes[1].material = Some(MaterialId(0));
    let kept = FsoModel::from_scene(&scene, &options_for(Dialect::Gl3)).unwrap().value.metadata.unwrap();
    assert_eq!((kept.meshes.len(), kept.materials.len()), (2, 2));
    let pruned = FsoModel::from_scene(&scene, &options_for(Dialect::Gl3).with_prune(true)).unwrap();
    assert!(pruned.lost().any(|l: &Loss| l.code == "mesh-not-drawn"));
    let pruned = pruned.value.metadata.unwrap();
    assert_eq!((pruned.meshes.len(), pruned.materials.len()), (1, 1));
    assert_eq!(pruned.materials[0].name.as_deref(), Some("drawn"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Every scene becomes files that a strict reader accepts and that draw the same triangles.
    #[test]
    fn every_file_is_sound(scene in wild_scene(), prune: bool, memory in prop::option::of(0_u64..200_000)) {
        for dialect in Dialect::ALL {
            let options = options_for(dialect).with_levels(Levels::Merged).with_prune(prune);
            let options = memory.map_or(options.clone(), |m| options.with_memory(m));
            let made = match write_scene(&scene, "x", &options) {
                Ok(made) => made.value,
                Err(ConvertError::Limit(_)) if memory.is_some() => continue,
                Err(e) => return Err(TestCaseError::fail(e.to_string())),
            };
            let mut read = FsoOptions::from(dialect);
            read.metadata = made.get("x.json").map(Into::into);
            prop_assert_eq!(read.metadata.is_some(), dialect == Dialect::Gl3);
            let model = FsoModel::parse_with(&made.main().unwrap().bytes, &read).unwrap().model;
            prop_assert!(!model.validate().has_errors());
            let back = model.to_scene(&SceneOptions::in_space(scene.space)).unwrap().value;
            let triangles = |scene: &Scene| {
                scene.drawn_meshes().unwrap().iter().map(|d| scene.meshes[d.1.0].triangles.len()).sum::<usize>()
            };
            prop_assert_eq!(triangles(&back), triangles(&scene));
        }
    }

    /// The scene of every model is valid.
    #[test]
    fn every_scene_is_sound(model in strategy::dialect().prop_flat_map(strategy::model), raw: bool) {
        let options = SceneOptions::in_space(if raw { Space::File } else { Space::Gltf });
        let scene = model.to_scene(&options).unwrap().value;
        scene.validate().map_err(|e| TestCaseError::fail(e.to_string()))?;
        prop_assert_eq!(scene.meshes.len(), model.ranges().len());
        for (mesh, range) in scene.meshes.iter().zip(model.ranges()) {
            prop_assert_eq!(mesh.triangles.len() as u64, range.count / 3);
        }
        let made = FsoModel::from_scene(&scene, &options_for(model.dialect)).unwrap().value;
        prop_assert!(!made.validate().has_errors());
        prop_assert!(made.to_bytes().is_ok());
    }
}

proptest! {
    /// Skinned meshes get their rest pose, whatever their bind pose, and other meshes get the transforms of
    /// their nodes.
    #[test]
    fn foreign_scenes_stand_as_they_rest(mut scene in foreign_scene(), which in 0_usize..3) {
        // Weights that do not sum to 1 are reported as another loss.
        for skin in scene.meshes.iter_mut().filter_map(|m| m.skin.as_mut()) {
            for v in 0..skin.vertex_count() {
                let (range, sum) = (skin.range(v), skin.influences(v).iter().map(|i| i.weight).sum::<f32>());
                skin.influences[range].iter_mut().for_each(|i| i.weight /= sum);
            }
        }
        let dialect = Dialect::ALL[which];
        let made = write_scene(&scene, "x", &options_for(dialect)).unwrap();
        let mut read = FsoOptions::from(dialect);
        read.metadata = made.value.get("x.json").map(Into::into);
        let model = FsoModel::parse_with(&made.value.main().unwrap().bytes, &read).unwrap().model;
        prop_assert!(!model.validate().has_errors());
        let back = model.to_scene(&SceneOptions::default()).unwrap().value;
        let budget = Budget::new(Limits::default());
        let [a, b] = [&scene, &back].map(|s| triangles(s, None, &budget).unwrap());
        let size = |t: &[Triangle]| t.iter().flatten().flatten().fold(1.0_f64, |m, c| m.max(c.abs()));
        let off = largest_distance(&a, &b);
        prop_assert!((a.is_empty() && b.is_empty()) || off <= 2e-4 * size(&a), "{off} of {}", size(&a));
    }
}

/// Tests two squares that share an edge and have mirrored textures.
#[test]
fn a_mirrored_texture_gets_tangents_of_both_sides() {
    let at = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]];
    let mesh = Mesh::new(
        "m",
        at.map(|[x, y]| [x, y, 0.0]).to_vec(),
        vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]],
    )
    .with_uvs(at.map(|[x, y]| [if x > 1.0 { 2.0 - x } else { x }, 1.0 - y]).to_vec());
    let scene = scene_of(vec![mesh], Space::Gltf);
    for dialect in [Dialect::Doc56, Dialect::Gl3] {
        let made = FsoModel::from_scene(&scene, &options_for(dialect)).unwrap();
        assert_eq!(codes(&made).iter().filter(|c| c.contains("tangents") || c.contains("split")).count(), 2);
        let vertices: Vec<_> = made.value.vertices().iter().collect();
        assert_eq!(vertices.len(), 8, "the seam is there twice");
        for v in vertices {
            let [tangent, across] = [v.tangent, v.bitangent].map(values);
            assert!((tangent[0].abs() - 1.0).abs() < 1e-6, "{tangent:?}");
            // Up in the image is up in space, on both sides of the mirror.
            assert!((across[1] - 1.0).abs() < 1e-6, "{across:?}");
        }
    }
}

//! Tests colours of vertices, and alpha.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; tests use small numbers"
)]

use meshwright_gltf::{ExportOptions, Gltf, export};
use meshwright_scene::color::srgb16;
use meshwright_scene::{
    AlphaLevels, AlphaMode, ColorEncoding, Image, LayerKind, Material, MaterialId, Mesh, MeshId, Node, Scene,
    TextureLayer,
};
use serde_json::{Value, json};

fn done(scene: &Scene) -> (Gltf<'_>, Value) {
    let gltf = export(scene, &ExportOptions::default()).unwrap().value;
    let document = serde_json::from_slice(&gltf.to_gltf("x.bin").0).unwrap();
    (gltf, document)
}

fn triangles(vertices: u32) -> Mesh {
    Mesh::new(
        "",
        vec![[0.0; 3]; vertices as usize],
        (0..vertices / 3).map(|t| [t * 3, t * 3 + 1, t * 3 + 2]).collect(),
    )
}

fn scene(meshes: Vec<Mesh>, materials: Vec<Material>) -> Scene {
    Scene::default()
        .with_nodes((0..meshes.len()).map(|m| Node::of_mesh("", MeshId(m))).collect())
        .with_meshes(meshes)
        .with_materials(materials)
}

#[test]
fn every_display_byte_comes_back() {
    // All 256 in red and alpha, and in another order in green and blue.
    let colors: Vec<_> =
        (0..258_u32).map(|i| [i as u8, (i * 7) as u8, (i * 31 + 5) as u8, i as u8]).collect();
    for encoding in [ColorEncoding::Srgb, ColorEncoding::Linear] {
        let mesh = triangles(258).with_colors(colors.clone()).with_color_encoding(encoding);
        let scene = scene(vec![mesh], vec![]);
        let (gltf, document) = done(&scene);
        let index =
            document["meshes"][0]["primitives"][0]["attributes"]["COLOR_0"].as_u64().unwrap() as usize;
        let accessor = &document["accessors"][index];
        let wide = encoding == ColorEncoding::Srgb;
        assert_eq!(accessor["componentType"], json!(if wide { 5123 } else { 5121 }));
        assert_eq!((&accessor["normalized"], &accessor["type"]), (&json!(true), &json!("VEC4")));
        let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
        let bytes = &gltf.buffer()[start..start + view["byteLength"].as_u64().unwrap() as usize];
        if !wide {
            assert_eq!(bytes, colors.as_flattened());
            continue;
        }
        let words: Vec<u16> = bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b)).collect();
        let back: Vec<[u8; 4]> = words
            .as_chunks::<4>()
            .0
            .iter()
            .map(|[r, g, b, a]| [srgb16(*r), srgb16(*g), srgb16(*b), (a / 257) as u8])
            .collect();
        assert_eq!(back, colors);
        // The curve itself: 188 is about half of the light.
        assert_eq!(words[188 * 4], 32957);
    }
}

#[test]
fn alpha_is_told_by_what_there_is_or_by_what_the_surface_says() {
    let uvs = || vec![[0.0, 0.0]; 3];
    let alpha = |values: [u8; 3]| values.map(|a| [255, 255, 255, a]).to_vec();
    let image = |levels| Image::new("i", "image/jpeg", vec![0xff, 0xd8, 0xff, 0xe0]).with_alpha(levels);
    let painted = |levels| Material::default().with_image(image(levels));
    let told = |mesh: Mesh, material: Material| {
        let (_, document) = done(&scene(vec![mesh.with_material(MaterialId(0))], vec![material]));
        let material = document["materials"][0].clone();
        (material["alphaMode"].as_str().unwrap_or("OPAQUE").to_owned(), material["alphaCutoff"].as_f64())
    };
    let plain = || triangles(3).with_uvs(uvs());
    let is = |mode: &str| (mode.to_owned(), None);
    assert_eq!(told(plain(), painted(AlphaLevels::Full)), is("OPAQUE"));
    assert_eq!(told(plain(), painted(AlphaLevels::Two)), is("MASK"));
    assert_eq!(told(plain(), painted(AlphaLevels::Many)), is("BLEND"));
    assert_eq!(told(plain(), painted(AlphaLevels::None)), is("OPAQUE"));
    // If the texture is not shown, its alpha does not count.
    assert_eq!(told(triangles(3), painted(AlphaLevels::Many)), is("OPAQUE"));
    assert_eq!(told(plain().with_colors(alpha([255, 0, 255])), Material::default()), is("MASK"));
    assert_eq!(told(plain().with_colors(alpha([255, 9, 0])), painted(AlphaLevels::Two)), is("BLEND"));
    assert_eq!(told(plain().with_colors(alpha([0; 3])), Material::default()), is("OPAQUE"));
    let glass = Material::default().with_base_color([1.0, 1.0, 1.0, 0.5]);
    assert_eq!(told(plain(), glass), is("BLEND"));
    // The rule of an engine.
    for (mode, levels, expected) in [
        (AlphaMode::Opaque, AlphaLevels::Many, is("OPAQUE")),
        (AlphaMode::Blend, AlphaLevels::Two, is("BLEND")),
        (AlphaMode::Blend, AlphaLevels::Full, is("OPAQUE")),
        (AlphaMode::Mask(0.5), AlphaLevels::Many, is("MASK")),
        (AlphaMode::Mask(0.25), AlphaLevels::Two, ("MASK".to_owned(), Some(0.25))),
    ] {
        assert_eq!(told(plain(), painted(levels).with_alpha(mode)), expected);
    }
}

#[test]
fn one_material_on_meshes_with_and_without_alpha_is_two() {
    let glass = vec![[9, 9, 9, 128]; 3];
    let meshes = [triangles(3), triangles(3).with_colors(glass), triangles(3)];
    let meshes = meshes.map(|m| m.with_material(MaterialId(0))).into();
    let (_, document) = done(&scene(meshes, vec![Material::named("m")]));
    let modes: Vec<_> =
        document["materials"].as_array().unwrap().iter().map(|m| m["alphaMode"].clone()).collect();
    assert_eq!(modes, [json!("OPAQUE"), json!("BLEND")]);
}

#[test]
fn a_texture_of_many_materials_is_embedded_once() {
    let image = Image::new("i", "image/jpeg", vec![0xff, 0xd8, 0xff, 0xe0]);
    let same = Image::new("j", "image/jpeg", vec![0xff, 0xd8, 0xff, 0xe0]);
    let materials: Vec<_> = (0..40)
        .map(|i| Material::default().with_image(if i % 2 == 0 { image.clone() } else { same.clone() }))
        .collect();
    let mesh = |m| triangles(3).with_uvs(vec![[0.0, 0.0]; 3]).with_material(MaterialId(m));
    let (_, document) = done(&scene((0..40).map(mesh).collect(), materials));
    assert_eq!(document["images"].as_array().unwrap().len(), 1);
    assert_eq!(document["materials"].as_array().unwrap().len(), 40);
}

#[test]
fn textures_of_directions_and_light_and_their_edges_come_back() {
    use meshwright_gltf::document::{Document, Options, no_files};
    use meshwright_gltf::import::{ImportOptions, import};
    let image = |name: &str, last: u8| Image::new(name, "image/jpeg", vec![0xff, 0xd8, 0xff, last]);
    let base = Material::named("wall").with_image(image("wall", 0));
    let rich = base.clone().with_normal(image("wall_norm", 1)).with_emissive(image("wall_glow", 2));
    let layers = [(LayerKind::Gloss, "wall_gloss", 3), (LayerKind::Shirt, "wall_shirt", 4)];
    let layer = |(kind, name, last)| TextureLayer { kind, image: image(name, last) };
    let rich = rich.with_layers(layers.map(layer).to_vec());
    let materials =
        vec![rich.clone(), rich.clone().with_clamped(true), base, Material::named("gone").hidden()];
    let mesh = |m| triangles(3).with_uvs(vec![[0.0, 0.0]; 3]).with_material(MaterialId(m));
    let scene = scene((0..4).map(mesh).collect(), materials.clone());
    let (gltf, document) = done(&scene);
    // Each image is written once, with one texture for each way of wrapping.
    assert_eq!(["images", "textures", "samplers"].map(|t| document[t].as_array().unwrap().len()), [5, 8, 1]);
    assert_eq!(
        document["materials"][0]["extras"]["layers"]["shirt"],
        json!({ "image": 4, "name": "wall_shirt" })
    );
    assert_eq!(document["samplers"][0], json!({ "wrapS": 33071, "wrapT": 33071 }));
    let glb = gltf.to_glb();
    let document = Document::from_slice(&glb, &no_files, &Options::default()).unwrap();
    let made = import(&document, &ImportOptions::named("made")).unwrap().value.scene;
    for (found, wanted) in made.materials.iter().zip(&materials) {
        let bytes = |image: &Option<Image>| image.as_ref().map(|image| image.bytes.clone());
        assert_eq!(bytes(&found.image), bytes(&wanted.image));
        assert_eq!(bytes(&found.normal), bytes(&wanted.normal));
        assert_eq!(bytes(&found.emissive), bytes(&wanted.emissive));
        assert_eq!((&found.layers, &found.extras), (&wanted.layers, &wanted.extras));
        assert_eq!(
            (found.clamped, found.is_hidden()),
            (wanted.clamped, wanted.is_hidden()),
            "{}",
            wanted.name
        );
    }
}

#[test]
fn looks_come_back() {
    use meshwright_gltf::document::{Document, Options, no_files};
    use meshwright_gltf::import::{EXTENSIONS, ImportOptions, import};
    use meshwright_scene::Variant;
    let mesh = |m| triangles(3).with_material(MaterialId(m));
    let mut scene = scene(vec![mesh(0), mesh(1)], ["a", "b", "c"].map(Material::named).into());
    let look = |name: &str, materials: &[(usize, usize)]| Variant {
        name: name.into(),
        materials: materials.iter().map(|(mesh, m)| (MeshId(*mesh), MaterialId(*m))).collect(),
    };
    scene.variants = vec![look("day", &[(0, 0), (1, 1)]), look("night", &[(0, 2), (1, 1)])];
    let glb = done(&scene).0.to_glb();
    let options = Options::default().with_extensions(EXTENSIONS);
    let document = Document::from_slice(&glb, &no_files, &options).unwrap();
    let made = import(&document, &ImportOptions::named("made")).unwrap().value.scene;
    let told = |scene: &Scene| {
        let of = |v: &Variant| {
            let name = |m: &MaterialId| scene.materials[m.0].name.clone();
            (v.name.clone(), v.materials.iter().map(|(mesh, m)| (mesh.0, name(m))).collect::<Vec<_>>())
        };
        scene.variants.iter().map(of).collect::<Vec<_>>()
    };
    assert_eq!(told(&made), told(&scene));
}

#[test]
fn textures_of_directions_bring_tangents() {
    let square = |material| {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        Mesh::new("", corners.into(), vec![[0, 1, 2], [0, 2, 3]])
            .with_normals(vec![[0.0, 0.0, 1.0]; 4])
            .with_uvs(vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]])
            .with_material(MaterialId(material))
    };
    let image = Image::new("n", "image/jpeg", vec![0xff, 0xd8, 0xff, 0xe0]);
    let materials = vec![Material::named("flat"), Material::named("bumpy").with_normal(image)];
    let mut scene = scene(vec![square(0), square(1), square(0)], materials);
    let variant = |mesh| meshwright_scene::Variant {
        name: "other".into(),
        materials: vec![(MeshId(mesh), MaterialId(1))],
    };
    scene.variants = vec![variant(2)];
    let (gltf, document) = done(&scene);
    let accessor = |mesh: usize| document["meshes"][mesh]["primitives"][0]["attributes"]["TANGENT"].as_u64();
    assert!(accessor(0).is_none() && accessor(2).is_some(), "also where another look asks for them");
    let accessor = &document["accessors"][accessor(1).unwrap() as usize];
    let view = &document["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
    let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
    let buffer = gltf.buffer();
    let floats = buffer[start..start + 64].as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b));
    // To the right, and up in the picture is up in space.
    assert_eq!(floats.collect::<Vec<_>>(), [1.0, 0.0, 0.0, 1.0].repeat(4));
}

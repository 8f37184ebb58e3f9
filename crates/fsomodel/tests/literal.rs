//! Tests every layout with literal bytes and values. If two fields or axes are exchanged, a test fails
//! without other files.
#![allow(clippy::unwrap_used, reason = "tests")]

use meshwright_core::{f32s, values};
use meshwright_fsomodel::{
    ChunkId, Dialect, FsoModel, FsoOptions, Material, Mesh, MeshEntry, Metadata, Node, Vertex,
};
use meshwright_testkit::{from_hex, hex_diff};

/// The letters FSOMODEL and version 1.
const HEADER: &str = "46 53 4f 4d 4f 44 45 4c 01000000";

/// The floats 1 to 15.
const FLOATS: [&str; 15] = [
    "0000803f", "00000040", "00004040", "00008040", "0000a040", "0000c040", "0000e040", "00000041",
    "00001041", "00002041", "00003041", "00004041", "00005041", "00006041", "00007041",
];

fn vertex(uv: [f32; 3], normal: [f32; 3], tangent: [f32; 3], bitangent: [f32; 3]) -> Vertex {
    let position = f32s([1.0, 2.0, 3.0]);
    let (uv, normal, tangent) = (f32s(uv), f32s(normal), f32s(tangent));
    Vertex { position, uv, normal, tangent, bitangent: f32s(bitangent) }
}

#[test]
fn a_file_in_every_dialect() {
    let wide = "49 4e 44 58 0c00000000000000 00000000 00000000 00000000";
    let narrow = "49 4e 44 58 0600000000000000 0000 0000 0000";
    // An entry: offset in bytes, count, base, lowest, highest.
    let table = "4d 45 53 48 1800000000000000  0000000000000000 03000000 00000000 00000000 00000000";
    let seed = vertex([4.0, 5.0, 0.0], [6.0, 7.0, 8.0], [9.0, 10.0, 11.0], [0.0; 3]);
    let doc = Vertex { bitangent: f32s([12.0, 13.0, 14.0]), ..seed };
    let gl3 = vertex([4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [10.0, 11.0, 12.0], [13.0, 14.0, 15.0]);
    for (dialect, length, floats, wanted, rest) in [
        (Dialect::Seed44, "2c", 11, seed, format!("{wide}\n{table}")),
        (Dialect::Doc56, "38", 14, doc, narrow.to_owned()),
        (Dialect::Gl3, "3c", 15, gl3, narrow.to_owned()),
    ] {
        let text =
            format!("{HEADER}\n56 44 41 54 {length}00000000000000\n{}\n{rest}", FLOATS[..floats].join(" "));
        let bytes = from_hex(&text);
        let read = FsoModel::parse_with(&bytes, &FsoOptions::from(dialect)).unwrap().model;
        assert_eq!((read.version, read.dialect), (1, dialect));
        assert_eq!(read.vertices().iter().collect::<Vec<_>>(), [wanted], "{dialect}");
        assert_eq!(read.indices().iter().collect::<Vec<_>>(), [0, 0, 0]);
        let mut made = FsoModel::new(dialect);
        made.set_vertices(&[wanted]);
        made.set_indices(&[0, 0, 0]).unwrap();
        if dialect == Dialect::Seed44 {
            made.set_meshes(&[MeshEntry { count: 3, ..MeshEntry::default() }]);
        }
        assert_eq!(made, read);
        let written = made.to_bytes().unwrap();
        assert!(written == bytes, "{}", hex_diff(&bytes, &written));
    }
}

#[test]
fn an_entry_of_the_table() {
    let bytes = from_hex("0807060504030201 0d0c0b0a 11100f0e 15141312 19181716");
    let entry = MeshEntry::from_bytes(bytes.as_slice().first_chunk().unwrap());
    let wanted = MeshEntry {
        offset: 0x0102_0304_0506_0708,
        count: 0x0a0b_0c0d,
        base_index: 0x0e0f_1011,
        min_index: 0x1213_1415,
        max_index: 0x1617_1819,
    };
    assert_eq!(entry, wanted);
    let mut model = FsoModel::default();
    model.set_meshes(&[wanted]);
    assert_eq!(model.chunk(ChunkId::MESH), Some(&*bytes));
}

#[test]
fn indices_in_both_widths() {
    for (dialect, bytes) in
        [(Dialect::Seed44, "02010000 ffff0000"), (Dialect::Doc56, "0201 ffff"), (Dialect::Gl3, "0201 ffff")]
    {
        let mut model = FsoModel::new(dialect);
        model.set_indices(&[0x0102, 0xffff]).unwrap();
        assert_eq!(model.chunk(ChunkId::INDX), Some(&*from_hex(bytes)), "{dialect}");
        assert_eq!(model.indices().iter().collect::<Vec<_>>(), [0x0102, 0xffff]);
    }
}

/// Returns metadata in which every number is different.
fn metadata() -> Metadata {
    let node = |name: &str, parent, transform: [[f32; 4]; 4], meshes: &[u32]| Node {
        name: Some(name.into()),
        parent,
        transform: transform.map(f32s),
        meshes: meshes.to_vec(),
    };
    let identity = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];
    let columns =
        [[2.0, 3.0, 4.0, 0.0], [5.0, 6.0, 7.0, 0.0], [8.0, 9.0, 11.0, 0.0], [12.0, 13.0, 14.0, 1.0]];
    let mut metadata = Metadata::default();
    metadata.materials.push(Material { name: Some("hull".into()), diffuse_texture: Some("hull.dds".into()) });
    metadata.meshes.push(Mesh {
        name: Some("wing".into()),
        offset: 3,
        count: 6,
        base_index: 7,
        min_index: 8,
        max_index: 9,
        material_index: 0,
    });
    metadata.nodes.push(node("root", None, identity, &[]));
    metadata.nodes.push(node("left", Some(0), columns, &[0]));
    metadata
}

const METADATA: &str = r#"{
    "materials": [{"name": "hull", "diffuse_texture": "hull.dds"}],
    "meshes": [{"name": "wing", "offset": 3, "count": 6, "base_index": 7, "min_index": 8, "max_index": 9,
        "material_index": 0}],
    "root_node": {"name": "root", "transform": [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0],
        [0.0, 0.0, 0.0, 1.0]], "meshes": [], "children": [
        {"name": "left", "transform": [[2.0, 3.0, 4.0, 0.0], [5.0, 6.0, 7.0, 0.0], [8.0, 9.0, 11.0, 0.0],
            [12.0, 13.0, 14.0, 1.0]], "meshes": [0], "children": []}]}
}"#;

#[test]
fn a_companion() {
    let read = Metadata::parse(METADATA.as_bytes()).unwrap();
    assert_eq!(read, metadata());
    assert_eq!(read.to_bytes().unwrap(), METADATA.as_bytes());
    let written = metadata().to_bytes().unwrap();
    assert_eq!(Metadata::parse(&written).unwrap(), metadata());
    // The new text has the fields with their names.
    let text = String::from_utf8(written).unwrap();
    let plain: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    for field in ["\"offset\":3", "\"count\":6", "\"base_index\":7", "\"min_index\":8", "\"max_index\":9"] {
        assert!(plain.contains(field), "{field}: {plain}");
    }
    assert!(plain.contains("[12.0,13.0,14.0,1.0]"), "{plain}");
}

#[cfg(feature = "scene")]
#[test]
fn a_model_in_gltfs_space() {
    use meshwright_scene::SceneOptions;
    let mut model = FsoModel::new(Dialect::Gl3);
    let normal = [0.0, 0.6, 0.8];
    let at = |x: f32| Vertex {
        position: f32s([x, 2.0, 3.0]),
        ..vertex([0.25, 0.125, 0.0], normal, [1.0, 0.0, 0.0], [0.0, 0.8, -0.6])
    };
    model.set_vertices(&[at(1.0), at(4.0), at(7.0)]);
    model.set_indices(&[0, 1, 2]).unwrap();
    let mut metadata = metadata();
    (metadata.meshes[0].offset, metadata.meshes[0].count, metadata.meshes[0].base_index) = (0, 3, 0);
    model.metadata = Some(metadata);
    let scene = model.to_scene(&SceneOptions::default()).unwrap().value;
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions, [[1.0, 2.0, 3.0], [4.0, 2.0, 3.0], [7.0, 2.0, 3.0]]);
    assert_eq!(mesh.normals, [normal; 3]);
    assert_eq!(mesh.uvs, [[0.25, 0.875]; 3]);
    assert_eq!(mesh.triangles, [[0, 1, 2]]);
    assert_eq!(mesh.tangents[0][..3], [1.0, 0.0, 0.0]);
    let left = scene.nodes.iter().find(|n| n.name == "left").unwrap();
    let matrix = left.local.to_affine();
    assert_eq!((matrix.x, matrix.w), ([2.0, 3.0, 4.0], [12.0, 13.0, 14.0]));
    assert_eq!(values(model.vertices().get(1).unwrap().position), [4.0, 2.0, 3.0]);
}

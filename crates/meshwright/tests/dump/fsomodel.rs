//! Dumps of FSOMODEL.

use super::*;
use meshwright::fsomodel::{ChunkId, Dialect, FsoModel, Material, Mesh, MeshEntry, Metadata, Node, Vertex};

fn vertex(x: f32) -> Vertex {
    Vertex {
        position: f32s([x, 0.0, 0.0]),
        uv: f32s([0.5, 0.25, 0.0]),
        normal: f32s([0.0, 0.0, 1.0]),
        tangent: f32s([x, 1.0, 0.0]),
        bitangent: f32s([0.0; 3]),
    }
}

#[test]
fn a_model_with_hints_tangents_and_chunks_of_unknown_kinds() {
    let mut model = FsoModel::new(Dialect::Seed44);
    model.set_vertices(&[0.0, 1.0, 2.0, 3.0, 4.0].map(vertex));
    model.set_indices(&[0, 1, 2, 2, 1, 0]).unwrap();
    let entry =
        |offset, base_index, max_index| MeshEntry { offset, count: 3, base_index, min_index: 0, max_index };
    model.set_meshes(&[entry(0, 0, 2), entry(12, 2, 9)]);
    model.set_chunk("NOTE".parse::<ChunkId>().unwrap(), b"hi".to_vec());
    let json = dump(model);
    let native = &json["native"];
    assert_holds(
        native,
        &json!({
            "version": 1,
            "dialect": "seed44",
            "chunks": [
                { "id": "VDAT", "length": 220, "data": null },
                { "id": "INDX", "length": 24, "data": null },
                { "id": "MESH", "length": 48, "data": null },
                { "id": "NOTE", "length": 2, "data": "6869" },
            ],
            "total_vertices": 5,
            "total_indices": 6,
            "indices": [0, 1, 2, 2, 1, 0],
        }),
    );
    assert_eq!(
        native["meshes"][1],
        json!({
            "name": null, "material_index": null, "raw_offset": 12, "first_index": 3, "count": 3,
            "base_index": 2, "min_index": 0, "max_index": 9, "vertex_slice": [2, 5],
        })
    );
    assert_eq!(
        native["vertices"][4],
        json!({ "position": [4.0, 0.0, 0.0], "uv": [0.5, 0.25], "normal": [0.0, 0.0, 1.0], "tangent": [4.0, 1.0, 0.0] })
    );
    // The bounds of a mesh are listed with it.
    assert_holds(
        &json["meshes"][1],
        &json!({
            "material": null, "vertex_count": 3, "triangle_count": 1, "triangles": [[2, 1, 0]],
            "uvs": vec![[0.5, 0.25]; 3], "colors": null,
        }),
    );
    assert_eq!(json["meshes"][1]["poses"][0]["positions"][0], json!([2.0, 0.0, 0.0]));
}

#[test]
fn a_companion_names_materials_and_places() {
    let mesh =
        Mesh { name: Some("hull".into()), count: 3, max_index: 2, material_index: 1, ..Mesh::default() };
    let transform = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [5.0, 6.0, 7.0, 1.0]];
    let node =
        Node { name: Some("root".into()), parent: None, transform: transform.map(f32s), meshes: vec![0] };
    let picture = |name: &str| Material { name: None, diffuse_texture: Some(name.into()) };
    let mut metadata = Metadata::default();
    metadata.materials = vec![picture("a.png"), picture("b.png")];
    metadata.meshes = vec![mesh];
    metadata.nodes = vec![node];
    let parts = json!({
        "materials": [{ "name": null, "diffuse_texture": "a.png" }, { "name": null, "diffuse_texture": "b.png" }],
        "nodes": [{ "name": "root", "parent": null, "columns": transform, "meshes": [0] }],
    });
    let alone = dump(metadata.clone());
    assert_holds(&alone["native"], &parts);
    assert_eq!(
        alone["native"]["meshes"],
        json!([{
            "name": "hull", "offset": 0, "count": 3, "base_index": 0, "min_index": 0, "max_index": 2,
            "material_index": 1,
        }])
    );
    let mut model = FsoModel::new(Dialect::Gl3);
    let third = Vertex { uv: f32s([0.5, 0.25, 0.75]), bitangent: f32s([0.0, 0.0, -1.0]), ..vertex(1.0) };
    model.set_vertices(&[third; 3]);
    model.set_indices(&[0, 1, 2]).unwrap();
    model.metadata = Some(metadata);
    let json = dump(model);
    assert_holds(&json["native"], &parts);
    assert_holds(&json["native"]["meshes"][0], &json!({ "name": "hull", "material_index": 1 }));
    assert_holds(
        &json["native"]["vertices"][2],
        &json!({ "uv": [0.5, 0.25, 0.75], "bitangent": [0.0, 0.0, -1.0] }),
    );
    assert_eq!(json["meshes"][0]["material"], "b.png");
}

/// A table of a few kilobytes can name the same indices any number of times.
#[test]
fn what_meshes_share_is_charged_as_often_as_it_is_listed() {
    let mut model = FsoModel::new(Dialect::Seed44);
    model.set_vertices(&[vertex(0.0); 3]);
    model.set_indices(&[0, 1, 2].repeat(10_000)).unwrap();
    model.set_meshes(&[MeshEntry { count: 30_000, max_index: 2, ..MeshEntry::default() }; 1000]);
    let (model, beside) = (AnyModel::from(model), Companions::default());
    let dump =
        |memory| Dump::new(&model, &beside, "", &[], &DumpOptions::default().with_memory(memory)).map(drop);
    assert!(matches!(dump(256 << 20), Err(e) if e.code() == "limit" && e.to_string().contains("meshes")));
    assert!(dump(1 << 30).is_ok());
}

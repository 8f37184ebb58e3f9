//! Tests the corpus of converter-written and reference-written files next to the project: models equal the reference
//! dumps, are rewritten byte for byte, and damaged files are rejected or opened as the corpus states.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use meshwright_core::{ReadError, Report, Severity};
use meshwright_fsomodel::{FsoModel, FsoOptions, chunks};
use meshwright_scene::{Local, SceneOptions, Space};
use meshwright_testkit::{corpus, hex_diff};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn load(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Parses a float of the dumps, which write infinities and NaN as text.
#[expect(clippy::cast_possible_truncation, reason = "the dumps hold binary32 values")]
fn float(v: &Value) -> f32 {
    match v {
        Value::String(s) => s.to_lowercase().parse().unwrap(),
        v => v.as_f64().unwrap() as f32,
    }
}

fn vectors<const N: usize>(v: &Value) -> Option<Vec<[f32; N]>> {
    let rows = v.as_array()?;
    Some(rows.iter().map(|r| core::array::from_fn(|i| float(&r[i]))).collect())
}

fn check_native(name: &str, model: &FsoModel<'_>, file: &[u8], native: &Value) {
    assert_eq!(model.dialect.name(), native["dialect"], "{name}");
    let walked: Vec<_> = chunks(file)
        .unwrap()
        .map(|c| {
            let c = c.unwrap();
            json!([meshwright_core::text::latin1(&c.id.0), c.data.len(), c.offset - 12])
        })
        .collect();
    assert_eq!(Value::Array(walked), native["chunks"], "{name}");
    assert_eq!(json!(model.vertices().len()), native["total_vertices"], "{name}");
    assert_eq!(json!(model.indices().len()), native["total_indices"], "{name}");
    for (range, mesh) in model.ranges().zip(native["meshes"].as_array().unwrap()) {
        assert_eq!(
            json!([range.first, range.count, range.base_index]),
            json!([mesh["first_index"], mesh["count"], mesh["base_index"]]),
            "{name}"
        );
        let claimed = range.claimed.map_or((Value::Null, Value::Null), |(a, b)| (json!(a), json!(b)));
        assert_eq!(claimed, (mesh["min_index"].clone(), mesh["max_index"].clone()), "{name}");
    }
    let warned: BTreeSet<_> = model.validate().findings().iter().map(|f| f.rule.native).collect();
    let expected: BTreeSet<_> =
        native["warnings"].as_array().unwrap().iter().map(|w| w[0].as_str().unwrap()).collect();
    assert_eq!(warned, expected, "{name}");
}

/// Flattens the nodes of the dump, parents first, with the number of their parent.
fn flatten(node: &Value, parent: Option<usize>, out: &mut Vec<(Option<usize>, Value)>) {
    let number = out.len();
    out.push((parent, node.clone()));
    for child in node["children"].as_array().unwrap() {
        flatten(child, Some(number), out);
    }
}

fn check_scene(name: &str, model: &FsoModel<'_>, expected: &Value) {
    let scene = model.to_scene(&SceneOptions::in_space(Space::File)).unwrap().value;
    scene.validate().unwrap();
    let meshes = expected["meshes"].as_array().unwrap();
    assert_eq!(scene.meshes.len(), meshes.len(), "{name}");
    let native = expected["native"]["meshes"].as_array().unwrap();
    for ((mesh, expected), native) in scene.meshes.iter().zip(meshes).zip(native) {
        let material = mesh.material.map(|m| scene.materials[m.0].name.as_str());
        assert_eq!(json!(material), expected["material"], "{name}");
        assert_eq!(json!(mesh.positions.len()), expected["vertex_count"], "{name}");
        let triangles: Vec<_> = mesh.triangles.iter().map(|t| json!(t)).collect();
        assert_eq!(Value::Array(triangles), expected["triangles"], "{name}");
        let pose = &expected["poses"][0];
        assert_eq!(Some(&mesh.positions), vectors(&pose["positions"]).as_ref(), "{name}");
        assert_eq!(Some(&mesh.normals), vectors(&pose["normals"]).as_ref(), "{name}");
        assert_eq!(Some(&mesh.uvs), vectors(&expected["uvs"]).as_ref(), "{name}");
        let tangents: Vec<_> = mesh.tangents.iter().map(|[x, y, z, _]| [*x, *y, *z]).collect();
        assert_eq!(Some(tangents), vectors(&native["tangents"]), "{name}");
        if let Some(bitangents) = vectors::<3>(&native["bitangents"]) {
            for ((n, t), b) in mesh.normals.iter().zip(&mesh.tangents).zip(&bitangents) {
                let side = meshwright_scene::handedness(*n, [t[0], t[1], t[2]], *b);
                assert_eq!(t[3], side.unwrap_or(1.0), "{name}");
            }
        }
        if let Some(title) = native["name"].as_str() {
            assert_eq!(mesh.name, title, "{name}");
        }
    }
    let nodes = &expected["native"]["nodes"];
    if nodes.is_null() {
        assert_eq!(scene.nodes.len(), scene.meshes.len(), "{name}");
        return;
    }
    let mut flat = Vec::new();
    flatten(nodes, None, &mut flat);
    assert_eq!(scene.nodes.len(), flat.len(), "{name}");
    for (node, (parent, expected)) in scene.nodes.iter().zip(flat) {
        assert_eq!(node.parent.map(|p| p.0), parent, "{name}");
        assert_eq!(node.name, expected["name"], "{name}");
        assert_eq!(json!(node.meshes.iter().map(|m| m.0).collect::<Vec<_>>()), expected["meshes"], "{name}");
        let columns = match &node.local {
            Local::Affine(m) => m.to_columns(),
            Local::Trs(t) => t.to_affine().to_columns(),
        };
        assert_eq!(Some(columns.to_vec()), vectors::<4>(&expected["columns"]), "{name}");
    }
}

#[test]
fn the_corpus_reads_as_its_dumps_and_is_written_byte_for_byte() {
    let dir = corpus!();
    let mut seen = 0;
    for entry in fs::read_dir(dir.join("fsomodel")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().unwrap() != "fom" {
            continue;
        }
        let name = path.strip_prefix(&dir).unwrap().display().to_string();
        let bytes = fs::read(&path).unwrap();
        let companion = fs::read(path.with_extension("json")).ok();
        let mut options = FsoOptions::default();
        options.metadata = companion.as_deref().map(Into::into);
        let model = FsoModel::parse_with(&bytes, &options).unwrap_or_else(|e| panic!("{name}: {e}")).model;
        let expected = load(&dir.join("expected").join(format!("{name}.json")));
        check_native(&name, &model, &bytes, &expected["native"]);
        check_scene(&name, &model, &expected);
        let written = model.to_bytes().unwrap();
        assert!(written == bytes, "{name}\n{}", hex_diff(&bytes, &written));
        if let (Some(metadata), Some(text)) = (&model.metadata, &companion) {
            assert_eq!(&metadata.to_bytes().unwrap(), text, "{name}");
            let canonical = metadata.to_canonical().unwrap();
            assert_eq!(
                serde_json::from_slice::<Value>(&canonical).unwrap(),
                serde_json::from_slice::<Value>(text).unwrap(),
                "{name}: the canonical text says the same"
            );
            // Without the companion file, sizes and normals identify the dialect.
            assert_eq!(FsoModel::parse(&bytes).unwrap().dialect, model.dialect, "{name}");
        }
        seen += 1;
    }
    assert!(seen >= 10, "{seen} files");
}

fn open(path: &Path) -> Result<Report, ReadError> {
    let bytes = fs::read(path).unwrap();
    let companion = fs::read(path.with_extension("json")).ok();
    let mut options = FsoOptions::default();
    options.metadata = companion.as_deref().map(Into::into);
    FsoModel::parse_with(&bytes, &options).map(|p| p.model.validate())
}

#[test]
fn damaged_files_are_answered_as_the_corpus_says() {
    let dir = corpus!();
    let cases = load(&dir.join("malformed/cases.json"));
    let mut seen = 0;
    for case in cases.as_array().unwrap().iter().filter(|c| c["format"] == "fsomodel") {
        let file = case["file"].as_str().unwrap();
        let code = case["code"].as_str().unwrap();
        match (case["expect"].as_str().unwrap(), open(&dir.join(file))) {
            ("reject", Err(e)) => assert_eq!(e.rule().native, code, "{file}: {e}"),
            ("warn", Ok(report)) => {
                assert_eq!(report.count_of(Severity::Error), 0, "{file}");
                for code in code.split('+') {
                    assert!(report.has(code), "{file}: {:?}", report.findings());
                }
            }
            ("accept", Ok(report)) => assert!(!report.has_errors(), "{file}: {:?}", report.findings()),
            (expect, answer) => panic!("{file}: expected {expect}, got {answer:?}"),
        }
        seen += 1;
    }
    assert!(seen >= 34, "{seen} cases");
}

/// Tests models that exist with and without bitangents: the handedness computed from texture coordinates
/// must equal the stored one.
#[test]
fn recomputed_sides_are_the_stored_ones() {
    let dir = corpus!();
    for (with, without) in [("gl3_duck", "seed_duck"), ("gl3_teapots_tex", "seed_teapots")] {
        let read = |name: &str| fs::read(dir.join("fsomodel").join(name)).unwrap();
        let (file, text) = (read(&format!("{with}.fom")), read(&format!("{with}.json")));
        let options = FsoOptions::default().with_metadata(&text[..]);
        let stored = FsoModel::parse_with(&file, &options).unwrap().model;
        let stored = stored.to_scene(&SceneOptions::default()).unwrap().value;
        let file = read(&format!("{without}.fom"));
        let computed = FsoModel::parse(&file).unwrap().to_scene(&SceneOptions::default()).unwrap().value;
        let pairs =
            stored.meshes.iter().zip(&computed.meshes).flat_map(|(a, b)| a.tangents.iter().zip(&b.tangents));
        let (all, same) = pairs.fold((0, 0), |(all, same), (a, b)| (all + 1, same + u32::from(a[3] == b[3])));
        assert!(all > 2000 && all - same <= 1, "{with}: {same} of {all}");
        let mirrored = computed.meshes.iter().flat_map(|m| &m.tangents).filter(|t| t[3] < 0.0).count();
        assert!(mirrored > 1000, "{with}: both sides occur");
    }
}

//! Tests the corpus of real and engine-written files next to the project: models equal the reference dumps, are
//! rewritten byte for byte, and damaged files are treated as the corpus states.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use meshwright_core::{F32, ReadError, ReadOptions, Report, Severity};
use meshwright_crucible::{BoneWeight, CModel, Chunk, CrucibleOptions, Dialect, SkeletonChunk};
use meshwright_scene::{SceneOptions, Space};
use meshwright_testkit::{corpus, hex_diff};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn json(path: &Path) -> Value {
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

fn stored<const N: usize>(v: impl Iterator<Item = [F32; N]>) -> Vec<[f32; N]> {
    v.map(meshwright_core::values).collect()
}

fn check_mesh(name: &str, chunk: &Chunk<'_>, expected: &Value, native: &Value) {
    let scene = chunk.to_scene(&SceneOptions::in_space(Space::File), None).unwrap().value;
    scene.validate().unwrap();
    let mesh = &scene.meshes[0];
    assert_eq!(mesh.positions.len() as u64, expected["vertex_count"], "{name}");
    let triangles: Vec<_> = mesh.triangles.iter().map(|t| serde_json::json!(t)).collect();
    assert_eq!(Value::Array(triangles), expected["triangles"], "{name}");
    let pose = &expected["poses"][0];
    assert_eq!(Some(&mesh.positions), vectors(&pose["positions"]).as_ref(), "{name}: positions");
    assert_eq!(mesh.normals, vectors(&pose["normals"]).unwrap_or_default(), "{name}: normals");
    assert_eq!(mesh.uvs, vectors(&expected["uvs"]).unwrap_or_default(), "{name}: uvs");
    let colors: Vec<_> = mesh.colors.iter().map(|c| serde_json::json!(c)).collect();
    let expected_colors = expected["colors"].as_array().cloned().unwrap_or_default();
    assert_eq!(colors, expected_colors, "{name}: colors");

    let tangents = chunk.tangents().map(|t| stored(t.iter()));
    assert_eq!(tangents, vectors(&native["tangents"]), "{name}: tangents");
    if let Some(plane) = vectors::<2>(&native["positions_2d"]) {
        assert_eq!(chunk.positions_2d().map(|p| stored(p.iter())), Some(plane), "{name}");
    }
    let weights: Option<Vec<_>> = chunk.bone_weights().map(|w| w.iter().collect());
    let ids = native["bone_ids"].as_array();
    assert_eq!(weights.is_some(), ids.is_some(), "{name}: bones");
    if let (Some(weights), Some(ids)) = (weights, ids) {
        let expected = vectors::<4>(&native["bone_weights"]).unwrap();
        for (four, (ids, influences)) in weights.iter().zip(ids.iter().zip(expected)) {
            assert_eq!(serde_json::json!(four.map(|w: BoneWeight| w.bone)), *ids, "{name}");
            assert_eq!(four.map(|w| w.influence.get()), influences, "{name}");
        }
    }
    if let [one] = native["dialect_candidates"].as_array().unwrap().as_slice() {
        assert_eq!(chunk.dialect.name(), one, "{name}");
    }
    let candidates: Vec<_> = chunk.candidates().into_iter().map(Dialect::name).collect();
    assert_eq!(candidates.len(), native["dialect_candidates"].as_array().unwrap().len(), "{name}");
    let blocks = [&chunk.indices].into_iter().chain(chunk.streams.iter().map(|s| &s.stream));
    let sizes: Vec<_> = blocks.map(|s| s.packed().unwrap().len()).collect();
    assert_eq!(serde_json::json!(sizes), native["compressed_sizes"], "{name}");
    assert_eq!(chunk.indices().len() as u64, native["index_count"], "{name}");
    assert_eq!(chunk.index_size.bytes() as u64 * 8, native["index_bits"], "{name}");
    let warned: BTreeSet<_> = chunk.validate().findings().iter().map(|f| f.rule.native).collect();
    let expected: Vec<_> = native["warnings"].as_array().unwrap().iter().map(|w| w[0].clone()).collect();
    assert_eq!(serde_json::json!(warned), Value::Array(expected), "{name}: warnings");
}

fn check_skeleton(name: &str, skeleton: &SkeletonChunk, expected: &Value) {
    let scene = skeleton.to_scene(&SceneOptions::in_space(Space::File)).unwrap().value;
    scene.validate().unwrap();
    let joints = &scene.skeletons[0].joints;
    let bones = expected["bones"].as_array().unwrap();
    assert_eq!(joints.len(), bones.len());
    let native = expected["native"]["bones"].as_array().unwrap();
    for (((joint, bone), native), mine) in joints.iter().zip(bones).zip(native).zip(&skeleton.bones) {
        assert_eq!(joint.name, bone["name"].as_str().unwrap(), "{name}");
        assert_eq!(joint.parent.map_or(-1, |p| i64::try_from(p).unwrap()), bone["parent"], "{name}");
        let [x, y, z, w] = skeleton.rotation(mine);
        let expected: Vec<_> = native["rotation_wxyz"].as_array().unwrap().iter().map(float).collect();
        assert_eq!([w, x, y, z], expected[..], "{name}");
        let of = |field: &str| -> Vec<_> { native[field].as_array().unwrap().iter().map(float).collect() };
        assert_eq!(meshwright_core::values(mine.position), of("position")[..], "{name}");
        assert_eq!(meshwright_core::values(mine.scale), of("scale")[..], "{name}");
        assert_eq!(serde_json::json!(mine.children), native["children"], "{name}");
    }
    // The joints restore the engine's pose, which is not a product of the bones' own matrices.
    let rest = scene.skeletons[0].rest_model().unwrap();
    for (m, pose) in rest.iter().zip(skeleton.pose().unwrap()) {
        for (a, b) in m.to_array().iter().zip(pose.to_affine().to_array()) {
            assert!((a - b).abs() < 2e-5, "{name}: {m:?} {pose:?}");
        }
    }
}

#[test]
fn the_corpus_reads_as_its_dumps_and_is_written_byte_for_byte() {
    let dir = corpus!();
    let mut seen = 0;
    let mut folders = vec![dir.join("crucible")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(&dir).unwrap().display().to_string();
            let bytes = fs::read(&path).unwrap();
            let dump = dir.join("expected").join(format!("{name}.json"));
            let written = match path.extension().unwrap().to_str().unwrap() {
                "cmesh" => {
                    let chunk = Chunk::parse(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
                    let expected = json(&dump);
                    check_mesh(&name, &chunk, &expected["meshes"][0], &expected["native"]["meshes"][0]);
                    assert!(Chunk::sniff(&bytes) > SkeletonChunk::sniff(&bytes), "{name}");
                    chunk.to_bytes().unwrap()
                }
                "cskel" => {
                    let skeleton = SkeletonChunk::parse(&bytes).unwrap();
                    check_skeleton(&name, &skeleton, &json(&dump));
                    assert!(SkeletonChunk::sniff(&bytes) > Chunk::sniff(&bytes), "{name}");
                    skeleton.to_bytes().unwrap()
                }
                _ => {
                    let model = CModel::parse(&bytes).unwrap();
                    assert!(model.validate().is_empty(), "{name}: {:?}", model.validate());
                    let scene = model.to_scene(&SceneOptions::default(), None).unwrap().value;
                    scene.validate().unwrap();
                    model.to_bytes().unwrap()
                }
            };
            assert!(written == bytes, "{name}\n{}", hex_diff(&bytes, &written));
            seen += 1;
        }
    }
    assert!(seen >= 40, "{seen} files");
}

/// Opens a file; its extension decides the format.
fn open(path: &Path, options: &CrucibleOptions) -> Result<Report, ReadError> {
    let bytes = fs::read(path).unwrap();
    match path.extension().unwrap().to_str().unwrap() {
        "cmesh" => Chunk::parse_with(&bytes, options).map(|p| p.model.validate()),
        "cskel" => SkeletonChunk::parse_with(&bytes, options).map(|p| p.model.validate()),
        _ => CModel::parse_with(&bytes, options).map(|p| p.model.validate()),
    }
}

#[test]
fn damaged_files_are_treated_as_the_corpus_says() {
    let dir = corpus!();
    let cases = json(&dir.join("malformed/cases.json"));
    let mut seen = 0;
    for case in cases.as_array().unwrap().iter().filter(|c| c["format"] == "crucible") {
        let file = case["file"].as_str().unwrap();
        let mut options = CrucibleOptions::from(ReadOptions::default());
        // Bit 6 is a bone weight in one dialect and reserved in the other. This file tests the reserved bit.
        if file.ends_with("_seed.cmesh") {
            options = options.with_dialect(Dialect::Seed);
        }
        let result = open(&dir.join(file), &options);
        let code = case["code"].as_str().unwrap();
        match (case["expect"].as_str().unwrap(), result) {
            ("reject", Err(e)) => assert_eq!(e.rule().native, code, "{file}: {e}"),
            ("warn", Ok(report)) => {
                assert_eq!(report.count_of(Severity::Error), 0, "{file}");
                for code in code.split('+') {
                    assert!(report.has(code), "{file}: {:?}", report.findings());
                }
            }
            ("accept", Ok(report)) => assert!(!report.has_errors(), "{file}: {:?}", report.findings()),
            (expect, result) => panic!("{file}: expected {expect}, got {result:?}"),
        }
        seen += 1;
    }
    assert!(seen >= 50, "{seen} cases");
}

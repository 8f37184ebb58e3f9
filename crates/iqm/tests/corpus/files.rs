//! Tests real models of the corpus next to the project: reference dumps of an independent reader, broken files.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::cast_possible_truncation,
    reason = "tests compare small numbers, and fail by a panic"
)]

use meshwright_core::Severity;
use meshwright_iqm::{AnimFlags, ArrayKind, Iqm};
use meshwright_testkit::{corpus, hex_diff};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Returns the manifest entries with their bytes and dumps.
fn entries(root: &Path) -> Vec<(String, Vec<u8>, Value)> {
    let manifest = json(&root.join("manifest.json"));
    let files = manifest.as_array().unwrap().iter().filter(|e| e["format"] == "iqm");
    let entry = |e: &Value| {
        let file = e["file"].as_str().unwrap().to_owned();
        let dump = json(&root.join(e["expected"].as_str().unwrap()));
        (file.clone(), fs::read(root.join(file)).unwrap(), dump)
    };
    let found: Vec<_> = files.map(entry).collect();
    assert!(!found.is_empty());
    found
}

fn rows(v: &Value) -> Vec<[f64; 3]> {
    let row = |r: &Value| [0, 1, 2].map(|i| r[i].as_f64().unwrap());
    v.as_array().unwrap().iter().map(row).collect()
}

fn extent(rows: &[[f64; 3]]) -> f64 {
    let side = |i: usize| {
        let of = |f: fn(f64, f64) -> f64, start| rows.iter().map(|r| r[i]).fold(start, f);
        of(f64::max, f64::NEG_INFINITY) - of(f64::min, f64::INFINITY)
    };
    (0..3).map(side).fold(0.0, f64::max)
}

fn assert_near(what: &str, ours: &[[f32; 3]], theirs: &[[f64; 3]], tolerance: f64) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        let off = a.iter().zip(b).map(|(a, b)| (f64::from(*a) - b).abs()).fold(0.0, f64::max);
        assert!(off <= tolerance, "{what} [{i}]: {a:?}, expected {b:?}");
    }
}

fn text(model: &Iqm, id: meshwright_iqm::TextId) -> String {
    String::from_utf8_lossy(model.str(id)).into_owned()
}

fn number(v: &Value) -> u64 {
    v.as_u64().unwrap()
}

#[test]
fn files_equal_the_reference_dumps_and_are_rewritten() {
    let root = corpus!();
    for (file, bytes, dump) in entries(&root) {
        let model = Iqm::parse(&bytes).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(!model.validate().has_errors(), "{file}");
        let written = model.to_bytes().unwrap();
        assert!(written == bytes, "{file}: {}", hex_diff(&bytes, &written));
        let bones = dump["bones"].as_array().unwrap();
        assert_eq!(model.joints.len(), bones.len(), "{file}");
        for (joint, bone) in model.joints.iter().zip(bones) {
            assert_eq!(text(&model, joint.name), bone["name"].as_str().unwrap(), "{file}");
            assert_eq!(i64::from(joint.parent), bone["parent"].as_i64().unwrap(), "{file}");
        }
        let clips = dump["clips"].as_array().unwrap();
        assert_eq!(model.anims.len(), clips.len(), "{file}");
        for (anim, clip) in model.anims.iter().zip(clips) {
            assert_eq!(text(&model, anim.name), clip["name"].as_str().unwrap(), "{file}");
            assert_eq!(u64::from(anim.first_frame), number(&clip["start"]), "{file}");
            assert_eq!(u64::from(anim.frame_count), number(&clip["frames"]), "{file}");
            assert_eq!(f64::from(anim.framerate.get()), clip["fps"].as_f64().unwrap(), "{file}");
            assert_eq!(anim.flags.contains(AnimFlags::LOOP), clip["loop"].as_bool().unwrap(), "{file}");
        }
        meshes(&file, &model, &dump);
    }
}

fn meshes(file: &str, model: &Iqm, dump: &Value) {
    let list = dump["meshes"].as_array().unwrap();
    assert_eq!(model.meshes.len(), list.len(), "{file}");
    for (mesh, expected) in model.meshes.iter().zip(list) {
        assert_eq!(text(model, mesh.material), expected["material"].as_str().unwrap(), "{file}");
        assert_eq!(text(model, mesh.name), expected["native"]["name"].as_str().unwrap(), "{file}");
        let own: Vec<_> =
            model.triangles_of(mesh).iter().map(|t| t.map(|v| u64::from(v - mesh.first_vertex))).collect();
        let triangle = |t: &Value| [0, 1, 2].map(|i| number(&t[i]));
        let theirs: Vec<_> = expected["triangles"].as_array().unwrap().iter().map(triangle).collect();
        assert_eq!(own, theirs, "{file}");
        let first = mesh.first_vertex as usize;
        if let Some(array) = model.array(ArrayKind::TEXCOORD) {
            for (v, uv) in expected["uvs"].as_array().unwrap().iter().enumerate() {
                let own = array.floats::<2>(first + v, [0.0; 2]);
                let theirs = [0, 1].map(|i| f64::from(uv[i].as_f64().unwrap() as f32));
                assert_eq!(own, theirs, "{file}: texture coordinate {v}");
            }
        }
        let poses = expected["poses"].as_array().unwrap();
        let scale = extent(&rows(&poses[0]["positions"]));
        for pose in poses {
            let frame = pose["file_frame"].as_u64().map(|f| u32::try_from(f).unwrap());
            assert_eq!(frame.is_some(), pose["clip"].is_u64(), "{file}");
            let got = model.evaluate(mesh, frame).unwrap();
            let what = format!("{file} at {frame:?}");
            assert_near(
                &format!("{what}: positions"),
                &got.positions,
                &rows(&pose["positions"]),
                5e-6 * scale,
            );
            if pose["normals"].is_array() {
                assert_near(&format!("{what}: normals"), &got.normals, &rows(&pose["normals"]), 5e-6);
            }
        }
    }
}

#[test]
fn animations_alone_have_their_matrices() {
    let root = corpus!();
    let mut seen = 0;
    for (file, bytes, dump) in entries(&root) {
        let Some(matrices) = dump["native"]["world_matrices"].as_object() else { continue };
        let model = Iqm::parse(&bytes).unwrap();
        for (frame, expected) in matrices {
            let own = match frame.parse() {
                Ok(frame) => model.frame_matrices(frame).unwrap(),
                Err(_) => model.rest_matrices(),
            };
            for (m, row) in own.iter().zip(expected.as_array().unwrap()) {
                let own = m.to_rows();
                for (k, value) in own.as_flattened().iter().enumerate() {
                    let theirs = row[k].as_f64().unwrap();
                    assert!(
                        (value - theirs).abs() <= 1e-5 * theirs.abs().max(1.0),
                        "{file} {frame}: {value} {theirs}"
                    );
                }
            }
            seen += 1;
        }
    }
    assert!(seen > 0);
}

#[test]
fn version_1_moves_as_version_2_does() {
    let root = corpus!();
    let model = |name: &str| Iqm::parse(&fs::read(root.join("iqm").join(name)).unwrap()).unwrap();
    let (first, second) = (model("gen_v1.iqm"), model("gen_skinned.iqm"));
    assert_eq!((first.version, second.version), (1, 2));
    for frame in 0..second.frame_count {
        let [a, b] = [&first, &second].map(|m| m.evaluate(&m.meshes[0], Some(frame)).unwrap());
        let theirs: Vec<_> = b.positions.iter().map(|p| p.map(f64::from)).collect();
        assert_near("version 1", &a.positions, &theirs, 5e-6);
    }
}

#[test]
fn broken_files_have_their_codes() {
    let root = corpus!();
    let cases = json(&root.join("malformed/cases.json"));
    let cases: Vec<_> = cases.as_array().unwrap().iter().filter(|c| c["format"] == "iqm").collect();
    assert_eq!(cases.len(), 55);
    for case in cases {
        let (file, code) = (case["file"].as_str().unwrap(), case["code"].as_str().unwrap());
        let bytes = fs::read(root.join(file)).unwrap();
        match (case["expect"].as_str().unwrap(), Iqm::parse(&bytes)) {
            ("reject", Err(e)) => assert_eq!(e.code(), code, "{file}: {e}"),
            ("warn", Ok(model)) => {
                let report = model.validate();
                let has = report.iter().any(|f| f.rule.code == code && f.severity == Severity::Warning);
                assert!(has && !report.has_errors(), "{file}: {:?}", report.findings());
            }
            ("accept", Ok(model)) => assert!(!model.validate().has_errors(), "{file}"),
            (expect, found) => panic!("{file}: {expect} {code}, found {:?}", found.map(|_| ())),
        }
    }
}

//! Tests the corpus of real and generated models next to the project.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use meshwright_bmd::{Arrangement, Bmd, Name};
use meshwright_core::ReadOptions;
use meshwright_core::num::St14Form;
use meshwright_testkit::{corpus, hex_diff};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn json(path: PathBuf) -> Value {
    let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap()
}

/// Manifest entries of this format with their bytes.
fn models(dir: &Path) -> Vec<(Value, Vec<u8>)> {
    let manifest = json(dir.join("manifest.json"));
    let entries = manifest.as_array().unwrap().iter().filter(|e| e["format"] == "bmd");
    entries.map(|e| (e.clone(), fs::read(dir.join(e["file"].as_str().unwrap())).unwrap())).collect()
}

fn floats<const N: usize>(v: &Value) -> [f32; N] {
    let list = v.as_array().unwrap();
    std::array::from_fn(|i| match &list[i] {
        Value::Number(n) => n.as_f64().unwrap() as f32,
        other => panic!("{other}"),
    })
}

#[test]
fn every_file_is_written_back() {
    for (entry, bytes) in models(&corpus!()) {
        let name = entry["file"].as_str().unwrap();
        let model = Bmd::parse(&bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
        let written = model.to_bytes().unwrap();
        assert!(written == bytes, "{name}\n{}", hex_diff(&bytes, &written));
        let arrangement = match entry["layout"].as_str() {
            Some("P0") => Arrangement::P0,
            Some("P1") => Arrangement::P1,
            Some("P2") => Arrangement::P2,
            _ if name.contains("gen_up_") => Arrangement::P2,
            _ => continue,
        };
        let written = model.to_bytes_as(arrangement).unwrap();
        assert!(written == bytes, "{name} as {arrangement:?}\n{}", hex_diff(&bytes, &written));
        assert!(model.arrangement().is_some());
    }
}

#[test]
fn every_arrangement_reads_back() {
    for (entry, bytes) in models(&corpus!()) {
        let model = Bmd::parse(&bytes).unwrap();
        for a in
            [Arrangement::P0, Arrangement::P1, Arrangement::P2, Arrangement::Aligned, Arrangement::Compact]
        {
            let again = Bmd::parse(&model.to_bytes_as(a).unwrap()).unwrap();
            assert_eq!(again, model, "{} {a:?}", entry["file"]);
        }
    }
}

#[test]
fn evaluation_equals_the_reference() {
    let dir = corpus!();
    for (entry, bytes) in models(&dir) {
        let name = entry["file"].as_str().unwrap();
        let model = Bmd::parse(&bytes).unwrap();
        let want = json(dir.join(entry["expected"].as_str().unwrap()));
        let form = model.st_form();
        let legacy = want["native"]["st128_mode"] == "legacy";
        assert_eq!(form == St14Form::Legacy, legacy, "{name}");
        assert_eq!(model.meshes.len(), want["meshes"].as_array().unwrap().len());
        for (i, bone) in want["bones"].as_array().unwrap().iter().enumerate() {
            assert_eq!(model.bones[i].name.as_ref().unwrap().text(), bone["name"].as_str().unwrap());
        }
        for (i, clip) in want["clips"].as_array().unwrap().iter().enumerate() {
            assert_eq!(u64::from(model.clips[i].frames), clip["frames"].as_u64().unwrap());
            let rate = f64::from(model.clips[i].rate.frames_per_second());
            assert_eq!(rate, clip["fps"].as_f64().unwrap());
        }
        let mut inexact = 0;
        for (mesh, want) in model.meshes.iter().zip(want["meshes"].as_array().unwrap()) {
            let material = mesh.material.as_ref().map(Name::text);
            assert_eq!(material.as_deref(), want["material"].as_str());
            assert_eq!(mesh.vertices.len() as u64, want["vertex_count"].as_u64().unwrap());
            let triangles: Vec<_> = mesh.triangles().collect();
            let expected: Vec<[u32; 3]> = want["triangles"]
                .as_array()
                .unwrap()
                .iter()
                .map(|t| std::array::from_fn(|i| t[i].as_u64().unwrap() as u32))
                .collect();
            assert_eq!(triangles, expected, "{name}");
            for (i, uv) in mesh.uvs(form).enumerate() {
                assert_eq!(uv, floats(&want["uvs"][i]), "{name} uv {i}");
            }
            for (i, c) in mesh.colors().enumerate() {
                assert_eq!(c.map(f32::from), floats(&want["colors"][i]), "{name} color {i}");
            }
            let material = mesh.material_kind();
            for pose in want["poses"].as_array().unwrap() {
                let clip = pose["clip"].as_u64();
                let frame = pose["frame"].as_u64().unwrap_or(0) as f64;
                let motion = match clip {
                    Some(clip) => model.motion(clip as usize).unwrap(),
                    None => model.rest().unwrap(),
                };
                let bones = motion.pose(frame);
                let expected: Vec<[f32; 3]> =
                    pose["positions"].as_array().unwrap().iter().map(floats).collect();
                let extent = expected.iter().flatten().fold(0.0_f32, |m, c| m.max(c.abs()));
                for (i, v) in mesh.vertices.iter().enumerate() {
                    let (got, want) = (bones.position(*v), expected[i]);
                    let exact = got == want;
                    inexact += usize::from(!exact);
                    let near = got.iter().zip(want).all(|(a, b)| (a - b).abs() <= 1e-5 * extent);
                    assert!(if model.bones.is_empty() { exact } else { near }, "{name}: {got:?} {want:?}");
                    let (got, want) = (bones.normal(*v, material), floats::<3>(&pose["normals"][i]));
                    inexact += usize::from(got != want);
                    let near = got.iter().zip(want).all(|(a, b)| (a - b).abs() <= 1e-5);
                    assert!(
                        if model.bones.is_empty() { got == want } else { near },
                        "{name} normal {i}: {got:?} {want:?}"
                    );
                }
            }
        }
        println!("{name}: {inexact} values differ in the last bit");
    }
}

#[test]
fn broken_files_are_refused_as_stated() {
    let dir = corpus!();
    for case in json(dir.join("malformed/cases.json")).as_array().unwrap() {
        if case["format"] != "bmd" {
            continue;
        }
        let name = case["file"].as_str().unwrap();
        let bytes = fs::read(dir.join(name)).unwrap();
        let code = case["code"].as_str().unwrap();
        match (case["expect"].as_str().unwrap(), Bmd::parse(&bytes)) {
            ("reject", Err(e)) => assert_eq!(e.rule().native, code, "{name}: {e}"),
            ("warn", Ok(model)) => {
                let report = model.validate();
                assert!(report.has(code), "{name}: {:?}", report.findings());
                assert!(!report.has_errors());
                assert_eq!(model.to_bytes().unwrap(), bytes, "{name}");
            }
            ("accept", Ok(model)) => assert_eq!(model.to_bytes().unwrap(), bytes, "{name}"),
            (expect, found) => panic!("{name}: expected {expect} {code}, found {found:?}"),
        }
        // A lenient reader accepts everything that a strict one does.
        let lenient = Bmd::parse_with(&bytes, &ReadOptions::lenient());
        assert!(lenient.is_ok() || Bmd::parse(&bytes).is_err());
    }
}

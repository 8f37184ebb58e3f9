//! Tests real models of the corpus next to the project: reference dumps of independent readers, the engine's own
//! results, broken files.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "tests compare small numbers, and fail by a panic"
)]

use super::support::{dual_quaternion_pose, numbers, text};
use crate::support::{assert_near, extent};
use meshwright_core::{F32, ReadOptions};
use meshwright_dpm::{Affine64, Bone, Dpm, PoseId, Surface, Zym};
use meshwright_quake::FrameGroups;
use meshwright_testkit::{corpus, hex_diff};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Manifest entries of a format with their bytes, dump and companion.
fn entries(root: &Path, format: &str) -> Vec<(String, Vec<u8>, Value, Option<FrameGroups>)> {
    let manifest = json(&root.join("manifest.json"));
    let files = manifest.as_array().unwrap().iter().filter(|e| e["format"] == format);
    let found: Vec<_> = files
        .map(|e| {
            let file = e["file"].as_str().unwrap().to_owned();
            let bytes = fs::read(root.join(&file)).unwrap();
            let dump = json(&root.join(e["expected"].as_str().unwrap()));
            let groups = e["companions"].as_array().and_then(|c| c.first()).map(|c| {
                let text = fs::read(root.join(c.as_str().unwrap())).unwrap();
                let groups = FrameGroups::parse(&text).unwrap();
                assert_eq!(groups.to_bytes().unwrap(), text, "{file}: companion");
                groups
            });
            (file, bytes, dump, groups)
        })
        .collect();
    assert!(!found.is_empty());
    found
}

fn rows(v: &Value) -> Vec<[f64; 3]> {
    v.as_array().unwrap().iter().map(numbers).collect()
}

fn triangles(v: &Value) -> Vec<[u32; 3]> {
    let corner = |c: &Value| u32::try_from(c.as_u64().unwrap()).unwrap();
    let triangle = |t: &Value| std::array::from_fn(|i| corner(&t[i]));
    v.as_array().unwrap().iter().map(triangle).collect()
}

fn uvs(v: &Value) -> Vec<[f32; 2]> {
    v.as_array().unwrap().iter().map(|r| [0, 1].map(|i| r[i].as_f64().unwrap() as f32)).collect()
}

fn bones(dump: &Value) -> Vec<(String, i64)> {
    let bone = |b: &Value| (b["name"].as_str().unwrap().to_owned(), b["parent"].as_i64().unwrap());
    dump["bones"].as_array().unwrap().iter().map(bone).collect()
}

fn compare(name: &str, got: &Surface, pose: &Value, unreliable: &[u64]) {
    let positions = rows(&pose["positions"]);
    let tolerance = 1e-6 * extent(&positions) + 1e-6;
    assert_near(&format!("{name}: positions"), &got.positions, &positions, tolerance, &[]);
    assert_near(&format!("{name}: normals"), &got.normals, &rows(&pose["normals"]), 1e-5, unreliable);
}

#[test]
fn dpm_equals_the_reference_dumps_and_is_rewritten() {
    let root = corpus!();
    for (file, bytes, dump, _) in entries(&root, "dpm") {
        let model = Dpm::parse(&bytes).unwrap_or_else(|e| panic!("{file}: {e}"));
        let report = model.validate();
        assert!(!report.has_errors(), "{file}: {:?}", report.findings());
        let written = model.to_bytes().unwrap();
        assert!(written == bytes, "{file}: {}", hex_diff(&bytes, &written));
        let own: Vec<_> = model.bones.iter().map(|b| (text(b.name.bytes()), b.parent.into())).collect();
        assert_eq!(own, bones(&dump), "{file}");
        let meshes = dump["meshes"].as_array().unwrap();
        assert_eq!(meshes.len(), model.meshes.len(), "{file}");
        for (m, (mesh, expected)) in model.meshes.iter().zip(meshes).enumerate() {
            assert_eq!(text(mesh.shader.bytes()), expected["material"], "{file}");
            assert_eq!(*mesh.triangles, triangles(&expected["triangles"]), "{file}");
            let own: Vec<_> = mesh.texcoords.iter().map(|t| t.map(F32::get)).collect();
            assert_eq!(own, uvs(&expected["uvs"]), "{file}");
            let groupids: Vec<_> = mesh.groupids.iter().map(|&g| u64::from(g)).collect();
            let dumped = expected["native"]["groupids"].as_array().unwrap();
            assert_eq!(groupids, dumped.iter().map(|g| g.as_u64().unwrap()).collect::<Vec<_>>());
            for pose in expected["poses"].as_array().unwrap() {
                let frame = pose["file_frame"].as_u64().unwrap() as usize;
                let got = model.evaluate(m, frame).unwrap();
                compare(&format!("{file} mesh {m} frame {frame}"), &got, pose, &[]);
            }
        }
        let frames = dump["native"]["frames"].as_array().unwrap();
        let names: Vec<_> = model.frames.iter().map(|f| text(f.name.bytes())).collect();
        assert_eq!(names, frames.iter().map(|f| f["name"].as_str().unwrap()).collect::<Vec<_>>(), "{file}");
    }
}

#[test]
fn zym_equals_the_reference_dumps_and_is_rewritten() {
    let root = corpus!();
    for (file, bytes, dump, _) in entries(&root, "zym") {
        let model = Zym::parse(&bytes).unwrap_or_else(|e| panic!("{file}: {e}"));
        let report = model.validate();
        assert!(!report.has_errors(), "{file}: {:?}", report.findings());
        let written = model.to_bytes().unwrap();
        assert!(written == bytes, "{file}: {}", hex_diff(&bytes, &written));
        let own: Vec<_> = model.bones.iter().map(|b| (text(b.name.bytes()), b.parent.into())).collect();
        assert_eq!(own, bones(&dump), "{file}");
        let own: Vec<_> = model.scenes.iter().map(|s| (text(s.name.bytes()), s.length.into())).collect();
        let clip = |c: &Value| (c["name"].as_str().unwrap().to_owned(), c["frames"].as_u64().unwrap());
        assert_eq!(own, dump["clips"].as_array().unwrap().iter().map(clip).collect::<Vec<_>>(), "{file}");
        let unreliable: Vec<_> = dump["native"]["unreliable_normals"].as_array().unwrap().iter().collect();
        let unreliable: Vec<_> = unreliable.into_iter().map(|v| v.as_u64().unwrap()).collect();
        for (run, expected) in model.runs.iter().zip(dump["meshes"].as_array().unwrap()) {
            assert_eq!(text(run.shader.bytes()), expected["material"], "{file}");
            assert_eq!(run.triangles, triangles(&expected["triangles"]), "{file}");
            assert_eq!(model.vertex_count() as u64, expected["vertex_count"], "{file}");
            if let Some(expected) = expected["uvs"].as_array() {
                let own: Vec<_> = model.texcoords.iter().map(|t| [t[0].get(), 1.0 - t[1].get()]).collect();
                assert_eq!(own, uvs(&expected.clone().into()), "{file}");
            }
            for pose in expected["poses"].as_array().into_iter().flatten() {
                let frame = pose["file_frame"].as_u64().unwrap() as usize;
                let got = model.evaluate(frame).unwrap();
                compare(&format!("{file} frame {frame}"), &got, pose, &unreliable);
            }
        }
    }
}

#[test]
fn clips_equal_the_reference_dumps() {
    let root = corpus!();
    for (file, bytes, dump, groups) in entries(&root, "dpm") {
        let model = Dpm::parse(&bytes).unwrap();
        let clips = match &groups {
            Some(groups) => crate::support::clips(groups, model.frames.len()),
            None => model.clips_from_names(),
        };
        let own: Vec<_> =
            clips.iter().map(|c| (text(&c.name), u64::from(c.length), f64::from(c.fps))).collect();
        let clip = |c: &Value| {
            (
                c["name"].as_str().unwrap().to_owned(),
                c["frames"].as_u64().unwrap(),
                c["fps"].as_f64().unwrap(),
            )
        };
        assert_eq!(own, dump["clips"].as_array().unwrap().iter().map(clip).collect::<Vec<_>>(), "{file}");
        let own: Vec<_> = model
            .clips_from_names()
            .iter()
            .map(|c| (text(&c.name), c.start.into(), c.length.into()))
            .collect();
        let clip = |c: &Value| {
            (
                c["name"].as_str().unwrap().to_owned(),
                c["start"].as_u64().unwrap(),
                c["frames"].as_u64().unwrap(),
            )
        };
        let expected = dump["native"]["clips_by_frame_name"].as_array().unwrap();
        assert_eq!(own, expected.iter().map(clip).collect::<Vec<_>>(), "{file}");
    }
}

#[test]
fn broken_files_open_or_are_refused_as_their_cases_say() {
    let root = corpus!();
    let cases = json(&root.join("malformed/cases.json"));
    let mut seen = 0;
    for case in cases.as_array().unwrap().iter().filter(|c| c["format"] == "dpm" || c["format"] == "zym") {
        seen += 1;
        let file = case["file"].as_str().unwrap();
        let bytes = fs::read(root.join(file)).unwrap();
        let outcome = if file.ends_with(".zym") {
            Zym::parse(&bytes).map(|m| (m.validate(), m.to_bytes()))
        } else {
            Dpm::parse(&bytes).map(|m| (m.validate(), m.to_bytes()))
        };
        let (expect, code) = (case["expect"].as_str().unwrap(), case["code"].as_str().unwrap());
        match (expect, outcome) {
            ("reject", Err(e)) => {
                assert!(code.starts_with('?') || e.rule().native == code, "{file}: {code} expected, {e:?}");
                assert!(e.offset() <= bytes.len() as u64, "{file}: {e}");
            }
            ("warn", Ok((report, written))) => {
                assert!(!report.is_empty() && !report.has_errors(), "{file}: {:?}", report.findings());
                assert_eq!(written.unwrap(), bytes, "{file}");
            }
            ("accept", Ok((report, written))) => {
                assert!(!report.has_errors(), "{file}");
                assert_eq!(written.unwrap(), bytes, "{file}");
            }
            (expect, outcome) => panic!("{file}: {expect} expected, {outcome:?}"),
        }
        // A lenient reader ends as well.
        let _ = Dpm::parse_with(&bytes, &ReadOptions::lenient());
        let _ = Zym::parse_with(&bytes, &ReadOptions::lenient());
    }
    assert!(seen >= 45, "{seen} cases");
}

/// The engine keeps poses in 16-bit integers: a translation is off by up to one step per bone of the chain.
fn engine_tolerance(poses: impl Iterator<Item = f32>, parents: &[Option<usize>], extent: f64) -> f64 {
    let step = poses.fold(0.0_f32, |m, v| m.max(v.abs())) / 32767.0;
    let mut depths: Vec<f64> = Vec::new();
    for parent in parents {
        depths.push(1.0 + parent.map_or(0.0, |p| depths[p]));
    }
    let depth = depths.iter().fold(0.0_f64, |m, d| m.max(*d));
    depth * f64::from(step) + 2e-4 * extent
}

fn compare_with_engine(
    file: &str,
    results: &Value,
    parents: &[Option<usize>],
    floats: Vec<f32>,
    pose: impl Fn(usize) -> Vec<Affine64>,
    skin: impl Fn(&[Affine64]) -> Vec<[f32; 3]>,
) {
    let blends = results["blends"].as_array().unwrap();
    assert!(!blends.is_empty());
    for blend in blends {
        let spec = blend["spec"].as_str().unwrap();
        let parts: Vec<_> = spec.split(':').collect();
        let frame = |i: usize| parts[i].parse::<usize>().unwrap();
        let in_model = |locals: Vec<Affine64>| {
            let mut model: Vec<Affine64> = Vec::new();
            for (local, parent) in locals.iter().zip(parents) {
                model.push(parent.map_or(*local, |p| model[p].after(local)));
            }
            model
        };
        // Vertices follow blended local poses; tags are blends of two finished poses.
        let (a, mut tags) = (pose(frame(0)), in_model(pose(frame(0))));
        let mut model = tags.clone();
        if parts.len() == 3 {
            let (b, t) = (pose(frame(1)), parts[2].parse::<f64>().unwrap());
            model = in_model(dual_quaternion_pose(&a, &b, t));
            for (m, n) in tags.iter_mut().zip(in_model(b)) {
                let mix = |a, b| meshwright_core::math::lerp(a, b, t);
                *m = Affine64 { x: mix(m.x, n.x), y: mix(m.y, n.y), z: mix(m.z, n.z), w: mix(m.w, n.w) };
            }
        }
        let positions = rows(&blend["positions"]);
        let tolerance = engine_tolerance(floats.iter().copied(), parents, extent(&positions));
        assert_near(&format!("{file} {spec}: positions"), &skin(&model), &positions, tolerance, &[]);
        let expected = blend["tag_matrices"].as_array().unwrap();
        let expected: Vec<[f64; 3]> =
            expected.iter().map(|t| std::array::from_fn(|r| t[r][3].as_f64().unwrap())).collect();
        let own: Vec<_> = tags.iter().map(|m| m.w.map(|c| c as f32)).collect();
        assert_near(&format!("{file} {spec}: tags"), &own, &expected, tolerance, &[]);
    }
}

#[test]
fn dpm_agrees_with_the_engine() {
    let root = corpus!();
    for name in ["h_nex.dpm", "spiderbot.dpm"] {
        let model = Dpm::parse(&fs::read(root.join("dpm").join(name)).unwrap()).unwrap();
        let results = json(&root.join(format!("expected_engine/{name}.json")));
        let parents: Vec<_> = model.bones.iter().map(Bone::parent).collect();
        let floats = model.poses.iter().flat_map(|p| p.rows().into_iter().flatten()).collect();
        let pose = |f: usize| model.frame_pose(f).unwrap().iter().map(Affine64::from).collect();
        let skin = |m: &[Affine64]| {
            let mut surface = Surface::default();
            meshwright_dpm::skin(&model.meshes[0].vertices, m, &mut surface);
            surface.positions
        };
        compare_with_engine(name, &results, &parents, floats, pose, skin);
        // Concatenation in the crate is the one used here.
        let own = model.model_matrices(PoseId(0)).unwrap();
        assert_eq!(own.len(), parents.len());
    }
}

#[test]
fn zym_agrees_with_the_engine() {
    let root = corpus!();
    let name = "marine_lod2.zym";
    let model = Zym::parse(&fs::read(root.join("zym").join(name)).unwrap()).unwrap();
    let results = json(&root.join(format!("expected_engine/{name}.json")));
    let parents: Vec<_> = model.bones.iter().map(Bone::parent).collect();
    let floats = model.poses.iter().flat_map(|p| p.rows().into_iter().flatten()).collect();
    let pose = |f: usize| model.pose(f).unwrap().iter().map(Affine64::from).collect();
    let skin = |m: &[Affine64]| {
        let point = |i: &meshwright_dpm::ZymInfluence| {
            m[i.bone as usize].point(i.origin.map(|c| c.get().into())).map(|c| c as f32)
        };
        model.influences.iter().map(point).collect()
    };
    compare_with_engine(name, &results, &parents, floats, pose, skin);
}

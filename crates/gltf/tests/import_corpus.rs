//! What other tools write, as scenes: every vertex stands where an independent reader of glTF puts it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::cast_possible_truncation,
    reason = "tests"
)]

use meshwright_gltf::document::{Document, Options};
use meshwright_gltf::import::{EXTENSIONS, Import, ImportOptions, import};
use meshwright_rig::{Evaluator, world_transforms};
use meshwright_scene::{MeshId, Scene};
use serde_json::Value;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

fn corpus() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    dir.is_dir().then_some(dir)
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap()
}

fn read(path: &Path) -> Result<(Import, Vec<String>), String> {
    let bytes = std::fs::read(path).unwrap();
    let dir = path.parent().unwrap();
    let files = |name: &str| std::fs::read(dir.join(name)).ok().map(Cow::Owned);
    let options = Options::default().with_extensions(EXTENSIONS);
    let read =
        if path.extension().is_some_and(|e| e == "glb") { Document::from_glb } else { Document::from_json };
    let document = read(&bytes, &files, &options).map_err(|e| e.code().to_owned())?;
    let made = import(&document, &ImportOptions::named("model")).map_err(|e| e.code().to_owned())?;
    made.value.scene.validate().unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let warned = document.report().totals().map(|t| t.0.to_owned()).collect();
    Ok((made.value, warned))
}

/// All places where a primitive is drawn, in the pose of an animation.
fn drawn(import: &Import, pose: Option<(usize, f64)>, mesh: usize, primitive: usize) -> Vec<Vec<[f64; 3]>> {
    let scene: &Scene = &import.scene;
    let worlds = world_transforms(scene).unwrap();
    let mut found = Vec::new();
    for (n, node) in scene.nodes.iter().enumerate() {
        for &MeshId(m) in &node.meshes {
            let origin = import.origins[m];
            if (origin.mesh, origin.primitive) != (mesh, primitive) {
                continue;
            }
            let skin = scene.meshes[m].skin.as_ref();
            let mut evaluator = Evaluator::new(scene).unwrap();
            if let Some((animation, seconds)) = pose {
                let fits = |c: &usize| {
                    import.animations[*c] == animation
                        && skin.is_none_or(|s| scene.clips[*c].skeleton == s.skeleton)
                };
                if let Some(clip) = (0..scene.clips.len()).find(fits) {
                    evaluator.pose_seconds(clip, seconds).unwrap();
                }
            }
            let posed = evaluator.mesh(MeshId(m)).unwrap();
            let place = |p: &[f32; 3]| {
                let p = p.map(f64::from);
                if skin.is_some() { p } else { worlds[n].transform_point3(p.into()).to_array() }
            };
            found.push(posed.positions.iter().map(place).collect());
        }
    }
    found
}

fn compare(path: &Path, expected: &Value) -> Result<f64, String> {
    let (import, _) = read(path)?;
    let number = |v: &Value| v.as_f64().unwrap();
    let mut worst = 0.0_f64;
    for pose in expected["poses"].as_array().unwrap() {
        // Animated morph targets are a loss.
        let morphs = pose["clip"].as_u64().is_some_and(|clip| {
            expected["clips"][clip as usize]["paths"].as_array().unwrap().iter().any(|p| p == "weights")
        });
        if morphs {
            continue;
        }
        let at = pose["clip"].as_u64().map(|clip| (clip as usize, number(&pose["time"])));
        for instance in pose["instances"].as_array().unwrap() {
            let index = |name: &str| instance[name].as_u64().unwrap() as usize;
            let listed = expected["instances"].as_array().unwrap();
            let entry =
                listed.iter().find(|e| ["node", "mesh", "primitive"].iter().all(|k| e[*k] == instance[*k]));
            if entry.is_some_and(|e| e["mode"].as_u64().unwrap_or(4) < 4) {
                continue;
            }
            let corner = |v: &Value| [0, 1, 2].map(|i| number(&v[i]));
            let (low, high) = (corner(&instance["bbox"][0]), corner(&instance["bbox"][1]));
            let extent = low.iter().zip(&high).map(|(a, b)| b - a).fold(1e-3, f64::max);
            let wanted: Vec<[f64; 3]> =
                instance["positions"].as_array().unwrap().iter().map(corner).collect();
            let places: Vec<usize> =
                instance["at"].as_array().unwrap().iter().map(|v| v.as_u64().unwrap() as usize).collect();
            let away = |positions: &Vec<[f64; 3]>| {
                // The vertices of primitives that share their accessors are numbered anew: then the box says it all.
                if positions.len() as u64 != entry.map_or(0, |e| e["vertices"].as_u64().unwrap()) {
                    let mut away = 0.0_f64;
                    for i in 0..3 {
                        let least = positions.iter().map(|p| p[i]).fold(f64::INFINITY, f64::min);
                        let most = positions.iter().map(|p| p[i]).fold(f64::NEG_INFINITY, f64::max);
                        away = away.max((low[i] - least).max(most - high[i]));
                    }
                    return away;
                }
                let pairs = wanted.iter().zip(&places);
                pairs
                    .flat_map(|(w, v)| w.iter().zip(positions[*v]))
                    .fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()))
            };
            let found = drawn(&import, at, index("mesh"), index("primitive"));
            let best = found.iter().map(away).fold(f64::INFINITY, f64::min) / extent;
            if best > 1e-5 {
                return Err(format!("{at:?} {instance:.0?}: {best}"));
            }
            worst = worst.max(best);
        }
    }
    Ok(worst)
}

#[test]
fn samples_stand_where_they_should() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: samples_stand_where_they_should: no corpus beside the project");
        return;
    };
    let manifest = json(&corpus.join("manifest.json"));
    let (mut failures, mut count) = (Vec::new(), 0);
    for entry in manifest.as_array().unwrap().iter().filter(|e| e["format"] == "gltf") {
        let Some(expected) = entry["expected"].as_str() else { continue };
        let file = entry["file"].as_str().unwrap();
        // Nothing here decodes Draco; the message names it.
        if file.contains("raco") {
            assert_eq!(read(&corpus.join(file)).map(drop), Err("extension-required".to_owned()), "{file}");
            continue;
        }
        match compare(&corpus.join(file), &json(&corpus.join(expected))) {
            Ok(_) => count += 1,
            Err(e) => failures.push(format!("{file}: {}", &e[..e.len().min(300)])),
        }
    }
    assert!(failures.is_empty(), "{count} agree, {} do not:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 0);
}

#[test]
fn malformed_documents_get_their_codes() {
    let Some(corpus) = corpus() else {
        eprintln!("skipped: malformed_documents_get_their_codes: no corpus beside the project");
        return;
    };
    let cases = json(&corpus.join("malformed/cases.json"));
    let cases = cases.as_array().or_else(|| cases["cases"].as_array()).unwrap();
    let (mut failures, mut count) = (Vec::new(), 0);
    for case in cases.iter().filter(|c| c["format"] == "gltf") {
        let file = case["file"].as_str().unwrap();
        let code = case["code"].as_str().unwrap_or_default();
        let got = read(&corpus.join(file));
        let right = match (case["expect"].as_str().unwrap(), &got) {
            ("reject", Err(found)) => {
                let note = case["note"].as_str().unwrap_or_default();
                found == code || note.contains(&format!("or {found}:"))
            }
            ("warn", Ok((_, warned))) => warned.iter().any(|w| w == code),
            ("accept", Ok(_)) => true,
            _ => false,
        };
        count += 1;
        if !right {
            let got = got.map(|(_, warned)| warned);
            failures.push(format!("{file}: {} {code}, got {got:?}", case["expect"]));
        }
    }
    assert!(failures.is_empty(), "{} of {count}:\n{}", failures.len(), failures.join("\n"));
    assert!(count > 0);
}

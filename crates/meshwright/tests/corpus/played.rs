//! Applies the checks of `tests/played.rs` to the files of the corpus.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use crate::played::{MEMORY, check_drawing, check_kernels, extent, files_below};
use meshwright::rig::{Evaluator, Precision};
use meshwright::scene::{SceneOptions, Space};
use meshwright::{AnyModel, Format, Model, Opener};
use meshwright_testkit::corpus;
use serde_json::Value;
use std::fs;
use std::path::Path;

pub(super) fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Returns the entries of the corpus whose files have an extension that is read, with the models as they are opened.
pub(super) fn models(root: &Path) -> Vec<(Value, Result<Model, meshwright::Error>)> {
    let Value::Array(entries) = json(&root.join("manifest.json")) else { panic!("no list") };
    let files = entries.into_iter().filter(|e| Format::from_name(e["file"].as_str().unwrap()).is_some());
    files.map(|e| (e.clone(), Opener::new().open(root.join(e["file"].as_str().unwrap())))).collect()
}

#[test]
fn models_are_rewritten_and_play_alike() {
    let root = corpus!();
    let (mut drawn, mut figures) = (0, 0);
    for (entry, model) in models(&root) {
        let name = entry["file"].as_str().unwrap();
        let model = match model {
            Ok(model) => model,
            Err(e) => {
                // An extension that is required and not read is the only reason.
                assert!(e.to_string().contains("KHR_draco_mesh_compression"), "{name}: {e}");
                continue;
            }
        };
        assert!(!model.model().validate().has_errors(), "{name}");
        assert!(model.model().to_bytes().unwrap() == fs::read(root.join(name)).unwrap(), "{name}");
        match model.model() {
            AnyModel::Gltf(_) => check_kernels(name, &model.scene().unwrap().value),
            AnyModel::TsoAnimation(_) | AnyModel::TsoBinding(_) => {}
            AnyModel::TsoMesh(_) => {
                let is_part = |path: &Path| path.extension().is_some_and(|e| e == "skel" || e == "anim");
                let parts = files_below(root.join(name).parent().unwrap()).into_iter().filter(|p| is_part(p));
                let parts = parts.map(|path| Opener::new().open(path).unwrap());
                let figure = Model::figure([model].into_iter().chain(parts).collect()).unwrap();
                figures += usize::from(check_drawing(name, &figure));
            }
            _ => drawn += usize::from(check_drawing(name, &model)),
        }
    }
    assert!(drawn > 90 && figures > 10, "{drawn} models and {figures} figures");
}

/// The pose between two frames of the file that a reference lists, by the format's own blend.
#[test]
fn poses_between_frames_are_those_of_the_reference() {
    let root = corpus!();
    let mut seen = 0;
    for (entry, model) in models(&root) {
        let Some(expected) = entry["expected"].as_str().filter(|_| entry["format"] != "gltf") else {
            continue;
        };
        let lerp = json(&root.join(expected)).pointer("/native/lerp").cloned().unwrap_or_default();
        if !lerp.is_object() {
            continue;
        }
        let model = model.unwrap();
        let at = lerp["frame0"].as_f64().unwrap() + lerp["t"].as_f64().unwrap();
        let options = SceneOptions::in_space(Space::File).with_memory(MEMORY);
        let mut scene = model.scene_with(&options).unwrap().value;
        let file = scene.clips.len();
        scene.clips.extend(model.model().file_clip());
        let mut evaluator = Evaluator::new(&scene).unwrap().with_precision(Precision::Double);
        evaluator.pose(Some((file, at))).unwrap();
        let posed = evaluator.meshes().unwrap();
        let ours: Vec<_> = posed.iter().flat_map(|m| m.positions.as_flattened()).collect();
        let theirs: Vec<Vec<[f64; 3]>> = serde_json::from_value(lerp["matrix"].clone()).unwrap();
        let theirs: Vec<_> = theirs.iter().flat_map(|mesh| mesh.as_flattened()).collect();
        assert_eq!(ours.len(), theirs.len());
        let tolerance = 1e-6 * extent(posed.iter().flat_map(|m| &m.positions)) + 1e-6;
        for (a, b) in ours.into_iter().zip(theirs) {
            assert!((f64::from(*a) - b).abs() <= tolerance, "{}: {a} {b}", entry["file"]);
        }
        seen += 1;
    }
    assert!(seen > 5, "{seen}");
}

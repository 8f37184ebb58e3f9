//! `xtask witness validator [DIR]`: what is exported passes the Khronos validator without errors or warnings.

use crate::conformance;
use crate::json::{self, text};
use crate::loaded_model::Loaded;
use lexopt::{Arg, Parser};
use meshwright::gltf::{self, ExportOptions, Influences};
use meshwright::scene::{ConvertError, SceneOptions};
use meshwright::{AnyModel, Companions, ReadOptions, detect};
use meshwright_testkit::corpus;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::{fixtures, sh};

/// The script that calls the validator.
const SCRIPT: &str = include_str!("validator.mjs");

pub(crate) fn run(root: &Path, mut words: Parser) -> Result<(), String> {
    let mut dir = None;
    while let Some(word) = words.next().map_err(|e| e.to_string())? {
        match word {
            Arg::Value(word) if dir.is_none() => dir = Some(PathBuf::from(word)),
            other => return Err(other.unexpected().to_string()),
        }
    }
    let Some(modules) = sh::node_modules(root, "gltf-validator") else {
        return sh::skipped("node or the validator's package is not here");
    };
    let out = root.join("target/glb");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir_all(&out).map_err(|e| e.to_string())?;
    let mut written = Vec::new();
    for loaded in models(root, dir)? {
        for (suffix, influences) in [("4", Influences::Four), ("all", Influences::All)] {
            let name = format!("{}.{suffix}.glb", loaded.name.replace(['/', '\\'], "_"));
            if loaded
                .model
                .to_scene("", &loaded.companions, &SceneOptions::default())
                .is_err_and(|e| matches!(e, ConvertError::Unsupported { .. }))
            {
                continue;
            }
            let (scene, _) = conformance::scene(&loaded).map_err(|e| format!("{}: {e}", loaded.name))?;
            let options = ExportOptions::default().with_influences(influences);
            let exported = gltf::export(&scene, &options).map_err(|e| format!("{name}: {e}"))?;
            let path = out.join(name);
            fs::write(&path, exported.value.to_glb()).map_err(|e| e.to_string())?;
            written.push(path);
        }
    }
    let mut bad = Vec::new();
    for batch in written.chunks(40) {
        let result = sh::output(
            Command::new("node")
                .env("NODE_MODULES", &modules)
                .args(["--input-type=module", "--eval", SCRIPT, "--"])
                .args(batch),
        );
        if let Err(e) = result {
            bad.push(e);
        }
    }
    println!("{} GLBs validated", written.len());
    if bad.is_empty() { Ok(()) } else { Err(bad.join("\n")) }
}

/// Returns every fixture that opens, and every model of the corpus.
fn models(root: &Path, dir: Option<PathBuf>) -> Result<Vec<Loaded>, String> {
    let mut models = Vec::new();
    if let Some(corpus) = dir.or_else(corpus)
        && corpus.join("manifest.json").is_file()
    {
        for entry in json::list(&corpus.join("manifest.json"))? {
            let name = text(&entry, "file");
            if !conformance::known(&corpus.join(&name)) {
                continue;
            }
            let loaded = match conformance::load(&corpus, &entry) {
                Ok((loaded, _)) => loaded,
                // A document that needs an unsupported extension is rejected with the name of the extension.
                Err(e) if ["extension-required", "extensionsRequired["].iter().any(|at| e.contains(at)) => {
                    continue;
                }
                Err(e) => return Err(format!("{name}: {e}")),
            };
            match &loaded.model {
                AnyModel::TsoAnimation(_) => {}
                AnyModel::TsoMesh(_) => models.push(conformance::figure(&corpus, loaded)?),
                _ => models.push(loaded),
            }
        }
    }
    for path in fixtures::walk(&root.join("testdata")).map_err(|e| e.to_string())? {
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
        if !(name.contains(".ok.") || name.contains(".warn.")) {
            continue;
        }
        let bytes = fs::read(&path).map_err(|e| e.to_string())?;
        let Some(found) = detect(&bytes, Some(&name)) else { continue };
        let model = AnyModel::parse(&bytes, found.format, &ReadOptions::default())
            .map_err(|e| format!("{name}: {e}"))?
            .model;
        models.push(Loaded { name, model, companions: Companions::default() });
    }
    Ok(models)
}

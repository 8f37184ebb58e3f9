//! Converts a model of any format to GLB, in memory: `cargo run -p meshwright --example to_glb -- MODEL [OUT.glb]`.
//!
//! Without arguments it converts the small model next to this program.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example")]

use meshwright::gltf::{ExportOptions, export};
use meshwright::scene::SceneOptions;
use meshwright::{AnyModel, Companions};
use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = env::args_os().skip(1).map(PathBuf::from);
    let (path, file) = match args.next() {
        Some(path) => (path.clone(), fs::read(path)?),
        None => ("quad.dpm".into(), include_bytes!("data/dpm/quad.dpm").to_vec()),
    };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let glb = to_glb(&file, &name)?;
    println!("{name}: {} bytes, as GLB {}", file.len(), glb.len());
    if let Some(out) = args.next() {
        fs::write(out, glb)?;
    }
    Ok(())
}

/// Converts the model without companion files; `Model` finds those next to a file.
fn to_glb(file: &[u8], name: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let model = AnyModel::open(file, name)?;
    let scene = model.to_scene(name, &Companions::default(), &SceneOptions::default())?;
    let gltf = export(&scene.value, &ExportOptions::default())?;
    for loss in scene.losses.iter().chain(&gltf.losses) {
        eprintln!("{name}: {loss}");
    }
    Ok(gltf.value.into_glb())
}

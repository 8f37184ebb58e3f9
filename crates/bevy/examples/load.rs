//! Loads models into an app without a window, one after the other, and says what is there: `load PATH...`. A path is a file, one
//! in a pack, or a pack or folder with all that is in it.

use bevy_animation::AnimationPlugin;
use bevy_app::prelude::*;
use bevy_asset::prelude::*;
use bevy_asset::{AssetPath, LoadState};
use bevy_image::ImagePlugin;
use bevy_mesh::{Mesh, MeshPlugin};
use bevy_time::TimePlugin;
use bevy_world_serialization::WorldSerializationPlugin;
use meshwright_bevy::meshwright::files::{FilesError, Tree, TreePath};
use meshwright_bevy::meshwright::{Finder, Limits};
use meshwright_bevy::{MeshwrightPlugin, Model, tree_source};
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

fn main() -> ExitCode {
    let mut paths: Vec<_> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    if paths.is_empty() {
        paths.push(concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/dpm/hopper.ok.dpm").into());
    }
    let mut app = App::new();
    let (mut all, mut loaded, mut failed) = (Vec::new(), 0, 0);
    for (i, path) in paths.iter().enumerate() {
        match find_models(path) {
            Ok((tree, files)) => {
                let source = format!("game{i}");
                app.register_asset_source(source.clone(), tree_source(tree));
                all.extend(files.into_iter().map(|file| (source.clone(), file)));
            }
            Err(e) => {
                eprintln!("{}: {e}", path.display());
                failed += 1;
            }
        }
    }
    let plugins = (TaskPoolPlugin::default(), TimePlugin, AssetPlugin::default(), ImagePlugin::default());
    app.add_plugins((plugins, MeshPlugin, WorldSerializationPlugin, AnimationPlugin, MeshwrightPlugin));
    app.finish();
    app.cleanup();
    for (source, file) in all {
        // Not from a text: there a `#` in a name would begin a label.
        let asset =
            |file: TreePath| AssetPath::from_path_buf(PathBuf::from(&*file.text())).with_source(source);
        match file.map_err(Into::into).and_then(|file| load(&mut app, asset(file))) {
            Ok(()) => loaded += 1,
            Err(e) => {
                eprintln!("{e}");
                failed += 1;
            }
        }
        // Dropped assets are freed.
        app.update();
    }
    if loaded + failed > 1 {
        println!("{loaded} loaded, {failed} failed");
    }
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Returns the tree around a path, and the models that it names; in their place what cannot be looked into.
fn find_models(path: &Path) -> Result<(Tree, Vec<Result<TreePath, FilesError>>), FilesError> {
    let tree = Tree::open(path)?;
    if let Some(file) = tree.start().cloned() {
        return Ok((tree, vec![Ok(file)]));
    }
    let finder = Finder::new(tree.clone());
    // Unreadable files report an error when they are loaded.
    let is_model = |file: &TreePath| {
        let kind = finder.detect_met(file, Limits::default());
        kind.map_or(true, |kind| kind.is_some_and(|kind| kind.format.holds_model()))
    };
    let files = tree.walk().files.into_iter().map(|file| file.map_err(|(_, e)| e));
    let files = files.filter(|file| file.as_ref().map_or(true, is_model)).collect();
    Ok((tree, files))
}

fn load(app: &mut App, path: AssetPath<'static>) -> Result<(), Box<dyn Error>> {
    let server = app.world().resource::<AssetServer>().clone();
    let begun = Instant::now();
    let handle: Handle<Model> = server.load(path.clone());
    while !server.is_loaded_with_dependencies(&handle) {
        app.update();
        if let Some(LoadState::Failed(e)) = server.get_load_state(&handle) {
            return Err(e.to_string().into());
        }
        std::thread::sleep(Duration::from_micros(100));
    }
    let took = begun.elapsed();
    let world = app.world();
    let model = world.resource::<Assets<Model>>().get(&handle).ok_or("there is no model")?;
    let vertices: usize =
        world.resource::<Assets<Mesh>>().iter().map(|(_, mesh)| mesh.count_vertices()).sum();
    println!("{path}: {}, {vertices} vertices in {:.1} ms", model.format, took.as_secs_f64() * 1e3);
    for clip in &model.clips {
        let loops = if clip.looping { ", loops" } else { "" };
        println!("  {}: {} frames, {:.2} s{loops}", clip.name, clip.frames, clip.seconds);
    }
    for part in &model.parts {
        println!("  {part}");
    }
    for loss in &model.losses {
        println!("  {loss}");
    }
    Ok(())
}

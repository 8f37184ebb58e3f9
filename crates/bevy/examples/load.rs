//! Loads a model into an app without a window and says what is there: `load FILE`, a pack being a folder.

use bevy_animation::AnimationPlugin;
use bevy_app::prelude::*;
use bevy_asset::LoadState;
use bevy_asset::prelude::*;
use bevy_image::ImagePlugin;
use bevy_mesh::{Mesh, MeshPlugin};
use bevy_time::TimePlugin;
use bevy_world_serialization::WorldSerializationPlugin;
use meshwright_bevy::meshwright::files::Tree;
use meshwright_bevy::{MeshwrightPlugin, Model, tree_source};
use std::error::Error;
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn main() -> Result<(), Box<dyn Error>> {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../testdata/dpm/hopper.ok.dpm");
    let file = std::env::args_os().nth(1).map_or_else(|| PathBuf::from(example), PathBuf::from);
    let tree = Tree::open(&file)?;
    let path = tree.start().map(ToString::to_string).ok_or("this is a folder")?;
    let mut app = App::new();
    app.register_asset_source("game", tree_source(tree));
    let plugins = (TaskPoolPlugin::default(), TimePlugin, AssetPlugin::default(), ImagePlugin::default());
    app.add_plugins((plugins, MeshPlugin, WorldSerializationPlugin, AnimationPlugin, MeshwrightPlugin));
    app.finish();
    app.cleanup();
    let server = app.world().resource::<AssetServer>().clone();
    let begun = Instant::now();
    let handle: Handle<Model> = server.load(format!("game://{path}"));
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
    println!("{}: {vertices} vertices in {:.1} ms", model.format, took.as_secs_f64() * 1e3);
    for clip in &model.clips {
        let loops = if clip.looping { ", loops" } else { "" };
        println!("{}: {} frames, {:.2} s{loops}", clip.name, clip.frames, clip.seconds);
    }
    for part in &model.parts {
        println!("{part}");
    }
    for loss in &model.losses {
        println!("{loss}");
    }
    Ok(())
}

//! Tests of what a program does with a loaded model: clips by name, the scale, handles of another type.

use crate::app::{app, load, load_with, model, root};
use bevy_animation::prelude::*;
use bevy_asset::prelude::*;
use bevy_asset::{AssetLoadError, LoadState};
use bevy_gltf::Gltf;
use bevy_mesh::{Mesh, VertexAttributeValues};
use meshwright_bevy::meshwright::Target;
use meshwright_bevy::meshwright::files::Tree;
use meshwright_bevy::{ModelError, tree_source};
use std::time::{Duration, Instant};

const HOPPER: &str = "testdata/dpm/hopper.ok.dpm";

#[test]
fn clips_start_by_name_or_number() {
    let mut app = app(&root(), |_| {});
    let handle = load(&mut app, HOPPER).unwrap();
    let model = model(&app, &handle);
    for (name, number) in [("idle", 0), ("hop", 1), ("0", 0), ("1", 1)] {
        let mut player = AnimationPlayer::default();
        assert!(model.start(name, &mut player).is_some(), "{name}");
        let playing: Vec<_> = player.playing_animations().map(|(node, _)| *node).collect();
        assert_eq!(playing, [model.clips[number].node], "{name}");
    }
    let mut player = AnimationPlayer::default();
    assert!(model.start("2", &mut player).is_none() && model.start("none", &mut player).is_none());
}

/// The largest coordinate of the meshes.
fn extent(app: &bevy_app::App) -> f32 {
    let meshes = app.world().resource::<Assets<Mesh>>();
    let positions = meshes.iter().filter_map(|(_, mesh)| match mesh.attribute(Mesh::ATTRIBUTE_POSITION) {
        Some(VertexAttributeValues::Float32x3(all)) => Some(all.clone()),
        _ => None,
    });
    positions.flatten().flatten().fold(0.0, |most, coordinate| most.max(coordinate.abs()))
}

#[test]
fn lengths_are_multiplied() {
    let sizes = [None, Some(0.0254)].map(|scale| {
        let mut app = app(&root(), |_| {});
        let handle = load_with(&mut app, HOPPER, move |settings| settings.scale = scale).unwrap();
        let size = extent(&app);
        drop(handle);
        size
    });
    assert!(sizes[0] > 1.0 && (sizes[1] / sizes[0] - 0.0254).abs() < 1e-5, "{sizes:?}");
    let mut app = app(&root(), |_| {});
    let refused = load_with(&mut app, HOPPER, |settings| settings.scale = Some(-1.0)).unwrap_err();
    let AssetLoadError::AssetLoaderError(error) = refused else { panic!("{refused}") };
    assert_eq!(error.error().downcast_ref::<ModelError>().unwrap().code(), "settings");
}

#[test]
fn a_handle_of_a_gltf_says_what_to_load() {
    let mut app = app(&root(), |_| {});
    let server = app.world().resource::<AssetServer>().clone();
    let wrong: Handle<Gltf> = server.load(HOPPER);
    let begun = Instant::now();
    let error = loop {
        app.update();
        if let Some(LoadState::Failed(error)) = server.get_load_state(&wrong) {
            break error;
        }
        assert!(begun.elapsed() < Duration::from_secs(120));
    };
    assert!(error.to_string().contains("Handle<meshwright_bevy::Model>"), "{error}");
    // A document is still a Gltf.
    let glb = meshwright_bevy::meshwright::open(root().join(HOPPER)).unwrap();
    let files = glb.convert(Target::Glb).unwrap().into_files();
    let bytes = files.main().unwrap().bytes.clone();
    let tree = Tree::memory([("own.glb", bytes)]).unwrap();
    let mut app = crate::app::app(&root(), |app| {
        app.register_asset_source("game", tree_source(tree));
    });
    let server = app.world().resource::<AssetServer>().clone();
    let right: Handle<Gltf> = server.load("game://own.glb");
    let begun = Instant::now();
    while !server.is_loaded_with_dependencies(&right) {
        app.update();
        assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", server.get_load_state(&right));
    }
}

//! An app that loads models.

use bevy_animation::prelude::*;
use bevy_animation::{AnimatedBy, AnimationTargetId};
use bevy_app::prelude::*;
use bevy_asset::prelude::*;
use bevy_asset::{AssetLoadError, AssetPath, LoadState};
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::*;
use bevy_ecs::prelude::*;
use bevy_gltf::*;
use bevy_image::ImagePlugin;
use bevy_mesh::skinning::SkinnedMesh;
use bevy_mesh::{Mesh3d, MeshPlugin};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::TransformTreeChanged;
use bevy_transform::prelude::*;
use bevy_world_serialization::WorldSerializationPlugin;
use meshwright_bevy::{MeshwrightPlugin, Model, ModelSettings};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// Returns an app whose assets lie in a folder; `before` adds other sources.
pub fn app(folder: &Path, before: impl FnOnce(&mut App)) -> App {
    let mut app = App::new();
    before(&mut app);
    let assets = AssetPlugin {
        file_path: folder.to_str().unwrap().into(),
        watch_for_changes_override: Some(true),
        ..AssetPlugin::default()
    };
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        TransformPlugin,
        assets,
        ImagePlugin::default(),
        MeshPlugin,
        WorldSerializationPlugin,
        AnimationPlugin,
        MeshwrightPlugin,
    ));
    register(&mut app);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    app.finish();
    app.cleanup();
    app
}

/// The components of scenes, which an app with Bevy's default features registers by itself.
fn register(app: &mut App) {
    app.register_type::<Name>().register_type::<ChildOf>().register_type::<Children>();
    app.register_type::<Transform>()
        .register_type::<GlobalTransform>()
        .register_type::<TransformTreeChanged>();
    app.register_type::<Visibility>()
        .register_type::<InheritedVisibility>()
        .register_type::<ViewVisibility>();
    app.register_type::<VisibilityClass>()
        .register_type::<Aabb>()
        .register_type::<DynamicSkinnedMeshBounds>();
    app.register_type::<Mesh3d>().register_type::<SkinnedMesh>();
    app.register_type::<AnimationPlayer>().register_type::<AnimatedBy>().register_type::<AnimationTargetId>();
    app.register_type::<GltfExtras>().register_type::<GltfSceneExtras>().register_type::<GltfSceneName>();
    app.register_type::<GltfMeshExtras>().register_type::<GltfMeshName>();
    app.register_type::<GltfMaterialExtras>().register_type::<GltfMaterialName>();
}

/// Waits for a model and its dependencies.
pub fn wait(app: &mut App, handle: &Handle<Model>) -> Result<(), AssetLoadError> {
    let begun = Instant::now();
    loop {
        app.update();
        let server = app.world().resource::<AssetServer>();
        if let Some(LoadState::Failed(e)) = server.get_load_state(handle) {
            return Err((*e).clone());
        }
        if server.is_loaded_with_dependencies(handle) {
            return Ok(());
        }
        assert!(
            begun.elapsed() < Duration::from_secs(120),
            "it takes for ever: {:?}",
            server.get_load_states(handle)
        );
        std::thread::sleep(Duration::from_micros(200));
    }
}

pub fn load_with(
    app: &mut App,
    path: &str,
    settings: impl Fn(&mut ModelSettings) + Send + Sync + 'static,
) -> Result<Handle<Model>, AssetLoadError> {
    load_at(app, AssetPath::parse(path).into_owned(), settings)
}

/// Loads a path that need not be text, so that it can have any name.
pub fn load_at(
    app: &mut App,
    path: AssetPath<'static>,
    settings: impl Fn(&mut ModelSettings) + Send + Sync + 'static,
) -> Result<Handle<Model>, AssetLoadError> {
    // Dropped assets are forgotten: a loaded path has its settings already.
    app.update();
    let server = app.world().resource::<AssetServer>().clone();
    let handle = server.load_builder().with_settings(settings).load::<Model>(path);
    wait(app, &handle)?;
    Ok(handle)
}

pub fn load(app: &mut App, path: &str) -> Result<Handle<Model>, AssetLoadError> {
    load_with(app, path, |_| {})
}

pub fn model<'a>(app: &'a App, handle: &Handle<Model>) -> &'a Model {
    app.world().resource::<Assets<Model>>().get(handle).unwrap()
}

pub fn materials(app: &App) -> &Assets<GltfMaterial> {
    app.world().resource()
}

/// Returns all fixtures.
pub fn fixtures() -> Vec<PathBuf> {
    files_below(&root().join("testdata"))
}

pub fn files_below(top: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|e| e != "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty());
    found
}

/// Returns a path as assets below the project's top have it.
pub fn asset_path(path: &Path) -> String {
    path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/")
}

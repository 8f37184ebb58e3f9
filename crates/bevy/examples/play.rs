//! Plays a model in a window: `play FILE [CLIP]`, a pack being a folder. The camera goes round it; the space bar goes to the next
//! clip.

use bevy::asset::AssetPath;
use bevy::prelude::*;
use meshwright_bevy::meshwright::files::Tree;
use meshwright_bevy::{MeshwrightPlugin, Model, tree_source};
use std::error::Error;
use std::path::PathBuf;

#[derive(Resource)]
struct Shown {
    model: Handle<Model>,
    clip: usize,
    /// Middle and size, once it is there.
    placed: Option<(Vec3, f32)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args_os().skip(1);
    let file = words.next().map(PathBuf::from).ok_or("usage: play FILE [CLIP]")?;
    let clip = words.next().and_then(|n| n.to_str()?.parse().ok()).unwrap_or(0);
    // The folders and packs around the file, as the engine has them.
    let tree = Tree::open(&file)?;
    let path = tree.start().map(|path| path.text().into_owned()).ok_or("this is a folder")?;
    let mut app = App::new();
    app.register_asset_source("game", tree_source(tree));
    app.add_plugins((DefaultPlugins, MeshwrightPlugin));
    let path = AssetPath::from_path_buf(path.into()).with_source("game");
    let model = app.world().resource::<AssetServer>().load(path);
    app.insert_resource(Shown { model, clip, placed: None });
    app.insert_resource(ClearColor(Color::srgb(0.16, 0.17, 0.19)));
    app.add_systems(Startup, light);
    app.add_systems(Update, (show, start, next, orbit, failed));
    app.run();
    Ok(())
}

fn light(mut commands: Commands) {
    commands.spawn((
        Camera3d::default(),
        Transform::default(),
        AmbientLight { brightness: 400.0, ..default() },
    ));
    let from = Transform::from_xyz(2.0, 4.0, 3.0).looking_at(Vec3::ZERO, Vec3::Y);
    commands.spawn((DirectionalLight { illuminance: 6000.0, ..default() }, from));
}

/// Puts the finest level into the world when the model is there.
fn show(
    mut commands: Commands,
    mut events: MessageReader<AssetEvent<Model>>,
    shown: Res<Shown>,
    models: Res<Assets<Model>>,
    scenes: Query<Entity, With<WorldAssetRoot>>,
) {
    for event in events.read() {
        if !event.is_loaded_with_dependencies(&shown.model) {
            continue;
        }
        let Some(model) = models.get(&shown.model) else { continue };
        scenes.iter().for_each(|entity| commands.entity(entity).despawn());
        if let Some(scene) = model.gltf.scenes.first() {
            commands.spawn(WorldAssetRoot(scene.clone()));
        }
        for clip in &model.clips {
            println!(
                "{}: {} frames, {:.2} s{}",
                clip.name,
                clip.frames,
                clip.seconds,
                if clip.looping { ", loops" } else { "" }
            );
        }
        for loss in &model.losses {
            println!("{loss}");
        }
    }
}

/// Every player that appears plays the clip.
fn start(
    mut commands: Commands,
    shown: Res<Shown>,
    models: Res<Assets<Model>>,
    mut players: Query<(Entity, &mut AnimationPlayer), Added<AnimationPlayer>>,
) {
    let Some(model) = models.get(&shown.model) else { return };
    for (entity, mut player) in &mut players {
        commands.entity(entity).insert(AnimationGraphHandle(model.graph.clone()));
        model.start(&shown.clip.to_string(), &mut player);
    }
}

fn next(
    keys: Res<ButtonInput<KeyCode>>,
    mut shown: ResMut<Shown>,
    models: Res<Assets<Model>>,
    mut players: Query<&mut AnimationPlayer>,
) {
    if !keys.just_pressed(KeyCode::Space) {
        return;
    }
    let Some(model) = models.get(&shown.model) else { return };
    shown.clip = shown.clip.wrapping_add(1).checked_rem(model.clips.len()).unwrap_or(0);
    for mut player in &mut players {
        model.start(&shown.clip.to_string(), &mut player);
    }
}

/// The camera goes round the middle of what is drawn.
fn orbit(
    time: Res<Time>,
    mut shown: ResMut<Shown>,
    boxes: Query<(&bevy::camera::primitives::Aabb, &GlobalTransform)>,
    mut camera: Query<&mut Transform, With<Camera3d>>,
) {
    if shown.placed.is_none() && !boxes.is_empty() {
        let (mut low, mut high) = (Vec3::MAX, Vec3::MIN);
        for (bounds, place) in &boxes {
            for corner in [bounds.min(), bounds.max()] {
                let corner = place.transform_point(corner.into());
                (low, high) = (low.min(corner), high.max(corner));
            }
        }
        shown.placed = Some(((low + high) / 2.0, (high - low).length().max(1e-3)));
    }
    let Some((middle, size)) = shown.placed else { return };
    let angle = time.elapsed_secs() * 0.5;
    let from = middle + Vec3::new(angle.sin(), 0.35, angle.cos()) * size * 1.3;
    for mut camera in &mut camera {
        *camera = Transform::from_translation(from).looking_at(middle, Vec3::Y);
    }
}

/// A model that cannot be loaded ends the program; Bevy's log has the reason.
fn failed(
    mut failures: MessageReader<bevy::asset::AssetLoadFailedEvent<Model>>,
    mut exit: MessageWriter<AppExit>,
) {
    if failures.read().count() > 0 {
        exit.write(AppExit::error());
    }
}

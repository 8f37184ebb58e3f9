//! Tests the search for companion files of a model.

use crate::app::{app, load, load_with, materials, model, root};
use bevy_app::App;
use bevy_asset::io::memory::{Dir, MemoryAssetReader};
use bevy_asset::io::{
    AssetReader, AssetReaderError, AssetSourceBuilder, AssetSourceEvent, AssetWatcher, PathStream, Reader,
};
use bevy_asset::prelude::*;
use bevy_image::Image;
use meshwright_bevy::meshwright::files::Tree;
use meshwright_bevy::meshwright::{Opener, PartRole, Target};
use meshwright_bevy::{Model, tree_source};
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Returns the parts that the facade finds on disk.
fn native_parts(path: &Path) -> Vec<(PartRole, String)> {
    let asset = Opener::new().textures(true).open(path).unwrap();
    let mut parts: Vec<_> = asset.parts().iter().map(|p| (p.role, p.name.clone())).collect();
    parts.sort();
    parts.dedup();
    parts
}

fn parts(model: &Model) -> Vec<(PartRole, String)> {
    let mut parts: Vec<_> = model.parts.iter().map(|p| (p.role, p.name.clone())).collect();
    parts.sort();
    parts
}

#[test]
fn what_belongs_to_a_model_is_found_as_on_disk() {
    let mut app = app(&root(), |_| {});
    let mut with_more = 0;
    for path in crate::app::fixtures() {
        let options = Opener::new().textures(true);
        let opened = options.open(&path);
        if opened.is_err_and(|_| true) {
            continue;
        }
        let name = crate::app::asset_path(&path);
        let Ok(handle) = load(&mut app, &name) else { continue };
        let (found, wanted) = (parts(model(&app, &handle)), native_parts(&path));
        assert_eq!(found, wanted, "{name}");
        with_more += usize::from(found.len() > 1);
    }
    assert!(with_more >= 5, "{with_more}");
}

/// A file in memory that knows no folders, as over the network.
struct Unlisted(MemoryAssetReader);

impl AssetReader for Unlisted {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.0.read(path).await
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.0.read_meta(path).await
    }

    async fn read_directory<'a>(&'a self, path: &'a Path) -> Result<Box<PathStream>, AssetReaderError> {
        Err(AssetReaderError::NotFound(path.to_owned()))
    }

    async fn is_directory<'a>(&'a self, _: &'a Path) -> Result<bool, AssetReaderError> {
        Ok(false)
    }
}

/// Returns the made-up game of testdata as a folder in memory.
fn game() -> Dir {
    let dir = Dir::new("".into());
    let tree = Tree::open(root().join("testdata/game/base")).unwrap();
    let budget = || meshwright_bevy::meshwright::Budget::new(Default::default());
    for file in tree.walk().files {
        let file = file.unwrap();
        dir.insert_asset(Path::new(&*file.text()), tree.read(&file, &budget()).unwrap().into_owned());
    }
    dir
}

/// Returns a model of the game that has pictures.
fn dressed() -> (String, Vec<(PartRole, String)>) {
    let tree = Tree::open(root().join("testdata/game/base")).unwrap();
    let options = Opener::new().textures(true);
    for file in tree.walk().files {
        let file = file.unwrap();
        let Ok(asset) = options.open_in(&tree, &*file.text()) else { continue };
        let has = |p: &meshwright_bevy::meshwright::Part| p.role == PartRole::Texture && p.took_part();
        if asset.parts().iter().any(has) && asset.scene_with(&Target::Glb.scene_options()).is_ok() {
            let mut parts: Vec<_> = asset.parts().iter().map(|p| (p.role, p.name.clone())).collect();
            parts.sort();
            parts.dedup();
            return (file.text().into_owned(), parts);
        }
    }
    panic!("no model has a picture")
}

/// Returns the materials of a model whose picture is decoded.
fn pictures(app: &App, model: &Model) -> usize {
    let images = app.world().resource::<Assets<Image>>();
    let material = |handle| materials(app).get(handle)?.base_color_texture.as_ref();
    model.gltf.materials.iter().filter_map(material).filter(|image| images.get(*image).is_some()).count()
}

#[test]
fn a_model_in_a_pack_has_its_pictures() {
    let (path, wanted) = dressed();
    let mut app = app(&root(), |app| {
        let tree = Tree::open(root().join("testdata/game/base")).unwrap();
        app.register_asset_source("game", tree_source(tree));
        let dir = game();
        let memory = dir.clone();
        let reader = move || MemoryAssetReader { root: memory.clone() };
        app.register_asset_source("memory", AssetSourceBuilder::new(move || Box::new(reader())));
        let reader = move || Unlisted(MemoryAssetReader { root: dir.clone() });
        app.register_asset_source("net", AssetSourceBuilder::new(move || Box::new(reader())));
    });
    for source in ["game", "memory", "net"] {
        let handle = load(&mut app, &format!("{source}://{path}")).unwrap();
        assert!(pictures(&app, model(&app, &handle)) > 0, "{source}: {:?}", model(&app, &handle).losses);
        // Which pictures shader scripts name, only a source says that lists its folders.
        let by_script = |name: &str| source == "net" && name.ends_with("eye.tga");
        let wanted: Vec<_> = wanted.iter().filter(|(_, name)| !by_script(name)).cloned().collect();
        assert_eq!(parts(model(&app, &handle)), wanted, "{source}");
        drop(handle);
        app.update();
    }
}

#[test]
fn labels_are_those_of_gltf() {
    let mut app = app(&root(), |_| {});
    let server = app.world().resource::<AssetServer>().clone();
    let path = "testdata/dpm/hopper.ok.dpm";
    let scene = server.load::<bevy_world_serialization::WorldAsset>(format!("{path}#Scene0"));
    let mesh = server.load::<bevy_mesh::Mesh>(format!("{path}#Mesh0/Primitive0"));
    let clip = server.load::<bevy_animation::AnimationClip>(format!("{path}#Animation0"));
    let handle = load(&mut app, path).unwrap();
    let found = model(&app, &handle);
    assert_eq!(found.gltf.scenes[0], scene);
    assert_eq!(found.clips[0].animation, clip);
    assert!(server.is_loaded(&scene) && server.is_loaded(&mesh) && server.is_loaded(&clip));
    let glb = load(&mut app, "testdata/gltf/arm.ok.glb");
    assert!(glb.is_err() || model(&app, &glb.unwrap()).format.id() == "gltf");
}

/// A watcher that is told what to say.
struct Told;

impl AssetWatcher for Told {}

#[test]
fn a_changed_companion_loads_the_model_anew() {
    let dir = Dir::new("".into());
    let put = |name: &str, bytes: &[u8]| dir.insert_asset(Path::new(name), bytes.to_vec());
    put("h.dpm", &std::fs::read(root().join("testdata/dpm/hopper.ok.dpm")).unwrap());
    put("h.dpm.framegroups", b"1 6 6 1 idle\n");
    let (memory, told) = (dir.clone(), Arc::new(Mutex::new(None)));
    let sender = Arc::clone(&told);
    let mut app = app(&root(), move |app| {
        let reader = move || MemoryAssetReader { root: memory.clone() };
        let source = AssetSourceBuilder::new(move || Box::new(reader()));
        let watched = source.with_watcher(move |to| {
            *sender.lock().unwrap() = Some(to);
            Some(Box::new(Told))
        });
        app.register_asset_source("memory", watched);
    });
    let handle = load(&mut app, "memory://h.dpm").unwrap();
    assert_eq!(model(&app, &handle).clips.len(), 1);
    put("h.dpm.framegroups", b"1 3 6 1 idle\n4 3 6 0 other\n");
    let changed = AssetSourceEvent::ModifiedAsset("h.dpm.framegroups".into());
    told.lock().unwrap().as_ref().unwrap().try_send(changed).unwrap();
    for _ in 0..5000 {
        app.update();
        std::thread::sleep(std::time::Duration::from_millis(1));
        if model(&app, &handle).clips.len() == 2 {
            break;
        }
    }
    let clips = &model(&app, &handle).clips;
    assert_eq!(
        clips.iter().map(|c| (c.name.as_str(), c.looping)).collect::<Vec<_>>(),
        [("idle", true), ("other", false)]
    );
    drop(handle);
    let bare = load_with(&mut app, "memory://h.dpm", |s| s.companions = false).unwrap();
    assert!(model(&app, &bare).parts.len() == 1);
}

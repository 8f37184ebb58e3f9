//! Broken files give errors.

use crate::app::{app, asset_path, files_below, fixtures, load_at, load_with, model, root};
use bevy_asset::io::memory::{Dir, MemoryAssetReader};
use bevy_asset::io::{AssetReaderError, AssetSourceBuilder};
use bevy_asset::{AssetApp, AssetLoadError, AssetPath};
use meshwright_bevy::meshwright::Format;
use meshwright_bevy::meshwright::files::Tree;
use meshwright_bevy::meshwright::gltf::{ExportOptions, export};
use meshwright_bevy::meshwright::scene::{Joint, Local, Scene, Skeleton};
use meshwright_bevy::{ModelError, tree_source};
use std::path::Path;

/// Returns the cause of a failed load; a panic is not a valid cause.
fn error_code(e: &AssetLoadError, what: &str) -> &'static str {
    let AssetLoadError::AssetLoaderError(e) = e else { panic!("{what}: {e}") };
    let error: &ModelError = e.error().downcast_ref().unwrap_or_else(|| panic!("{what}: {e}"));
    assert!(!error.code().is_empty() && error.to_string().starts_with('['), "{what}: {error}");
    if let ModelError::Model(failure) = error {
        assert!(error.to_string().contains(failure.message()), "{what}");
    }
    error.code()
}

#[test]
fn broken_files_are_errors_with_a_code() {
    let mut app = app(&root(), |_| {});
    let (mut loaded, mut told) = (0, 0);
    let mut codes = std::collections::BTreeSet::new();
    for path in fixtures().into_iter().chain(files_below(&root().join("crates/fuzz/kept"))) {
        let name = asset_path(&path);
        // Inputs of fuzzing say what they are for by their folder.
        let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
        let format = folder.split('_').nth(1).filter(|id| id.parse::<Format>().is_ok()).map(str::to_owned);
        for lenient in [false, true] {
            let format = format.clone();
            let settings = move |s: &mut meshwright_bevy::ModelSettings| {
                (s.lenient, s.format, s.max_memory) = (lenient, format.clone(), 64 << 20);
            };
            match load_with(&mut app, &name, settings) {
                Ok(_) => loaded += 1,
                Err(e) => {
                    codes.insert(error_code(&e, &name));
                    told += 1;
                }
            }
        }
    }
    println!("{loaded} loaded, {told} refused with {} codes", codes.len());
    assert!(loaded > 150 && told > 150 && codes.len() > 40, "{loaded} {told} {codes:?}");
}

#[test]
fn limits_and_settings_are_kept() {
    let mut app = app(&root(), |_| {});
    let path = "testdata/dpm/hopper.ok.dpm";
    let code = |app: &mut bevy_app::App, path: &str, set: fn(&mut meshwright_bevy::ModelSettings)| {
        error_code(&load_with(app, path, set).unwrap_err(), path)
    };
    assert_eq!(code(&mut app, path, |s| s.max_memory = 100), "limit");
    assert_eq!(code(&mut app, path, |s| s.format = Some("none".into())), "settings");
    assert_eq!(code(&mut app, path, |s| s.root = Some("docs".into())), "settings");
    assert_eq!(code(&mut app, path, |s| s.format = Some("iqm".into())), "bad-magic");
    assert!(load_with(&mut app, path, |_| {}).is_ok());
}

/// Returns a skeleton as GLB whose joints form a chain. All have the same name, and two joints are at the top.
fn chain(joints: usize) -> Vec<u8> {
    let joint = |i: usize| {
        let parent = i.checked_sub(1).filter(|_| i != 2);
        Joint::new("same", parent, Local::default())
    };
    let skeleton = Skeleton { name: "chain".into(), joints: (0..joints).map(joint).collect() };
    let scene = Scene::new("chain").with_skeletons(vec![skeleton]);
    export(&scene, &ExportOptions::default()).unwrap().value.into_glb()
}

#[test]
fn long_chains_end_in_time_and_names_are_told_apart() {
    let dir = Dir::new("".into());
    for joints in [250, 300, 60_000] {
        dir.insert_asset(Path::new(&format!("{joints}.glb")), chain(joints));
    }
    let mut app = app(&root(), |app| {
        let reader = move || MemoryAssetReader { root: dir.clone() };
        app.register_asset_source("memory", AssetSourceBuilder::new(move || Box::new(reader())));
    });
    let handle = load_with(&mut app, "memory://250.glb", |_| {}).unwrap();
    let loaded = model(&app, &handle);
    assert!(loaded.losses.iter().any(|loss| loss.code == "joint-renamed"), "{:?}", loaded.losses);
    assert!(loaded.gltf.nodes.len() >= 250);
    for path in ["memory://300.glb", "memory://60000.glb"] {
        assert_eq!(error_code(&load_with(&mut app, path, |_| {}).unwrap_err(), path), "limit");
    }
}

#[test]
fn what_is_not_there_is_said() {
    let fixture = |name: &str| std::fs::read(root().join("testdata/dpm").join(name)).unwrap();
    let (model, groups) = (fixture("hopper.ok.dpm"), fixture("hopper.ok.dpm.framegroups"));
    let files = [
        ("Modèles 骨/héros #1.dpm", model),
        ("Modèles 骨/héros #1.dpm.framegroups", groups),
        ("empty.dpm", Vec::new()),
        ("notes.txt", b"nothing".to_vec()),
    ];
    let tree = Tree::memory(files).unwrap();
    let mut app = app(&root(), |app| {
        app.register_asset_source("game", tree_source(tree));
    });
    let whole = |name: &str| AssetPath::from_path_buf(name.into()).with_source("game");
    let handle = load_at(&mut app, whole("Modèles 骨/héros #1.dpm"), |_| {}).unwrap();
    assert_eq!(crate::app::model(&app, &handle).clips.len(), 2);
    for name in ["none.dpm", "Modèles 骨", "Modèles 骨/none.dpm", "empty.dpm/none.dpm"] {
        let e = load_at(&mut app, whole(name), |_| {}).unwrap_err();
        let AssetLoadError::AssetReaderError(AssetReaderError::NotFound(path)) = &e else {
            panic!("{name}: {e}")
        };
        assert_eq!(path, Path::new(name));
    }
    let e = load_with(&mut app, "nowhere://x.dpm", |_| {}).unwrap_err();
    assert!(e.to_string().contains("nowhere"), "{e}");
    for (name, code) in [("empty.dpm", "empty-file"), ("notes.txt", "unknown-format")] {
        assert_eq!(error_code(&load_at(&mut app, whole(name), |_| {}).unwrap_err(), name), code);
    }
}

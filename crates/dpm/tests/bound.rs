//! Tests scenes whose vertices are bound only in model space.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright_dpm::{Dpm, Zym};
use meshwright_scene::{Converted, Scene, SceneOptions};
use meshwright_testkit::testdata;
use std::fs;

#[test]
fn a_scene_that_is_bound_alone_is_otherwise_the_same() {
    let folder = |name: &str| fs::read_dir(testdata().join(name)).unwrap().map(|e| e.unwrap().path());
    let mut seen = [0; 2];
    let files = folder("dpm").filter(|p| p.to_string_lossy().contains(".ok."));
    for file in files {
        let bytes = fs::read(&file).unwrap();
        let scene = |options: &SceneOptions| -> Option<Converted<Scene>> {
            match Dpm::parse(&bytes) {
                Ok(model) => model.to_scene(options, None).ok(),
                Err(_) => Zym::parse(&bytes).ok()?.to_scene(options, None).ok(),
            }
        };
        let (Some(mut stored), Some(bound)) =
            (scene(&SceneOptions::default()), scene(&SceneOptions::default().with_bind_only(true)))
        else {
            continue;
        };
        for skin in stored.value.meshes.iter_mut().filter_map(|m| m.skin.as_mut()) {
            seen[usize::from(skin.local.is_empty())] += 1;
            skin.local.clear();
        }
        assert_eq!(stored, bound, "{}", file.display());
    }
    assert!(seen[0] > 3, "{seen:?}");
}

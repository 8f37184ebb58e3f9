//! Renders every fixture that opens: the bits are the same for any number of threads, within a budget, without a panic.
#![cfg(feature = "render")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use meshwright::files::Tree;
use meshwright::render::{Camera, Overlays, RenderOptions, ScenePose, View, render};
use meshwright::scene::{Budget, Limits, Scene};
use meshwright::{Opener, textures};
use meshwright_testkit::testdata;
use std::fs;
use std::path::PathBuf;

fn budget() -> Budget {
    Budget::new(Limits::default())
}

/// Returns every fixture that can be converted to a scene, with its folder.
fn scenes() -> Vec<(String, Scene)> {
    let folders = fs::read_dir(testdata()).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir());
    let mut paths: Vec<PathBuf> =
        folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|e| e.unwrap().path())).collect();
    paths.sort();
    paths.iter().filter_map(scene).collect()
}

fn scene(path: &PathBuf) -> Option<(String, Scene)> {
    let name = path.file_name()?.to_str()?.to_owned();
    let tree = Tree::open(path).ok()?;
    let start = tree.start()?.beside(&name).ok()?;
    let asset = Opener::new().open_in(&tree, start).ok()?;
    let scene = asset.scene().ok()?.value;
    Some((name, scene))
}

fn everything() -> Overlays {
    let mut overlays = Overlays::default();
    (overlays.bones, overlays.names, overlays.wireframe, overlays.normals, overlays.bounds) =
        (true, true, true, true, true);
    overlays
}

#[test]
fn pictures_of_fixtures_do_not_depend_on_threads() {
    let scenes = scenes();
    let (mut drawn, mut shown) = (0, 0);
    for (name, scene) in &scenes {
        let textures = textures(scene, &budget()).unwrap();
        let clips = (0..scene.clips.len().min(2)).map(Some);
        for clip in std::iter::once(None).chain(clips) {
            let at = clip.map(|c| (c, f64::from(scene.clips[c].frames) / 3.0));
            let posed = ScenePose::sample(scene, at, &budget()).unwrap_or_else(|e| panic!("{name}: {e}"));
            let options = RenderOptions::new(72, 50).with_camera(Camera::orbit(50.0, 25.0));
            for options in [
                options.clone().with_overlays(everything()),
                options.clone().with_view(View::Normals).with_supersample(false),
                options.clone().with_view(View::Uvs),
            ] {
                let one = render(scene, &posed, &textures, &options, &budget()).unwrap();
                for threads in [2, 7] {
                    let options = options.clone().with_threads(threads);
                    let other = render(scene, &posed, &textures, &options, &budget()).unwrap();
                    assert!(other == one, "{name}, {clip:?}: {threads} threads draw another picture");
                }
                drawn += 1;
                shown += usize::from(one.pixels().iter().any(|p| *p != options.background));
            }
        }
    }
    assert!(scenes.len() > 80, "{} scenes", scenes.len());
    assert!(shown * 2 > drawn, "{shown} of {drawn} pictures show anything");
}

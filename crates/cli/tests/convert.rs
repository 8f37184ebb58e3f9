//! The outputs of `convert` without `-o`, and `--for blender`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, names, ok, run_in, stderr};
use meshwright_testkit::testdata;
use std::fs;
use tempfile::TempDir;

fn folder() -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::create_dir(dir.path().join("in")).unwrap();
    for name in ["hopper.dpm", "in/a.dpm", "in/b.dpm"] {
        fs::copy(testdata().join("dpm/hopper.ok.dpm"), dir.path().join(name)).unwrap();
    }
    dir
}

#[test]
fn the_last_name_is_the_output() {
    let dir = folder();
    let dir = dir.path();
    for _ in 0..2 {
        // The second run replaces the result of the first.
        assert!(ok(dir, &["convert", "hopper.dpm", "out.glb"]).starts_with("wrote out.glb ("));
    }
    ok(dir, &["convert", "in", "glb/"]);
    ok(dir, &["convert", "in/a.dpm", "in/b.dpm", "glb"]);
    ok(dir, &["convert", "in", "new", "--to", "obj"]);
    ok(dir, &["convert", "in/a.dpm", "in/b.dpm", "flat"]);
    assert_eq!(names(&dir.join("glb")), ["a.glb", "b.glb"]);
    assert_eq!(names(&dir.join("new")), ["a.mtl", "a.obj", "b.mtl", "b.obj"]);
    assert_eq!(names(&dir.join("flat")), ["a.glb", "b.glb"]);
    // A model that is there may be meant as an input.
    let before = fs::read(dir.join("in/b.dpm")).unwrap();
    for words in [&["convert", "out.glb", "in/b.dpm"][..], &["convert", "in/a.dpm", "hopper.dpm", "in/b.dpm"]]
    {
        let output = run_in(dir, words);
        assert!(code(&output) == 2 && stderr(&output).contains("-o in/b.dpm"), "{}", stderr(&output));
    }
    assert_eq!(fs::read(dir.join("in/b.dpm")).unwrap(), before);
    // One that is not there, and has another extension than the results, is no output.
    let output = run_in(dir, &["convert", "hopper.dpm", "missing.dpm", "--to", "glb"]);
    assert!(code(&output) != 0 && stderr(&output).contains("missing.dpm"), "{}", stderr(&output));
    assert!(!dir.join("missing.dpm").exists());
}

#[test]
fn results_are_next_to_their_inputs_if_a_format_is_named_and_no_output() {
    let dir = folder();
    let dir = dir.path();
    ok(dir, &["convert", "hopper.dpm", "--to", "glb"]);
    ok(dir, &["convert", "in", "--to", "html"]);
    ok(dir, &["convert", "in/a.dpm", "in/b.dpm", "--to", "gltf"]);
    assert!(dir.join("hopper.glb").exists());
    let made = names(&dir.join("in"));
    for name in ["a.gltf", "b.gltf", "a.html", "b.html"] {
        assert!(made.contains(&name.to_owned()), "{made:?}");
    }
    let output = run_in(dir, &["convert", "hopper.dpm"]);
    assert_eq!(code(&output), 2);
    assert!(stderr(&output).contains("meshwright convert hopper.dpm hopper.glb"), "{}", stderr(&output));
    // There is no one folder next to these.
    ok(dir, &["pack", "in", "-o", "a.pk3"]);
    for inputs in [&["hopper.dpm", "in/a.dpm"][..], &["a.pk3"], &["a.pk3/a.dpm"], &["-"]] {
        let output = run_in(dir, &[&["convert", "--to", "glb"], inputs].concat());
        assert!(code(&output) == 2 && stderr(&output).contains("-o"), "{inputs:?}: {}", stderr(&output));
    }
}

#[test]
fn for_blender_is_what_the_way_back_needs() {
    let dir = folder();
    let dir = dir.path();
    ok(dir, &["convert", "hopper.dpm", "--for", "blender"]);
    ok(dir, &["convert", "hopper.dpm", "-o", "long.glb", "--keep-native", "--frames-at", "24"]);
    assert!(fs::read(dir.join("hopper.glb")).unwrap() == fs::read(dir.join("long.glb")).unwrap());
    ok(dir, &["convert", "hopper.glb", "back.dpm"]);
    assert!(fs::read(dir.join("back.dpm")).unwrap() == fs::read(dir.join("hopper.dpm")).unwrap());
    let output = run_in(dir, &["convert", "hopper.dpm", "x.obj", "--for", "blender"]);
    assert!(code(&output) == 2 && stderr(&output).contains("--for blender"), "{}", stderr(&output));
}

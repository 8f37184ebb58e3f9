//! Models that go out as glTF and come back into what they were.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use crate::common::{code, program, stderr};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

fn run(dir: &Path, words: &str) -> Output {
    let output = program().current_dir(dir).args(words.split(' ')).output().unwrap();
    assert_eq!(code(&output), 0, "{words}: {}", stderr(&output));
    output
}

fn json(output: &Output) -> Value {
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    value["files"][0].clone()
}

fn models() -> TempDir {
    let dir = TempDir::new().unwrap();
    let fixtures = [
        ("dpm/hopper.ok.dpm", "hopper.dpm"),
        ("dpm/hopper.ok.dpm.framegroups", "hopper.dpm.framegroups"),
        ("tso/flower.ok.mesh", "flower.mesh"),
        ("tso/flower.ok.skel", "flower.skel"),
        ("tso/sway.ok.anim", "sway.anim"),
    ];
    for (fixture, name) in fixtures {
        fs::copy(testdata().join(fixture), dir.path().join(name)).unwrap();
    }
    dir
}

fn same(dir: &Path, a: &str, b: &str) {
    assert!(fs::read(dir.join(a)).unwrap() == fs::read(dir.join(b)).unwrap(), "{a} is not {b}");
}

#[test]
fn what_was_not_edited_is_as_it_was() {
    let dir = models();
    let dir = dir.path();
    for options in ["", " --frames-at 24", " --scale 0.0254", " --close-loops --influences all"] {
        run(dir, &format!("convert hopper.dpm -o a.glb --keep-native{options}"));
        let output = run(dir, "convert a.glb -o back.dpm");
        assert!(stderr(&output).contains("a.glb: nothing was edited"), "{}", stderr(&output));
        same(dir, "back.dpm", "hopper.dpm");
        same(dir, "back.dpm.framegroups", "hopper.dpm.framegroups");
        fs::remove_file(dir.join("back.dpm.framegroups")).unwrap();
    }
    run(dir, "convert flower.mesh flower.skel sway.anim -o f.glb --keep-native");
    fs::create_dir(dir.join("out")).unwrap();
    run(dir, "convert f.glb -o out/flower.mesh");
    for name in ["flower.mesh", "flower.skel", "sway.anim"] {
        same(&dir.join("out"), name, &format!("../{name}"));
    }
}

/// Whatever was edited of a figure, the other files lie beside it as they lay. A file of somebody else that lies there is not
/// replaced by what nobody edited; what was edited is written.
#[test]
fn what_was_not_edited_of_a_figure_lies_beside_what_was() {
    let dir = models();
    let dir = dir.path();
    run(dir, "convert flower.mesh flower.skel sway.anim -o f.gltf --keep-native");
    let text = fs::read_to_string(dir.join("f.gltf")).unwrap();
    let edit = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    fs::write(dir.join("f.gltf"), edit("\"name\":\"sway\"", "\"name\":\"swing\"")).unwrap();
    let names = ["flower.mesh", "flower.skel", "sway.anim"];
    let written = |out: &str| {
        let held = names.map(|name| fs::read(dir.join(out).join(name)).unwrap());
        let own = names.map(|name| fs::read(dir.join(name)).unwrap());
        held.iter().zip(own).map(|(held, own)| *held == own).collect::<Vec<_>>()
    };
    // A file, and a folder.
    fs::create_dir(dir.join("file")).unwrap();
    run(dir, "convert f.gltf -o file/flower.mesh");
    assert_eq!(written("file"), [true, true, false]);
    fs::copy(dir.join("f.gltf"), dir.join("flower.gltf")).unwrap();
    fs::copy(dir.join("f.gltf"), dir.join("rose.gltf")).unwrap();
    // The clips of both are the same, and so is the skeleton: each is written once.
    for threads in ["1", "2"] {
        let out = format!("both{threads}");
        run(dir, &format!("convert flower.gltf rose.gltf --to tso -o {out}/ -j {threads}"));
        assert_eq!(written(&out), [true, true, false]);
        same(&dir.join(&out), "rose.mesh", "flower.mesh");
    }
    // Another file of the name of one that was not edited stays, which is said.
    fs::create_dir(dir.join("other")).unwrap();
    fs::write(dir.join("other/flower.skel"), b"of somebody else").unwrap();
    fs::write(dir.join("other/sway.anim"), b"an earlier result").unwrap();
    let output = run(dir, "convert f.gltf -o other/flower.mesh");
    assert!(stderr(&output).contains("[companion-left] flower.skel"), "{}", stderr(&output));
    assert_eq!(fs::read(dir.join("other/flower.skel")).unwrap(), b"of somebody else");
    assert_eq!(written("other"), [true, false, false]);
    same(dir, "other/sway.anim", "file/sway.anim");
    // One output takes one file: what nobody edited is named, and what was is not left out.
    fs::write(dir.join("same.gltf"), &text).unwrap();
    let words = |name: &'static str| ["convert", name, "--to", "tso", "-o", "-"];
    let output = program().current_dir(dir).args(words("same.gltf")).output().unwrap();
    assert_eq!(output.stdout, fs::read(dir.join("flower.mesh")).unwrap());
    assert!(stderr(&output).contains("[companion-left] flower.skel"), "{}", stderr(&output));
    let output = program().current_dir(dir).args(words("f.gltf")).output().unwrap();
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

#[test]
fn edits_come_back_into_an_original_that_is_named() {
    let dir = models();
    let dir = dir.path();
    run(dir, "convert hopper.dpm -o a.glb --frames-at 24");
    let output = run(dir, "convert a.glb --onto hopper.dpm -o back.dpm --format json");
    assert_eq!(json(&output)["recovery"]["untouched"], true);
    same(dir, "back.dpm", "hopper.dpm");
    // A figure of several files.
    run(dir, "convert flower.mesh flower.skel sway.anim -o f.glb");
    let words =
        "convert f.glb --onto flower.mesh --onto flower.skel --onto sway.anim -o g.mesh --format json";
    assert_eq!(json(&run(dir, words))["recovery"]["untouched"], true);
    same(dir, "g.mesh", "flower.mesh");
    // Another model's meshes stand for its own; its clips stay.
    run(dir, "convert flower.mesh flower.skel -o f.glb");
    let output = run(dir, "convert f.glb --onto hopper.dpm -o new.dpm --format json");
    let recovery = &json(&output)["recovery"];
    let states = |kind: &str| {
        let parts = recovery[kind].as_array().unwrap();
        parts.iter().map(|p| p["state"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert!(states("meshes").contains(&"gone".to_owned()) && states("meshes").contains(&"new".to_owned()));
    assert!(states("clips").iter().all(|state| state == "untouched"), "{recovery}");
    let joints = recovery["joints"].as_array().unwrap();
    assert!(joints[0]["name"] == "root" && joints[0]["state"] == "untouched", "{recovery}");
    assert!(joints.iter().any(|joint| joint["name"] == "BUD" && joint["state"] == "new"), "{recovery}");
    assert_eq!(code(&program().current_dir(dir).args(["check", "new.dpm"]).output().unwrap()), 0);
}

/// A joint that matches none of the original is listed with the names that are next to its own.
#[test]
fn a_joint_that_matches_nothing_has_its_nearest_names_said() {
    let dir = models();
    let dir = dir.path();
    run(dir, "convert flower.mesh flower.skel -o f.gltf");
    let text = fs::read_to_string(dir.join("f.gltf")).unwrap();
    assert!(text.contains("BUD"));
    fs::write(dir.join("g.gltf"), text.replace("BUD", "rooot")).unwrap();
    let output = run(dir, "convert g.gltf --onto hopper.dpm -o new.dpm");
    assert!(stderr(&output).contains("did you mean \"root\""), "{}", stderr(&output));
    let output = run(dir, "convert g.gltf --onto hopper.dpm -o new.dpm --format json");
    let recovery = &json(&output)["recovery"];
    let joints = recovery["joints"].as_array().unwrap();
    let new = joints.iter().find(|joint| joint["name"] == "rooot").unwrap();
    assert_eq!((&new["state"], &new["nearest"][0]), (&"new".into(), &"root".into()), "{recovery}");
}

#[test]
fn a_kept_file_that_is_wrong_is_a_warning() {
    let dir = models();
    let dir = dir.path();
    run(dir, "convert hopper.dpm -o a.gltf --keep-native");
    let text = fs::read_to_string(dir.join("a.gltf")).unwrap();
    assert!(text.contains(r#"\"kept\":{\"v\":1,"#));
    fs::write(dir.join("b.gltf"), text.replace(r#"\"kept\":{\"v\":1,"#, r#"\"kept\":{\"v\":7,"#)).unwrap();
    let output = run(dir, "convert b.gltf -o b.dpm");
    assert!(stderr(&output).contains("[kept-ignored]"), "{}", stderr(&output));
    assert!(dir.join("b.dpm").is_file());
}

#[test]
fn an_export_says_which_rate_an_editor_must_have() {
    let dir = models();
    let dir = dir.path();
    let plain = run(dir, "convert hopper.dpm -o a.glb");
    assert!(stderr(&plain).contains("note[editor-rate]"), "{}", stderr(&plain));
    let at = run(dir, "convert hopper.dpm -o a.glb --frames-at 24");
    assert!(!stderr(&at).contains("editor-rate"), "{}", stderr(&at));
}

#[test]
fn options_that_mean_nothing_are_refused() {
    let dir = models();
    for words in ["convert hopper.dpm -o a.obj --keep-native", "convert hopper.dpm -o a.glb --frames-at 0"] {
        let output = program().current_dir(dir.path()).args(words.split(' ')).output().unwrap();
        assert_eq!(code(&output), 2, "{words}");
    }
}

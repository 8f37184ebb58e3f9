//! Tests models that are exported to glTF and converted back.
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

/// Unedited files of a character are written next to the edited ones. They do not replace other files; edited ones
/// do.
#[test]
fn unedited_files_of_a_figure_are_written_next_to_edited_ones() {
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
    // Another file of the name of one that was edited stays, unless it may be replaced. One of the name of a file that was not
    // edited stays in any case, which is said.
    fs::create_dir(dir.join("other")).unwrap();
    fs::write(dir.join("other/flower.skel"), b"of somebody else").unwrap();
    fs::write(dir.join("other/sway.anim"), b"an earlier result").unwrap();
    let refused =
        program().current_dir(dir).args(["convert", "f.gltf", "-o", "other/flower.mesh"]).output().unwrap();
    assert!(code(&refused) == 2 && stderr(&refused).contains("[would-replace]"), "{}", stderr(&refused));
    assert_eq!(crate::common::names(&dir.join("other")), ["flower.skel", "sway.anim"]);
    assert_eq!(fs::read(dir.join("other/sway.anim")).unwrap(), b"an earlier result");
    let output = run(dir, "convert f.gltf -o other/flower.mesh --force");
    assert!(stderr(&output).contains("[companion-left] flower.skel"), "{}", stderr(&output));
    assert_eq!(fs::read(dir.join("other/flower.skel")).unwrap(), b"of somebody else");
    assert_eq!(written("other"), [true, false, false]);
    same(dir, "other/sway.anim", "file/sway.anim");
    // Standard output takes one file: unedited companions are reported as losses, and an edited one is an error.
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
    assert_eq!(json(&output)["patch"], serde_json::json!({}));
    same(dir, "back.dpm", "hopper.dpm");
    // A character of several files.
    run(dir, "convert flower.mesh flower.skel sway.anim -o f.glb");
    let words =
        "convert f.glb --onto flower.mesh --onto flower.skel --onto sway.anim -o g.mesh --format json";
    assert_eq!(json(&run(dir, words))["recovery"]["untouched"], true);
    same(dir, "g.mesh", "flower.mesh");
    // `--onto` another model replaces its meshes and keeps its clips.
    run(dir, "convert flower.mesh flower.skel -o f.glb");
    let output = run(dir, "convert f.glb --onto hopper.dpm -o new.dpm --dry-run --format json");
    assert!(!dir.join("new.dpm").exists());
    let patch = json(&output)["patch"].clone();
    assert_eq!(patch["removed_meshes"], serde_json::json!([0, 1]), "{patch}");
    assert!(patch["meshes"].as_array().unwrap().iter().all(|mesh| mesh.get("original").is_none()), "{patch}");
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
    assert!(text.contains(r#"\"kept\":{\"v\":2,"#));
    fs::write(dir.join("b.gltf"), text.replace(r#"\"kept\":{\"v\":2,"#, r#"\"kept\":{\"v\":7,"#)).unwrap();
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

/// A PNG of one red pixel.
const RED: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00,
    0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xcf, 0xc0, 0xf0, 0x1f, 0x00, 0x05,
    0x00, 0x01, 0xff, 0x89, 0x99, 0x3d, 0x1d, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42,
    0x60, 0x82,
];
/// A PNG of one green pixel.
const GREEN: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00,
    0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1f, 0x15, 0xc4, 0x89, 0x00,
    0x00, 0x00, 0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0x60, 0xf8, 0xcf, 0xf0, 0x1f, 0x00, 0x04,
    0x01, 0x01, 0xff, 0x71, 0xeb, 0x47, 0xe5, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42,
    0x60, 0x82,
];

/// An edited image is written next to the model. An image that an editor only encoded again is not.
#[test]
fn a_picture_that_was_edited_is_written() {
    let dir = models();
    let dir = dir.path();
    fs::create_dir_all(dir.join("models/hopper")).unwrap();
    fs::write(dir.join("models/hopper/skin.png"), RED).unwrap();
    run(dir, "convert hopper.dpm -o a.gltf --keep-native");
    let text = fs::read_to_string(dir.join("a.gltf")).unwrap();
    let inside = r#""bufferView":0,"mimeType":"image/png""#;
    assert!(text.contains(inside));
    fs::write(dir.join("b.gltf"), text.replace(inside, r#""uri":"new.png""#)).unwrap();
    for onto in ["", " --onto hopper.dpm"] {
        for (picture, edited) in [(RED, false), (GREEN, true)] {
            fs::write(dir.join("new.png"), picture).unwrap();
            fs::create_dir(dir.join("out")).unwrap();
            let output = run(dir, &format!("convert b.gltf -o out/back.dpm --format json{onto}"));
            let recovery = &json(&output)["recovery"];
            assert_eq!(recovery["untouched"], !edited, "{recovery}");
            let material = &recovery["materials"][0];
            assert_eq!(material["picture"].as_bool(), edited.then_some(true), "{recovery}");
            assert_eq!(fs::read(dir.join("out/skin.png")).ok().as_deref(), edited.then_some(GREEN));
            same(dir, "out/back.dpm", "hopper.dpm");
            fs::remove_dir_all(dir.join("out")).unwrap();
        }
    }
    // Optimizers encode images again, with slightly different pixels.
    fs::write(dir.join("new.png"), GREEN).unwrap();
    let output = run(dir, "convert b.gltf -o back.dpm --snap loose --format json");
    assert_eq!(json(&output)["recovery"]["untouched"], true);
}

/// Skins are embedded with their model. Edits of their looks are written or reported.
#[test]
fn skins_come_back_with_their_model() {
    let dir = models();
    let dir = dir.path();
    fs::create_dir_all(dir.join("models/hopper")).unwrap();
    fs::write(dir.join("models/hopper/skin.png"), RED).unwrap();
    fs::write(dir.join("models/hopper/blue.png"), GREEN).unwrap();
    fs::write(dir.join("new.png"), GREEN).unwrap();
    let eye = "models/hopper/eye,models/hopper/eye\n";
    let skins = ["skin", "blue"].map(|n| format!("// mine\r\nmodels/hopper/skin,models/hopper/{n}\r\n{eye}"));
    for (number, text) in skins.iter().enumerate() {
        fs::write(dir.join(format!("hopper.dpm_{number}.skin")), text).unwrap();
    }
    run(dir, "convert hopper.dpm -o a.gltf --keep-native");
    let whole = fs::read_to_string(dir.join("a.gltf")).unwrap();
    let back = |edit: &dyn Fn(&str) -> String, name: &str| {
        let edited = edit(&whole);
        fs::write(dir.join("b.gltf"), edited).unwrap();
        fs::create_dir(dir.join("out")).unwrap();
        let said = stderr(&run(dir, &format!("convert b.gltf -o out/{name}")));
        let names =
            fs::read_dir(dir.join("out")).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
        let mut files: Vec<(String, Vec<u8>)> =
            names.map(|name| (name.clone(), fs::read(dir.join("out").join(name)).unwrap())).collect();
        files.sort();
        fs::remove_dir_all(dir.join("out")).unwrap();
        (said, files)
    };
    let names = |files: &[(String, Vec<u8>)]| files.iter().map(|file| file.0.clone()).collect::<Vec<_>>();
    let replaced = |from: &'static str, to: &'static str| {
        move |text: &str| {
            assert!(text.contains(from), "{from}");
            text.replace(from, to)
        }
    };
    let plain = ["x.dpm", "x.dpm.framegroups", "x.dpm_0.skin", "x.dpm_1.skin"];
    let (said, files) = back(&str::to_owned, "x.dpm");
    assert!(names(&files) == plain && said.contains("nothing was edited"), "{said} {:?}", names(&files));
    assert!(files[2].1 == skins[0].as_bytes() && files[3].1 == skins[1].as_bytes());
    let (_, files) = back(&str::to_owned, "x.zym");
    assert_eq!(names(&files), ["x.zym", "x.zym_0.skin", "x.zym_1.skin"]);
    assert_eq!(files[2].1, skins[1].as_bytes());
    let (said, _) = back(&str::to_owned, "x.bmd");
    assert!(said.contains("lost[variants-dropped]"), "{said}");
    // Editors that know no variants drop them.
    let (said, files) = back(&replaced("KHR_materials_variants", "X_none"), "x.dpm");
    assert!(names(&files) == plain && said.contains("nothing was edited"), "{said}");
    // A look has other materials.
    let (said, files) = back(&replaced("\"variants\":[0]", "\"variants\":[0,1]"), "x.dpm");
    assert!(said.contains("lost[variants-dropped]") && !said.contains("nothing was edited"), "{said}");
    assert!(names(&files) == plain && files[3].1 == skins[1].as_bytes());
    // A mesh has another name.
    let renamed = replaced("\"name\":\"models/hopper/skin\",\"pbr", "\"name\":\"models/hopper/fur\",\"pbr");
    let (_, files) = back(&renamed, "x.dpm");
    let wanted = skins[1].replace("models/hopper/skin,", "models/hopper/fur,");
    assert_eq!((names(&files), &*files[3].1), (plain.map(String::from).to_vec(), wanted.as_bytes()));
}

/// The texture of another look is written under its own name.
#[test]
fn an_edited_picture_of_a_skin_is_not_that_of_another() {
    let dir = models();
    let dir = dir.path();
    fs::create_dir_all(dir.join("models/hopper")).unwrap();
    for (name, picture) in [("skin", RED), ("blue", GREEN)] {
        fs::write(dir.join(format!("models/hopper/{name}.png")), picture).unwrap();
    }
    for (number, name) in ["skin", "blue"].iter().enumerate() {
        let text = format!("models/hopper/skin,models/hopper/{name}\n");
        fs::write(dir.join(format!("hopper.dpm_{number}.skin")), text).unwrap();
    }
    run(dir, "convert hopper.dpm -o a.gltf --keep-native");
    let mut document: Value = serde_json::from_slice(&fs::read(dir.join("a.gltf")).unwrap()).unwrap();
    let images = document["images"].as_array_mut().unwrap();
    let blue = images.iter_mut().find(|image| image["name"] == "blue").unwrap();
    *blue = serde_json::json!({ "name": "blue", "uri": "models/hopper/skin.png" });
    fs::write(dir.join("b.gltf"), document.to_string()).unwrap();
    fs::create_dir(dir.join("out")).unwrap();
    let output = run(dir, "convert b.gltf -o out/x.dpm");
    assert!(!stderr(&output).contains("nothing was edited"), "{}", stderr(&output));
    same(dir, "out/blue.png", "models/hopper/skin.png");
    assert!(!dir.join("out/skin.png").exists());
    same(dir, "out/x.dpm", "hopper.dpm");
}

/// By default Blender drops custom properties, and the original with them.
#[test]
fn a_document_of_blender_without_its_original_is_noted() {
    let dir = models();
    let dir = dir.path();
    run(dir, "convert hopper.dpm -o a.gltf");
    let text = fs::read_to_string(dir.join("a.gltf")).unwrap();
    let generator = format!(r#""generator":"meshwright {}""#, env!("CARGO_PKG_VERSION"));
    assert!(text.contains(&generator));
    let blender = r#""generator":"Khronos glTF Blender I/O v5.0.21""#;
    fs::write(dir.join("b.gltf"), text.replace(&generator, blender)).unwrap();
    for (file, noted) in [("a.gltf", false), ("b.gltf", true)] {
        let output = run(dir, &format!("convert {file} -o back.dpm"));
        assert_eq!(stderr(&output).contains("original-missing"), noted, "{}", stderr(&output));
    }
    let output = run(dir, "convert b.gltf --onto hopper.dpm -o back.dpm");
    assert!(!stderr(&output).contains("original-missing"), "{}", stderr(&output));
}

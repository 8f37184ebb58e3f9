//! Messages: losses, skipped files, and advice.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, names, program, run, stderr, stdout};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

fn run_with(words: &[&str], more: &[&Path]) -> Output {
    run(args(words).into_iter().chain(more.iter().map(OsString::from)))
}

/// Returns a folder as a game has it: models among everything else.
fn mixed() -> TempDir {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("models/player")).unwrap();
    fs::create_dir_all(at("sound")).unwrap();
    fs::copy(demo(), at("models/player/a.dpm")).unwrap();
    fs::write(at("models/player/a.dpm.framegroups"), "1 4 10 1 run\n").unwrap();
    fs::copy(testdata().join("bmd/windmill.ok.bmd"), at("models/b.bmd")).unwrap();
    fs::copy(testdata().join("tso/flower.ok.mesh"), at("models/flower.mesh")).unwrap();
    let program = fs::read(env!("CARGO_BIN_EXE_meshwright")).unwrap();
    let wave = [&b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0"[..], &[1, 0, 1, 0, 0x44, 0xac, 0, 0], &[0; 64]].concat();
    let sprite = [&b"IDSP"[..], &[1, 0, 0, 0, 2, 0, 0, 0], &[0; 64]].concat();
    for (name, bytes) in [
        ("models/shell.spr", &sprite[..]),
        ("models/old.md3", b"IDP3\x0f\0\0\0 and so on, for a while, as models do"),
        ("models/scene.fbx", b"Kaydara FBX Binary  \0\x1a\0"),
        ("sound/shot.wav", &wave),
        ("sound/music.ogg", b"OggS\0\x02\0\0\0\0\0\0\0\0"),
        ("readme.txt", b"All models were made by hand.\n"),
        ("default.cfg", b"bind w +forward\n"),
        ("list.json", b"{\"files\": [1, 2, 3]}"),
        ("empty", b""),
        ("game.exe", &program[..program.len().min(200_000)]),
        ("zeros.dat", &[0; 4096]),
    ] {
        fs::write(at(name), bytes).unwrap();
    }
    dir
}

#[test]
fn a_mixed_folder_is_converted_and_summed_up() {
    let dir = mixed();
    for command in ["info", "check", "convert"] {
        let out = dir.path().join("converted");
        let mut words = args(&[command, "--no-companions"]);
        words.push(dir.path().into());
        if command == "convert" {
            words.extend(["-o".into(), out.clone().into()]);
        }
        let output = run(&words);
        assert_eq!(code(&output), 0, "{command}: {}", stderr(&output));
        let said = stderr(&output);
        let summary = said.lines().find(|line| line.contains("files are not models")).unwrap();
        let done = match command {
            "info" => "3 read",
            "check" => "3 files: 0 errors, 0 warnings",
            _ => "3 converted",
        };
        assert!(summary.starts_with(&format!("{done}, 12 files are not models (")), "{said}");
        assert!(summary.contains(" others)") && !said.contains("error["), "{said}");
        if command == "convert" {
            assert_eq!(names(&out), ["models"]);
            assert_eq!(names(&out.join("models")), ["b.glb", "flower.glb", "player"]);
            fs::remove_dir_all(&out).unwrap();
        }
        words.push("--format=json".into());
        let json: Value = serde_json::from_slice(&run(&words).stdout).unwrap();
        let summary = &json["summary"];
        assert_eq!([&summary["done"], &summary["failed"], &summary["skipped"]], [3, 0, 12]);
        // Models that others read are named with what reads them.
        let elsewhere = &summary["elsewhere"][0];
        assert_eq!((&elsewhere["extension"], &elsewhere["count"]), (&".md3".into(), &1.into()));
        assert!(elsewhere["opened_by"].as_str().unwrap().contains("Noesis"));
        if command == "convert" {
            fs::remove_dir_all(&out).unwrap();
        }
        words.pop();
        words.push("-q".into());
        assert!(!stderr(&run(&words)).contains("not models"));
        let _ = fs::remove_dir_all(&out);
    }
    // Failed files are counted too.
    fs::copy(testdata().join("dpm/parent.reject.dpm"), dir.path().join("bad.dpm")).unwrap();
    let output = run_with(&["info"], &[dir.path()]);
    assert_eq!(code(&output), 1);
    assert!(stderr(&output).lines().any(|line| line.ends_with(", 1 failed")), "{}", stderr(&output));
    let output = run_with(&["check"], &[dir.path()]);
    assert!(
        stderr(&output).contains("4 files: 1 error, 0 warnings in 1 file, 12 files"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn losses_are_grouped_and_notes_are_no_losses() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("x.glb");
    let model = testdata().join("dpm/hopper.ok.dpm");
    let convert = |more: &[&str]| {
        let words = [&["convert", "--no-companions", "-o", out.to_str().unwrap()], more].concat();
        let output = run_with(&words, &[&model]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stderr(&output)
    };
    let grouped = convert(&[]);
    let flags = grouped.lines().find(|line| line.contains("lost[bone-flags]")).unwrap();
    assert!(flags.ends_with("flags of bones (1 bone); pass --extras to keep them"), "{flags}");
    assert!(!convert(&["--extras"]).contains("bone-flags"));
    // Numbers have units and no false digits.
    let blended = grouped.lines().find(|line| line.contains("[interpolation]"));
    assert!(blended.is_none_or(|line| line.ends_with(" degrees)")), "{grouped}");
    let quiet = convert(&["-q"]);
    assert!(
        grouped.lines().next().unwrap().starts_with("wrote ")
            && quiet.lines().all(|line| line.contains(": lost["))
            && quiet.contains(": lost[bone-flags]"),
        "{quiet}"
    );
    // Computed normals are no loss, and normal for the format.
    let zym = testdata().join("dpm/pair.ok.zym");
    let output = run_with(&["convert", "-o", out.to_str().unwrap()], &[&zym]);
    assert!(!stderr(&output).contains("normals-computed"), "{}", stderr(&output));
    let output = run_with(&["convert", "-v", "-o", out.to_str().unwrap()], &[&zym]);
    let said = stderr(&output);
    assert!(said.contains("note[normals-computed]") && !said.contains("lost[normals-computed]"), "{said}");
    let output = run_with(&["convert", "--format=json", "-o", out.to_str().unwrap()], &[&zym]);
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    let losses = json["files"][0]["losses"].as_array().unwrap();
    let note = losses.iter().find(|l| l["code"] == "normals-computed").unwrap();
    assert_eq!((&note["kind"], &note["count"]), (&"note".into(), &1.into()));
}

#[test]
fn verbose_lists_what_a_group_counts() {
    let dir = TempDir::new().unwrap();
    let out = dir.path().join("x.obj");
    let model = testdata().join("bmd/windmill.ok.bmd");
    let glb = dir.path().join("x.glb");
    let of = |more: &[&str], out: &Path| {
        let output = run_with(&[&["convert", "-o", out.to_str().unwrap()], more].concat(), &[&model]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        stderr(&output)
    };
    for out in [&out, &glb] {
        let (grouped, all) = (of(&[], out), of(&["--verbose"], out));
        let codes = |text: &str| {
            let lines = text.lines().filter_map(|line| line.split_once('[')?.1.split_once(']'));
            lines.map(|line| line.0.to_owned()).collect::<Vec<_>>()
        };
        let mut each = codes(&all);
        assert!(each.len() >= codes(&grouped).len());
        each.dedup();
        each.sort();
        each.dedup();
        let mut once = codes(&grouped);
        let lines = once.len();
        once.sort();
        once.dedup();
        assert_eq!((once.len(), &once), (lines, &each), "one line for each kind: {grouped}");
    }
}

#[test]
fn what_a_file_is_instead_is_said() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::write(at("m.md3"), b"IDP3\x0f\0\0\0").unwrap();
    fs::write(at("empty.dpm"), b"").unwrap();
    fs::write(at("empty"), b"").unwrap();
    for (name, status, says) in [
        ("m.md3", 3, "an MD3 model"),
        ("empty.dpm", 1, "the file is empty"),
        ("empty", 3, "the file is empty"),
    ] {
        for command in [&["info"][..], &["check"], &["dump"], &["convert", "--to=glb", "-o-"]] {
            let output = run_with(command, &[&at(name)]);
            assert_eq!(code(&output), status, "{command:?} {name}: {}", stderr(&output));
            let said = stdout(&output) + &stderr(&output);
            assert!(said.contains(says), "{command:?} {name}: {said}");
        }
    }
}

#[test]
fn wrong_outputs_name_the_right_ones() {
    let dir = TempDir::new().unwrap();
    let fbx = run_with(&["convert", "-o", "a.fbx"], &[&demo()]);
    assert_eq!(code(&fbx), 2);
    let said = stderr(&fbx);
    assert!(said.contains(".fbx") && said.contains("glb, gltf, html, obj") && said.contains("dpm"), "{said}");
    let none = run_with(&["convert", "-o", "-"], &[&demo()]);
    assert!(code(&none) == 2 && stderr(&none).contains("glb, gltf, html, obj"), "{}", stderr(&none));
    // A folder without models says which it is.
    fs::create_dir(dir.path().join("bare")).unwrap();
    fs::write(dir.path().join("bare/readme.txt"), b"nothing").unwrap();
    for command in [&["info"][..], &["convert", "-o", "out"]] {
        let output = run_with(command, &[&dir.path().join("bare")]);
        assert_eq!(code(&output), 3);
        let said = stderr(&output);
        assert!(said.contains("bare: error[no-model]") && said.contains("1 .txt"), "{said}");
    }
}

#[test]
fn what_only_a_lenient_reader_opens_is_said() {
    let dir = TempDir::new().unwrap();
    let (soft, hard) = (testdata().join("bmd/lod-range.reject.bmd"), dir.path().join("cut.dpm"));
    fs::write(&hard, &fs::read(demo()).unwrap()[..100]).unwrap();
    for command in [&["info"][..], &["check"], &["dump"]] {
        let said = |path: &Path| {
            let output = run_with(command, &[path]);
            assert_eq!(code(&output), 1);
            stdout(&output) + &stderr(&output)
        };
        assert!(said(&soft).contains("--lenient opens it"), "{command:?}: {}", said(&soft));
        assert!(!said(&hard).contains("--lenient"), "{command:?}: {}", said(&hard));
        let lenient = run_with(&[command, &["--lenient"]].concat(), &[&soft]);
        assert!(!(stdout(&lenient) + &stderr(&lenient)).contains("opens it"));
    }
    let json = run_with(&["info", "--format=json"], &[&soft]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(json["files"][0]["error"]["opens_leniently"], true);
}

#[test]
fn an_input_whose_name_clashes_says_what_it_became() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    for folder in ["a", "b"] {
        fs::create_dir(at(folder)).unwrap();
        fs::copy(demo(), at(folder).join("m.dpm")).unwrap();
    }
    fs::copy(demo(), at("n.dpm")).unwrap();
    // An output without extension is a folder for several inputs, there or not yet.
    for _ in 0..2 {
        let mut command = program();
        command.current_dir(dir.path()).args(["convert", "a/m.dpm", "b/m.dpm", "n.dpm", "-o", "out"]);
        let output = command.output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(names(&at("out")), ["m.dpm-2.glb", "m.dpm.glb", "n.glb"]);
        let said = stderr(&output);
        for line in ["a/m.dpm: written as out/m.dpm.glb", "b/m.dpm: written as out/m.dpm-2.glb"] {
            assert!(said.contains(line), "{said}");
        }
        assert!(!said.contains("n.dpm: written as") && said.contains("3 converted"), "{said}");
    }
    let output = program().current_dir(dir.path()).args(["convert", "a", "-o", "other"]).output().unwrap();
    assert_eq!((code(&output), names(&at("other"))), (0, vec!["m.glb".to_owned()]), "{}", stderr(&output));
}

#[test]
fn a_frame_of_the_file_is_a_pose_of_an_obj_too() {
    let obj = |pose: &str| {
        let output = run_with(&["convert", "-q", "--to=obj", "-o-", &format!("--pose={pose}")], &[&demo()]);
        (code(&output), stdout(&output), stderr(&output))
    };
    // Clip 0 of the model begins at a frame of the file.
    let dump = run_with(&["dump", "-q", "--pose=:3"], &[&demo()]);
    let dump: Value = serde_json::from_slice(&dump.stdout).unwrap();
    let pose = &dump["meshes"][0]["poses"][1]["positions"][0];
    let (status, text, said) = obj(":3");
    assert_eq!(status, 0, "{said}");
    let first = text.lines().find_map(|line| line.strip_prefix("v ")).unwrap();
    let first: Vec<f64> = first.split(' ').map(|n| n.parse().unwrap()).collect();
    // x forward, y left, z up there; z, x, y here.
    for (axis, native) in [(2, 0), (0, 1), (1, 2)] {
        let native = pose[native].as_f64().unwrap();
        assert!((first[axis] - native).abs() <= 1e-5 * native.abs().max(1.0), "{first:?} {pose}");
    }
    assert_ne!(obj(":3").1, obj(":0").1);
    assert_eq!(obj(":99").0, 2);
    let bmd = testdata().join("bmd/windmill.ok.bmd");
    let output = run_with(&["convert", "--to=obj", "-o-", "--pose=:0"], &[&bmd]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

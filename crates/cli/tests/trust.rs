//! Tests that messages are true: damaged files are reported, and advice has the promised effect.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, names, run_in, stderr, stdout};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// Returns a folder with copies of fixtures under names of their own.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for (fixture, name) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(testdata().join(fixture), path).unwrap();
    }
    dir
}

fn run(dir: &Path, words: &str) -> Output {
    run_in(dir, &words.split(' ').collect::<Vec<_>>())
}

/// Returns everything that a run prints.
fn text(output: &Output) -> String {
    stdout(output) + &stderr(output)
}

/// Runs a command, and returns its exit code and everything that it prints.
fn run_text(dir: &Path, words: &str) -> (i32, String) {
    let output = run(dir, words);
    (code(&output), text(&output))
}

fn json(dir: &Path, words: &str) -> Value {
    let output = run(dir, words);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{words}: {e}: {}", text(&output)))
}

#[test]
fn damaged_models_in_a_folder_are_errors_with_their_names() {
    let dir = folder(&[("iqm/tube.ok.iqm", "d/guy.iqm")]);
    let dir = dir.path();
    fs::write(dir.join("d/lost.dpm"), b"").unwrap();
    fs::write(dir.join("d/zeros.iqm"), [0; 300]).unwrap();
    fs::write(dir.join("d/notes.txt"), b"nothing").unwrap();
    for words in [
        "check d --deny-warnings",
        "info d",
        "convert d -o out/",
        "repair d -o repaired/",
        "render d -o drawn/",
    ] {
        let (status, text) = run_text(dir, words);
        assert_eq!(status, 1, "{words}: {text}");
        assert!(text.contains("lost.dpm: error[empty-file]"), "{words}: {text}");
        assert!(text.contains("zeros.iqm: error[bad-magic]"), "{words}: {text}");
    }
    assert_eq!(names(&dir.join("out")), ["guy.glb"]);
    assert_eq!(names(&dir.join("drawn")), ["guy.iqm.png"]);
    // The same in an archive.
    assert_eq!(run_text(dir, "pack d -o d.pk3").0, 0);
    for words in ["check d.pk3", "info d.pk3", "convert d.pk3 -o packed/"] {
        let (status, text) = run_text(dir, words);
        assert!(status == 1 && text.contains("lost.dpm: error[empty-file]"), "{words}: {text}");
    }
    // Skipped files are listed on request, and in the document.
    assert!(!run_text(dir, "check d").1.contains("notes.txt"));
    assert!(run_text(dir, "check d -v").1.contains("notes.txt: skipped: not a model"));
    let document = json(dir, "check d --format json");
    assert_eq!(document["skipped"], serde_json::json!(["d/notes.txt"]));
    assert_eq!(document["files"].as_array().unwrap().len(), 3);
}

/// A file of keys may have any length, but an empty one is damaged unless a skill has no keys.
#[test]
fn keys_without_bytes_are_errors() {
    let dir = folder(&[("tso/flower.ok.mesh", "d/flower.mesh")]);
    let dir = dir.path();
    fs::write(dir.join("d/sway.cfp"), b"").unwrap();
    let (status, text) = run_text(dir, "check d");
    assert!(status == 1 && text.contains("sway.cfp: error[empty-file]"), "{text}");
}

/// The Sims Online rejects an archive with a member without numbers.
#[test]
fn members_of_a_dat_need_numbers() {
    let dir = folder(&[
        ("tso/flower.ok.mesh", "d/flower.00c0ffee00000009.mesh"),
        ("tso/flag.ok.mesh", "e/flag.mesh"),
    ]);
    let dir = dir.path();
    assert_eq!(run_text(dir, "pack d -o a.dat").0, 0);
    for words in ["pack e -o b.dat", "pack e --onto a.dat -o b.dat"] {
        let (status, text) = run_text(dir, words);
        assert!(status == 1 && text.contains("error[not-packable]") && text.contains("flag.mesh"), "{text}");
        assert!(!dir.join("b.dat").exists());
    }
    assert_eq!(run_text(dir, "pack e -o b.far").0, 0);
}

/// Files of other programs share some extensions: siblings and the beginning of the content decide.
#[test]
fn shared_extensions_are_errors_where_the_files_are_ours() {
    let dir = folder(&[("tso/flower.ok.mesh", "whole.mesh"), ("tso/sway.ok.anim", "whole.anim")]);
    let dir = dir.path();
    let ogre = [&[0, 16][..], b"[MeshSerializer_v1.41]\n", &[0, 48, 9, 0, 0, 0, 0]].concat();
    fs::create_dir(dir.join("others")).unwrap();
    fs::write(dir.join("others/ogre.mesh"), &ogre).unwrap();
    fs::write(dir.join("others/zeros.mesh"), [0; 64]).unwrap();
    fs::write(dir.join("others/de.po"), b"msgid \"\"\nmsgstr \"\"\n").unwrap();
    fs::write(dir.join("others/x.col"), b"COLL\0\0\0\0").unwrap();
    let (status, text) = run_text(dir, "check others");
    assert!(status == 3 && text.contains("error[no-model]"), "{text}");
    // A file that is cut begins like ours.
    for name in ["mesh", "anim"] {
        let whole = fs::read(dir.join(format!("whole.{name}"))).unwrap();
        fs::create_dir(dir.join(name)).unwrap();
        fs::write(dir.join(format!("{name}/half.{name}")), &whole[..whole.len() / 2]).unwrap();
        let (status, text) = run_text(dir, &format!("check {name}"));
        assert!(status == 1 && text.contains(&format!("half.{name}: error[")), "{name}: {text}");
    }
    // Next to a sound one it is damaged whatever it begins with.
    fs::copy(dir.join("whole.mesh"), dir.join("others/flower.mesh")).unwrap();
    let (status, text) = run_text(dir, "check others");
    assert!(status == 1 && text.contains("zeros.mesh: error["), "{text}");
}

#[test]
fn metadata_of_macos_is_no_damaged_model() {
    let dir = folder(&[("dpm/quad.ok.dpm", "d/quad.dpm"), ("tso/flower.ok.mesh", "d/flower.mesh")]);
    let dir = dir.path();
    let metadata = b"\0\x05\x16\x07\0\x02\0\0Mac OS X        \0\x02\0\0\0\x09";
    for name in ["d/._quad.dpm", "d/._flower.mesh", "d/__MACOSX/._quad.dpm"] {
        fs::create_dir_all(dir.join(name).parent().unwrap()).unwrap();
        fs::write(dir.join(name), metadata).unwrap();
    }
    assert_eq!(run_text(dir, "pack d -o d.pk3").0, 0);
    for words in ["check d", "check d.pk3", "convert d -o out", "convert d.pk3 -o packed"] {
        let (status, text) = run_text(dir, words);
        assert!(status == 0 && text.contains("3 files are not models"), "{words}: {text}");
    }
    // Only this content is skipped, and not if it is named.
    fs::write(dir.join("d/._quad.dpm"), b"DARKPLACES").unwrap();
    assert_eq!(run_text(dir, "check d").0, 1);
    assert!(run_text(dir, "check d/._flower.mesh").1.contains("macOS"));
}

#[test]
fn another_kind_of_file_under_our_extension_is_named_by_its_kind() {
    let dir = folder(&[("dpm/quad.ok.dpm", "d/quad.dpm")]);
    let dir = dir.path();
    fs::write(dir.join("d/picture.dpm"), b"\x89PNG\r\n\x1a\n and more").unwrap();
    let (status, text) = run_text(dir, "check d");
    assert!(
        status == 3 && text.contains("picture.dpm: error[unknown-format]") && text.contains("PNG"),
        "{text}"
    );
    // A model that other tools open has the same tip by itself and in a summary.
    fs::write(dir.join("d/x.md3"), b"IDP3\x0f\0\0\0").unwrap();
    for words in ["check d/x.md3", "check d", "check d -v"] {
        assert!(run_text(dir, words).1.contains("Noesis"), "{words}");
    }
}

#[test]
fn keys_that_are_not_those_of_their_skill_are_errors() {
    let dir = folder(&[
        ("tso/flower.ok.cmx", "d/flower.cmx"),
        ("tso/sway.ok.cfp", "d/sway.cfp"),
        ("tso/sway.ok.cfp", "orphan/sway.cfp"),
    ]);
    let dir = dir.path();
    let (keys, whole) = (dir.join("d/sway.cfp"), fs::read(dir.join("d/sway.cfp")).unwrap());
    assert_eq!(run_text(dir, "check d").0, 0);
    let clips = |words: &str| json(dir, words)["files"][0]["clips"].as_array().unwrap().len();
    assert_eq!(clips("info d/flower.cmx --format json"), 1);
    let longer = [&whole[..], &whole].concat();
    for (what, bytes) in [("half", &whole[..whole.len() / 2]), ("longer", &longer)] {
        fs::write(&keys, bytes).unwrap();
        for words in ["check d/sway.cfp", "check d/flower.cmx", "check d", "convert d/flower.cmx -o x.glb"] {
            let (status, text) = run_text(dir, words);
            assert!(status == 1 && text.contains("sway.cfp"), "{what}, {words}: {status} {text}");
        }
        assert!(!dir.join("x.glb").exists());
        // Leniently the last key is held, or what is too much is left out, with a warning.
        let (status, text) = run_text(dir, "convert d/flower.cmx --lenient -o y.glb");
        assert!(status == 0 && text.contains("warning["), "{what}: {text}");
        let bytes = fs::read(dir.join("y.glb")).unwrap();
        assert!(bytes.windows(8).any(|part| part == b"o2o-sway"), "{what}: the clip is there");
    }
    let (status, text) = run_text(dir, "check orphan --deny-warnings");
    assert!(status == 1 && text.contains("sway.cfp: warning[companion-missing]"), "{text}");
}

/// Returns what a run says of each file: the lines from the one that begins with its name.
fn said_of(output: &Output) -> BTreeMap<String, String> {
    let mut of_files: BTreeMap<String, String> = BTreeMap::new();
    let mut of = String::new();
    for line in text(output).lines() {
        if let Some((name, _)) = line.split_once(": ").filter(|_| !line.starts_with(' ')) {
            name.clone_into(&mut of);
        }
        let lines = of_files.entry(of.clone()).or_default();
        lines.push_str(line);
        lines.push('\n');
    }
    of_files
}

/// `--lenient opens it` is printed if the command succeeds with `--lenient`, and only then.
#[test]
fn lenient_is_advised_where_it_leads_to_what_was_asked_for() {
    let (mut advised, mut refused) = (0, 0);
    let dir = TempDir::new().unwrap();
    let mut judge = |what: &str, strict: &str, leads: bool| {
        let advice = strict.contains("--lenient opens it");
        assert_eq!(advice, leads, "{what}: {strict}");
        if advice { advised += 1 } else { refused += 1 }
    };
    for family in ["bmd", "crucible", "dpm", "fsomodel", "iqm", "tso"] {
        let rejects = names(&testdata().join(family)).into_iter().filter(|name| name.contains(".reject."));
        let paths = rejects.map(|name| testdata().join(family).join(name).to_str().unwrap().to_owned());
        let paths: Vec<String> = paths.collect();
        let of_all: Vec<&str> = paths.iter().map(String::as_str).collect();
        for command in ["check", "info"] {
            let run = |more: &[&str]| said_of(&run_in(dir.path(), &[&[command], more, &of_all].concat()));
            let (strict, lenient) = (run(&[]), run(&["--lenient"]));
            for path in &of_all {
                if strict[*path].contains("error[") {
                    judge(&format!("{command} {path}"), &strict[*path], !lenient[*path].contains("error["));
                }
            }
        }
        for path in of_all {
            let words = ["convert", "--to", "glb", "-o", "out.glb", path];
            let strict = run_in(dir.path(), &words);
            if code(&strict) != 0 {
                let lenient = run_in(dir.path(), &[&words[..], &["--lenient"]].concat());
                judge(&format!("{words:?}"), &text(&strict), code(&lenient) == 0);
            }
        }
    }
    assert!(advised > 20 && refused > 100, "{advised} {refused}");
}

#[test]
fn members_of_archives_are_named_as_commands_take_them() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    let game = testdata().join("game");
    let archive = crate::common::tree(&game).into_keys().find(|name| name.ends_with(".dat")).unwrap();
    fs::copy(game.join(&archive), dir.join("a.dat")).unwrap();
    let listed = json(dir, "list a.dat --format json");
    let files = listed["files"].as_array().unwrap();
    assert!(files.iter().any(|file| file["stored"].is_string()), "{listed}");
    for file in files {
        let member = format!("a.dat/{}", file["file"].as_str().unwrap());
        assert_eq!(code(&run_in(dir, &["unpack", &member, "-o", "out"])), 0, "{member}");
    }
    // A name without its number is answered with the one that has it.
    let (file, stored) =
        files.iter().find_map(|file| Some((file["file"].as_str()?, file["stored"].as_str()?))).unwrap();
    let (status, text) = run_text(dir, &format!("check a.dat/{stored}"));
    assert!(status == 3 && text.contains(file), "{stored}: {text}");
}

#[test]
fn findings_of_an_archive_name_it_and_its_member_once() {
    let dir =
        folder(&[("dpm/quad.ok.dpm", "d/models/quad.dpm"), ("dpm/hopper.ok.dpm", "d/models/hopper.dpm")]);
    let dir = dir.path();
    fs::create_dir(dir.join("packs")).unwrap();
    assert_eq!(run_text(dir, "pack d -o packs/x.pk3").0, 0);
    let mut bytes = fs::read(dir.join("packs/x.pk3")).unwrap();
    // A wrong checksum of the first member, in the directory of the archive.
    let entry = bytes.windows(4).position(|part| part == b"PK\x01\x02").unwrap();
    bytes[entry + 16] ^= 0xff;
    fs::write(dir.join("packs/x.pk3"), bytes).unwrap();
    for words in ["check packs/x.pk3", "check packs"] {
        let (status, text) = run_text(dir, words);
        assert_eq!(status, 1, "{text}");
        let lines: Vec<_> = text.lines().filter(|line| line.contains("error[bad-crc]")).collect();
        assert!(
            matches!(lines.as_slice(), [line] if line.starts_with("packs/x.pk3: ") && line.contains("models/hopper.dpm")),
            "{text}"
        );
    }
    let document = json(dir, "check packs/x.pk3 --format json");
    assert_eq!(document["files"][0]["file"], "packs/x.pk3", "{document}");
    assert_eq!(document["files"].as_array().unwrap().len(), 2, "{document}");
    let sarif = json(dir, "check packs/x.pk3 --format sarif").to_string();
    assert!(sarif.contains(r#""uri":"packs/x.pk3""#) && !sarif.contains(r#""uri":".""#), "{sarif}");
}

#[cfg(unix)]
#[test]
fn links_out_of_a_folder_are_said_and_followed_on_request() {
    let dir =
        folder(&[("dpm/quad.ok.dpm", "d/models/quad.dpm"), ("dpm/hopper.ok.dpm", "elsewhere/hopper.dpm")]);
    let dir = dir.path();
    assert_eq!(run_text(dir, "pack d -o installed.pk3").0, 0);
    fs::create_dir(dir.join("game")).unwrap();
    std::os::unix::fs::symlink(dir.join("installed.pk3"), dir.join("game/data.pk3")).unwrap();
    std::os::unix::fs::symlink(dir.join("elsewhere"), dir.join("game/more")).unwrap();
    for words in ["list game", "check -v game", "info game"] {
        let (_, text) = run_text(dir, words);
        assert!(
            text.contains("2 links lead out of the folder") && text.contains("--follow"),
            "{words}: {text}"
        );
        assert!(!text.contains("quad.dpm") && !text.contains("hopper.dpm"), "{words}: {text}");
        let (status, text) = run_text(dir, &format!("{words} --follow"));
        assert_eq!(status, 0, "{words}: {text}");
        assert!(text.contains("quad.dpm") && text.contains("hopper.dpm"), "{words}: {text}");
        assert!(!text.contains("links lead out"), "{words}: {text}");
    }
    assert_eq!(json(dir, "check game --format json")["summary"]["links_out"], 2);
}

#[test]
fn what_is_not_there_ends_every_command_alike() {
    let dir = folder(&[("dpm/quad.ok.dpm", "models/quad.dpm")]);
    let dir = dir.path();
    for words in [
        "check nothere",
        "info nothere",
        "list nothere",
        "convert nothere -o x.glb",
        "unpack nothere -o x",
        "pack nothere -o x.pk3",
        "view nothere --no-browser",
        "render nothere -o x.png",
    ] {
        let (status, text) = run_text(dir, words);
        assert!(
            status == 3 && text.contains("nothere: error[cannot-read] there is no such file"),
            "{words}: {text}"
        );
    }
    for words in ["check models/quda.dpm", "info models/quad.zym", "list modles"] {
        let (status, text) = run_text(dir, words);
        let near = if words.starts_with("list") { "is it models?" } else { "is it quad.dpm?" };
        assert!(status == 3 && text.contains(near), "{words}: {text}");
    }
    assert_eq!(run_text(dir, "pack models -o m.pk3").0, 0);
    let (status, text) = run_text(dir, "check m.pk3/quat.dpm");
    assert!(status == 3 && text.contains("is it quad.dpm?"), "{text}");
}

#[test]
fn a_fault_of_a_file_that_an_option_names_is_not_one_of_the_model() {
    let dir = folder(&[
        ("dpm/quad.ok.dpm", "models/quad.dpm"),
        ("dpm/parent.reject.dpm", "broken.dpm"),
        ("tso/flower.ok.mesh", "flower.mesh"),
        ("tso/count.reject.anim", "count.anim"),
        ("dpm/hopper.ok.dpm.framegroups", "groups.framegroups"),
    ]);
    let dir = dir.path();
    fs::create_dir(dir.join("packed")).unwrap();
    fs::write(dir.join("packed/one.framegroups"), "0 1 9 1 once").unwrap();
    assert_eq!(run_text(dir, "pack packed -o bad.pk3").0, 0);
    let mut pack = fs::read(dir.join("bad.pk3")).unwrap();
    let at = pack.windows(4).position(|bytes| bytes == b"once").unwrap();
    pack[at] = b'O';
    fs::write(dir.join("bad.pk3"), pack).unwrap();
    let quad = "models/quad.dpm -o x.dpm";
    for (words, file, error) in [
        (&*format!("convert {quad} --onto broken.dpm"), "broken.dpm", "bad-parent"),
        (&*format!("convert {quad} --retarget broken.dpm"), "broken.dpm", "bad-parent"),
        (&*format!("convert {quad} --onto groups.framegroups"), "groups.framegroups", "not-convertible"),
        ("check flower.mesh --anim count.anim", "count.anim", "bad-count"),
        (
            &*format!("convert {quad} --framegroups bad.pk3/one.framegroups"),
            "bad.pk3/one.framegroups",
            "bad-crc",
        ),
        ("check models/quad.dpm --framegroups bad.pk3/one.framegroups", "bad.pk3/one.framegroups", "bad-crc"),
        ("check models --framegroups bad.pk3/one.framegroups", "bad.pk3/one.framegroups", "bad-crc"),
    ] {
        let (status, text) = run_text(dir, words);
        assert!(status == 1 && text.contains(&format!("{file}: error[{error}]")), "{words}: {text}");
        assert!(!text.contains("quad.dpm: error") && !text.contains("flower.mesh: error"), "{words}: {text}");
        let document = json(dir, &format!("{words} --format json"));
        let fault = &document["files"][0]["error"];
        assert_eq!((&fault["code"], &fault["companion"]), (&error.into(), &file.into()), "{words}: {fault}");
    }
    run_text(dir, "convert models -o out/ --to dpm --onto broken.dpm --manifest m.json");
    let manifest: Value = serde_json::from_slice(&fs::read(dir.join("m.json")).unwrap()).unwrap();
    let entry = &manifest["files"][0];
    assert!(entry["error"].is_object() && entry["validity"].is_null(), "{manifest:#}");
}

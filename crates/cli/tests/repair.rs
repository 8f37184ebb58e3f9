//! `meshwright repair`: what it writes, where, and what it says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, names, run, stderr, stdout};
use meshwright_testkit::packs::{Method, zip};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Returns a DPM whose header states another size.
fn broken(dir: &Path, name: &str) -> PathBuf {
    let mut bytes = fs::read(demo()).unwrap();
    bytes[20..24].copy_from_slice(&u32::MAX.to_be_bytes());
    fs::create_dir_all(dir).unwrap();
    let path = dir.join(name);
    fs::write(&path, bytes).unwrap();
    path
}

fn run_with(words: &[&str], paths: &[&Path]) -> std::process::Output {
    run(args(words).into_iter().chain(paths.iter().map(Into::into)))
}

#[test]
fn a_file_is_repaired_elsewhere_or_in_place_with_a_backup() {
    let dir = TempDir::new().unwrap();
    let model = broken(dir.path(), "m.dpm");
    let old = fs::read(&model).unwrap();
    assert_eq!(code(&run_with(&["check"], &[&model])), 1);
    let out = dir.path().join("out.dpm");
    let output = run_with(&["repair", "-o", out.to_str().unwrap()], &[&model]);
    assert_eq!(code(&output), 0, "{}{}", stdout(&output), stderr(&output));
    assert!(stdout(&output).contains("fixed[truncated] filesize"));
    assert_eq!(fs::read(&out).unwrap(), fs::read(demo()).unwrap());
    assert_eq!(fs::read(&model).unwrap(), old, "the input stays");
    assert_eq!(code(&run_with(&["check"], &[&out])), 0);
    // A dry run writes nothing.
    let dry = run_with(&["repair", "--dry-run", "--in-place"], &[&model]);
    assert!(stdout(&dry).contains("4 bytes would change"), "{}", stdout(&dry));
    assert_eq!(names(dir.path()), ["m.dpm", "out.dpm"]);
    let place = run_with(&["repair", "--in-place"], &[&model]);
    assert_eq!(code(&place), 0, "{}", stderr(&place));
    assert!(stdout(&place).contains("backup: ") && stdout(&place).contains("m.dpm.bak"));
    assert_eq!(names(dir.path()), ["m.dpm", "m.dpm.bak", "out.dpm"]);
    assert_eq!(fs::read(dir.path().join("m.dpm.bak")).unwrap(), old);
    assert_eq!(fs::read(&model).unwrap(), fs::read(demo()).unwrap());
    // A sound file is not changed, and no backup is replaced.
    let again = run_with(&["repair", "--in-place"], &[&model]);
    assert!(stdout(&again).contains("nothing to fix"), "{}", stdout(&again));
    assert_eq!(names(dir.path()).len(), 3);
    fs::write(&model, &old).unwrap();
    assert_eq!(code(&run_with(&["repair", "--in-place"], &[&model])), 0);
    assert_eq!(names(dir.path()), ["m.dpm", "m.dpm.bak", "m.dpm.bak2", "out.dpm"]);
    // The output must be named.
    assert_eq!(code(&run_with(&["repair"], &[&model])), 2);
    assert_eq!(code(&run_with(&["repair", "--in-place", "-o", "x"], &[&model])), 2);
    let output = run_with(&["repair", "-o", model.to_str().unwrap()], &[&model]);
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

#[test]
fn a_copy_replaces_no_archive_and_no_companion() {
    let dir = TempDir::new().unwrap();
    let (model, pack) = (fs::read(broken(dir.path(), "m.dpm")).unwrap(), dir.path().join("p.pk3"));
    let (groups, archive) = (dir.path().join("m.dpm.framegroups"), zip(&[("m.dpm", &model)], Method::Stored));
    fs::write(&groups, "0 1 5 1 once\n").unwrap();
    fs::write(&pack, &archive).unwrap();
    for (input, out) in [(pack.join("m.dpm"), &pack), (dir.path().join("m.dpm"), &groups)] {
        let output = run_with(&["repair", "-o", out.to_str().unwrap()], &[&input]);
        assert_eq!(code(&output), 2, "{}", stderr(&output));
        assert!(stderr(&output).contains("would-replace"), "{}", stderr(&output));
    }
    assert!(fs::read(&pack).unwrap() == archive);
    assert_eq!(fs::read_to_string(&groups).unwrap(), "0 1 5 1 once\n");
    assert_eq!(code(&run_with(&["repair", "--in-place"], &[&dir.path().join("m.dpm")])), 0);
}

#[test]
fn files_in_an_archive_that_options_name_protect_it() {
    let dir = TempDir::new().unwrap();
    let at = |name: &str| dir.path().join(name);
    let text = run_with(&["dump", "--native"], &[&demo()]).stdout;
    let sway = fs::read(testdata().join("tso/sway.ok.anim")).unwrap();
    let archive =
        zip(&[("m.json", &text), ("m.groups", b"0 1 5 1 once\n"), ("s.anim", &sway)], Method::Stored);
    fs::write(at("p.pk3"), &archive).unwrap();
    let (pack, model) = (at("p.pk3"), demo());
    let (mesh, skeleton) = (testdata().join("tso/flower.ok.mesh"), testdata().join("tso/flower.ok.skel"));
    let [json, groups, anim] = ["m.json", "m.groups", "s.anim"].map(|name| pack.join(name));
    let word = |text| Path::new(text);
    for words in [
        &[word("build"), &json, word("-o"), &pack][..],
        &[word("convert"), &model, word("--framegroups"), &groups, word("--to=glb"), word("-o"), &pack],
        &[
            word("convert"),
            &mesh,
            word("--skeleton"),
            &skeleton,
            word("--anim"),
            &anim,
            word("--to=glb"),
            word("-o"),
            &pack,
        ],
        &[
            word("convert"),
            &mesh,
            word("--skeleton"),
            &skeleton,
            word("--anim"),
            &pack,
            word("--to=glb"),
            word("-o"),
            &pack,
        ],
    ] {
        let output = run(words);
        assert!(
            code(&output) == 2 && stderr(&output).contains("would-replace"),
            "{words:?}: {}",
            stderr(&output)
        );
        assert!(fs::read(&pack).unwrap() == archive, "{words:?}");
    }
}

#[test]
fn what_is_left_has_a_reason() {
    let lod = testdata().join("bmd/lod-range.reject.bmd");
    let output = run_with(&["repair", "--dry-run"], &[&lod]);
    assert_eq!(code(&output), 1, "{}", stdout(&output));
    assert!(stdout(&output).contains("left error[level-range]: "), "{}", stdout(&output));
    // A file that no reader can open is refused.
    let magic = testdata().join("dpm/magic.reject.dpm");
    let output = run_with(&["repair", "--dry-run"], &[&magic]);
    assert_eq!(code(&output), 1, "{}", stderr(&output));
    assert!(stderr(&output).contains("error[bad-magic]"), "{}", stderr(&output));
}

#[test]
fn a_folder_is_repaired_into_another() {
    let dir = TempDir::new().unwrap();
    let from = dir.path().join("in");
    broken(&from, "a.dpm");
    broken(&from.join("sub"), "b.dpm");
    fs::copy(demo(), from.join("fine.dpm")).unwrap();
    let out = dir.path().join("out");
    let output = run_with(&["repair", "--format=json", "-o", out.to_str().unwrap()], &[&from]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let mended: Vec<usize> =
        document["files"].as_array().unwrap().iter().map(|f| f["mended"].as_array().unwrap().len()).collect();
    assert_eq!(mended, [1, 0, 1]);
    assert_eq!(document["files"][0]["changed"], serde_json::json!([[20, 24]]));
    let fine = fs::read(demo()).unwrap();
    for name in ["a.dpm", "fine.dpm", "sub/b.dpm"] {
        assert_eq!(fs::read(out.join(name)).unwrap(), fine, "{name}");
    }
    let kept = run_with(&["repair", "--no-clobber", "-o", out.to_str().unwrap()], &[&from]);
    assert_eq!(code(&kept), 0, "{}", stderr(&kept));
    assert!(stderr(&kept).contains("3 kept"), "{}", stderr(&kept));
    let a = out.join("a.dpm");
    assert!(stderr(&kept).contains(&format!("{} exists: not replaced", a.display())), "{}", stderr(&kept));
    // A file that cannot be repaired is not copied.
    let (lod, copy) = (testdata().join("bmd/lod-range.reject.bmd"), dir.path().join("copy.bmd"));
    let output = run_with(&["repair", "-o", copy.to_str().unwrap()], &[&lod]);
    assert!(code(&output) == 1 && stdout(&output).contains("not copied"), "{}", stdout(&output));
    assert!(!copy.exists());
}

//! Commands and options that only DPM and ZYM have.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, run, stderr, stdout};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

/// Returns a folder with the hopper and this companion.
fn hopper(groups: &str) -> (TempDir, PathBuf) {
    let dir = TempDir::new().unwrap();
    let path = dir.path().join("h.dpm");
    fs::copy(testdata().join("dpm/hopper.ok.dpm"), &path).unwrap();
    fs::write(dir.path().join("h.dpm.framegroups"), groups).unwrap();
    (dir, path)
}

fn json(args: &[&str]) -> Value {
    let out = run(args);
    assert_eq!(code(&out), 0, "{args:?}: {}", stderr(&out));
    serde_json::from_str(&stdout(&out)).unwrap()
}

#[test]
fn info_and_dump_see_the_clips_that_convert_does() {
    let (_dir, path) = hopper("1 6 6 1 // sways\n7 8\n3 1\n0 2\n");
    let path = path.to_str().unwrap();
    let info = json(&["info", path, "--format", "json"]);
    assert_eq!(info["files"][0]["counts"]["clips"], 4);
    assert_eq!(
        json(&["info", path, "--format", "json", "--no-companions"])["files"][0]["counts"]["clips"],
        3
    );
    let names = |more: &[&str]| {
        let dump = json(&[&["dump", path], more].concat());
        let clips = dump["clips"].as_array().unwrap().clone();
        clips.iter().map(|c| c["name"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let engine = ["groupified_0_anim", "groupified_1_anim", "groupified_2_anim", "groupified_3_anim"];
    assert_eq!(names(&[]), engine);
    assert_eq!(names(&["--clip-names", "comments"])[..2], ["sways", "groupified_1_anim"]);
    assert_eq!(names(&["--clip-names", "frames"])[..3], ["idle", "hop", "idle"]);
}

#[test]
fn a_dpm_is_optimised_with_its_companion() {
    let (dir, path) = hopper("7 4 6 1 // some\n9 2\n");
    let out = dir.path().join("small.dpm");
    let (path, out) = (path.to_str().unwrap(), out.to_str().unwrap());
    let done = json(&["optimize", path, "-o", out, "--also", "frames", "--format", "json"]);
    assert_eq!((&done["before"]["frames"], &done["after"]["frames"]), (&15.into(), &5.into()));
    assert!(done["after"]["acmr"].as_f64() <= done["before"]["acmr"].as_f64());
    let bytes = usize::try_from(done["after"]["bytes"].as_u64().unwrap()).unwrap();
    assert_eq!(fs::read(out).unwrap().len(), bytes);
    let groups = fs::read_to_string(format!("{out}.framegroups")).unwrap();
    assert_eq!(groups, "1 4 6 1\n3 2 20 1\n");
    assert_eq!(json(&["info", out, "--format", "json"])["files"][0]["counts"]["clips"], 2);
    // Nothing of the clips is changed where no frame goes.
    let whole = dir.path().join("whole.dpm");
    let said = run(["optimize", path, "-o", whole.to_str().unwrap(), "--unused-bones", "remove"]);
    assert!(stdout(&said).contains("cache misses per triangle"), "{}", stdout(&said));
    assert_eq!(fs::read(dir.path().join("whole.dpm.framegroups")).unwrap(), b"7 4 6 1 // some\n9 2\n");
    // Options of one format are none of another's.
    let refused = run(["optimize", path, "-o", out, "--max-angle", "1"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("--max-angle works only for BMD"), "{}", stderr(&refused));
    let bmd = fs::read_dir(testdata().join("bmd")).unwrap().map(|e| e.unwrap().path());
    let bmd = bmd.filter(|p| p.to_string_lossy().contains(".ok.bmd")).min().unwrap();
    let refused = run(["optimize", bmd.to_str().unwrap(), "-o", out, "--skip", "order"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("--skip works only for DPM and ZYM"), "{}", stderr(&refused));
    let zym = testdata().join("dpm/pair.ok.zym");
    let small = dir.path().join("small.zym");
    let done = run(["optimize", zym.to_str().unwrap(), "-o", small.to_str().unwrap()]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    assert_eq!(code(&run(["check", small.to_str().unwrap()])), 0);
}

#[test]
fn an_edit_changes_what_it_names() {
    let (dir, path) = hopper("");
    let before = fs::read(&path).unwrap();
    let out = dir.path().join("edited.dpm");
    let (shown, to) = (path.to_str().unwrap(), out.to_str().unwrap());
    let base = ["edit", shown, "-o", to];
    let with = |more: &[&str]| run([&base, more].concat());
    let info: Value = json(&["dump", shown]);
    let bone = info["skeleton"]["bones"][0]["name"].as_str().unwrap_or("#0").to_owned();
    let done = with(&[
        "--set-attach",
        &bone,
        "--rename-bone",
        &format!("{bone}=spine"),
        "--set-groupid",
        "#0:0-1=77",
    ]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let after = fs::read(&out).unwrap();
    let changed = (0..before.len()).filter(|&i| before[i] != after[i]).count();
    assert!(before.len() == after.len() && (4..=16).contains(&changed), "{changed}");
    // The first bone starts at 80: its name, and 36 bytes later its flags.
    assert_eq!((&after[80..86], after[80 + 39]), (&b"spine\0"[..], 1));
    for (more, why) in [
        (vec!["--set-attach", "missing"], "\"missing\""),
        (vec!["--set-groupid", "#0:5"], "expected MESH:RANGE=N"),
        (vec!["--set-shader", "#0=a name that is far longer than the field"], "at most 31 bytes"),
        (vec![], "no edit given"),
    ] {
        let refused = with(&more);
        assert_eq!(code(&refused), 2, "{more:?}");
        assert!(stderr(&refused).contains(why), "{}", stderr(&refused));
    }
    // In its own place only when that is asked for, and with the old file next to it.
    let refused = run(["edit", shown, "-o", shown, "--set-shader", "#0=other"]);
    assert_eq!(code(&refused), 2, "{}", stderr(&refused));
    assert_eq!(fs::read(&path).unwrap(), before);
    let done = run(["edit", shown, "--in-place", "--set-shader", "#0=other"]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    assert_ne!(fs::read(&path).unwrap(), before);
    assert_eq!(fs::read(path.with_extension("dpm.bak")).unwrap(), before);
}

#[test]
fn a_model_of_one_frame_becomes_a_static_mesh() {
    let dir = TempDir::new().unwrap();
    let model =
        meshwright::dpm::Dpm::parse(&fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap()).unwrap();
    let mut still = model.clone();
    still.frames.truncate(1);
    still.poses.truncate(still.bones.len());
    let path = dir.path().join("s.dpm");
    fs::write(&path, still.to_bytes().unwrap()).unwrap();
    let converted = |more: &[&str]| -> Value {
        let out = dir.path().join("s.gltf");
        let done = run([&["convert", path.to_str().unwrap(), "-o", out.to_str().unwrap()], more].concat());
        assert_eq!(code(&done), 0, "{}", stderr(&done));
        serde_json::from_slice(&fs::read(out).unwrap()).unwrap()
    };
    let gltf = converted(&[]);
    assert!(gltf["skins"].is_null() && gltf["animations"].is_null());
    let nodes = gltf["nodes"].as_array().unwrap();
    let tag = nodes.iter().find(|n| n["name"] == "tag_hat").expect("an attachment is a node");
    assert!(tag["mesh"].is_null() && !tag["translation"].is_null());
    let kept = converted(&["--keep-skeleton"]);
    assert_eq!(
        (kept["skins"].as_array().unwrap().len(), kept["animations"].as_array().unwrap().len()),
        (1, 1)
    );
}

#[test]
fn parents_after_their_children_are_sorted() {
    let mut model =
        meshwright::dpm::Dpm::parse(&fs::read(testdata().join("dpm/quad.ok.dpm")).unwrap()).unwrap();
    let sound = model.to_bytes().unwrap();
    // Bones of 40 bytes start at 80; `base` is the parent of `tip`. The third is a copy without a parent.
    model.bones.push(model.bones[0]);
    model.bones[2].name = meshwright::dpm::Name::truncated(b"last");
    let poses: Vec<_> = model.poses.chunks(2).flat_map(|p| [p[0], p[1], p[0]]).collect();
    model.poses = poses;
    let mut bytes = model.to_bytes().unwrap();
    assert!(bytes.len() > sound.len());
    bytes[80 + 32..80 + 36].copy_from_slice(&2_u32.to_be_bytes());
    let dir = TempDir::new().unwrap();
    let (path, out) = (dir.path().join("odd.dpm"), dir.path().join("sorted.dpm"));
    fs::write(&path, &bytes).unwrap();
    let (path, out) = (path.to_str().unwrap(), out.to_str().unwrap());
    assert_eq!(code(&run(["check", path])), 1);
    let sorted = run(["convert", path, "-o", out, "--lenient"]);
    assert_eq!(code(&sorted), 0, "{}", stderr(&sorted));
    assert!(stderr(&sorted).contains("bad-parent"), "{}", stderr(&sorted));
    assert_eq!(code(&run(["check", out, "-q"])), 0);
    let again = meshwright::dpm::Dpm::parse(&fs::read(out).unwrap()).unwrap();
    let names: Vec<_> = again.bones.iter().map(|b| (b.name.text(), b.parent)).collect();
    assert_eq!(names, [("last".into(), -1), ("base".into(), 0), ("tip".into(), 1)]);
}

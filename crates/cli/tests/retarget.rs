//! `convert --retarget`.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{code, program, stderr, stdout};
use meshwright_testkit::testdata;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

fn retarget(folder: &Path, more: &[&str]) -> Output {
    let (walker, figure) = (testdata().join("gltf/walker.ok.glb"), testdata().join("tso/figure.ok.cmx"));
    program()
        .current_dir(folder)
        .arg("convert")
        .arg(walker)
        .arg("--retarget")
        .arg(figure)
        .args(more)
        .output()
        .unwrap()
}

/// Returns the largest error of a foot, in percent of the height.
fn foot_error(output: &Output) -> f64 {
    let document: serde_json::Value = serde_json::from_str(&stdout(output)).unwrap();
    let losses = document["files"][0]["losses"].as_array().unwrap();
    let ends = losses
        .iter()
        .filter(|l| l["code"] == "retarget-end" && l["path"].as_str().unwrap().ends_with("FOOT"));
    ends.map(|l| l["amount"].as_f64().unwrap()).reduce(f64::max).unwrap()
}

#[test]
fn a_walk_comes_onto_a_skeleton_of_the_sims() {
    let folder = TempDir::new().unwrap();
    let done = retarget(folder.path(), &["-o", "a.glb", "-v"]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let said = stderr(&done);
    for part in ["retarget-bone", "L_LEG1", "mixamorig:LeftLeg", "retarget-end", "L_FOOT"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let done = retarget(folder.path(), &["-o", "walker.cmx"]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let made = fs::read_to_string(folder.path().join("walker.cmx")).unwrap();
    assert!(made.contains("PELVIS") && !made.contains("figure"), "the skeleton is there already: {made}");
}

#[test]
fn held_feet_are_nearer_to_their_paths() {
    let folder = TempDir::new().unwrap();
    let free = foot_error(&retarget(folder.path(), &["-o", "a.glb", "--format", "json"]));
    let held = foot_error(&retarget(folder.path(), &["-o", "b.glb", "--format", "json", "--hold", "feet"]));
    assert!(held < 0.5 && held < free && free < 10.0, "{held} {free}");
}

#[test]
fn a_map_is_written_edited_and_read() {
    let folder = TempDir::new().unwrap();
    let done = retarget(folder.path(), &["-o", "a.glb", "--map-out", "bones.toml"]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let map = folder.path().join("bones.toml");
    let text = fs::read_to_string(&map).unwrap();
    assert!(text.contains("L_FOOT = \"mixamorig:LeftFoot\""), "{text}");
    let done = retarget(folder.path(), &["-o", "b.glb", "--map", "bones.toml"]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let bytes = |name: &str| fs::read(folder.path().join(name)).unwrap();
    assert!(bytes("a.glb") == bytes("b.glb"));
    let done = retarget(folder.path(), &["-o", "c.glb", "--map-out", "-"]);
    assert_eq!(stdout(&done), text);
    for more in [["-o", "-", "--to", "glb"], ["-o", "c.glb", "--format", "json"]] {
        let done = retarget(folder.path(), &[&more[..], &["--map-out", "-"]].concat());
        assert_eq!(code(&done), 2, "{more:?}");
        assert!(!stdout(&done).contains("[bones]") && stderr(&done).contains("--map-out -"), "{more:?}");
    }
    fs::write(&map, "[bones]\nL_TAIL = \"mixamorig:Hips\"\n").unwrap();
    let done = retarget(folder.path(), &["-o", "d.glb", "--map", "bones.toml"]);
    assert_eq!(code(&done), 1, "{}", stderr(&done));
    assert!(stderr(&done).contains("L_TAIL") && stderr(&done).contains("line 2"), "{}", stderr(&done));
    assert!(!folder.path().join("d.glb").exists());
}

#[test]
fn what_has_no_skeleton_is_refused() {
    let folder = TempDir::new().unwrap();
    let triangle = testdata().join("gltf/triangle.ok.glb");
    let done = retarget(folder.path(), &["-o", "a.glb", "--map", "none.toml"]);
    assert_eq!(code(&done), 3, "{}", stderr(&done));
    let mut command = program();
    command.current_dir(&folder).arg("convert").arg(testdata().join("gltf/walker.ok.glb"));
    let done = command.arg("--retarget").arg(triangle).args(["-o", "b.glb"]).output().unwrap();
    assert_eq!(code(&done), 1, "{}", stderr(&done));
    assert!(stderr(&done).contains("no skeleton"), "{}", stderr(&done));
}

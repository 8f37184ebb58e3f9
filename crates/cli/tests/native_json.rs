//! `meshwright dump --native` and `build`: a model as text.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, names, run, stderr, stdout};
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

fn run_with(words: &[&str], paths: &[&Path]) -> std::process::Output {
    run(args(words).into_iter().chain(paths.iter().map(Into::into)))
}

#[test]
fn a_file_is_dumped_edited_and_built() {
    let dir = TempDir::new().unwrap();
    let (json, copy) = (dir.path().join("m.json"), dir.path().join("copy.dpm"));
    let done = run_with(&["dump", "--native", "-o", json.to_str().unwrap()], &[&demo()]);
    assert_eq!((code(&done), stdout(&done).as_str()), (0, ""), "{}", stderr(&done));
    let done = run_with(&["build", "-o", copy.to_str().unwrap()], &[&json]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let bytes = fs::read(demo()).unwrap();
    assert!(stdout(&done).contains(&format!("{} bytes", bytes.len())), "{}", stdout(&done));
    assert_eq!(fs::read(&copy).unwrap(), bytes);

    // To standard output.
    let done = run_with(&["build", "-o", "-"], &[&json]);
    assert!(code(&done) == 0 && done.stdout == bytes);

    // An edit.
    let text = fs::read_to_string(&json).unwrap();
    fs::write(&json, text.replacen("\"parent\": -1", "\"parent\": 9000000000", 1)).unwrap();
    let before = names(dir.path());
    let done =
        run_with(&["build", "--format", "json", "-o", dir.path().join("x.dpm").to_str().unwrap()], &[&json]);
    assert_eq!(code(&done), 1, "{}", stderr(&done));
    let said: Value = serde_json::from_slice(&done.stdout).unwrap();
    assert_eq!(said["error"]["code"], "native-json");
    assert!(
        stderr(&done).contains("file.bones[0].parent") && stderr(&done).contains("line "),
        "{}",
        stderr(&done)
    );
    assert_eq!(names(dir.path()), before);
    // The input is not replaced, and an output is needed.
    fs::write(&json, &text).unwrap();
    assert_eq!(code(&run_with(&["build", "-o", json.to_str().unwrap()], &[&json])), 2);
    assert_eq!(code(&run_with(&["build"], &[&json])), 2);
    assert_eq!(code(&run_with(&["dump", "--native", "--pose", "0:0"], &[&demo()])), 2);
    let done = run_with(&["build", "--max-memory", "1000", "-o", "-"], &[&json]);
    assert_eq!((code(&done), done.stdout.len()), (3, 0), "{}", stderr(&done));
}

#[test]
fn a_damaged_file_is_dumped_too() {
    let dir = TempDir::new().unwrap();
    let (broken, json) = (dir.path().join("b.dpm"), dir.path().join("b.json"));
    let bytes = &fs::read(demo()).unwrap()[..1000];
    fs::write(&broken, bytes).unwrap();
    assert_eq!(code(&run_with(&["check"], &[&broken])), 1);
    let done = run_with(&["dump", "--native", "-o", json.to_str().unwrap()], &[&broken]);
    assert_eq!(code(&done), 0, "{}", stderr(&done));
    let done = run_with(&["build", "-o", "-"], &[&json]);
    assert!(code(&done) == 0 && done.stdout == bytes);
}

//! The forms in which other programs run this one: the action of GitHub and the hook of pre-commit.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::program;
use meshwright_testkit::testdata;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns a command that finds the tested program as `meshwright`.
fn command(name: &str, folder: &Path) -> Command {
    let program = PathBuf::from(program().get_program());
    let mut command = Command::new(name);
    let path = std::env::var("PATH").unwrap();
    command.env("PATH", format!("{}:{path}", program.parent().unwrap().display())).current_dir(folder);
    command
}

/// Returns a folder with a model, and one that a reader rejects if `is_broken`.
fn models(is_broken: bool) -> TempDir {
    let dir = TempDir::new().unwrap();
    fs::copy(testdata().join("dpm/hopper.ok.dpm"), dir.path().join("good.dpm")).unwrap();
    if is_broken {
        fs::copy(testdata().join("dpm/parent.reject.dpm"), dir.path().join("broken.dpm")).unwrap();
    }
    dir
}

#[test]
fn the_action_writes_findings_by_the_names_of_the_repository() {
    let action = fs::read_to_string(root().join(".github/actions/check/action.yml")).unwrap();
    let script = action.split_once("      run: |\n").unwrap().1.replace("        ", "");
    for is_broken in [false, true] {
        let dir = models(is_broken);
        let mut bash = command("bash", dir.path());
        bash.args(["-e", "-c", &script]).env("VERSION", "").env("FILES", ".").env("ARGUMENTS", "");
        let done = bash.env("SARIF", "found.sarif").status().unwrap();
        assert_eq!(done.code(), Some(i32::from(is_broken)));
        let found: Value =
            serde_json::from_slice(&fs::read(dir.path().join("found.sarif")).unwrap()).unwrap();
        let results = found.pointer("/runs/0/results").and_then(Value::as_array).unwrap();
        let file = "/locations/0/physicalLocation/artifactLocation/uri";
        let files: Vec<_> = results.iter().map(|r| r.pointer(file).unwrap().as_str().unwrap()).collect();
        assert_eq!(files, ["broken.dpm"].into_iter().filter(|_| is_broken).collect::<Vec<_>>());
    }
}

#[test]
fn the_hook_refuses_broken_models() {
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let entry = hooks.lines().find_map(|line| line.trim().strip_prefix("entry: ")).unwrap();
    let (script, words) = entry.split_once(' ').unwrap();
    let dir = models(true);
    for (name, status) in [("good.dpm", 0), ("broken.dpm", 1)] {
        let mut hook = command(root().join(script).to_str().unwrap(), dir.path());
        let done = hook.args(words.split(' ')).arg(name).output().unwrap();
        assert_eq!(done.status.code(), Some(status), "{name}");
        assert_eq!(String::from_utf8_lossy(&done.stdout).contains("bad-parent"), status == 1);
    }
}

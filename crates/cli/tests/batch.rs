//! Tests runs over many files: results are the same for any number of workers, and an interrupted run leaves no
//! partial file.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::{args, code, demo, program, stderr, tree, write_alike};
use meshwright_testkit::testdata;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

/// Returns a folder with the fixtures of every format, broken ones and companions included.
fn fixtures() -> TempDir {
    let dir = TempDir::new().unwrap();
    for (path, bytes) in tree(&testdata()) {
        let to = dir.path().join("in").join(path);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::write(to, bytes).unwrap();
    }
    dir
}

/// Runs the program in a folder, and returns the files in its `out`.
fn run(dir: &Path, words: &[&str], jobs: &str) -> (Output, BTreeMap<String, Vec<u8>>) {
    let out = dir.join("out");
    let _ = fs::remove_dir_all(&out);
    fs::create_dir(&out).unwrap();
    let output = program().current_dir(dir).args(words).args(["-j", jobs]).output().unwrap();
    (output, tree(&out))
}

#[test]
fn any_number_of_workers_gives_the_same() {
    let dir = fixtures();
    for words in [
        &["convert", "in", "-o", "out"][..],
        &["convert", "in", "-o", "out", "--to", "gltf", "--format", "json"],
        &["convert", "in", "-o", "out", "--to", "obj", "--verbose"],
        &["convert", "in", "-o", "out", "--to", "zym", "--max-memory", "1M"],
        &["convert", "in", "-o", "out", "--to", "dpm", "--lenient"],
        &["check", "in", "--lenient"],
        &["check", "in", "--format", "json"],
        &["info", "in"],
        &["info", "in", "--format=json"],
    ] {
        let (one, made) = run(dir.path(), words, "1");
        assert!(words[0] != "convert" || made.len() > 5, "{words:?}: {}", stderr(&one));
        for jobs in ["2", "7"] {
            let (many, made_by_many) = run(dir.path(), words, jobs);
            assert_eq!(code(&many), code(&one), "{words:?} {jobs}");
            assert_eq!(stderr(&many), stderr(&one), "{words:?} {jobs}");
            assert!(many.stdout == one.stdout, "{words:?} {jobs}: results differ");
            assert!(made_by_many.keys().eq(made.keys()), "{words:?} {jobs}");
            for (path, bytes) in &made {
                assert!(made_by_many[path] == *bytes, "{words:?} {jobs}: {path}");
            }
        }
    }
}

#[test]
fn outputs_among_the_inputs_come_in_their_order_too() {
    for jobs in ["1", "8"] {
        let dir = TempDir::new().unwrap();
        for i in 0..20 {
            fs::copy(demo(), dir.path().join(format!("m{i:02}.dpm"))).unwrap();
        }
        let mut command = program();
        command.current_dir(dir.path()).args(["convert", ".", "--to=dpm", "-o", ".", "-j", jobs]);
        let output = command.output().unwrap();
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        assert_eq!(tree(dir.path()).len(), 20);
        assert!(tree(dir.path()).values().all(|bytes| *bytes == fs::read(demo()).unwrap()));
    }
}

#[test]
fn no_workers_are_a_mistake() {
    let output = program().args(args(&["check", "-j", "0", "."])).output().unwrap();
    assert_eq!(code(&output), 2, "{}", stderr(&output));
}

#[cfg(unix)]
mod unix {
    use super::*;
    use std::process::Stdio;
    use std::time::{Duration, Instant};

    #[test]
    fn a_run_that_is_ended_leaves_whole_files_alone() {
        let model = fs::read(demo()).unwrap();
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join("in")).unwrap();
        write_alike((0..600).map(|i| dir.path().join(format!("in/m{i:03}.dpm"))), &model);
        // A run may be over before it is ended: then another one is tried.
        let (mut ended, mut tried) = (0, 0);
        while tried < 3 || ended == 0 && tried < 60 {
            let wanted = [1, 5, 30][tried % 3];
            tried += 1;
            let out = dir.path().join("out");
            let _ = fs::remove_dir_all(&out);
            let mut command = program();
            command.current_dir(dir.path()).args(["convert", "in", "-o", "out", "-j", "4"]);
            let mut child = command.stderr(Stdio::null()).spawn().unwrap();
            let start = Instant::now();
            let there = || fs::read_dir(&out).map_or(0, Iterator::count);
            while there() <= wanted && child.try_wait().unwrap().is_none() {
                assert!(start.elapsed() < Duration::from_secs(60), "nothing appeared");
            }
            let id = child.id().to_string();
            let _ = std::process::Command::new("kill").args(["-s", "TERM", &id]).status().unwrap();
            ended += usize::from(child.wait().unwrap().code().is_none());
            for (path, bytes) in tree(&out) {
                assert!(path.ends_with(".glb"), "{path} is left");
                let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
                assert_eq!(bytes.len(), length, "{path} is half a file");
            }
        }
        assert!(ended > 0, "every run was over before it could be ended");
    }
}

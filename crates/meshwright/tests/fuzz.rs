//! What is fuzzed, without a fuzzer: over the seeds, and over the inputs that broke a promise once.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "fsomodel",
    feature = "gltf",
    feature = "tso"
))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

#[path = "../../fuzz/src/lib.rs"]
#[allow(dead_code, unreachable_pub, reason = "a library elsewhere")]
mod targets;

use meshwright_testkit::testdata;
use std::fs;
use std::path::{Path, PathBuf};

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

fn run(what: &str) {
    for (name, run) in targets::TARGETS.iter().filter(|(name, _)| name.starts_with(what)) {
        let mut seeds = targets::seeds(name, &[testdata()]);
        assert!(!seeds.is_empty(), "{name} has no seeds");
        if what == "model" {
            seeds.truncate(16);
        }
        seeds.iter().for_each(|seed| run(seed));
    }
}

#[test]
fn seeds_are_parsed() {
    run("parse");
}

#[test]
fn seeds_come_back() {
    run("round");
}

#[test]
fn seeds_become_scenes() {
    run("scene");
}

#[test]
fn tapes_become_models() {
    run("model");
}

#[test]
fn kept_inputs_keep_the_promises() {
    let mut ran = 0;
    for folder in fs::read_dir(home().join("kept")).unwrap().map(|e| e.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let target = targets::TARGETS.iter().find(|t| t.0 == name);
        let run = target.unwrap_or_else(|| panic!("{name} is no target")).1;
        for path in fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
            run(&fs::read(&path).unwrap());
            ran += 1;
        }
    }
    assert!(ran > 100, "{ran} kept inputs");
}

/// A target without a program, or the other way round, would be found out by nightly builds only.
#[test]
fn every_target_has_a_program() {
    let manifest = fs::read_to_string(home().join("Cargo.toml")).unwrap();
    let (_, programs) = manifest.split_once("[[bin]]").unwrap();
    let mut programs: Vec<_> =
        programs.lines().filter_map(|l| l.strip_prefix("name = \"")?.strip_suffix('"')).collect();
    let mut names: Vec<_> = targets::TARGETS.iter().map(|t| t.0).collect();
    programs.sort_unstable();
    names.sort_unstable();
    assert_eq!(programs, names);
}

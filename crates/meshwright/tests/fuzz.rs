//! Runs the fuzz targets without a fuzzer: over the seeds, and over inputs that failed once.
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
#[allow(dead_code, unreachable_pub, clippy::duplicate_mod, reason = "a library elsewhere")]
mod library;

use library::{Action, Target};
use meshwright_testkit::testdata;
use std::fs;
use std::path::{Path, PathBuf};

fn home() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz")
}

fn run(action: Action) {
    for target in Target::all().into_iter().filter(|target| target.action == action) {
        let mut seeds = library::seeds(target, &[testdata()]);
        assert!(!seeds.is_empty(), "{} has no seeds", target.name());
        if action == Action::Model {
            seeds.truncate(16);
        }
        seeds.iter().for_each(|seed| target.run(seed));
    }
}

#[test]
fn seeds_are_parsed() {
    run(Action::Parse);
}

#[test]
fn seeds_come_back() {
    run(Action::Round);
}

#[test]
fn seeds_become_scenes() {
    run(Action::Scene);
}

#[test]
fn documents_are_played() {
    run(Action::Document);
}

#[test]
fn packs_are_read_and_packed() {
    run(Action::Pack);
}

#[test]
fn tapes_become_models() {
    run(Action::Model);
}

#[test]
fn kept_inputs_keep_the_promises() {
    let mut ran = 0;
    for folder in fs::read_dir(home().join("kept")).unwrap().map(|e| e.unwrap().path()) {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let target = Target::find(name).unwrap_or_else(|| panic!("{name} is no target"));
        for path in fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
            target.run(&fs::read(&path).unwrap());
            ran += 1;
        }
    }
    assert!(ran > 100, "{ran} kept inputs");
}

//! What docs/blender.md tells people to type does what it says.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

mod common;

use common::{code, names, program, stderr, stdout};
use meshwright_testkit::testdata;
use std::fs;
use tempfile::TempDir;

/// The models that the page speaks of.
const FILES: [(&str, &str); 9] = [
    ("dpm/hopper.ok.dpm", "hopper.dpm"),
    ("dpm/hopper.ok.dpm.framegroups", "hopper.dpm.framegroups"),
    ("tso/flower.ok.mesh", "flower.mesh"),
    ("tso/flower.ok.skel", "flower.skel"),
    ("bmd/windmill.ok.bmd", "windmill.bmd"),
    ("crucible/lighthouse.ok.cmesh", "lighthouse.cmesh"),
    ("crucible/lighthouse.ok.cskel", "lighthouse.cskel"),
    ("fsomodel/pairs/fighter.ok.fom", "fighter.fom"),
    ("fsomodel/pairs/fighter.ok.json", "fighter.json"),
];

/// What stands beside those in the end, of what the page promises.
const WRITTEN: [&str; 13] = [
    "bloom.0000002a00000009.mesh",
    "bloom.mesh",
    "bloom.skel",
    "fast.dpm",
    "mill.bmd",
    "player.dpm",
    "player.dpm.framegroups",
    "player.zym",
    "tower.cmesh",
    "tower.cmodel",
    "tower.cskel",
    "wing.fom",
    "wing.json",
];

#[test]
fn every_command_of_the_page_works() {
    let page = testdata().join("../docs/blender.md");
    let text = fs::read_to_string(page).unwrap();
    let dir = TempDir::new().unwrap();
    for (fixture, name) in FILES {
        fs::copy(testdata().join(fixture), dir.path().join(name)).unwrap();
    }
    let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut count = 0;
    for line in blocks.flat_map(str::lines) {
        let words: Vec<_> = line.split_whitespace().collect();
        let (first, words) = words.split_first().unwrap();
        assert_eq!(*first, "meshwright", "{line}");
        let dry = words.contains(&"--dry-run");
        let before = names(dir.path());
        let output = program().current_dir(dir.path()).args(words).output().unwrap();
        assert_eq!(code(&output), 0, "{line}: {}{}", stdout(&output), stderr(&output));
        assert!(!dry || names(dir.path()) == before, "{line} wrote something");
        count += 1;
    }
    let there = names(dir.path());
    let missing: Vec<_> = WRITTEN.iter().filter(|name| !there.iter().any(|n| n == *name)).collect();
    assert!(count > 20 && missing.is_empty(), "{missing:?} of {there:?}");
    assert_eq!(names(&dir.path().join("models")).len(), 4);
}

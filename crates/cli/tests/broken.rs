//! Broken models with their companions and pictures through every command. `cargo run -p xtask -- random`
//! does the same with many more of them, in one process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::drive::{self, Ran};
use meshwright_testkit::{patience, testdata};
use std::ffi::OsString;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Runs the program as a process of its own.
fn program(words: &[OsString]) -> Ran {
    let start = Instant::now();
    let output = crate::common::run(words.get(1..).unwrap_or_default());
    Ran {
        code: output.status.code(),
        said: output.status.to_string(),
        out: output.stdout,
        err: output.stderr,
        time: start.elapsed(),
        peak: 0,
    }
}

fn tried(numbers: std::ops::Range<u64>) -> Vec<drive::Cost> {
    let cases = drive::cases(&[testdata()]);
    let folder = TempDir::new().unwrap();
    let mut costs = Vec::new();
    for number in numbers {
        let (case, mut rng) = drive::numbered(&cases, number);
        let tried = drive::attempt(&case, &mut rng, &folder.path().join("case"), &mut program).unwrap();
        assert!(tried.broken.is_empty(), "mutant {number} of {}: {:#?}", case.name(), tried.broken);
        costs.extend(tried.costs);
    }
    costs
}

#[test]
fn broken_models_companions_and_pictures_are_answered() {
    let costs = tried(0..100);
    let slow = costs.iter().find(|cost| cost.time > Duration::from_secs(10) * patience());
    assert!(slow.is_none(), "{slow:?}");
    // Mutants that are all refused would prove little.
    let fine = costs.iter().filter(|cost| cost.code == 0).count();
    assert!(fine > costs.len() / 5, "{fine} of {} commands had a result", costs.len());
    assert!(costs.iter().any(|cost| cost.code == 1), "nothing had an error");
}

type Fault = fn(&mut Ran);

/// The driver detects every fault.
#[test]
fn a_run_that_breaks_a_promise_is_seen() {
    let cases = drive::cases(&[testdata()]);
    let folder = TempDir::new().unwrap();
    let faults: [(&str, Fault); 6] = [
        ("exit 101", |ran| ran.code = Some(101)),
        ("no exit", |ran| ran.code = None),
        ("U+009B", |ran| ran.err.extend("\u{9b}2J".as_bytes())),
        ("U+202E", |ran| ran.out.extend("\u{202e}".as_bytes())),
        ("a line of 5000 bytes", |ran| ran.err = vec![b'x'; 5000]),
        ("nothing was written", |ran| ran.code = Some(0)),
    ];
    for (expected, fault) in faults {
        let (case, mut rng) = drive::numbered(&cases, 0);
        let mut broken = |_: &[OsString]| {
            let mut ran = Ran { code: Some(3), ..Ran::default() };
            fault(&mut ran);
            ran
        };
        let tried = drive::attempt(&case, &mut rng, &folder.path().join("case"), &mut broken).unwrap();
        assert!(tried.broken.iter().any(|why| why.contains(expected)), "{expected}: {:?}", tried.broken);
    }
    // A run that deletes its input.
    let (case, mut rng) = drive::numbered(&cases, 0);
    let place = folder.path().join("case");
    let mut deletes = |_: &[OsString]| {
        let _ = std::fs::remove_file(place.join("in").join(case.name()));
        Ran { code: Some(3), ..Ran::default() }
    };
    let tried = drive::attempt(&case, &mut rng, &place, &mut deletes).unwrap();
    assert!(tried.broken.iter().any(|why| why.contains("was changed")), "{:?}", tried.broken);
}

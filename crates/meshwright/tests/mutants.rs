//! Runs every operation of the facade on broken fixtures: each must return an answer, without a panic.
//! `cargo run -p xtask -- random` does the same with more of them.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "fsomodel",
    feature = "gltf",
    feature = "tso"
))]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a failing test panics"
)]

use crate::exercise;
use meshwright_testkit::Deadline;
use std::panic::{AssertUnwindSafe, catch_unwind};

fn tried(what: &str, subject: &exercise::Subject) -> exercise::Reached {
    let deadline = Deadline::seconds(5);
    let Ok(reached) = catch_unwind(AssertUnwindSafe(|| exercise::run(subject))) else {
        panic!("{what} of {}: see above", subject.name);
    };
    deadline.met(format_args!("{what} of {}", subject.name));
    reached
}

#[test]
fn fixtures_as_they_are() {
    let subjects = exercise::subjects(&meshwright_testkit::testdata());
    let scenes = subjects.iter().filter(|s| tried("the fixture", s) == exercise::Reached::Scene).count();
    assert!(scenes > subjects.len() / 3, "{scenes} of {} become scenes", subjects.len());
}

#[test]
fn broken_fixtures() {
    let subjects = exercise::subjects(&meshwright_testkit::testdata());
    let mut reached = std::collections::BTreeMap::new();
    for number in 0..6000 {
        let mutant = exercise::numbered(&subjects, number);
        *reached.entry(tried(&format!("mutant {number}"), &mutant)).or_insert(0) += 1;
    }
    // Mutants that are all refused would prove little.
    assert!(reached.get(&exercise::Reached::Scene) > Some(&500), "{reached:?}");
}

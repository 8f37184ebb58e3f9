//! Checks against the corpus of real files: `cargo run -p xtask -- conformance` runs them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

#[global_allocator]
static ALLOCATOR: meshwright_testkit::heap::Counting = meshwright_testkit::heap::Counting;

mod corpus {
    mod back;
    mod figures;
    mod game;
    mod iqm;
    mod native_json;
    mod played;
    mod recover;
    mod samples;
    mod sims;
    mod touched;
}
#[path = "support/compiled.rs"]
#[allow(dead_code, reason = "the suite uses the rest")]
mod compiled;
mod edits;
#[path = "support/exercise.rs"]
#[allow(dead_code, reason = "the suite uses the rest")]
mod exercise;
mod figures;
mod iqm;
mod memory;
mod played;
mod recover;
#[path = "support/restoring.rs"]
mod restoring;
mod touched;

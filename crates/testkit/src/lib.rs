//! Test support for Meshwright's crates. Only a dev-dependency, and a dependency of xtask, the lab and the fuzz
//! targets.
//!
//! * [`Builder`] puts bytes together without checking them, with labelled positions that can be patched;
//! * [`hex_diff`] shows where two files differ;
//! * [`fixtures`] walks `testdata/`, [`corpus!`] finds the corpus of real models, or says that the test is
//!   [`skipped`];
//! * [`packs`] puts files into packs;
//! * [`mutate`] breaks files at random, from a seed, and [`exhaust`] breaks them in every way;
//! * [`heap`] measures the cost of code;
//! * [`Deadline`] is a limit on the time that a thread works, [`Stopwatch`] measures it;
//! * [`laws`] are the promises that every format crate keeps, as functions that panic when one is broken.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failing test panics; nothing here runs in a program"
)]

mod builder;
mod deadline;
pub mod exhaust;
mod files;
pub mod heap;
mod hex;
pub mod laws;
pub mod mutate;
pub mod packs;

pub use builder::Builder;
pub use deadline::{Deadline, Stopwatch, patience};
pub use files::{Expect, Fixture, corpus, fixtures, given_corpus, skipped, sound, testdata};
pub use hex::{from_hex, hex_diff};

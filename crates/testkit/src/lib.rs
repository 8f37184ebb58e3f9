//! Test support for Meshwright's crates. Only ever a dev-dependency, except of xtask.
//!
//! * [`Builder`] puts bytes together without checking them, with labelled positions that can be patched;
//! * [`hex_diff`] shows where two files differ;
//! * [`fixtures`] walks `testdata/`, [`corpus`] finds the corpus of real models where there is one;
//! * [`mutate`] breaks files, from a seed;
//! * [`laws`] are the promises that every format crate keeps, as functions that panic when one is broken.
#![forbid(unsafe_code)]
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failing test panics; nothing here runs in a program"
)]

mod builder;
mod files;
mod hex;
pub mod laws;
pub mod mutate;

pub use builder::Builder;
pub use files::{Expect, Fixture, corpus, fixtures, testdata};
pub use hex::hex_diff;

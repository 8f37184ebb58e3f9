//! Test support for Meshwright's crates. It is only a dev-dependency, and a dependency of xtask, the lab and
//! the fuzz targets.
//!
//! * [`Builder`] builds files byte by byte without checking them, with labelled positions that can be
//!   patched;
//! * [`hex_diff`] shows the differences between two files;
//! * [`fixtures`] lists `testdata/`, [`corpus!`] finds the corpus of real models, or reports that the test
//!   is [`skipped`];
//! * [`packs`] builds packs;
//! * [`mutate`] breaks files at random, from a seed, and [`exhaust`] breaks them in every small way;
//! * [`heap`] measures the memory of code;
//! * [`Deadline`] limits the time that a thread works, [`Stopwatch`] measures it;
//! * `edits` edits scenes, and checks what a merge makes of the edits (a feature);
//! * `property` declares properties that share one runner (the feature `proptest`);
//! * [`laws`] are the laws of every format crate, as functions that panic if one is broken.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a failing test panics; nothing here runs in a program"
)]

mod builder;
mod deadline;
#[cfg(feature = "edits")]
pub mod edits;
pub mod exhaust;
mod files;
pub mod heap;
mod hex;
pub mod laws;
pub mod mutate;
pub mod packs;
#[cfg(feature = "proptest")]
pub mod property;

pub use builder::Builder;
pub use deadline::{Deadline, Stopwatch, patience};
pub use files::{Expect, Fixture, corpus, fixtures, given_corpus, skipped, sound, testdata};
pub use hex::{from_hex, hex_diff};

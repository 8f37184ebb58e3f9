//! All integration tests of the crate, as one program. Each file is a module here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; tests use small numbers"
)]

mod bound;
mod edit;
mod fixtures;
mod foreign;
mod laws;
mod losses;
mod merge;
mod optimize;
mod scene;
mod seed;
mod support;
mod zym_scene;

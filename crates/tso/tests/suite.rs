//! All integration tests of the crate, as one program. Each file is a module here.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; tests use small numbers"
)]

mod character_names;
mod fixtures;
mod from_scene;
mod laws;
mod literal;
mod merge;
mod offsets;
mod rest_pose;
mod scene;
mod support;
mod transcribe;

//! Checks against the corpus of real files: `cargo run -p xtask -- conformance` runs them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; tests use small numbers"
)]

mod corpus {
    mod edit;
    mod files;
    mod optimize;
    mod scene;
    mod support;
    mod zym_scene;
}
mod merge;
mod optimize;
mod scene;
mod support;
mod zym_scene;

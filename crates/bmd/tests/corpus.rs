//! Checks against the corpus of real files: `cargo run -p xtask -- conformance` runs them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

mod corpus {
    mod files;
    mod golden;
    mod optimize;
}
mod from_scene;
mod merge;
mod optimize;
mod support;
mod to_scene;

//! Checks against the corpus of real files: `cargo run -p xtask -- conformance` runs them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

mod corpus {
    mod documents;
    mod scenes;
    mod tools;
}

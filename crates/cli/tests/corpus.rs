//! Tests on the corpus of real files: `cargo run -p xtask -- conformance` runs them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

mod corpus {
    mod packs;
}
#[allow(dead_code, reason = "the suite uses the rest")]
mod common;
mod packs;

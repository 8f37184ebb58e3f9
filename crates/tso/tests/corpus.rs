//! Checks against the corpus of real files: `cargo run -p xtask -- conformance` runs them.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; tests use small numbers"
)]

mod corpus {
    pub(crate) mod adult;
    mod back;
    pub(crate) mod data;
    mod files;
    mod malformed;
    mod outfits;
    mod trips;
    mod ts1;
}

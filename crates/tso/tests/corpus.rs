//! The corpus of real files: read, written, posed and converted as the reference dumps say.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::print_stdout,
    reason = "tests"
)]

pub(crate) mod adult;
mod back;
pub(crate) mod data;
mod files;
mod malformed;
mod outfits;
mod trips;
mod ts1;

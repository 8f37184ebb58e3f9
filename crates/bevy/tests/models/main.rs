//! Models in an app of Bevy's, without a window.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::result_large_err,
    reason = "a failing test panics"
)]

mod app;
mod files;
mod handles;
mod hostile;
mod play;

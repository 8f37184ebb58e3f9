//! All integration tests of the crate, as one program. Each file is a module here.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

mod colors;
mod conformance;
mod document;
mod export;
mod finite;
mod hostile;
mod import;
mod interpolation;
mod motion;
mod playback;
mod reread;
mod round;
mod validator;
mod weights;

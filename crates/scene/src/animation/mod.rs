//! Clips, and their poses at any frame.

mod idle;
pub(crate) mod motion;
pub mod sample;

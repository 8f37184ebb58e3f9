//! Clips, and their poses at any frame.

pub(crate) mod motion;
pub mod sample;

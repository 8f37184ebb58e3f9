//! The Sims 1: `.bmf`, and the same as text, `.skn`.

pub(crate) mod bmf;
mod convert;
pub(crate) mod skn;

pub use bmf::Bmf;
pub use skn::Skn;

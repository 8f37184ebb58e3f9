//! The Sims 1: `.bmf`, and the same as text, `.skn`.

mod bmf;
mod skn;
mod text;

pub use bmf::Bmf;
pub use skn::Skn;

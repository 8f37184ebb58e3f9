//! `.skn`: what a `.bmf` holds, as text.

mod model;
mod read;
mod validate;
mod write;

pub use model::Skn;

//! `.skn`: the content of a `.bmf` as text.

mod canonical;
mod model;
mod read;
pub(crate) mod rules;
mod text;
mod write;

pub use model::Skn;
pub(crate) use rules::{NAME, fits_line};
pub(crate) use text::NUMBER;

//! `.cmx`: skeletons, suits and skills as text.

mod lines;
mod model;
mod read;
pub(crate) mod rules;
mod text;
mod write;

pub use model::Cmx;

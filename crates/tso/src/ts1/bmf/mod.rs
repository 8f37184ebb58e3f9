//! `.bmf`: a geometry with the names of its skin and texture, all of it little endian.

mod model;
mod read;
pub(crate) mod rules;
mod write;

pub use model::Bmf;

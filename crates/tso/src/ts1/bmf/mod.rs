//! `.bmf`: a geometry with the names of its skin and texture, all of it little endian.

mod model;
mod read;
mod validate;
mod write;

pub use model::Bmf;

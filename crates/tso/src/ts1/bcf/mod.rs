//! `.bcf`: skeletons, suits and skills in binary, little endian.

mod binary;
mod model;
mod read;
mod record;
pub(crate) mod rules;
mod write;

pub(crate) use binary::{Same, Sink};
pub use model::Bcf;

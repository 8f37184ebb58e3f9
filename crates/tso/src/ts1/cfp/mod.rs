//! `.cfp`: the keys of a skill, compressed to a byte each if possible.

mod model;
mod read;
mod record;
pub(crate) mod rules;
mod write;

pub use model::{Cfp, CfpOptions};

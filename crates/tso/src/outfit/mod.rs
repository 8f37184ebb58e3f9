//! `.apr`, `.oft`, `.hag`, `.po`, `.col`: the meshes of outfits.

pub(crate) mod model;
mod read;
pub(crate) mod rules;
mod write;

pub use model::{Apr, Col, ColItem, FileRef, Gesture, Hag, Oft, Po, Region, Side, Tone};

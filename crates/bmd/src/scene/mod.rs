//! Converts to and from the exchange model.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

mod axes;
mod bones;
mod clips;
mod from_scene;
#[cfg(feature = "recover")]
mod merge;
mod meshes;
mod motion;
mod names;
mod options;
mod rounding;
mod to_scene;

pub use options::{BmdSceneOptions, VertexForm};

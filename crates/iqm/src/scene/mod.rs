//! Converts to and from the exchange model.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models and scenes that were checked before"
)]

mod axes;
mod bake;
mod bones;
mod bounds;
mod clips;
mod from_scene;
mod fte;
mod join;
#[cfg(feature = "recover")]
mod merge;
mod neighbours;
mod options;
mod quantize;
mod text;
mod timeline;
mod to_scene;
mod vertices;

pub use join::join_clips;
#[cfg(feature = "recover")]
pub use merge::{MergedAnim, MergedIqm};
pub use options::{IqmOptions, Scales};

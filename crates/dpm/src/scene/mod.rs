//! Converts to and from the exchange model.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models and scenes that were checked before"
)]

mod axes;
mod bones;
mod bounds;
mod dpm_from_scene;
mod dpm_to_scene;
mod dpm_zym;
mod frames;
mod limits;
#[cfg(feature = "recover")]
mod merge;
mod motion;
mod names;
mod options;
mod to_scene;
mod traced;
mod zym_from_scene;
mod zym_to_scene;

pub use dpm_from_scene::{DpmFiles, write_scene};
#[cfg(feature = "recover")]
pub use merge::{MergedClip, MergedDpm, MergedZym};
pub use options::DpmSceneOptions;

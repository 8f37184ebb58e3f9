//! To and from the exchange model.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

mod axes;
mod bounds;
mod dpm_to_scene;
mod frames;
mod from;
mod to_scene;
mod zym_to_scene;

pub use from::DpmWithClips;

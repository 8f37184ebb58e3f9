//! Converts to the exchange model and back.

mod companion;
mod from_scene;
#[cfg(feature = "recover")]
mod merge;
mod streams;
mod to_scene;

pub use from_scene::{FsoSceneOptions, write_scene};

//! To the exchange model and back.

mod from_scene;
mod to_scene;

pub use from_scene::FsoTarget;

//! Conversions to and from the exchange model.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

mod assembly;
mod extras;
mod from_scene;
#[cfg(feature = "recover")]
mod merge;
mod space;
mod to_scene;

pub use assembly::{Assembly, FileMesh, Part};
pub use extras::is_written;
pub use from_scene::{CharacterForm, MeshForm, TsoSceneOptions, write_outfit, write_scene};
#[cfg(feature = "recover")]
pub use merge::EditedCharacter;
pub use space::TO_GLTF;

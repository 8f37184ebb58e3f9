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

pub use assembly::{Assembly, Part};
pub use extras::NATIVE_FIELDS;
pub use from_scene::{CharacterForm, MeshForm, TsoSceneOptions, write_scene};
#[cfg(feature = "recover")]
pub use merge::{EditedFigure, Figure, FigureMesh};
pub use space::TO_GLTF;

//! Converts scenes to files.

mod anim;
mod bones;
mod character;
mod existing_skeleton;
mod figure;
mod files;
mod keys;
mod mesh;
mod names;
mod options;
mod outfit;
mod skel;
mod transforms;
mod vertices;

#[cfg(feature = "recover")]
pub(crate) use bones::is_near;
pub use figure::write_scene;
#[cfg(feature = "recover")]
pub(crate) use figure::{Made, MadeClip, MadeMesh, MadeSkeleton, twins};
#[cfg(feature = "recover")]
pub(crate) use files::{Files, extension};
#[cfg(feature = "recover")]
pub(crate) use keys::Keys;
pub use options::{CharacterForm, MeshForm, TsoSceneOptions};
pub use outfit::write_outfit;

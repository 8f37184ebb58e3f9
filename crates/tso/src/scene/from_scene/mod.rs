//! Scenes as files.

mod anim;
mod character;
mod figure;
mod files;
mod keys;
mod mesh;
mod names;
mod onto;
mod options;
mod skel;
mod transforms;
mod vertices;

pub use figure::write_scene;
pub use options::{CharacterForm, MeshForm, TsoSceneOptions};

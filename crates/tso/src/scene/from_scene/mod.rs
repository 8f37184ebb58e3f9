//! Scenes as files.

mod anim;
mod mesh;

pub use mesh::ExportOptions;

//! The changes between an edited scene and its original.

pub(crate) mod clips;
mod document;
pub(crate) mod materials;
mod model;
mod new_meshes;
pub(crate) mod rebuild;
pub(crate) mod skeleton;
mod still;

pub use model::{ClipPatch, JointPatch, MaterialPatch, MeshPatch, Patch, Poses, VertexPatch};

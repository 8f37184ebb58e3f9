//! What was edited, part by part.

pub(crate) mod clips;
pub(crate) mod materials;
mod model;
mod new_meshes;
pub(crate) mod rebuild;
pub(crate) mod skeleton;
mod still;

pub use model::{ClipPatch, JointPatch, MaterialPatch, MeshPatch, Patch, Poses, VertexPatch};

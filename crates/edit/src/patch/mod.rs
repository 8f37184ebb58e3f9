//! The changes between an edited scene and its original.

pub(crate) mod clips;
mod constant_channels;
mod document;
pub(crate) mod materials;
mod model;
mod new_meshes;
mod nodes;
pub(crate) mod rebuild;
mod report_counts;
pub(crate) mod skeleton;

pub use model::{ClipPatch, JointPatch, MaterialPatch, MeshPatch, Patch, Poses, VertexPatch};

//! The companion `.json`: materials, meshes and nodes that the file itself has no chunks for.

mod model;
mod read;
pub(crate) mod rules;
mod validate;
mod write;

pub use model::{MAX_NODE_DEPTH, Material, Mesh, Metadata, Node};
pub(crate) use read::{MeshFields, mesh_fields};

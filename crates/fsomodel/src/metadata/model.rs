//! The content of a companion file.

use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{F32, SourceBytes};

/// The maximum depth of nested nodes.
pub const MAX_NODE_DEPTH: usize = 1024;

/// The materials, meshes and nodes of a companion file.
///
/// Unedited metadata is written as the original text. Edited metadata is written as a new text, with every
/// number of a matrix as a real number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// The materials, by number.
    pub materials: Vec<Material>,
    /// The meshes, by number.
    pub meshes: Vec<Mesh>,
    /// Nodes; each comes after its parent and after all descendants of an earlier sibling. The first is the root.
    /// Empty if the companion file has no nodes.
    pub nodes: Vec<Node>,
    /// The text that it was read from.
    pub(crate) text: SourceBytes,
}

/// A material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Material {
    /// The name of the material.
    pub name: Option<String>,
    /// The file name of its texture.
    pub diffuse_texture: Option<String>,
}

/// A mesh: a range of the index chunk, with a material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mesh {
    /// The name of the mesh.
    pub name: Option<String>,
    /// The first index of the mesh, counted in indices.
    pub offset: u64,
    /// The number of indices.
    pub count: u32,
    /// The number that is added to every index.
    pub base_index: u32,
    /// The lowest index, before `base_index` is added. It is a hint for the renderer.
    pub min_index: u32,
    /// The highest index, before `base_index` is added. It is a hint for the renderer.
    pub max_index: u32,
    /// The number of the material.
    pub material_index: u32,
}

/// A node of the scene tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// The name of the node.
    pub name: Option<String>,
    /// The parent node; `None` for the root.
    pub parent: Option<usize>,
    /// The four columns of the matrix relative to the parent. The last column is the translation.
    pub transform: [[F32; 4]; 4],
    /// The numbers of the meshes that the node draws. Several nodes may draw the same mesh.
    pub meshes: Vec<u32>,
}

impl Metadata {
    /// Returns the original text of the companion file.
    pub(crate) fn text(&self) -> Option<&[u8]> {
        Some(&self.text.0[..]).filter(|text| !text.is_empty())
    }
}

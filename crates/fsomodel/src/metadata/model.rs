//! The content of a companion file.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::F32;

/// Nodes within nodes beyond this are refused.
pub const MAX_NODE_DEPTH: usize = 1024;

/// Materials, meshes and nodes of a model.
///
/// The original text of a companion file is written again as long as it means the same. After an edit a new text is
/// written, with every number of a matrix as a real number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Materials by number.
    pub materials: Vec<Material>,
    /// Meshes by number.
    pub meshes: Vec<Mesh>,
    /// Nodes; each comes after its parent and after all descendants of an earlier sibling. The first is the root.
    /// Empty if the companion file has no nodes.
    pub nodes: Vec<Node>,
    pub(crate) text: Text,
}

/// The text that metadata was read from; no part of what it says.
#[derive(Clone, Default)]
pub(crate) struct Text(pub(super) Option<Vec<u8>>);

impl PartialEq for Text {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Text {}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.as_ref().map_or(0, Vec::len))
    }
}

/// A material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Material {
    /// Its name.
    pub name: Option<String>,
    /// The file of its texture.
    pub diffuse_texture: Option<String>,
}

/// Part of the index chunk with a material.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mesh {
    /// Its name.
    pub name: Option<String>,
    /// Its first index, counted in indices.
    pub offset: u64,
    /// The number of its indices.
    pub count: u32,
    /// Added to every index.
    pub base_index: u32,
    /// The lowest index, before `base_index` is added. A hint.
    pub min_index: u32,
    /// The highest index, before `base_index` is added. A hint.
    pub max_index: u32,
    /// The number of its material.
    pub material_index: u32,
}

/// A place in the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: Option<String>,
    /// The parent node; `None` for the root.
    pub parent: Option<usize>,
    /// Four columns of a matrix relative to the parent; the last is the translation.
    pub transform: [[F32; 4]; 4],
    /// The numbers of the meshes drawn here. A mesh may be drawn at several places.
    pub meshes: Vec<u32>,
}

impl Metadata {
    /// The text that the companion was read from.
    pub(crate) fn text(&self) -> Option<&[u8]> {
        self.text.0.as_deref()
    }
}

//! The companion `.json`: what the file itself has no chunks for.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::{F32, bulk};

/// Nodes within nodes beyond this are refused.
pub const MAX_NODE_DEPTH: usize = 1024;

/// Materials, meshes and nodes of a model.
///
/// The text of a companion that was read is written again for as long as it means what is here; anything else is
/// written anew, with every number of a matrix as a real one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metadata {
    /// Materials by number.
    pub materials: Vec<Material>,
    /// Meshes by number.
    pub meshes: Vec<Mesh>,
    /// Nodes, each behind its parent and the whole tree of an earlier sibling; the first is the root. Empty in a
    /// companion without one.
    pub nodes: Vec<Node>,
    pub(crate) text: Text,
}

/// The text that metadata was read from; no part of what it says.
#[derive(Clone, Default)]
pub(crate) struct Text(pub(crate) Option<Vec<u8>>);

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
    /// How many indices it has.
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
    /// The node it hangs from; `None` for the root.
    pub parent: Option<usize>,
    /// Four columns of a matrix relative to the parent; the last is the translation.
    pub transform: [[F32; 4]; 4],
    /// The numbers of the meshes drawn here. A mesh may be drawn at several places.
    pub meshes: Vec<u32>,
}

/// A broken rule.
pub(crate) struct Broken {
    /// The table, and which of its items.
    pub(crate) table: &'static str,
    pub(crate) item: Option<usize>,
    pub(crate) field: &'static str,
    pub(crate) message: String,
}

impl Metadata {
    /// Reports every broken rule to `on` until that answers an error.
    pub(crate) fn check<E>(&self, mut on: impl FnMut(Broken) -> Result<(), E>) -> Result<(), E> {
        let mut tell = |table, item, field, message| on(Broken { table, item: Some(item), field, message });
        let materials = self.materials.len();
        for (i, mesh) in self.meshes.iter().enumerate() {
            if mesh.material_index as usize >= materials {
                let message = format!("material {} of {materials}", mesh.material_index);
                tell("meshes", i, "material_index", message)?;
            }
        }
        let meshes = self.meshes.len();
        for (i, node) in self.nodes.iter().enumerate() {
            if let Some(mesh) = node.meshes.iter().find(|m| **m as usize >= meshes) {
                tell("nodes", i, "meshes", format!("mesh {mesh} of {meshes}"))?;
            }
            if bulk::first_non_finite(node.transform.as_flattened()).is_some() {
                tell("nodes", i, "transform", "a number that is not finite".into())?;
            }
        }
        match self.depths() {
            Ok(depths) => {
                if let Some(i) = depths.iter().position(|d| *d >= MAX_NODE_DEPTH) {
                    tell(
                        "nodes",
                        i,
                        "parent",
                        format!("more than {MAX_NODE_DEPTH} nodes within each other"),
                    )?;
                }
            }
            Err(i) => {
                let message = "does not follow its parent or the whole tree of an earlier sibling";
                tell("nodes", i, "parent", message.into())?;
            }
        }
        Ok(())
    }

    /// How deep every node lies, the root at 0; or the first node that is not behind its parent and the whole
    /// tree of an earlier sibling.
    pub(crate) fn depths(&self) -> Result<Vec<usize>, usize> {
        // The way from the root to the node before.
        let mut way: Vec<usize> = Vec::new();
        let mut depths = Vec::with_capacity(self.nodes.len());
        for (i, node) in self.nodes.iter().enumerate() {
            while way.last().is_some_and(|last| Some(*last) != node.parent) {
                way.pop();
            }
            if way.last().copied() != node.parent || (i > 0 && node.parent.is_none()) {
                return Err(i);
            }
            depths.push(way.len());
            way.push(i);
        }
        Ok(depths)
    }
}

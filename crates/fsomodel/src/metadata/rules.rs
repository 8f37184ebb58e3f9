//! The rules of a companion file.

use super::model::{MAX_NODE_DEPTH, Metadata};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::{FieldPath, Findings, Place, ReadError, bulk};

/// The name of the stream that offsets in a companion file count in.
pub(crate) const STREAM: &str = "metadata";

meshwright_core::rules! {
    error SYNTAX = "metadata" ("Metadata"), Syntax [Refuses],
        "The companion is not the JSON that the engine's loader takes: a field is missing, there twice, or of another type.",
        "Correct the text at the place that is named.";
    error TRUNCATED = "truncated" ("Truncated"), Truncated,
        "The companion ends too soon.",
        "Copy the file again; what is missing cannot be rebuilt.";
    error DEPTH = "limit-exceeded" ("LimitExceeded"), Limit [NoEngine],
        "Objects of the companion lie deeper within each other than the engine's JSON library reads.",
        "Flatten the tree of nodes.";
    error REFERENCE = "metadata" ("Metadata"), BadReference [Unchecked],
        "A mesh names a material, or a node names a mesh, that is not there; the engine reads beyond its tables.",
        "Point it at one of those that are there.";
    error NON_FINITE = "metadata" ("Metadata"), NonFinite [NoEngine],
        "A node's matrix holds a number that is infinite or NaN, which JSON cannot express.",
        "Give the node a matrix of numbers.";
    error ORDER = "metadata" ("Metadata"), BadHierarchy,
        "Nodes are not in the order of their tree, or lie too deep within each other.",
        "Put each node after its parent and after all descendants of earlier siblings.";
    error TEXT = "metadata" ("Metadata"), BadName [Refuses],
        "A text holds a NUL, which the engine's loader refuses.",
        "Rename what holds it.";
    warning LOADER = "metadata" ("Metadata"), Compatibility [Misshown],
        "The engine's loader needs a field that is not there, or takes an integer in a matrix for 0.",
        "Write the companion file again: the writer adds every field and writes matrices with real numbers.";
    warning NO_ROOT = "metadata" ("Metadata"), Missing,
        "Nothing says where the meshes are drawn.",
        "Add a root node that names them.";
}

/// The offsets of fields in the text of a companion file.
pub(super) trait FieldOffsets {
    /// Returns the offset of a field of an item, if it is known.
    fn offset(&self, table: &'static str, item: usize, field: &'static str) -> Option<u64>;
}

/// The offsets of a companion that was not read, or may have been edited since: all are unknown.
struct Nowhere;

impl FieldOffsets for Nowhere {
    fn offset(&self, _: &'static str, _: usize, _: &'static str) -> Option<u64> {
        None
    }
}

/// Checks the companion of a model without offsets in its text.
pub(crate) fn check(metadata: &Metadata, findings: &mut Findings) -> Result<(), ReadError> {
    check_at(metadata, &Nowhere, findings)
}

/// Checks the numbers of materials, meshes and parents, and matrices.
pub(super) fn check_at(
    metadata: &Metadata,
    places: &dyn FieldOffsets,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let mut broken = |rule, table: &'static str, item: usize, field: &'static str, message: String| {
        let place = Place::part(STREAM, places.offset(table, item, field));
        let path = FieldPath::ROOT.field(table);
        findings.broken(rule, &path.index(item).field(field), place, || message)
    };
    let materials = metadata.materials.len();
    for (i, mesh) in metadata.meshes.iter().enumerate() {
        if mesh.material_index as usize >= materials {
            let message = format!("material {} of {materials}", mesh.material_index);
            broken(REFERENCE, "meshes", i, "material_index", message)?;
        }
    }
    let meshes = metadata.meshes.len();
    for (i, node) in metadata.nodes.iter().enumerate() {
        if let Some(mesh) = node.meshes.iter().find(|m| **m as usize >= meshes) {
            broken(REFERENCE, "nodes", i, "meshes", format!("mesh {mesh} of {meshes}"))?;
        }
        if bulk::first_non_finite(node.transform.as_flattened()).is_some() {
            broken(NON_FINITE, "nodes", i, "transform", "a number that is not finite".into())?;
        }
    }
    match metadata.depths() {
        Ok(depths) => match depths.iter().position(|d| *d >= MAX_NODE_DEPTH) {
            Some(i) => {
                let message = format!("more than {MAX_NODE_DEPTH} nodes within each other");
                broken(ORDER, "nodes", i, "parent", message)
            }
            None => Ok(()),
        },
        Err(i) => {
            let message = "does not follow its parent or the whole tree of an earlier sibling";
            broken(ORDER, "nodes", i, "parent", message.into())
        }
    }
}

/// Checks for fields that the engine's loader needs, though this crate can read the companion file without them.
pub(super) fn loader(metadata: &Metadata, findings: &mut Findings) -> Result<(), ReadError> {
    let root = FieldPath::ROOT;
    let materials = root.field("materials");
    for (i, _) in metadata.materials.iter().enumerate().filter(|(_, m)| m.diffuse_texture.is_none()) {
        let path = materials.index(i);
        let message = || "the engine's loader needs this field";
        findings.broken(LOADER, &path.field("diffuse_texture"), Place::part(STREAM, None), message)?;
    }
    if metadata.nodes.is_empty() {
        let place = Place::part(STREAM, metadata.text().map(|_| 0));
        let message = || "no root_node: nothing says where the meshes are drawn";
        findings.broken(NO_ROOT, &root.field("nodes"), place, message)?;
    }
    Ok(())
}

impl Metadata {
    /// Returns the depth of every node, 0 for the root. The error is the first node that does not come after
    /// its parent and all descendants of an earlier sibling.
    pub(crate) fn depths(&self) -> Result<Vec<usize>, usize> {
        // The path from the root to the previous node.
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

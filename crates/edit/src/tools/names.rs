//! Names that tools make up or change.

use crate::tools::{assimp, blender, fbx};

/// Returns true for the names that tools give to the materials of meshes without one.
pub(crate) fn is_unnamed(name: &str) -> bool {
    ["", blender::UNNAMED, assimp::UNNAMED, fbx::UNNAMED].contains(&name)
}

/// Returns true for names that tools give to unnamed joints and materials, such as `Node_2` or `Material_0`.
pub(crate) fn is_filler(name: &str) -> bool {
    let kind = name.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches(['_', '.']);
    matches!(kind, "" | "Node" | "Bone" | "Material")
}

/// Removes the number that tools append to duplicate names.
pub(crate) fn stem(name: &str) -> &str {
    match name.rsplit_once(['_', '.']) {
        Some((stem, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => stem,
        _ => name,
    }
}

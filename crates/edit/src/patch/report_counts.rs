//! Counts the changes of meshes and materials for the report.

use crate::attributes::Attributes;
use crate::original_mesh::OriginalMesh;
use crate::patch::{MaterialPatch, MeshPatch, VertexPatch};
use crate::report::{MaterialChange, MeshChange, Part, State};
use meshwright_core::math::{distance, wide};
use meshwright_scene::{Material, Mesh};

impl MeshChange {
    /// Counts the changes of a mesh: its original with the positions, the result and the patch.
    pub(crate) fn new(
        (native, positions): (&OriginalMesh, &[[f32; 3]]),
        made: &Mesh,
        patch: &MeshPatch,
    ) -> Self {
        let old =
            || patch.vertices.iter().zip(&made.positions).filter_map(|(v, p)| Some((v.original?, v, p)));
        let count = |attribute| old().filter(|(_, v, _)| v.changed.has(attribute)).count();
        let moved = |(n, v, p): (u32, &VertexPatch, &[f32; 3])| {
            let was = positions.get(n as usize).filter(|_| v.changed.has(Attributes::POSITION))?;
            Some(distance(wide(*was), wide(*p)))
        };
        let (vertices, triangles) = (old().count(), patch.triangles.iter().flatten().count());
        Self {
            moved: count(Attributes::POSITION),
            furthest: old().filter_map(moved).fold(0.0, f64::max),
            normals: count(Attributes::NORMAL),
            uvs: count(Attributes::UV),
            colors: count(Attributes::COLOR),
            weights: count(Attributes::WEIGHTS),
            added: patch.vertices.len().saturating_sub(vertices),
            removed: native.vertices.saturating_sub(vertices),
            triangles_added: patch.triangles.len().saturating_sub(triangles),
            triangles_removed: native.triangles.saturating_sub(triangles),
            ..Self::default()
        }
    }
}

impl Part<MaterialChange> {
    /// Reports a material; `native` is its original.
    pub(crate) fn new(patch: &MaterialPatch, native: Option<&Material>, made: &Material) -> Self {
        let MaterialPatch { renamed, color, picture, .. } = *patch;
        let state = if renamed || color || picture { State::Edited } else { State::Untouched };
        Self {
            name: native.unwrap_or(made).name.clone(),
            state: if native.is_some() { state } else { State::New },
            change: MaterialChange { renamed: renamed.then(|| made.name.clone()), color, picture },
        }
    }
}

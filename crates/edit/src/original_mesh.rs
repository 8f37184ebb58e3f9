//! The names, sizes and attributes of the meshes of an original.

use alloc::string::String;
use alloc::vec::Vec;
use meshwright_scene::{MaterialId, Mesh, SkeletonId};

/// A mesh of the original, without its arrays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OriginalMesh {
    /// Its name.
    pub name: String,
    /// Its material.
    pub material: Option<MaterialId>,
    /// The skeleton of its skin.
    pub skeleton: Option<SkeletonId>,
    /// The number of its vertices.
    pub vertices: usize,
    /// The number of its triangles.
    pub triangles: usize,
    /// True if it has normals.
    pub normals: bool,
    /// True if it has tangents.
    pub tangents: bool,
    /// True if it has texture coordinates.
    pub uvs: bool,
    /// True if it has colours.
    pub colors: bool,
}

impl OriginalMesh {
    /// Describes the meshes of a scene.
    pub(crate) fn all(meshes: &[Mesh]) -> Vec<Self> {
        let of = |mesh: &Mesh| Self {
            name: mesh.name.clone(),
            material: mesh.material,
            skeleton: mesh.skin.as_ref().map(|skin| skin.skeleton),
            vertices: mesh.positions.len(),
            triangles: mesh.triangles.len(),
            normals: !mesh.normals.is_empty(),
            tangents: !mesh.tangents.is_empty(),
            uvs: !mesh.uvs.is_empty(),
            colors: !mesh.colors.is_empty(),
        };
        meshes.iter().map(of).collect()
    }
}

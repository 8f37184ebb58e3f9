//! Which part of an edited scene is which part of its original.

use crate::correspond::mesh_search::{Found, PartAt};
use crate::joint_index::At;
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::Scene;

/// The edited part of each part of an original, by the numbers that the parts have in both scenes. A part without one
/// was removed, or the tool left it out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Correspondence {
    /// The edited joint of each joint, by skeleton.
    pub joints: Vec<Vec<Option<At>>>,
    /// The edited parts of each mesh.
    pub meshes: Vec<MeshMatch>,
    /// The edited clip of each clip.
    pub clips: Vec<Option<usize>>,
    /// The edited material of each material.
    pub materials: Vec<Option<usize>>,
}

/// The edited parts of a mesh.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshMatch {
    /// The edited meshes with its vertices. A tool may join and split meshes.
    pub meshes: Vec<usize>,
    /// The edited vertex of each vertex. Equal vertices have the same one.
    pub vertices: Vec<Option<PartAt>>,
    /// The edited triangle of each triangle.
    pub triangles: Vec<Option<PartAt>>,
}

impl Correspondence {
    /// Returns the correspondence of a scene with itself.
    pub(crate) fn identity(scene: &Scene) -> Self {
        let joint = |(skeleton, s): (usize, &meshwright_scene::Skeleton)| {
            (0..s.joints.len()).map(|joint| Some(At { skeleton, joint })).collect()
        };
        let mesh = |(m, own): (usize, &meshwright_scene::Mesh)| MeshMatch {
            meshes: alloc::vec![m],
            vertices: (0..own.positions.len()).map(|v| PartAt::new(m, v)).collect(),
            triangles: (0..own.triangles.len()).map(|t| PartAt::new(m, t)).collect(),
        };
        Self {
            joints: scene.skeletons.iter().enumerate().map(joint).collect(),
            meshes: scene.meshes.iter().enumerate().map(mesh).collect(),
            clips: (0..scene.clips.len()).map(Some).collect(),
            materials: (0..scene.materials.len()).map(Some).collect(),
        }
    }

    /// Copies the correspondence.
    pub(crate) fn copied(&self, budget: &Budget) -> Result<Self, LimitExceeded> {
        let parts = self.meshes.iter().map(|m| m.vertices.len().saturating_add(m.triangles.len()) as u64);
        budget.charge_items("vertices", parts.sum(), size_of::<Option<PartAt>>())?;
        Ok(self.clone())
    }

    /// Sets the meshes.
    pub(crate) fn fill_meshes(&mut self, found: Vec<Found<'_>>) {
        let vertex = |own: &Found<'_>, v| own.slot(v).and_then(|((e, v), _)| PartAt::new(e, v));
        let mesh = |own: Found<'_>| MeshMatch {
            vertices: (0..own.exported.mesh.positions.len()).map(|v| vertex(&own, v)).collect(),
            meshes: own.sources,
            triangles: own.there,
        };
        self.meshes = found.into_iter().map(mesh).collect();
    }
}

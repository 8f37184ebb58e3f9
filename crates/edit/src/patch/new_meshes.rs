//! Meshes that the original lacks.

use crate::attributes::Attributes;
use crate::correspond::mesh_search::{Edited, Found};
use crate::correspond::meshes::part;
use crate::patch::model::{MeshPatch, VertexPatch};
use crate::patch::rebuild::{Maker, local};
use crate::report::{Recovery, State};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, narrow, unit};
use meshwright_scene::{ConvertError, Mesh, MeshId, Node, NodeId, Skin};

impl Maker<'_, '_, '_> {
    /// Moves vertices that match a native vertex to its exact position, normal and texture coordinates.
    fn snap(&self, edited: &Edited<'_>, found: &[Found<'_>], mesh: &mut Mesh) {
        for (v, at) in edited.slots.iter().enumerate() {
            let Some((at, native)) = at.and_then(|at| Some((at, found.get(at.mesh)?))) else { continue };
            let same = native.compare((&edited.moved, v), at.vertex, &self.work.bones, &native.tolerance);
            let (was, n) = (&native.exported, at.vertex);
            if same.position
                && let Some((slot, p)) = mesh.positions.get_mut(v).zip(was.position(n))
            {
                *slot = narrow(p);
            }
            if same.normal
                && let Some((slot, normal)) = mesh.normals.get_mut(v).zip(was.normal(n).and_then(unit))
            {
                *slot = narrow(normal);
            }
            if same.uv
                && let Some((slot, uv)) = mesh.uvs.get_mut(v).zip(was.mesh.uvs.get(n))
            {
                *slot = *uv;
            }
        }
    }

    /// Adds a mesh that the native model lacks.
    pub(crate) fn foreign(
        &mut self,
        (e, triangles): (usize, &[[u32; 3]]),
        found: &[Found<'_>],
        report: &mut Recovery,
    ) -> Result<(), ConvertError> {
        let Some(edited) = self.edited.get(e) else { return Ok(()) };
        let source = edited.moved.mesh;
        let count = source.positions.len() as u64;
        self.work.budget.charge_items("vertices", count, size_of::<[f64; 12]>())?;
        self.work.budget.charge_items("triangles", triangles.len() as u64, size_of::<Option<u32>>())?;
        let mut mesh = source.clone();
        mesh.triangles = triangles.to_vec();
        let place = |(v, _): (usize, &[f32; 3])| {
            let (position, normal) = local(edited, v, &Affine64::IDENTITY);
            (narrow(position.unwrap_or_default()), normal.map(narrow))
        };
        let vertices: Vec<_> = source.positions.iter().enumerate().map(place).collect();
        mesh.positions = vertices.iter().map(|(p, _)| *p).collect();
        if !source.normals.is_empty() {
            mesh.normals = vertices.iter().map(|(_, n)| n.unwrap_or([0.0, 1.0, 0.0])).collect();
        }
        self.snap(edited, found, &mut mesh);
        mesh.material = source.material.and_then(|id| self.materials.get(self.work, id.0, self.scene));
        if let Some(skin) = &source.skin {
            mesh.skin = self.placed_in(skin.skeleton).map(|id| {
                let mut new = Skin::new(id);
                for v in 0..skin.vertex_count() {
                    self.bind(&mut new, self.influences(Some((e, v)), id), None, Attributes::NONE);
                }
                new
            });
        }
        let id = MeshId(self.scene.meshes.len());
        report.meshes.push(part(&mesh.name, State::New));
        self.patches.push(MeshPatch {
            vertices: alloc::vec![VertexPatch::default(); mesh.positions.len()],
            triangles: alloc::vec![None; mesh.triangles.len()],
            ..MeshPatch::default()
        });
        let node = NodeId(self.scene.nodes.len());
        self.scene.nodes.push(Node::of_mesh(mesh.name.clone(), id));
        if let Some(level) = self.scene.levels.first_mut() {
            level.nodes.push(node);
        }
        self.scene.meshes.push(mesh);
        Ok(())
    }
}

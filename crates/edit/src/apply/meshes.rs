//! The vertices and triangles of meshes of a merged file.

use super::corners::{Corners, VertexPlace};
use super::records::{Origin, Records};
use crate::attributes::Attributes;
use crate::patch::{MeshPatch, Patch};
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::Loss;

/// A mesh of the edited scene, for formats whose meshes have the vertices and triangles of the scene in the same order.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    patch: Option<&'a MeshPatch>,
    triangles: &'a [[u32; 3]],
}

/// A corner of a triangle: the original vertex, the made vertex, and the changes.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// The original vertex, as an index that the original's triangles use.
    pub original: Option<u32>,
    /// The made vertex, as an index that the made triangles use.
    pub made: u32,
    /// The changed attributes of the vertex of the edited scene.
    pub changed: Attributes,
}

impl<'a> Surface<'a> {
    /// Selects a mesh of the patch's scene. `None` is a new mesh.
    pub fn new(patch: &'a Patch, mesh: Option<usize>) -> Self {
        let scene = mesh.and_then(|m| patch.scene.meshes.get(m));
        let triangles = scene.map_or(&[][..], |m| &m.triangles);
        Self { patch: mesh.and_then(|m| patch.meshes.get(m)), triangles }
    }

    /// Returns the index of a triangle's original.
    pub fn triangle(&self, triangle: usize) -> Option<usize> {
        let own = self.patch?.triangles.get(triangle).copied().flatten()?;
        usize::try_from(own).ok()
    }

    /// Returns the original and the changes of each vertex.
    pub fn vertices(&self) -> impl Iterator<Item = (Option<usize>, Attributes)> {
        let own = self.patch.map_or(&[][..], |p| &p.vertices);
        own.iter().map(|v| (v.original.and_then(|n| usize::try_from(n).ok()), v.changed))
    }

    /// Maps each of `original` original vertices to its index in the edited mesh, or `u32::MAX`.
    fn places(&self, original: usize) -> Vec<u32> {
        let mut places = alloc::vec![u32::MAX; original];
        for (v, (n, _)) in (0_u32..).zip(self.vertices()) {
            n.and_then(|n| places.get_mut(n)).into_iter().for_each(|slot| *slot = v);
        }
        places
    }

    /// Returns the triangles of the result, each with the index of its original if it has one. Originals get the new
    /// vertex indices; the others are the made triangles. `vertices` is the number of original vertices.
    pub fn merged_triangles(
        &self,
        vertices: usize,
        original: &[[u32; 3]],
        made: impl Iterator<Item = [u32; 3]>,
    ) -> Vec<([u32; 3], Option<usize>)> {
        let places = self.places(vertices);
        let placed = |t: &[u32; 3]| {
            let own = t.map(|v| places.get(v as usize).copied().unwrap_or(u32::MAX));
            (!own.contains(&u32::MAX)).then_some(own)
        };
        let one = |(t, made): (usize, [u32; 3])| {
            let was = self.triangle(t);
            match was.and_then(|n| original.get(n)).and_then(placed) {
                Some(kept) => (kept, was),
                None => (made, None),
            }
        };
        made.enumerate().map(one).collect()
    }

    /// Returns the corners of a made triangle; `original` is the original triangle.
    pub fn corners(&self, triangle: usize, original: Option<[u32; 3]>, made: [u32; 3]) -> [Corner; 3] {
        let own = self.triangles.get(triangle).copied().unwrap_or([u32::MAX; 3]);
        let changed = |v: u32| {
            let own = self.patch.and_then(|p| p.vertices.get(v as usize));
            own.map(|v| v.changed).unwrap_or_default()
        };
        let [a, b, c] = own.map(changed);
        let [x, y, z] = original.map_or([None; 3], |t| t.map(Some));
        let [p, q, r] = made;
        [(x, p, a), (y, q, b), (z, r, c)].map(|(original, made, changed)| Corner { original, made, changed })
    }
}

impl Patch {
    /// Notes the meshes whose material was removed, for formats that name every mesh by a material.
    pub fn note_removed_materials(&self, losses: &mut Vec<Loss>) {
        let bare = |m: usize| self.scene.meshes.get(m).is_some_and(|mesh| mesh.material.is_none());
        for (m, _) in self.meshes.iter().enumerate().filter(|(m, own)| own.material && bare(*m)) {
            let message = "a mesh without a material got one with the mesh's name, by which engines search for a texture";
            losses.push(Loss::note("material-named", alloc::format!("meshes[{m}]"), message));
        }
    }

    /// Lists the drawn meshes of a result; the original has `original` meshes. `sources` gives the mesh of the edited
    /// scene for each made mesh.
    ///
    /// # Errors
    /// When the budget does not allow for it.
    pub fn mesh_origins(
        &self,
        original: usize,
        sources: &[Option<usize>],
        budget: &Budget,
    ) -> Result<Vec<MeshOrigin>, LimitExceeded> {
        let found: Vec<_> = sources.iter().map(|m| self.meshes.get((*m)?)?.original).collect();
        let records = Records::new(original, |_| true, &found, budget)?;
        let one = |o: &Origin| {
            let made = o.made?;
            Some(MeshOrigin { original: o.original, made, source: sources.get(made).copied().flatten() })
        };
        Ok(records.list.iter().filter_map(one).collect())
    }
}

/// The sources of a mesh of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshOrigin {
    /// Index in the original.
    pub original: Option<usize>,
    /// Index among the made meshes.
    pub made: usize,
    /// The mesh of the edited scene with its vertices and triangles.
    pub source: Option<usize>,
}

impl<R: Clone + PartialEq> Corners<R> {
    /// Places the corners of a mesh's triangles. `old` and `new` are the triangles of the original and the made mesh;
    /// `row` computes the value of a vertex.
    pub fn place_mesh(
        &mut self,
        surface: &Surface<'_>,
        old: &[[u32; 3]],
        new: &[[u32; 3]],
        row: impl Fn(&Corner) -> R,
    ) -> Vec<[VertexPlace; 3]> {
        let triangle = |(t, made): (usize, &[u32; 3])| {
            let kept = surface.triangle(t).and_then(|n| old.get(n)).copied();
            surface.corners(t, kept, *made).map(|corner| {
                let original = corner.original.and_then(|n| usize::try_from(n).ok());
                self.place(original, usize::try_from(corner.made).unwrap_or(usize::MAX), || row(&corner))
            })
        };
        new.iter().enumerate().map(triangle).collect()
    }
}

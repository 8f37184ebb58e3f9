//! The vertices and triangles of a mesh of a result.

use super::corners::{Corners, Place};
use super::records::{Origin, Records};
use crate::attributes::Attributes;
use crate::patch::{MeshPatch, Patch};
use alloc::vec::Vec;
use meshwright_core::{Budget, LimitExceeded};

/// A mesh of an edited scene whose original a format has by vertices and triangles in the scene's order.
#[derive(Clone, Copy, Debug)]
pub struct Surface<'a> {
    patch: Option<&'a MeshPatch>,
    triangles: &'a [[u32; 3]],
}

/// A corner of a triangle: the vertex of the original, the made one, and what changed of it.
#[derive(Clone, Copy, Debug)]
pub struct Corner {
    /// The original's vertex, in the numbers of the original's triangles.
    pub original: Option<u32>,
    /// The made vertex, in the numbers of the made triangles.
    pub made: u32,
    /// Attributes of the edited scene's vertex that changed.
    pub changed: Attributes,
}

impl<'a> Surface<'a> {
    /// A mesh of the patch's scene; one without a number is new.
    pub fn new(patch: &'a Patch, mesh: Option<usize>) -> Self {
        let scene = mesh.and_then(|m| patch.scene.meshes.get(m));
        let triangles = scene.map_or(&[][..], |m| &m.triangles);
        Self { patch: mesh.and_then(|m| patch.meshes.get(m)), triangles }
    }

    /// The original's number of a triangle.
    pub fn triangle(&self, triangle: usize) -> Option<usize> {
        let own = self.patch?.triangles.get(triangle).copied().flatten()?;
        usize::try_from(own).ok()
    }

    /// For each vertex its original and what changed of it.
    pub fn vertices(&self) -> impl Iterator<Item = (Option<usize>, Attributes)> {
        let own = self.patch.map_or(&[][..], |p| &p.vertices);
        own.iter().map(|v| (v.original.and_then(|n| usize::try_from(n).ok()), v.changed))
    }

    /// Where each of so many vertices of the original went.
    pub fn places(&self, original: usize) -> Vec<u32> {
        let mut places = alloc::vec![u32::MAX; original];
        for (v, (n, _)) in (0_u32..).zip(self.vertices()) {
            n.and_then(|n| places.get_mut(n)).into_iter().for_each(|slot| *slot = v);
        }
        places
    }

    /// The triangles of the result: the original's with other numbers of vertices, and made ones. Gives for each the number of
    /// the original too.
    pub fn merged_triangles(
        &self,
        places: &[u32],
        original: impl Fn(usize) -> Option<[u32; 3]>,
        made: impl Iterator<Item = [u32; 3]>,
    ) -> Vec<([u32; 3], Option<usize>)> {
        let placed = |t: [u32; 3]| {
            let own = t.map(|v| places.get(v as usize).copied().unwrap_or(u32::MAX));
            (!own.contains(&u32::MAX)).then_some(own)
        };
        let one = |(t, made): (usize, [u32; 3])| {
            let was = self.triangle(t);
            match was.and_then(&original).and_then(placed) {
                Some(kept) => (kept, was),
                None => (made, None),
            }
        };
        made.enumerate().map(one).collect()
    }

    /// The corners of a made triangle, of which the original's has these.
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
    /// The meshes of a result, of which the original has so many: for each that is drawn its original, the made one, and the
    /// mesh of the edited scene that `sources` gives for that.
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

/// A mesh of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshOrigin {
    /// Its number in the original.
    pub original: Option<usize>,
    /// Its number among the made ones.
    pub made: usize,
    /// The mesh of the edited scene that has its vertices and triangles.
    pub source: Option<usize>,
}

impl<R: Clone + PartialEq> Corners<R> {
    /// The vertices of the corners of a mesh's triangles, of which the original has `old` and the made one `new`; `row` makes
    /// what a vertex becomes.
    pub fn place_mesh(
        &mut self,
        surface: &Surface<'_>,
        old: &[[u32; 3]],
        new: &[[u32; 3]],
        row: impl Fn(&Corner) -> R,
    ) -> Vec<[Place; 3]> {
        let triangle = |(t, made): (usize, &[u32; 3])| {
            let kept = surface.triangle(t).and_then(|n| old.get(n)).copied();
            surface.corners(t, kept, *made).map(|corner| self.place_corner(&corner, || row(&corner)))
        };
        new.iter().enumerate().map(triangle).collect()
    }

    /// The vertex of a corner; `row` makes what it becomes.
    pub fn place_corner(&mut self, corner: &Corner, row: impl FnOnce() -> R) -> Place {
        let original = corner.original.and_then(|n| usize::try_from(n).ok());
        self.place(original, usize::try_from(corner.made).unwrap_or(usize::MAX), row)
    }
}

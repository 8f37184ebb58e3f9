//! Evaluation of a ZYM model.
#![allow(clippy::indexing_slicing, reason = "vectors and matrices of fixed size")]

use super::model::{Zym, ZymInfluence, ZymScene};
use crate::pose::{Sum, Surface, concatenate};
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, add, cross, narrow, scale, sub};
use meshwright_core::values;

impl Zym {
    /// Returns the name of the first scene that contains a pose.
    pub fn clip_name_at(&self, pose: u32) -> Option<&[u8]> {
        let has = |s: &&ZymScene| pose.checked_sub(s.start).is_some_and(|within| within < s.length);
        self.scenes.iter().find(has).map(|s| s.name.bytes())
    }

    /// Returns the model-space matrix of every bone in a pose; `None` if the pose does not exist.
    pub fn model_matrices(&self, pose: usize) -> Option<Vec<Affine64>> {
        let pose = self.pose(pose)?;
        let mut matrices = Vec::new();
        concatenate(&self.bones, pose, &mut matrices);
        Some(matrices)
    }

    /// Computes all vertices in a pose, in 64 bits; `None` if the pose does not exist.
    ///
    /// The format stores no normals. As in DarkPlaces, they are the area-weighted sums of face normals in
    /// pose 0, rotated with the bones. They are zero where these cancel out, such as between the two sides
    /// of a sheet, and meaningless at the vertices of triangles without area.
    pub fn evaluate(&self, pose: usize) -> Option<Surface> {
        let matrices = self.model_matrices(pose)?;
        let normals = self.local_normals()?;
        let mut surface = Surface { positions: self.positions(&matrices).collect(), normals: Vec::new() };
        surface.normals.reserve(self.vertex_count());
        let mut local = normals.iter();
        for influences in self.vertices() {
            let mut sum = [0.0; 3];
            for (influence, normal) in influences.iter().zip(local.by_ref()) {
                let Some(matrix) = matrices.get(influence.bone as usize) else { continue };
                sum = add(sum, matrix.vector(*normal));
            }
            surface.normals.push(narrow(sum));
        }
        Some(surface)
    }

    /// Returns the positions of all vertices, from model-space matrices.
    pub(crate) fn positions(&self, matrices: &[Affine64]) -> impl Iterator<Item = [f32; 3]> {
        self.vertices().map(|influences| narrow(position(influences, matrices)))
    }

    /// Returns a normal per influence, in its bone's space and times its weight; `None` if there is no pose.
    /// It is zero if the bone's matrix flattens space in pose 0, and at vertices without a face.
    pub(crate) fn local_normals(&self) -> Option<Vec<[f64; 3]>> {
        let matrices = self.model_matrices(0)?;
        let positions: Vec<_> = self.vertices().map(|i| position(i, &matrices)).collect();
        let mut normals = alloc::vec![Sum::default(); positions.len()];
        for &[a, b, c] in self.runs.iter().flat_map(|r| &r.triangles) {
            let corner = |v: u32| positions.get(v as usize).copied();
            let (Some(p), Some(q), Some(r)) = (corner(a), corner(b), corner(c)) else { continue };
            let face = cross(sub(q, p), sub(r, p));
            for v in [a, b, c] {
                if let Some(normal) = normals.get_mut(v as usize) {
                    normal.add(face);
                }
            }
        }
        let inverses: Vec<_> = matrices.iter().map(Affine64::inverse).collect();
        let mut local = Vec::with_capacity(self.influences.len());
        for (influences, normal) in self.vertices().zip(&normals) {
            let share = share(influences);
            let unit = scale(normal.direction().unwrap_or_default(), share);
            local.extend(influences.iter().map(|i| {
                let inverse = inverses.get(i.bone as usize).and_then(Option::as_ref);
                inverse.map_or([0.0; 3], |m| m.vector(unit))
            }));
        }
        Some(local)
    }
}

/// Returns the weight of each of a vertex's influences.
#[expect(clippy::cast_precision_loss, reason = "a count of influences is small")]
pub(crate) fn share(influences: &[ZymInfluence]) -> f64 {
    1.0 / influences.len().max(1) as f64
}

fn position(influences: &[ZymInfluence], matrices: &[Affine64]) -> [f64; 3] {
    let (mut sum, share) = ([0.0; 3], share(influences));
    for i in influences {
        if let Some(matrix) = matrices.get(i.bone as usize) {
            sum = add(sum, scale(matrix.point(values(i.origin).map(f64::from)), share));
        }
    }
    sum
}

//! Evaluation of a ZYM model.
#![allow(clippy::indexing_slicing, reason = "vectors and matrices of fixed size")]

use super::model::{Zym, ZymInfluence};
use crate::matrix::{Matrix, concatenate, narrow};
use crate::model::Bone;
use crate::view::Surface;
use alloc::vec::Vec;

impl Zym {
    /// The model-space matrix of every bone in a pose, concatenated by parent; `None` where there is no such
    /// pose.
    pub fn model_matrices(&self, pose: usize) -> Option<Vec<Matrix>> {
        let pose = self.pose(pose)?;
        let mut matrices = Vec::new();
        concatenate(pose.iter().zip(self.bones.iter().map(Bone::parent)), &mut matrices);
        Some(matrices)
    }

    /// All vertices in a pose, computed in 64 bits; `None` where there is no such pose.
    ///
    /// The format stores no normals: as DarkPlaces does, they are the area-weighted sums of face normals in
    /// pose 0, turned with the bones. They are of no use at the vertices of triangles without area.
    pub fn evaluate(&self, pose: usize) -> Option<Surface> {
        let matrices = self.model_matrices(pose)?;
        let normals = self.local_normals()?;
        let mut surface = Surface { positions: self.positions(&matrices), normals: Vec::new() };
        surface.normals.reserve(self.vertex_count());
        let mut local = normals.iter();
        for influences in self.vertices() {
            let mut sum = [0.0; 3];
            for (influence, normal) in influences.iter().zip(local.by_ref()) {
                let Some(matrix) = matrices.get(influence.bone as usize) else { continue };
                add(&mut sum, matrix.vector(*normal));
            }
            surface.normals.push(narrow(sum));
        }
        Some(surface)
    }

    fn positions(&self, matrices: &[Matrix]) -> Vec<[f32; 3]> {
        self.vertices().map(|influences| narrow(position(influences, matrices))).collect()
    }

    /// A normal per influence, in its bone's space and times its share; `None` without a pose. Zero where the
    /// bone's matrix flattens space in pose 0, and at vertices without a face.
    pub(crate) fn local_normals(&self) -> Option<Vec<[f64; 3]>> {
        let matrices = self.model_matrices(0)?;
        let positions: Vec<_> = self.vertices().map(|i| position(i, &matrices)).collect();
        let mut normals = alloc::vec![[0.0; 3]; positions.len()];
        for &[a, b, c] in self.runs.iter().flat_map(|r| &r.triangles) {
            let corner = |v: u32| positions.get(v as usize).copied();
            let (Some(p), Some(q), Some(r)) = (corner(a), corner(b), corner(c)) else { continue };
            let face = cross(difference(q, p), difference(r, p));
            for v in [a, b, c] {
                if let Some(normal) = normals.get_mut(v as usize) {
                    add(normal, face);
                }
            }
        }
        let inverses: Vec<_> = matrices.iter().map(Matrix::inverse).collect();
        let mut local = Vec::with_capacity(self.influences.len());
        for (influences, normal) in self.vertices().zip(&normals) {
            let share = share(influences);
            let unit = normalize(*normal).map(|c| c * share);
            local.extend(influences.iter().map(|i| {
                let inverse = inverses.get(i.bone as usize).and_then(Option::as_ref);
                inverse.map_or([0.0; 3], |m| m.vector(unit))
            }));
        }
        Some(local)
    }
}

/// The share that each of a vertex's influences has.
#[expect(clippy::cast_precision_loss, reason = "a count of influences is small")]
pub(crate) fn share(influences: &[ZymInfluence]) -> f64 {
    1.0 / influences.len().max(1) as f64
}

fn position(influences: &[ZymInfluence], matrices: &[Matrix]) -> [f64; 3] {
    let (mut sum, share) = ([0.0; 3], share(influences));
    for i in influences {
        if let Some(matrix) = matrices.get(i.bone as usize) {
            add(&mut sum, matrix.point(i.origin.map(|v| v.get().into())).map(|c| c * share));
        }
    }
    sum
}

fn add(sum: &mut [f64; 3], part: [f64; 3]) {
    for (s, p) in sum.iter_mut().zip(part) {
        *s += p;
    }
}

fn difference(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    core::array::from_fn(|i| a[i] - b[i])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// At length 1; zero stays zero.
fn normalize(v: [f64; 3]) -> [f64; 3] {
    let length = crate::matrix::sqrt(v.iter().map(|c| c * c).sum());
    if length > 0.0 && length.is_finite() { v.map(|c| c / length) } else { [0.0; 3] }
}

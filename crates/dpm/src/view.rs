//! Evaluation of a DPM model: poses in model space and skinned vertices.
#![allow(clippy::indexing_slicing, reason = "vectors and matrices of fixed size")]

use crate::matrix::{Matrix, concatenate, narrow};
use crate::model::{Bone, Dpm, Influence, PoseId, Vertices};
use alloc::vec::Vec;

/// Vertices of a mesh in one pose, in the model's own space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// A position per vertex.
    pub positions: Vec<[f32; 3]>,
    /// A normal per vertex, as the sum over its influences gives it: of other length than 1 where the root is
    /// scaled or influences bend.
    pub normals: Vec<[f32; 3]>,
}

impl Dpm {
    /// The model-space matrix of every bone in a pose, concatenated by parent; `None` where there is no such
    /// pose.
    pub fn model_matrices(&self, pose: PoseId) -> Option<Vec<Matrix>> {
        let mut matrices = Vec::new();
        self.model_matrices_into(pose, &mut matrices).then_some(matrices)
    }

    /// As [`model_matrices`](Self::model_matrices), into a vector of the caller's; false where there is no such
    /// pose.
    pub fn model_matrices_into(&self, pose: PoseId, out: &mut Vec<Matrix>) -> bool {
        let Some(pose) = self.pose(pose) else { return false };
        concatenate(pose.iter().zip(self.bones.iter().map(Bone::parent)), out);
        true
    }

    /// The vertices of a mesh in a frame, computed in 64 bits; `None` where there is no such mesh or frame.
    pub fn evaluate(&self, mesh: usize, frame: usize) -> Option<Surface> {
        let mesh = self.meshes.get(mesh)?;
        let matrices = self.model_matrices(self.frames.get(frame)?.pose)?;
        let mut surface = Surface::default();
        skin(&mesh.vertices, &matrices, &mut surface);
        Some(surface)
    }
}

/// Computes vertices from model-space matrices, into a surface of the caller's that is emptied first.
///
/// A vertex is the sum of `R * origin + influence * t` over its influences, its normal the sum of `R * normal`.
/// An influence of a bone that has no matrix adds nothing.
pub fn skin(vertices: &Vertices, matrices: &[Matrix], out: &mut Surface) {
    out.positions.clear();
    out.normals.clear();
    out.positions.reserve(vertices.len());
    out.normals.reserve(vertices.len());
    for influences in vertices {
        let (mut position, mut normal) = ([0.0; 3], [0.0; 3]);
        for i in influences {
            let Some(matrix) = matrices.get(i.bone as usize) else { continue };
            let (p, n) = parts(i, matrix);
            for k in 0..3 {
                position[k] += p[k];
                normal[k] += n[k];
            }
        }
        out.positions.push(narrow(position));
        out.normals.push(narrow(normal));
    }
}

/// What one influence adds to position and normal.
#[inline]
pub(crate) fn parts(i: &Influence, matrix: &Matrix) -> ([f64; 3], [f64; 3]) {
    let position = matrix.weighted(i.origin.map(|v| v.get().into()), i.influence.get().into());
    (position, matrix.vector(i.normal.map(|v| v.get().into())))
}

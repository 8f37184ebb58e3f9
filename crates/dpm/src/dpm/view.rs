//! Evaluation of a DPM model: model-space poses, skinned vertices, and clips derived from frame names.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "vectors of fixed size")]

use super::model::{Dpm, PoseId, Vertices};
use crate::clips::{FrameClip, clip_name, from_names};
use crate::pose::{Surface, concatenate};
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::math::{Affine64, narrow1};

impl Dpm {
    /// Returns the model-space matrix of every bone in a pose, or `None` if the pose does not exist.
    pub fn model_matrices(&self, pose: PoseId) -> Option<Vec<Affine64>> {
        let mut matrices = Vec::new();
        self.model_matrices_into(pose, &mut matrices).then_some(matrices)
    }

    /// Does the same as [`model_matrices`](Self::model_matrices), but writes into `out`. Returns `false` if
    /// the pose does not exist.
    pub fn model_matrices_into(&self, pose: PoseId, out: &mut Vec<Affine64>) -> bool {
        let Some(pose) = self.pose(pose) else { return false };
        concatenate(&self.bones, pose, out);
        true
    }

    /// Computes the vertices of a mesh in a frame with 64-bit floats. Returns `None` if the mesh or frame does not
    /// exist.
    pub fn evaluate(&self, mesh: usize, frame: usize) -> Option<Surface> {
        let mesh = self.meshes.get(mesh)?;
        let matrices = self.model_matrices(self.frames.get(frame)?.pose)?;
        let mut surface = Surface::default();
        skin(&mesh.vertices, &matrices, &mut surface);
        Some(surface)
    }

    /// Derives clips from frame names, for a model without a `.framegroups` companion file.
    ///
    /// Consecutive frames whose names differ only in an increasing number form a clip. Its name is the common part
    /// without a trailing `_`. A single frame keeps its full name. Clips loop and have 10 frames per second.
    pub fn clips_from_names(&self) -> Vec<FrameClip> {
        from_names(&self.frames.iter().map(|f| &f.name).collect::<Vec<_>>())
    }

    /// Returns the clip name in a frame's name: the part before its number.
    pub fn clip_name_at(&self, frame: u32) -> Option<&[u8]> {
        self.frames.get(frame as usize).map(|f| clip_name(&f.name))
    }
}

/// Computes vertices from model-space matrices into `out`, which is cleared first.
///
/// A vertex is the sum of `R * origin + influence * t` over its influences, and its normal the sum of `R * normal`. An
/// influence of a bone without a matrix adds nothing.
pub fn skin(vertices: &Vertices, matrices: &[Affine64], out: &mut Surface) {
    let mut posed = Vec::new();
    skin_into(vertices, matrices, &mut posed);
    out.positions.clear();
    out.positions.extend(posed.iter().map(|[[x, y, z, _], _]| [*x, *y, *z]));
    out.normals.clear();
    out.normals.extend(posed.iter().map(|[_, [x, y, z, _]]| [*x, *y, *z]));
}

/// Position and normal of a vertex in vector registers.
pub(crate) type Posed = [[f32; 4]; 2];

/// Does the same as [`skin`], but reuses the vector.
pub(crate) fn skin_into(vertices: &Vertices, matrices: &[Affine64], out: &mut Vec<Posed>) {
    let columns: Vec<_> = matrices.iter().map(Affine64::to_columns).collect();
    out.resize(vertices.len(), Posed::default());
    skin_columns(vertices, &columns, out);
}

meshwright_core::kernels! {
    fn skin_columns as skin_columns_portable<'a>(
        vertices: &'a Vertices,
        matrices: &'a [[[f64; 4]; 4]],
        out: &'a mut [Posed],
    ) -> () {
        for (influences, to) in vertices.iter().zip(out) {
            let (mut position, mut normal) = ([0.0; 4], [0.0; 4]);
            for i in influences {
                let Some([x, y, z, w]) = matrices.get(i.bone as usize) else { continue };
                let ([a, b, c], [d, e, f]) = (i.origin.map(wide1), i.normal.map(wide1));
                let weight = wide1(i.influence);
                for k in 0..4 {
                    position[k] += x[k] * a + y[k] * b + z[k] * c + weight * w[k];
                    normal[k] += x[k] * d + y[k] * e + z[k] * f;
                }
            }
            *to = [position.map(narrow1), normal.map(narrow1)];
        }
    }
}

#[allow(clippy::inline_always, reason = "part of a kernel")]
#[inline(always)]
fn wide1(v: F32) -> f64 {
    f64::from(v.get())
}

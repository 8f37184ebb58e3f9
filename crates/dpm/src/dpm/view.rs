//! Evaluation of a DPM model: poses in model space and skinned vertices; clips by the names of frames.
#![allow(clippy::arithmetic_side_effects, clippy::indexing_slicing, reason = "vectors of fixed size")]

use super::model::{Dpm, PoseId, Vertices};
use crate::clips::{FrameClip, clip_name, from_names};
use crate::pose::{Surface, concatenate};
use alloc::vec::Vec;
use meshwright_core::F32;
use meshwright_core::math::{Affine64, narrow1};

impl Dpm {
    /// The model-space matrix of every bone in a pose, concatenated by parent; `None` where there is no such
    /// pose.
    pub fn model_matrices(&self, pose: PoseId) -> Option<Vec<Affine64>> {
        let mut matrices = Vec::new();
        self.model_matrices_into(pose, &mut matrices).then_some(matrices)
    }

    /// As [`model_matrices`](Self::model_matrices), into a vector of the caller's; false where there is no such
    /// pose.
    pub fn model_matrices_into(&self, pose: PoseId, out: &mut Vec<Affine64>) -> bool {
        let Some(pose) = self.pose(pose) else { return false };
        concatenate(&self.bones, pose, out);
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

    /// Clips guessed from the names of the frames, for a model without a `.framegroups` companion.
    ///
    /// Consecutive frames whose names are alike up to a rising number form a clip, which is named by what they
    /// share without a last `_`. A frame of its own keeps its full name. 10 frames per second, looping.
    pub fn clips_from_names(&self) -> Vec<FrameClip> {
        from_names(&self.frames.iter().map(|f| &f.name).collect::<Vec<_>>())
    }

    /// The name of the clip in a frame's name: without the number after it.
    pub fn clip_name_at(&self, frame: u32) -> Option<&[u8]> {
        self.frames.get(frame as usize).map(|f| clip_name(&f.name))
    }
}

/// Computes vertices from model-space matrices, into a surface of the caller's that is emptied first.
///
/// A vertex is the sum of `R * origin + influence * t` over its influences, its normal the sum of `R * normal`.
/// An influence of a bone that has no matrix adds nothing.
pub fn skin(vertices: &Vertices, matrices: &[Affine64], out: &mut Surface) {
    let mut posed = Vec::new();
    skin_into(vertices, matrices, &mut posed);
    out.positions.clear();
    out.positions.extend(posed.iter().map(|[[x, y, z, _], _]| [*x, *y, *z]));
    out.normals.clear();
    out.normals.extend(posed.iter().map(|[_, [x, y, z, _]]| [*x, *y, *z]));
}

/// Position and normal of a vertex, as the lanes of registers.
pub(crate) type Posed = [[f32; 4]; 2];

/// As [`skin`]; a vector that is there already is used again.
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

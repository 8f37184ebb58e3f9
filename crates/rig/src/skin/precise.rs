//! Skinning in the precision of the pose, one attribute at a time.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use super::plan::SkinPlan;
use super::plan_info::VertexSpace;
use crate::error::RigError;
use crate::kernels::NormalLength;
use crate::matrix::Matrix;
use crate::pose::Pose;
use meshwright_scene::{Influence, LocalVertex};

impl SkinPlan {
    /// Writes the positions in a pose, one per vertex, in the precision of the pose.
    ///
    /// # Errors
    ///
    /// If a length does not fit.
    pub fn positions<M: Matrix>(&self, pose: &Pose<M>, out: &mut [[f32; 3]]) -> Result<(), RigError> {
        self.fits(pose, out.len())?;
        match self.stored() {
            VertexSpace::Model => {
                let positions = self.data.positions();
                let palette = pose.palette();
                self.fill(out, |v, influences, _| {
                    let total: f32 = influences.iter().map(|i| i.weight).sum();
                    if total == 0.0 {
                        return positions[v];
                    }
                    let add =
                        |sum, i: &Influence| palette[i.joint as usize].add_point(sum, positions[v], i.weight);
                    M::finish(influences.iter().filter(|i| i.weight != 0.0).fold(M::Sum::default(), add))
                });
            }
            VertexSpace::Joint => {
                let model = pose.model_matrices();
                self.fill(out, |_, influences, range| {
                    let add = |sum, (i, l): (&Influence, &LocalVertex)| {
                        model[i.joint as usize].add_local(sum, l.position, i.weight)
                    };
                    M::finish(influences.iter().zip(&self.local[range]).fold(M::Sum::default(), add))
                });
            }
        }
        Ok(())
    }

    /// Writes the normals in a pose, one per vertex, in the precision of the pose.
    ///
    /// # Errors
    ///
    /// If a length does not fit, or the mesh has no normals.
    pub fn normals<M: Matrix>(
        &self,
        pose: &Pose<M>,
        length: NormalLength,
        out: &mut [[f32; 3]],
    ) -> Result<(), RigError> {
        self.fits(pose, out.len())?;
        if !self.has_normals() {
            return Err(RigError::invalid("normals", "the mesh has none"));
        }
        let finish = match length {
            NormalLength::AsIs => M::finish,
            NormalLength::Unit => M::finish_unit,
        };
        match self.stored() {
            VertexSpace::Model => {
                let normals = self.data.normals();
                let palette = pose.palette();
                self.fill(out, |v, influences, _| {
                    let total: f32 = influences.iter().map(|i| i.weight).sum();
                    if total == 0.0 {
                        return finish(M::IDENTITY.add_vector(M::Sum::default(), normals[v], 1.0));
                    }
                    let add =
                        |sum, i: &Influence| palette[i.joint as usize].add_vector(sum, normals[v], i.weight);
                    finish(influences.iter().filter(|i| i.weight != 0.0).fold(M::Sum::default(), add))
                });
            }
            VertexSpace::Joint => {
                let model = pose.model_matrices();
                self.fill(out, |_, influences, range| {
                    let add = |sum, (i, l): (&Influence, &LocalVertex)| {
                        model[i.joint as usize].add_vector(sum, l.normal, 1.0)
                    };
                    finish(influences.iter().zip(&self.local[range]).fold(M::Sum::default(), add))
                });
            }
        }
        Ok(())
    }

    fn fits<M: Matrix>(&self, pose: &Pose<M>, out: usize) -> Result<(), RigError> {
        RigError::length("joints of the pose", self.joint_count(), pose.model_matrices().len())?;
        RigError::length("result", self.vertex_count(), out)
    }

    /// Calls `vertex` with the number, the influences and their range for each vertex. The plan has checked
    /// the ranges.
    fn fill(
        &self,
        out: &mut [[f32; 3]],
        vertex: impl Fn(usize, &[Influence], core::ops::Range<usize>) -> [f32; 3],
    ) {
        for (v, (out, bounds)) in out.iter_mut().zip(self.starts.windows(2)).enumerate() {
            let range = bounds[0] as usize..bounds[1] as usize;
            *out = vertex(v, &self.influences[range.clone()], range);
        }
    }
}

//! Bounding boxes of posed meshes.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use super::plan::SkinPlan;
use super::workspace::Workspace;
use crate::error::RigError;
use crate::kernels::{BLOCK, Output};
use crate::matrix::Matrix;
use crate::pose::Pose;
use glam::Vec3;

/// An axis-aligned bounding box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The minimum corner.
    pub min: Vec3,
    /// The maximum corner.
    pub max: Vec3,
}

impl Bounds {
    /// Returns true for a point in the box or on its surface.
    pub fn contains(&self, p: Vec3) -> bool {
        p.cmpge(self.min).all() && p.cmple(self.max).all()
    }
}

impl SkinPlan {
    /// Returns a box around the mesh in a pose, without skinning it. It holds every finite vertex, and may be larger
    /// than necessary. `None` if no vertex has finite weight, or if the pose belongs to another skeleton.
    ///
    /// The cost grows with the number of joints.
    pub fn bounds<M: Matrix>(&self, pose: &Pose<M>) -> Option<Bounds> {
        let matrices = self.matrices(pose);
        if matrices.len() != self.joint_count() || self.vertex_count() == 0 {
            return None;
        }
        self.bounds.posed(matrices).map(|(min, max)| Bounds { min, max })
    }

    /// Returns the smallest box around the mesh in a pose, by skinning it in pieces. NaN is skipped; `None` if there
    /// are no other coordinates.
    ///
    /// # Errors
    ///
    /// If the pose belongs to another skeleton.
    pub fn exact_bounds<M: Matrix>(
        &self,
        pose: &Pose<M>,
        work: &mut Workspace,
    ) -> Result<Option<Bounds>, RigError> {
        let mut piece = [[0.0_f32; 3]; BLOCK];
        let mut bounds = Bounds { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
        let instructions = work.instructions();
        let slots = self.prepare(self.matrices(pose), work)?;
        for start in (0..self.vertex_count()).step_by(BLOCK) {
            let range = start..self.vertex_count().min(start + BLOCK);
            let out = Output::positions(&mut piece[..range.len()]);
            self.piece(instructions, slots, range.clone(), out)?;
            for p in &piece[..range.len()] {
                for (i, c) in p.iter().enumerate() {
                    bounds.min[i] = bounds.min[i].min(*c);
                    bounds.max[i] = bounds.max[i].max(*c);
                }
            }
        }
        Ok(bounds.min.cmple(bounds.max).all().then_some(bounds))
    }
}

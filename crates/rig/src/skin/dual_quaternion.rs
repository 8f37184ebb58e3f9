//! Skinning with dual quaternions.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "skins whose ranges and joints the plan has checked"
)]

use super::dual::Dual;
use super::plan::SkinPlan;
use super::plan_info::VertexSpace;
use super::workspace::Workspace;
use crate::error::RigError;
use crate::kernels::Output;
use crate::matrix::Matrix;
use crate::pose::Pose;
use glam::{Vec3, Vec4};
use meshwright_scene::Influence;

impl SkinPlan {
    /// Skins like [`skin`](Self::skin), but blends dual quaternions instead of matrices, so that twisted limbs keep
    /// their volume. Scale and shear of joints are dropped, weights count relative to their sum, and normals keep
    /// their length.
    ///
    /// Only meshes in model space can be skinned: a vertex in joint space has no single point to move. It runs
    /// portable code on one thread.
    ///
    /// # Errors
    ///
    /// The same as for [`skin`](Self::skin), and if the mesh is not in model space.
    pub fn skin_dual<M: Matrix>(
        &self,
        pose: &Pose<M>,
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        if self.vertex_space() == VertexSpace::Joint {
            return Err(RigError::invalid("skin.local", "has no dual quaternion form"));
        }
        let mut out = self.fit(pose.palette().len(), out)?;
        let duals = work.load_duals(pose.palette());
        let wants = out.wants();
        let stays = duals.last().copied().unwrap_or_default();
        for (v, w) in self.starts.windows(2).enumerate() {
            let of = &self.influences[w[0] as usize..w[1] as usize];
            let unit = weighted_sum(of, duals).map_or(stays, |sum| sum.unit().unwrap_or(stays));
            let point = Vec3::from(self.data.positions()[v]);
            let normal = if wants.normals { unit.turn(self.data.normals()[v].into()) } else { Vec3::ZERO };
            let tangent = if wants.tangents {
                let [x, y, z, w] = self.data.tangents()[v];
                unit.turn(Vec3::new(x, y, z)).extend(w)
            } else {
                Vec4::ZERO
            };
            out.set(v, (unit.turn(point) + unit.translation()).into(), normal.into(), tangent.into());
        }
        if wants.unit {
            out.normalize();
        }
        Ok(())
    }
}

/// Returns the weighted sum of the motions of one vertex; `None` if its weights sum to 0.
fn weighted_sum(influences: &[Influence], duals: &[Dual]) -> Option<Dual> {
    let total: f32 = influences.iter().map(|i| i.weight).sum();
    if total == 0.0 {
        return None;
    }
    let (mut sum, mut pivot) = (Dual::default(), None);
    for i in influences.iter().filter(|i| i.weight != 0.0) {
        let d = duals[i.joint as usize];
        // Both signs are the same rotation; all get the sign that is nearer to the first.
        let side = *pivot.get_or_insert(d.real);
        let weight = if side.dot(d.real) < 0.0 { -i.weight } else { i.weight };
        sum.real += d.real * weight;
        sum.dual += d.dual * weight;
    }
    Some(sum)
}

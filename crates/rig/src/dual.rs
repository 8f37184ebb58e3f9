//! Skinning with dual quaternions.

use crate::error::RigError;
use crate::kernels::Output;
use crate::matrix::Matrix;
use crate::pose::Pose;
use crate::skin::{Form, SkinPlan};
use crate::workspace::{Dual, Workspace};
use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

impl Dual {
    /// A rotation and then a translation.
    pub(crate) fn new(q: Quat, t: Vec3) -> Self {
        let dual = Quat::from_xyzw(t.x, t.y, t.z, 0.0) * q;
        Self { real: Vec4::from(q), dual: Vec4::from(dual) * 0.5 }
    }

    fn turn(&self, v: Vec3) -> Vec3 {
        let r = self.real.xyz();
        v + r.cross(r.cross(v) + v * self.real.w) * 2.0
    }

    fn translation(&self) -> Vec3 {
        let (r, d) = (self.real.xyz(), self.dual.xyz());
        (d * self.real.w - r * self.dual.w + r.cross(d)) * 2.0
    }
}

impl SkinPlan {
    /// As [`skin`](Self::skin), but blends the joints' motions as dual quaternions: limbs that twist keep
    /// their volume. Scale and shear of joints are dropped, weights count relative to their sum, and normals
    /// keep their length.
    ///
    /// Only for meshes bound in model space, because a vertex that is stored differently for every joint has
    /// no single point to move. One thread, portable instructions.
    pub fn skin_dual<M: Matrix>(
        &self,
        pose: &Pose<M>,
        work: &mut Workspace,
        out: Output<'_>,
    ) -> Result<(), RigError> {
        if self.form() == Form::Local {
            return Err(RigError::invalid("skin.local", "has no dual quaternion form"));
        }
        let mut out = self.fit(pose.palette().len(), out)?;
        let duals = work.load_duals(pose.palette());
        let (starts, influences) = self.binding();
        let wants = out.wants();
        let stays = duals.last().copied().unwrap_or_default();
        for (v, w) in starts.windows(2).enumerate() {
            let of = &influences[w[0] as usize..w[1] as usize];
            let total: f32 = of.iter().map(|i| i.weight).sum();
            let mut sum = Dual::default();
            if total == 0.0 {
                sum = stays;
            } else {
                let mut pivot = None;
                for i in of.iter().filter(|i| i.weight != 0.0) {
                    let d = duals[i.joint as usize];
                    // Both signs mean the same rotation: all are taken on the side of the first.
                    let side = *pivot.get_or_insert(d.real);
                    let weight = if side.dot(d.real) < 0.0 { -i.weight } else { i.weight };
                    sum.real += d.real * weight;
                    sum.dual += d.dual * weight;
                }
            }
            let length = sum.real.length();
            // Rotations that cancel have no mean.
            let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
            let unit =
                if length == 0.0 { stays } else { Dual { real: sum.real * scale, dual: sum.dual * scale } };
            let point = Vec3::from(self.data().positions()[v]);
            let normal = if wants.normals { unit.turn(self.data().normals()[v].into()) } else { Vec3::ZERO };
            let tangent = if wants.tangents {
                let [x, y, z, w] = self.data().tangents()[v];
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

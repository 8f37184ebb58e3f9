//! Converts skinned meshes to their rest pose, for formats without bones.

use crate::convert::ConvertError;
use crate::mesh::{Mesh, Skin};
use crate::model::Scene;
use crate::model::ids::SkeletonId;
use crate::skeleton::bind::to_model;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::Budget;
use meshwright_core::math::{Affine64, add, narrow, scale, unit, wide};

/// A matrix that differs from the identity by at most this does not move vertices.
const SAME: f64 = 1.0e-6;

/// The transform of the vertices of a skeleton from bind pose to rest pose, joint by joint.
#[derive(Debug)]
pub(super) struct RestPose(Vec<Affine64>);

impl RestPose {
    pub(super) fn compute(scene: &Scene, id: SkeletonId, budget: &Budget) -> Result<Self, ConvertError> {
        let invalid = || {
            ConvertError::invalid(format!("skeletons[{}]", id.0), "does not exist or its joints form no tree")
        };
        let skeleton = scene.skeletons.get(id.0).ok_or_else(invalid)?;
        budget.charge_items("joints", skeleton.joints.len() as u64, size_of::<[usize; 4]>())?;
        let order = skeleton.order().ok_or_else(invalid)?;
        let mut model = skeleton.rest_locals(budget)?;
        to_model(skeleton, &order, &mut model);
        let mut moves = budget.reserve("joints", skeleton.joints.len())?;
        moves.extend(skeleton.joints.iter().zip(&model).map(|(j, m)| m.after(&j.inverse_bind.wide())));
        Ok(Self(moves))
    }

    /// Returns whether a joint that moves vertices of the skin has different rest and bind poses.
    pub(super) fn moves(&self, skin: &Skin) -> bool {
        // Vertices that are stored per joint follow the joint's rest pose.
        let moved = |joint: u32| self.0.get(joint as usize).is_some_and(|m| !is_identity(m));
        skin.local.is_empty() && skin.influences.iter().any(|i| i.weight != 0.0 && moved(i.joint))
    }

    /// Transforms a mesh to the rest pose. Vertices without a joint are unchanged. Front faces follow from
    /// the posed triangles, as in a renderer.
    pub(super) fn apply(&self, mesh: &mut Mesh, skin: &Skin) {
        for v in 0..mesh.positions.len() {
            let mut sum = Affine64 { x: [0.0; 3], y: [0.0; 3], z: [0.0; 3], w: [0.0; 3] };
            for i in skin.influences(v) {
                let (Some(m), w) = (self.0.get(i.joint as usize), f64::from(i.weight)) else { continue };
                let more = |a, b| add(a, scale(b, w));
                sum = Affine64 {
                    x: more(sum.x, m.x),
                    y: more(sum.y, m.y),
                    z: more(sum.z, m.z),
                    w: more(sum.w, m.w),
                };
            }
            if skin.influences(v).iter().all(|i| i.weight == 0.0) {
                continue;
            }
            if let Some(p) = mesh.positions.get_mut(v) {
                *p = finite(narrow(sum.point(wide(*p))), *p);
            }
            let across = sum.normals().unwrap_or(sum);
            if let Some(n) = mesh.normals.get_mut(v) {
                *n = unit(across.vector(wide(*n))).map_or(*n, narrow);
            }
            if let Some([x, y, z, w]) = mesh.tangents.get_mut(v) {
                let turned = unit(sum.vector(wide([*x, *y, *z]))).map_or([*x, *y, *z], narrow);
                [*x, *y, *z] = turned;
                if sum.determinant() < 0.0 {
                    *w = -*w;
                }
            }
        }
    }
}

fn finite(p: [f32; 3], or: [f32; 3]) -> [f32; 3] {
    if p.iter().all(|c| c.is_finite()) { p } else { or }
}

fn is_identity(m: &Affine64) -> bool {
    let one = Affine64::IDENTITY;
    let near = |a: [f64; 3], b: [f64; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= SAME);
    near(m.x, one.x) && near(m.y, one.y) && near(m.z, one.z) && near(m.w, one.w)
}

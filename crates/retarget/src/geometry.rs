//! A skeleton as matrices of 64 bits, for retargeting.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint, whose parents were checked"
)]

use alloc::vec::Vec;
use meshwright_rig::glam::{DAffine3, DMat3, DQuat, DVec3};
use meshwright_rig::{Matrix, Rig, RigError};
use meshwright_scene::{Joint, Skeleton};

/// The hierarchy and the rest pose of a skeleton.
#[derive(Clone, Debug)]
pub(crate) struct Geometry {
    pub(crate) rig: Rig,
    /// The joints, parents first.
    pub(crate) order: Vec<usize>,
    /// The parent of each joint. Joints that follow others have none, and are not posed.
    pub(crate) parents: Vec<Option<usize>>,
    /// The rest pose relative to the parents.
    pub(crate) locals: Vec<DAffine3>,
    /// The rest pose in model space.
    pub(crate) rest: Vec<DAffine3>,
    /// The rotation that turns the [`rotation`] of a joint's local matrix into that of its keys. It is not the
    /// identity if the rest pose mirrors the joint: keys mirror the first axis, by a negative scale.
    pub(crate) key_turns: Vec<DQuat>,
    /// True for joints that follow others.
    pub(crate) follows: Vec<bool>,
}

impl Geometry {
    pub(crate) fn new(skeleton: &Skeleton) -> Result<Self, RigError> {
        let rig = Rig::new(skeleton)?;
        let joints = skeleton.joints.len();
        let locals: Vec<_> =
            skeleton.joints.iter().map(|j| DAffine3::from_affine(&j.rest.to_affine())).collect();
        let mut rest = alloc::vec![DAffine3::IDENTITY; joints];
        rig.compute_model_matrices(&locals, &mut rest)?;
        let parents = (0..joints).map(|j| rig.parent(j)).collect();
        let key_turn = |(joint, local): (&Joint, &DAffine3)| {
            let keys = DQuat::from_array(joint.rest.to_trs64().rotation).normalize();
            if keys.is_finite() { rotation(local).inverse() * keys } else { DQuat::IDENTITY }
        };
        let key_turns = skeleton.joints.iter().zip(&locals).map(key_turn).collect();
        let follows = skeleton.joints.iter().map(|j| !j.follows.is_empty()).collect();
        // The rig has rejected cycles.
        let order = skeleton.order().unwrap_or_default();
        Ok(Self { rig, order, parents, locals, rest, key_turns, follows })
    }

    pub(crate) fn joint_count(&self) -> usize {
        self.parents.len()
    }

    /// Returns the position of a joint in the rest pose.
    pub(crate) fn position(&self, joint: usize) -> DVec3 {
        self.rest[joint].translation
    }

    /// Returns the joints above a joint, the nearest first.
    pub(crate) fn ancestors(&self, joint: usize) -> impl Iterator<Item = usize> + '_ {
        core::iter::successors(self.parents[joint], |j| self.parents[*j])
    }

    /// Returns the joints from `top` (excluded) down to `joint`; `None` if `top` is not an ancestor of it.
    pub(crate) fn path(&self, top: usize, joint: usize) -> Option<Vec<usize>> {
        let mut path = alloc::vec![joint];
        let above = self.ancestors(joint).take_while(|j| *j != top);
        path.extend(above);
        let first = *path.last()?;
        (self.parents[first] == Some(top)).then(|| path.into_iter().rev().collect())
    }

    /// Returns the lowest common ancestor of two joints, which may be one of them.
    pub(crate) fn common(&self, a: usize, b: usize) -> Option<usize> {
        let above: Vec<_> = core::iter::once(b).chain(self.ancestors(b)).collect();
        core::iter::once(a).chain(self.ancestors(a)).find(|j| above.contains(j))
    }
}

/// Returns the rotation of a matrix. Scale, shear and a mirrored third axis are dropped.
pub(crate) fn rotation(m: &DAffine3) -> DQuat {
    let x = m.matrix3.x_axis.normalize_or(DVec3::X);
    let y = m.matrix3.y_axis.reject_from_normalized(x).normalize_or(any_perpendicular(x));
    DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize()
}

/// Returns a direction perpendicular to a unit vector.
pub(crate) fn any_perpendicular(v: DVec3) -> DVec3 {
    let axis = if v.x.abs() < 0.9 { DVec3::X } else { DVec3::Y };
    axis.cross(v).normalize_or(DVec3::Z)
}

/// Returns the shortest rotation from one direction to another; the identity if one has no length.
pub(crate) fn swing(from: DVec3, to: DVec3) -> DQuat {
    match (from.try_normalize(), to.try_normalize()) {
        (Some(from), Some(to)) => {
            let dot = from.dot(to);
            if dot < -1.0 + 1e-12 {
                let axis = any_perpendicular(from);
                return DQuat::from_xyzw(axis.x, axis.y, axis.z, 0.0);
            }
            let cross = from.cross(to);
            DQuat::from_xyzw(cross.x, cross.y, cross.z, 1.0 + dot).normalize()
        }
        _ => DQuat::IDENTITY,
    }
}

/// Returns the rotation whose first axis is `first` and whose second axis is as near to `second` as
/// possible. `None` if they do not span a plane.
pub(crate) fn frame(first: DVec3, second: DVec3) -> Option<DQuat> {
    let x = first.try_normalize()?;
    let y = (second - x * second.dot(x)).try_normalize()?;
    Some(DQuat::from_mat3(&DMat3::from_cols(x, y, x.cross(y))).normalize())
}

/// Returns the ratio of two lengths, if both are large enough.
pub(crate) fn ratio(of: f64, to: f64) -> Option<f64> {
    let ratio = of / to;
    (of > 0.0 && to > 0.0 && ratio.is_finite()).then_some(ratio)
}

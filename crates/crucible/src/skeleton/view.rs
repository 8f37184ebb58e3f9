//! The engine's own pose rule.
#![allow(clippy::indexing_slicing, reason = "vectors of fixed size")]

use crate::skeleton::model::SkeletonChunk;
use crate::skeleton::rules;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::{Findings, values};

/// Where a bone stands in the model: the matrix is translation times rotation times scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BonePose {
    /// Position.
    pub position: [f32; 3],
    /// Rotation: x, y, z, w.
    pub rotation: [f32; 4],
    /// Scale per axis.
    pub scale: [f32; 3],
}

impl SkeletonChunk {
    /// The bones in an order in which parents come first; `None` when they form no tree with one root.
    pub fn order_from_root(&self) -> Option<Vec<usize>> {
        rules::check(self, false, &mut Findings::writing()).ok()?;
        Some(self.reached())
    }

    /// Where every bone stands, by the engine's rule; `None` when the bones form no tree.
    ///
    /// The rule is not the usual product of matrices: a bone's position is scaled by the parent's whole scale,
    /// turned by the *inverse* of the parent's whole rotation and added to the parent's position; its rotation
    /// is its own times the parent's, in this order; scales multiply per axis.
    pub fn pose(&self) -> Option<Vec<BonePose>> {
        let order = self.order_from_root()?;
        let mut poses = vec![(([0.0; 3], [0.0; 4], [0.0; 3]), false); self.bones.len()];
        for i in order {
            let bone = self.bones.get(i)?;
            let (p, s) = (values(bone.position).map(f64::from), values(bone.scale).map(f64::from));
            let q = self.rotation(bone).map(f64::from);
            let pose = match bone.parent.and_then(|p| poses.get(usize::from(p))) {
                Some(((pp, pq, ps), true)) => {
                    let scaled = core::array::from_fn(|i| ps[i] * p[i]);
                    let turned = turn_back(*pq, scaled);
                    (
                        core::array::from_fn(|i| turned[i] + pp[i]),
                        product(q, *pq),
                        core::array::from_fn(|i| s[i] * ps[i]),
                    )
                }
                _ => (p, q, s),
            };
            *poses.get_mut(i)? = (pose, true);
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounded to the precision of the file")]
        let round = |(p, q, s): ([f64; 3], [f64; 4], [f64; 3])| BonePose {
            position: p.map(|c| c as f32),
            rotation: q.map(|c| c as f32),
            scale: s.map(|c| c as f32),
        };
        Some(poses.into_iter().map(|(pose, _)| round(pose)).collect())
    }
}

/// The Hamilton product of two quaternions x, y, z, w.
pub(crate) fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

/// `v` turned by the inverse of `q`.
pub(crate) fn turn_back([x, y, z, w]: [f64; 4], v: [f64; 3]) -> [f64; 3] {
    let square = x * x + y * y + z * z + w * w;
    let d = if square > 0.0 { square } else { 1.0 };
    let (u, w) = ([-x / d, -y / d, -z / d], w / d);
    let cross = |a: [f64; 3], b: [f64; 3]| {
        [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    };
    let (once, twice) = (cross(u, v), cross(u, cross(u, v)));
    core::array::from_fn(|i| v[i] + 2.0 * (w * once[i] + twice[i]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skeleton::model::{Bone, QuaternionOrder};
    use meshwright_core::f32s;

    fn bone(parent: Option<u16>, position: [f32; 3], rotation: [f32; 4], scale: [f32; 3]) -> Bone {
        Bone {
            position: f32s(position),
            rotation: f32s(rotation),
            scale: f32s(scale),
            parent,
            children: Vec::new(),
        }
    }

    #[test]
    fn the_pose_turns_by_the_inverse_of_the_parent() {
        let h = core::f32::consts::FRAC_1_SQRT_2;
        let mut skeleton = SkeletonChunk::new(vec![
            bone(None, [1.0, 0.0, 0.0], [0.0, 0.0, h, h], [2.0, 1.0, 1.0]),
            bone(Some(0), [1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 3.0, 1.0]),
        ]);
        skeleton.list_children();
        let pose = skeleton.pose().unwrap();
        // A quarter turn to the left takes x to y; its inverse takes it to -y.
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near(pose[1].position, [1.0, -2.0, 0.0]), "{:?}", pose[1]);
        assert_eq!(pose[1].scale, [2.0, 3.0, 1.0]);
        skeleton.order = QuaternionOrder::Wxyz;
        assert_eq!(skeleton.rotation(&skeleton.bones[1]), [0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn broken_trees_have_no_pose() {
        let unit = |parent| bone(parent, [0.0; 3], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
        let codes = |bones: Vec<Bone>, list: bool| {
            let mut skeleton = SkeletonChunk::new(bones);
            if list {
                skeleton.list_children();
            }
            let report = skeleton.validate();
            let codes: Vec<_> = report.iter().map(|f| f.code).collect();
            assert_eq!(skeleton.pose().is_some(), codes.is_empty());
            codes
        };
        assert_eq!(codes(vec![unit(None), unit(Some(0))], true), [""; 0]);
        assert_eq!(codes(vec![], true), ["RootCount"]);
        assert_eq!(codes(vec![unit(None), unit(None)], true), ["RootCount"]);
        assert_eq!(codes(vec![unit(None), unit(Some(7))], true), ["BoneRange"]);
        assert_eq!(codes(vec![unit(None), unit(Some(0))], false), ["BoneTree", "BoneTree"]);
        assert_eq!(codes(vec![unit(None), unit(Some(2)), unit(Some(1))], true), ["BoneTree"]);
        assert_eq!(codes(vec![unit(None), unit(Some(1))], true), ["BoneTree"]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let unit = |parent| bone(parent, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
        let mut skeleton = SkeletonChunk::new((0..0xfffe_u16).map(|i| unit(i.checked_sub(1))).collect());
        skeleton.list_children();
        assert_eq!(skeleton.pose().unwrap().last().unwrap().position[1], 65534.0);
    }
}

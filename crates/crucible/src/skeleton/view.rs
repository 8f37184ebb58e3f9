//! The engine's own pose rule.

use crate::skeleton::model::SkeletonChunk;
use crate::skeleton::rules;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::math::{Quat, Trs, Trs64, add, dot, quat, wide};
use meshwright_core::{Findings, values};

impl SkeletonChunk {
    /// Returns the bones, parents first; `None` if they do not form a tree with one root.
    pub fn order_from_root(&self) -> Option<Vec<usize>> {
        rules::check(self, false, &mut Findings::writing()).ok()?;
        Some(self.reached())
    }

    /// Returns the poses of all bones by the engine's rule; `None` if the bones do not form a tree.
    ///
    /// The rule is not the usual product of matrices. A bone's position is scaled by the parent's world
    /// scale, rotated by the *inverse* of the parent's world rotation, and added to the parent's position.
    /// Its world rotation is its own rotation times the parent's, in this order. Scales multiply per axis.
    /// times the parent's, in this order; scales multiply per axis.
    pub fn pose(&self) -> Option<Vec<Trs>> {
        let order = self.order_from_root()?;
        let mut poses = vec![Trs64::IDENTITY; self.bones.len()];
        for i in order {
            let bone = self.bones.get(i)?;
            let own = Trs64 {
                translation: wide(values(bone.position)),
                rotation: wide(self.rotation(bone)),
                scale: wide(values(bone.scale)),
            };
            let above = bone.parent.and_then(|p| poses.get(usize::from(p)));
            let pose = above.map_or(own, |above| Trs64 {
                translation: add(
                    turn_back(above.rotation, times(above.scale, own.translation)),
                    above.translation,
                ),
                rotation: quat::product(own.rotation, above.rotation),
                scale: times(own.scale, above.scale),
            });
            *poses.get_mut(i)? = pose;
        }
        Some(poses.iter().map(Trs64::narrow).collect())
    }
}

/// Returns the products of the components.
fn times([ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]) -> [f64; 3] {
    [ax * bx, ay * by, az * bz]
}

/// Rotates `v` by the inverse of `q`, which need not be of unit length.
fn turn_back(q: Quat, v: [f64; 3]) -> [f64; 3] {
    let square = dot(q, q);
    let d = if square > 0.0 { square } else { 1.0 };
    quat::rotate(quat::conjugate(q).map(|c| c / d), v)
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
        // A quarter turn to the left rotates x to y; its inverse rotates x to -y.
        let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        assert!(near(pose[1].translation, [1.0, -2.0, 0.0]), "{:?}", pose[1]);
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
            let codes: Vec<_> = report.iter().map(|f| f.rule.code).collect();
            assert_eq!(skeleton.pose().is_some(), codes.is_empty());
            codes
        };
        assert_eq!(codes(vec![unit(None), unit(Some(0))], true), [""; 0]);
        assert_eq!(codes(vec![], true), ["root-count"]);
        assert_eq!(codes(vec![unit(None), unit(None)], true), ["root-count"]);
        assert_eq!(codes(vec![unit(None), unit(Some(7))], true), ["bone-range"]);
        assert_eq!(codes(vec![unit(None), unit(Some(0))], false), ["bone-tree", "bone-tree"]);
        assert_eq!(codes(vec![unit(None), unit(Some(2)), unit(Some(1))], true), ["bone-tree"]);
        assert_eq!(codes(vec![unit(None), unit(Some(1))], true), ["bone-tree"]);
    }

    #[test]
    fn a_long_chain_needs_no_stack() {
        let unit = |parent| bone(parent, [0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0; 3]);
        let mut skeleton = SkeletonChunk::new((0..0xfffe_u16).map(|i| unit(i.checked_sub(1))).collect());
        skeleton.list_children();
        assert_eq!(skeleton.pose().unwrap().last().unwrap().translation[1], 65534.0);
    }
}

//! The skeleton chunk: its model, its tree rules and the engine's own pose rule.
#![allow(clippy::indexing_slicing, reason = "vectors of fixed size")]

use alloc::borrow::Cow;
use alloc::format;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::{F32, values};

/// In which order the four floats of a rotation are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuaternionOrder {
    /// x, y, z, w: what the engine writes.
    #[default]
    Xyzw,
    /// w, x, y, z: what the engine's description says.
    Wxyz,
}

/// A skeleton chunk: a tree of bones with exactly one root.
///
/// The LZ4 block of a chunk that was read is written again for as long as the bones are what it holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkeletonChunk {
    /// How [`Bone::rotation`] is to be understood.
    pub order: QuaternionOrder,
    /// Bones by number.
    pub bones: Vec<Bone>,
    /// Bytes behind the block. The format has none.
    pub tail: Vec<u8>,
    pub(crate) packed: Packed,
}

/// The block that a skeleton was read from; no part of what the skeleton is.
#[derive(Clone, Default)]
pub(crate) struct Packed(pub(crate) Option<Vec<u8>>);

impl PartialEq for Packed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Packed {}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.0.as_ref().map_or(0, Vec::len))
    }
}

/// One bone, relative to its parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bone {
    /// Position.
    pub position: [F32; 3],
    /// Rotation, a unit quaternion in the order that [`SkeletonChunk::order`] tells.
    pub rotation: [F32; 4],
    /// Scale per axis.
    pub scale: [F32; 3],
    /// The bone it hangs from; `None` for the root.
    pub parent: Option<u16>,
    /// The bones that hang from it.
    pub children: Vec<u16>,
}

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

/// A broken rule of the tree.
pub(crate) struct TreeFault {
    pub(crate) code: &'static str,
    /// The bone at fault; `None` for the skeleton as a whole.
    pub(crate) bone: Option<usize>,
    pub(crate) field: &'static str,
    pub(crate) message: Cow<'static, str>,
}

/// The most bones of a skeleton: 0xffff stands for no parent.
pub(crate) const MAX_BONES: usize = 0xfffe;

impl SkeletonChunk {
    /// A skeleton of these bones, with rotations x, y, z, w.
    pub fn new(bones: Vec<Bone>) -> Self {
        Self { bones, ..Self::default() }
    }

    /// A bone's rotation as x, y, z, w.
    pub fn rotation(&self, bone: &Bone) -> [f32; 4] {
        let [a, b, c, d] = values(bone.rotation);
        match self.order {
            QuaternionOrder::Xyzw => [a, b, c, d],
            QuaternionOrder::Wxyz => [b, c, d, a],
        }
    }

    /// Sets a bone's children from the parents of all bones, in rising order.
    pub fn list_children(&mut self) {
        let mut children = vec![Vec::new(); self.bones.len()];
        for (i, bone) in (0..=u16::MAX).zip(&self.bones) {
            if let Some(list) = bone.parent.and_then(|p| children.get_mut(usize::from(p))) {
                list.push(i);
            }
        }
        for (bone, list) in self.bones.iter_mut().zip(children) {
            bone.children = list;
        }
    }

    /// The bones in an order in which parents come first; `None` when they form no tree with one root.
    pub fn order_from_root(&self) -> Option<Vec<usize>> {
        self.check(|fault| Err(fault.code)).ok()?;
        Some(self.reached())
    }

    /// The bones that can be reached from the roots over the lists of children, each once.
    fn reached(&self) -> Vec<usize> {
        let mut seen = vec![false; self.bones.len()];
        let mut order = Vec::with_capacity(self.bones.len());
        let mut visit = |order: &mut Vec<usize>, bone: usize| {
            if let Some(seen) = seen.get_mut(bone).filter(|seen| !**seen) {
                *seen = true;
                order.push(bone);
            }
        };
        for (root, _) in self.bones.iter().enumerate().filter(|(_, b)| b.parent.is_none()) {
            visit(&mut order, root);
        }
        let mut next = 0_usize;
        while let Some(bone) = order.get(next).and_then(|b| self.bones.get(*b)) {
            for &child in &bone.children {
                visit(&mut order, usize::from(child));
            }
            next = next.saturating_add(1);
        }
        order
    }

    /// Reports every broken rule of the tree to `on` until that answers an error.
    pub(crate) fn check<E>(&self, mut on: impl FnMut(TreeFault) -> Result<(), E>) -> Result<(), E> {
        let n = self.bones.len();
        let mut tell = |code, bone, field, message: alloc::string::String| {
            on(TreeFault { code, bone, field, message: message.into() })
        };
        if n > MAX_BONES {
            tell("BoneRange", None, "bones", format!("{n} bones, at most {MAX_BONES} can be numbered"))?;
        }
        let mut sound = true;
        for (i, bone) in self.bones.iter().enumerate() {
            let strangers = bone.parent.iter().map(|p| ("parent", p));
            for (field, &other) in strangers.chain(bone.children.iter().map(|c| ("children", c))) {
                if usize::from(other) >= n {
                    tell("BoneRange", Some(i), field, format!("bone {other} of {n}"))?;
                    sound = false;
                }
            }
        }
        let roots = self.bones.iter().filter(|b| b.parent.is_none()).count();
        if roots != 1 {
            let root = self.bones.iter().enumerate().filter(|(_, b)| b.parent.is_none()).nth(1);
            tell("RootCount", root.map(|r| r.0), "parent", format!("{roots} roots among {n} bones"))?;
        }
        if !sound {
            return Ok(());
        }
        let mut listed = vec![0_u32; n];
        for (i, bone) in self.bones.iter().enumerate() {
            for &child in &bone.children {
                let c = usize::from(child);
                if let Some(times) = listed.get_mut(c) {
                    *times = times.saturating_add(1);
                }
                let parent = self.bones.get(c).and_then(|b| b.parent);
                if parent.map(usize::from) != Some(i) {
                    let says = parent.map_or_else(|| "none".into(), |p| format!("{p}"));
                    tell(
                        "BoneTree",
                        Some(i),
                        "children",
                        format!("child {child} names {says} as its parent"),
                    )?;
                }
            }
        }
        for (i, (bone, times)) in self.bones.iter().zip(&listed).enumerate() {
            if let (Some(parent), false) = (bone.parent, *times == 1) {
                tell("BoneTree", Some(i), "parent", format!("bone {parent} lists it {times} times"))?;
            }
        }
        let reached = self.reached();
        if reached.len() < n && roots == 1 {
            let mut missing = vec![true; n];
            for bone in reached {
                if let Some(m) = missing.get_mut(bone) {
                    *m = false;
                }
            }
            let first = missing.iter().position(|m| *m);
            tell(
                "BoneTree",
                first,
                "parent",
                "cannot be reached from the root: its parents form a cycle".into(),
            )?;
        }
        Ok(())
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
            let mut codes = Vec::new();
            let _ = skeleton.check(|f| {
                codes.push(f.code);
                Ok::<_, ()>(())
            });
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

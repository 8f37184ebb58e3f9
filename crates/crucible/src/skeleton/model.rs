//! The model of a skeleton chunk.

use crate::stream::Packed;
use alloc::vec;
use alloc::vec::Vec;
use core::str::FromStr;
use meshwright_core::{F32, values};

/// The storage order of the four floats of a rotation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuaternionOrder {
    /// x, y, z, w, as the engine writes them.
    #[default]
    Xyzw,
    /// w, x, y, z, as in the engine's description.
    Wxyz,
}

impl QuaternionOrder {
    /// Both orders.
    pub const ALL: [Self; 2] = [Self::Xyzw, Self::Wxyz];

    /// The names of both orders.
    pub const NAMES: &'static [&'static str] = &[Self::Xyzw.name(), Self::Wxyz.name()];

    /// Returns the name of the order for options.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Xyzw => "xyzw",
            Self::Wxyz => "wxyz",
        }
    }
}

impl FromStr for QuaternionOrder {
    type Err = UnknownOrder;

    fn from_str(name: &str) -> Result<Self, UnknownOrder> {
        Self::ALL.into_iter().find(|order| order.name().eq_ignore_ascii_case(name)).ok_or(UnknownOrder)
    }
}

/// The error for a name that no [`QuaternionOrder`] has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no such order of a quaternion; known are xyzw and wxyz")]
pub struct UnknownOrder;

/// A skeleton chunk: a tree of bones with exactly one root.
///
/// The original LZ4 block is written again if the bones are unedited.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkeletonChunk {
    /// The storage order of [`Bone::rotation`].
    pub order: QuaternionOrder,
    /// The bones, by number.
    pub bones: Vec<Bone>,
    /// Bytes after the block. The format has none.
    pub tail: Vec<u8>,
    pub(crate) packed: Packed<'static>,
}

/// One bone, relative to its parent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bone {
    /// Position.
    pub position: [F32; 3],
    /// Rotation, a unit quaternion in the order of [`SkeletonChunk::order`].
    pub rotation: [F32; 4],
    /// Scale per axis.
    pub scale: [F32; 3],
    /// The parent bone; `None` for the root.
    pub parent: Option<u16>,
    /// The child bones.
    pub children: Vec<u16>,
}

/// The maximum number of bones: 0xffff means no parent.
pub(crate) const MAX_BONES: usize = 0xfffe;

impl SkeletonChunk {
    /// Returns a skeleton of these bones, with rotations in the order x, y, z, w.
    pub fn new(bones: Vec<Bone>) -> Self {
        Self { bones, ..Self::default() }
    }

    /// Returns a bone's rotation as x, y, z, w.
    pub fn rotation(&self, bone: &Bone) -> [f32; 4] {
        let [a, b, c, d] = values(bone.rotation);
        match self.order {
            QuaternionOrder::Xyzw => [a, b, c, d],
            QuaternionOrder::Wxyz => [b, c, d, a],
        }
    }

    /// Sets the children of all bones from their parents, in ascending order.
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

    /// Returns the bones that can be reached from the roots through the lists of children, each once.
    pub(crate) fn reached(&self) -> Vec<usize> {
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
}

impl From<Vec<Bone>> for SkeletonChunk {
    fn from(bones: Vec<Bone>) -> Self {
        Self::new(bones)
    }
}

//! Where joints went.

use crate::joint_index::{At, Place};
use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use meshwright_core::math::Affine64;
use meshwright_scene::Skeleton;

/// Where joints went.
#[derive(Debug)]
pub(crate) struct Placed {
    /// The joint of the result that each edited one is.
    pub(crate) edited: Vec<Vec<Option<At>>>,
    /// The joint of the result that each native one is.
    pub(crate) native: Vec<Vec<Option<At>>>,
    /// The edited joint of each joint of the result.
    pub(crate) result: Vec<Vec<Option<At>>>,
    /// For each edited joint, what takes a vertex from the native bind pose into the one of the file, where it is
    /// another.
    pub(crate) bound: Vec<Vec<Option<Affine64>>>,
    /// Which native joints are bound elsewhere.
    pub(crate) moved: BTreeSet<At>,
}

/// The joint of the result that is the nearest above an edited one.
pub(crate) fn nearest_kept(skeleton: &Skeleton, edited: At, placed: &Placed) -> Option<At> {
    let mut up = skeleton.joints.get(edited.joint)?.parent;
    let mut left = skeleton.joints.len();
    while let Some(p) = up {
        left = left.checked_sub(1)?;
        if let Some(at) = (At { joint: p, ..edited }).of(&placed.edited).copied().flatten() {
            return Some(at);
        }
        up = skeleton.joints.get(p)?.parent;
    }
    None
}

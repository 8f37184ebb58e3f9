//! The new indices of joints.

use crate::joint_index::{At, ListIndex, ancestors};
use alloc::vec::Vec;
use meshwright_core::SortedSet;
use meshwright_core::math::Affine64;
use meshwright_scene::Skeleton;

/// The new indices of joints.
#[derive(Debug)]
pub(crate) struct Placed {
    /// The joint of the result for each edited joint.
    pub(crate) edited: Vec<Vec<Option<At>>>,
    /// The joint of the result for each native joint.
    pub(crate) native: Vec<Vec<Option<At>>>,
    /// The edited joint for each joint of the result.
    pub(crate) result: Vec<Vec<Option<At>>>,
    /// Transform of each edited joint from the native bind pose to the bind pose of the file, if they differ.
    pub(crate) bound: Vec<Vec<Option<Affine64>>>,
    /// The same transform after the native bind pose got its edits.
    pub(crate) stored: Vec<Vec<Option<Affine64>>>,
    /// Native joints whose bind pose was moved.
    pub(crate) moved: SortedSet<At>,
}

/// Returns the joint of the result that is the nearest ancestor of an edited joint.
pub(crate) fn nearest_kept(skeleton: &Skeleton, edited: At, placed: &Placed) -> Option<At> {
    let above = ancestors(&skeleton.joints, Some(edited.joint)).skip(1);
    above.map(|joint| At { joint, ..edited }).find_map(|at| at.value_in(&placed.edited))
}

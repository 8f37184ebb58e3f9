//! Poses as translations, rotations and scales, eight joints side by side.

use crate::error::RigError;
use crate::joint_pose::{Group, JointPose};
use crate::kernels;
use crate::rig::Rig;
use alloc::vec::Vec;
use glam::Affine3A;

/// A pose of one skeleton as translation, rotation and scale per joint: what clips are sampled to and what
/// blends are made of. [`Rig::compose`] turns it into matrices.
///
/// Inside, the same component of eight joints lies side by side, and joints lie by their depth in the tree.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalPose {
    joints: usize,
    groups: Vec<Group>,
}

impl LocalPose {
    /// The rest pose. Shear of the rest matrices is dropped.
    pub fn new(rig: &Rig) -> Self {
        Self { joints: rig.joint_count(), groups: rig.rest_groups().to_vec() }
    }

    /// No translation, no rotation, no scale.
    pub(crate) fn neutral(joints: usize) -> Self {
        Self { joints, groups: alloc::vec![Group::default(); joints.div_ceil(8)] }
    }

    /// How many joints there are.
    pub fn joint_count(&self) -> usize {
        self.joints
    }

    /// The transform of a joint.
    pub fn get(&self, rig: &Rig, joint: usize) -> Option<JointPose> {
        let slot = rig.slot(joint)?;
        Some(self.groups.get(slot / 8)?.get(slot % 8))
    }

    /// Changes the transform of a joint.
    ///
    /// # Errors
    ///
    /// Where the pose is of another skeleton, or the joint does not exist.
    pub fn set(&mut self, rig: &Rig, joint: usize, to: &JointPose) -> Result<(), RigError> {
        RigError::length("joints of the pose", rig.joint_count(), self.joints)?;
        let slot = rig.slot(joint).ok_or_else(|| RigError::invalid("joint", "does not exist"))?;
        if let Some(group) = self.groups.get_mut(slot / 8) {
            group.set(slot % 8, to);
        }
        Ok(())
    }

    /// Takes over another pose of the same skeleton.
    ///
    /// # Errors
    ///
    /// Where the poses differ in the number of joints.
    pub fn copy_from(&mut self, other: &Self) -> Result<(), RigError> {
        RigError::length("joints of the pose", self.joints, other.joints)?;
        self.groups.copy_from_slice(&other.groups);
        Ok(())
    }

    pub(crate) fn groups(&self) -> &[Group] {
        &self.groups
    }

    pub(crate) fn groups_mut(&mut self) -> &mut [Group] {
        &mut self.groups
    }
}

impl Rig {
    /// Model-space matrices and palette of a pose, in one pass: what [`compute_model_matrices`](Self::compute_model_matrices) and
    /// [`compute_palette`](Self::compute_palette) compute, faster.
    ///
    /// # Errors
    ///
    /// Where the pose is of another skeleton, or a slice is not as long as there are joints.
    pub fn compose(
        &self,
        pose: &LocalPose,
        model: &mut [Affine3A],
        palette: &mut [Affine3A],
    ) -> Result<(), RigError> {
        RigError::length("joints of the pose", self.joint_count(), pose.joint_count())?;
        RigError::length("model matrices", self.joint_count(), model.len())?;
        RigError::length("palette", self.joint_count(), palette.len())?;
        let (steps, bind) = self.steps();
        kernels::compose(self.instructions(), steps, pose.groups(), bind, model, palette);
        Ok(())
    }
}

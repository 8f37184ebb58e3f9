//! Poses as translations, rotations and scales, in groups of eight joints.

use crate::error::RigError;
use crate::joint_pose::{Group, JointPose};
use crate::kernels;
use crate::rig::Rig;
use alloc::vec::Vec;
use glam::Affine3A;

/// A pose of one skeleton as translation, rotation and scale per joint. Players write it, and layers blend it.
/// [`Rig::compose`] turns it into matrices.
///
/// Joints are stored by depth, in groups of eight, component by component.
#[derive(Clone, Debug, PartialEq)]
pub struct LocalPose {
    joints: usize,
    groups: Vec<Group>,
}

impl LocalPose {
    /// Makes the rest pose. Shear of the rest matrices is dropped.
    pub fn new(rig: &Rig) -> Self {
        Self { joints: rig.joint_count(), groups: rig.rest_groups().to_vec() }
    }

    /// Makes a pose of identities.
    pub(crate) fn neutral(joints: usize) -> Self {
        Self { joints, groups: alloc::vec![Group::default(); joints.div_ceil(8)] }
    }

    /// Returns the number of joints.
    pub fn joint_count(&self) -> usize {
        self.joints
    }

    /// Returns the transform of a joint.
    pub fn get(&self, rig: &Rig, joint: usize) -> Option<JointPose> {
        let slot = rig.slot(joint)?;
        Some(self.groups.get(slot / 8)?.get(slot % 8))
    }

    /// Sets the transform of a joint.
    ///
    /// # Errors
    ///
    /// If the pose belongs to another skeleton, or the joint does not exist.
    pub fn set(&mut self, rig: &Rig, joint: usize, to: &JointPose) -> Result<(), RigError> {
        RigError::length("joints of the pose", rig.joint_count(), self.joints)?;
        let slot = rig.slot(joint).ok_or_else(|| RigError::invalid("joint", "does not exist"))?;
        if let Some(group) = self.groups.get_mut(slot / 8) {
            group.set(slot % 8, to);
        }
        Ok(())
    }

    /// Copies another pose of the same skeleton.
    ///
    /// # Errors
    ///
    /// If the poses differ in the number of joints.
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
    /// Computes model-space matrices and palette of a pose in one pass. It is faster than
    /// [`compute_model_matrices`](Self::compute_model_matrices) and [`compute_palette`](Self::compute_palette).
    ///
    /// # Errors
    ///
    /// If the pose belongs to another skeleton, or a slice is not as long as there are joints.
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

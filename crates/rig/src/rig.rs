//! Prepared skeletons.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint of the skeleton they were made for"
)]

use crate::error::RigError;
use crate::hierarchy::{self, Origin, Step, mean};
use crate::interpolation;
use crate::joint_pose::{Group, JointPose};
use crate::kernels::{Bind, InstructionSet};
use crate::matrix::Matrix;
use alloc::string::String;
use alloc::vec::Vec;
use glam::Affine3A;
use meshwright_scene::{Affine, MeshId, Skeleton, Trs};

/// The comparison of joint names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameMatch {
    /// Byte for byte.
    #[default]
    Exact,
    /// The case of ASCII letters does not matter.
    IgnoreCase,
}

/// A skeleton, prepared for posing. Parents, and joints that others follow, come first.
///
/// Matrices are always passed and returned in the order of the skeleton's joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    instructions: InstructionSet,
    names: Vec<String>,
    /// The joints by depth, so that neighbours seldom depend on each other.
    order: Vec<Step>,
    /// The index of each joint in that order.
    slots: Vec<usize>,
    /// The inverse bind matrices in that order.
    bind: Vec<Bind>,
    rest: Vec<Affine>,
    rest_parts: Vec<Trs>,
    /// The rest pose in that order; see `LocalPose`.
    rest_groups: Vec<Group>,
    inverse_bind: Vec<Affine>,
    solids: Vec<Option<MeshId>>,
}

impl Rig {
    /// Prepares a skeleton.
    ///
    /// # Errors
    ///
    /// If the joints form a cycle or name a missing joint.
    pub fn new(skeleton: &Skeleton) -> Result<Self, RigError> {
        let joints = &skeleton.joints;
        let order = hierarchy::by_depth(skeleton)
            .ok_or_else(|| RigError::invalid("joints", "they form a cycle or name a missing joint"))?;
        let mut slots = alloc::vec![0; joints.len()];
        order.iter().enumerate().for_each(|(slot, &j)| slots[j] = slot);
        let rest_parts: Vec<Trs> = joints.iter().map(|j| interpolation::to_trs(&j.rest)).collect();
        let mut rest_groups = alloc::vec![Group::default(); joints.len().div_ceil(8)];
        for (slot, &j) in order.iter().enumerate() {
            rest_groups[slot / 8].set(slot % 8, &JointPose::from(&rest_parts[j]));
        }
        let inverse = |&j: &usize| Bind::new(&Affine3A::from_affine(&joints[j].inverse_bind));
        Ok(Self {
            instructions: InstructionSet::detect(),
            rest_groups,
            bind: order.iter().map(inverse).collect(),
            slots,
            names: joints.iter().map(|j| j.name.clone()).collect(),
            order: order.into_iter().map(|j| Step::new(j, &joints[j])).collect(),
            rest: joints.iter().map(|j| j.rest.to_affine()).collect(),
            rest_parts,
            inverse_bind: joints.iter().map(|j| j.inverse_bind).collect(),
            solids: joints.iter().map(|j| j.solid).collect(),
        })
    }

    /// Sets the instruction set; by default it is the fastest of the machine.
    #[must_use]
    pub const fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.instructions = instructions;
        self
    }

    /// Returns the inverse bind matrices in the skeleton's order.
    pub(crate) fn inverse_bind(&self) -> &[Affine] {
        &self.inverse_bind
    }

    /// Returns the instruction set for poses.
    pub const fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    /// Returns the number of joints.
    pub fn joint_count(&self) -> usize {
        self.rest.len()
    }

    /// Returns the mesh that bounds a joint; see [`Pose::solid`](crate::Pose::solid).
    pub fn solid(&self, joint: usize) -> Option<MeshId> {
        self.solids.get(joint).copied().flatten()
    }

    /// Returns the parent of a joint; `None` for roots and for joints that follow others.
    pub fn parent(&self, joint: usize) -> Option<usize> {
        match self.order.get(self.slot(joint)?)?.origin {
            Origin::Parent(p) => Some(p),
            Origin::Root | Origin::Mean(_) => None,
        }
    }

    /// Returns the index of a joint in a [`LocalPose`](crate::LocalPose).
    pub(crate) fn slot(&self, joint: usize) -> Option<usize> {
        self.slots.get(joint).copied()
    }

    /// Returns the rest pose in the layout of `LocalPose`.
    pub(crate) fn rest_groups(&self) -> &[Group] {
        &self.rest_groups
    }

    /// Returns the joints in the order of `LocalPose`, and their inverse bind matrices.
    pub(crate) fn steps(&self) -> (&[Step], &[Bind]) {
        (&self.order, &self.bind)
    }

    /// Returns the joints in the order of [`LocalPose`](crate::LocalPose).
    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().map(|s| s.joint)
    }

    /// Returns the name of a joint.
    pub fn joint_name(&self, joint: usize) -> Option<&str> {
        self.names.get(joint).map(String::as_str)
    }

    /// Returns the first joint with this name.
    pub fn find_joint(&self, name: &str, by: NameMatch) -> Option<usize> {
        self.names.iter().position(|n| match by {
            NameMatch::Exact => n == name,
            NameMatch::IgnoreCase => n.eq_ignore_ascii_case(name),
        })
    }

    /// Copies the local matrices of the rest pose.
    ///
    /// # Errors
    ///
    /// If `locals` is not as long as there are joints.
    pub fn copy_rest_to<M: Matrix>(&self, locals: &mut [M]) -> Result<(), RigError> {
        RigError::length("locals", self.joint_count(), locals.len())?;
        for (out, rest) in locals.iter_mut().zip(&self.rest) {
            *out = M::from_affine(rest);
        }
        Ok(())
    }

    /// Returns the rest pose as translation, rotation and scale. Keys of tracks replace single parts.
    pub(crate) fn rest_parts(&self) -> &[Trs] {
        &self.rest_parts
    }

    /// Computes model-space matrices from local ones. A joint that follows others gets their weighted mean,
    /// or the identity if the weights sum to 0.
    ///
    /// # Errors
    ///
    /// If a slice is not as long as there are joints.
    pub fn compute_model_matrices<M: Matrix>(&self, locals: &[M], model: &mut [M]) -> Result<(), RigError> {
        RigError::length("locals", self.joint_count(), locals.len())?;
        RigError::length("model matrices", self.joint_count(), model.len())?;
        for step in &self.order {
            let i = step.joint;
            model[i] = match &step.origin {
                Origin::Root => locals[i],
                Origin::Parent(p) => model[*p].multiply(&locals[i]),
                Origin::Mean(parts) => mean(parts, model),
            };
        }
        Ok(())
    }

    /// Computes the matrices from the bind pose to the pose: model-space matrix times inverse bind matrix.
    ///
    /// # Errors
    ///
    /// If a slice is not as long as there are joints.
    pub fn compute_palette<M: Matrix>(&self, model: &[M], palette: &mut [M]) -> Result<(), RigError> {
        RigError::length("model matrices", self.joint_count(), model.len())?;
        RigError::length("palette", self.joint_count(), palette.len())?;
        for ((out, m), bind) in palette.iter_mut().zip(model).zip(&self.inverse_bind) {
            *out = m.multiply(&M::from_affine(bind));
        }
        Ok(())
    }
}

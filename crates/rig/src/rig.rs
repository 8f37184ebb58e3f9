//! A skeleton prepared.
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

/// How joint names are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameMatch {
    /// Byte for byte.
    #[default]
    Exact,
    /// ASCII letters of either case are the same.
    IgnoreCase,
}

/// A skeleton with its joints in an order in which parents, and the joints that another follows, come first.
///
/// Matrices are always passed and returned in the skeleton's own order of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    instructions: InstructionSet,
    names: Vec<String>,
    /// By depth, so that neighbours seldom wait for each other.
    order: Vec<Step>,
    /// The place of each joint in that order.
    slots: Vec<usize>,
    /// The inverse bind matrices in that order.
    bind: Vec<Bind>,
    rest: Vec<Affine>,
    rest_parts: Vec<Trs>,
    /// The rest pose in the order of places; see `LocalPose`.
    rest_groups: Vec<Group>,
    inverse_bind: Vec<Affine>,
    solids: Vec<Option<MeshId>>,
}

impl Rig {
    /// Prepares a skeleton.
    ///
    /// # Errors
    ///
    /// Where the joints form a cycle or name a joint that does not exist.
    pub fn new(skeleton: &Skeleton) -> Result<Self, RigError> {
        let joints = &skeleton.joints;
        let order = hierarchy::by_depth(skeleton)
            .ok_or_else(|| RigError::invalid("joints", "they form a cycle or name a missing joint"))?;
        let mut slots = alloc::vec![0; joints.len()];
        order.iter().enumerate().for_each(|(slot, &j)| slots[j] = slot);
        let rest_parts: Vec<Trs> = joints.iter().map(|j| interpolation::parts(&j.rest)).collect();
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

    /// The same rig with other instructions than the fastest of the machine; see [`InstructionSet`].
    #[must_use]
    pub const fn with_instructions(mut self, instructions: InstructionSet) -> Self {
        self.instructions = instructions;
        self
    }

    /// The inverse bind matrices in the skeleton's order.
    pub(crate) fn inverse_bind(&self) -> &[Affine] {
        &self.inverse_bind
    }

    /// The instructions that poses are computed with.
    pub const fn instructions(&self) -> InstructionSet {
        self.instructions
    }

    /// How many joints there are.
    pub fn joint_count(&self) -> usize {
        self.rest.len()
    }

    /// The mesh that bounds a joint; see [`Pose::solid`](crate::Pose::solid).
    pub fn solid(&self, joint: usize) -> Option<MeshId> {
        self.solids.get(joint).copied().flatten()
    }

    /// The joint that each joint's matrix is multiplied with; `None` for roots and for joints that follow
    /// others.
    pub fn parent(&self, joint: usize) -> Option<usize> {
        match self.order.get(self.slot(joint)?)?.origin {
            Origin::Parent(p) => Some(p),
            Origin::Root | Origin::Mean(_) => None,
        }
    }

    /// Where a joint lies in a [`LocalPose`](crate::LocalPose).
    pub(crate) fn slot(&self, joint: usize) -> Option<usize> {
        self.slots.get(joint).copied()
    }

    /// The rest pose as a `LocalPose` holds it.
    pub(crate) fn rest_groups(&self) -> &[Group] {
        &self.rest_groups
    }

    /// The joints by their place, and their inverse bind matrices.
    pub(crate) fn steps(&self) -> (&[Step], &[Bind]) {
        (&self.order, &self.bind)
    }

    /// The joints by their place in a [`LocalPose`](crate::LocalPose).
    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().map(|s| s.joint)
    }

    /// The name of a joint.
    pub fn joint_name(&self, joint: usize) -> Option<&str> {
        self.names.get(joint).map(String::as_str)
    }

    /// The first joint of that name.
    pub fn find_joint(&self, name: &str, by: NameMatch) -> Option<usize> {
        self.names.iter().position(|n| match by {
            NameMatch::Exact => n == name,
            NameMatch::IgnoreCase => n.eq_ignore_ascii_case(name),
        })
    }

    /// Local matrices of the rest pose.
    ///
    /// # Errors
    ///
    /// Where `locals` is not as long as there are joints.
    pub fn copy_rest_to<M: Matrix>(&self, locals: &mut [M]) -> Result<(), RigError> {
        RigError::length("locals", self.joint_count(), locals.len())?;
        for (out, rest) in locals.iter_mut().zip(&self.rest) {
            *out = M::from_affine(rest);
        }
        Ok(())
    }

    /// The rest pose as translation, rotation and scale, which keys of tracks replace one by one.
    pub(crate) fn rest_parts(&self) -> &[Trs] {
        &self.rest_parts
    }

    /// Model-space matrices of local ones. A joint that follows others takes their weighted mean, the identity
    /// where the weights sum to nothing.
    ///
    /// # Errors
    ///
    /// Where a slice is not as long as there are joints.
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

    /// Matrices from the bind pose to the pose: model-space matrix times inverse bind matrix.
    ///
    /// # Errors
    ///
    /// Where a slice is not as long as there are joints.
    pub fn compute_palette<M: Matrix>(&self, model: &[M], palette: &mut [M]) -> Result<(), RigError> {
        RigError::length("model matrices", self.joint_count(), model.len())?;
        RigError::length("palette", self.joint_count(), palette.len())?;
        for ((out, m), bind) in palette.iter_mut().zip(model).zip(&self.inverse_bind) {
            *out = m.multiply(&M::from_affine(bind));
        }
        Ok(())
    }
}

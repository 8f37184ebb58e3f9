//! A skeleton made ready.

use crate::error::RigError;
use crate::kernels::{self, Bind, Path};
use crate::local::{JointPose, LocalPose};
use crate::matrix::Matrix;
use alloc::string::String;
use alloc::vec::Vec;
use glam::{Affine3A, DAffine3};
use meshwright_scene::{Affine, Skeleton, Trs};

/// How joint names are compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum NameMatch {
    /// Byte for byte.
    #[default]
    Exact,
    /// ASCII letters of either case are the same.
    IgnoreCase,
}

/// A skeleton with its joints in an order in which parents, and the joints that another follows, come first.
///
/// Matrices are always given and answered in the skeleton's own order of joints.
#[derive(Clone, Debug, PartialEq)]
pub struct Rig {
    path: Path,
    names: Vec<String>,
    /// By depth, so that neighbours seldom wait for each other.
    order: Vec<Step>,
    /// The place of each joint in that order.
    slots: Vec<usize>,
    /// The inverse bind matrices in that order.
    bind: Vec<Bind>,
    rest: Vec<Affine>,
    rest_parts: Vec<Trs>,
    rest_pose: LocalPose,
    inverse_bind: Vec<Affine>,
}

/// What makes the model-space matrix of one joint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) joint: usize,
    pub(crate) from: From,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum From {
    Root,
    Parent(usize),
    Mean(Vec<(usize, f64)>),
}

impl Rig {
    /// Makes a skeleton ready. Refused when its joints form a cycle or name a joint that does not exist.
    pub fn new(skeleton: &Skeleton) -> Result<Self, RigError> {
        let joints = &skeleton.joints;
        let order = skeleton
            .order()
            .ok_or_else(|| RigError::invalid("joints", "they form a cycle or name a missing joint"))?;
        let step = |joint: usize| {
            let j = joints.get(joint)?;
            let from = match (j.follows.is_empty(), j.parent) {
                (true, None) => From::Root,
                (true, Some(p)) => From::Parent(p),
                (false, _) => {
                    let total: f64 = j.follows.iter().map(|f| f64::from(f.1)).sum();
                    let share = |w: f32| f64::from(w) / total;
                    let parts = j.follows.iter().map(|&(f, w)| (f, share(w))).collect();
                    From::Mean(if total == 0.0 { Vec::new() } else { parts })
                }
            };
            Some(Step { joint, from })
        };
        let mut depths = alloc::vec![0_usize; joints.len()];
        let mut by_depth = order;
        for &j in &by_depth {
            let joint = &joints[j];
            let follows = joint.follows.iter().map(|f| f.0);
            // What a joint follows counts as its parent.
            let before = joint.parent.into_iter().filter(|_| joint.follows.is_empty()).chain(follows);
            depths[j] = before.map(|b| depths[b] + 1).max().unwrap_or(0);
        }
        by_depth.sort_by_key(|&j| (depths[j], j));
        let mut slots = alloc::vec![0; joints.len()];
        by_depth.iter().enumerate().for_each(|(slot, &j)| slots[j] = slot);
        let inverse = |&j: &usize| Bind::new(&Affine3A::from_affine(&joints[j].inverse_bind));
        let rest_parts: Vec<Trs> = joints.iter().map(|j| crate::tracks::parts(&j.rest)).collect();
        let mut rest_pose = LocalPose::neutral(joints.len());
        for (slot, &j) in by_depth.iter().enumerate() {
            rest_pose.groups_mut()[slot / 8].set(slot % 8, &JointPose::from(&rest_parts[j]));
        }
        Ok(Self {
            path: Path::detect(),
            rest_pose,
            bind: by_depth.iter().map(inverse).collect(),
            slots,
            names: joints.iter().map(|j| j.name.clone()).collect(),
            order: by_depth.into_iter().filter_map(step).collect(),
            rest: joints.iter().map(|j| j.rest.to_affine()).collect(),
            rest_parts,
            inverse_bind: joints.iter().map(|j| j.inverse_bind).collect(),
        })
    }

    /// The same rig with other instructions than the fastest of the machine; see [`Path`].
    #[must_use]
    pub const fn with_path(mut self, path: Path) -> Self {
        self.path = path;
        self
    }

    /// The instructions that poses are computed with.
    pub const fn path(&self) -> Path {
        self.path
    }

    /// How many joints there are.
    pub fn joint_count(&self) -> usize {
        self.rest.len()
    }

    /// The joint that each joint's matrix is multiplied with; `None` for roots and for joints that follow
    /// others.
    pub fn parent(&self, joint: usize) -> Option<usize> {
        match self.order.get(self.slot(joint)?)?.from {
            From::Parent(p) => Some(p),
            From::Root | From::Mean(_) => None,
        }
    }

    /// Where a joint lies in a [`LocalPose`].
    pub(crate) fn slot(&self, joint: usize) -> Option<usize> {
        self.slots.get(joint).copied()
    }

    /// The rest pose; see [`LocalPose::new`].
    pub(crate) fn rest_pose(&self) -> &LocalPose {
        &self.rest_pose
    }

    /// The joints by their place in a [`LocalPose`].
    pub(crate) fn slots(&self) -> impl Iterator<Item = usize> + '_ {
        self.order.iter().map(|s| s.joint)
    }

    /// The name of a joint.
    pub fn name(&self, joint: usize) -> Option<&str> {
        self.names.get(joint).map(String::as_str)
    }

    /// The first joint of that name.
    pub fn find(&self, name: &str, by: NameMatch) -> Option<usize> {
        self.names.iter().position(|n| match by {
            NameMatch::Exact => n == name,
            NameMatch::IgnoreCase => n.eq_ignore_ascii_case(name),
        })
    }

    /// Local matrices of the rest pose.
    pub fn rest<M: Matrix>(&self, locals: &mut [M]) -> Result<(), RigError> {
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
    pub fn to_model<M: Matrix>(&self, locals: &[M], model: &mut [M]) -> Result<(), RigError> {
        RigError::length("locals", self.joint_count(), locals.len())?;
        RigError::length("model matrices", self.joint_count(), model.len())?;
        for step in &self.order {
            let i = step.joint;
            model[i] = match &step.from {
                From::Root => locals[i],
                From::Parent(p) => model[*p].after(&locals[i]),
                From::Mean(parts) => mean(parts, model),
            };
        }
        Ok(())
    }

    /// Model-space matrices and palette of a pose, in one pass: what [`to_model`](Self::to_model) and
    /// [`palette`](Self::palette) answer, faster.
    pub fn compose(
        &self,
        pose: &LocalPose,
        model: &mut [Affine3A],
        palette: &mut [Affine3A],
    ) -> Result<(), RigError> {
        RigError::length("joints of the pose", self.joint_count(), pose.joint_count())?;
        RigError::length("model matrices", self.joint_count(), model.len())?;
        RigError::length("palette", self.joint_count(), palette.len())?;
        kernels::compose(self.path, &self.order, pose.groups(), &self.bind, model, palette);
        Ok(())
    }

    /// Matrices from the bind pose to the pose: model-space matrix times inverse bind matrix.
    pub fn palette<M: Matrix>(&self, model: &[M], palette: &mut [M]) -> Result<(), RigError> {
        RigError::length("model matrices", self.joint_count(), model.len())?;
        RigError::length("palette", self.joint_count(), palette.len())?;
        for ((out, m), bind) in palette.iter_mut().zip(model).zip(&self.inverse_bind) {
            *out = m.after(&M::from_affine(bind));
        }
        Ok(())
    }
}

pub(crate) fn mean<M: Matrix>(parts: &[(usize, f64)], model: &[M]) -> M {
    if parts.is_empty() {
        return M::IDENTITY;
    }
    let mut sum = [0.0; 12];
    for &(joint, share) in parts {
        for (s, c) in sum.iter_mut().zip(model[joint].to_wide().to_cols_array()) {
            *s += share * c;
        }
    }
    M::from_wide(&DAffine3::from_cols_array(&sum))
}

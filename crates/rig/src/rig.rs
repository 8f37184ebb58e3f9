//! A skeleton made ready.

use crate::error::RigError;
use crate::matrix::Matrix;
use alloc::string::String;
use alloc::vec::Vec;
use glam::DAffine3;
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
    names: Vec<String>,
    order: Vec<Step>,
    rest: Vec<Affine>,
    rest_parts: Vec<Trs>,
    inverse_bind: Vec<Affine>,
}

/// What makes the model-space matrix of one joint.
#[derive(Clone, Debug, PartialEq)]
struct Step {
    joint: usize,
    from: From,
}

#[derive(Clone, Debug, PartialEq)]
enum From {
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
        Ok(Self {
            names: joints.iter().map(|j| j.name.clone()).collect(),
            order: order.into_iter().filter_map(step).collect(),
            rest: joints.iter().map(|j| j.rest.to_affine()).collect(),
            rest_parts: joints.iter().map(|j| crate::tracks::parts(&j.rest)).collect(),
            inverse_bind: joints.iter().map(|j| j.inverse_bind).collect(),
        })
    }

    /// How many joints there are.
    pub fn joint_count(&self) -> usize {
        self.rest.len()
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

fn mean<M: Matrix>(parts: &[(usize, f64)], model: &[M]) -> M {
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

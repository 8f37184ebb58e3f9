//! The order of joints, and the source of their model-space matrices.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint of the skeleton they were made for"
)]

use crate::matrix::Matrix;
use alloc::vec::Vec;
use glam::DAffine3;
use meshwright_scene::{Joint, Skeleton};

/// One step of computing model-space matrices.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) joint: usize,
    pub(crate) origin: Origin,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Origin {
    Root,
    Parent(usize),
    Mean(Vec<(usize, f64)>),
}

impl Step {
    pub(crate) fn new(joint: usize, of: &Joint) -> Self {
        let origin = match (of.follows.is_empty(), of.parent) {
            (true, None) => Origin::Root,
            (true, Some(p)) => Origin::Parent(p),
            (false, _) => {
                let total: f64 = of.follows.iter().map(|f| f64::from(f.1)).sum();
                let share = |w: f32| f64::from(w) / total;
                let parts = of.follows.iter().map(|&(f, w)| (f, share(w))).collect();
                Origin::Mean(if total == 0.0 { Vec::new() } else { parts })
            }
        };
        Self { joint, origin }
    }
}

/// Returns the joints by depth, so that neighbours seldom depend on each other. `None` if they form a cycle
/// or refer to a missing joint.
pub(crate) fn by_depth(skeleton: &Skeleton) -> Option<Vec<usize>> {
    let joints = &skeleton.joints;
    let mut order = skeleton.order()?;
    let mut depths = alloc::vec![0_usize; joints.len()];
    for &j in &order {
        let joint = &joints[j];
        let follows = joint.follows.iter().map(|f| f.0);
        // The joints that a joint follows count as its parents.
        let before = joint.parent.into_iter().filter(|_| joint.follows.is_empty()).chain(follows);
        depths[j] = before.map(|b| depths[b] + 1).max().unwrap_or(0);
    }
    order.sort_by_key(|&j| (depths[j], j));
    Some(order)
}

/// Returns the weighted mean of matrices; the identity if there are none.
pub(crate) fn mean<M: Matrix>(parts: &[(usize, f64)], model: &[M]) -> M {
    if parts.is_empty() {
        return M::IDENTITY;
    }
    let mut sum = [0.0; 12];
    for &(joint, share) in parts {
        for (s, c) in sum.iter_mut().zip(model[joint].to_f64().to_cols_array()) {
            *s += share * c;
        }
    }
    M::from_f64(&DAffine3::from_cols_array(&sum))
}

//! Small rotations of bones by an editor's rounding.
//!
//! Blender stores a bone as its two ends and a roll, in 32-bit floats. A short bone far from the origin is tilted by
//! the rounding of its ends, and its poses rotate around its head by the same angle.

use crate::comparison::Comparison;
use crate::correspond::joints::bind;
use crate::correspond::new_joint_indices::Placed;
use crate::joint_index::{At, ListIndex};
use alloc::vec::Vec;
use meshwright_core::LimitExceeded;
use meshwright_core::math::{Affine64, distance};
use meshwright_scene::Skeleton;

/// Smallest and largest angle of a bone that was rounded, in radians: above the error of 32-bit rotations, and below
/// any intended rotation.
const ROUNDED: [f64; 2] = [2e-6, 1e-3];

/// An edited skeleton without the tilt of its bones.
pub(crate) struct Straight {
    /// Correction of each joint's transform relative to its parent.
    lean: Vec<Affine64>,
    /// Rotation of each joint's axes to the native ones.
    turn: Vec<Affine64>,
    order: Vec<usize>,
    worlds: Vec<Affine64>,
}

impl Straight {
    /// Returns `None` if no bone of an edited skeleton is tilted, or if one has another bind pose.
    pub(crate) fn new(
        work: &Comparison<'_, '_>,
        placed: &Placed,
        skeleton: usize,
    ) -> Result<Option<Self>, LimitExceeded> {
        let Some(source) = work.edited.skeletons.get(skeleton) else { return Ok(None) };
        let Some(order) = source.order() else { return Ok(None) };
        let count = source.joints.len();
        let mut own = Self {
            lean: work.budget.filled("joints", count, Affine64::IDENTITY)?,
            turn: work.budget.filled("joints", count, Affine64::IDENTITY)?,
            worlds: work.budget.filled("joints", count, Affine64::IDENTITY)?,
            order,
        };
        let mut meant = work.budget.filled("joints", count, None)?;
        let mut leans = false;
        for &j in &own.order {
            let at = At { skeleton, joint: j };
            let Some((here, bound)) = bind(source, j).zip(bound(work, placed, at)) else { continue };
            // A bone that was moved is tilted at its new position.
            let moved = work.bones.get(at).native.is_some_and(|native| placed.moved.contains(&native));
            let bound = if moved { Affine64 { w: here.w, ..bound } } else { bound };
            let Some(turn) = quarter(&here, &bound) else { return Ok(None) };
            let Some(back) = turn.inverse() else { return Ok(None) };
            let there = bound.after(&back);
            let parent = source.joints.get(j).and_then(|joint| joint.parent);
            let above = parent.and_then(|p| bind(source, p).zip(meant.get(p).copied().flatten()));
            let (over, under) = above.unwrap_or((Affine64::IDENTITY, Affine64::IDENTITY));
            let locals = under.inverse().zip(over.inverse().and_then(|m| m.after(&here).inverse()));
            let Some((under, local)) = locals else { return Ok(None) };
            let lean = under.after(&there).after(&local);
            let by = off(&lean);
            if by > ROUNDED[1] {
                return Ok(None);
            }
            leans |= by > ROUNDED[0];
            let slots = (own.lean.get_mut(j), own.turn.get_mut(j), meant.get_mut(j));
            if let (Some(a), Some(b), Some(c)) = slots {
                (*a, *b, *c) = (lean, turn, Some(there));
            }
        }
        Ok(leans.then_some(own))
    }

    /// Computes the corrected pose of the skeleton.
    pub(crate) fn pose(&mut self, source: &Skeleton, locals: &[Affine64]) {
        for &j in &self.order {
            let (Some(lean), Some(local)) = (self.lean.get(j), locals.get(j)) else { continue };
            let parent = source.joints.get(j).and_then(|joint| joint.parent);
            let above = parent.and_then(|p| self.worlds.get(p)).copied().unwrap_or(Affine64::IDENTITY);
            let world = above.after(&lean.after(local));
            self.worlds.get_mut(j).into_iter().for_each(|slot| *slot = world);
        }
    }

    /// Returns a joint relative to another, or in model space, with native axes.
    pub(crate) fn local(&self, joint: usize, above: Option<usize>) -> Option<Affine64> {
        let world = |j: usize| Some(self.worlds.get(j)?.after(self.turn.get(j)?));
        match above {
            Some(above) => Some(world(above)?.inverse()?.after(&world(joint)?)),
            None => world(joint),
        }
    }
}

/// Returns the native joint of an edited one in the bind pose of the file.
fn bound(work: &Comparison<'_, '_>, placed: &Placed, at: At) -> Option<Affine64> {
    let native = work.bones.get(at).native?;
    let there = bind(work.exported.skeletons.get(native.skeleton)?, native.joint)?;
    Some(match at.value_in(&placed.bound) {
        Some(place) => place.after(&there),
        None => there,
    })
}

/// Returns the rotation by quarter turns that makes one transform nearly equal to another.
fn quarter(here: &Affine64, there: &Affine64) -> Option<Affine64> {
    let turn = here.inverse()?.after(there);
    let whole = |c: f64| if c.abs() < 0.5 { 0.0 } else { c.signum() };
    let [x, y, z] = [turn.x, turn.y, turn.z].map(|axis| axis.map(whole));
    let whole = Affine64 { x, y, z, w: [0.0; 3] };
    ((whole.determinant() - 1.0).abs() < 1e-6).then_some(whole)
}

/// Returns the rotation of a transform, in radians.
fn off(m: &Affine64) -> f64 {
    let axes = [(m.x, [1.0, 0.0, 0.0]), (m.y, [0.0, 1.0, 0.0]), (m.z, [0.0, 0.0, 1.0])];
    axes.into_iter().map(|(a, b)| distance(a, b)).fold(0.0, f64::max)
}

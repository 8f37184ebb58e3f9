//! Bones that an editor holds a little askew.
//!
//! Blender keeps a bone as its two ends and a roll, in numbers of 32 bits: one that lies far from the origin for its length
//! leans by what the ends are rounded by, and its poses turn about its head by as much.

use crate::correspond::joints::bind;
use crate::correspond::placed::Placed;
use crate::joint_index::{At, Place};
use crate::work::Work;
use alloc::vec::Vec;
use meshwright_core::LimitExceeded;
use meshwright_core::math::{Affine64, distance};
use meshwright_scene::Skeleton;

/// Radians by which a bone leans that was rounded: above what rotations of 32 bits are off by, and below what anyone means.
const ROUNDED: [f64; 2] = [2e-6, 1e-3];

/// An edited skeleton without the lean of its bones.
pub(crate) struct Straight {
    /// What takes the place of a joint on its parent to where it would be.
    lean: Vec<Affine64>,
    /// What turns its axes into the native ones.
    turn: Vec<Affine64>,
    order: Vec<usize>,
    worlds: Vec<Affine64>,
}

impl Straight {
    /// Nothing where no bone of an edited skeleton leans, or where one is bound elsewhere.
    pub(crate) fn new(
        work: &Work<'_, '_>,
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
            // A bone that was moved leans where it is.
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

    /// Poses the skeleton.
    pub(crate) fn pose(&mut self, source: &Skeleton, locals: &[Affine64]) {
        for &j in &self.order {
            let (Some(lean), Some(local)) = (self.lean.get(j), locals.get(j)) else { continue };
            let parent = source.joints.get(j).and_then(|joint| joint.parent);
            let above = parent.and_then(|p| self.worlds.get(p)).copied().unwrap_or(Affine64::IDENTITY);
            let world = above.after(&lean.after(local));
            self.worlds.get_mut(j).into_iter().for_each(|slot| *slot = world);
        }
    }

    /// A joint on another, or in model space, with the native axes.
    pub(crate) fn local(&self, joint: usize, above: Option<usize>) -> Option<Affine64> {
        let world = |j: usize| Some(self.worlds.get(j)?.after(self.turn.get(j)?));
        match above {
            Some(above) => Some(world(above)?.inverse()?.after(&world(joint)?)),
            None => world(joint),
        }
    }
}

/// Where the native joint of an edited one is in the pose that the file has bound.
fn bound(work: &Work<'_, '_>, placed: &Placed, at: At) -> Option<Affine64> {
    let native = work.bones.get(at).native?;
    let there = bind(work.exported.skeletons.get(native.skeleton)?, native.joint)?;
    Some(match at.of(&placed.bound).copied().flatten() {
        Some(place) => place.after(&there),
        None => there,
    })
}

/// The turn of axes, by quarters, after which one transform is next to another.
fn quarter(here: &Affine64, there: &Affine64) -> Option<Affine64> {
    let turn = here.inverse()?.after(there);
    let whole = |c: f64| if c.abs() < 0.5 { 0.0 } else { c.signum() };
    let [x, y, z] = [turn.x, turn.y, turn.z].map(|axis| axis.map(whole));
    let whole = Affine64 { x, y, z, w: [0.0; 3] };
    ((whole.determinant() - 1.0).abs() < 1e-6).then_some(whole)
}

/// How far a transform is from turning nothing, in radians.
fn off(m: &Affine64) -> f64 {
    let axes = [(m.x, [1.0, 0.0, 0.0]), (m.y, [0.0, 1.0, 0.0]), (m.z, [0.0, 0.0, 1.0])];
    axes.into_iter().map(|(a, b)| distance(a, b)).fold(0.0, f64::max)
}

//! Limbs that reach for a position: two bones and the joint between them.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "joints of the skeleton that the limb was made for"
)]

use crate::align::Pair;
use crate::body::{Part, Side};
use crate::geometry::{any_perpendicular, rotation, swing};
use alloc::vec::Vec;
use meshwright_rig::glam::{DAffine3, DMat3, DQuat, DVec3};
use meshwright_scene::sqrt;

/// Which ends of limbs follow the source's path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Hold {
    /// True if feet follow the path of the source's feet.
    pub feet: bool,
    /// True if hands follow the path of the source's hands.
    pub hands: bool,
}

impl Hold {
    /// Neither feet nor hands are held.
    pub const NOTHING: Self = Self { feet: false, hands: false };

    /// Sets whether feet follow the source's path.
    #[must_use]
    pub const fn with_feet(mut self, feet: bool) -> Self {
        self.feet = feet;
        self
    }

    /// Sets whether hands follow the source's path.
    #[must_use]
    pub const fn with_hands(mut self, hands: bool) -> Self {
        self.hands = hands;
        self
    }

    pub(crate) fn holds(self, part: Part) -> bool {
        match part {
            Part::Foot => self.feet,
            Part::Hand => self.hands,
            _ => false,
        }
    }
}

/// An arm or a leg of the target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limb {
    /// The part at its end.
    pub(crate) part: Part,
    pub(crate) upper: usize,
    pub(crate) lower: usize,
    pub(crate) end: usize,
    /// The direction to which a straight limb bends, in the space of the upper joint.
    bend: DVec3,
}

impl Limb {
    /// Returns the limbs whose three joints are mapped.
    pub(crate) fn all(pair: &Pair<'_>, turns: &[DQuat]) -> Vec<Self> {
        let leg = [Part::UpperLeg, Part::LowerLeg, Part::Foot];
        let arm = [Part::UpperArm, Part::LowerArm, Part::Hand];
        let all = [Side::Left, Side::Right].into_iter().flat_map(|side| [(leg, side), (arm, side)]);
        let limb = |(parts, side): ([Part; 3], Side)| {
            let [upper, lower, end] = parts.map(|part| pair.joint(part, side));
            let (upper, lower, end) = (upper?, lower?, end?);
            pair.target.path(upper, lower)?;
            pair.target.path(lower, end)?;
            // Knees bend forward, elbows bend backward.
            let facing = pair.joint(Part::Hips, Side::Middle).map_or(DQuat::IDENTITY, |hips| turns[hips]);
            let forward = if parts[2] == Part::Foot { DVec3::Z } else { DVec3::NEG_Z };
            let bend = rotation(&pair.target.rest[upper]).inverse() * (facing * forward);
            Some(Self { part: parts[2], upper, lower, end, bend })
        };
        all.filter_map(limb).collect()
    }

    /// Rotates the two bones such that the end reaches the goal, or comes as near as possible. The middle
    /// joint stays on its side. The caller updates the joints below.
    pub(crate) fn reach(&self, goal: DVec3, model: &mut [DAffine3]) {
        let [top, middle, end] = [self.upper, self.lower, self.end].map(|j| model[j].translation);
        let (first, second) = ((middle - top).length(), (end - middle).length());
        let Some(toward) = (goal - top).try_normalize() else { return };
        if !(first > 0.0 && second > 0.0 && (goal - top).is_finite()) {
            return;
        }
        let reach = (goal - top).length().clamp((first - second).abs(), first + second);
        // Compute the middle joint by the law of cosines: its distance along the line to the goal, and its
        // distance from that line.
        let along = (first * first - second * second + reach * reach) / (2.0 * reach);
        let aside = sqrt((first * first - along * along).max(0.0));
        let side = (middle - top).reject_from_normalized(toward);
        let bend = rotation(&model[self.upper]) * self.bend;
        let side = if side.length() > 1e-3 * first { side } else { bend.reject_from_normalized(toward) };
        let side = side.normalize_or(any_perpendicular(toward));
        let new_middle = top + toward * along + side * aside;
        let new_end = top + toward * reach;
        turn(&mut model[self.upper], swing(middle - top, new_middle - top));
        turn(&mut model[self.lower], swing(end - middle, new_end - new_middle));
        model[self.lower].translation = new_middle;
        model[self.end].translation = new_end;
    }
}

/// Rotates a matrix about its own origin.
fn turn(m: &mut DAffine3, by: DQuat) {
    m.matrix3 = DMat3::from_quat(by) * m.matrix3;
}

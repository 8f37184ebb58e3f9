//! Compares two rest poses: the rotations between their bones, and their sizes.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint, whose parents were checked"
)]

use crate::body::{BodyPart, Part, Side};
use crate::body_parts::Parts;
use crate::geometry::{Geometry, frame, ratio, swing};
use crate::map::BoneMap;
use alloc::vec::Vec;
use meshwright_rig::glam::{DQuat, DVec3};

/// Two skeletons and the map between them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    pub(crate) source: &'a Geometry,
    pub(crate) target: &'a Geometry,
    /// The body parts of the target.
    pub(crate) parts: &'a Parts,
    pub(crate) map: &'a BoneMap,
}

/// If the cosine of a bend is below this (about 15 degrees), the bend has a plane.
const BENT: f64 = 0.965;

impl Pair<'_> {
    /// Returns for each joint of the target its nearest mapped ancestor.
    pub(crate) fn anchors(&self) -> Vec<Option<usize>> {
        let mapped = |j: &usize| self.map.source(*j).is_some();
        (0..self.target.joint_count()).map(|j| self.target.ancestors(j).find(mapped)).collect()
    }

    /// Returns the target joint of a part, if it is mapped.
    pub(crate) fn joint(&self, part: Part, side: Side) -> Option<usize> {
        self.parts.joint(BodyPart::new(part, side)).filter(|j| self.map.source(*j).is_some())
    }

    /// Returns the joint at the other end of a bone: the next joint of a limb or of the spine, or the only
    /// mapped joint below it.
    pub(crate) fn next(&self, joint: usize, anchors: &[Option<usize>]) -> Option<usize> {
        let middle = |part| self.joint(part, Side::Middle);
        let spine = &self.parts.spine;
        let top = || middle(Part::Neck).or_else(|| middle(Part::Head));
        if let Some(place) = spine.iter().position(|j| *j == joint) {
            let above = spine[place + 1..].iter().copied().find(|j| self.map.source(*j).is_some());
            return above.or_else(top);
        }
        let part = self.parts.part(joint);
        let on = |next: Part| part.and_then(|p| self.joint(next, p.side));
        match part.map(|p| p.part) {
            Some(Part::Hips) => spine.iter().copied().find(|j| self.map.source(*j).is_some()).or_else(top),
            Some(Part::Neck) => middle(Part::Head),
            Some(Part::Shoulder) => on(Part::UpperArm),
            Some(Part::UpperArm) => on(Part::LowerArm),
            Some(Part::LowerArm) => on(Part::Hand),
            Some(Part::Hand) => on(Part::Finger(2, 0)),
            Some(Part::Finger(finger, phalanx)) => on(Part::Finger(finger, phalanx.saturating_add(1))),
            Some(Part::UpperLeg) => on(Part::LowerLeg),
            Some(Part::LowerLeg) => on(Part::Foot),
            Some(Part::Foot) => on(Part::Toes),
            _ => {
                let mut below = (0..anchors.len())
                    .filter(|j| anchors[*j] == Some(joint) && self.map.source(*j).is_some());
                below.next().filter(|_| below.next().is_none())
            }
        }
    }

    /// Returns the vectors from one joint to another in both rest poses, the source's first.
    fn vectors(&self, from: usize, to: usize) -> Option<[DVec3; 2]> {
        let [a, b] = [self.map.source(from)?, self.map.source(to)?];
        Some([
            self.source.position(b) - self.source.position(a),
            self.target.position(to) - self.target.position(from),
        ])
    }

    /// Returns the vectors from the right to the left of a part, the source's first.
    fn across(&self, part: Part) -> Option<[DVec3; 2]> {
        self.vectors(self.joint(part, Side::Right)?, self.joint(part, Side::Left)?)
    }

    /// Returns the vectors from the hips up to neck or head.
    fn upward(&self) -> Option<[DVec3; 2]> {
        let middle = |part| self.joint(part, Side::Middle);
        self.vectors(middle(Part::Hips)?, middle(Part::Neck).or_else(|| middle(Part::Head))?)
    }

    /// Returns the rotation of a part of the trunk. `width` is the pair of joints that define its left and
    /// right.
    fn trunk(&self, width: Part) -> Option<DQuat> {
        let ([side, other_side], [up, other_up]) = (self.across(width)?, self.upward()?);
        Some((frame(other_side, other_up)? * frame(side, up)?.inverse()).normalize())
    }

    /// Returns the rotation about the vertical between the directions that the characters face, in whole
    /// quarter turns. A smaller difference is a stance.
    fn heading(&self, hips: DQuat) -> DQuat {
        let forward = hips * DVec3::Z;
        let quarter = if forward.x.abs() > forward.z.abs() {
            if forward.x > 0.0 { 1.0 } else { 3.0 }
        } else if forward.z >= 0.0 {
            0.0
        } else {
            2.0
        };
        DQuat::from_rotation_y(quarter * core::f64::consts::FRAC_PI_2)
    }

    /// Returns a rotation for each mapped joint of the target. It takes the source's bone from its rest
    /// direction to the direction that the target's bone has at rest.
    pub(crate) fn turns(&self, anchors: &[Option<usize>]) -> Vec<DQuat> {
        let hips = self.trunk(Part::UpperLeg);
        let chest = self.trunk(Part::UpperArm).or(hips).unwrap_or(DQuat::IDENTITY);
        let hips = hips.unwrap_or(DQuat::IDENTITY);
        let heading = self.heading(hips);
        let mut turns = alloc::vec![heading; anchors.len()];
        for &joint in &self.target.order {
            if self.map.source(joint).is_none() {
                continue;
            }
            let above = anchors[joint].map_or(heading, |a| turns[a]);
            let bone = self.next(joint, anchors).and_then(|next| self.vectors(joint, next));
            let swung = |from: DQuat| match bone {
                Some([source, target]) => swing(from * source, target) * from,
                None => from,
            };
            let spine = &self.parts.spine;
            turns[joint] = match self.parts.part(joint).map(|p| (p.part, p.side)) {
                _ if spine.contains(&joint) => {
                    let place = spine.iter().position(|j| *j == joint).unwrap_or(0);
                    #[expect(clippy::cast_precision_loss, reason = "a count of joints")]
                    let share = (place + 1) as f64 / spine.len() as f64;
                    hips.slerp(chest, share)
                }
                Some((Part::Hips, _)) => hips,
                Some((Part::Root | Part::Neck | Part::Head, _)) => heading,
                Some((Part::Shoulder | Part::Toes, _)) => above,
                Some((Part::UpperLeg | Part::LowerLeg, side)) => {
                    self.leg_turn(bone, side).unwrap_or_else(|| swung(above))
                }
                Some((Part::Foot, _)) => match bone {
                    Some([source, target]) => {
                        let flat = |v: DVec3| DVec3::new(v.x, 0.0, v.z);
                        swing(flat(heading * source), flat(target)) * heading
                    }
                    None => heading,
                },
                _ => swung(above),
            }
            .normalize();
        }
        turns
    }

    /// Returns the rotation of a leg bone, from its direction and the axis of its knee.
    fn leg_turn(&self, bone: Option<[DVec3; 2]>, side: Side) -> Option<DQuat> {
        let [upper, lower, foot] =
            [Part::UpperLeg, Part::LowerLeg, Part::Foot].map(|part| self.joint(part, side));
        let (thigh, shin) = (self.vectors(upper?, lower?)?, self.vectors(lower?, foot?)?);
        let across = self.across(Part::UpperLeg)?;
        let hinge = |i: usize| {
            let (thigh, shin) = (thigh[i].normalize_or_zero(), shin[i].normalize_or_zero());
            let axis = shin.cross(thigh);
            let straight = thigh.dot(shin) > BENT;
            if straight || axis.dot(across[i]) <= 0.0 { across[i] } else { axis }
        };
        let [source, target] = bone?;
        Some(frame(target, hinge(1))? * frame(source, hinge(0))?.inverse())
    }

    /// Returns the factor from the source's size to the target's. It is the ratio of leg lengths, because
    /// legs move the character, or else that of all bones.
    pub(crate) fn motion_scale(&self, anchors: &[Option<usize>]) -> f64 {
        let mut sums = [0.0; 2];
        for side in [Side::Left, Side::Right] {
            let joints = [Part::UpperLeg, Part::LowerLeg, Part::Foot].map(|part| self.joint(part, side));
            for pair in joints.windows(2) {
                let [Some(a), Some(b)] = [pair[0], pair[1]] else { continue };
                let lengths = self.vectors(a, b).map(|v| v.map(DVec3::length)).unwrap_or_default();
                sums = [sums[0] + lengths[0], sums[1] + lengths[1]];
            }
        }
        ratio(sums[1], sums[0]).unwrap_or_else(|| self.body_scale(anchors))
    }

    /// Returns the factor from the source's size to the target's, from the lengths of all bones.
    pub(crate) fn body_scale(&self, anchors: &[Option<usize>]) -> f64 {
        // The distance from the root to the hips is not a length of the body.
        let is_root = |joint: usize| self.parts.part(joint).is_some_and(|p| p.part == Part::Root);
        let bones = anchors
            .iter()
            .enumerate()
            .filter_map(|(joint, anchor)| self.vectors(anchor.filter(|a| !is_root(*a))?, joint));
        let sums =
            bones.fold([0.0; 2], |sums: [f64; 2], [a, b]| [sums[0] + a.length(), sums[1] + b.length()]);
        ratio(sums[1], sums[0]).unwrap_or(1.0)
    }

    /// Returns the ratio of the target's width to the source's, between the left and the right joint of a
    /// part.
    pub(crate) fn width_ratio(&self, part: Part) -> Option<f64> {
        let [source, target] = self.across(part)?;
        ratio(target.length(), source.length())
    }
}

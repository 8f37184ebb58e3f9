//! Finds the body part of each joint of a skeleton: by the names of a known family, by words, by the
//! hierarchy and by position.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint, whose parents were checked"
)]

use crate::body::{BodyPart, Part, Side};
use crate::families::{CORE, Family};
use crate::geometry::Geometry;
use crate::words::{Meaning, meaning};
use alloc::vec::Vec;
use meshwright_scene::Skeleton;

/// The evidence for the body part of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    Family,
    Words,
    Place,
}

/// The body parts of a skeleton.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) family: Option<&'static Family>,
    /// The part of each joint, and the evidence for it.
    parts: Vec<Option<(BodyPart, Evidence)>>,
    /// The joints of the spine between hips and neck, the lowest first.
    pub(crate) spine: Vec<usize>,
}

impl Parts {
    /// Finds the parts of a skeleton.
    pub(crate) fn find(skeleton: &Skeleton, geometry: &Geometry) -> Self {
        let mut found =
            Self { family: None, parts: alloc::vec![None; geometry.joint_count()], spine: Vec::new() };
        match Family::detect(skeleton) {
            Some((family, parts)) => {
                found.family = Some(family);
                found.parts = parts.into_iter().map(|p| p.map(|p| (p, Evidence::Family))).collect();
            }
            None => {
                found.read_words(skeleton, geometry);
                if CORE.iter().any(|part| found.joint(*part).is_none()) {
                    found.guess_by_place(geometry);
                }
            }
        }
        found.spine = found.spine_chain(geometry);
        found
    }

    /// Returns the part of a joint.
    pub(crate) fn part(&self, joint: usize) -> Option<BodyPart> {
        self.parts.get(joint).copied().flatten().map(|(part, _)| part)
    }

    /// Returns the evidence for the part of a joint.
    pub(crate) fn evidence(&self, joint: usize) -> Option<Evidence> {
        self.parts.get(joint).copied().flatten().map(|(_, evidence)| evidence)
    }

    /// Returns the joint of a part.
    pub(crate) fn joint(&self, part: BodyPart) -> Option<usize> {
        self.parts.iter().position(|p| p.is_some_and(|(p, _)| p == part))
    }

    /// Assigns a part to a joint, unless one of them is assigned already.
    fn set(&mut self, joint: usize, part: BodyPart, evidence: Evidence) {
        if self.joint(part).is_none() && self.parts[joint].is_none() {
            self.parts[joint] = Some((part, evidence));
        }
    }

    fn read_words(&mut self, skeleton: &Skeleton, geometry: &Geometry) {
        let meanings: Vec<_> = skeleton.joints.iter().map(|j| meaning(&j.name)).collect();
        for &joint in &geometry.order {
            if let Some(Meaning::Part(part)) = meanings[joint] {
                self.set(joint, part, Evidence::Words);
            }
        }
        // The first joint that is named only arm or leg is the upper part, the next one is the lower part.
        for &joint in &geometry.order {
            let Some(Meaning::Limb { leg, side }) = meanings[joint] else { continue };
            let [upper, lower] =
                if leg { [Part::UpperLeg, Part::LowerLeg] } else { [Part::UpperArm, Part::LowerArm] };
            let part = if self.joint(BodyPart::new(upper, side)).is_none() { upper } else { lower };
            self.set(joint, BodyPart::new(part, side), Evidence::Words);
        }
        // A shoulder without an upper arm below it is the upper arm.
        for side in [Side::Left, Side::Right] {
            let shoulder = self.joint(BodyPart::new(Part::Shoulder, side));
            if let (Some(shoulder), None) = (shoulder, self.joint(BodyPart::new(Part::UpperArm, side))) {
                self.parts[shoulder] = None;
                self.set(shoulder, BodyPart::new(Part::UpperArm, side), Evidence::Words);
            }
        }
    }

    /// Assigns the parts that names do not tell: legs are the lowest ends on both sides, arms are the
    /// outermost, and the head is the highest.
    fn guess_by_place(&mut self, geometry: &Geometry) {
        let mut has_child = alloc::vec![false; geometry.joint_count()];
        geometry.parents.iter().flatten().for_each(|p| has_child[*p] = true);
        let leaves: Vec<usize> = (0..geometry.joint_count()).filter(|j| !has_child[*j]).collect();
        let at = |joint: usize| geometry.position(joint);
        let ys = || (0..geometry.joint_count()).map(|j| at(j).y);
        let (low, high) = (ys().fold(f64::INFINITY, f64::min), ys().fold(f64::NEG_INFINITY, f64::max));
        let height = high - low;
        if !(height.is_finite() && height > 0.0) {
            return;
        }
        let aside = 0.02 * height;
        let least = |of: &dyn Fn(usize) -> f64, among: &dyn Fn(usize) -> bool| {
            leaves.iter().copied().filter(|j| among(*j)).min_by(|a, b| of(*a).total_cmp(&of(*b)))
        };
        let left_foot = least(&|j| at(j).y, &|j| at(j).x > aside && at(j).y < low + 0.25 * height);
        let right_foot = least(&|j| at(j).y, &|j| at(j).x < -aside && at(j).y < low + 0.25 * height);
        let feet = left_foot.zip(right_foot);
        let Some(hips) = feet.and_then(|(l, r)| geometry.common(l, r)) else { return };
        self.set(hips, BodyPart::middle(Part::Hips), Evidence::Place);
        for (leaf, side) in [(left_foot, Side::Left), (right_foot, Side::Right)] {
            let path = leaf.and_then(|leaf| geometry.path(hips, leaf)).unwrap_or_default();
            let limb = longest_pair(geometry, &path);
            self.set_limb(&path, limb, side, [Part::UpperLeg, Part::LowerLeg, Part::Foot, Part::Toes]);
        }
        let hip_height = at(hips).y;
        let above =
            |j: usize| at(j).y > hip_height - 0.1 * height && geometry.ancestors(j).any(|a| a == hips);
        let left_hand = least(&|j| -at(j).x, &|j| above(j) && at(j).x > 2.0 * aside);
        let right_hand = least(&|j| at(j).x, &|j| above(j) && at(j).x < -2.0 * aside);
        let chest = left_hand.zip(right_hand).and_then(|(l, r)| geometry.common(l, r));
        let Some(chest) = chest.filter(|chest| *chest != hips) else { return };
        for (leaf, side) in [(left_hand, Side::Left), (right_hand, Side::Right)] {
            let path = leaf.and_then(|leaf| geometry.path(chest, leaf)).unwrap_or_default();
            let limb = longest_pair(geometry, &path);
            if let Some(shoulder) = limb.checked_sub(1).and_then(|s| path.get(s)) {
                self.set(*shoulder, BodyPart::new(Part::Shoulder, side), Evidence::Place);
            }
            self.set_limb(
                &path,
                limb,
                side,
                [Part::UpperArm, Part::LowerArm, Part::Hand, Part::Finger(2, 0)],
            );
        }
        let in_middle = |j: usize| geometry.ancestors(j).any(|a| a == chest) && at(j).x.abs() < 2.0 * aside;
        let top = least(&|j| -at(j).y, &in_middle);
        match top.and_then(|top| geometry.path(chest, top)).as_deref() {
            Some([neck, head, ..]) => {
                self.set(*neck, BodyPart::middle(Part::Neck), Evidence::Place);
                self.set(*head, BodyPart::middle(Part::Head), Evidence::Place);
            }
            Some([head]) => self.set(*head, BodyPart::middle(Part::Head), Evidence::Place),
            _ => {}
        }
    }

    fn set_limb(&mut self, path: &[usize], first: usize, side: Side, parts: [Part; 4]) {
        for (joint, part) in path.iter().skip(first).zip(parts) {
            self.set(*joint, BodyPart::new(part, side), Evidence::Place);
        }
    }

    /// Returns the joints between the hips and the neck, or the head if there is no neck.
    fn spine_chain(&self, geometry: &Geometry) -> Vec<usize> {
        let joint = |part| self.joint(BodyPart::middle(part));
        let Some(hips) = joint(Part::Hips) else { return Vec::new() };
        let arm = self.joint(BodyPart::new(Part::UpperArm, Side::Left));
        let tops = [joint(Part::Neck), joint(Part::Head), arm];
        let path = tops.into_iter().flatten().find_map(|top| geometry.path(hips, top)).unwrap_or_default();
        let is_spine = |j: &usize| {
            let part = self.part(*j).map(|p| p.part);
            matches!(part, None | Some(Part::Spine | Part::Chest | Part::UpperChest))
        };
        path.into_iter().take_while(is_spine).collect()
    }
}

/// Returns the position in a path of the joint where the two longest consecutive bones begin: the upper part
/// of a limb. The shorter bone of a pair counts.
fn longest_pair(geometry: &Geometry, path: &[usize]) -> usize {
    let length = |w: &[usize]| geometry.position(w[0]).distance(geometry.position(w[1]));
    let pairs = path.windows(3).map(|w| length(&w[..2]).min(length(&w[1..])));
    let longest = pairs.enumerate().reduce(|a, b| if b.1 > a.1 { b } else { a });
    longest.map_or(0, |(place, _)| place)
}

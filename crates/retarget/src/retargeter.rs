//! Converts poses of one skeleton to poses of another.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint, whose lengths are compared first"
)]

use crate::align::Pair;
use crate::body::{Part, Side};
use crate::body_parts::Parts;
use crate::error::MapError;
use crate::geometry::{Geometry, rotation};
use crate::limbs::{Hold, Limb};
use crate::map::BoneMap;
use alloc::vec::Vec;
use meshwright_rig::RigError;
use meshwright_rig::glam::{DAffine3, DMat3, DQuat, DVec3};
use meshwright_scene::Skeleton;

/// Converts poses of a source skeleton to poses of a target skeleton.
///
/// Bones point in the direction of the source's bones, and have the target's lengths. The motion of the
/// whole character is scaled by the ratio of leg lengths. See the crate's documentation for the rules.
#[derive(Clone, Debug)]
pub struct Retargeter {
    pub(crate) source: Geometry,
    pub(crate) target: Geometry,
    pub(crate) parts: Parts,
    pub(crate) map: BoneMap,
    pub(crate) anchors: Vec<Option<usize>>,
    /// The link of each mapped joint of the target to the source.
    follow: Vec<Option<Follow>>,
    /// The rest pose of the target in model space, without rotations.
    shapes: Vec<DMat3>,
    carrier: Option<Carrier>,
    limbs: Vec<Limb>,
    pub(crate) ends: Vec<End>,
    scale: f64,
    pub(crate) body_scale: f64,
    hold: Hold,
}

/// An unmapped joint above the hips. It moves with the character, so that its other children stay near.
#[derive(Clone, Copy, Debug)]
struct Carrier {
    joint: usize,
    /// The joint of the source that moves the character.
    source: usize,
}

/// The link of a joint of the target to one of the source.
#[derive(Clone, Copy, Debug)]
struct Follow {
    source: usize,
    /// The rotation that is applied before the source's rotation in model space.
    before: DQuat,
    offset: Offset,
}

/// The way in which the translation of a joint is transferred.
#[derive(Clone, Copy, Debug)]
enum Offset {
    /// Relative to its position in the rest pose: the joint moves the whole character.
    Model,
    /// Relative to its parent: `place` is its rest position in the parent's space.
    Parent { parent: usize, place: DVec3 },
    /// The translation is not transferred: the parent of the source's joint is not the one that the target's parent follows.
    None,
}

/// The end of a limb or the head, whose path is compared with the source's.
#[derive(Clone, Copy, Debug)]
pub(crate) struct End {
    pub(crate) joint: usize,
    pub(crate) source: usize,
    /// The position that the source's joint has in the target's rest pose.
    aligned: DVec3,
}

impl Retargeter {
    /// Prepares a pair of skeletons.
    ///
    /// # Errors
    /// If a skeleton is invalid, or the map was not created for these skeletons.
    pub fn new(source: &Skeleton, target: &Skeleton, map: &BoneMap) -> Result<Self, MapError> {
        let [from, to] = [Geometry::new(source)?, Geometry::new(target)?];
        let fits = map.target_count() == to.joint_count() && map.pairs().all(|(_, s)| s < from.joint_count());
        if !fits {
            return Err(MapError::OtherSkeleton);
        }
        let parts = Parts::find(target, &to);
        let pair = Pair { source: &from, target: &to, parts: &parts, map };
        let anchors = pair.anchors();
        let turns = pair.turns(&anchors);
        let (scale, body_scale) = (pair.motion_scale(&anchors), pair.body_scale(&anchors));
        let follow = |joint: usize| {
            let source = map.source(joint)?;
            let offset = match anchors[joint].and_then(|a| map.source(a)) {
                None => Offset::Model,
                Some(parent) if from.parents[source] == Some(parent) => {
                    let inverse = from.rest[parent].inverse();
                    let place = inverse.transform_point3(from.position(source));
                    if place.is_finite() { Offset::Parent { parent, place } } else { Offset::None }
                }
                Some(_) => Offset::None,
            };
            let before =
                rotation(&from.rest[source]).inverse() * turns[joint].inverse() * rotation(&to.rest[joint]);
            Some(Follow { source, before: before.normalize(), offset })
        };
        let follow = (0..to.joint_count()).map(follow).collect();
        let shapes = to.rest.iter().map(|m| DMat3::from_quat(rotation(m).inverse()) * m.matrix3).collect();
        let carrier = carrier(&pair, &anchors);
        let limbs = Limb::all(&pair, &turns);
        let ends = ends(&pair, &turns);
        Ok(Self {
            follow,
            shapes,
            carrier,
            limbs,
            ends,
            scale,
            body_scale,
            anchors,
            hold: Hold::default(),
            map: map.clone(),
            source: from,
            target: to,
            parts,
        })
    }

    /// Sets which feet or hands follow the source's path.
    #[must_use]
    pub const fn with_hold(mut self, hold: Hold) -> Self {
        self.hold = hold;
        self
    }

    pub(crate) const fn pair(&self) -> Pair<'_> {
        Pair { source: &self.source, target: &self.target, parts: &self.parts, map: &self.map }
    }

    /// Returns the factor by which the motion of the whole character is multiplied.
    pub const fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns the map.
    pub const fn map(&self) -> &BoneMap {
        &self.map
    }

    /// Converts a pose of the source to one of the target. All matrices are in model space. It does not
    /// allocate.
    ///
    /// # Errors
    /// If a slice does not have an entry for each joint.
    pub fn retarget(&self, source: &[DAffine3], target: &mut [DAffine3]) -> Result<(), RigError> {
        let lengths = [
            ("source matrices", self.source.joint_count(), source.len()),
            ("target matrices", self.target.joint_count(), target.len()),
        ];
        for (what, expected, found) in lengths {
            if expected != found {
                return Err(RigError::Length { what, expected, found });
            }
        }
        for &joint in &self.target.order {
            let base = self.base(joint, target);
            let Some(follow) = &self.follow[joint] else {
                target[joint] = base;
                if let Some(carrier) = self.carrier.filter(|c| c.joint == joint) {
                    let moved = source[carrier.source].translation - self.source.position(carrier.source);
                    target[joint].translation += moved * self.scale;
                }
                continue;
            };
            let turn = rotation(&source[follow.source]) * follow.before;
            let offset = self.offset(follow, source) * self.scale;
            let translation = match follow.offset {
                Offset::Model => self.target.position(joint) + offset,
                Offset::Parent { .. } | Offset::None => base.translation + offset,
            };
            target[joint] = DAffine3 { matrix3: DMat3::from_quat(turn) * self.shapes[joint], translation };
        }
        for limb in self.limbs.iter().filter(|limb| self.hold.holds(limb.part)) {
            let Some(end) = self.ends.iter().find(|end| end.joint == limb.end) else { continue };
            let goal = self.goal(end, source);
            limb.reach(goal, target);
            self.update_below(limb, target);
        }
        Ok(())
    }

    /// Returns the matrix of a joint in its rest pose relative to its parent.
    fn base(&self, joint: usize, model: &[DAffine3]) -> DAffine3 {
        match self.target.parents[joint] {
            Some(parent) => model[parent] * self.target.locals[joint],
            None if self.target.follows[joint] => self.target.rest[joint],
            None => self.target.locals[joint],
        }
    }

    fn offset(&self, follow: &Follow, source: &[DAffine3]) -> DVec3 {
        let place = source[follow.source].translation;
        let rest = match follow.offset {
            Offset::Model => self.source.position(follow.source),
            Offset::Parent { parent, place } => source[parent].transform_point3(place),
            Offset::None => place,
        };
        place - rest
    }

    /// Updates the joints below the upper joint of a limb after its pose changed. The rotations of mapped
    /// joints in model space stay.
    fn update_below(&self, limb: &Limb, model: &mut [DAffine3]) {
        for &joint in &self.target.order {
            let inside = self.target.ancestors(joint).any(|a| a == limb.upper);
            if !inside || joint == limb.lower || joint == limb.end {
                continue;
            }
            let base = self.base(joint, model);
            if self.follow[joint].is_some() {
                model[joint].translation = base.translation;
            } else {
                model[joint] = base;
            }
        }
    }

    /// Returns true if poses of the source move a joint of the target relative to its parent.
    pub(crate) fn is_posed(&self, joint: usize) -> bool {
        self.follow[joint].is_some() || self.carrier.is_some_and(|c| c.joint == joint)
    }

    /// Returns the position of the end of a limb if the target had the source's proportions.
    pub(crate) fn goal(&self, end: &End, source: &[DAffine3]) -> DVec3 {
        let moved = source[end.source].translation - end.aligned;
        self.target.position(end.joint) + moved * self.scale
    }
}

/// Returns the topmost joint above the hips, if no joint there is mapped.
fn carrier(pair: &Pair<'_>, anchors: &[Option<usize>]) -> Option<Carrier> {
    let hips = pair.joint(Part::Hips, Side::Middle).filter(|hips| anchors[*hips].is_none())?;
    let joint = pair.target.ancestors(hips).last()?;
    Some(Carrier { joint, source: pair.map.source(hips)? })
}

/// Returns the mapped ends of limbs, and the head.
fn ends(pair: &Pair<'_>, turns: &[DQuat]) -> Vec<End> {
    let aligned = aligned(pair, turns);
    let sided = [Part::Foot, Part::Hand].into_iter().flat_map(|p| [(p, Side::Left), (p, Side::Right)]);
    let all = sided.chain([(Part::Head, Side::Middle)]);
    let end = |(part, side)| {
        let joint = pair.joint(part, side)?;
        let source = pair.map.source(joint)?;
        Some(End { joint, source, aligned: aligned[source] })
    };
    all.filter_map(end).collect()
}

/// Returns the positions of the source's joints in the target's rest pose.
fn aligned(pair: &Pair<'_>, turns: &[DQuat]) -> Vec<DVec3> {
    let mut by_source = alloc::vec![None; pair.source.joint_count()];
    for (target, source) in pair.map.pairs() {
        by_source[source].get_or_insert(turns[target]);
    }
    let mut turned = alloc::vec![DQuat::IDENTITY; by_source.len()];
    let mut places = alloc::vec![DVec3::ZERO; by_source.len()];
    for &joint in &pair.source.order {
        let parent = pair.source.parents[joint];
        let above = parent.map_or(DQuat::IDENTITY, |p| turned[p]);
        turned[joint] = by_source[joint].unwrap_or(above);
        places[joint] = match parent {
            Some(p) => places[p] + above * (pair.source.position(joint) - pair.source.position(p)),
            None => pair.source.position(joint),
        };
    }
    places
}

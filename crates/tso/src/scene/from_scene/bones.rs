//! The bones of an existing skeleton, and the joints of a scene that have their names.
//!
//! A scene may rest in another pose than the skeleton: Blender exports bodies of Maxis with stretched arms, because that is
//! the pose in which their vertices are bound. Vertices and keys must not be moved into the pose of the skeleton then. They
//! keep their places in the spaces of their joints.

use super::transforms;
use crate::fit::Fit;
use crate::name::{Name, NameIndex};
use crate::skel::{ADULT_BONES, Skel};
use alloc::vec::Vec;
use core::f64::consts::PI;
use meshwright_core::math::{Affine64, Trs64, cross, distance, dot, quat, unit};
use meshwright_scene::{AxisMap, Budget, ConvertError, Skeleton};

/// Largest difference of a joint's and a bone's rest pose, in elements of their matrices.
const SAME_REST: f64 = 1e-4;
/// Largest difference between rotations of joints and bones that have the same axes, as quaternions: 0.1 degrees.
const SAME_AXES: f64 = 1e-3;
/// The distance up to which a joint counts as at its bone: 1 mm, in units of the file.
const SAME_PLACE: f64 = 0.003;
/// Smallest angle between the directions to a child of joint and bone that shows another pose: 2 degrees.
const ANOTHER_POSE: f64 = 2.0 * PI / 180.0;
/// Directions that differ by less are equal.
const SAME_DIRECTION: f64 = 1e-6;
/// The rotation of the upper arms of Maxis' bodies about their own z: 85 degrees.
const ARMS: f64 = 85.0 * PI / 180.0;

/// The bones of a skeleton, and the joints of a scene that have their names.
pub(crate) struct Bones<'s> {
    pub(crate) skel: &'s Skel,
    pub(crate) parents: Vec<Option<usize>>,
    /// The bones, parents first.
    pub(crate) order: Vec<usize>,
    /// The index of the joint of each bone.
    pub(crate) joints: Vec<Option<usize>>,
}

/// The spaces of bones in those of their joints.
pub(crate) struct Spaces {
    /// The transform from the space of a bone to that of its joint, by bone; `None` for a bone without a joint.
    pub(crate) in_joint: Vec<Option<Affine64>>,
    /// The number of bones that rest in another pose than their joints.
    pub(crate) turned: usize,
}

impl<'s> Bones<'s> {
    /// Assigns joints to bones by name. Returns also the joints without a bone of the same name.
    pub(crate) fn assign(
        skel: &'s Skel,
        names: &[Name],
        budget: &Budget,
    ) -> Result<(Self, Vec<usize>), ConvertError> {
        let n = skel.bones.len();
        let each = NameIndex::MEMORY + size_of::<[usize; 8]>() + 8 * size_of::<Affine64>();
        budget.charge_items("bones", n as u64, each)?;
        let (index, parents) = (skel.index(), skel.parents());
        let (mut joints, mut strangers) = (alloc::vec![None; n], Vec::new());
        for (j, name) in names.iter().enumerate() {
            match index.find(name).and_then(|bone| joints.get_mut(bone)) {
                Some(slot) if slot.is_none() => *slot = Some(j),
                Some(_) => {}
                None => strangers.push(j),
            }
        }
        let (mut order, mut placed) = (Vec::with_capacity(n), alloc::vec![false; n]);
        let mut chain = Vec::new();
        for start in 0..n {
            let mut at = Some(start);
            while let Some(i) = at.filter(|i| placed.get(*i) == Some(&false)) {
                chain.push(i);
                at = parents.get(i).copied().flatten();
            }
            while let Some(i) = chain.pop() {
                if let Some(slot) = placed.get_mut(i) {
                    *slot = true;
                }
                order.push(i);
            }
        }
        Ok((Self { skel, parents, order, joints }, strangers))
    }

    /// Finds the spaces of the bones. Their rest pose is compared with that of the joints, then with the pose in which
    /// vertices are bound: whichever has the axes of the bones shows their spaces. If none has them, the places of
    /// the joints show how far bones must be turned.
    pub(crate) fn spaces(
        &self,
        source: &Skeleton,
        axes: &AxisMap,
        budget: &Budget,
    ) -> Result<Spaces, ConvertError> {
        let unscaled = transforms::bones(source, budget)?;
        let in_order = |pose: &dyn Fn(usize) -> Option<Affine64>| -> Vec<Option<Affine64>> {
            self.joints.iter().map(|joint| pose((*joint)?)).collect()
        };
        let rest = in_order(&|j| Some(axes.affine64(unscaled.rest().get(j)?)));
        let bind = || {
            in_order(&|j| {
                let bind = source.joints.get(j)?.inverse_bind.wide();
                axes.affine64(&unscaled.binding(j, &bind)).inverse()
            })
        };
        let world = self.skel.world(&[]);
        // Most scenes rest as the skeleton does.
        if rest.iter().zip(&world).all(|(joint, bone)| joint.is_none_or(|joint| is_near(&joint, bone))) {
            return Ok(self.spaces_in(&rest, &world, &world));
        }
        let shown = match self.pose_like(&rest) {
            Some(pose) => (rest, pose),
            None => {
                let bind = bind();
                match self.pose_like(&bind) {
                    Some(pose) => (bind, pose),
                    None => {
                        let pose = self.turn_limbs(&rest, &world).unwrap_or_else(|| world.clone());
                        (rest, pose)
                    }
                }
            }
        };
        Ok(self.spaces_in(&shown.0, &shown.1, &world))
    }

    /// Returns the spaces of bones whose pose equals that of the joints.
    fn spaces_in(&self, joints: &[Option<Affine64>], pose: &[Affine64], rest: &[Affine64]) -> Spaces {
        let turned = pose.iter().zip(rest).zip(&self.parents);
        let local = |of: &[Affine64], bone: &Affine64, parent: Option<usize>| match parent {
            Some(parent) => of.get(parent).and_then(Affine64::inverse).unwrap_or_default().after(bone),
            None => *bone,
        };
        let turned = turned.filter(|((bone, rests), parent)| {
            !is_near(&local(pose, bone, **parent), &local(rest, rests, **parent))
        });
        let turned = turned.count();
        let space = |(joint, bone): (&Option<Affine64>, &Affine64)| {
            let space = joint.as_ref()?.inverse()?.after(bone);
            // Rounding does not count as a difference.
            Some(if is_near(&space, &Affine64::IDENTITY) { Affine64::IDENTITY } else { space })
        };
        Spaces { in_joint: joints.iter().zip(pose).map(space).collect(), turned }
    }

    /// Returns the pose of the bones in which each has the rotation of its joint, if most joints have the axes of their
    /// bones.
    fn pose_like(&self, joints: &[Option<Affine64>]) -> Option<Vec<Affine64>> {
        let rests = self.skel.rest();
        let mut pose = alloc::vec![Affine64::IDENTITY; rests.len()];
        let (mut same, mut all) = (0_usize, 0_usize);
        for &bone in &self.order {
            let parent = self.parents.get(bone).copied().flatten();
            let rest = rests.get(bone)?.matrix();
            let above = parent.and_then(|p| pose.get(p)).copied().unwrap_or_default();
            let pair = parent.and_then(|p| joints.get(p).copied().flatten());
            let pair = pair.zip(joints.get(bone).copied().flatten());
            let local = match pair {
                None => rest,
                Some((above, own)) => {
                    let own = above.inverse()?.after(&own);
                    let turn = Trs64::from_affine(&own).rotation;
                    let known = Trs64::from_affine(&rest).rotation;
                    all = all.saturating_add(1);
                    same = same.saturating_add(usize::from(rotation_error(known, turn) <= SAME_AXES));
                    let there = distance(own.w, rest.w) <= SAME_PLACE;
                    Affine64 { w: if there { own.w } else { rest.w }, ..own }
                }
            };
            *pose.get_mut(bone)? =
                if is_near(&local, &rest) { above.after(&rest) } else { above.after(&local) };
        }
        (all > 0 && same.saturating_mul(3) >= all.saturating_mul(2)).then_some(pose)
    }

    /// Returns the pose of the bones in which the children of each are in the directions of its joint's children. Bones
    /// whose axes differ from their joints' have nothing else in common with them.
    fn turn_limbs(&self, joints: &[Option<Affine64>], world: &[Affine64]) -> Option<Vec<Affine64>> {
        let rests: Vec<_> = self.skel.rest().iter().map(crate::pose::BonePose::matrix).collect();
        let mut pose = alloc::vec![Affine64::IDENTITY; rests.len()];
        let mut children = alloc::vec![Vec::new(); rests.len()];
        for (bone, parent) in self.parents.iter().enumerate() {
            if let Some(of) = parent.and_then(|p| children.get_mut(p)) {
                of.push(bone);
            }
        }
        let adult = ADULT_BONES.iter().all(|(name, _)| self.skel.find(&(*name).into()).is_some());
        for &bone in &self.order {
            let parent = self.parents.get(bone).copied().flatten();
            let above = parent.and_then(|p| pose.get(p)).copied().unwrap_or_default();
            let rest = above.after(rests.get(bone)?);
            let own = joints.get(bone).copied().flatten();
            // To each child: in the bone's space, and as the joints have it.
            let directions = children.get(bone)?.iter().filter_map(|child| {
                let to = joints.get(*child).copied().flatten()?.w;
                let seen = unit(meshwright_core::math::sub(to, own?.w))?;
                Some((unit(rests.get(*child)?.w)?, seen))
            });
            let directions: Vec<_> = directions.collect();
            // The bones of a turned arm are where its joints are.
            let is_turned = !is_near(&rest, world.get(bone)?);
            let limit = if is_turned && parent.is_some() { SAME_DIRECTION } else { ANOTHER_POSE };
            let found = if largest_angle(&rest, &directions) <= limit {
                rest
            } else if parent.is_none() {
                // The whole character was turned.
                return None;
            } else {
                let name = &self.skel.bones.get(bone)?.name;
                let arm = match () {
                    () if adult && name.matches(&"L_ARM1".into()) => ARMS,
                    () if adult && name.matches(&"R_ARM1".into()) => -ARMS,
                    () => 0.0,
                };
                let arm = Trs64 { rotation: quat::about([0.0, 0.0, 1.0], arm), ..Trs64::default() };
                let arm = rest.after(&arm.to_affine());
                let start = if largest_angle(&arm, &directions) <= ANOTHER_POSE { arm } else { rest };
                let turn = Fit::turn(&directions);
                let turned = turn.or_else(|| turned_onto(&start, directions.first()?)).unwrap_or(rest);
                Affine64 { w: rest.w, ..turned }
            };
            // Joints that were turned may be elsewhere by less than a millimetre.
            let turned = !is_near(&found, world.get(bone)?);
            let there = own.map(|own| own.w).filter(|w| turned && distance(*w, rest.w) <= SAME_PLACE);
            *pose.get_mut(bone)? = Affine64 { w: there.unwrap_or(rest.w), ..found };
        }
        Some(pose)
    }
}

/// Returns the largest angle between directions in the space of a bone and those that they should have.
fn largest_angle(bone: &Affine64, directions: &[([f64; 3], [f64; 3])]) -> f64 {
    let angle = |(own, seen): &([f64; 3], [f64; 3])| {
        meshwright_core::math::acos(dot(bone.vector(*own), *seen).clamp(-1.0, 1.0))
    };
    directions.iter().map(angle).fold(0.0, f64::max)
}

/// Rotates a bone by the smallest angle, so that a direction in its space becomes the wanted one.
fn turned_onto(bone: &Affine64, (own, seen): &([f64; 3], [f64; 3])) -> Option<Affine64> {
    let from = bone.vector(*own);
    let axis = unit(cross(from, *seen))?;
    let angle = meshwright_core::math::acos(dot(from, *seen).clamp(-1.0, 1.0));
    let turn = Trs64 { rotation: quat::about(axis, angle), ..Trs64::default() }.to_affine();
    Some(turn.after(bone))
}

/// Returns true if two transforms are equal within the precision of the files.
pub(crate) fn is_near(a: &Affine64, b: &Affine64) -> bool {
    let columns = [(a.x, b.x), (a.y, b.y), (a.z, b.z), (a.w, b.w)];
    columns.iter().all(|(a, b)| distance(*a, *b) <= SAME_REST)
}

/// Returns the largest difference between the components of two quaternions.
pub(crate) fn rotation_error(a: [f64; 4], b: [f64; 4]) -> f64 {
    a.iter().zip(quat::toward(a, b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

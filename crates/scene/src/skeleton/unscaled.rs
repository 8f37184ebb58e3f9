//! Bones without scale at rest, for formats that store only rotation and translation there.

use crate::convert::ConvertError;
use crate::skeleton::Skeleton;
use crate::skeleton::bind::to_model;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, Trs64};
use meshwright_core::{Budget, LimitExceeded};

/// A stretch below this is ignored.
const NOISE: f64 = 1.0e-4;

/// The bones of a skeleton without the scale, mirror and shear that its joints have at rest. Each bone has the
/// position and rotation of its joint. The rest of the joint's transform is applied to the vertices: they are moved
/// to the bone's space from their rest pose.
#[derive(Debug)]
pub struct Unscaled<'s> {
    skeleton: &'s Skeleton,
    order: Vec<usize>,
    parents: Vec<Option<usize>>,
    /// Bones at rest in model space.
    rest: Vec<Affine64>,
    /// The rest transform of each joint without position and rotation; `None` for the identity.
    stretch: Vec<Option<Affine64>>,
    /// The inverse of each joint's stretch; `None` if it is flat.
    undo: Vec<Option<Affine64>>,
    scaled: usize,
    model: Vec<Affine64>,
}

impl<'s> Unscaled<'s> {
    /// Computes the bones of a skeleton. `parent` gives the parent of each bone, usually that of its joint.
    ///
    /// # Errors
    /// If joints do not form a tree, or if the budget does not suffice for the lists.
    pub fn new(
        skeleton: &'s Skeleton,
        parent: impl Fn(usize) -> Option<usize>,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        let n = skeleton.joints.len();
        budget.charge_items("joints", n as u64, 8_usize.saturating_mul(size_of::<Affine64>()))?;
        let cycle = || ConvertError::invalid("joints", "they form a cycle or name a missing joint");
        let order = skeleton.order().ok_or_else(cycle)?;
        let mut model = skeleton.rest_locals(budget)?;
        to_model(skeleton, &order, &mut model);
        let rest: Vec<_> = model.iter().map(rigid).collect();
        let stretch = rest.iter().zip(&model).map(|(r, m)| r.inverse().unwrap_or_default().after(m));
        let stretch: Vec<_> = stretch.collect();
        let scaled = stretch.iter().filter(|d| !is_near_identity(d)).count();
        let undo = stretch.iter().map(Affine64::inverse).collect();
        let parents = (0..n).map(parent).collect();
        let stretch = stretch.into_iter().map(|d| Some(d).filter(|d| !is_near_identity(d))).collect();
        Ok(Self { skeleton, order, parents, rest, stretch, undo, scaled, model })
    }

    /// Returns the number of joints that are scaled, mirrored or sheared at rest, by themselves or by a
    /// parent.
    #[must_use]
    pub const fn scaled(&self) -> usize {
        self.scaled
    }

    /// Returns the bones at rest in model space. They are only rotated and translated.
    #[must_use]
    pub fn rest(&self) -> &[Affine64] {
        &self.rest
    }

    /// Converts a transform to the space of a joint, such as its inverse bind matrix, to one to the space of
    /// the joint's bone. It is unchanged if the joint is not stretched at rest.
    #[must_use]
    pub fn binding(&self, joint: usize, inverse_bind: &Affine64) -> Affine64 {
        let stretch = self.stretch.get(joint).and_then(Option::as_ref);
        stretch.map_or(*inverse_bind, |d| d.after(inverse_bind))
    }

    /// Returns whether a joint is scaled, mirrored or sheared at rest.
    #[must_use]
    pub fn is_stretched(&self, joint: usize) -> bool {
        self.stretch.get(joint).is_some_and(Option::is_some)
    }

    /// Returns the bones at rest, relative to their parents.
    pub fn rest_locals(&self) -> impl Iterator<Item = Affine64> {
        let local = |(bone, parent): (&Affine64, &Option<usize>)| {
            let above = parent.and_then(|p| self.rest.get(p)).and_then(Affine64::inverse);
            above.unwrap_or_default().after(bone)
        };
        self.rest.iter().zip(&self.parents).map(local)
    }

    /// Converts the transforms of joints relative to their parents to those of bones without scale. Returns the
    /// largest element of a bone's matrix that is lost.
    ///
    /// # Errors
    /// If the budget does not suffice for the work.
    pub fn to_rigid_bones(&mut self, locals: &mut [Affine64], budget: &Budget) -> Result<f64, LimitExceeded> {
        self.convert(locals, rigid, budget)
    }

    /// Does the same as [`to_rigid_bones`](Self::to_rigid_bones), but a bone keeps the scale of its joint relative
    /// to the joint's rest pose.
    ///
    /// # Errors
    /// As [`to_rigid_bones`](Self::to_rigid_bones).
    pub fn to_bones(&mut self, locals: &mut [Affine64], budget: &Budget) -> Result<f64, LimitExceeded> {
        self.convert(locals, |bone| *bone, budget)
    }

    fn convert(
        &mut self,
        locals: &mut [Affine64],
        bone_of: fn(&Affine64) -> Affine64,
        budget: &Budget,
    ) -> Result<f64, LimitExceeded> {
        budget.work("joints", (locals.len() as u64).saturating_mul(2))?;
        self.model.clear();
        self.model.extend_from_slice(locals);
        to_model(self.skeleton, &self.order, &mut self.model);
        let mut lost = 0.0_f64;
        for (bone, undo) in self.model.iter_mut().zip(&self.undo) {
            let whole = undo.as_ref().map_or_else(|| rigid(bone), |undo| bone.after(undo));
            *bone = bone_of(&whole);
            lost = lost.max(difference(&whole, bone));
        }
        for (j, local) in locals.iter_mut().enumerate() {
            let parent = self.parents.get(j).copied().flatten().and_then(|p| self.model.get(p));
            let above = parent.and_then(Affine64::inverse).unwrap_or_default();
            if let Some(bone) = self.model.get(j) {
                *local = above.after(bone);
            }
        }
        Ok(lost)
    }
}

/// Returns the transform without scale and shear.
fn rigid(m: &Affine64) -> Affine64 {
    Trs64 { scale: [1.0; 3], ..Trs64::from_affine(m) }.to_affine()
}

fn is_near_identity(m: &Affine64) -> bool {
    difference(m, &Affine64::IDENTITY) <= NOISE
}

/// Returns the largest difference between elements of the linear parts.
fn difference(a: &Affine64, b: &Affine64) -> f64 {
    let pairs = [(a.x, b.x), (a.y, b.y), (a.z, b.z)];
    pairs.iter().flat_map(|(a, b)| a.iter().zip(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::strategy::foreign_scene;
    use crate::{Joint, Limits, Local, Trs};
    use meshwright_core::math::distance;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn budget() -> Budget {
        Budget::new(Limits::default())
    }

    /// Returns a skeleton of a mirrored, scaled root with a rotated child.
    fn skeleton() -> Skeleton {
        let half = core::f32::consts::FRAC_1_SQRT_2;
        let root = Trs { scale: [-2.0, 2.0, 2.0], ..Trs::IDENTITY };
        let child = Trs { translation: [1.0, 0.0, 0.0], rotation: [0.0, 0.0, half, half], ..Trs::IDENTITY };
        let joints = [("root", None, root), ("child", Some(0), child)];
        let joints = joints.map(|(name, parent, rest)| Joint::new(name, parent, Local::Trs(rest)));
        Skeleton { joints: joints.into(), ..Skeleton::default() }
    }

    #[test]
    fn mirrored_and_scaled_joints_move_their_vertices_as_before() {
        let skeleton = skeleton();
        let mut bones = Unscaled::new(&skeleton, |j| skeleton.joints[j].parent, &budget()).unwrap();
        assert_eq!((bones.scaled(), bones.rest()[1].w), (2, [-2.0, 0.0, 0.0]));
        let rest = skeleton.rest_locals(&budget()).unwrap();
        let mut turned = rest.clone();
        // Rotate by another quarter turn about z.
        turned[1].x = [-1.0, 0.0, 0.0];
        turned[1].y = [0.0, -1.0, 0.0];
        let order = skeleton.order().unwrap();
        let model = |mut locals: Vec<Affine64>| {
            to_model(&skeleton, &order, &mut locals);
            locals
        };
        let (at_rest, moved) = (model(rest), model(turned.clone()));
        // A vertex of the child in the space of the joint, and in that of its bone.
        let own = [1.0, 2.0, 3.0];
        let in_bone = bones.rest()[1].inverse().unwrap().point(at_rest[1].point(own));
        assert!(bones.to_bones(&mut turned, &budget()).unwrap() < 1e-12);
        let placed = turned[0].after(&turned[1]).point(in_bone);
        assert!(distance(placed, moved[1].point(own)) < 1e-9, "{placed:?}");
        let scale = Trs64::from_affine(&turned[1]).scale;
        assert!(scale.iter().all(|s| (s - 1.0).abs() < 1e-6), "{scale:?}");
    }

    proptest! {
        #[test]
        fn bones_at_rest_are_rigid_and_keep_vertices(scene in foreign_scene()) {
            for skeleton in &scene.skeletons {
                let mut bones = Unscaled::new(skeleton, |j| skeleton.joints[j].parent, &budget()).unwrap();
                let mut locals = skeleton.rest_locals(&budget()).unwrap();
                let lost = bones.to_rigid_bones(&mut locals, &budget()).unwrap();
                prop_assert!(lost < 1e-6, "{}", lost);
                for (a, b) in locals.iter().zip(bones.rest_locals()) {
                    prop_assert!(difference(a, &b) < 1e-6 && distance(a.w, b.w) < 1e-4);
                }
            }
        }
    }
}

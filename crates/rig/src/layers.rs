//! Blends poses.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "lists of one entry for each joint of the skeleton they were made for"
)]

use crate::error::RigError;
use crate::joint_pose::{Group, Lanes};
use crate::kernels::lanes;
use crate::local_pose::LocalPose;
use crate::rig::Rig;
use alloc::vec::Vec;

/// A weight for each joint: 0 ignores a layer, 1 uses it fully.
#[derive(Clone, Debug, PartialEq)]
pub struct Mask {
    joints: usize,
    weights: Vec<Lanes>,
}

impl Mask {
    /// Makes a mask with the same weight for all joints.
    pub fn new(rig: &Rig, weight: f32) -> Self {
        let joints = rig.joint_count();
        Self { joints, weights: alloc::vec![Lanes([weight; 8]); joints.div_ceil(8)] }
    }

    /// Returns the weight of a joint.
    pub fn get(&self, rig: &Rig, joint: usize) -> Option<f32> {
        let slot = rig.slot(joint)?;
        Some(self.weights.get(slot / 8)?.0[slot % 8])
    }

    /// Sets the weight of a joint; does nothing if it does not exist.
    pub fn set(&mut self, rig: &Rig, joint: usize, weight: f32) {
        if let Some(slot) = rig.slot(joint)
            && let Some(lanes) = self.weights.get_mut(slot / 8)
        {
            lanes.0[slot % 8] = weight;
        }
    }

    /// Sets the weight of a joint and of all joints below it.
    pub fn set_branch(&mut self, rig: &Rig, joint: usize, weight: f32) {
        // Parents come first, so the parent of a joint is decided before the joint.
        let mut branch = alloc::vec![false; rig.joint_count()];
        for j in rig.slots() {
            let inside = j == joint || rig.parent(j).is_some_and(|p| branch[p]);
            branch[j] = inside;
            if inside {
                self.set(rig, j, weight);
            }
        }
    }
}

/// A pose and its weight.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Layer<'a> {
    /// The pose; for additive layers a [difference](LocalPose::difference).
    pub pose: &'a LocalPose,
    /// The weight.
    pub weight: f32,
    /// The weight for each joint.
    pub mask: Option<&'a Mask>,
}

impl<'a> Layer<'a> {
    /// Makes a layer with the same weight for all joints.
    pub const fn new(pose: &'a LocalPose, weight: f32) -> Self {
        Self { pose, weight, mask: None }
    }

    /// Applies a mask.
    #[must_use]
    pub const fn with_mask(mut self, mask: &'a Mask) -> Self {
        self.mask = Some(mask);
        self
    }

    fn check(&self, joints: usize) -> Result<(), RigError> {
        RigError::length("joints of a layer", joints, self.pose.joint_count())?;
        RigError::length("joints of a mask", joints, self.mask.map_or(joints, |m| m.joints))
    }

    /// Returns the weights of eight joints. Weights that are negative, NaN, or too small to divide by count as 0.
    #[inline(always)]
    fn shares(&self, group: usize) -> Lanes {
        let weight = Lanes([self.weight; 8]);
        let mask = self.mask.and_then(|m| m.weights.get(group)).unwrap_or(&Lanes::ONE);
        Lanes::make(|i| {
            let share = weight.0[i] * mask.0[i];
            if share >= f32::MIN_POSITIVE { share } else { 0.0 }
        })
    }
}

impl LocalPose {
    /// Sets this pose to the weighted mean of layers, joint by joint. Weights count relative to their sum.
    /// Rotations are blended linearly, each with the sign that is nearer to the sum of those before it. A
    /// joint without weight gets its rest transform.
    ///
    /// Two layers of weights `1 - t` and `t` are a cross-fade.
    ///
    /// # Errors
    ///
    /// If this pose, a layer or a mask belongs to another skeleton.
    pub fn blend(&mut self, rig: &Rig, layers: &[Layer<'_>]) -> Result<(), RigError> {
        RigError::length("joints of the pose", rig.joint_count(), self.joint_count())?;
        layers.iter().try_for_each(|l| l.check(rig.joint_count()))?;
        let rest = rig.rest_groups();
        let out = self.groups_mut();
        rig.instructions().run(
            #[inline(always)]
            || {
                for (g, (out, rest)) in out.iter_mut().zip(rest).enumerate() {
                    *out = mean(g, rest, layers);
                }
            },
        );
        Ok(())
    }

    /// Cross-fades from one pose at 0 to another at 1.
    ///
    /// # Errors
    ///
    /// If one of the poses belongs to another skeleton.
    pub fn cross_fade(&mut self, rig: &Rig, from: &Self, to: &Self, t: f32) -> Result<(), RigError> {
        let t = if t > 0.0 { t.min(1.0) } else { 0.0 };
        self.blend(rig, &[Layer::new(from, 1.0 - t), Layer::new(to, t)])
    }

    /// Adds differences by the weights of their layers: translations are added, rotations are applied first, scales
    /// are multiplied.
    ///
    /// # Errors
    ///
    /// If this pose, a layer or a mask belongs to another skeleton.
    pub fn add(&mut self, rig: &Rig, layers: &[Layer<'_>]) -> Result<(), RigError> {
        RigError::length("joints of the pose", rig.joint_count(), self.joint_count())?;
        layers.iter().try_for_each(|l| l.check(rig.joint_count()))?;
        let out = self.groups_mut();
        rig.instructions().run(
            #[inline(always)]
            || {
                for (g, out) in out.iter_mut().enumerate() {
                    for layer in layers {
                        if let Some(add) = layer.pose.groups().get(g) {
                            add_group(out, add, &layer.shares(g));
                        }
                    }
                }
            },
        );
        Ok(())
    }

    /// Sets this pose to the difference that changes `reference` to `pose`. Scales of 0 count as 1.
    ///
    /// # Errors
    ///
    /// If one of the poses belongs to another skeleton.
    pub fn difference(&mut self, rig: &Rig, pose: &Self, reference: &Self) -> Result<(), RigError> {
        for p in [&*self, pose, reference] {
            RigError::length("joints of the pose", rig.joint_count(), p.joint_count())?;
        }
        for (out, (p, r)) in self.groups_mut().iter_mut().zip(pose.groups().iter().zip(reference.groups())) {
            for c in 0..3 {
                let (a, b) = (&p.translation[c], &r.translation[c]);
                out.translation[c] = Lanes::make(|i| a.0[i] - b.0[i]);
                let (a, b) = (&p.scale[c], &r.scale[c]);
                out.scale[c] = Lanes::make(|i| if b.0[i] == 0.0 { 1.0 } else { a.0[i] / b.0[i] });
            }
            let [x, y, z, w] = r.rotation;
            let negative = |v: Lanes| Lanes::make(|i| -v.0[i]);
            out.rotation = lanes::after(&[negative(x), negative(y), negative(z), w], &p.rotation);
        }
        Ok(())
    }
}

#[inline(always)]
fn mean(g: usize, rest: &Group, layers: &[Layer<'_>]) -> Group {
    let zero = Lanes::default();
    let mut sum = Group { translation: [zero; 3], rotation: [zero; 4], scale: [zero; 3] };
    let mut total = zero;
    for layer in layers {
        let Some(pose) = layer.pose.groups().get(g) else { continue };
        let share = layer.shares(g);
        let side = lanes::side(&sum.rotation, &pose.rotation);
        let add = |to: &mut Lanes, from: &Lanes, share: &Lanes| {
            // A layer without weight is ignored, even if it holds NaN.
            *to = Lanes::make(|i| to.0[i] + if share.0[i] > 0.0 { from.0[i] * share.0[i] } else { 0.0 });
        };
        for c in 0..3 {
            add(&mut sum.translation[c], &pose.translation[c], &share);
            add(&mut sum.scale[c], &pose.scale[c], &share);
        }
        for c in 0..4 {
            let turned = Lanes::make(|i| pose.rotation[c].0[i] * side.0[i]);
            add(&mut sum.rotation[c], &turned, &share);
        }
        total = Lanes::make(|i| total.0[i] + share.0[i]);
    }
    let part = Lanes::make(|i| 1.0 / total.0[i]);
    // Divide by the total weight first, so that tiny weights do not count as a sum that cancels.
    sum.rotation = sum.rotation.map(|r| Lanes::make(|i| r.0[i] * part.0[i]));
    lanes::normalize(&mut sum.rotation);
    let or_rest = |sum: &Lanes, rest: &Lanes, part: &Lanes| {
        Lanes::make(|i| if total.0[i] > 0.0 { sum.0[i] * part.0[i] } else { rest.0[i] })
    };
    let mut out = *rest;
    for c in 0..3 {
        out.translation[c] = or_rest(&sum.translation[c], &rest.translation[c], &part);
        out.scale[c] = or_rest(&sum.scale[c], &rest.scale[c], &part);
    }
    for c in 0..4 {
        out.rotation[c] = or_rest(&sum.rotation[c], &rest.rotation[c], &Lanes::ONE);
    }
    out
}

#[inline(always)]
fn add_group(out: &mut Group, add: &Group, share: &Lanes) {
    for c in 0..3 {
        let (to, by) = (&out.translation[c], &add.translation[c]);
        out.translation[c] = Lanes::make(|i| to.0[i] + by.0[i] * share.0[i]);
        let (to, by) = (&out.scale[c], &add.scale[c]);
        out.scale[c] = Lanes::make(|i| to.0[i] * (1.0 + (by.0[i] - 1.0) * share.0[i]));
    }
    let zero = Lanes::default();
    let turn = lanes::nlerp(&[zero, zero, zero, Lanes::ONE], &add.rotation, share, true);
    out.rotation = lanes::after(&out.rotation, &turn);
    lanes::normalize(&mut out.rotation);
}

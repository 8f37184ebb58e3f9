//! Transforms of joints: one joint, and groups of eight.
#![allow(clippy::indexing_slicing, reason = "lanes below eight, by the callers in this crate")]

use crate::matrix::Matrix;
use glam::{Affine3A, Quat, Vec3};
use meshwright_scene::Trs;

/// One number of eight joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Lanes(pub(crate) [f32; 8]);

impl Lanes {
    pub(crate) const ONE: Self = Self([1.0; 8]);

    /// Applies a function to each lane.
    #[inline(always)]
    pub(crate) fn make(f: impl Fn(usize) -> f32) -> Self {
        Self([f(0), f(1), f(2), f(3), f(4), f(5), f(6), f(7)])
    }
}

/// Translations, rotations and scales of eight joints.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(32))]
pub(crate) struct Group {
    pub(crate) translation: [Lanes; 3],
    pub(crate) rotation: [Lanes; 4],
    pub(crate) scale: [Lanes; 3],
}

impl Default for Group {
    fn default() -> Self {
        let zero = Lanes::default();
        Self { translation: [zero; 3], rotation: [zero, zero, zero, Lanes::ONE], scale: [Lanes::ONE; 3] }
    }
}

impl Group {
    pub(crate) fn get(&self, lane: usize) -> JointPose {
        let [x, y, z, w] = self.rotation.map(|r| r.0[lane]);
        JointPose {
            translation: self.translation.map(|t| t.0[lane]).into(),
            rotation: Quat::from_xyzw(x, y, z, w),
            scale: self.scale.map(|s| s.0[lane]).into(),
        }
    }

    pub(crate) fn set(&mut self, lane: usize, joint: &JointPose) {
        let put = |slot: &mut Lanes, v: f32| slot.0[lane] = v;
        for (slot, v) in self.translation.iter_mut().zip(joint.translation.to_array()) {
            put(slot, v);
        }
        for (slot, v) in self.rotation.iter_mut().zip(joint.rotation.to_array()) {
            put(slot, v);
        }
        for (slot, v) in self.scale.iter_mut().zip(joint.scale.to_array()) {
            put(slot, v);
        }
    }
}

/// The transform of one joint relative to its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointPose {
    /// Added last.
    pub translation: Vec3,
    /// A unit quaternion.
    pub rotation: Quat,
    /// Applied first, per axis.
    pub scale: Vec3,
}

impl JointPose {
    /// The identity.
    pub const IDENTITY: Self = Self { translation: Vec3::ZERO, rotation: Quat::IDENTITY, scale: Vec3::ONE };

    /// Returns the transform as a matrix.
    pub fn to_matrix(&self) -> Affine3A {
        // glam can be built to panic if a quaternion does not have unit length.
        Matrix::from_affine(&Trs::from(*self).to_affine())
    }
}

impl From<&Trs> for JointPose {
    fn from(t: &Trs) -> Self {
        Self {
            translation: t.translation.into(),
            rotation: Quat::from_array(t.rotation),
            scale: t.scale.into(),
        }
    }
}

impl From<JointPose> for Trs {
    fn from(j: JointPose) -> Self {
        Self { translation: j.translation.into(), rotation: j.rotation.into(), scale: j.scale.into() }
    }
}

//! Rigid motions as dual quaternions.
#![allow(clippy::arithmetic_side_effects, reason = "floats in vectors and matrices")]

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

/// A rigid motion as a dual quaternion, both parts as vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Dual {
    pub(super) real: Vec4,
    pub(super) dual: Vec4,
}

impl Dual {
    /// A rotation and then a translation.
    pub(super) fn new(q: Quat, t: Vec3) -> Self {
        let dual = Quat::from_xyzw(t.x, t.y, t.z, 0.0) * q;
        Self { real: Vec4::from(q), dual: Vec4::from(dual) * 0.5 }
    }

    /// At length 1. `None` without a length: rotations that cancel have no mean.
    pub(super) fn unit(&self) -> Option<Self> {
        let length = self.real.length();
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        (length != 0.0).then(|| Self { real: self.real * scale, dual: self.dual * scale })
    }

    /// Turns a direction.
    pub(super) fn turn(&self, v: Vec3) -> Vec3 {
        let r = self.real.xyz();
        v + r.cross(r.cross(v) + v * self.real.w) * 2.0
    }

    pub(super) fn translation(&self) -> Vec3 {
        let (r, d) = (self.real.xyz(), self.dual.xyz());
        (d * self.real.w - r * self.dual.w + r.cross(d)) * 2.0
    }
}

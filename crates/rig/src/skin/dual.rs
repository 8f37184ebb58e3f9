//! A rigid motion as a dual quaternion.
#![allow(clippy::arithmetic_side_effects, reason = "arithmetic of floating point numbers")]

use glam::{Quat, Vec3, Vec4, Vec4Swizzles};

/// A rigid motion as a dual quaternion. Both quaternions are stored as vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Dual {
    pub(super) real: Vec4,
    pub(super) dual: Vec4,
}

impl Dual {
    /// Makes the motion of a rotation, then a translation.
    pub(super) fn new(q: Quat, t: Vec3) -> Self {
        let dual = Quat::from_xyzw(t.x, t.y, t.z, 0.0) * q;
        Self { real: Vec4::from(q), dual: Vec4::from(dual) * 0.5 }
    }

    /// Normalises the motion. `None` if it has no length, because rotations cancel.
    pub(super) fn unit(&self) -> Option<Self> {
        let length = self.real.length();
        let scale = if length > 0.0 { 1.0 / length } else { 0.0 };
        (length != 0.0).then(|| Self { real: self.real * scale, dual: self.dual * scale })
    }

    /// Rotates a direction.
    pub(super) fn turn(&self, v: Vec3) -> Vec3 {
        let r = self.real.xyz();
        v + r.cross(r.cross(v) + v * self.real.w) * 2.0
    }

    pub(super) fn translation(&self) -> Vec3 {
        let (r, d) = (self.real.xyz(), self.dual.xyz());
        (d * self.real.w - r * self.dual.w + r.cross(d)) * 2.0
    }
}

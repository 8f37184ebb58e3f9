//! Sets of vertex attributes.

use core::ops::{BitOr, BitOrAssign};

/// A set of vertex attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attributes(u8);

impl Attributes {
    /// No attributes.
    pub const NONE: Self = Self(0);
    /// The position.
    pub const POSITION: Self = Self(1);
    /// The normal.
    pub const NORMAL: Self = Self(1 << 1);
    /// The texture coordinates.
    pub const UV: Self = Self(1 << 2);
    /// The colour.
    pub const COLOR: Self = Self(1 << 3);
    /// The weights.
    pub const WEIGHTS: Self = Self(1 << 4);
    /// The position in the space of a joint that the vertex follows, because the joint's bind pose changed.
    pub const BOUND: Self = Self(1 << 5);
    /// The position and normal in model space, because the node of the mesh has another transform.
    pub const PLACED: Self = Self(1 << 6);
    /// The position of a format that stores vertices in model space.
    pub const MODEL_POSITION: Self = Self(Self::POSITION.0 | Self::PLACED.0);
    /// The normal of such a format.
    pub const MODEL_NORMAL: Self = Self(Self::NORMAL.0 | Self::PLACED.0);
    /// The position of a format that stores vertices in the space of their joints.
    pub const JOINT_POSITION: Self = Self(Self::MODEL_POSITION.0 | Self::BOUND.0);
    /// The normal of such a format.
    pub const JOINT_NORMAL: Self = Self(Self::MODEL_NORMAL.0 | Self::BOUND.0);
    /// The attributes that depend on joints: position, normal and weights.
    pub const SKINNED: Self = Self(Self::JOINT_POSITION.0 | Self::NORMAL.0 | Self::WEIGHTS.0);

    /// Returns true if the sets have a common attribute.
    #[must_use]
    pub const fn has(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

impl BitOr for Attributes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Attributes {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

//! Attributes of a vertex, as a set.

use core::ops::{BitOr, BitOrAssign};

/// Attributes of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Attributes(u8);

impl Attributes {
    /// None.
    pub const NONE: Self = Self(0);
    /// Its position.
    pub const POSITION: Self = Self(1);
    /// Its normal.
    pub const NORMAL: Self = Self(1 << 1);
    /// Its texture coordinates.
    pub const UV: Self = Self(1 << 2);
    /// Its colour.
    pub const COLOR: Self = Self(1 << 3);
    /// Its weights.
    pub const WEIGHTS: Self = Self(1 << 4);
    /// Its place in the space of a joint that it follows, because that joint is bound elsewhere.
    pub const BOUND: Self = Self(1 << 5);
    /// Whatever joints make of it: its place, normal and weights.
    pub const SKINNED: Self = Self(Self::POSITION.0 | Self::NORMAL.0 | Self::WEIGHTS.0 | Self::BOUND.0);

    /// Whether some of the others are among these.
    #[must_use]
    pub const fn has(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// These where a condition holds.
    #[must_use]
    pub const fn only_if(self, holds: bool) -> Self {
        if holds { self } else { Self::NONE }
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

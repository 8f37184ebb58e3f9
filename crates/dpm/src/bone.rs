//! Names, bones and transforms, which are the same in DPM and ZYM.

use core::fmt;
use meshwright_core::math::Affine64;
use meshwright_core::{F32, FixedName, bit_fields, values};

bit_fields! {
    /// The flags of a bone.
    pub(crate) mod bone_flags: 32 {
        /// Bits without a known meaning.
        UNKNOWN = 31..1;
        /// An attachment point. Tools must not remove it.
        ATTACHMENT = 0..0;
    }
}

/// A name field of 32 bytes.
pub type Name = FixedName<32>;

/// A bone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bone {
    /// The name. Engines search names ignoring case, and use the first match.
    pub name: Name,
    /// Index of the parent, less than the bone's own; -1 for a root.
    pub parent: i32,
    /// Flags.
    pub flags: BoneFlags,
}

impl Bone {
    /// Creates a bone without flags. `parent` is -1 for a root.
    pub const fn new(name: Name, parent: i32) -> Self {
        Self { name, parent, flags: BoneFlags(0) }
    }

    /// Returns the parent bone.
    pub fn parent(&self) -> Option<usize> {
        usize::try_from(self.parent).ok()
    }
}

/// Flags of a bone.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct BoneFlags(pub u32);

impl BoneFlags {
    /// An attachment point: tools do not remove it, even if no vertex follows it.
    pub const ATTACHMENT: Self = Self(bone_flags::ATTACHMENT.mask32());

    /// Returns true if all bits of `other` are set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// Returns the bits without a known meaning.
    pub const fn unknown(self) -> u32 {
        self.0 & bone_flags::UNKNOWN.mask32()
    }
}

impl fmt::Debug for BoneFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// A bone's transform relative to its parent, or a root's relative to the model: three rows of four numbers. The last
/// number of each row is the translation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct BonePose(pub [[F32; 4]; 3]);

impl BonePose {
    /// The identity transform.
    pub const IDENTITY: Self = {
        let (o, i) = (F32::new(0.0), F32::new(1.0));
        Self([[i, o, o, o], [o, i, o, o], [o, o, i, o]])
    };

    /// Returns the rows as plain numbers.
    pub fn rows(&self) -> [[f32; 4]; 3] {
        self.0.map(values)
    }

    /// Returns true if no element is infinite or NaN.
    pub fn is_finite(&self) -> bool {
        self.0.as_flattened().iter().all(|v| v.is_finite())
    }
}

impl From<[[f32; 4]; 3]> for BonePose {
    fn from(rows: [[f32; 4]; 3]) -> Self {
        Self(rows.map(meshwright_core::f32s))
    }
}

impl From<&BonePose> for Affine64 {
    fn from(pose: &BonePose) -> Self {
        Self::from_rows(pose.0.map(|row| row.map(|v| v.get().into())))
    }
}

impl From<BonePose> for Affine64 {
    fn from(pose: BonePose) -> Self {
        Self::from(&pose)
    }
}

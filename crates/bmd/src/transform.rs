//! The transform word of a bone.

use crate::packed::low;
use core::fmt;
use meshwright_core::bit_fields;
use meshwright_core::num::{F8A, QuatF8, Se32};

bit_fields! {
    /// The transform of a normal bone.
    pub(crate) mod transform: 64 {
        /// Four F8A parts R, K, J, I from the highest byte down. They are normalised when read.
        ROTATION = 63..32;
        /// Shared exponent triple.
        ORIGIN = 31..0;
    }
}

/// The transform word of a bone: origin and rotation relative to the parent. For a pseudo-bone it holds the
/// four bones that it follows, and their weights.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BoneTransform(u64);

impl BoneTransform {
    /// Returns the word as stored.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Returns a normal bone's transform.
    pub const fn new(origin: Se32, rotation: QuatF8) -> Self {
        let w = transform::ORIGIN.set_in(0, origin.to_bits() as u64);
        Self(transform::ROTATION.set_in(w, rotation.to_bits() as u64))
    }

    /// Returns a pseudo-bone's word. A weight of zero disables its bone.
    pub const fn following(parts: [(u8, F8A); 4]) -> Self {
        let ids = [parts[0].0, parts[1].0, parts[2].0, parts[3].0];
        let weights =
            [parts[0].1.to_bits(), parts[1].1.to_bits(), parts[2].1.to_bits(), parts[3].1.to_bits()];
        Self((u32::from_le_bytes(weights) as u64) << 32 | u32::from_le_bytes(ids) as u64)
    }

    /// Returns the stored bits.
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// Origin relative to the parent.
    pub const fn origin(self) -> Se32 {
        Se32::from_bits(low(transform::ORIGIN, self.0))
    }

    /// Returns the rotation relative to the parent. The words 0 and 0xFFFFFFFF mean no rotation.
    pub const fn rotation(self) -> QuatF8 {
        match low(transform::ROTATION, self.0) {
            0 | u32::MAX => QuatF8::IDENTITY,
            word => QuatF8::from_bits(word),
        }
    }

    /// Returns the bones a pseudo-bone follows, with their weights.
    pub const fn followed(self) -> [(u8, F8A); 4] {
        let [a, b, c, d, wa, wb, wc, wd] = self.0.to_le_bytes();
        [(a, F8A::from_bits(wa)), (b, F8A::from_bits(wb)), (c, F8A::from_bits(wc)), (d, F8A::from_bits(wd))]
    }
}

impl fmt::Debug for BoneTransform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BoneTransform({:#018x})", self.0)
    }
}

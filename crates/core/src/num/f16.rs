//! Binary16.

use super::arith::{pow2, round_even};
use core::fmt;

/// An IEEE 754 binary16: sign, 5-bit exponent, 10-bit fraction, with subnormals, infinities and NaN.
///
/// ```
/// use meshwright_core::num::F16;
/// assert_eq!(F16::from_bits(0x3c01).decode(), 1.000_976_6);
/// assert_eq!(F16::encode_saturating(1e9), F16::MAX);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct F16(u16);

/// The difference of the exponent biases of binary32 and binary16, shifted to the exponent field of a
/// binary32.
const REBIAS: u32 = 112 << 23;
/// The number of fraction bits that a binary32 has and a binary16 lacks.
const SPARE: u32 = 13;
const INFINITY: u32 = 0x7c00;

impl F16 {
    /// 65504, the largest finite value.
    pub const MAX: Self = Self(0x7bff);

    /// Returns the number with these bits.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Returns the value, exact. A NaN keeps its sign, its payload and whether it signals.
    #[inline]
    pub const fn decode(self) -> f32 {
        let sign = ((self.0 & 0x8000) as u32) << 16;
        let magnitude = (self.0 & 0x7fff) as u32;
        let bits = if magnitude < 0x400 {
            // Zero and subnormals; the product is exact.
            (magnitude as f32 * (1.0 / 16_777_216.0)).to_bits()
        } else if magnitude < INFINITY {
            (magnitude << SPARE) + REBIAS
        } else {
            (magnitude << SPARE) | 0x7f80_0000
        };
        f32::from_bits(sign | bits)
    }

    /// Returns the number nearest to `value`, ties to even, as IEEE 754 defines it.
    ///
    /// From 65520 on the result is infinite. Numbers up to half the smallest subnormal become zero. Signs
    /// are kept. A NaN keeps its sign and the upper ten bits of its payload; if those are all zero, it
    /// becomes the quiet NaN 0x7e00 with its sign.
    pub const fn encode(value: f32) -> Self {
        let bits = value.to_bits();
        let sign = (bits >> 16) & 0x8000;
        let magnitude = bits & 0x7fff_ffff;
        let code = if value.is_nan() {
            let payload = (magnitude >> SPARE) & 0x3ff;
            INFINITY | if payload == 0 { 0x200 } else { payload }
        } else if value.abs() >= 65520.0 {
            INFINITY
        } else if magnitude >= 0x400 << SPARE | REBIAS {
            // Add just under one half, or one half if the kept part is odd.
            (magnitude - REBIAS + (1 << (SPARE - 1)) - 1 + (magnitude >> SPARE & 1)) >> SPARE
        } else {
            // A carry out of the subnormals lands on the smallest normal number.
            round_even(value.abs() as f64 * pow2(24)).cast_unsigned()
        };
        #[expect(clippy::cast_possible_truncation, reason = "16 bits in all")]
        Self((sign | code) as u16)
    }

    /// Does the same as [`encode`](Self::encode), but saturates at ±65504 instead of infinity. NaN stays
    /// NaN.
    pub const fn encode_saturating(value: f32) -> Self {
        let code = Self::encode(value);
        if code.0 & 0x7fff == 0x7c00 { Self(code.0 - 1) } else { code }
    }

    /// Returns true if `encode(value)` decodes to `value`, bit for bit.
    pub const fn is_exact(value: f32) -> bool {
        Self::encode(value).decode().to_bits() == value.to_bits()
    }

    /// Returns whether the number is neither infinite nor NaN.
    pub const fn is_finite(self) -> bool {
        self.0 & 0x7c00 != 0x7c00
    }
}

impl fmt::Debug for F16 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "F16({:#06x} = {:?})", self.0, self.decode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn every_word_decodes_as_half_does_and_comes_back() {
        for bits in 0..=u16::MAX {
            let number = F16::from_bits(bits);
            let (ours, theirs) = (number.decode(), f16::from_bits(bits).to_f32());
            if theirs.is_nan() {
                // The crate `half` makes every NaN quiet.
                assert_eq!(ours.to_bits() | 0x40_0000, theirs.to_bits(), "{bits:#x}");
            } else {
                assert_eq!(ours.to_bits(), theirs.to_bits(), "{bits:#x}");
            }
            assert_eq!(F16::encode(ours), number);
            assert!(F16::is_exact(ours));
            assert_eq!(number.is_finite(), ours.is_finite());
        }
    }

    /// Tests the bits around every number and around every midpoint between numbers.
    #[test]
    fn rounding_agrees_with_half_at_every_boundary() {
        for bits in 0..0x7c00_u16 {
            let here = F16::from_bits(bits).decode();
            let half = (here + F16::from_bits(bits + 1).decode().min(65536.0)) / 2.0;
            for x in [here.next_up(), half.next_down(), half, half.next_up()] {
                for x in [x, -x] {
                    assert_eq!(F16::encode(x).to_bits(), f16::from_f32(x).to_bits(), "{x:e}");
                    let saturated = F16::encode_saturating(x).decode();
                    assert_eq!(saturated, F16::encode(x).decode().clamp(-65504.0, 65504.0));
                }
            }
        }
    }

    #[test]
    fn infinities_and_nan() {
        assert_eq!(F16::encode(f32::INFINITY).to_bits(), 0x7c00);
        assert_eq!(F16::encode_saturating(f32::NEG_INFINITY).to_bits(), 0xfbff);
        assert_eq!(F16::encode(f32::from_bits(0xff80_0001)).to_bits(), 0xfe00);
        assert_eq!(F16::encode_saturating(f32::from_bits(0x7f80_2000)).to_bits(), 0x7c01);
        assert_eq!(std::format!("{:?}", F16::from_bits(0xc000)), "F16(0xc000 = -2.0)");
    }

    proptest! {
        #[test]
        fn any_float_encodes_as_half_does(bits: u32) {
            let x = f32::from_bits(bits);
            prop_assume!(!x.is_nan());
            prop_assert_eq!(F16::encode(x).to_bits(), f16::from_f32(x).to_bits());
        }
    }
}

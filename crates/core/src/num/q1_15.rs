//! Q1.15 blend weights.

use super::arith::round_even;
use core::fmt;

/// A blend weight as TSO meshes store it: 32 bits in steps of 1/32768. Valid weights are 0 to 0x8000 (1.0).
///
/// ```
/// use meshwright_core::num::Q1_15;
/// assert_eq!(Q1_15::from_bits(0x4000).decode(), 0.5);
/// assert!(!Q1_15::from_bits(0x8001).is_valid());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Q1_15(u32);

const ONE: u32 = 0x8000;

impl Q1_15 {
    /// 1.0.
    pub const ONE: Self = Self(ONE);

    /// Returns the weight with these bits.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Returns the word divided by 32768, also above 1.0. It is exact up to 512 and rounded to nearest
    /// above.
    #[inline]
    pub const fn decode(self) -> f32 {
        self.0 as f32 / ONE as f32
    }

    /// Returns the weight nearest to `value`, ties to the even word. Values below 0 become 0, above 1 become
    /// 1, NaN becomes 0.
    pub const fn encode(value: f32) -> Self {
        let units = round_even(value as f64 * ONE as f64);
        Self(if units <= 0 { 0 } else { units.cast_unsigned() }).clamped()
    }

    /// Returns true if `encode(value)` decodes to a number equal to `value`.
    pub const fn is_exact(value: f32) -> bool {
        Self::encode(value).decode() == value
    }

    /// Returns true if the weight is at most 1.0.
    pub const fn is_valid(self) -> bool {
        self.0 <= ONE
    }

    /// Returns the weight itself when valid, otherwise 1.0.
    #[must_use]
    pub const fn clamped(self) -> Self {
        if self.is_valid() { self } else { Self::ONE }
    }
}

impl fmt::Debug for Q1_15 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Q1_15({:#06x} = {:?})", self.0, self.decode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn every_valid_word_comes_back() {
        for bits in 0..=ONE {
            let weight = Q1_15::from_bits(bits);
            assert_eq!(f64::from(weight.decode()), f64::from(bits) / 32768.0);
            assert_eq!(Q1_15::encode(weight.decode()), weight);
            assert!(weight.is_valid() && Q1_15::is_exact(weight.decode()));
        }
    }

    #[test]
    fn rounding_and_clamping() {
        assert_eq!(Q1_15::encode(0.5 / 32768.0).to_bits(), 0);
        assert_eq!(Q1_15::encode(1.5 / 32768.0).to_bits(), 2);
        for x in [-0.0, -1.0, f32::NEG_INFINITY, f32::NAN] {
            assert_eq!(Q1_15::encode(x).to_bits(), 0);
        }
        for x in [1.0, 1.5, 1e9, f32::INFINITY] {
            assert_eq!(Q1_15::encode(x), Q1_15::ONE);
        }
        assert!(Q1_15::is_exact(-0.0) && !Q1_15::is_exact(1.5) && !Q1_15::is_exact(f32::NAN));
        assert_eq!(std::format!("{:?}", Q1_15::ONE), "Q1_15(0x8000 = 1.0)");
    }

    proptest! {
        #[test]
        fn any_word_decodes_and_clamps(bits: u32) {
            let weight = Q1_15::from_bits(bits);
            prop_assert_eq!(weight.to_bits(), bits);
            prop_assert_eq!(weight.decode(), bits as f32 / 32768.0);
            prop_assert_eq!(Q1_15::encode(weight.decode()), weight.clamped());
            prop_assert_eq!(weight.is_valid(), bits <= 0x8000);
        }

        #[test]
        fn encode_is_nearest(x in 0.0_f32..=1.0) {
            let error = f64::from(Q1_15::encode(x).decode()) - f64::from(x);
            prop_assert!(error.abs() <= 0.5 / 32768.0);
        }
    }
}

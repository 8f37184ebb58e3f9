//! Q2.12 fixed point.

use super::arith::round_even;
use core::fmt;

/// A 14-bit two's complement number in steps of 1/4096: -2.0 to 1.99976.
///
/// ```
/// use meshwright_core::num::Q2_12;
/// assert_eq!(Q2_12::from_bits(0x3000).decode(), -1.0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Q2_12(u16);

const MASK: u16 = 0x3fff;
const MIN: i32 = -0x2000;
const MAX: i32 = 0x1fff;

impl Q2_12 {
    /// Returns the number with these 14 bits; the two bits above are dropped.
    pub const fn from_bits(bits: u16) -> Self {
        Self(bits & MASK)
    }

    /// Returns the 14 bits.
    pub const fn to_bits(self) -> u16 {
        self.0
    }

    /// Returns the value, exact.
    #[inline]
    pub const fn decode(self) -> f32 {
        ((self.0 << 2).cast_signed() >> 2) as f32 / 4096.0
    }

    /// Returns the number nearest to `value`, ties to the even step. It saturates at -2.0 and 1.99976; NaN
    /// becomes 0.
    #[expect(clippy::cast_possible_truncation, reason = "masked to 14 bits")]
    pub const fn encode(value: f32) -> Self {
        let steps = round_even(value as f64 * 4096.0);
        let steps = if steps < MIN {
            MIN
        } else if steps > MAX {
            MAX
        } else {
            steps
        };
        Self(steps.cast_unsigned() as u16 & MASK)
    }

    /// Returns true if `encode(value)` decodes to a number equal to `value`.
    pub const fn is_exact(value: f32) -> bool {
        Self::encode(value).decode() == value
    }

    /// Returns true if `value` is outside -2.0 to 1.99976, or NaN, so that [`encode`](Self::encode) replaces it.
    pub const fn saturates(value: f32) -> bool {
        value.is_nan() || value < -2.0 || value > MAX as f32 / 4096.0
    }
}

impl fmt::Debug for Q2_12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Q2_12({:#06x} = {:?})", self.0, self.decode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn every_word_comes_back() {
        for bits in 0..=u16::MAX {
            let number = Q2_12::from_bits(bits);
            let steps = i32::from(bits & 0x3fff) - if bits & 0x2000 == 0 { 0 } else { 0x4000 };
            assert_eq!(f64::from(number.decode()), f64::from(steps) / 4096.0);
            assert_eq!(number.to_bits(), bits & 0x3fff);
            assert_eq!(Q2_12::encode(number.decode()), number);
            assert!(Q2_12::is_exact(number.decode()) && !Q2_12::saturates(number.decode()));
        }
    }

    #[test]
    fn rounding_and_saturation() {
        assert_eq!(Q2_12::encode(0.5 / 4096.0).to_bits(), 0);
        assert_eq!(Q2_12::encode(-1.5 / 4096.0).to_bits(), 0x3ffe);
        assert_eq!(Q2_12::encode(f32::INFINITY).to_bits(), 0x1fff);
        assert_eq!(Q2_12::encode(-2.5).to_bits(), 0x2000);
        assert_eq!(Q2_12::encode(f32::NAN).to_bits(), 0);
        assert!(Q2_12::saturates(2.0) && Q2_12::saturates(f32::NAN) && !Q2_12::saturates(-2.0));
        assert_eq!(std::format!("{:?}", Q2_12::encode(1.5)), "Q2_12(0x1800 = 1.5)");
    }

    proptest! {
        #[test]
        fn encode_is_nearest(x in -2.0_f32..1.999) {
            let error = f64::from(Q2_12::encode(x).decode()) - f64::from(x);
            prop_assert!(error.abs() <= 0.5 / 4096.0);
        }
    }
}

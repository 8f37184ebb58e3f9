//! Texture coordinates in 12 + 12 bits.

use super::arith::{round_even, set_field, unsigned};
use crate::bits::{BitField, tiles};
use core::fmt;

/// A texture coordinate of BGBTech's mesh description in 24 bits, without an exponent.
///
/// Bits 23..12 are the fraction of T, 11..0 that of S. A coordinate is `fraction / 2048 - 0.5`, so it goes
/// from -0.5 to 1.49951.
///
/// ```
/// use meshwright_core::num::St12;
/// assert_eq!(St12::from_bits(0xc00400).decode(), [0.0, 1.0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct St12(u32);

const S: BitField = BitField::new(11, 0);
const T: BitField = BitField::new(23, 12);
const _: () = assert!(tiles(&[S, T], 24));

/// The fraction of coordinate 0.
const CENTRE: i32 = 1024;
const MIN: i32 = -CENTRE;
const MAX: i32 = 4095 - CENTRE;

impl St12 {
    /// Returns the pair with these 24 bits; the eight bits above are dropped.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & 0xff_ffff)
    }

    /// Returns the 24 bits.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Returns the fractions of S and T counted from coordinate zero, -1024 to 3071.
    pub const fn fractions(self) -> [i32; 2] {
        [unsigned(self.0, S).cast_signed() - CENTRE, unsigned(self.0, T).cast_signed() - CENTRE]
    }

    /// Returns the coordinates S and T, exact; a zero is positive.
    #[inline]
    pub const fn decode(self) -> [f32; 2] {
        let [s, t] = self.fractions();
        [s as f32 / 2048.0, t as f32 / 2048.0]
    }

    /// Returns the pair nearest to `value`, ties to the even fraction. It saturates at -0.5 and 1.49951; NaN
    /// becomes 0.
    pub fn encode(value: [f32; 2]) -> Self {
        let [s, t] = value.map(|c| round_even(f64::from(c) * 2048.0).clamp(MIN, MAX) + CENTRE);
        Self(set_field(set_field(0, S, s), T, t))
    }

    /// Returns true if `encode(value)` decodes to numbers equal to `value`.
    pub fn is_exact(value: [f32; 2]) -> bool {
        Self::encode(value).decode() == value
    }

    /// Returns true if some coordinate is outside -0.5 to 1.49951, or NaN, so that [`encode`](Self::encode) replaces it.
    pub fn saturates(value: [f32; 2]) -> bool {
        !value.iter().all(|c| (-0.5..=MAX as f32 / 2048.0).contains(c))
    }
}

impl fmt::Debug for St12 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "St12({:#08x} = {:?})", self.0, self.decode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn every_fraction_comes_back() {
        for a in 0..4096_u32 {
            let word = St12::from_bits((4095 - a) << 12 | a);
            assert_eq!(word.decode().map(f64::from), [a, 4095 - a].map(|f| f64::from(f) / 2048.0 - 0.5));
            assert_eq!(St12::encode(word.decode()), word);
            assert!(St12::is_exact(word.decode()) && !St12::saturates(word.decode()));
        }
    }

    #[test]
    fn rounding_and_saturation() {
        assert_eq!(St12::encode([1.5, -0.6]).to_bits(), 0x000fff);
        assert_eq!(St12::encode([0.5 / 2048.0, 1.5 / 2048.0]).fractions(), [0, 2]);
        assert_eq!(St12::encode([f32::NAN, -0.0]).decode(), [0.0, 0.0]);
        assert!(St12::saturates([1.5, 0.0]) && St12::saturates([0.0, f32::NAN]));
        assert_eq!(St12::from_bits(0xff00_0000).to_bits(), 0);
        assert_eq!(std::format!("{:?}", St12::encode([0.0, 1.0])), "St12(0xc00400 = [0.0, 1.0])");
    }

    proptest! {
        #[test]
        fn every_word_comes_back(bits: u32) {
            let word = St12::from_bits(bits);
            prop_assert_eq!(St12::encode(word.decode()), word);
        }

        #[test]
        fn encode_is_nearest(value in [-0.5_f32..1.499, -0.5_f32..1.499]) {
            for (got, want) in St12::encode(value).decode().iter().zip(value) {
                prop_assert!((f64::from(*got) - f64::from(want)).abs() <= 0.5 / 2048.0);
            }
        }
    }
}

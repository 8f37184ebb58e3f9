//! Texture coordinates in 11 + 11 bits.

use super::arith::{pow2, round_even, set_field, unsigned};
use crate::bits::{BitField, tiles};
use core::fmt;

/// A texture coordinate of BGBTech's mesh description in 24 bits, with an exponent.
///
/// Bits 23..22 are the exponent `k`, 21..11 the fraction of T, 10..0 that of S. A coordinate is
/// `(fraction / 1024 - 0.5) * 4^k`: from -0.5 to 1.499 at `k = 0`, from -32 to 95.94 at `k = 3`.
///
/// ```
/// use meshwright_core::num::St11;
/// assert_eq!(St11::from_bits(0x200600).decode(), [1.0, 0.5]);
/// assert_eq!(St11::encode([-0.51, 0.5]).exponent(), 1);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct St11(u32);

const S: BitField = BitField::new(10, 0);
const T: BitField = BitField::new(21, 11);
const K: BitField = BitField::new(23, 22);
const _: () = assert!(tiles(&[S, T, K], 24));

/// The fraction of coordinate 0.
const CENTRE: i32 = 512;
const MIN: i32 = -CENTRE;
const MAX: i32 = 2047 - CENTRE;
const MAX_EXPONENT: i32 = 3;

impl St11 {
    /// Returns the pair with these 24 bits; the eight bits above are dropped.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits & 0xff_ffff)
    }

    /// Returns the 24 bits.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Returns the fractions of S and T counted from coordinate zero, -512 to 1535.
    pub const fn fractions(self) -> [i32; 2] {
        [unsigned(self.0, S).cast_signed() - CENTRE, unsigned(self.0, T).cast_signed() - CENTRE]
    }

    /// Returns the exponent, 0 to 3.
    #[expect(clippy::cast_possible_truncation, reason = "2 bits")]
    pub const fn exponent(self) -> u8 {
        unsigned(self.0, K) as u8
    }

    /// Returns the coordinates S and T, exact; a zero is positive.
    #[inline]
    pub const fn decode(self) -> [f32; 2] {
        // 4^k / 1024
        let scale = f32::from_bits((117 + 2 * unsigned(self.0, K)) << 23);
        let [s, t] = self.fractions();
        [s as f32 * scale, t as f32 * scale]
    }

    /// Returns the pair nearest to `value` at the smallest exponent at which both rounded fractions fit.
    ///
    /// Ties go to the even fraction. Beyond exponent 3, coordinates saturate at -32 and 95.9375; NaN becomes
    /// 0.
    pub fn encode(value: [f32; 2]) -> Self {
        let at = |k: i32| value.map(|c| round_even(f64::from(c) * pow2(10 - 2 * k)));
        let fits = |fractions: &[i32; 2]| fractions.iter().all(|f| (MIN..=MAX).contains(f));
        let k = (0..MAX_EXPONENT).find(|k| fits(&at(*k))).unwrap_or(MAX_EXPONENT);
        let [s, t] = at(k).map(|f| f.clamp(MIN, MAX) + CENTRE);
        Self(set_field(set_field(set_field(0, S, s), T, t), K, k))
    }

    /// Returns true if `encode(value)` decodes to numbers equal to `value`.
    pub fn is_exact(value: [f32; 2]) -> bool {
        Self::encode(value).decode() == value
    }

    /// Returns true if some coordinate is outside -32 to 95.9375, or NaN, so that [`encode`](Self::encode) replaces it.
    pub fn saturates(value: [f32; 2]) -> bool {
        !value.iter().all(|c| (-32.0..=95.9375).contains(c))
    }

    /// Returns whether [`encode`](Self::encode) of the decoded value gives this word again. That is so if
    /// the exponent is 0, or some fraction does not fit the next lower exponent.
    pub fn is_canonical(self) -> bool {
        self.exponent() == 0 || !self.fractions().iter().all(|f| (MIN..=MAX).contains(&(f * 4)))
    }
}

impl fmt::Debug for St11 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "St11({:#08x} = {:?})", self.0, self.decode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn every_fraction_under_every_exponent_keeps_its_value() {
        for (k, a, b) in
            (0..4).flat_map(|k| (0..2048).flat_map(move |a| [0, 400, 512, 895, 896].map(|b| (k, a, b))))
        {
            let word = St11::from_bits(k << 22 | b << 11 | a);
            let scale = 4_f64.powi(k.cast_signed());
            assert_eq!(word.decode().map(f64::from), [a, b].map(|f| (f64::from(f) / 1024.0 - 0.5) * scale));
            let again = St11::encode(word.decode());
            assert_eq!(again.decode(), word.decode());
            assert_eq!(again == word, word.is_canonical(), "{word:?} {again:?}");
            assert!(again.is_canonical());
            assert!(St11::is_exact(word.decode()) && !St11::saturates(word.decode()));
        }
    }

    #[test]
    fn the_exponent_rises_when_rounding_leaves_the_range() {
        let last = 1535.0 / 1024.0;
        assert_eq!(St11::encode([last + 0.49 / 1024.0, 0.0]).exponent(), 0);
        assert_eq!(St11::encode([1.5, 0.0]).exponent(), 1);
        assert_eq!(St11::encode([6.0, 0.0]).exponent(), 2);
        assert_eq!(St11::encode([24.0, 0.0]).exponent(), 3);
        assert_eq!(St11::encode([1e9, f32::NEG_INFINITY]).decode(), [95.9375, -32.0]);
        assert_eq!(St11::encode([f32::NAN, -0.0]).decode(), [0.0, 0.0]);
        assert!(St11::saturates([96.0, 0.0]) && St11::saturates([f32::NAN, 0.0]));
        assert_eq!(St11::from_bits(0xff00_0000).to_bits(), 0);
        assert_eq!(std::format!("{:?}", St11::encode([0.0, 1.0])), "St11(0x300200 = [0.0, 1.0])");
    }

    proptest! {
        #[test]
        fn every_word_keeps_its_value(bits: u32) {
            let word = St11::from_bits(bits);
            let again = St11::encode(word.decode());
            prop_assert_eq!(again.decode(), word.decode());
            prop_assert_eq!(again == word, word.is_canonical());
        }

        #[test]
        fn encode_is_nearest(value in [-31.875_f32..95.9, -31.875_f32..95.9], shrink in 0_i32..5) {
            let value = value.map(|c| c * 4_f32.powi(-shrink));
            let word = St11::encode(value);
            let half_step = 4_f64.powi(i32::from(word.exponent())) / 2048.0;
            for (got, want) in word.decode().iter().zip(value) {
                prop_assert!((f64::from(*got) - f64::from(want)).abs() <= half_step);
            }
        }
    }
}

//! Texture coordinates in 14 + 14 bits, in three readings.

use super::arith::{pow2, round_even, set_field, signed, unsigned};
use crate::bits::{BitField, tiles};
use core::fmt;

/// A texture coordinate of BGBTech's mesh description in 32 bits. [`St14Form`] lists the possible
/// interpretations of a word.
///
/// ```
/// use meshwright_core::num::{St14, St14Form};
/// let word = St14::from_bits(0x0800_2000);
/// assert_eq!(word.decode(St14Form::Excess), [0.0, 0.0]);
/// assert_eq!(word.decode(St14Form::TwosComplement), [-2.0, -2.0]);
/// assert_eq!(word.decode(St14Form::Legacy), [2.0, 0.5]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct St14(u32);

/// The possible interpretations of the bits of an [`St14`].
///
/// In the first two forms bits 31..28 are an exponent `k`, 27..14 the fraction of T, 13..0 that of S.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum St14Form {
    /// `(fraction / 4096 - 2) * 2^k`, as in the only existing reader of the form.
    #[default]
    Excess,
    /// Two's complement fractions, `fraction / 4096 * 2^k`: a literal interpretation of the description's
    /// "Q2.12".
    TwosComplement,
    /// No exponent: T in bits 31..16 and S in 15..0, each 16 bits of two's complement in steps of 1/4096.
    /// The existing writer and the known files use this form.
    Legacy,
}

const S: BitField = BitField::new(13, 0);
const T: BitField = BitField::new(27, 14);
const K: BitField = BitField::new(31, 28);
const _: () = assert!(tiles(&[S, T, K], 32));

const LEGACY_S: BitField = BitField::new(15, 0);
const LEGACY_T: BitField = BitField::new(31, 16);
const _: () = assert!(tiles(&[LEGACY_S, LEGACY_T], 32));

const MIN: i32 = -0x2000;
const MAX: i32 = 0x1fff;
const MAX_EXPONENT: i32 = 15;
/// Flips the top bit of both fractions, which turns excess-8192 into two's complement and back.
const EXCESS: u32 = 0x2000 << 14 | 0x2000;

impl St14 {
    /// Returns the pair with these bits.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Returns the fractions of S and T counted from coordinate zero: -8192 to 8191. In the legacy form the
    /// range is -32768 to 32767.
    pub const fn fractions(self, form: St14Form) -> [i16; 2] {
        match form {
            St14Form::Excess => [signed(self.0 ^ EXCESS, S), signed(self.0 ^ EXCESS, T)],
            St14Form::TwosComplement => [signed(self.0, S), signed(self.0, T)],
            St14Form::Legacy => [signed(self.0, LEGACY_S), signed(self.0, LEGACY_T)],
        }
    }

    /// Returns the exponent, 0 to 15; always 0 in the legacy form.
    #[expect(clippy::cast_possible_truncation, reason = "4 bits")]
    pub const fn exponent(self, form: St14Form) -> u8 {
        match form {
            St14Form::Excess | St14Form::TwosComplement => unsigned(self.0, K) as u8,
            St14Form::Legacy => 0,
        }
    }

    /// Returns the coordinates S and T, exact; a zero is positive.
    #[inline]
    pub const fn decode(self, form: St14Form) -> [f32; 2] {
        // 2^k / 4096
        let scale = f32::from_bits((115 + self.exponent(form) as u32) << 23);
        let [s, t] = self.fractions(form);
        [s as f32 * scale, t as f32 * scale]
    }

    /// Returns the pair nearest to `value` at the smallest exponent at which both rounded fractions fit.
    ///
    /// Ties go to the even fraction. Coordinates saturate at -65536 and 65528, in the legacy form at -8 and
    /// 7.99976; NaN becomes 0.
    pub fn encode(value: [f32; 2], form: St14Form) -> Self {
        let at = |k: i32| value.map(|c| round_even(f64::from(c) * pow2(12 - k)));
        if form == St14Form::Legacy {
            let [s, t] = at(0).map(|f| f.clamp(i32::from(i16::MIN), i32::from(i16::MAX)));
            return Self(set_field(set_field(0, LEGACY_S, s), LEGACY_T, t));
        }
        let fits = |fractions: &[i32; 2]| fractions.iter().all(|f| (MIN..=MAX).contains(f));
        let k = (0..MAX_EXPONENT).find(|k| fits(&at(*k))).unwrap_or(MAX_EXPONENT);
        let [s, t] = at(k).map(|f| f.clamp(MIN, MAX));
        let word = set_field(set_field(set_field(0, S, s), T, t), K, k);
        Self(if form == St14Form::Excess { word ^ EXCESS } else { word })
    }

    /// Returns true if `encode(value, form)` decodes to numbers equal to `value`.
    pub fn is_exact(value: [f32; 2], form: St14Form) -> bool {
        Self::encode(value, form).decode(form) == value
    }

    /// Returns true if some coordinate is beyond the form's range, or NaN, so that [`encode`](Self::encode) replaces it.
    pub fn saturates(value: [f32; 2], form: St14Form) -> bool {
        let range = if form == St14Form::Legacy { -8.0..=32767.0 / 4096.0 } else { -65536.0..=65528.0 };
        !value.iter().all(|c| range.contains(c))
    }

    /// Returns whether [`encode`](Self::encode) of the decoded value gives this word again. That is so if
    /// the exponent is 0, or some fraction does not fit the next lower exponent. Every legacy word is
    /// canonical.
    ///
    /// A careful writer of [`Excess`](St14Form::Excess) writes only canonical words, so others suggest the
    /// legacy form.
    pub fn is_canonical(self, form: St14Form) -> bool {
        self.exponent(form) == 0
            || !self.fractions(form).iter().all(|f| (MIN..=MAX).contains(&(i32::from(*f) * 2)))
    }
}

impl fmt::Debug for St14 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "St14({:#010x})", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    const FORMS: [St14Form; 3] = [St14Form::Excess, St14Form::TwosComplement, St14Form::Legacy];

    /// Returns the definitions of the three forms, written out.
    fn formula(word: u32, form: St14Form) -> [f64; 2] {
        let scale = 2_f64.powi((word >> 28).cast_signed());
        let raw = [word & 0x3fff, word >> 14 & 0x3fff];
        match form {
            St14Form::Excess => raw.map(|a| (f64::from(a) / 4096.0 - 2.0) * scale),
            St14Form::TwosComplement => {
                raw.map(|a| f64::from(a) - if a < 0x2000 { 0.0 } else { 16384.0 }).map(|a| a / 4096.0 * scale)
            }
            St14Form::Legacy => [word & 0xffff, word >> 16]
                .map(|a| (f64::from(a) - if a < 0x8000 { 0.0 } else { 65536.0 }) / 4096.0),
        }
    }

    fn check_word(bits: u32) {
        let word = St14::from_bits(bits);
        for form in FORMS {
            let value = word.decode(form);
            assert_eq!(value.map(f64::from), formula(bits, form), "{word:?} {form:?}");
            let again = St14::encode(value, form);
            assert_eq!(again.decode(form).map(f32::to_bits), value.map(f32::to_bits), "{word:?} {form:?}");
            assert_eq!(again == word, word.is_canonical(form), "{word:?} {form:?}");
            assert!(again.is_canonical(form));
            assert!(St14::is_exact(value, form) && !St14::saturates(value, form));
        }
    }

    #[test]
    fn every_fraction_under_some_exponents() {
        for (k, a, b) in [0, 1, 15].iter().flat_map(|k| (0..0x4000).map(move |a| (k, a, 0x3fff - a))) {
            check_word(k << 28 | b << 14 | a);
        }
    }

    #[test]
    fn saturation() {
        let value = [f32::INFINITY, -1e9];
        for form in FORMS {
            let limits =
                if form == St14Form::Legacy { [32767.0 / 4096.0, -8.0] } else { [65528.0, -65536.0] };
            assert_eq!(St14::encode(value, form).decode(form), limits);
            assert_eq!(St14::encode([f32::NAN, -0.0], form).decode(form), [0.0, 0.0]);
            assert!(St14::saturates(value, form) && St14::saturates([f32::NAN, 0.0], form));
            assert!(!St14::saturates(limits, form));
        }
        assert_eq!(St14::encode([0.0; 2], St14Form::Excess).to_bits(), 0x0800_2000);
        assert_eq!(std::format!("{:?}", St14::from_bits(0x14)), "St14(0x00000014)");
    }

    proptest! {
        #[test]
        fn every_word_keeps_its_value(bits: u32) {
            check_word(bits);
        }

        #[test]
        fn encode_is_nearest(value in [-65536_f32..65528.0, -65536_f32..65528.0], shrink in 0_i32..20) {
            let value = value.map(|c| c * 2_f32.powi(-shrink));
            for form in FORMS {
                if St14::saturates(value, form) {
                    continue;
                }
                let word = St14::encode(value, form);
                let half_step = 2_f64.powi(i32::from(word.exponent(form))) / 8192.0;
                for (got, want) in word.decode(form).iter().zip(value) {
                    prop_assert!((f64::from(*got) - f64::from(want)).abs() <= half_step);
                }
            }
        }
    }
}

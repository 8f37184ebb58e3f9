//! F8A: sign, 3-bit exponent, 4-bit fraction.

use core::fmt;

/// An 8-bit float `s eee ffff` of BGBTech's mesh description, made for unit vectors and quaternions.
///
/// The value is `(16 + f) * 2^(e - 11)`, negated when `s` is set. There are no subnormals, infinities or
/// NaN. The code with exponent and fraction 0 means zero, so 1/128, its regular value, cannot be stored. The
/// smallest magnitudes are 0 and 17/2048, the largest is 1.9375. 0x80 is negative zero; it occurs in real
/// files.
///
/// ```
/// use meshwright_core::num::F8A;
/// assert_eq!(F8A::from_bits(0x70).decode(), 1.0);
/// assert_eq!(F8A::encode(-0.71).to_bits(), 0xe7);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct F8A(u8);

/// Exponent 0 means 2^-7. This is the difference of the biases, shifted to the exponent field of a binary32.
const BIAS: u32 = 120 << 23;
/// The number of fraction bits that a binary32 has and F8A lacks.
const SPARE: u32 = 19;
const SIGN: u8 = 0x80;
/// Half of the smallest magnitude, 17/4096. Magnitudes up to here round to zero.
const ROUNDS_TO_ZERO: f32 = 17.0 / 4096.0;

impl F8A {
    /// Zero.
    pub const ZERO: Self = Self(0);
    /// 1.0.
    pub const ONE: Self = Self(0x70);
    /// 1.9375, the largest value.
    pub const MAX: Self = Self(0x7f);

    /// Returns the number with this code.
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    /// Returns the code.
    pub const fn to_bits(self) -> u8 {
        self.0
    }

    /// Returns the exact value; 0x80 gives `-0.0`.
    ///
    /// It has no branches and no tables, so that a loop over codes turns into vector instructions.
    #[inline]
    pub const fn decode(self) -> f32 {
        f32::from_bits((Self::upper(self.0) as u32) << 16)
    }

    /// Returns the upper half of the value's bits; the lower half is zero.
    #[allow(clippy::inline_always, reason = "part of kernels")]
    #[inline(always)]
    pub(crate) const fn upper(code: u8) -> u16 {
        // Sign extension fills all bits above the exponent; the mask keeps one of them.
        let bits =
            ((code.cast_signed() as i16) << (SPARE - 16)).cast_unsigned() & (0x8000 | 0x7f << (SPARE - 16));
        bits | ((0x3c00 * (bits << 1 != 0) as u16) & 0x3c00)
    }

    /// Returns the code nearest to `value`.
    ///
    /// Ties go to the larger magnitude, except that half of the smallest magnitude goes to zero. Magnitudes
    /// above 1.9375 become 1.9375, NaN becomes zero. The sign is kept, also that of `-0.0`. A negative
    /// number that rounds to zero gives positive zero.
    #[inline]
    pub const fn encode(value: f32) -> Self {
        let bits = value.to_bits();
        let magnitude = value.abs();
        let sign = if value.is_sign_negative() { SIGN } else { 0 };
        if value.is_nan() {
            return Self::ZERO;
        }
        if magnitude <= ROUNDS_TO_ZERO {
            return if magnitude == 0.0 { Self(sign) } else { Self::ZERO };
        }
        let rounded = ((bits & 0x7fff_ffff) + (1 << (SPARE - 1))) >> SPARE;
        // Below 1/128 the nearest code is that of 17/2048, because code 0 means zero.
        let code = match rounded.saturating_sub(BIAS >> SPARE) {
            0 => 1,
            #[expect(clippy::cast_possible_truncation, reason = "1 to 127")]
            code @ 1..=0x7f => code as u8,
            _ => 0x7f,
        };
        Self(sign | code)
    }

    /// Returns true if `encode(value)` decodes to `value`, bit for bit.
    pub const fn is_exact(value: f32) -> bool {
        Self::encode(value).decode().to_bits() == value.to_bits()
    }

    /// Returns true if `value` is beyond ±1.9375, or NaN, so that [`encode`](Self::encode) replaces it.
    pub const fn saturates(value: f32) -> bool {
        value.is_nan() || value.abs() > Self::MAX.decode()
    }

    /// Returns the magnitude in steps of 1/2048: 0, or 17 to 3968.
    pub(super) const fn units(self) -> u32 {
        let magnitude = (self.0 & 0x7f) as u32;
        if magnitude == 0 { 0 } else { (16 + (magnitude & 15)) << (magnitude >> 4) }
    }

    /// Returns the number with this magnitude in steps of 1/2048, if there is one.
    pub(super) const fn from_units(units: u32) -> Option<Self> {
        if units == 0 {
            return Some(Self::ZERO);
        }
        if units <= 16 || units > Self::MAX.units() {
            return None;
        }
        let exponent = units.ilog2() - 4;
        let significand = units >> exponent;
        #[expect(clippy::cast_possible_truncation, reason = "at most 0x7f")]
        let code = (exponent << 4 | (significand & 15)) as u8;
        if significand << exponent == units { Some(Self(code)) } else { None }
    }

    /// Returns the same magnitude with the given sign.
    pub(super) const fn with_sign(self, negative: bool) -> Self {
        Self(if negative { self.0 | SIGN } else { self.0 & !SIGN })
    }
}

impl fmt::Debug for F8A {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "F8A({:#04x} = {:?})", self.0, self.decode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    /// Returns the definition of the encoding, written out.
    fn formula(code: u8) -> f32 {
        let (e, f) = (i32::from(code >> 4 & 7), f32::from(code & 15));
        let magnitude = if code & 0x7f == 0 { 0.0 } else { (16.0 + f) * 2_f32.powi(e - 11) };
        if code & 0x80 == 0 { magnitude } else { -magnitude }
    }

    fn magnitudes() -> impl Iterator<Item = (u8, f32)> {
        (0..=0x7f).map(|code| (code, formula(code)))
    }

    #[test]
    fn every_code_follows_the_formula_and_comes_back() {
        for code in 0..=u8::MAX {
            let number = F8A::from_bits(code);
            assert_eq!(number.decode().to_bits(), formula(code).to_bits(), "{code:#x}");
            assert_eq!(F8A::encode(number.decode()), number);
            assert!(F8A::is_exact(number.decode()) && !F8A::saturates(number.decode()));
            assert_eq!(f64::from(number.units()) / 2048.0, f64::from(formula(code).abs()));
            assert_eq!(F8A::from_units(number.units()), Some(F8A(code & 0x7f)));
        }
    }

    #[test]
    fn units_that_no_code_has() {
        let stored = (0..5000).filter(|&u| F8A::from_units(u).is_some()).count();
        assert_eq!(stored, 128);
        assert_eq!(F8A::from_units(16), None);
    }

    #[test]
    fn halves_between_neighbours_go_up_except_to_zero() {
        let all: Vec<_> = magnitudes().collect();
        for pair in all.windows(2) {
            let ((low, a), (high, b)) = (pair[0], pair[1]);
            let half = (a + b) / 2.0;
            assert_eq!(F8A::encode(half).to_bits(), if low == 0 { low } else { high });
            assert_eq!(F8A::encode(half.next_down()).to_bits(), low);
            assert_eq!(F8A::encode(half.next_up()).to_bits(), high);
            assert!(!F8A::is_exact(half));
        }
    }

    #[test]
    fn zeros_and_the_unencodable() {
        assert_eq!(F8A::encode(-0.0).to_bits(), 0x80);
        assert_eq!(F8A::encode(-1e-4).to_bits(), 0);
        assert_eq!(F8A::encode(f32::NAN), F8A::ZERO);
        assert_eq!(F8A::encode(f32::INFINITY), F8A::MAX);
        assert_eq!(F8A::encode(f32::MIN).to_bits(), 0xff);
        assert!(F8A::saturates(1.94) && F8A::saturates(f32::NAN) && !F8A::is_exact(f32::NAN));
        assert_eq!(std::format!("{:?}", F8A::ONE), "F8A(0x70 = 1.0)");
    }

    proptest! {
        #[test]
        fn encode_is_nearest(bits: u32, near in -2.5_f32..2.5) {
            for value in [f32::from_bits(bits), near] {
                let code = F8A::encode(value);
                if value.is_nan() {
                    prop_assert_eq!(code, F8A::ZERO);
                    continue;
                }
                let error = |v: f32| (f64::from(v) - f64::from(value)).abs();
                let best = magnitudes().flat_map(|(_, v)| [error(v), error(-v)]).fold(f64::MAX, f64::min);
                prop_assert_eq!(error(code.decode()), best);
            }
        }
    }
}

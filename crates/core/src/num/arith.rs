//! Rounding, powers of two and square roots without `std`.

use crate::bits::BitField;

/// `field` of `word`, read as two's complement.
#[expect(clippy::cast_possible_truncation, reason = "no field here is wider than 16 bits")]
pub(super) const fn signed(word: u32, field: BitField) -> i16 {
    field.get_signed(word as u64) as i16
}

/// `field` of `word`.
#[expect(clippy::cast_possible_truncation, reason = "the field lies inside a 32-bit word")]
pub(super) const fn unsigned(word: u32, field: BitField) -> u32 {
    field.get(word as u64) as u32
}

/// `word` with the low bits of `value` put into `field`.
#[expect(clippy::cast_possible_truncation, reason = "the field lies inside a 32-bit word")]
pub(super) const fn with(word: u32, field: BitField, value: i32) -> u32 {
    field.with(word as u64, value.cast_unsigned() as u64) as u32
}

/// The nearest integer, halves to the even one; saturates at ±2^30, NaN gives 0.
#[expect(clippy::cast_possible_truncation, reason = "clamped to 31 bits, and a cast turns NaN into 0")]
pub(super) const fn round_even(x: f64) -> i32 {
    /// Beside 1.5 * 2^52 a double has no fraction bits, so the addition itself rounds, and rounds halves to
    /// even.
    const NO_FRACTION: f64 = 6_755_399_441_055_744.0;
    const LIMIT: f64 = (1_u32 << 30) as f64;
    (x.clamp(-LIMIT, LIMIT) + NO_FRACTION - NO_FRACTION) as i32
}

/// Two to the power of `n`, for exponents of normal doubles (-1022 to 1023).
pub(super) const fn pow2(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as i64).cast_unsigned() << 52)
}

/// The square root, correctly rounded; NaN for negative numbers.
///
/// The significand is widened until its integer root holds two bits more than a double; what the root leaves
/// over goes into the last of them, and the conversion to `f64` rounds once.
pub const fn sqrt(x: f64) -> f64 {
    const EXPONENT_BIAS: i32 = 1075;
    const HIDDEN: u64 = 1 << 52;
    if x.is_nan() || x == 0.0 || x == f64::INFINITY {
        return x;
    }
    if x < 0.0 {
        return f64::NAN;
    }
    if x < f64::MIN_POSITIVE {
        return sqrt(x * pow2(108)) * pow2(-54);
    }
    let bits = x.to_bits();
    // x = significand * 2^exponent, with an even exponent.
    let mut exponent = (bits >> 52) as i32 - EXPONENT_BIAS;
    let mut significand = (bits & (HIDDEN - 1)) | HIDDEN;
    if exponent & 1 != 0 {
        significand <<= 1;
        exponent -= 1;
    }
    let wide = (significand as u128) << 56;
    let root = wide.isqrt();
    let inexact = (root * root != wide) as u64;
    #[expect(clippy::cast_possible_truncation, reason = "the root of 110 bits has 55")]
    let root = root as u64 | inexact;
    root as f64 * pow2((exponent - 56) / 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_to_the_even_neighbour() {
        let cases =
            [(0.5, 0), (1.5, 2), (2.5, 2), (-0.5, 0), (-1.5, -2), (-2.5, -2), (0.500_000_01, 1), (-7.6, -8)];
        for (x, want) in cases {
            assert_eq!(round_even(x), want, "{x}");
        }
        assert_eq!(round_even(f64::NAN), 0);
        assert_eq!(round_even(f64::INFINITY), 1 << 30);
        assert_eq!(round_even(f64::MIN), -(1 << 30));
    }

    #[test]
    fn powers_of_two() {
        for n in -1022..=1023 {
            assert_eq!(pow2(n), 2_f64.powi(n));
        }
    }

    #[test]
    fn square_roots_at_the_edges() {
        let edges = [
            0.0,
            -0.0,
            1.0,
            2.0,
            4.0,
            f64::MAX,
            f64::MIN_POSITIVE,
            f64::from_bits(1),
            f64::from_bits(3),
            f64::from_bits(0x000f_ffff_ffff_ffff),
            1.0 - f64::EPSILON,
            1.0 + f64::EPSILON,
            f64::INFINITY,
        ];
        for x in edges {
            assert_eq!(sqrt(x).to_bits(), x.sqrt().to_bits(), "{x:e}");
        }
        assert!(sqrt(-1.0).is_nan() && sqrt(f64::NAN).is_nan());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn square_roots_are_correctly_rounded(bits: u64) {
            let x = f64::from_bits(bits & !(1 << 63));
            prop_assume!(!x.is_nan());
            prop_assert_eq!(sqrt(x).to_bits(), x.sqrt().to_bits());
        }

        #[test]
        fn square_roots_of_integers_and_of_floats(n: u32, x: f32) {
            prop_assert_eq!(sqrt(f64::from(n)).to_bits(), f64::from(n).sqrt().to_bits());
            let (x, exact) = (x.abs(), f64::from(x.abs()).sqrt());
            prop_assert_eq!(sqrt(f64::from(x)).to_bits(), exact.to_bits());
        }

        #[test]
        fn rounding_agrees_with_std(x in -1e6_f64..1e6) {
            prop_assert_eq!(f64::from(round_even(x)), x.round_ties_even());
        }
    }
}

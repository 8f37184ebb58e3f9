//! Rounding and powers of two without `std`.

use crate::bits::BitField;

/// `field` of `word`, read as two's complement.
#[expect(clippy::cast_possible_truncation, reason = "no field here is wider than 16 bits")]
pub(super) const fn signed(word: u32, field: BitField) -> i16 {
    field.get_signed(word as u64) as i16
}

/// `field` of `word`.
#[expect(clippy::cast_possible_truncation, reason = "the field is inside a 32-bit word")]
pub(super) const fn unsigned(word: u32, field: BitField) -> u32 {
    field.get(word as u64) as u32
}

/// Returns `word` with the low bits of `value` in `field`.
#[expect(clippy::cast_possible_truncation, reason = "the field is inside a 32-bit word")]
pub(super) const fn set_field(word: u32, field: BitField, value: i32) -> u32 {
    field.set_in(word as u64, value.cast_unsigned() as u64) as u32
}

/// Rounds to the nearest integer, ties to even. Saturates at ±2^30; NaN gives 0.
#[expect(clippy::cast_possible_truncation, reason = "clamped to 31 bits, and a cast turns NaN into 0")]
pub(super) const fn round_even(x: f64) -> i32 {
    /// At 1.5 * 2^52 a double has no fraction bits, so the addition itself rounds, ties to even.
    const NO_FRACTION: f64 = 6_755_399_441_055_744.0;
    const LIMIT: f64 = (1_u32 << 30) as f64;
    (x.clamp(-LIMIT, LIMIT) + NO_FRACTION - NO_FRACTION) as i32
}

/// Two to the power of `n`, for exponents of normal doubles (-1022 to 1023).
pub(super) const fn pow2(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as i64).cast_unsigned() << 52)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
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

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        #[test]
        fn rounding_agrees_with_std(x in -1e6_f64..1e6) {
            prop_assert_eq!(f64::from(round_even(x)), x.round_ties_even());
        }
    }
}

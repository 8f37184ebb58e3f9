//! Rotations as four F8A parts.

use super::f8a::F8A;
use crate::math::sqrt;
use core::fmt;

/// A rotation quaternion of BGBTech's mesh description: [`F8A`] parts I, J, K, R in bits 7..0, 15..8, 23..16
/// and 31..24. Decoding normalises it, so words with proportional parts mean the same rotation.
///
/// Formats may give the words 0 and 0xFFFFFFFF special meanings. Here they are ordinary values, and encoding
/// never returns either.
///
/// ```
/// use meshwright_core::num::QuatF8;
/// assert_eq!(QuatF8::from_bits(0x7000_0000), QuatF8::IDENTITY);
/// assert_eq!(QuatF8::from_bits(0x7f7f_7f7f).decode(), [0.5; 4]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct QuatF8(u32);

/// The number of lengths tried for the largest part, evenly spread over one octave down from the largest
/// F8A.
const SCALES: u32 = 96;
/// 2^(-1/96)
const RATIO: f64 = 0.992_805_720_491_269_1;
/// Significands of F8A with the exponent 7, its highest octave.
const TOP_OCTAVE: core::ops::RangeInclusive<u32> = 16..=31;

impl QuatF8 {
    /// The identity rotation: `[0, 0, 0, 1]`.
    pub const IDENTITY: Self = Self::from_parts([F8A::ZERO, F8A::ZERO, F8A::ZERO, F8A::ONE]);

    /// Returns the quaternion with these bits.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Returns the quaternion with the parts I, J, K, R.
    pub const fn from_parts([i, j, k, r]: [F8A; 4]) -> Self {
        Self(u32::from_le_bytes([i.to_bits(), j.to_bits(), k.to_bits(), r.to_bits()]))
    }

    /// Returns the parts I, J, K, R.
    pub const fn parts(self) -> [F8A; 4] {
        let [i, j, k, r] = self.0.to_le_bytes();
        [F8A::from_bits(i), F8A::from_bits(j), F8A::from_bits(k), F8A::from_bits(r)]
    }

    /// Returns the parts as stored, not normalised.
    pub fn decode_raw(self) -> [f32; 4] {
        self.parts().map(F8A::decode)
    }

    /// Returns the unit quaternion x, y, z, w; the identity if all parts are zero.
    ///
    /// Each part is the float nearest to the exact quotient, so that words with proportional parts decode to
    /// the same floats. Negative zero keeps its sign.
    pub fn decode(self) -> [f32; 4] {
        let parts = self.decode_raw().map(f64::from);
        // The parts are twelve-bit integers over 2048, so the sum of squares is exact.
        let square: f64 = parts.iter().map(|p| p * p).sum();
        if square == 0.0 {
            return [0.0, 0.0, 0.0, 1.0];
        }
        let length = sqrt(square);
        parts.map(|p| nearest_f32(p / length))
    }

    /// Returns a word close to the direction of `value`, x, y, z, w, which need not have unit length.
    ///
    /// F8A is finer or coarser depending on where parts fall in their octaves, and decoding normalises, so
    /// the length is free to choose. The unit quaternion is tried first. Then 96 lengths are tried, from the
    /// one that makes the largest part 1.9375 down over one octave, each with parts rounded as
    /// [`F8A::encode`] does. The word with the least angle to `value` wins, the first among equals; angles
    /// are compared in integers. Several words may be proportional to the winner. The result is the one that
    /// its own unit quaternion rounds to, or else the longest.
    ///
    /// A part that is `-0.0` stays so. The result is the identity if all parts are zero or one is not
    /// finite.
    pub fn encode(value: [f32; 4]) -> Self {
        let wide = value.map(f64::from);
        let largest = wide.iter().fold(0.0_f64, |m, p| m.max(p.abs()));
        if largest == 0.0 || !value.iter().all(|p| p.is_finite()) {
            return Self::IDENTITY;
        }
        let shape = wide.map(|p| p.abs() / largest);
        let target = shape.map(fixed);
        let mut best = Magnitudes::of_unit(shape);
        let mut top = f64::from(F8A::MAX.decode());
        for _ in 0..SCALES {
            let candidate = Magnitudes::round_scaled(shape, top);
            if candidate.is_nearer(&best, target) {
                best = candidate;
            }
            top *= RATIO;
        }
        let units = best.canonical().0;
        let mut parts = [F8A::ZERO; 4];
        for (part, (units, original)) in parts.iter_mut().zip(units.into_iter().zip(value)) {
            // As in F8A, a number that rounds to zero becomes positive zero.
            let negative = original.is_sign_negative() && (units != 0 || original == 0.0);
            *part = F8A::from_units(units).unwrap_or_default().with_sign(negative);
        }
        Self::from_parts(parts)
    }

    /// Returns true if `encode(value)` decodes to `value`, bit for bit; only unit quaternions can be exact.
    pub fn is_exact(value: [f32; 4]) -> bool {
        Self::encode(value).decode().map(f32::to_bits) == value.map(f32::to_bits)
    }

    /// Returns whether [`encode`](Self::encode) of the decoded value gives this word again.
    ///
    /// It is false for the word of zero length, and for most words that the original tool writes, because it
    /// uses other lengths. To preserve a file, keep its words.
    pub fn is_canonical(self) -> bool {
        Self::encode(self.decode()) == self
    }
}

/// Absolute values of the parts in steps of 1/2048. F8A has each of them; not all are zero.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Magnitudes([u32; 4]);

impl Magnitudes {
    /// Rounds `shape`, whose largest part is 1, scaled such that its largest part is `top`.
    fn round_scaled(shape: [f64; 4], top: f64) -> Self {
        Self(shape.map(|p| F8A::encode(nearest_f32(p * top)).units()))
    }

    /// Rounds `shape` scaled to unit length.
    fn of_unit(shape: [f64; 4]) -> Self {
        let square: f64 = shape.iter().map(|p| p * p).sum();
        Self::round_scaled(shape, 1.0 / sqrt(square))
    }

    /// Returns whether the angle to `target` is smaller than that of `other`. It compares squared cosines,
    /// multiplied out. `target` has at most 30 bits, so that the products fit 114 bits.
    fn is_nearer(&self, other: &Self, target: [u64; 4]) -> bool {
        let dot = |m: &Self| -> u128 {
            let dot: u64 = m.0.iter().zip(target).map(|(m, t)| u64::from(*m) * t).sum();
            u128::from(dot) * u128::from(dot)
        };
        let square = |m: &Self| -> u128 { m.0.iter().map(|m| u128::from(m * m)).sum() };
        dot(self) * square(other) > dot(other) * square(self)
    }

    fn largest(&self) -> u32 {
        self.0.iter().fold(1, |m, p| m.max(*p))
    }

    fn is_proportional(&self, other: &Self) -> bool {
        let (a, b) = (self.largest(), other.largest());
        self.0.iter().zip(other.0).all(|(p, q)| p * b == q * a)
    }

    /// Returns the one of all proportional words that the encoder uses.
    fn canonical(self) -> Self {
        let largest = self.largest();
        let unit = Self::of_unit(self.0.map(|p| f64::from(p) / f64::from(largest)));
        if unit.is_proportional(&self) {
            return unit;
        }
        let stretched = |top: u32| {
            let mut parts = [0; 4];
            for (part, old) in parts.iter_mut().zip(self.0) {
                let product = old * top;
                *part = product / largest;
                if !product.is_multiple_of(largest) || F8A::from_units(*part).is_none() {
                    return None;
                }
            }
            Some(Self(parts))
        };
        // All exponents can be raised together, so one word has its largest part in the highest octave.
        TOP_OCTAVE.rev().find_map(|significand| stretched(significand << 7)).unwrap_or(self)
    }
}

/// Converts a number from 0 to 1 to steps of 2^-30.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 2^30")]
fn fixed(x: f64) -> u64 {
    (x * f64::from(1 << 30) + 0.5) as u64
}

#[expect(clippy::cast_possible_truncation, reason = "rounding to f32 is the purpose")]
fn nearest_f32(x: f64) -> f32 {
    x as f32
}

impl fmt::Debug for QuatF8 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "QuatF8({:#010x} = {:?})", self.0, self.decode_raw())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn bits(q: [f32; 4]) -> [u32; 4] {
        q.map(f32::to_bits)
    }

    /// Returns the angle in degrees between two rotations given as quaternions of the same sign.
    fn angle(a: [f32; 4], b: [f32; 4]) -> f64 {
        let (a, b) = (a.map(f64::from), b.map(f64::from));
        let length = |q: [f64; 4]| q.iter().map(|p| p * p).sum::<f64>().sqrt();
        let distance: f64 =
            a.iter().zip(b).map(|(p, q)| (p / length(a) - q / length(b)).powi(2)).sum::<f64>().sqrt();
        4.0 * (distance / 2.0).asin().to_degrees()
    }

    fn check_word(word: u32) {
        let word = QuatF8::from_bits(word);
        let value = word.decode();
        let again = QuatF8::encode(value);
        assert_eq!(bits(again.decode()), bits(value), "{word:?} {again:?}");
        assert!(again.is_canonical(), "{word:?} {again:?}");
        assert!(QuatF8::is_exact(value));
        assert!(again.to_bits() != 0 && again.to_bits() != u32::MAX);
    }

    #[test]
    fn parts_and_bits() {
        let word = QuatF8::from_bits(0x0403_e201);
        assert_eq!(word.parts().map(F8A::to_bits), [0x01, 0xe2, 0x03, 0x04]);
        assert_eq!(QuatF8::from_parts(word.parts()), word);
        assert_eq!(word.decode_raw()[1], -0.5625);
        assert_eq!(QuatF8::IDENTITY.to_bits(), 0x7000_0000);
        assert_eq!(std::format!("{:?}", QuatF8::IDENTITY), "QuatF8(0x70000000 = [0.0, 0.0, 0.0, 1.0])");
    }

    #[test]
    fn lengths_that_are_nothing() {
        for word in [0, 0x8080_8080, 0x8000_0000] {
            assert_eq!(QuatF8::from_bits(word).decode(), [0.0, 0.0, 0.0, 1.0]);
            assert!(!QuatF8::from_bits(word).is_canonical());
        }
        for value in [[0.0; 4], [-0.0; 4], [f32::NAN, 0.0, 0.0, 1.0], [f32::INFINITY, 0.0, 0.0, 1.0]] {
            assert_eq!(QuatF8::encode(value), QuatF8::IDENTITY);
        }
    }

    #[test]
    fn any_length_encodes_alike() {
        let q = [0.1_f32, -0.2, 0.3, 0.927];
        for scale in [f32::MAX, 1e30, 3.0, 1e-20] {
            assert_eq!(QuatF8::encode(q.map(|p| p * scale)), QuatF8::encode(q));
        }
        assert_eq!(QuatF8::encode([f32::from_bits(1); 4]).to_bits(), 0x6060_6060);
    }

    #[test]
    fn negative_zero_stays() {
        let word = QuatF8::from_bits(0x7080_0080);
        assert_eq!(bits(word.decode()), bits([-0.0, 0.0, -0.0, 1.0]));
        assert_eq!(QuatF8::encode(word.decode()), word);
        assert_eq!(QuatF8::encode([-1e-6, 0.0, 0.0, 1.0]), QuatF8::IDENTITY);
    }

    #[test]
    fn words_of_equal_and_extreme_parts() {
        let edges = [0x00, 0x01, 0x0f, 0x10, 0x1f, 0x60, 0x6f, 0x70, 0x71, 0x7f, 0x80, 0x81, 0xf0, 0xff];
        for (i, j, r) in edges.iter().flat_map(|i| edges.iter().flat_map(move |j| edges.map(|r| (*i, *j, r))))
        {
            check_word(u32::from_le_bytes([i, j, i, r]));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn every_word_keeps_its_value(word: u32) {
            check_word(word);
        }

        #[test]
        fn proportional_words_decode_alike(codes in [0..0x80_u8, 0..0x80_u8, 0..0x80_u8, 0..0x80_u8]) {
            let magnitudes = Magnitudes(codes.map(|c| F8A::from_bits(c).units()));
            prop_assume!(magnitudes.0 != [0; 4]);
            let word = |m: Magnitudes| QuatF8::from_parts(m.0.map(|u| F8A::from_units(u).unwrap()));
            let canonical = magnitudes.canonical();
            prop_assert!(canonical.is_proportional(&magnitudes));
            prop_assert_eq!(bits(word(canonical).decode()), bits(word(magnitudes).decode()));
            prop_assert!(canonical.canonical() == canonical);
        }

        #[test]
        fn encoding_errs_by_about_a_degree_at_most(value: [i16; 4]) {
            let value = value.map(f32::from);
            prop_assume!(value != [0.0; 4]);
            let word = QuatF8::encode(value);
            prop_assert!(angle(word.decode(), value) < 1.1);
            let length = value.iter().map(|p| p * p).sum::<f32>().sqrt();
            let plain = QuatF8::from_parts(value.map(|p| F8A::encode(p / length)));
            prop_assert!(angle(word.decode(), value) <= angle(plain.decode(), value) + 1e-3);
        }
    }
}

//! Three numbers under one exponent.

use super::arith::{pow2, round_even, set_field, signed, unsigned};
use crate::bits::{BitField, tiles};
use core::fmt;

/// Three numbers that share an exponent: positions, translations and scales of BGBTech's mesh description.
///
/// Bits 31..27 are the exponent `e`, 26..18, 17..9 and 8..0 the fractions of Z, Y and X in two's complement. A
/// component is its fraction times `2^(e - 22)`, exact in `f32`. Fractions are not normalised, so several words can
/// mean the same value.
///
/// ```
/// use meshwright_core::num::Se32;
/// let word = Se32::encode([127.5, -1.0, 1.0]);
/// assert_eq!(word.to_bits(), 0xa80bfcff);
/// assert_eq!(word.decode(), [127.5, -1.0, 1.0]);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Se32(u32);

const X: BitField = BitField::new(8, 0);
const Y: BitField = BitField::new(17, 9);
const Z: BitField = BitField::new(26, 18);
const E: BitField = BitField::new(31, 27);
const _: () = assert!(tiles(&[X, Y, Z, E], 32));

const MAX_EXPONENT: i32 = 31;
const FRACTION_MIN: i32 = -256;
const FRACTION_MAX: i32 = 255;
/// The fractions that the original tool writes without raising the exponent.
const USUAL: core::ops::RangeInclusive<i32> = -254..=253;
/// The step at exponent 0 is 2^-STEP.
const STEP: i32 = 22;

impl Se32 {
    /// The least value of a component, -131072.
    pub const MIN_COMPONENT: f32 = -131_072.0;
    /// The greatest value of a component, 130560.
    pub const MAX_COMPONENT: f32 = 130_560.0;

    /// Returns the triple with these bits.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// Returns the bits.
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// Returns the fractions X, Y and Z, -256 to 255.
    pub const fn fractions(self) -> [i16; 3] {
        [signed(self.0, X), signed(self.0, Y), signed(self.0, Z)]
    }

    /// Returns the exponent, 0 to 31.
    #[expect(clippy::cast_possible_truncation, reason = "5 bits")]
    pub const fn exponent(self) -> u8 {
        unsigned(self.0, E) as u8
    }

    /// Returns the components X, Y and Z, exact; a zero is positive.
    #[inline]
    pub const fn decode(self) -> [f32; 3] {
        // 2^(e - 22); the exponent field of a binary32 counts from 2^-127.
        let scale = f32::from_bits((unsigned(self.0, E) + 105) << 23);
        let [x, y, z] = self.fractions();
        [x as f32 * scale, y as f32 * scale, z as f32 * scale]
    }

    /// Returns the word with the least maximum error over the three components.
    ///
    /// At each exponent, fractions are rounded to nearest, ties to even, and clamped to -256..255. Among
    /// words with the same error, one with all fractions in -254..253 (the range that the original tool
    /// uses) wins, then the lowest exponent. Components outside -131072..130560 are clamped and NaN becomes
    /// 0: see [`saturates`](Self::saturates). The result is never 0xFFFFFFFF, which animation streams use to
    /// mark an absent value.
    pub fn encode(value: [f32; 3]) -> Self {
        let value = value.map(|c| {
            if c.is_nan() { 0.0 } else { f64::from(c.clamp(Self::MIN_COMPONENT, Self::MAX_COMPONENT)) }
        });
        let largest = value.iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        // At this exponent the largest component has eight bits before the point. One step above or below
        // can still be the lowest that fits, and one more on either side can win or tie. Further down,
        // clamping errs by 256 steps; further up, the grid only gets coarser.
        let near = (largest.to_bits() >> 52) as i32 - 1023 + STEP - 7;
        let (low, high) = ((near - 2).clamp(0, MAX_EXPONENT), (near + 2).clamp(0, MAX_EXPONENT));
        let mut best = Candidate::encode_with(low, value);
        for exponent in low + 1..=high {
            let candidate = Candidate::encode_with(exponent, value);
            if candidate.beats(&best) {
                best = candidate;
            }
        }
        best.pack()
    }

    /// Returns true if `encode(value)` decodes to numbers equal to `value`.
    pub fn is_exact(value: [f32; 3]) -> bool {
        Self::encode(value).decode() == value
    }

    /// Returns true if some component is outside -131072..130560, or NaN, so that [`encode`](Self::encode) replaces it.
    pub fn saturates(value: [f32; 3]) -> bool {
        !value.iter().all(|c| (Self::MIN_COMPONENT..=Self::MAX_COMPONENT).contains(c))
    }

    /// Returns true if [`encode`](Self::encode) of the decoded value gives this word again.
    ///
    /// This is the case if all fractions are in -254..253 and either the exponent is 0 or doubling them leaves that
    /// range. For other fractions it is the case if some fraction is odd or the exponent is 31.
    pub fn is_canonical(self) -> bool {
        let fractions = self.fractions().map(i32::from);
        if fractions.iter().all(|f| USUAL.contains(f)) {
            self.exponent() == 0 || !fractions.iter().all(|f| USUAL.contains(&(f * 2)))
        } else {
            i32::from(self.exponent()) == MAX_EXPONENT || fractions.iter().any(|f| f & 1 != 0)
        }
    }
}

/// The best fractions for one exponent.
struct Candidate {
    exponent: i32,
    fractions: [i32; 3],
    error: f64,
    usual: bool,
}

impl Candidate {
    /// All arithmetic is exact: scaling is by powers of two, and the difference between a component and its
    /// multiple of the step is a double.
    fn encode_with(exponent: i32, value: [f64; 3]) -> Self {
        let (down, up) = (pow2(STEP - exponent), pow2(exponent - STEP));
        let fractions = value.map(|c| round_even(c * down).clamp(FRACTION_MIN, FRACTION_MAX));
        let error =
            value.iter().zip(fractions).fold(0.0, |m: f64, (c, f)| m.max((c - f64::from(f) * up).abs()));
        Self { exponent, fractions, error, usual: fractions.iter().all(|f| USUAL.contains(f)) }
    }

    /// Returns whether this candidate is better than `other`, whose exponent is lower.
    fn beats(&self, other: &Self) -> bool {
        self.error < other.error || (self.error == other.error && self.usual && !other.usual)
    }

    fn pack(&self) -> Se32 {
        let [x, y, z] = self.fractions;
        Se32(set_field(set_field(set_field(set_field(0, X, x), Y, y), Z, z), E, self.exponent))
    }
}

impl fmt::Debug for Se32 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Se32({:#010x} = {:?})", self.0, self.decode())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    /// Returns the reference implementation: tries all 32 exponents.
    fn exhaustive(value: [f32; 3]) -> Se32 {
        let value = value.map(|c| f64::from(c.clamp(Se32::MIN_COMPONENT, Se32::MAX_COMPONENT)));
        let mut all: std::vec::Vec<_> = (0..32).map(|e| Candidate::encode_with(e, value)).collect();
        all.sort_by(|a, b| a.error.total_cmp(&b.error).then(b.usual.cmp(&a.usual)));
        all[0].pack()
    }

    fn check_word(bits: u32) {
        let word = Se32::from_bits(bits);
        let again = Se32::encode(word.decode());
        assert_eq!(again.decode().map(f32::to_bits), word.decode().map(f32::to_bits), "{word:?}");
        assert_eq!(again == word, word.is_canonical(), "{word:?} {again:?}");
        assert!(again.is_canonical() && again.to_bits() != u32::MAX);
        assert!(Se32::is_exact(word.decode()) && !Se32::saturates(word.decode()));
    }

    #[test]
    fn words_at_the_edges_of_every_exponent() {
        let edges = [-256, -255, -254, -129, -128, -127, -1, 0, 1, 2, 126, 127, 128, 252, 253, 254, 255];
        for e in 0..32 {
            for (x, y) in edges.iter().flat_map(|x| edges.map(|y| (*x, y))) {
                check_word(set_field(set_field(set_field(0, X, x), Z, y), E, e));
            }
        }
    }

    #[test]
    fn saturation_and_the_forbidden_word() {
        assert_eq!(
            Se32::encode([f32::INFINITY, f32::NEG_INFINITY, f32::NAN]).decode(),
            [130560.0, -131072.0, 0.0]
        );
        assert!(Se32::saturates([130561.0, 0.0, 0.0]) && Se32::saturates([f32::NAN, 0.0, 0.0]));
        let no_key = Se32::from_bits(u32::MAX);
        assert!(!no_key.is_canonical());
        assert_eq!(Se32::encode(no_key.decode()).decode(), [-512.0; 3]);
        assert_eq!(Se32::encode([-0.0; 3]).to_bits(), 0);
        assert!(Se32::is_exact([-0.0; 3]));
        assert_eq!(std::format!("{:?}", Se32::encode([1.0, 0.0, 0.0])), "Se32(0x78000080 = [1.0, 0.0, 0.0])");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn every_word_keeps_its_value(bits: u32) {
            check_word(bits);
        }

        #[test]
        fn components_are_fractions_of_the_step(bits: u32) {
            let word = Se32::from_bits(bits);
            let step = 2_f64.powi(i32::from(word.exponent()) - 22);
            for (v, f) in word.decode().iter().zip(word.fractions()) {
                prop_assert_eq!(f64::from(*v), f64::from(f) * step);
            }
        }

        #[test]
        fn five_exponents_are_enough(value: [f32; 3]) {
            prop_assert_eq!(Se32::encode(value), exhaustive(value));
        }

        /// Generates values near the points where fractions overflow, and midpoints between fractions.
        #[test]
        fn five_exponents_are_enough_near_ties(
            halves in [-1100_i16..1100, -1100_i16..1100, -1100_i16..1100],
            e in 0..32,
            up: bool,
        ) {
            let tie = halves.map(|h| f32::from(h) * 2_f32.powi(e - 23));
            let off = tie.map(|v| if up { v.next_up() } else { v.next_down() });
            prop_assert_eq!(Se32::encode(tie), exhaustive(tie));
            prop_assert_eq!(Se32::encode(off), exhaustive(off));
        }
    }
}

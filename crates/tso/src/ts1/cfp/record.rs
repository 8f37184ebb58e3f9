//! The codes of compressed numbers.

use crate::ts1::bcf::Sink;
use meshwright_core::F32;
use meshwright_core::math::narrow1;

/// A code that no reader knows.
pub(crate) const UNDEFINED: u8 = 0xfd;
/// Repeats the last number, once more than the following 16 bits state.
pub(crate) const REPEAT: u8 = 0xfe;
/// The code of a full number: a float follows.
pub(crate) const FULL: u8 = 0xff;
/// The most numbers that three bytes make.
pub(crate) const LONGEST_RUN: u64 = 1 << 16;
/// Codes of steps so small that the game's own files never use them.
pub(crate) const SMALL: core::ops::RangeInclusive<u8> = 120..=132;
/// The code of no step.
const MIDDLE: f64 = 126.0;

/// Returns the value that a code below [`UNDEFINED`] adds to the previous number: a step of the fourth power, rounded to a
/// float.
pub(crate) fn step(code: u8) -> f32 {
    let x = f64::from(code) - MIDDLE;
    narrow1(3.9676e-10 * x * x * x * x.abs())
}

/// One code of a `.cfp`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Code {
    Step(u8),
    Repeat(u64),
    Full(u32),
}

impl Code {
    /// Reads the code at the start of `bytes`; `None` if it is incomplete.
    pub(crate) fn read(bytes: &[u8]) -> Option<(Self, &[u8])> {
        let (&first, rest) = bytes.split_first()?;
        match first {
            REPEAT => {
                let (n, rest) = rest.split_first_chunk::<2>()?;
                Some((Self::Repeat(u64::from(u16::from_le_bytes(*n)).saturating_add(1)), rest))
            }
            FULL => {
                let (bits, rest) = rest.split_first_chunk::<4>()?;
                Some((Self::Full(u32::from_le_bytes(*bits)), rest))
            }
            code => Some((Self::Step(code), rest)),
        }
    }

    /// Returns the number of numbers that it encodes.
    pub(crate) const fn numbers(self) -> u64 {
        match self {
            Self::Repeat(n) => n,
            Self::Step(_) | Self::Full(_) => 1,
        }
    }
}

/// Encodes numbers like the game's own files: without loss, with at most 5 bytes per number.
pub(crate) fn encode(values: &[F32], out: &mut impl Sink) {
    let (mut rest, mut last) = (values, None::<F32>);
    while let Some((&value, behind)) = rest.split_first() {
        let same = rest.iter().take(usize::try_from(LONGEST_RUN).unwrap_or(0));
        let run = same.take_while(|v| Some(v.to_bits()) == last.map(F32::to_bits)).count();
        if run > 0 {
            let more = u16::try_from(run.saturating_sub(1)).unwrap_or(u16::MAX).to_le_bytes();
            out.put_bytes(&[REPEAT]);
            out.put_bytes(&more);
            rest = rest.get(run..).unwrap_or_default();
            continue;
        }
        match last.and_then(|last| code(last, value)) {
            Some(code) => out.put_bytes(&[code]),
            None => {
                out.put_bytes(&[FULL]);
                out.put_bytes(&value.to_bits().to_le_bytes());
            }
        }
        (rest, last) = (behind, Some(value));
    }
}

/// Returns the code of the step that leads from one number to the next, bit for bit.
fn code(last: F32, value: F32) -> Option<u8> {
    let wanted = f64::from(value.get()) - f64::from(last.get());
    let (mut low, mut high) = (0_u8, UNDEFINED.saturating_sub(1));
    if !(f64::from(step(low)) * 1.5..=f64::from(step(high)) * 1.5).contains(&wanted) {
        return None;
    }
    // Steps ascend with their codes.
    while high.saturating_sub(low) > 1 {
        let middle = low.midpoint(high);
        if f64::from(step(middle)) <= wanted { low = middle } else { high = middle }
    }
    let near = [low.saturating_sub(1), low, high, high.saturating_add(1).min(UNDEFINED.saturating_sub(1))];
    let exact = |code: &u8| !SMALL.contains(code) && (last.get() + step(*code)).to_bits() == value.to_bits();
    let off = |code: u8| (f64::from(step(code)) - wanted).abs();
    near.into_iter().filter(exact).min_by(|a, b| off(*a).total_cmp(&off(*b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_reach_a_tenth_both_ways() {
        assert_eq!((step(126), step(0), step(252)), (0.0, -0.100_002_32, 0.100_002_32));
        assert!((0..252).all(|c| step(c) < step(c + 1)));
        assert!(SMALL.clone().all(|c| step(c).abs() < 9.5e-7));
    }
}

//! Breaks files like hostile or half-written ones, deterministically from a seed.

/// A small pseudorandom number generator (SplitMix64). The same seed gives the same numbers.
#[derive(Clone, Debug)]
pub struct Rng(u64);

impl Rng {
    /// Returns a generator for a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next number.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `n`; 0 if `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % (n as u64).max(1)).expect("below a usize")
    }

    /// Returns one of the items.
    ///
    /// # Panics
    /// If `items` is empty.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

/// The maximum size of a mutant. A splice of two large files is smaller.
const MAX_LEN: usize = 4 << 20;

/// Returns `bytes` with one to four changes: cut, bits flipped, fields set to boundary values, blocks moved
/// or repeated, or the rest replaced by that of `other`.
pub fn mutant(bytes: &[u8], other: &[u8], rng: &mut Rng) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..*rng.pick(&[1, 1, 1, 2, 2, 3, 4]) {
        change(&mut out, other, rng);
    }
    out.truncate(MAX_LEN);
    out
}

/// Returns a position. Half of them are in the first bytes, where headers and counts are.
fn position(len: usize, rng: &mut Rng) -> usize {
    match rng.below(4) {
        0 => rng.below(len.min(64)),
        1 => rng.below(len.min(512)),
        _ => rng.below(len),
    }
}

fn change(out: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = position(out.len(), rng);
    match rng.below(16) {
        0 => out.truncate(rng.below(out.len())),
        1 | 2 => {
            if let Some(byte) = out.get_mut(at) {
                *byte ^= 1 << rng.below(8);
            }
        }
        3 => {
            let value = *rng.pick(&[0, 1, 0x7f, 0x80, 0xfe, 0xff]);
            if let Some(byte) = out.get_mut(at) {
                *byte = value;
            }
        }
        4..=8 => {
            // Fields are mostly aligned.
            let at = if rng.below(4) == 0 { at } else { at & !3 };
            let value = word(out, at, rng);
            let value = if rng.below(2) == 0 { value.to_le_bytes() } else { value.to_be_bytes() };
            if let Some(field) = out.get_mut(at..at.saturating_add(4)) {
                field.copy_from_slice(&value);
            }
        }
        9 => {
            let value = *rng.pick(&[0_u16, 1, 0x7fff, 0x8000, 0xfffe, 0xffff]);
            let value = if rng.below(2) == 0 { value.to_le_bytes() } else { value.to_be_bytes() };
            if let Some(field) = out.get_mut(at..at.saturating_add(2)) {
                field.copy_from_slice(&value);
            }
        }
        10 => {
            // Swap two blocks.
            let len = (4 << rng.below(5)).min(out.len() / 2);
            let (a, b) = (rng.below(out.len() - len + 1), rng.below(out.len() - len + 1));
            if a.abs_diff(b) >= len {
                for i in 0..len {
                    out.swap(a + i, b + i);
                }
            }
        }
        11 => {
            // Copy one block over another.
            let len = (4 << rng.below(5)).min(out.len());
            let (from, to) = (rng.below(out.len() - len + 1), rng.below(out.len() - len + 1));
            out.copy_within(from..from + len, to);
        }
        12 => {
            // Repeat a block, which moves everything after it.
            let end = at.saturating_add(4 << rng.below(5)).min(out.len());
            let block = out[at.min(end)..end].to_vec();
            out.splice(at.min(end)..at.min(end), block);
        }
        13 => {
            let end = at.saturating_add(1 << rng.below(7)).min(out.len());
            out.drain(at.min(end)..end);
        }
        14 => {
            out.truncate(at);
            out.extend_from_slice(&other[rng.below(other.len())..]);
        }
        _ => {
            let from = rng.below(other.len());
            let block = &other[from..from.saturating_add(4 << rng.below(5)).min(other.len())];
            let end = at.saturating_add(block.len()).min(out.len());
            if let Some(to) = out.get_mut(at..end) {
                to.copy_from_slice(&block[..to.len()]);
            }
        }
    }
}

/// Returns a boundary value for the field at `at`: a special number, a size of the file, or a word from
/// elsewhere in it.
fn word(bytes: &[u8], at: usize, rng: &mut Rng) -> u32 {
    let read = |at: usize, rng: &mut Rng| {
        let field: [u8; 4] =
            bytes.get(at..at.saturating_add(4)).and_then(|f| f.try_into().ok()).unwrap_or_default();
        if rng.below(2) == 0 { u32::from_le_bytes(field) } else { u32::from_be_bytes(field) }
    };
    let len = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    match rng.below(8) {
        0 => *rng.pick(&[0, 1, 2, 3, u32::MAX, u32::MAX - 1]),
        1 => *rng.pick(&[0x7fff_ffff, 0x8000_0000, 0x8000_0001, 0x7fff_fffe, 0x4000_0000, 0x5555_5556]),
        2 => *rng.pick(&[len, len.wrapping_add(1), len.wrapping_sub(1), len / 2, len / 4]),
        3 => *rng.pick(&[0x100, 0xff, 0x1_0000, 0xffff, 0x00ff_ffff, 0x0100_0000]),
        // Infinity, NaN, the largest and the smallest number, -0.
        4 => *rng.pick(&[0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f7f_ffff, 1, 0x8000_0000, 0x7f80_0001]),
        5 => read(rng.below(bytes.len()) & !3, rng),
        6 => read(at, rng).wrapping_add(*rng.pick(&[1, 2, 4, u32::MAX, u32::MAX - 3])),
        _ => u32::try_from(rng.below(bytes.len())).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_mutants_again() {
        let file: Vec<u8> = (0..200).collect();
        let made = |seed| (0..50).scan(Rng::new(seed), |rng, _| Some(mutant(&file, b"other", rng))).collect();
        let (first, again, other): (Vec<_>, Vec<_>, Vec<_>) = (made(1), made(1), made(2));
        assert_eq!(first, again);
        assert_ne!(first, other);
        assert!(first.iter().filter(|m| **m == file).count() < 10);
    }

    #[test]
    fn tiny_and_empty_files_have_mutants() {
        let mut rng = Rng::new(7);
        for n in 0..2000 {
            let _ = mutant(&vec![1; n % 9], &vec![2; n % 3], &mut rng);
        }
    }
}

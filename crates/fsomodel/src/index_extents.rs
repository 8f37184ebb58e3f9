//! Finds the lowest and highest index of any range. Thousands of ranges over the same indices cost little
//! more than reading the indices once.

use crate::view::Indices;
use alloc::vec::Vec;

/// The number of indices in a block.
const BLOCK: usize = 256;

type Extent = Option<(u32, u32)>;

fn join(a: Extent, b: Extent) -> Extent {
    match (a, b) {
        (Some((al, ah)), Some((bl, bh))) => Some((al.min(bl), ah.max(bh))),
        (one, None) | (None, one) => one,
    }
}

/// The extents of blocks of indices, then of pairs of blocks, of pairs of pairs, and so on.
#[derive(Debug)]
pub(crate) struct Extents<'s> {
    indices: Indices<'s>,
    levels: Vec<Vec<(u32, u32)>>,
}

impl<'s> Extents<'s> {
    /// Returns the memory for the extents of `indices` indices.
    pub(crate) const fn memory(indices: usize) -> u64 {
        (indices.div_ceil(BLOCK) as u64).saturating_mul(2).saturating_mul(size_of::<(u32, u32)>() as u64)
    }

    /// Computes the extents in one pass over the indices.
    pub(crate) fn new(indices: Indices<'s>) -> Self {
        let mut levels = Vec::from([indices.extents(BLOCK)]);
        while let Some(below) = levels.last().filter(|l| l.len() > 1) {
            let pair = |p: &[(u32, u32)]| p.iter().fold((u32::MAX, 0), |(l, h), e| (l.min(e.0), h.max(e.1)));
            let level = below.chunks(2).map(pair).collect();
            levels.push(level);
        }
        Self { indices, levels }
    }

    /// Returns the extent of the indices from `start` to before `end`. Both must be within the indices.
    pub(crate) fn between(&self, start: usize, end: usize) -> Extent {
        let end = end.min(self.indices.len());
        if start >= end {
            return None;
        }
        let (mut low, mut high) = (start.div_ceil(BLOCK), end / BLOCK);
        if low >= high {
            return self.indices.slice(start, end).extent();
        }
        let before = self.indices.slice(start, low.saturating_mul(BLOCK)).extent();
        let after = self.indices.slice(high.saturating_mul(BLOCK), end).extent();
        let mut found = join(before, after);
        for level in &self.levels {
            if low >= high {
                break;
            }
            if low % 2 == 1 {
                found = join(found, level.get(low).copied());
                low = low.saturating_add(1);
            }
            if high % 2 == 1 {
                high = high.saturating_sub(1);
                found = join(found, level.get(high).copied());
            }
            low /= 2;
            high /= 2;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_range_is_what_a_scan_finds(
            indices in proptest::collection::vec(any::<u32>(), 0..3000),
            cuts in proptest::collection::vec((0_usize..3100, 0_usize..3100), 1..20),
            wide: bool,
        ) {
            let dialect = if wide { Dialect::Seed44 } else { Dialect::Gl3 };
            let bytes: Vec<u8> = indices.iter().flat_map(|i| i.to_le_bytes()).collect();
            let view = Indices::new(&bytes, dialect);
            let all: Vec<_> = view.iter().collect();
            let extents = Extents::new(view);
            for (a, b) in cuts {
                let part = all.get(a.min(all.len())..b.min(all.len())).unwrap_or_default();
                let scan = part.iter().min().copied().zip(part.iter().max().copied());
                prop_assert_eq!(extents.between(a, b), scan);
            }
        }
    }
}

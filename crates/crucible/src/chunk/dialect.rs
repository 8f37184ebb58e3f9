//! Detects the dialect of a chunk from the sizes of its streams.

use crate::chunk::model::Chunk;
use crate::chunk::record::{Attribute, AttributeFlag, Dialect};
use crate::chunk::rules::structure::{Flags, Places, check_streams};
use crate::chunk::stream_sizes::StreamSizes;
use alloc::vec::Vec;
use meshwright_core::{FieldPath, Findings};

/// Checks the streams by the rules of a dialect. Returns `None` if the findings end the check at the first
/// broken rule.
fn check(sizes: &StreamSizes, dialect: Dialect, mut findings: Findings) -> Option<Findings> {
    check_streams(sizes, dialect, Flags::Unchecked, &FieldPath::ROOT, &Places::NONE, &mut findings).ok()?;
    Some(findings)
}

/// Returns the dialects that the sizes fit, in order of preference. If no stream means the same in every
/// dialect, the number of vertices is unknown. Then a dialect is ruled out if vertex `highest` would not
/// exist, as long as another dialect remains.
pub(crate) fn candidates(sizes: &StreamSizes, highest: Option<u32>) -> Vec<Dialect> {
    let fits = |d: &Dialect| check(sizes, *d, Findings::writing()).is_some();
    let mut fitting: Vec<_> = Dialect::ALL.into_iter().filter(fits).collect();
    let is_common = |flag: AttributeFlag| flag.0 & AttributeFlag::COMMON != 0;
    if fitting.len() > 1 && !sizes.streams.iter().any(|s| is_common(s.0)) {
        let holds = |d: &Dialect| highest.is_none_or(|h| u64::from(h) < sizes.vertices(*d));
        if fitting.iter().any(holds) {
            fitting.retain(holds);
        }
    }
    fitting
}

/// Returns the dialect to check a chunk by: the preferred one of those that fit. If none fits, it is the one
/// that the flags suggest, or else the one with the fewest broken rules, so that a lenient reader finds the
/// streams.
pub(crate) fn decide(sizes: &StreamSizes, highest: Option<u32>) -> Dialect {
    if let Some(dialect) = candidates(sizes, highest).first() {
        return *dialect;
    }
    let tangent = Attribute::BoneWeights.flag(Dialect::Tangent);
    if sizes.streams.iter().any(|(flag, _)| Some(*flag) == tangent) {
        return Dialect::Tangent;
    }
    let broken = |d: &Dialect| -> u64 {
        let report = check(sizes, *d, Findings::validating()).map(Findings::into_report);
        report.map_or(u64::MAX, |r| r.totals().map(|t| t.2).sum())
    };
    Dialect::ALL.into_iter().min_by_key(broken).unwrap_or_default()
}

/// Returns the dialects that the sizes fit and that would read the chunk's vertices differently.
pub(crate) fn rivals(sizes: &StreamSizes, highest: Option<u32>) -> Vec<Dialect> {
    let candidates = candidates(sizes, highest);
    let meaning = |d: Dialect| -> Vec<_> {
        let size = |a: Attribute| (a, a.size(d));
        sizes.streams.iter().map(|(flag, _)| flag.attribute(d).map(size)).collect()
    };
    let differ = candidates.windows(2).any(|w| matches!(w, [a, b] if meaning(*a) != meaning(*b)));
    if differ && sizes.streams.iter().any(|(_, size)| *size > 0) { candidates } else { Vec::new() }
}

impl Chunk<'_> {
    /// Returns the dialects that the chunk's sizes fit, in order of preference.
    pub fn candidates(&self) -> Vec<Dialect> {
        candidates(&StreamSizes::new(self), self.indices().highest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::record::IndexSize;

    fn sizes(streams: &[(u16, u64)]) -> StreamSizes {
        let streams = streams.iter().map(|&(f, s)| (AttributeFlag(f), s)).collect();
        StreamSizes { index_size: IndexSize::U16, index_bytes: 6, streams }
    }

    /// Tests every combination of every dialect's attributes, as engines write them for 24 vertices.
    #[test]
    fn all_combinations_are_distinguished() {
        for dialect in Dialect::ALL {
            let known: Vec<_> = Attribute::ALL.into_iter().filter(|a| a.flag(dialect).is_some()).collect();
            for set in 1_u32..1 << known.len() {
                let of = |a: &Attribute| (a.flag(dialect).unwrap().0, 24 * a.size(dialect) as u64);
                let streams: Vec<_> =
                    known.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, a)| of(a)).collect();
                let sizes = sizes(&streams);
                let decided = decide(&sizes, Some(23));
                let meaning = |d| streams.iter().map(|s| AttributeFlag(s.0).attribute(d)).collect::<Vec<_>>();
                let same = meaning(decided) == meaning(dialect)
                    && streams
                        .iter()
                        .all(|s| StreamSizes::count((AttributeFlag(s.0), s.1), decided) == Some(24));
                let lone = streams.len() == 1 && streams[0].0 & AttributeFlag::COMMON == 0;
                assert!(same || lone, "{dialect} {streams:?} read as {decided}");
                assert!(same || !rivals(&sizes, Some(23)).is_empty(), "{dialect} {streams:?}: not reported");
            }
        }
    }

    #[test]
    fn the_highest_index_can_decide() {
        // 288 bytes at bit 4 are 24 tangents or 72 colours.
        let lone = sizes(&[(0x10, 288)]);
        assert_eq!(candidates(&lone, None), Dialect::ALL);
        assert_eq!(candidates(&lone, Some(30)), [Dialect::Seed, Dialect::Bone32]);
        assert!(rivals(&lone, Some(30)).is_empty());
        assert_eq!(rivals(&lone, Some(23)), Dialect::ALL);
        assert_eq!(decide(&lone, Some(500)), Dialect::Seed);
    }

    #[test]
    fn common_attributes_need_no_decision() {
        assert!(rivals(&sizes(&[(1, 36), (4, 36), (8, 24)]), Some(2)).is_empty());
        assert!(rivals(&sizes(&[]), None).is_empty());
    }
}

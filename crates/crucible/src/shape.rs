//! What the sizes and flags of a chunk must be, whoever asks: reader, validator or writer.

use crate::model::Chunk;
use crate::packed::{Attribute, AttributeFlag, Dialect, IndexSize};
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

/// The sizes and flags of a chunk, without its bytes.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) index_size: IndexSize,
    pub(crate) index_bytes: u64,
    pub(crate) streams: Vec<(AttributeFlag, u64)>,
}

/// Which part of a chunk breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Indices,
    Stream(usize),
}

/// A broken rule.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) code: &'static str,
    pub(crate) place: Place,
    /// The header field at fault.
    pub(crate) field: &'static str,
    pub(crate) message: Cow<'static, str>,
}

impl Shape {
    pub(crate) fn of(chunk: &Chunk<'_>) -> Self {
        Self {
            index_size: chunk.index_size,
            index_bytes: chunk.indices.data().len() as u64,
            streams: chunk.streams.iter().map(|s| (s.flag, s.stream.data().len() as u64)).collect(),
        }
    }

    /// How many vertices a stream holds in a dialect.
    fn count(&self, (flag, size): (AttributeFlag, u64), dialect: Dialect) -> Option<u64> {
        size.checked_div(flag.attribute(dialect)?.size(dialect) as u64)
    }

    /// How many vertices the chunk has in a dialect: those of the first stream that it knows.
    pub(crate) fn vertices(&self, dialect: Dialect) -> u64 {
        self.streams.iter().find_map(|s| self.count(*s, dialect)).unwrap_or(0)
    }

    /// Reports every broken rule to `on` until that answers an error.
    pub(crate) fn check<E>(
        &self,
        dialect: Dialect,
        mut on: impl FnMut(Broken) -> Result<(), E>,
    ) -> Result<(), E> {
        let width = self.index_size.bytes();
        if !self.index_bytes.is_multiple_of(width as u64) {
            let message = format!("{} bytes are no whole number of {width}-byte indices", self.index_bytes);
            on(Broken { code: "StreamSize", place: Place::Indices, field: "size", message: message.into() })?;
        }
        let (mut seen, mut first): (u16, Option<(usize, u64)>) = (0, None);
        for (i, &(flag, size)) in self.streams.iter().enumerate() {
            let mut tell = |code, field, message: alloc::string::String| {
                on(Broken { code, place: Place::Stream(i), field, message: message.into() })
            };
            if !flag.is_single() {
                tell("AttributeFlag", "flag", format!("flag {flag} is not one bit"))?;
                continue;
            }
            if seen & flag.0 != 0 {
                tell("DuplicateAttribute", "flag", format!("a second stream of flag {flag}"))?;
            }
            seen |= flag.0;
            let Some(attribute) = flag.attribute(dialect) else {
                tell("ReservedFlag", "flag", format!("flag {flag} is reserved in dialect {dialect}"))?;
                continue;
            };
            let (each, name) = (attribute.size(dialect) as u64, attribute.name());
            if !size.is_multiple_of(each) {
                tell(
                    "StreamSize",
                    "size",
                    format!("{size} bytes are no whole number of {each}-byte {name}"),
                )?;
            }
            let count = size.checked_div(each).unwrap_or(0);
            match first {
                None => first = Some((i, count)),
                Some((j, n)) if n != count => {
                    let message = format!("{count} vertices, streams[{j}] has {n}");
                    tell("VertexCount", "size", message)?;
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn fits(&self, dialect: Dialect) -> bool {
        self.check(dialect, |broken| if broken.place == Place::Indices { Ok(()) } else { Err(()) }).is_ok()
    }

    /// True when a stream means the same in every dialect, so that the number of vertices is known.
    fn is_anchored(&self) -> bool {
        self.streams.iter().any(|(flag, _)| flag.0 & AttributeFlag::COMMON != 0)
    }

    /// The dialects that the sizes fit, in order of preference. Where no stream tells the number of vertices,
    /// those that leave `highest` without a vertex are ruled out as long as another remains.
    pub(crate) fn candidates(&self, highest: Option<u32>) -> Vec<Dialect> {
        let mut fitting: Vec<_> = Dialect::ALL.into_iter().filter(|d| self.fits(*d)).collect();
        if fitting.len() > 1 && !self.is_anchored() {
            let holds = |d: &Dialect| highest.is_none_or(|h| u64::from(h) < self.vertices(*d));
            if fitting.iter().any(holds) {
                fitting.retain(holds);
            }
        }
        fitting
    }

    /// The dialect to judge a chunk by: the preferred one of those that fit. Where none fits, the one that its flags
    /// suggest, else that which breaks the fewest rules, so that a lenient reader finds the streams in their places.
    pub(crate) fn decide(&self, highest: Option<u32>) -> Dialect {
        if let Some(dialect) = self.candidates(highest).first() {
            return *dialect;
        }
        let tangent = Attribute::BoneWeights.flag(Dialect::Tangent);
        if self.streams.iter().any(|(flag, _)| Some(*flag) == tangent) {
            return Dialect::Tangent;
        }
        Dialect::ALL.into_iter().min_by_key(|d| self.faults(*d)).unwrap_or_default()
    }

    /// How many rules of a dialect are broken.
    fn faults(&self, dialect: Dialect) -> usize {
        let mut faults = 0_usize;
        let walked = self.check(dialect, |_| {
            faults = faults.saturating_add(1);
            Ok::<_, ()>(())
        });
        debug_assert!(walked.is_ok());
        faults
    }

    /// The dialects that the sizes fit and that would read the chunk's vertices differently.
    pub(crate) fn rivals(&self, highest: Option<u32>) -> Vec<Dialect> {
        let candidates = self.candidates(highest);
        let meaning = |d: Dialect| -> Vec<_> {
            let size = |a: Attribute| (a, a.size(d));
            self.streams.iter().map(|(flag, _)| flag.attribute(d).map(size)).collect()
        };
        let differ = candidates.windows(2).any(|w| matches!(w, [a, b] if meaning(*a) != meaning(*b)));
        if differ && self.streams.iter().any(|(_, size)| *size > 0) { candidates } else { Vec::new() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(streams: &[(u16, u64)]) -> Shape {
        let streams = streams.iter().map(|&(f, s)| (AttributeFlag(f), s)).collect();
        Shape { index_size: IndexSize::U16, index_bytes: 6, streams }
    }

    /// Every combination of every dialect's attributes, as engines write them for 24 vertices.
    #[test]
    fn all_combinations_are_told_apart() {
        for dialect in Dialect::ALL {
            let known: Vec<_> = Attribute::ALL.into_iter().filter(|a| a.flag(dialect).is_some()).collect();
            for set in 1_u32..1 << known.len() {
                let of = |a: &Attribute| (a.flag(dialect).unwrap().0, 24 * a.size(dialect) as u64);
                let streams: Vec<_> =
                    known.iter().enumerate().filter(|(i, _)| set >> i & 1 == 1).map(|(_, a)| of(a)).collect();
                let shape = shape(&streams);
                let decided = shape.decide(Some(23));
                let meaning = |d| streams.iter().map(|s| AttributeFlag(s.0).attribute(d)).collect::<Vec<_>>();
                let same = meaning(decided) == meaning(dialect)
                    && streams.iter().all(|s| shape.count((AttributeFlag(s.0), s.1), decided) == Some(24));
                let lone = streams.len() == 1 && streams[0].0 & AttributeFlag::COMMON == 0;
                assert!(same || lone, "{dialect} {streams:?} read as {decided}");
                assert!(same || !shape.rivals(Some(23)).is_empty(), "{dialect} {streams:?}: not reported");
            }
        }
    }

    #[test]
    fn the_highest_index_can_decide() {
        // 288 bytes at bit 4: 24 tangents or 72 colours.
        let lone = shape(&[(0x10, 288)]);
        assert_eq!(lone.candidates(None), Dialect::ALL);
        assert_eq!(lone.candidates(Some(30)), [Dialect::Seed, Dialect::Bone32]);
        assert!(lone.rivals(Some(30)).is_empty());
        assert_eq!(lone.rivals(Some(23)), Dialect::ALL);
        assert_eq!(lone.decide(Some(500)), Dialect::Seed);
    }

    #[test]
    fn common_attributes_need_no_decision() {
        assert!(shape(&[(1, 36), (4, 36), (8, 24)]).rivals(Some(2)).is_empty());
        assert!(shape(&[]).rivals(None).is_empty());
    }
}

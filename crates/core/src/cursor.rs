//! Bounded reading. A cursor moves forward through a named stream, charges what it allocates, and reports
//! the exact location of a fault.

use crate::error::{ErrorClass, ReadError, Stream};
use crate::fault::{Cause, Parser};
use crate::limits::{Budget, LimitExceeded};
use crate::path::FieldPath;
use crate::rule::{Kind, Rule};
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;

/// The rules of a format for faults that any reader can meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codes {
    /// The rule for an input that ends within a field, or a section outside of it.
    pub short: &'static Rule,
    /// The rule for a table that claims more items than the rest of the input can hold.
    pub count: &'static Rule,
    /// The rule for a limit of the caller that is reached.
    pub limit: &'static Rule,
}

/// All bytes of one stream, with the budget for reading it and the rules for its faults.
#[derive(Clone, Debug)]
pub struct Source<'a> {
    bytes: &'a [u8],
    stream: Stream,
    codes: Codes,
    budget: &'a Budget,
}

impl<'a> Source<'a> {
    /// Returns the source for the file itself.
    pub const fn file(bytes: &'a [u8], codes: Codes, budget: &'a Budget) -> Self {
        Self { bytes, stream: Stream::File, codes, budget }
    }

    /// Returns the source for a decoded part of a file. Offsets count from its first byte.
    pub fn part(
        name: impl Into<Cow<'static, str>>,
        bytes: &'a [u8],
        codes: Codes,
        budget: &'a Budget,
    ) -> Self {
        Self { bytes, stream: Stream::Part(name.into()), codes, budget }
    }

    /// Returns the bytes of the stream.
    pub const fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the budget that allocations are charged to.
    pub const fn budget(&self) -> &'a Budget {
        self.budget
    }

    /// Charges `count` items of `size` bytes for the field at `offset`.
    ///
    /// # Errors
    /// If the budget is spent.
    pub fn charge(
        &self,
        path: &FieldPath<'_>,
        offset: u64,
        what: &'static str,
        count: u64,
        size: usize,
    ) -> Result<(), ReadError> {
        self.budget.charge_items(what, count, size).map_err(|e| self.over_limit(path, offset, e))
    }

    /// Converts a [`LimitExceeded`] into an error at `offset`.
    pub fn over_limit(&self, path: &FieldPath<'_>, offset: u64, e: LimitExceeded) -> ReadError {
        let class = ErrorClass::Limit { what: e.what(), wanted: e.requested(), limit: e.remaining() };
        ReadError::new(class, self.codes.limit, path.to_owned(), offset, Cow::Owned(format!("{e}")))
            .in_stream(self.stream.clone())
    }

    /// Returns the error for a field at `offset` of this stream that breaks `rule`.
    #[cold]
    #[inline(never)]
    pub fn broken(
        &self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        offset: u64,
        message: impl Into<Cow<'static, str>>,
    ) -> ReadError {
        ReadError::broken(rule, path, offset, message).in_stream(self.stream.clone())
    }

    /// Returns a cursor at the start of the stream.
    pub fn start(&self) -> Cursor<'a, '_> {
        Cursor { source: self, section: self.bytes, base: 0, pos: 0 }
    }

    /// Returns a cursor over everything from `start` on. `path` and `field_offset` name the field that holds
    /// `start`.
    ///
    /// # Errors
    /// If the stream ends before `start`.
    pub fn from(
        &self,
        path: &FieldPath<'_>,
        field_offset: u64,
        start: u64,
    ) -> Result<Cursor<'a, '_>, ReadError> {
        let rest = usize::try_from(start).ok().and_then(|s| self.bytes.get(s..));
        rest.map(|section| Cursor { source: self, section, base: start, pos: 0 }).ok_or_else(|| {
            let message = format!("starts at {start:#x}, the {} has {} bytes", self.stream, self.bytes.len());
            self.broken(self.codes.short, path, field_offset, message)
        })
    }

    /// Returns a cursor over `count` items of `size` bytes from `start` on. The product is computed in 64
    /// bits and compared before anything is allocated. `path` and `field_offset` name the field that holds
    /// `start`.
    ///
    /// # Errors
    /// If the items reach beyond the stream.
    pub fn section(
        &self,
        path: &FieldPath<'_>,
        field_offset: u64,
        start: u64,
        count: u64,
        size: u64,
    ) -> Result<Cursor<'a, '_>, ReadError> {
        let all = self.bytes.len() as u64;
        let fits =
            count.checked_mul(size).filter(|len| all.checked_sub(start).is_some_and(|rest| *len <= rest));
        let range = fits.and_then(|len| {
            let from = usize::try_from(start).ok()?;
            Some((from, from.checked_add(usize::try_from(len).ok()?)?))
        });
        match range.and_then(|(from, to)| self.bytes.get(from..to)) {
            Some(section) => Ok(Cursor { source: self, section, base: start, pos: 0 }),
            None => {
                let stream = &self.stream;
                let message =
                    format!("{count} items of {size} bytes at {start:#x} exceed the {stream} of {all} bytes");
                Err(self.broken(self.codes.short, path, field_offset, message))
            }
        }
    }
}

/// A position that moves forward in a section of a [`Source`].
///
/// Every method that reads takes the path of what is read; on failure the error names that path (or a field
/// below it) and the offset of its first byte, and the cursor has not moved.
#[derive(Clone, Debug)]
pub struct Cursor<'a, 's> {
    source: &'s Source<'a>,
    section: &'a [u8],
    base: u64,
    pos: usize,
}

impl<'a, 's> Cursor<'a, 's> {
    /// Returns the stream this cursor reads from.
    pub const fn source(&self) -> &'s Source<'a> {
        self.source
    }

    /// Returns the offset of the next byte in the stream.
    pub const fn offset(&self) -> u64 {
        self.base.saturating_add(self.pos as u64)
    }

    /// Returns the bytes of the section that are not yet read.
    pub fn rest(&self) -> &'a [u8] {
        self.section.get(self.pos..).unwrap_or_default()
    }

    /// Returns the number of bytes that are not yet read.
    pub fn remaining(&self) -> u64 {
        self.rest().len() as u64
    }

    /// Returns true if the section has been read to its end.
    pub fn is_at_end(&self) -> bool {
        self.rest().is_empty()
    }

    /// Reads one record.
    ///
    /// # Errors
    /// If the parser rejects the bytes, or needs more than are left.
    pub fn read<T>(&mut self, path: &FieldPath<'_>, mut parser: impl Parser<'a, T>) -> Result<T, ReadError> {
        self.read_by(path, &mut parser)
    }

    fn read_by<T>(&mut self, path: &FieldPath<'_>, parser: &mut impl Parser<'a, T>) -> Result<T, ReadError> {
        let input = self.rest();
        let (rest, value) = parser.run(input).map_err(|fault| self.explain(path, input, fault))?;
        self.pos = self.section.len().saturating_sub(rest.len());
        Ok(value)
    }

    /// Takes `len` bytes.
    ///
    /// # Errors
    /// If fewer bytes are left.
    pub fn bytes(&mut self, path: &FieldPath<'_>, len: u64) -> Result<&'a [u8], ReadError> {
        let taken = usize::try_from(len).ok().and_then(|n| Some((self.rest().get(..n)?, n)));
        match taken {
            Some((bytes, n)) => {
                self.pos = self.pos.saturating_add(n);
                Ok(bytes)
            }
            None => {
                let message = format!("{len} bytes wanted, {} left", self.remaining());
                Err(self.broken(self.source.codes.short, path, message))
            }
        }
    }

    /// Reads `count` records, each of at least `min_size` bytes, as `path[i]`.
    ///
    /// Before it reads the first record, it checks that the rest of the section can hold `count` records, and charges
    /// and reserves the memory of the table. `count_offset` is the offset of the count in the stream.
    ///
    /// A `min_size` of 0 counts as 1, so that the loop always consumes bytes.
    ///
    /// # Errors
    /// If the section is too short for `count` records, if the budget is spent, or if the parser rejects a record.
    pub fn table<T>(
        &mut self,
        path: &FieldPath<'_>,
        count_offset: u64,
        count: u64,
        min_size: u64,
        mut parser: impl Parser<'a, T>,
    ) -> Result<Vec<T>, ReadError> {
        let mut items = self.reserve(path, count_offset, count, min_size)?;
        let start = self.pos;
        for i in 0..usize::try_from(count).unwrap_or(usize::MAX) {
            match self.read_by(&path.index(i), &mut parser) {
                Ok(item) => items.push(item),
                Err(e) => {
                    self.pos = start;
                    return Err(e);
                }
            }
        }
        Ok(items)
    }

    /// Returns an empty vector with room for exactly `count` items that take at least `min_size` bytes each
    /// in the input. The count is checked and the memory charged as in [`table`](Self::table).
    ///
    /// # Errors
    /// If the rest of the section is too short for `count` items, or the budget is spent.
    pub fn reserve<T>(
        &self,
        path: &FieldPath<'_>,
        count_offset: u64,
        count: u64,
        min_size: u64,
    ) -> Result<Vec<T>, ReadError> {
        self.admit(path, count_offset, count, min_size.max(1), size_of::<T>())?;
        let mut items = Vec::new();
        let reserved = usize::try_from(count).ok().and_then(|n| items.try_reserve_exact(n).ok());
        match reserved {
            Some(()) => Ok(items),
            None => Err(self.no_room(path, count_offset, count, size_of::<T>())),
        }
    }

    /// Checks that the rest of the section can hold a table, and charges the memory of its items.
    fn admit(
        &self,
        path: &FieldPath<'_>,
        at: u64,
        count: u64,
        min_size: u64,
        size: usize,
    ) -> Result<(), ReadError> {
        if count.checked_mul(min_size).is_none_or(|len| len > self.remaining()) {
            let left = self.remaining();
            let message = format!("{count} items of at least {min_size} bytes, {left} bytes left");
            return Err(self.source.broken(self.source.codes.count, path, at, message));
        }
        self.source.charge(path, at, "table", count, size)
    }

    /// Returns the error for a table that the machine has no memory for.
    fn no_room(&self, path: &FieldPath<'_>, at: u64, count: u64, size: usize) -> ReadError {
        let wanted = count.saturating_mul(size as u64);
        self.source.over_limit(
            path,
            at,
            LimitExceeded::bytes("table", wanted, self.source.budget.remaining()),
        )
    }

    /// Returns the error for the next byte, which breaks `rule`.
    pub fn broken(
        &self,
        rule: &'static Rule,
        path: &FieldPath<'_>,
        message: impl Into<Cow<'static, str>>,
    ) -> ReadError {
        self.source.broken(rule, path, self.offset(), message)
    }

    fn explain(&self, path: &FieldPath<'_>, input: &'a [u8], fault: crate::Fault<'a>) -> ReadError {
        let (at, below, cause) = fault.into_parts();
        // `at` is a suffix of `input`: parsers only ever cut from the front.
        let offset = self.offset().saturating_add(input.len().saturating_sub(at.len()) as u64);
        let mut field = path.to_owned();
        field.extend_reversed(&below);
        let (rule, message) = match cause {
            Cause::Rejected { rule, message } => (rule, message),
            Cause::Short => {
                let end = self.base.saturating_add(self.section.len() as u64);
                let (left, s) = (end.saturating_sub(offset), &self.source.stream);
                (self.source.codes.short, Cow::Owned(format!("cut short: {left} bytes left in the {s}")))
            }
        };
        let class =
            if rule.kind == Kind::Unsupported { ErrorClass::Unsupported } else { ErrorClass::Malformed };
        ReadError::new(class, rule, field, offset, message).in_stream(self.source.stream.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fault, Limits};
    use alloc::string::ToString;
    use nom::error::context;
    use nom::number::complete::{be_u16, be_u32};
    use nom::{IResult, Parser as _};

    const CODES: Codes = Codes {
        short: &Rule::error("out-of-file", Kind::Truncated, "", ""),
        count: &Rule::error("count", Kind::BadCount, "", ""),
        limit: &Rule::error("limit", Kind::Limit, "", ""),
    };

    fn pair(i: &[u8]) -> IResult<&[u8], (u32, u16), Fault<'_>> {
        (context("first", be_u32), context("second", be_u16)).parse(i)
    }

    fn with_source<R>(bytes: &[u8], memory: u64, f: impl FnOnce(&Source<'_>) -> R) -> R {
        let budget = Budget::new(Limits::default().with_memory(memory));
        f(&Source::file(bytes, CODES, &budget))
    }

    #[test]
    fn a_cut_record_names_field_and_offset() {
        with_source(&[0; 11], 1 << 20, |source| {
            let mut cursor = source.start();
            let path = FieldPath::ROOT.field("pairs");
            assert_eq!(cursor.read(&path.index(0), pair).unwrap(), (0, 0));
            let e = cursor.read(&path.index(1), pair).unwrap_err();
            assert_eq!(e.to_string(), "pairs[1].second: cut short: 1 bytes left in the file (offset 0xa)");
            assert_eq!(e.code(), "out-of-file");
            assert_eq!(cursor.offset(), 6, "a failed read does not move");
        });
    }

    #[test]
    fn a_count_is_checked_before_memory_is_touched() {
        with_source(&[0; 12], 1 << 20, |source| {
            let path = FieldPath::ROOT.field("pairs");
            assert_eq!(source.start().table(&path, 0, 2, 6, pair).unwrap().len(), 2);
            let e = source.start().table(&path, 4, 0xffff_ffff_ffff_ffff, 6, pair).unwrap_err();
            assert_eq!((e.code(), e.offset()), ("count", 4));
            let e = source.start().table(&path, 4, 3, 6, pair).unwrap_err();
            assert_eq!(e.code(), "count");
            let mut cursor = source.start();
            assert_eq!(cursor.table(&path, 4, 3, 4, pair).unwrap_err().code(), "out-of-file");
            assert_eq!(cursor.offset(), 0, "a failed table does not move");
        });
        with_source(&[0; 12], 15, |source| {
            let e = source.start().table(&FieldPath::ROOT, 4, 2, 6, pair).unwrap_err();
            assert_eq!(e.class(), ErrorClass::Limit { what: "table", wanted: 16, limit: 15 });
        });
    }

    #[test]
    fn a_zero_sized_record_cannot_spin() {
        with_source(&[0; 4], 1 << 20, |source| {
            let nothing = |i| Ok::<_, nom::Err<Fault<'_>>>((i, ()));
            assert!(source.start().table(&FieldPath::ROOT, 0, u64::MAX, 0, nothing).is_err());
            assert_eq!(source.start().table(&FieldPath::ROOT, 0, 4, 0, nothing).unwrap().len(), 4);
        });
    }

    #[test]
    fn a_section_is_held_against_the_stream_without_wrapping() {
        with_source(&[0; 100], 1 << 20, |source| {
            assert!(source.section(&FieldPath::ROOT, 0, 40, 6, 10).is_ok());
            assert!(source.section(&FieldPath::ROOT, 0, 100, 0, 10).is_ok());
            for (start, count, size) in
                [(41, 6, 10), (101, 0, 1), (u64::MAX, 1, 1), (8, u64::MAX, 2), (4, u64::MAX / 2, 2)]
            {
                assert!(source.section(&FieldPath::ROOT, 0, start, count, size).is_err());
            }
            assert!(source.from(&FieldPath::ROOT, 0, 100).is_ok());
            assert!(source.from(&FieldPath::ROOT, 0, 101).is_err());
        });
    }

    #[test]
    fn a_streaming_parser_ends_in_an_error() {
        with_source(&[0; 2], 1 << 20, |source| {
            let e = source.start().read(&FieldPath::ROOT, nom::number::streaming::be_u32).unwrap_err();
            assert_eq!(e.code(), "out-of-file");
        });
    }

    #[test]
    fn offsets_of_a_part_say_so() {
        let budget = Budget::new(Limits::default());
        let source = Source::part("indices", &[1, 2], CODES, &budget);
        let e = source.start().read(&FieldPath::ROOT.field("i"), be_u32::<&[u8], Fault<'_>>).unwrap_err();
        assert_eq!(e.to_string(), "i: cut short: 2 bytes left in the indices (offset 0x0 of indices)");
    }
}

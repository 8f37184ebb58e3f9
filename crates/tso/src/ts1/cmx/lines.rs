//! Reads and writes scalars as lines of text.

use crate::fields::wide;
use crate::name::Name;
use crate::number::{self, Word};
use crate::rules::{self, some};
use crate::ts1::bcf::Sink;
use crate::ts1::character::read::{Input, Least};
use crate::ts1::character::write::Output;
use crate::ts1::skn::NUMBER;
use alloc::format;
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::text::Escaped;
use meshwright_core::{F32, FieldPath, Findings, ReadError, Source, WriteError};

/// Returns the words of a line that begins at `start`, with their offsets. Bars around vectors are skipped.
pub(crate) fn words(start: u64, line: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let mut at = start;
    let parts = line.split(|b| b.is_ascii_whitespace() || *b == b'|').map(move |word| {
        let here = at;
        at = at.saturating_add(wide(word.len())).saturating_add(1);
        (here, word)
    });
    parts.filter(|(_, word)| !word.is_empty())
}

/// Reads scalars, and records their offsets.
#[derive(Debug)]
pub(crate) struct Lines<'a, 's, 'n> {
    source: &'s Source<'a>,
    at: usize,
    /// The number of remaining lines. Text after the last line end is not a line if it is empty.
    left: u64,
    findings: &'n mut Findings,
    places: Option<&'n mut Vec<u64>>,
}

impl<'a, 's, 'n> Lines<'a, 's, 'n> {
    pub(crate) fn new(
        source: &'s Source<'a>,
        findings: &'n mut Findings,
        places: Option<&'n mut Vec<u64>>,
    ) -> Self {
        let text = source.bytes();
        let ends = text.iter().filter(|b| **b == b'\n').count();
        let open = text.last().is_some_and(|b| *b != b'\n');
        Self { source, at: 0, left: wide(ends).saturating_add(u64::from(open)), findings, places }
    }

    pub(crate) fn offset(&self) -> u64 {
        wide(self.at)
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.source.bytes().get(self.at..).unwrap_or_default()
    }

    /// Returns the collector of findings for faults that a lenient reader accepts.
    pub(crate) fn findings(&mut self) -> &mut Findings {
        self.findings
    }

    /// Returns the next line with the offset of its first byte.
    pub(crate) fn line(&mut self, path: &FieldPath<'_>) -> Result<(u64, &'a [u8]), ReadError> {
        let (at, rest) = (self.offset(), self.rest());
        if rest.is_empty() {
            return Err(self.source.broken(rules::TRUNCATED, path, at, "the text ends here"));
        }
        let end = rest.iter().position(|b| *b == b'\n');
        let line = end.and_then(|end| rest.get(..end)).unwrap_or(rest);
        self.at = self.at.saturating_add(line.len()).saturating_add(usize::from(end.is_some()));
        self.left = self.left.saturating_sub(1);
        Ok((at, line))
    }

    fn note(&mut self, at: u64) {
        if let Some(places) = &mut self.places {
            places.push(at);
        }
    }

    /// Returns the `count` words of the next line, at most four, with their offsets; bars around vectors are skipped.
    fn words(&mut self, path: &FieldPath<'_>, count: usize) -> Result<[(u64, &'a [u8]); 4], ReadError> {
        let (start, line) = self.line(path)?;
        let mut words = words(start, line);
        let mut found: [(u64, &'a [u8]); 4] = [(0, &[]); 4];
        for (i, slot) in found.iter_mut().take(count).enumerate() {
            let Some(word) = words.next() else {
                let message = format!("{i} numbers in {}, {count} needed", Escaped(line));
                return Err(self.source.broken(NUMBER, path, start, message));
            };
            *slot = word;
        }
        match words.next() {
            Some((at, word)) => {
                let message = format!("{} after the last number of a line", Escaped(word));
                Err(self.source.broken(NUMBER, path, at, message))
            }
            None => Ok(found),
        }
    }

    /// Reads a whole number, and returns its offset too.
    pub(crate) fn integer(&mut self, path: &FieldPath<'_>) -> Result<(i64, u64), ReadError> {
        let [(at, word), ..] = self.words(path, 1)?;
        self.note(at);
        match number::parse_integer(word) {
            Some(value) => Ok((value, at)),
            None => {
                let message = format!("{} is not a whole number", Escaped(word));
                Err(self.source.broken(NUMBER, path, at, message))
            }
        }
    }

    fn out_of_range(&self, path: &FieldPath<'_>, at: u64, value: i64) -> ReadError {
        self.source.broken(NUMBER, path, at, format!("{value} is out of range"))
    }
}

impl Input for Lines<'_, '_, '_> {
    fn source(&self) -> &Source<'_> {
        self.source
    }

    fn count(&mut self, path: &FieldPath<'_>, least: Least) -> Result<(u64, usize), ReadError> {
        let (count, at) = self.integer(path)?;
        let n = u64::try_from(count).ok();
        let fits = n.and_then(|n| n.checked_mul(least.lines.max(1))).is_some_and(|lines| lines <= self.left);
        let Some(n) = n.filter(|_| fits) else {
            let message =
                format!("{count} items of at least {} lines stated, {} lines left", least.lines, self.left);
            return Err(self.source.broken(rules::COUNT, path, at, message));
        };
        Ok((at, usize::try_from(n).unwrap_or(usize::MAX)))
    }

    fn name(&mut self, path: &FieldPath<'_>) -> Result<Name, ReadError> {
        let (at, line) = self.line(path)?;
        self.note(at);
        let line = line.trim_ascii();
        self.source.charge(path, at, "name", wide(line.len()), 1)?;
        Ok(Name::from(line))
    }

    fn word(&mut self, path: &FieldPath<'_>) -> Result<u32, ReadError> {
        let (value, at) = self.integer(path)?;
        u32::try_from(value).map_err(|_| self.out_of_range(path, at, value))
    }

    fn index(&mut self, path: &FieldPath<'_>) -> Result<u32, ReadError> {
        let (value, at) = self.integer(path)?;
        if value == -1 {
            return Ok(u32::MAX);
        }
        u32::try_from(value).map_err(|_| self.out_of_range(path, at, value))
    }

    fn floats(&mut self, path: &FieldPath<'_>, values: &mut [F32]) -> Result<(), ReadError> {
        for ((at, word), value) in self.words(path, values.len())?.into_iter().zip(values) {
            self.note(at);
            match number::float(word) {
                Word::Number(number) => *value = number,
                Word::NotFinite => {
                    let message = || format!("{} is not finite; 0 was used", Escaped(word));
                    self.findings.broken(some::NOT_FINITE, path, at, message)?;
                }
                Word::Other => {
                    let message = format!("{} is not a number", Escaped(word));
                    return Err(self.source.broken(NUMBER, path, at, message));
                }
            }
        }
        Ok(())
    }
}

/// Writes scalars, a line each.
pub(crate) struct LinesOut<'s>(pub(crate) &'s mut dyn Sink);

impl LinesOut<'_> {
    pub(crate) fn line(&mut self, content: &[u8]) {
        self.0.put_bytes(content);
        self.0.put_bytes(b"\r\n");
    }
}

impl fmt::Write for LinesOut<'_> {
    fn write_str(&mut self, s: &str) -> fmt::Result {
        self.0.put_bytes(s.as_bytes());
        Ok(())
    }
}

impl Output for LinesOut<'_> {
    fn name(&mut self, _: &FieldPath<'_>, name: &Name) -> Result<(), WriteError> {
        self.line(name.bytes());
        Ok(())
    }

    fn word(&mut self, value: u32) {
        self.line(format!("{value}").as_bytes());
    }

    fn index(&mut self, value: u32) {
        if value == u32::MAX {
            self.line(b"-1");
        } else {
            self.word(value);
        }
    }

    fn floats(&mut self, path: &FieldPath<'_>, values: &[F32]) -> Result<(), WriteError> {
        if let Some(value) = values.iter().find(|v| !v.is_finite()) {
            let message = format!("a text file cannot store {value:?}");
            return Err(WriteError::invalid(some::NOT_FINITE, path, message));
        }
        if values.len() > 1 {
            self.0.put_bytes(b"| ");
        }
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                self.0.put_bytes(b" ");
            }
            // Writing cannot fail.
            let _ = number::put_float(self, *value);
        }
        self.line(if values.len() > 1 { b" |" } else { b"" });
        Ok(())
    }
}

//! Reads and writes scalars in binary.

use crate::fields::{Step, wide};
use crate::name::Name;
use crate::ts1::character::read::{Input, Least};
use crate::ts1::character::write::Output;
use alloc::vec::Vec;
use meshwright_core::{Cursor, F32, Fault, FieldPath, ReadError, Source, WriteError};
use nom::number::complete::le_u32;

/// A length byte with this value may be followed by the real length.
const LONG: u8 = 255;

/// Returns a name: a length of 8 bits, or 255 and a length of 32 bits if that is larger and fits.
pub(crate) fn long_name(i: &[u8]) -> Step<'_, &[u8]> {
    let short = || nom::Err::Error(nom::error::ParseError::from_error_kind(i, nom::error::ErrorKind::Eof));
    let (&first, rest) = i.split_first().ok_or_else(short)?;
    let long = || {
        let (length, bytes) = rest.split_first_chunk::<4>()?;
        let length = usize::try_from(i32::from_le_bytes(*length)).ok().filter(|n| *n >= usize::from(LONG))?;
        bytes.split_at_checked(length)
    };
    let plain = || rest.split_at_checked(usize::from(first));
    let (name, rest) = if first == LONG { long().or_else(plain) } else { plain() }.ok_or_else(short)?;
    Ok((rest, name))
}

/// Reads scalars, and records their offsets.
#[derive(Debug)]
pub(crate) struct Binary<'a, 's, 'n> {
    pub(crate) cursor: Cursor<'a, 's>,
    pub(crate) places: Option<&'n mut Vec<u64>>,
}

impl Binary<'_, '_, '_> {
    fn note(&mut self, scalars: usize) {
        let at = self.cursor.offset();
        if let Some(places) = &mut self.places {
            places.extend((0..scalars).map(|i| at.saturating_add(wide(i).saturating_mul(4))));
        }
    }
}

impl Input for Binary<'_, '_, '_> {
    fn source(&self) -> &Source<'_> {
        self.cursor.source()
    }

    fn count(&mut self, path: &FieldPath<'_>, least: Least) -> Result<(u64, usize), ReadError> {
        self.note(1);
        let at = self.cursor.offset();
        let n = self.cursor.read(path, le_u32::<&[u8], Fault<'_>>)?;
        // Items without a size take no memory: this only checks that the file has room for as many.
        self.cursor.reserve::<()>(path, at, u64::from(n), least.bytes)?;
        Ok((at, usize::try_from(n).unwrap_or(usize::MAX)))
    }

    fn name(&mut self, path: &FieldPath<'_>) -> Result<Name, ReadError> {
        self.note(1);
        crate::fields::name(&mut self.cursor, path, long_name)
    }

    fn word(&mut self, path: &FieldPath<'_>) -> Result<u32, ReadError> {
        self.note(1);
        self.cursor.read(path, le_u32::<&[u8], Fault<'_>>)
    }

    fn index(&mut self, path: &FieldPath<'_>) -> Result<u32, ReadError> {
        self.word(path)
    }

    fn floats(&mut self, path: &FieldPath<'_>, values: &mut [F32]) -> Result<(), ReadError> {
        self.note(values.len());
        for value in values {
            *value = F32::from_bits(self.cursor.read(path, le_u32::<&[u8], Fault<'_>>)?);
        }
        Ok(())
    }
}

/// Takes the bytes of a file under construction.
pub(crate) trait Sink {
    /// Adds the next bytes.
    fn put_bytes(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    fn put_bytes(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }
}

/// Compares written bytes with existing ones, without storing them.
#[derive(Debug)]
pub(crate) struct Same<'a> {
    rest: &'a [u8],
    same: bool,
}

impl<'a> Same<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, same: true }
    }

    /// Returns true if exactly the existing bytes were written.
    pub(crate) const fn is_whole(&self) -> bool {
        self.same && self.rest.is_empty()
    }
}

impl Sink for Same<'_> {
    fn put_bytes(&mut self, bytes: &[u8]) {
        match self.rest.strip_prefix(bytes) {
            Some(rest) => self.rest = rest,
            None => self.same = false,
        }
    }
}

/// Writes scalars.
pub(crate) struct BinaryOut<'s>(pub(crate) &'s mut dyn Sink);

impl Output for BinaryOut<'_> {
    fn name(&mut self, path: &FieldPath<'_>, name: &Name) -> Result<(), WriteError> {
        let length = name.bytes().len();
        match u8::try_from(length) {
            Ok(length) if length < LONG => self.0.put_bytes(&[length]),
            _ => {
                let length: u32 =
                    WriteError::fit(path, "name length", wide(length), i32::MAX.cast_unsigned())?;
                self.0.put_bytes(&[LONG]);
                self.0.put_bytes(&length.to_le_bytes());
            }
        }
        self.0.put_bytes(name.bytes());
        Ok(())
    }

    fn word(&mut self, value: u32) {
        self.0.put_bytes(&value.to_le_bytes());
    }

    fn index(&mut self, value: u32) {
        self.word(value);
    }

    fn floats(&mut self, _: &FieldPath<'_>, values: &[F32]) -> Result<(), WriteError> {
        values.iter().for_each(|v| self.0.put_bytes(&v.to_bits().to_le_bytes()));
        Ok(())
    }
}

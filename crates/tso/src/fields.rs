//! Fields that all kinds of file share.

use crate::name::Name;
use crate::rules;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{Budget, ByteWriter, Cursor, F32, Fault, FieldPath, ReadError, Source, WriteError};
use nom::Parser as _;
use nom::error::{ErrorKind, ParseError};

pub(crate) type Step<'a, T> = nom::IResult<&'a [u8], T, Fault<'a>>;

/// A byte that is zero for "no" and anything else for "yes"; the file's value is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flag(pub u8);

impl Flag {
    /// Stored as 0.
    pub const NO: Self = Self(0);
    /// Stored as 1.
    pub const YES: Self = Self(1);

    /// Returns true for every value but 0.
    pub const fn is_set(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Flag {
    fn from(set: bool) -> Self {
        Self(u8::from(set))
    }
}

/// Parses a `pstr`: a length of 8 bits, then this number of bytes.
pub(crate) fn pstr(i: &[u8]) -> Step<'_, &[u8]> {
    let (rest, len) = nom::number::complete::u8(i)?;
    nom::bytes::complete::take(len).parse(rest)
}

/// Parses a `pstr16`: a big-endian length of 16 bits, then this number of bytes.
pub(crate) fn pstr16(i: &[u8]) -> Step<'_, &[u8]> {
    let (rest, len) = nom::number::complete::be_u16(i)?;
    nom::bytes::complete::take(len).parse(rest)
}

/// Parses little-endian floats.
pub(crate) fn floats<const N: usize>(mut i: &[u8]) -> Step<'_, [F32; N]> {
    let mut values = [F32::default(); N];
    for value in &mut values {
        let (rest, bits) = nom::number::complete::le_u32(i)?;
        (*value, i) = (F32::from_bits(bits), rest);
    }
    Ok((i, values))
}

/// Parses a little-endian float.
pub(crate) fn float(i: &[u8]) -> Step<'_, F32> {
    floats(i).map(|(i, [value])| (i, value))
}

/// Returns a [`Flag`].
pub(crate) fn flag(i: &[u8]) -> Step<'_, Flag> {
    nom::number::complete::u8(i).map(|(i, value)| (i, Flag(value)))
}

/// Decodes the little-endian floats of a record of `M` bytes.
pub(crate) fn words<const M: usize, const N: usize>(bytes: &[u8; M]) -> [F32; N] {
    const { assert!(M == 4 * N, "a float has four bytes") };
    let (words, _) = bytes.as_chunks::<4>();
    let mut words = words.iter().map(|w| F32::from_bits(u32::from_le_bytes(*w)));
    core::array::from_fn(|_| words.next().unwrap_or_default())
}

/// Copies the bytes of a name, charged.
pub(crate) fn name(
    cursor: &mut Cursor<'_, '_>,
    path: &FieldPath<'_>,
    parser: fn(&[u8]) -> Step<'_, &[u8]>,
) -> Result<Name, ReadError> {
    let at = cursor.offset();
    // If the name is cut short, the error has the offset of its length.
    let whole = |i| parser(i).map_err(|e| e.map(|_| ParseError::from_error_kind(i, ErrorKind::Eof)));
    let bytes = cursor.read(path, whole)?;
    cursor.source().charge(path, at, "name", bytes.len() as u64, 1)?;
    Ok(Name::from(bytes))
}

/// Reads a version and refuses any but `wanted`.
pub(crate) fn version(cursor: &mut Cursor<'_, '_>, wanted: u32) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("version");
    let at = cursor.offset();
    let found = cursor.read(&path, nom::number::complete::be_u32::<&[u8], Fault<'_>>)?;
    if found == wanted {
        return Ok(());
    }
    let message = format!("version {found}, only {wanted} is known");
    Err(cursor.source().broken(rules::some::VERSION, &path, at, message))
}

/// Returns a charged copy of the bytes after the last field.
pub(crate) fn trailing(cursor: &Cursor<'_, '_>) -> Result<Vec<u8>, ReadError> {
    let path = FieldPath::ROOT.field("trailing");
    cursor.source().charge(&path, cursor.offset(), "trailing bytes", cursor.remaining(), 1)?;
    Ok(cursor.rest().to_vec())
}

/// Writes a `pstr`.
pub(crate) fn put_pstr(w: &mut ByteWriter, path: &FieldPath<'_>, name: &Name) -> Result<(), WriteError> {
    w.u8(WriteError::fit(path, "name length", name.bytes().len() as u64, u8::MAX)?);
    w.bytes(name.bytes());
    Ok(())
}

/// Returns the number of items of a table as 32 bits.
pub(crate) fn count(path: &FieldPath<'_>, n: usize) -> Result<u32, WriteError> {
    WriteError::fit(path, "count", n as u64, u32::MAX)
}

/// Returns a number of bytes or items as an offset.
pub(crate) const fn wide(n: usize) -> u64 {
    n as u64
}

/// Returns a reader over a whole file.
pub(crate) fn file<'a>(bytes: &'a [u8], budget: &'a Budget) -> Source<'a> {
    Source::file(bytes, rules::CODES, budget)
}

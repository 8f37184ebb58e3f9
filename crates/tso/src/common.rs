//! What the readers, writers and rules of all file kinds share.

use crate::codes;
use crate::name::Name;
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, Cursor, Fault, Path, ReadError, ReadOptions, Report, Source, WriteError};
use nom::Parser as _;

pub(crate) type Step<'a, T> = nom::IResult<&'a [u8], T, Fault<'a>>;

/// A byte that is zero for "no" and anything else for "yes"; the file's value is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flag(pub u8);

impl Flag {
    /// Stored as 0.
    pub const NO: Self = Self(0);
    /// Stored as 1.
    pub const YES: Self = Self(1);

    /// True for every value but 0.
    pub const fn is_set(self) -> bool {
        self.0 != 0
    }
}

impl From<bool> for Flag {
    fn from(set: bool) -> Self {
        Self(u8::from(set))
    }
}

/// `pstr`: a length of 8 bits, then as many bytes.
pub(crate) fn pstr(i: &[u8]) -> Step<'_, &[u8]> {
    let (rest, len) = nom::number::complete::u8(i)?;
    nom::bytes::complete::take(len).parse(rest)
}

/// `pstr16`: a length of 16 bits, big endian, then as many bytes.
pub(crate) fn pstr16(i: &[u8]) -> Step<'_, &[u8]> {
    let (rest, len) = nom::number::complete::be_u16(i)?;
    nom::bytes::complete::take(len).parse(rest)
}

/// Copies the bytes of a name, charged.
pub(crate) fn name<'a>(
    cursor: &mut Cursor<'a, '_>,
    path: &Path<'_>,
    parser: impl Fn(&'a [u8]) -> Step<'a, &'a [u8]>,
) -> Result<Name, ReadError> {
    let at = cursor.offset();
    let bytes = cursor.read(path, |i| whole(i, &parser))?;
    cursor.source().charge(path, at, "name", bytes.len() as u64, 1)?;
    Ok(Name::from(bytes))
}

/// A name that is cut short is faulty from its length on.
fn whole<'a>(i: &'a [u8], parser: impl Fn(&'a [u8]) -> Step<'a, &'a [u8]>) -> Step<'a, &'a [u8]> {
    parser(i).map_err(|e| e.map(|_| nom::error::ParseError::from_error_kind(i, nom::error::ErrorKind::Eof)))
}

/// Reads a version and refuses any but `wanted`.
pub(crate) fn version(cursor: &mut Cursor<'_, '_>, wanted: u32) -> Result<(), ReadError> {
    let path = Path::ROOT.field("version");
    let at = cursor.offset();
    let found = cursor.read(&path, nom::number::complete::be_u32::<&[u8], Fault<'_>>)?;
    if found == wanted {
        return Ok(());
    }
    let message = format!("version {found}, only {wanted} is known");
    Err(cursor.source().unsupported(codes::E_VERSION, &path, at, message))
}

/// The bytes behind the last field, charged and kept.
pub(crate) fn trailing(cursor: &Cursor<'_, '_>) -> Result<Vec<u8>, ReadError> {
    let path = Path::ROOT.field("trailing");
    cursor.source().charge(&path, cursor.offset(), "trailing bytes", cursor.remaining(), 1)?;
    Ok(cursor.rest().to_vec())
}

/// Collects broken rules; the first one is what a strict reader refuses the file for.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) report: Report,
    pub(crate) first: Option<ReadError>,
    /// A strict reader has no use for the others, nor memory.
    first_only: bool,
}

impl Findings {
    /// As a reader with these options needs them.
    pub(crate) fn reading(options: &ReadOptions) -> Self {
        Self { first_only: !options.is_lenient(), ..Self::default() }
    }

    pub(crate) fn error<M: Into<Cow<'static, str>>>(
        &mut self,
        code: &'static str,
        path: &Path<'_>,
        offset: Option<u64>,
        message: impl Fn() -> M,
    ) {
        if self.first.is_none() {
            self.first = Some(ReadError::malformed(code, path, offset.unwrap_or(0), message()));
        }
        if !self.first_only {
            self.report.error(code, path, offset, message);
        }
    }

    /// Bytes behind the end, which no known file has.
    pub(crate) fn trailing(&mut self, offset: u64, bytes: &[u8]) {
        if !bytes.is_empty() {
            let path = Path::ROOT.field("trailing");
            self.error(codes::E_TRAILING, &path, Some(offset), || {
                format!("{} bytes behind the last field", bytes.len())
            });
        }
    }

    /// Hands the broken rules over: as the first of them when reading strictly, else as a list.
    pub(crate) fn settle(self) -> Result<Report, ReadError> {
        match self.first {
            Some(e) if self.first_only => Err(e),
            _ => Ok(self.report),
        }
    }

    /// The first broken rule as a reason not to write.
    pub(crate) fn refuse(&self) -> Result<(), WriteError> {
        match self.report.findings().first() {
            Some(f) => Err(WriteError::InvalidModel {
                code: f.code,
                kind: meshwright_core::Kind::BadValue,
                path: f.path.clone(),
                message: f.message.clone(),
            }),
            None => Ok(()),
        }
    }
}

/// Warnings about one name.
pub(crate) fn remark_name(report: &mut Report, path: &Path<'_>, offset: u64, name: &Name) {
    if name.bytes().is_empty() {
        report.warn(codes::W_NAME_EMPTY, path, Some(offset), || "the name is empty");
    }
    if !name.is_plain() {
        report.warn(codes::W_NAME_ENCODING, path, Some(offset), || {
            format!("{name} is not plain ASCII; it is shown by Windows-1252")
        });
    }
}

/// Writes a `pstr`.
pub(crate) fn put_pstr(w: &mut ByteWriter, path: &Path<'_>, name: &Name) -> Result<(), WriteError> {
    w.u8(WriteError::fit(path, "name length", name.bytes().len() as u64, u8::MAX)?);
    w.bytes(name.bytes());
    Ok(())
}

/// The number of items of a table as 32 bits.
pub(crate) fn count(path: &Path<'_>, n: usize) -> Result<u32, WriteError> {
    WriteError::fit(path, "count", n as u64, u32::MAX)
}

/// A number of bytes or items as an offset.
pub(crate) fn wide(n: usize) -> u64 {
    n as u64
}

/// A reader over a whole file.
pub(crate) fn file<'a>(bytes: &'a [u8], budget: &'a meshwright_core::Budget) -> Source<'a> {
    Source::file(bytes, codes::COMMON, budget)
}

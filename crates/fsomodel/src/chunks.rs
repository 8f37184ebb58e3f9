//! Iterates over the chunks of a file without copying them.

use crate::model::{ChunkId, VERSION};
use crate::record::{chunk, header};
use crate::rules;
use alloc::format;
use meshwright_core::record::field;
use meshwright_core::{Budget, Codes, Fault, FieldPath, Limits, ReadError, Source};
use nom::bytes::complete::take;
use nom::combinator::rest;
use nom::error::context;
use nom::number::complete::{le_u32, le_u64};
use nom::{IResult, Parser as _};

type Step<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

pub(crate) const CODES: Codes =
    Codes { short: rules::TRUNCATED, count: rules::TRUNCATED, limit: rules::LIMIT };

/// The magic at the start of a file.
pub(crate) const MAGIC: &[u8; 8] = b"FSOMODEL";

fn magic(i: &[u8]) -> Step<'_, ()> {
    let (rest, found) = take(i.len().min(MAGIC.len())).parse(i)?;
    if MAGIC.as_slice() == found {
        Ok((rest, ()))
    } else if MAGIC.starts_with(found) {
        take(MAGIC.len()).parse(i).map(|(rest, _): (_, &[u8])| (rest, ()))
    } else {
        Err(nom::Err::Error(Fault::reject(i, rules::MAGIC, "a file starts with \"FSOMODEL\"")))
    }
}

fn file_header(i: &[u8]) -> Step<'_, u32> {
    // The magic is checked first, so that a short file of another format gets the right error.
    let (i, ()) = context(header::MAGIC.name, magic).parse(i)?;
    field(header::VERSION, le_u32).parse(i)
}

fn chunk_header(i: &[u8]) -> Step<'_, (ChunkId, u64)> {
    let (i, id) = field(chunk::ID, rest).parse(i)?;
    let (i, len) = field(chunk::LENGTH, le_u64).parse(i)?;
    let id = id.first_chunk().copied().unwrap_or_default();
    Ok((i, (ChunkId(id), len)))
}

/// A chunk in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChunkRef<'a> {
    /// The id, which states the type of content.
    pub id: ChunkId,
    /// The offset of the payload in the file. The format does not align it.
    pub offset: u64,
    /// The payload, ready for a vertex or index buffer.
    pub data: &'a [u8],
}

/// The chunks of a file, in order.
///
/// ```
/// # use meshwright_fsomodel::{ChunkId, FsoModel, chunks};
/// # let file = FsoModel::default().to_bytes()?;
/// for chunk in chunks(&file).expect("the header is sound") {
///     let chunk = chunk.expect("the walk comes to the end");
///     if chunk.id == ChunkId::VDAT {
///         let _upload: &[u8] = chunk.data;
///     }
/// }
/// # Ok::<(), meshwright_core::WriteError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Chunks<'a> {
    file: &'a [u8],
    at: u64,
    number: usize,
}

/// Iterates over the chunks of a file, whose version must be 1. Nothing is copied or allocated.
///
/// # Errors
/// If the file does not begin with a valid header.
pub fn chunks(file: &[u8]) -> Result<Chunks<'_>, ReadError> {
    let budget = Budget::new(Limits::default());
    let source = Source::file(file, CODES, &budget);
    let mut cursor = source.start();
    let version = cursor.read(&FieldPath::ROOT, file_header)?;
    if version != VERSION {
        let message = format!("version {version}, only {VERSION} may be used");
        let path = FieldPath::ROOT.field(header::VERSION.name);
        return Err(source.broken(rules::VERSION, &path, header::VERSION.offset_in(0), message));
    }
    Ok(Chunks { file, at: cursor.offset(), number: 0 })
}

impl<'a> Chunks<'a> {
    fn step(&mut self) -> Result<ChunkRef<'a>, ReadError> {
        let budget = Budget::new(Limits::default());
        let source = Source::file(self.file, CODES, &budget);
        let table = FieldPath::ROOT.field("chunks");
        let path = table.index(self.number);
        let mut cursor = source.from(&path, self.at, self.at)?;
        let (id, len) = cursor.read(&path, chunk_header)?;
        let offset = cursor.offset();
        let start = usize::try_from(offset).ok();
        let end = start.and_then(|s| s.checked_add(usize::try_from(len).ok()?));
        match start.zip(end).and_then(|(s, e)| self.file.get(s..e)) {
            Some(data) => {
                self.at = offset.saturating_add(len);
                self.number = self.number.saturating_add(1);
                Ok(ChunkRef { id, offset, data })
            }
            None => {
                let message = format!("chunk {id} of {len} bytes, {} left", cursor.remaining());
                Err(source.broken(
                    rules::TRUNCATED,
                    &chunk::LENGTH.path(&path),
                    chunk::LENGTH.offset_in(self.at),
                    message,
                ))
            }
        }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = Result<ChunkRef<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let end = self.file.len() as u64;
        if self.at >= end {
            return None;
        }
        let step = self.step();
        if step.is_err() {
            self.at = end;
        }
        Some(step)
    }
}

impl<'a> ChunkRef<'a> {
    /// Returns the payload as packed vertices of dialect [`Seed44`](crate::Dialect::Seed44), if its length
    /// is a multiple of 44.
    pub fn vertices_44(&self) -> Option<&'a [[u8; 44]]> {
        as_records(self.data)
    }

    /// Returns the payload as packed vertices of dialect [`Doc56`](crate::Dialect::Doc56), if its length is
    /// a multiple of 56.
    pub fn vertices_56(&self) -> Option<&'a [[u8; 56]]> {
        as_records(self.data)
    }

    /// Returns the payload as packed vertices of dialect [`Gl3`](crate::Dialect::Gl3), if its length is a
    /// multiple of 60.
    pub fn vertices_60(&self) -> Option<&'a [[u8; 60]]> {
        as_records(self.data)
    }

    /// Returns the payload as floats in place. `None` if it is not aligned, its length is not a multiple of
    /// 4, or the machine is big endian.
    pub fn as_f32s(&self) -> Option<&'a [f32]> {
        little().then_some(())?;
        bytemuck::try_cast_slice(self.data).ok()
    }

    /// Returns the payload as 32-bit indices in place; see [`as_f32s`](Self::as_f32s).
    pub fn as_u32s(&self) -> Option<&'a [u32]> {
        little().then_some(())?;
        bytemuck::try_cast_slice(self.data).ok()
    }

    /// Returns the payload as 16-bit indices in place; see [`as_f32s`](Self::as_f32s).
    pub fn as_u16s(&self) -> Option<&'a [u16]> {
        little().then_some(())?;
        bytemuck::try_cast_slice(self.data).ok()
    }
}

const fn little() -> bool {
    cfg!(target_endian = "little")
}

fn as_records<const N: usize>(bytes: &[u8]) -> Option<&[[u8; N]]> {
    let (items, rest) = bytes.as_chunks();
    rest.is_empty().then_some(items)
}

#[cfg(test)]
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "tests")]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec::Vec;

    fn file(chunks: &[(&[u8; 4], u64, &[u8])]) -> Vec<u8> {
        let mut out = b"FSOMODEL\x01\0\0\0".to_vec();
        for (id, len, data) in chunks {
            out.extend_from_slice(*id);
            out.extend(len.to_le_bytes());
            out.extend_from_slice(data);
        }
        out
    }

    #[test]
    fn the_walk_ends_at_the_first_error() {
        let bytes = file(&[(b"odd ", 3, b"abc"), (b"VDAT", u64::MAX, b"")]);
        let mut walk = chunks(&bytes).unwrap();
        let first = walk.next().unwrap().unwrap();
        assert_eq!((first.id, first.offset, first.data), (ChunkId(*b"odd "), 24, &b"abc"[..]));
        let e = walk.next().unwrap().unwrap_err();
        assert_eq!(
            e.to_string(),
            "chunks[1].length: chunk \"VDAT\" of 18446744073709551615 bytes, 0 left (offset 0x1f)"
        );
        assert!(walk.next().is_none());
    }

    #[test]
    fn a_length_that_wraps_to_its_own_header_ends() {
        let bytes = file(&[(b"loop", u64::MAX - 11, b"")]);
        assert_eq!(chunks(&bytes).unwrap().next().unwrap().unwrap_err().code(), "truncated");
    }

    #[test]
    fn headers() {
        for (bytes, code) in [
            (&b""[..], "truncated"),
            (b"FSOMO", "truncated"),
            (b"FSOMODEL\x01\0", "truncated"),
            (b"FSOX", "bad-magic"),
            (b"FSOMODEM\x01\0\0\0", "bad-magic"),
            (b"FSOMODEL\x02\0\0\0", "bad-version"),
        ] {
            assert_eq!(chunks(bytes).unwrap_err().code(), code, "{bytes:?}");
        }
        assert_eq!(chunks(b"FSOMODEL\x01\0\0\0").unwrap().count(), 0);
        for tail in 1..12_usize {
            let mut bytes = file(&[]);
            bytes.resize(12 + tail, 0);
            assert_eq!(chunks(&bytes).unwrap().next().unwrap().unwrap_err().code(), "truncated");
        }
    }

    #[test]
    fn views_check_alignment() {
        let words = [0_u32, 1, 2, 3];
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let chunk = |data| ChunkRef { id: ChunkId::INDX, offset: 0, data };
        if little() {
            assert_eq!(chunk(bytes).as_u32s(), Some(&words[..]));
            assert_eq!(chunk(&bytes[..6]).as_u16s().map(<[u16]>::len), Some(3));
        }
        assert_eq!(chunk(&bytes[1..13]).as_u32s(), None, "not aligned");
        assert_eq!(chunk(&bytes[..6]).as_u32s(), None, "not whole");
        assert_eq!(chunk(&[0; 88]).vertices_44().map(<[_]>::len), Some(2));
        assert_eq!(chunk(&[0; 88]).vertices_60(), None);
    }
}

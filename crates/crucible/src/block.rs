//! LZ4 blocks of a file. A block is checked and charged before it is decoded, must decode to exactly its
//! stated size, and is written unchanged.

use crate::chunk::model::AttributeStream;
use crate::chunk::record::AttributeFlag;
use crate::lz4::{self, DecodeError, MAX_BLOCK};
use crate::rules::{END_RULE, LIMIT, LZ4_BLOCK, NEGATIVE_SIZE, OUTPUT_TOO_LONG, RATIO, TRUNCATED};
use crate::stream::Stream;
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::record::{Field, field};
use meshwright_core::{Cursor, Fault, FieldPath, Findings, ReadError, Rule, Source, WriteError};
use nom::number::complete::le_i32;
use nom::{IResult, Parser as _};

pub(crate) type Step<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

/// The memory of a block in addition to its bytes: entries in the lists of blocks, results, streams and
/// sizes.
const BLOCK: usize = 4 * size_of::<(&Block<'_>, AttributeFlag, u64)>()
    + size_of::<Result<Vec<u8>, DecodeError>>()
    + size_of::<AttributeStream<'_>>();

/// The stored sizes of a block: compressed, decoded.
pub(crate) type Sizes = (i32, i32);

/// Reads the two sizes of a block.
pub(crate) fn sizes<'a>([packed, size]: [Field; 2]) -> impl FnMut(&'a [u8]) -> Step<'a, Sizes> {
    move |i| (field(packed, le_i32), field(size, le_i32)).parse(i)
}

/// An LZ4 block whose sizes have been checked and whose decoded size has been charged.
pub(crate) struct Block<'a> {
    pub(crate) packed: &'a [u8],
    pub(crate) size: usize,
    at: u64,
}

/// Returns the bytes of `file` that the reader returned as `section` at `offset`. They live longer than the
/// reader.
pub(crate) fn bytes_of_section<'a>(file: &'a [u8], section: &[u8], offset: u64) -> &'a [u8] {
    let rest = usize::try_from(offset).ok().and_then(|at| file.get(at..));
    rest.and_then(|rest| rest.get(..section.len())).unwrap_or_default()
}

/// Checks the block at the cursor and takes it: sign, remaining bytes, ratio and limit, in this order.
/// `fields` are the two size fields in the record that starts at `record`.
pub(crate) fn take<'a>(
    cursor: &mut Cursor<'a, '_>,
    path: &FieldPath<'_>,
    record: u64,
    fields: [Field; 2],
    (packed, size): Sizes,
) -> Result<Block<'a>, ReadError> {
    let source = cursor.source();
    let of = |value: i32, field: Field| {
        u64::try_from(value).map_err(|_| {
            let message = format!("a size of {value} bytes");
            source.broken(NEGATIVE_SIZE, &field.path(path), field.offset_in(record), message)
        })
    };
    let [packed_field, size_field] = fields;
    let (packed_at, size_at) = (packed_field.offset_in(record), size_field.offset_in(record));
    let packed = of(packed, packed_field)?;
    let size = of(size, size_field)?;
    if packed > cursor.remaining() {
        let message = format!("{packed} bytes wanted, {} left", cursor.remaining());
        return Err(source.broken(TRUNCATED, &packed_field.path(path), packed_at, message));
    }
    let size_path = size_field.path(path);
    if size > lz4::most_from(packed) {
        let message = format!("{packed} bytes of LZ4 cannot hold {size}");
        return Err(source.broken(RATIO, &size_path, size_at, message));
    }
    source.charge(&size_path, size_at, "decoded stream", size, 1)?;
    source.charge(path, packed_at, "stream", 1, BLOCK)?;
    let at = cursor.offset();
    let bytes = cursor.bytes(path, packed)?;
    let size = usize::try_from(size)
        .map_err(|_| source.broken(LIMIT, &size_path, size_at, "more than this machine holds"))?;
    Ok(Block { packed: bytes, size, at })
}

impl Block<'_> {
    /// Decodes the block.
    pub(crate) fn decode(&self) -> Result<Vec<u8>, DecodeError> {
        lz4::decode(self.packed, self.size)
    }

    /// Returns the decoded block as a stream. `too_short` is the rule for a block that decodes to fewer
    /// bytes than stated.
    pub(crate) fn stream<'f>(
        &self,
        decoded: Result<Vec<u8>, DecodeError>,
        (file, source): (&'f [u8], &Source<'_>),
        path: &FieldPath<'_>,
        too_short: &'static Rule,
        findings: &mut Findings,
    ) -> Result<Stream<'f>, ReadError> {
        let size = self.size;
        let broken = |rule, message: Cow<'static, str>| Err(source.broken(rule, path, self.at, message));
        match decoded {
            Ok(data) => Ok(Stream::decoded(data, bytes_of_section(file, self.packed, self.at))),
            Err(DecodeError::Block(why)) => broken(LZ4_BLOCK, why.into()),
            Err(DecodeError::TooLong) => {
                broken(OUTPUT_TOO_LONG, format!("holds more than {size} bytes").into())
            }
            Err(DecodeError::TooShort { data, got }) => {
                findings.broken(too_short, path, self.at, || format!("holds {got} bytes, {size} stated"))?;
                Ok(Stream::new(data))
            }
            Err(DecodeError::Memory) => broken(LIMIT, format!("no memory for {size} bytes").into()),
        }
    }
}

/// Skips a block with plausible sizes and returns the bytes after it.
pub(crate) fn skip(bytes: &[u8], (packed, size): Sizes) -> Option<&[u8]> {
    let (len, size) = (usize::try_from(packed).ok()?, u64::try_from(size).ok()?);
    let fits = len > 0 && size <= lz4::most_from(len as u64) && len as u64 <= lz4::longest_block(size);
    if fits { bytes.get(len..) } else { None }
}

/// Reports a block at offset `at`, of `size` decoded bytes, that the engine's decoder may reject because of
/// its end.
pub(crate) fn check_end(
    packed: Option<&[u8]>,
    size: usize,
    path: &FieldPath<'_>,
    at: Option<u64>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let Some(sequence) = packed.and_then(|packed| lz4::late_match(packed, size)) else { return Ok(()) };
    let at = at.map(|at| at.saturating_add(sequence as u64));
    findings.broken(END_RULE, path, at, || {
        format!("the sequence at byte {sequence} of the block reaches into the end of its {size} bytes; liblz4 refuses it")
    })
}

/// A block to be written, with the values of its size fields.
pub(crate) struct Writable<'s> {
    pub(crate) packed: u32,
    pub(crate) size: u32,
    pub(crate) bytes: Cow<'s, [u8]>,
}

/// Returns the block of `data`: the original one (`packed`) if it is known, otherwise a newly compressed
/// one.
pub(crate) fn writable<'s>(
    path: &FieldPath<'_>,
    packed: Option<&'s [u8]>,
    data: &[u8],
) -> Result<Writable<'s>, WriteError> {
    let size = decoded_size(path, data.len() as u64)?;
    let bytes = packed.map_or_else(|| Cow::Owned(lz4::encode(data)), Cow::Borrowed);
    let most = i32::MAX.cast_unsigned();
    let packed = WriteError::fit(&path.field("packed"), "block length", bytes.len() as u64, most)?;
    Ok(Writable { packed, size, bytes })
}

/// Returns the decoded size as a field value. The limit of the compressors is below 2^31, so every allowed
/// size fits a signed field.
fn decoded_size(path: &FieldPath<'_>, size: u64) -> Result<u32, WriteError> {
    let most = u32::try_from(MAX_BLOCK).unwrap_or(0);
    WriteError::fit(&path.field("size"), "decoded size", size, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_beyond_what_compressors_take_is_refused() {
        assert!(decoded_size(&FieldPath::ROOT, MAX_BLOCK).is_ok());
        let e = decoded_size(&FieldPath::ROOT, MAX_BLOCK + 1).unwrap_err();
        assert!(matches!(&e, WriteError::DoesNotFit(e) if e.value == 2_113_929_217), "{e}");
    }
}

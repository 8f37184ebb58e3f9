//! LZ4 blocks: size limits that are checked before decoding, a decoder into a buffer of the stated size, and
//! an encoder.

use alloc::vec::Vec;
use lz4_flex::block::{DecompressError, compress, decompress_into};
use meshwright_core::layout::zeros;

/// The maximum decoded size of a block. LZ4's own compressors reject more.
pub const MAX_BLOCK: u64 = 0x7e00_0000;

/// Returns the maximum decoded size of a block of `packed` bytes.
pub(crate) const fn most_from(packed: u64) -> u64 {
    packed.saturating_mul(255)
}

/// Returns the maximum size of a block that decodes to `size` bytes.
pub(crate) const fn longest_block(size: u64) -> u64 {
    size.saturating_add(size / 255).saturating_add(16)
}

/// The reason why a block does not decode to the stated size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum DecodeError {
    /// The sequences of the block are invalid.
    Block(&'static str),
    /// The block decodes to more bytes than stated.
    TooLong,
    /// The block decodes to fewer bytes than stated. `data` has the decoded `got` bytes, followed by zeros.
    TooShort { data: Vec<u8>, got: usize },
    /// Memory does not suffice.
    Memory,
}

/// Decodes a block to `size` bytes, the stated size.
pub(crate) fn decode(packed: &[u8], size: usize) -> Result<Vec<u8>, DecodeError> {
    let mut data = zeros(size).ok_or(DecodeError::Memory)?;
    match decompress_into(packed, &mut data) {
        Ok(got) if got == size => Ok(data),
        // The decoder may have written beyond the length that it reports.
        Ok(got) => {
            data.iter_mut().skip(got).for_each(|b| *b = 0);
            Err(DecodeError::TooShort { data, got })
        }
        Err(DecompressError::OutputTooSmall { .. }) => Err(DecodeError::TooLong),
        Err(DecompressError::LiteralOutOfBounds) => {
            Err(DecodeError::Block("literals run past the end of the block"))
        }
        Err(DecompressError::ExpectedAnotherByte) => {
            Err(DecodeError::Block("the block ends within a sequence"))
        }
        Err(DecompressError::OffsetZero) => Err(DecodeError::Block("a match has offset 0")),
        Err(DecompressError::OffsetOutOfBounds) => {
            Err(DecodeError::Block("a match starts before the output"))
        }
        Err(_) => Err(DecodeError::Block("the block is damaged")),
    }
}

/// The minimum number of literal bytes at the end of a block.
const LAST_LITERALS: usize = 5;
/// The last match starts at least this many bytes before the end.
const MATCH_LIMIT: usize = 12;

/// Returns the offset of the first sequence whose match is too close to the end of a block of `size` decoded
/// bytes. Encoders write the end as literals.
pub(crate) fn late_match(packed: &[u8], size: usize) -> Option<usize> {
    let (mut at, mut held) = (0_usize, 0_usize);
    let length = |at: &mut usize, nibble: u8| {
        let mut n = usize::from(nibble);
        let mut more = nibble == 15;
        while more {
            let byte = *packed.get(*at)?;
            (*at, n, more) = (at.saturating_add(1), n.saturating_add(usize::from(byte)), byte == 255);
        }
        Some(n)
    };
    loop {
        let sequence = at;
        let token = *packed.get(at)?;
        at = at.saturating_add(1);
        let literals = length(&mut at, token >> 4)?;
        (at, held) = (at.saturating_add(literals), held.saturating_add(literals));
        if at >= packed.len() {
            return None;
        }
        at = at.saturating_add(2);
        let end = held.saturating_add(length(&mut at, token & 15)?).saturating_add(4);
        if size < held.saturating_add(MATCH_LIMIT) || size < end.saturating_add(LAST_LITERALS) {
            return Some(sequence);
        }
        held = end;
    }
}

/// Encodes a block that every LZ4 decoder accepts: the last five bytes are literals, and no match starts
/// within the last twelve.
pub(crate) fn encode(data: &[u8]) -> Vec<u8> {
    compress(data)
}

/// Decodes a block of the engine to `size` bytes. It is `None` if the block is not valid, or holds another number of bytes.
pub fn decode_block(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let fits = size as u64 <= most_from(packed.len() as u64) && size as u64 <= MAX_BLOCK;
    if fits { decode(packed, size).ok() } else { None }
}

/// Encodes bytes as a block of the engine.
pub fn encode_block(data: &[u8]) -> Vec<u8> {
    encode(data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_one_zero_byte() {
        assert_eq!(encode(&[]), [0]);
        assert_eq!(decode(&[0], 0), Ok(Vec::new()));
        assert!(matches!(decode(&[], 0), Err(DecodeError::Block(_))));
    }

    #[test]
    fn the_stated_size_is_held_against_the_block() {
        let block = encode(&[7; 100]);
        assert_eq!(decode(&block, 100).unwrap(), [7; 100]);
        assert_eq!(decode(&block, 99), Err(DecodeError::TooLong));
        let Err(DecodeError::TooShort { data, got }) = decode(&block, 102) else {
            panic!("a short block passes")
        };
        assert_eq!((got, &data[98..]), (100, &[7, 7, 0, 0][..]));
    }

    #[test]
    fn offsets_of_zero_and_before_the_output_are_refused() {
        assert!(matches!(decode(&[0x10, 1, 0, 0, 0x50, 0, 0, 0, 0, 0], 10), Err(DecodeError::Block(_))));
        assert!(matches!(decode(&[0x10, 1, 2, 0, 0x50, 0, 0, 0, 0, 0], 10), Err(DecodeError::Block(_))));
    }

    #[test]
    fn the_end_of_a_block_is_literals() {
        // Returns a block of one literal, a match of `len` at distance 1, and `last` literals.
        let block = |len: u8, last: u8| {
            let mut block = alloc::vec![0x10 | (len - 4), 7, 1, 0, last << 4];
            block.resize(block.len() + usize::from(last), 9);
            (block, usize::from(1 + len + last))
        };
        for (len, last, at) in
            [(7, 5, None), (12, 5, None), (6, 5, Some(0)), (12, 4, Some(0)), (14, 0, Some(0)), (4, 8, None)]
        {
            let (block, size) = block(len, last);
            assert_eq!(decode(&block, size).map(|d| d.len()), Ok(size));
            assert_eq!(late_match(&block, size), at, "{len} {last}");
        }
        assert_eq!(late_match(&[0], 0), None);
        for n in 0..400_usize {
            assert_eq!(late_match(&encode(&alloc::vec![7; n]), n), None);
        }
    }

    #[test]
    fn bounds_hold_for_long_runs() {
        let data = alloc::vec![0_u8; 1 << 20];
        let block = encode(&data);
        assert!(data.len() as u64 <= most_from(block.len() as u64));
        assert!(block.len() as u64 <= longest_block(data.len() as u64));
    }
}

//! Telling the three kinds of file from anything else. Only the container has a magic; the others must walk.

use crate::lz4;
use crate::model::{CModel, Chunk};
use crate::packed::AttributeFlag;
use crate::read::MAGIC;
use crate::skeleton::SkeletonChunk;
use meshwright_core::Confidence;

/// Takes a block of plausible sizes off the front; answers what is left.
fn walk_block(bytes: &[u8], packed: i32, size: i32) -> Option<&[u8]> {
    let (len, size) = (usize::try_from(packed).ok()?, u64::try_from(size).ok()?);
    let fits = len > 0 && size <= lz4::most_from(len as u64) && len as u64 <= lz4::longest_block(size);
    if fits { bytes.get(len..) } else { None }
}

fn le_i32(bytes: &[u8], at: usize) -> Option<i32> {
    bytes.get(at..)?.first_chunk().map(|b| i32::from_le_bytes(*b))
}

/// How many streams the chunk has and how many bytes lie behind them.
fn walk(bytes: &[u8]) -> Option<(u8, usize)> {
    let mut rest = walk_block(bytes.get(9..)?, le_i32(bytes, 1)?, le_i32(bytes, 5)?)?;
    let (&count, behind) = rest.split_first()?;
    rest = behind;
    let mut seen = 0_u16;
    for _ in 0..count {
        let flag = rest.first_chunk().map(|b| AttributeFlag(u16::from_le_bytes(*b)))?;
        if !flag.is_single() || seen & flag.0 != 0 || flag.0 & AttributeFlag::RESERVED != 0 {
            return None;
        }
        seen |= flag.0;
        rest = walk_block(rest.get(10..)?, le_i32(rest, 2)?, le_i32(rest, 6)?)?;
    }
    Some((count, rest.len()))
}

impl Chunk<'_> {
    /// How likely `bytes` are a mesh chunk: its streams are walked, nothing is decoded. Without a magic the
    /// answer is never more than [`Confidence::Likely`].
    pub fn sniff(bytes: &[u8]) -> Confidence {
        // The engine takes any other width of an index for the wider one; no writer of its own stores such.
        let odd = !matches!(bytes.first(), Some(0 | 1));
        match walk(bytes) {
            Some((1.., 0)) if odd => Confidence::Possible,
            _ if odd => Confidence::No,
            Some((1.., 0)) => Confidence::Likely,
            Some((1.., _) | (0, 0)) => Confidence::Possible,
            _ => Confidence::No,
        }
    }
}

impl CModel<'_> {
    /// Whether `bytes` start with the container's magic.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        if bytes.starts_with(MAGIC) { Confidence::Certain } else { Confidence::No }
    }
}

impl SkeletonChunk {
    /// How likely `bytes` are a skeleton chunk: its sizes must agree with the number of bones.
    pub fn sniff(bytes: &[u8]) -> Confidence {
        let walked = || {
            let (packed, size) = (le_i32(bytes, 0)?, le_i32(bytes, 4)?);
            let count = u16::from_le_bytes(*bytes.get(8..)?.first_chunk()?);
            let rest = walk_block(bytes.get(10..)?, packed, size)?;
            // Every bone but the root is some bone's child.
            let expected = i32::from(count).checked_mul(48)?.checked_sub(2)?;
            Some((size == expected, rest.len()))
        };
        match walked() {
            Some((true, 0)) => Confidence::Likely,
            Some((true, _)) => Confidence::Possible,
            _ => Confidence::No,
        }
    }
}

//! The directory of a Quake pack.

use super::member::{Coding, Entry};
use super::rules;
use super::scan::{Scan, broken};
use crate::error::Refused;
use meshwright_core::Fault;
use meshwright_core::record::field;
use nom::bytes::complete::take;
use nom::number::complete::{le_i32, le_u32};
use nom::{IResult, Parser};

pub(crate) const MAGIC: &[u8] = b"PACK";

meshwright_core::record! {
    /// The beginning of the file.
    pub(crate) mod header: 12 {
        /// `PACK`.
        MAGIC = "magic": 0, Text<4>;
        /// The offset of the directory.
        START = "directory offset": 4, u32;
        /// The size of the directory in bytes, 64 per entry.
        LENGTH = "directory size": 8, u32;
    }
}

meshwright_core::record! {
    /// An entry of the directory.
    pub(crate) mod entry: 64 {
        /// The path, followed by a NUL.
        NAME = "name": 0, Text<56>;
        /// The offset of the file.
        START = "offset": 56, u32;
        /// The size of the file in bytes.
        LENGTH = "size": 60, u32;
    }
}

fn read_header(i: &[u8]) -> IResult<&[u8], (i32, i32), Fault<'_>> {
    let (i, (_, start, size)) = (
        field(header::MAGIC, take(MAGIC.len())),
        field(header::START, le_i32),
        field(header::LENGTH, le_i32),
    )
        .parse(i)?;
    Ok((i, (start, size)))
}

fn read_entry(i: &[u8]) -> IResult<&[u8], (&[u8], u32, u32), Fault<'_>> {
    (field(entry::NAME, take(entry::NAME.width)), field(entry::START, le_u32), field(entry::LENGTH, le_u32))
        .parse(i)
}

/// Reads the entries of the directory.
pub(super) fn read(scan: &mut Scan<'_>) -> Result<Vec<Entry>, Refused> {
    let head = scan.bytes(0, scan.size().min(header::SIZE as u64))?;
    if !head.starts_with(MAGIC) {
        let short = MAGIC.starts_with(&head);
        let rule = if short { rules::TRUNCATED } else { rules::MAGIC };
        return Err(broken(rule, 0, "the pack does not begin with PACK"));
    }
    let short = |_| broken(rules::TRUNCATED, head.len() as u64, "the pack ends in its header");
    let (_, (start, size)) = read_header(&head).map_err(short)?;
    let whole = u32::try_from(size).ok().filter(|size| (*size as usize).is_multiple_of(entry::SIZE));
    let (Ok(start), Some(size)) = (u64::try_from(start), whole) else {
        let message = format!("a directory of {size} bytes at {start}");
        return Err(broken(rules::DIRECTORY, header::START.offset_in(0), message));
    };
    scan.entries(u64::from(size).checked_div(entry::SIZE as u64).unwrap_or(0), 8)?;
    let bytes = scan.bytes(start, size.into())?;
    let mut entries = Vec::new();
    for (i, record) in bytes.chunks_exact(entry::SIZE).enumerate() {
        let place = start.saturating_add((i as u64).saturating_mul(entry::SIZE as u64));
        let short = |_| broken(rules::TRUNCATED, place, "the directory ends within an entry");
        let (_, (name, from, size)) = read_entry(record).map_err(short)?;
        // DarkPlaces would drop the last byte of the name.
        let name = scan.ended(name, place, entry::NAME.width);
        let mut member = Entry::stored(name, place, from.into(), size.into(), Coding::Stored);
        if member.end > scan.size() {
            let message = format!("{size} bytes at {from:#x}, the pack has {}", scan.size());
            member.refuse(rules::OUTSIDE, message);
        }
        entries.push(member);
    }
    Ok(entries)
}

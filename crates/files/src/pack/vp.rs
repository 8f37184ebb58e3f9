//! The directory of a FreeSpace pack.

use super::member::{Coding, Entry};
use super::rules;
use super::scan::{Scan, broken};
use crate::error::Refused;
use meshwright_core::Fault;
use meshwright_core::record::field;
use nom::bytes::complete::take;
use nom::number::complete::le_i32;
use nom::{IResult, Parser};

pub(crate) const MAGIC: &[u8] = b"VPVP";
const VERSION: i32 = 2;
/// The number of bytes that are taken from a name without a NUL.
const LONGEST: usize = 31;
/// The maximum depth of folders.
const DEEPEST: usize = 64;

meshwright_core::record! {
    /// The beginning of the file.
    pub(crate) mod header: 16 {
        /// `VPVP`.
        MAGIC = "magic": 0, Text<4>;
        /// 2.
        VERSION = "version": 4, u32;
        /// The offset of the index.
        INDEX = "index offset": 8, u32;
        /// The number of entries.
        COUNT = "entries": 12, u32;
    }
}

meshwright_core::record! {
    /// An entry of the index.
    pub(crate) mod entry: 44 {
        /// The offset of the file.
        START = "offset": 0, u32;
        /// The size in bytes. 0 opens a folder, or closes it if the name is `..`.
        LENGTH = "size": 4, u32;
        /// The name, a NUL, then arbitrary bytes.
        NAME = "name": 8, Text<32>;
        /// Seconds since 1970.
        TIME = "time": 40, u32;
    }
}

fn read_header(i: &[u8]) -> IResult<&[u8], (i32, i32, i32), Fault<'_>> {
    let (i, (_, version, index, count)) = (
        field(header::MAGIC, take(MAGIC.len())),
        field(header::VERSION, le_i32),
        field(header::INDEX, le_i32),
        field(header::COUNT, le_i32),
    )
        .parse(i)?;
    Ok((i, (version, index, count)))
}

fn read_entry(i: &[u8]) -> IResult<&[u8], (i32, i32, &[u8]), Fault<'_>> {
    let (i, (start, size, name, _)) = (
        field(entry::START, le_i32),
        field(entry::LENGTH, le_i32),
        field(entry::NAME, take(entry::NAME.width)),
        field(entry::TIME, le_i32),
    )
        .parse(i)?;
    Ok((i, (start, size, name)))
}

/// Returns the files of the index, with the folders that are open at their position.
pub(super) fn read(scan: &mut Scan<'_>) -> Result<Vec<Entry>, Refused> {
    let head = scan.bytes(0, scan.size().min(header::SIZE as u64))?;
    if !head.starts_with(MAGIC) {
        let rule = if MAGIC.starts_with(&head) { rules::TRUNCATED } else { rules::MAGIC };
        return Err(broken(rule, 0, "the pack does not begin with VPVP"));
    }
    let short = |_| broken(rules::TRUNCATED, head.len() as u64, "the pack ends in its header");
    let (_, (version, index, count)) = read_header(&head).map_err(short)?;
    if version != VERSION {
        scan.odd(
            rules::VERSION,
            header::VERSION.offset_in(0),
            format!("version {version}, {VERSION} is known"),
        );
    }
    let (Ok(start), Ok(count)) = (u64::try_from(index), u64::try_from(count)) else {
        let message = format!("{count} entries at {index}");
        return Err(broken(rules::TRUNCATED, header::INDEX.offset_in(0), message));
    };
    let size = count.saturating_mul(entry::SIZE as u64);
    if start.saturating_add(size) > scan.size() {
        let message = format!("{count} entries at {start:#x}, the pack has {} bytes", scan.size());
        return Err(broken(rules::TRUNCATED, header::INDEX.offset_in(0), message));
    }
    scan.entries(count, header::COUNT.offset_in(0))?;
    let bytes = scan.bytes(start, size)?;
    let (mut entries, mut open) = (Vec::new(), Vec::<Vec<u8>>::new());
    for (i, record) in bytes.chunks_exact(entry::SIZE).enumerate() {
        let place = start.saturating_add((i as u64).saturating_mul(entry::SIZE as u64));
        let short = |_| broken(rules::TRUNCATED, place, "the index ends within an entry");
        let (_, (from, size, name)) = read_entry(record).map_err(short)?;
        let name = scan.ended(name, entry::NAME.offset_in(place), LONGEST);
        match (size, name.as_slice()) {
            (0, b"..") => {
                if open.pop().is_none() {
                    scan.odd(rules::UPS, place, "the pack leaves more folders than it enters");
                }
            }
            (0, _) => {
                if open.len() >= DEEPEST {
                    return Err(broken(rules::DEEP, place, format!("more than {DEEPEST} folders")));
                }
                open.push(name);
            }
            _ => entries.push(member(scan, &open, name, place, from, size)),
        }
    }
    if !open.is_empty() {
        let message = format!("{} folders are not left", open.len());
        scan.odd(rules::UNCLOSED, start.saturating_add(size), message);
    }
    Ok(entries)
}

fn member(scan: &Scan<'_>, open: &[Vec<u8>], name: Vec<u8>, place: u64, from: i32, size: i32) -> Entry {
    let names = || open.iter().chain([&name]);
    // A name with several parts would refer to another folder.
    let no_name = |name: &Vec<u8>| {
        name.iter().any(|b| matches!(b, b'/' | b'\\')) || matches!(&**name, b"" | b"." | b"..")
    };
    let bad = names().any(no_name);
    let path = names().map(Vec::as_slice).collect::<Vec<_>>().join(&b'/');
    let (start, length) = (u64::try_from(from), u64::try_from(size));
    let inside = start.is_ok() && length.is_ok();
    let (start, length) = (start.unwrap_or(0), length.unwrap_or(0));
    let mut member = Entry::stored(path, place, start, length, Coding::MaybeLz41);
    if bad {
        member.refuse(rules::UNSAFE, "a name in a folder is no name of a file");
    }
    if !inside || member.end > scan.size() {
        member.refuse(rules::OUTSIDE, format!("{size} bytes at {from}, the pack has {}", scan.size()));
    }
    member
}

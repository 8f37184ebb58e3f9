//! The directory of a zip archive: pk3, pk4, dpk, obb.

use super::member::{Coding, Encoding, Entry};
use super::rules;
use super::scan::{Scan, broken};
use crate::error::Refused;
use meshwright_core::Fault;
use meshwright_core::Order as _;
use meshwright_core::record::field;
use nom::number::complete::{le_u16, le_u32, le_u64};
use nom::{IResult, Parser};

pub(crate) const LOCAL: u32 = 0x0403_4b50;
pub(crate) const CENTRAL: u32 = 0x0201_4b50;
pub(crate) const END: u32 = 0x0605_4b50;
const END64: u32 = 0x0606_4b50;
const LOCATOR64: u32 = 0x0706_4b50;
const EXTRA64: u16 = 1;

const ENCRYPTED: u16 = 1;
const PATCHED: u16 = 1 << 5;
const UTF8: u16 = 1 << 11;

meshwright_core::record! {
    /// The header before a member.
    pub(crate) mod local: 30 {
        /// The bytes `PK`, 3, 4.
        SIGNATURE = "signature": 0, [u8; 4];
        NEEDED = "version needed": 4, u16;
        /// `u16`: bit 0 encrypted, bit 3 sizes after the data, bit 11 UTF-8.
        FLAGS = "flags": 6, u16;
        /// `u16`: 0 stored, 8 deflated.
        METHOD = "method": 8, u16;
        /// MS-DOS time and date.
        TIME = "time": 10, u32;
        /// CRC-32.
        CHECKSUM = "crc": 14, u32;
        /// The stored size in bytes.
        PACKED = "compressed size": 18, u32;
        /// The decompressed size in bytes.
        LENGTH = "size": 22, u32;
        NAME = "name length": 26, u16;
        EXTRA = "extra length": 28, u16;
    }
}

meshwright_core::record! {
    /// An entry of the directory.
    pub(crate) mod central: 46 {
        /// The bytes `PK`, 1, 2.
        SIGNATURE = "signature": 0, [u8; 4];
        MADE_BY = "version made by": 4, u16;
        NEEDED = "version needed": 6, u16;
        FLAGS = "flags": 8, u16;
        METHOD = "method": 10, u16;
        /// MS-DOS time and date.
        TIME = "time": 12, u32;
        /// CRC-32.
        CHECKSUM = "crc": 16, u32;
        /// The stored size in bytes.
        PACKED = "compressed size": 20, u32;
        /// The decompressed size in bytes.
        LENGTH = "size": 24, u32;
        NAME = "name length": 28, u16;
        EXTRA = "extra length": 30, u16;
        COMMENT = "comment length": 32, u16;
        /// 0.
        DISK = "disk": 34, u16;
        INTERNAL = "internal attributes": 36, u16;
        /// The upper half is the mode of a Unix file.
        EXTERNAL = "external attributes": 38, u32;
        /// The offset of the local header.
        START = "offset": 42, u32;
    }
}

meshwright_core::record! {
    /// The end record of an archive.
    pub(crate) mod end: 22 {
        /// The bytes `PK`, 5, 6.
        SIGNATURE = "signature": 0, [u8; 4];
        /// 0.
        DISK = "disk": 4, u16;
        /// 0.
        FIRST_DISK = "first disk": 6, u16;
        /// The number of entries on this disk.
        HERE = "entries here": 8, u16;
        /// The number of entries.
        ALL = "entries": 10, u16;
        /// The size of the directory in bytes.
        LENGTH = "directory size": 12, u32;
        /// The offset of the directory.
        START = "directory offset": 16, u32;
        COMMENT = "comment length": 20, u16;
    }
}

type Read<'a, T> = IResult<&'a [u8], T, Fault<'a>>;

/// The local header before a member.
pub(crate) struct Local {
    pub signature: u32,
    pub method: u16,
    pub name: u16,
    pub extra: u16,
}

pub(crate) fn local_header(i: &[u8]) -> Read<'_, Local> {
    let (i, (signature, _, _, method)) = (
        field(local::SIGNATURE, le_u32),
        field(local::NEEDED, le_u16),
        field(local::FLAGS, le_u16),
        field(local::METHOD, le_u16),
    )
        .parse(i)?;
    let (i, (_, _, _, _, name, extra)) = (
        field(local::TIME, le_u32),
        field(local::CHECKSUM, le_u32),
        field(local::PACKED, le_u32),
        field(local::LENGTH, le_u32),
        field(local::NAME, le_u16),
        field(local::EXTRA, le_u16),
    )
        .parse(i)?;
    Ok((i, Local { signature, method, name, extra }))
}

struct Central {
    signature: u32,
    made_by: u16,
    flags: u16,
    method: u16,
    checksum: u32,
    packed: u32,
    size: u32,
    name: u16,
    extra: u16,
    comment: u16,
    disk: u16,
    external: u32,
    start: u32,
}

fn central_entry(i: &[u8]) -> Read<'_, Central> {
    let (i, (signature, made_by, _, flags, method, _, checksum)) = (
        field(central::SIGNATURE, le_u32),
        field(central::MADE_BY, le_u16),
        field(central::NEEDED, le_u16),
        field(central::FLAGS, le_u16),
        field(central::METHOD, le_u16),
        field(central::TIME, le_u32),
        field(central::CHECKSUM, le_u32),
    )
        .parse(i)?;
    let (i, (packed, size, name, extra, comment, disk, _, external, start)) = (
        field(central::PACKED, le_u32),
        field(central::LENGTH, le_u32),
        field(central::NAME, le_u16),
        field(central::EXTRA, le_u16),
        field(central::COMMENT, le_u16),
        field(central::DISK, le_u16),
        field(central::INTERNAL, le_u16),
        field(central::EXTERNAL, le_u32),
        field(central::START, le_u32),
    )
        .parse(i)?;
    let entry = Central {
        signature,
        made_by,
        flags,
        method,
        checksum,
        packed,
        size,
        name,
        extra,
        comment,
        disk,
        external,
        start,
    };
    Ok((i, entry))
}

/// The location of the directory and its number of entries, from the end record.
#[derive(Clone, Copy, Debug, Default)]
struct EndRecord {
    disk: u32,
    first_disk: u32,
    here: u64,
    all: u64,
    size: u64,
    start: u64,
    comment: u16,
}

fn end_record(i: &[u8]) -> Read<'_, EndRecord> {
    let (i, (_, disk, first_disk, here, all, size, start, comment)) = (
        field(end::SIGNATURE, le_u32),
        field(end::DISK, le_u16),
        field(end::FIRST_DISK, le_u16),
        field(end::HERE, le_u16),
        field(end::ALL, le_u16),
        field(end::LENGTH, le_u32),
        field(end::START, le_u32),
        field(end::COMMENT, le_u16),
    )
        .parse(i)?;
    let end = EndRecord {
        disk: disk.into(),
        first_disk: first_disk.into(),
        here: here.into(),
        all: all.into(),
        size: size.into(),
        start: start.into(),
        comment,
    };
    Ok((i, end))
}

/// Reads the end record of zip64: signature, its size, versions, disks, counts, directory.
fn end64(i: &[u8]) -> Read<'_, (u32, EndRecord)> {
    let (i, (signature, _, _, _, disk, first_disk, here, all, size, start)) =
        (le_u32, le_u64, le_u16, le_u16, le_u32, le_u32, le_u64, le_u64, le_u64, le_u64).parse(i)?;
    Ok((i, (signature, EndRecord { disk, first_disk, here, all, size, start, comment: 0 })))
}

/// The offsets of an archive's parts, and its number of entries.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// The start of the directory.
    pub directory: u64,
    /// The end of the directory, and the start of the end records.
    pub directory_end: u64,
    /// The number of entries.
    pub entries: u64,
    /// The value that is added to every offset, because of extra bytes before the archive.
    pub shift: u64,
}

/// Locates the directory by the end record.
pub(crate) fn layout(scan: &mut Scan<'_>) -> Result<Layout, Refused> {
    let (at, mut end) = find_end(scan)?;
    let last = at.saturating_add(end::SIZE as u64).saturating_add(end.comment.into());
    if last < scan.size() {
        let message = format!("{} bytes after the end", scan.size().saturating_sub(last));
        scan.odd(rules::TRAILING, last, message);
    }
    let mut directory_end = at;
    if let Some((at64, end64)) = find_end64(scan, at)? {
        scan.odd(rules::ZIP64, at64, "the archive has an end record of zip64");
        (directory_end, end) = (at64, end64);
    }
    if (end.disk, end.first_disk) != (0, 0) || end.here != end.all {
        return Err(broken(rules::VOLUMES, at, "the archive is one of several volumes"));
    }
    let directory = directory_end.checked_sub(end.size);
    let shift = directory.and_then(|directory| directory.checked_sub(end.start));
    let (Some(directory), Some(shift)) = (directory, shift) else {
        let message = format!("{} bytes at {:#x} do not end at {directory_end:#x}", end.size, end.start);
        return Err(broken(rules::DIRECTORY, at, message));
    };
    if shift > 0 {
        scan.odd(rules::PREPENDED, 0, format!("{shift} extra bytes before the archive"));
    }
    Ok(Layout { directory, directory_end, entries: end.all, shift })
}

/// Finds the end record: preferably one whose comment ends with the file, otherwise the last one whose
/// comment fits.
fn find_end(scan: &Scan<'_>) -> Result<(u64, EndRecord), Refused> {
    const LONGEST: u64 = 65_557;
    let from = scan.size().saturating_sub(LONGEST);
    let tail = scan.bytes(from, scan.size().saturating_sub(from))?;
    let signature = END.to_le_bytes();
    let mut fits = None;
    for (at, window) in tail.windows(end::SIZE).enumerate().rev() {
        if !window.starts_with(&signature) {
            continue;
        }
        let Ok((_, end)) = end_record(window) else { continue };
        let behind = tail.len().saturating_sub(at).saturating_sub(end::SIZE);
        let place = from.saturating_add(at as u64);
        if behind == usize::from(end.comment) {
            return Ok((place, end));
        }
        if behind > usize::from(end.comment) && fits.is_none() {
            fits = Some((place, end));
        }
    }
    fits.ok_or_else(|| {
        let begins = scan.size() == 0 || scan.bytes(0, 2).is_ok_and(|b| b == b"PK");
        let rule = if begins { rules::TRUNCATED } else { rules::MAGIC };
        broken(rule, scan.size(), "the archive has no end record")
    })
}

fn find_end64(scan: &Scan<'_>, at: u64) -> Result<Option<(u64, EndRecord)>, Refused> {
    const LOCATOR: u64 = 20;
    const RECORD: u64 = 56;
    let Some(from) = at.checked_sub(LOCATOR) else { return Ok(None) };
    if !scan.bytes(from, LOCATOR)?.starts_with(&LOCATOR64.to_le_bytes()) {
        return Ok(None);
    }
    // The record is directly before its locator. The locator's offset is wrong if extra bytes come before
    // the archive, so it is not used.
    let Some(at64) = from.checked_sub(RECORD) else { return Ok(None) };
    let bytes = scan.bytes(at64, RECORD)?;
    match end64(&bytes) {
        Ok((_, (END64, end))) => Ok(Some((at64, end))),
        _ => Err(broken(rules::DIRECTORY, from, "there is no end record of zip64 where one should be")),
    }
}

/// An entry of the directory whose fields are not checked.
pub(crate) struct Record<'a> {
    /// All bytes of the entry.
    pub bytes: &'a [u8],
    pub name: &'a [u8],
    /// The stated offset of the member.
    pub start: u32,
}

/// Splits the bytes of a directory into entries.
pub(crate) fn records(directory: &[u8]) -> Option<Vec<Record<'_>>> {
    let (mut records, mut rest) = (Vec::new(), directory);
    while !rest.is_empty() {
        let (behind, entry) = central_entry(rest).ok()?;
        let name = behind.get(..entry.name.into())?;
        let more =
            usize::from(entry.name).checked_add(entry.extra.into())?.checked_add(entry.comment.into())?;
        let (bytes, left) = rest.split_at_checked(central::SIZE.checked_add(more)?)?;
        records.push(Record { bytes, name, start: entry.start });
        rest = left;
    }
    Some(records)
}

/// Reads the entries of the directory.
pub(super) fn read(scan: &mut Scan<'_>) -> Result<Vec<Entry>, Refused> {
    let layout = layout(scan)?;
    scan.entries(layout.entries, layout.directory_end)?;
    let bytes = scan.bytes(layout.directory, layout.directory_end.saturating_sub(layout.directory))?;
    let (mut entries, mut rest, mut seen) = (Vec::new(), bytes.as_slice(), 0_u64);
    while !rest.is_empty() {
        let place = layout.directory_end.saturating_sub(rest.len() as u64);
        let bad = |message: &'static str| broken(rules::DIRECTORY, place, message);
        let (behind, entry) = central_entry(rest).map_err(|_| bad("the directory ends within an entry"))?;
        if entry.signature != CENTRAL {
            return Err(bad("no entry begins where one should"));
        }
        let mut behind = behind;
        let mut take = |count: u16| {
            let (taken, left) = behind
                .split_at_checked(count.into())
                .ok_or_else(|| bad("the directory ends within an entry"))?;
            behind = left;
            Ok::<_, Refused>(taken)
        };
        let (name, extra) = (take(entry.name)?, take(entry.extra)?);
        take(entry.comment)?;
        rest = behind;
        seen = seen.saturating_add(1);
        if seen > layout.entries {
            break;
        }
        // Skip folders and volume labels.
        if name.ends_with(b"/") || entry.external & 0x18 != 0 {
            continue;
        }
        entries.push(member(&entry, name, extra, place, layout)?);
    }
    if seen != layout.entries {
        let message = format!("{} entries are announced, {seen} or more are there", layout.entries);
        return Err(broken(rules::DIRECTORY, layout.directory, message));
    }
    overlaps(&mut entries, layout.directory);
    Ok(entries)
}

fn member(entry: &Central, name: &[u8], extra: &[u8], place: u64, layout: Layout) -> Result<Entry, Refused> {
    let (mut size, mut packed) = (u64::from(entry.size), u64::from(entry.packed));
    let (mut start, mut disk) = (u64::from(entry.start), u32::from(entry.disk));
    let announced = [&mut size, &mut packed, &mut start];
    if announced.iter().any(|v| **v == u32::MAX.into()) || disk == u16::MAX.into() {
        let mut wide = extra64(extra);
        for value in announced {
            if *value == u32::MAX.into()
                && let Ok((rest, v)) = le_u64::<_, nom::error::Error<&[u8]>>(wide)
            {
                (wide, *value) = (rest, v);
            }
        }
        if disk == u16::MAX.into()
            && let Ok((_, v)) = le_u32::<_, nom::error::Error<&[u8]>>(wide)
        {
            disk = v;
        }
    }
    if disk != 0 {
        return Err(broken(rules::VOLUMES, place, "a member is on another volume"));
    }
    let coding = if entry.method == 0 { Coding::ZipStored } else { Coding::Deflated };
    let start = start.saturating_add(layout.shift);
    let mut member = Entry {
        encoding: if entry.flags & UTF8 != 0 { Encoding::Utf8 } else { Encoding::Dos },
        packed,
        end: layout.directory,
        checksum: Some(entry.checksum),
        ..Entry::stored(name.to_vec(), place, start, size, coding)
    };
    const UNIX: u16 = 3;
    let is_link = entry.made_by >> 8 == UNIX && (entry.external >> 16) & 0o170_000 == 0o120_000;
    if entry.flags & (ENCRYPTED | PATCHED) != 0 {
        member.refuse(rules::ENCRYPTED, "the file is encrypted");
    } else if is_link {
        member.refuse(rules::LINK, "the file is a symbolic link");
    } else if !matches!(entry.method, 0 | 8) {
        let message = format!("the file is compressed by method {}", entry.method);
        member.refuse(rules::METHOD, message);
    } else if least_end(&member) > layout.directory {
        let message = format!("{packed} bytes from {start:#x} on reach into the directory or beyond");
        member.refuse(rules::OUTSIDE, message);
    } else if entry.method == 0 && packed != size {
        member.refuse(rules::LYING_SIZE, format!("{size} bytes are stored as {packed}"));
    }
    Ok(member)
}

/// Returns the zip64 field among the extra fields of an entry.
fn extra64(mut extra: &[u8]) -> &[u8] {
    let mut header = (le_u16::<_, nom::error::Error<&[u8]>>, le_u16);
    while let Ok((rest, (id, length))) = header.parse(extra) {
        let Some((own, rest)) = rest.split_at_checked(length.into()) else { break };
        if id == EXTRA64 {
            return own;
        }
        extra = rest;
    }
    &[]
}

/// Returns the earliest end of a member. The name in the local header may be shorter than in the directory.
fn least_end(entry: &Entry) -> u64 {
    entry.start.saturating_add(local::SIZE as u64).saturating_add(entry.packed)
}

/// Rejects entries that share bytes, and sets the end of each member to the start of the next.
fn overlaps(entries: &mut [Entry], directory: u64) {
    let mut order: Vec<usize> = (0..entries.len()).collect();
    let key = |i: &usize| entries.get(*i).map(|e| (e.start, least_end(e)));
    order.order_by_key(key);
    // The entry with the largest end so far.
    let mut furthest: Option<(usize, u64)> = None;
    for i in order {
        let Some(entry) = entries.get_mut(i) else { continue };
        let (start, end) = (entry.start, least_end(entry));
        if end > directory {
            continue;
        }
        if let Some((before, until)) = furthest {
            let shares = start < until;
            if shares {
                entry.refuse(rules::OVERLAP, format!("begins at {start:#x}, within another file"));
            }
            if let Some(before) = entries.get_mut(before) {
                if shares {
                    before.refuse(rules::OVERLAP, format!("another file begins at {start:#x}, within it"));
                }
                before.end = before.end.min(start.max(before.start));
            }
        }
        if furthest.is_none_or(|(_, until)| end > until) {
            furthest = Some((i, end));
        }
    }
}

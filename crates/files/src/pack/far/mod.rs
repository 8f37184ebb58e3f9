//! The directory of an archive of The Sims: FAR version 1, in two variants, and version 3.

mod entry;
pub(crate) mod rules;

pub use entry::FarVersion;
pub(crate) use entry::Raw;

use super::member::{Coding, Entry, Fault};
use super::refpack;
use super::scan::{Scan, broken};
use crate::error::Refused;
use entry::{Manifest, manifest};
use meshwright_core::Order as _;
use meshwright_core::record::field;
use nom::bytes::complete::take;
use nom::number::complete::le_u32;
use nom::{IResult, Parser};

/// The magic of all versions.
pub(crate) const MAGIC: &[u8] = b"FAR!byAZ";
/// The part of the magic that identifies this kind of pack.
pub(crate) const HEAD: &[u8] = b"FAR!";

meshwright_core::record! {
    /// The beginning of the file.
    pub(crate) mod header: 16 {
        /// `FAR!byAZ`.
        MAGIC = "magic": 0, Text<8>;
        /// 1 or 3.
        VERSION = "version": 8, u32;
        /// The offset of the manifest.
        MANIFEST = "manifest offset": 12, u32;
    }
}

fn read_header(i: &[u8]) -> IResult<&[u8], (u32, u32), meshwright_core::Fault<'_>> {
    let (i, (_, version, manifest)) = (
        field(header::MAGIC, take(MAGIC.len())),
        field(header::VERSION, le_u32),
        field(header::MANIFEST, le_u32),
    )
        .parse(i)?;
    Ok((i, (version, manifest)))
}

/// Reads all entries, in the variant that fits the file's size.
pub(crate) fn parse(scan: &mut Scan<'_>) -> Result<Manifest, Refused> {
    let head = scan.bytes(0, scan.size().min(header::SIZE as u64))?;
    if !head.starts_with(MAGIC) {
        return Err(broken(rules::MAGIC, 0, "the file does not begin with FAR!byAZ"));
    }
    let short = |_| broken(rules::TRUNCATED, head.len() as u64, "the file ends in its header");
    let (_, (version, at)) = read_header(&head).map_err(short)?;
    let variants: &[FarVersion] = match version {
        1 => &[FarVersion::OneA, FarVersion::OneB],
        3 => &[FarVersion::Three],
        _ => {
            let message = format!("version {version}, only 1 and 3 are known");
            return Err(broken(rules::VERSION, header::VERSION.offset_in(0), message));
        }
    };
    let (at, size) = (u64::from(at), scan.size());
    if at < header::SIZE as u64 || at.saturating_add(4) > size {
        let message = format!("a manifest at {at:#x}, the file has {size} bytes");
        return Err(broken(rules::MANIFEST_OFFSET, header::MANIFEST.offset_in(0), message));
    }
    let bytes = scan.bytes(at, size.saturating_sub(at))?;
    let mut first = None;
    for variant in variants {
        match manifest(scan, &bytes, at, *variant) {
            Ok(found) => return Ok(found),
            // If neither variant fits, the error of the first one is reported.
            Err(e) => first = first.or(Some(e)),
        }
    }
    Err(first.unwrap_or_else(|| broken(rules::VERSION, header::VERSION.offset_in(0), "no variant is known")))
}

/// Reads the entries of the directory.
pub(super) fn read(scan: &mut Scan<'_>) -> Result<Vec<Entry>, Refused> {
    let found = parse(scan)?;
    report_shared(&found, scan);
    let mut entries = Vec::with_capacity(found.entries.len());
    let mut ids = meshwright_core::SortedMap::new();
    for raw in found.entries {
        if raw.name.iter().any(|b| !(0x20..=0x7e).contains(b)) {
            let message = format!("{} is not plain ASCII", meshwright_core::text::Escaped(&raw.name));
            scan.odd(rules::NAME_ENCODING, raw.name_at, message);
        }
        if let Some((file, kind)) = raw.id
            && ids.insert((file, kind), raw.place).is_some()
        {
            scan.odd(
                rules::ID_DUP,
                raw.kind_at(),
                format!("file {file:#010x} of type {kind} is there twice"),
            );
        }
        entries.push(entry(raw, scan.size()));
    }
    Ok(entries)
}

fn entry(raw: Raw, size: u64) -> Entry {
    let (compressed, stored) = (raw.compressed, u64::from(raw.stored));
    let coding = if compressed { Coding::RefPack } else { Coding::Stored };
    let fault = fault(&raw, size);
    let (shown, size_said) = (raw.path(), raw.size.into());
    let mut entry = Entry::stored(raw.name, raw.place, raw.offset.into(), stored, coding);
    entry.size = size_said;
    entry.shown = Some(shown);
    entry.fault = fault;
    entry
}

/// Returns the reason why a member cannot be read, as far as its entry shows it.
fn fault(raw: &Raw, size: u64) -> Option<Fault> {
    let [size_at, stored_at, kind_at, offset_at] = raw.fields();
    let (said, stored) = (u64::from(raw.size), u64::from(raw.stored));
    if u64::from(raw.offset).saturating_add(stored) > size {
        let message = format!("{stored} bytes at {:#x}, the file has {size}", raw.offset);
        return Some(Fault::at_offset(rules::ENTRY_RANGE, offset_at, message));
    }
    if raw.id.is_some() && !matches!(raw.data_type, 0 | entry::COMPRESSED) {
        let message = format!("data of type {:#x}, only 0 and 0x80 are known", raw.data_type);
        return Some(Fault::at_offset(rules::DATA_TYPE, kind_at, message));
    }
    if !raw.compressed && said != stored {
        let message = format!("{said} bytes that are stored as {stored}");
        return Some(Fault::at_offset(rules::ENTRY_SIZE, stored_at, message));
    }
    if raw.compressed && said > stored.saturating_mul(refpack::MOST) {
        let message = format!("{said} bytes out of {stored}, which no command can make");
        return Some(Fault::at_offset(rules::LIMIT, size_at, message));
    }
    None
}

/// Reports members that share bytes, and unused bytes after the manifest.
fn report_shared(found: &Manifest, scan: &mut Scan<'_>) {
    let ends = |raw: &Raw| u64::from(raw.offset).saturating_add(raw.stored.into());
    let mut by_start: Vec<(u64, u64, u64)> = found
        .entries
        .iter()
        .filter(|raw| raw.stored > 0)
        .map(|raw| (u64::from(raw.offset), ends(raw), raw.fields()[3]))
        .collect();
    by_start.order();
    let mut last = 0;
    for (start, end, at) in &by_start {
        let in_manifest = *start < found.end && *end > found.start;
        if *start < last || in_manifest {
            scan.odd(
                rules::ENTRY_OVERLAP,
                *at,
                format!("bytes from {start:#x} on are of something else too"),
            );
        }
        last = last.max(*end);
    }
    let excess = scan.size().saturating_sub(found.end);
    if excess > 0 && last <= found.end {
        scan.odd(rules::TRAILING, found.end, format!("{excess} bytes after the manifest"));
    }
}

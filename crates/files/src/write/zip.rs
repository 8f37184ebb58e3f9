//! Writes a zip archive without times, extra fields or anything else that could differ between runs.

use super::pak::{copy, range};
use super::{PackBuilder, Packed, write_error};
use crate::pack::Pack;
use crate::pack::scan::Scan;
use crate::pack::zip::{CENTRAL, END, LOCAL, central, end, layout, local, records};
use crate::path::TreePath;
use meshwright_core::Order as _;
use meshwright_core::{ByteWriter, SortedMap};
use std::io::{self, Write};

/// The maximum length of a name in DarkPlaces.
pub(super) const NAME: usize = 127;
const VERSION: u16 = 20;
/// The flag for UTF-8 names.
const UTF8: u16 = 1 << 11;
/// The time of all members: midnight of the first day of 1980.
const TIME: u32 = 0x0021_0000;
/// The compression level: the smallest result.
#[cfg(feature = "deflate")]
const SMALLEST: u8 = 9;

/// Fields that are both in a directory entry and in the header before the file.
struct SharedFields<'n> {
    name: &'n [u8],
    method: u16,
    checksum: u32,
    packed: u32,
    size: u32,
}

/// The state of writing an archive.
struct Archive<'o> {
    out: &'o mut dyn Write,
    at: u64,
    directory: ByteWriter,
    count: u64,
    /// The value that is subtracted from offsets: the size of extra bytes before the archive.
    shift: u64,
}

fn fit(value: u64) -> io::Result<u32> {
    // In zip64 the largest value means that another field has the real one.
    let fits = u32::try_from(value).ok().filter(|v| *v < u32::MAX);
    fits.ok_or_else(|| write_error("", "an archive of more than 4 GiB is not written"))
}

/// Compresses bytes.
#[cfg(feature = "deflate")]
fn deflated(bytes: &[u8]) -> Vec<u8> {
    miniz_oxide::deflate::compress_to_vec(bytes, SMALLEST)
}

/// Stores every file, because the build lacks the feature.
#[cfg(not(feature = "deflate"))]
fn deflated(bytes: &[u8]) -> Vec<u8> {
    bytes.to_vec()
}

impl Archive<'_> {
    fn start(&self) -> io::Result<u32> {
        fit(self.at.saturating_sub(self.shift))
    }

    /// Adds a file, compressed if that makes it smaller.
    fn add(&mut self, name: &[u8], bytes: &[u8]) -> io::Result<()> {
        let packed = deflated(bytes);
        let (method, data) = if packed.len() < bytes.len() { (8, &*packed) } else { (0, bytes) };
        let (packed, size) = (fit(data.len() as u64)?, fit(bytes.len() as u64)?);
        let said = SharedFields { name, method, checksum: crc32fast::hash(bytes), packed, size };
        let start = self.start()?;
        let mut head = ByteWriter::new();
        head.record(local::SIZE, |r| {
            r.le_u32(local::SIGNATURE, LOCAL);
            r.le_u16(local::NEEDED, VERSION);
            r.le_u16(local::FLAGS, flags(name));
            r.le_u16(local::METHOD, said.method);
            r.le_u32(local::TIME, TIME);
            r.le_u32(local::CHECKSUM, said.checksum);
            r.le_u32(local::PACKED, said.packed);
            r.le_u32(local::LENGTH, said.size);
            r.le_u16(local::NAME, length(name));
        });
        for part in [head.as_bytes(), name, data] {
            self.out.write_all(part)?;
            self.at = self.at.saturating_add(part.len() as u64);
        }
        self.entry(&said, start);
        Ok(())
    }

    fn entry(&mut self, said: &SharedFields<'_>, start: u32) {
        self.count = self.count.saturating_add(1);
        self.directory.record(central::SIZE, |r| {
            r.le_u32(central::SIGNATURE, CENTRAL);
            r.le_u16(central::MADE_BY, VERSION);
            r.le_u16(central::NEEDED, VERSION);
            r.le_u16(central::FLAGS, flags(said.name));
            r.le_u16(central::METHOD, said.method);
            r.le_u32(central::TIME, TIME);
            r.le_u32(central::CHECKSUM, said.checksum);
            r.le_u32(central::PACKED, said.packed);
            r.le_u32(central::LENGTH, said.size);
            r.le_u16(central::NAME, length(said.name));
            r.le_u32(central::START, start);
        });
        self.directory.bytes(said.name);
    }

    /// Writes the directory and the end records. The bytes after the end are copied from the original.
    fn finish(self, end_of_original: Option<&[u8]>) -> io::Result<()> {
        let start = self.start()?;
        let size = fit(self.directory.as_bytes().len() as u64)?;
        let count = u16::try_from(self.count).ok().filter(|n| *n < u16::MAX);
        let count =
            count.ok_or_else(|| write_error("", "an archive of more than 65534 files is not written"))?;
        let mut tail = ByteWriter::new();
        tail.record(end::SIZE, |r| {
            r.le_u32(end::SIGNATURE, END);
            r.le_u16(end::HERE, count);
            r.le_u16(end::ALL, count);
            r.le_u32(end::LENGTH, size);
            r.le_u32(end::START, start);
        });
        let mut tail = tail.into_bytes();
        if let Some(original) = end_of_original {
            // Copy the length of the comment, the comment, and the bytes after it.
            tail.truncate(end::COMMENT.offset);
            tail.extend_from_slice(original.get(end::COMMENT.offset..).unwrap_or_default());
        }
        self.out.write_all(self.directory.as_bytes())?;
        self.out.write_all(&tail)
    }
}

fn flags(name: &[u8]) -> u16 {
    if !name.is_ascii() && std::str::from_utf8(name).is_ok() { UTF8 } else { 0 }
}

fn length(name: &[u8]) -> u16 {
    u16::try_from(name.len()).unwrap_or(u16::MAX)
}

pub(super) fn write(builder: &PackBuilder<'_>, out: &mut dyn Write) -> io::Result<Packed> {
    let mut done = Packed::default();
    let mut archive = Archive { out, at: 0, directory: ByteWriter::new(), count: 0, shift: 0 };
    let new = builder.new_files();
    let mut tail = None;
    if let Some(pack) = builder.onto {
        let replaced = replaced(builder, pack, &mut done)?;
        if replaced.is_empty() && new.is_empty() {
            done.files = done.untouched;
            return copy(builder, archive.out).map(|()| done);
        }
        tail = Some(write_kept_members(builder, pack, &replaced, &mut archive)?);
    }
    for file in new {
        let bytes = (file.content)().map_err(io::Error::other)?;
        archive.add(file.path.as_bytes(), &bytes)?;
        done.files = done.files.saturating_add(1);
    }
    done.files = done.files.saturating_add(done.untouched).saturating_add(done.replaced);
    archive.finish(tail.as_deref())?;
    Ok(done)
}

/// Returns the files whose bytes differ from the original, by the offset of their directory entry.
fn replaced(
    builder: &PackBuilder<'_>,
    pack: &Pack,
    done: &mut Packed,
) -> io::Result<SortedMap<u64, TreePath>> {
    let mut places = SortedMap::new();
    for member in pack.members() {
        // A member that shares bytes with others cannot be kept.
        if member.refusal().is_some_and(|e| e.code() == "overlap") {
            return Err(write_error(pack.name(), "has entries that share bytes"));
        }
        match builder.replaced(member.path())?.and(member.path()) {
            Some(path) => {
                places.insert(member.place, path.clone());
                done.replaced = done.replaced.saturating_add(1);
            }
            None => done.untouched = done.untouched.saturating_add(1),
        }
    }
    Ok(places)
}

/// Copies the unchanged parts of the original, and writes the replaced files. Returns the end offset.
fn write_kept_members(
    builder: &PackBuilder<'_>,
    pack: &Pack,
    replaced: &SortedMap<u64, TreePath>,
    archive: &mut Archive<'_>,
) -> io::Result<Vec<u8>> {
    let unreadable =
        || write_error(pack.name(), "cannot be built upon: its directory is not as it should be");
    let budget = builder.budget();
    let mut scan = Scan::new(pack.source(), &budget);
    let layout = layout(&mut scan).map_err(|_| unreadable())?;
    let directory = scan.bytes(layout.directory, layout.directory_end.saturating_sub(layout.directory));
    let directory = directory.map_err(|_| unreadable())?;
    let records = records(&directory).ok_or_else(unreadable)?;
    let tail = scan.bytes(layout.directory_end, pack.size().saturating_sub(layout.directory_end));
    let tail = tail.map_err(|_| unreadable())?;
    if !tail.starts_with(&END.to_le_bytes()) {
        return Err(write_error(pack.name(), "has fields of zip64, which engines do not read"));
    }
    // Each entry with the offset of its member and of the entry itself.
    let mut place = layout.directory;
    let mut order = Vec::new();
    for (i, record) in records.iter().enumerate() {
        order.push((u64::from(record.start).saturating_add(layout.shift), i, place));
        place = place.saturating_add(record.bytes.len() as u64);
    }
    order.order();
    let first = order.first().map_or(layout.directory, |(start, ..)| *start);
    range(pack.source(), 0, first, archive.out)?;
    (archive.at, archive.shift) = (first, layout.shift);
    let ends = order.iter().skip(1).map(|(start, ..)| *start).chain([layout.directory]);
    let mut entries = SortedMap::new();
    for ((start, i, place), end) in order.iter().zip(ends) {
        let Some(record) = records.get(*i) else { continue };
        let before = std::mem::take(&mut archive.directory);
        if let Some(path) = replaced.get(place) {
            let bytes = builder.replaced(Some(path))?.unwrap_or_default();
            archive.add(record.name, &bytes)?;
        } else {
            let mut bytes = record.bytes.to_vec();
            let at = archive.start()?.to_le_bytes();
            let field = bytes.get_mut(central::START.offset..).and_then(|b| b.get_mut(..at.len()));
            field.ok_or_else(unreadable)?.copy_from_slice(&at);
            range(pack.source(), *start, end, archive.out)?;
            archive.at = archive.at.saturating_add(end.saturating_sub(*start));
            archive.directory.bytes(&bytes);
            archive.count = archive.count.saturating_add(1);
        }
        entries.insert(*i, std::mem::replace(&mut archive.directory, before));
    }
    // Write them in the order of the directory.
    for entry in entries.values() {
        archive.directory.bytes(entry.as_bytes());
    }
    Ok(tail)
}

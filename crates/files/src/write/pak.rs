//! Writes a Quake pack: the files, then the directory.

use super::{File, PackBuilder, Packed, write_error};
use crate::pack::Member;
use crate::pack::pak::{MAGIC, entry, header};
use crate::path::display_name;
use meshwright_core::ByteWriter;
use std::io::{self, Write};

/// The maximum length of a name, without its NUL.
pub(super) const NAME: usize = entry::NAME.width - 1;
/// The maximum number of files that engines read.
const FILES: usize = 65_536;

/// A file of the pack, and the source of its bytes.
struct Item<'b> {
    name: Vec<u8>,
    kept: Option<&'b Member>,
    file: Option<&'b File<'b>>,
    size: u64,
}

impl Item<'_> {
    fn bytes(&self, builder: &PackBuilder<'_>) -> io::Result<Vec<u8>> {
        let bytes = match (self.kept, builder.onto, self.file) {
            (Some(member), Some(pack), _) => pack.read(member, &builder.budget()),
            (_, _, Some(file)) => (file.content)(),
            _ => Ok(Vec::new()),
        };
        bytes.map_err(io::Error::other)
    }
}

/// Returns the files of the pack in order. Only sizes are kept in memory. The header has the offset of the
/// directory, so every file is read twice.
fn items<'b>(builder: &'b PackBuilder<'b>, done: &mut Packed) -> io::Result<Vec<Item<'b>>> {
    let mut items = Vec::new();
    for member in builder.onto.iter().flat_map(|pack| pack.members()) {
        let name = member.stored_name().to_vec();
        items.push(match builder.replaced(member.path())? {
            Some(bytes) => {
                done.replaced = done.replaced.saturating_add(1);
                let file = member.path().and_then(|path| builder.files.get(&path.folded()));
                Item { name, kept: None, file, size: bytes.len() as u64 }
            }
            None => {
                done.untouched = done.untouched.saturating_add(1);
                Item { name, kept: Some(member), file: None, size: member.size() }
            }
        });
    }
    for file in builder.new_files() {
        let name = file.path.as_bytes().to_vec();
        let mut item = Item { name, kept: None, file: Some(file), size: 0 };
        item.size = item.bytes(builder)?.len() as u64;
        items.push(item);
    }
    Ok(items)
}

pub(super) fn write(builder: &PackBuilder<'_>, out: &mut dyn Write) -> io::Result<Packed> {
    let mut done = Packed::default();
    let items = items(builder, &mut done)?;
    done.files = items.len() as u64;
    if builder.onto.is_some() && done.files == done.untouched {
        return copy(builder, out).map(|()| done);
    }
    if items.len() > FILES {
        return Err(write_error("", format!("a pack of Quake's holds at most {FILES} files")));
    }
    let fit = |n: u64| {
        let fits = i32::try_from(n).ok().and_then(|n| u32::try_from(n).ok());
        fits.ok_or_else(|| write_error("", "a pack of Quake's holds at most 2 GiB"))
    };
    let (mut at, mut directory) = (header::SIZE as u64, ByteWriter::new());
    for item in &items {
        let (start, size) = (fit(at)?, fit(item.size)?);
        let mut name = item.name.clone();
        name.resize(entry::NAME.width, 0);
        directory.record(entry::SIZE, |r| {
            r.bytes(entry::NAME, &name);
            r.le_u32(entry::START, start);
            r.le_u32(entry::LENGTH, size);
        });
        at = at.saturating_add(item.size);
    }
    let (start, size) = (fit(at)?, fit(directory.as_bytes().len() as u64)?);
    let mut head = ByteWriter::new();
    head.record(header::SIZE, |r| {
        r.bytes(header::MAGIC, MAGIC);
        r.le_u32(header::START, start);
        r.le_u32(header::LENGTH, size);
    });
    out.write_all(head.as_bytes())?;
    for item in &items {
        let bytes = item.bytes(builder)?;
        if bytes.len() as u64 != item.size {
            return Err(write_error(&display_name(&item.name), "changed while it was read"));
        }
        out.write_all(&bytes)?;
    }
    out.write_all(directory.as_bytes())?;
    Ok(done)
}

/// Copies the whole original.
pub(super) fn copy(builder: &PackBuilder<'_>, out: &mut dyn Write) -> io::Result<()> {
    let Some(pack) = builder.onto else { return Ok(()) };
    range(pack.source(), 0, pack.size(), out)
}

/// Copies some bytes of the original.
pub(super) fn range(
    source: &dyn crate::byte_source::ByteSource,
    mut from: u64,
    to: u64,
    out: &mut dyn Write,
) -> io::Result<()> {
    const CHUNK: u64 = 64 << 10;
    let mut chunk = vec![0; usize::try_from(CHUNK).unwrap_or(0)];
    while from < to {
        let count = to.saturating_sub(from).min(CHUNK);
        let chunk = usize::try_from(count).ok().and_then(|n| chunk.get_mut(..n)).unwrap_or_default();
        source.read_at(from, chunk)?;
        out.write_all(chunk)?;
        from = from.saturating_add(count);
    }
    Ok(())
}

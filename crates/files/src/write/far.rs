//! Writes an archive of The Sims: the members, then the manifest.

use super::{File, PackBuilder, Packed, pak, write_error};
use crate::pack::far::{FarVersion, MAGIC, Raw, header, parse};
use crate::pack::scan::Scan;
use crate::path::TreePath;
use meshwright_core::ByteWriter;
use std::io::{self, Write};

/// The maximum length of a name in all variants.
pub(super) const NAME: usize = 0xffff;
/// The maximum size of a member of version 3, whose stored size has 24 bits.
const LARGEST_STORED: u32 = 0x00ff_ffff;

/// A member to write: its entry without the offset, and the source of its bytes.
struct Item<'b> {
    raw: Raw,
    /// The offset in the original, if the stored bytes are copied from there.
    kept: Option<u64>,
    file: Option<&'b File<'b>>,
}

fn new(file: &File<'_>, variant: FarVersion) -> Raw {
    let (name, id) = if variant == FarVersion::Three { untagged(&file.path) } else { (None, None) };
    let name = name.unwrap_or_else(|| file.path.as_bytes().to_vec());
    let id = if variant == FarVersion::Three { Some(id.unwrap_or_default()) } else { None };
    Raw {
        variant,
        place: 0,
        name_at: 0,
        size: 0,
        stored: 0,
        data_type: 0,
        compressed: false,
        offset: 0,
        id,
        name,
    }
}

/// Splits a name into the name without its file and type numbers (sixteen digits before the extension) and
/// the numbers.
fn untagged(path: &TreePath) -> (Option<Vec<u8>>, Option<(u32, u32)>) {
    let text = path.text();
    let found = || {
        let (rest, extension) = text.rsplit_once('.')?;
        let (stem, tag) = rest.rsplit_once('.').unwrap_or(("", rest));
        let digits = tag.len() == 16 && tag.bytes().all(|b| b.is_ascii_hexdigit());
        let (file, kind) = tag.split_at_checked(8).filter(|_| digits)?;
        let number = |digits| u32::from_str_radix(digits, 16).ok();
        let name = if stem.is_empty() { String::new() } else { format!("{stem}.{extension}") };
        Some((name.into_bytes(), (number(file)?, number(kind)?)))
    };
    found().map_or((None, None), |(name, id)| (Some(name), Some(id)))
}

/// Returns whether a name includes file and type numbers.
pub(super) fn is_numbered(path: &TreePath) -> bool {
    untagged(path).1.is_some()
}

/// Returns the members of the archive in order, and its variant.
fn items<'b>(builder: &'b PackBuilder<'b>, done: &mut Packed) -> io::Result<(FarVersion, Vec<Item<'b>>)> {
    let (mut items, mut variant) = (Vec::new(), None);
    if let Some(pack) = builder.onto {
        let budget = builder.budget();
        let again = |_| write_error(pack.name(), "is not read a second time");
        let manifest = parse(&mut Scan::new(pack.source(), &budget)).map_err(again)?;
        variant = Some(manifest.variant);
        for (mut raw, member) in manifest.entries.into_iter().zip(pack.members()) {
            let Some(bytes) = builder.replaced(member.path())? else {
                done.untouched = done.untouched.saturating_add(1);
                let kept = Some(u64::from(raw.offset));
                items.push(Item { raw, kept, file: None });
                continue;
            };
            done.replaced = done.replaced.saturating_add(1);
            (raw.size, raw.data_type, raw.compressed) = (length(bytes.len())?, 0, false);
            raw.stored = raw.size;
            let file = member.path().and_then(|path| builder.files.get(&path.folded()));
            items.push(Item { raw, kept: None, file });
        }
    }
    let files = builder.new_files();
    let all_numbered = !files.is_empty() && files.iter().all(|file| is_numbered(&file.path));
    let fits = if all_numbered { FarVersion::Three } else { FarVersion::OneA };
    let variant = variant.or(builder.far).unwrap_or(fits);
    for file in files {
        let mut raw = new(file, variant);
        raw.size = length((file.content)().map_err(io::Error::other)?.len())?;
        raw.stored = raw.size;
        items.push(Item { raw, kept: None, file: Some(file) });
    }
    Ok((variant, items))
}

fn length(n: usize) -> io::Result<u32> {
    u32::try_from(n).map_err(|_| write_error("", "an archive of The Sims holds at most 4 GiB"))
}

/// Writes an entry of the manifest.
fn put_entry(w: &mut ByteWriter, raw: &Raw) -> io::Result<()> {
    let name = u16::try_from(raw.name.len()).map_err(|_| write_error("", "a name is too long"))?;
    w.le_u32(raw.size);
    match raw.variant {
        FarVersion::OneA | FarVersion::OneB => {
            w.le_u32(raw.stored);
            w.le_u32(raw.offset);
        }
        FarVersion::Three if raw.stored > LARGEST_STORED => {
            return Err(write_error("", "a member of version 3 has at most 16 MiB"));
        }
        FarVersion::Three => {
            w.le_u32(raw.stored | u32::from(raw.data_type) << 24);
            w.le_u32(raw.offset);
            // Two flags with the values that the game writes.
            w.bytes(&[1, 0]);
        }
    }
    match raw.variant {
        FarVersion::OneA => w.le_u32(name.into()),
        FarVersion::OneB | FarVersion::Three => w.le_u16(name),
    }
    if let Some((file, kind)) = raw.id {
        w.le_u32(kind);
        w.le_u32(file);
    }
    w.bytes(&raw.name);
    Ok(())
}

pub(super) fn write(builder: &PackBuilder<'_>, out: &mut dyn Write) -> io::Result<Packed> {
    let mut done = Packed::default();
    let (variant, mut items) = items(builder, &mut done)?;
    done.files = items.len() as u64;
    if builder.onto.is_some() && done.files == done.untouched {
        return pak::copy(builder, out).map(|()| done);
    }
    let (mut at, mut manifest) = (header::SIZE as u64, ByteWriter::new());
    let fit =
        |n: u64| u32::try_from(n).map_err(|_| write_error("", "an archive of The Sims holds at most 4 GiB"));
    manifest.le_u32(length(items.len())?);
    for item in &mut items {
        item.raw.offset = fit(at)?;
        at = at.saturating_add(item.raw.stored.into());
        put_entry(&mut manifest, &item.raw)?;
    }
    let mut head = ByteWriter::new();
    let start = fit(at)?;
    head.record(header::SIZE, |r| {
        r.bytes(header::MAGIC, MAGIC);
        r.le_u32(header::VERSION, if variant == FarVersion::Three { 3 } else { 1 });
        r.le_u32(header::MANIFEST, start);
    });
    out.write_all(head.as_bytes())?;
    for item in &items {
        if let (Some(from), Some(pack)) = (item.kept, builder.onto) {
            pak::range(pack.source(), from, from.saturating_add(item.raw.stored.into()), out)?;
        } else if let Some(file) = item.file {
            let bytes = (file.content)().map_err(io::Error::other)?;
            if length(bytes.len())? != item.raw.size {
                return Err(write_error(&file.path.to_string(), "changed while it was read"));
            }
            out.write_all(&bytes)?;
        }
    }
    out.write_all(manifest.as_bytes())?;
    Ok(done)
}

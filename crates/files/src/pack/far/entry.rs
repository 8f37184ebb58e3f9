//! Entries of an archive's manifest.

use super::rules;
use crate::error::Refused;
use crate::pack::scan::{Scan, broken};
use meshwright_core::text::cp1252;

/// The version of an archive of The Sims. Version 1 has two layouts of entries; only the one that fits the file's size
/// is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FarVersion {
    /// Version 1 with 32-bit lengths of names.
    OneA,
    /// Version 1 with 16-bit lengths of names.
    OneB,
    /// Version 3: compressed members, with file and type numbers.
    Three,
}

impl FarVersion {
    /// Returns the size of an entry before its name, in bytes.
    pub(crate) const fn fixed(self) -> usize {
        match self {
            Self::OneA => 16,
            Self::OneB => 14,
            Self::Three => 24,
        }
    }
}

/// The data type of compressed members. 0 means stored.
pub(crate) const COMPRESSED: u8 = 0x80;

/// A stored entry.
#[derive(Clone, Debug)]
pub(crate) struct Raw {
    pub(crate) variant: FarVersion,
    /// The offset of the entry in the file.
    pub(crate) place: u64,
    pub(crate) name_at: u64,
    pub(crate) size: u32,
    pub(crate) stored: u32,
    pub(crate) data_type: u8,
    pub(crate) compressed: bool,
    pub(crate) offset: u32,
    /// The file number and the type number.
    pub(crate) id: Option<(u32, u32)>,
    pub(crate) name: Vec<u8>,
}

impl Raw {
    /// Returns the offsets of the fields size, stored size, data type and offset.
    pub(crate) fn fields(&self) -> [u64; 4] {
        let at = |n: u64| self.place.saturating_add(n);
        match self.variant {
            FarVersion::Three => [at(0), at(4), at(7), at(8)],
            FarVersion::OneA | FarVersion::OneB => [at(0), at(4), at(4), at(8)],
        }
    }

    /// Returns the offset of the type number.
    pub(crate) fn kind_at(&self) -> u64 {
        self.place.saturating_add(16)
    }

    /// Returns the path of the member: its name. In version 3 the file and type numbers are inserted before
    /// the extension, as in unpacked files.
    pub(crate) fn path(&self) -> Vec<u8> {
        let name = cp1252(&self.name);
        let Some((file, kind)) = self.id else { return name.into_bytes() };
        let tag = format!("{file:08x}{kind:08x}");
        let (stem, extension) = match name.rsplit_once('.') {
            Some((stem, extension)) if !extension.contains(['/', '\\']) => (stem, extension),
            _ => (name.as_str(), extension_of(kind)),
        };
        let tagged = stem.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(&tag));
        let parts: Vec<&str> = match (stem.is_empty(), tagged) {
            (true, _) => vec![&tag, extension],
            (_, true) => vec![stem, extension],
            _ => vec![stem, &tag, extension],
        };
        parts.join(".").into_bytes()
    }
}

/// Returns the usual extension for a type number.
fn extension_of(kind: u32) -> &'static str {
    match kind {
        1 => "bmp",
        2 => "tga",
        5 => "skel",
        7 => "anim",
        9 => "mesh",
        11 => "bnd",
        12 => "apr",
        13 => "oft",
        14 => "png",
        15 => "po",
        16 => "col",
        18 => "hag",
        19 | 20 => "jpg",
        _ => "bin",
    }
}

/// All entries, and the offsets of the manifest's start and end.
#[derive(Debug)]
pub(crate) struct Manifest {
    pub(crate) variant: FarVersion,
    pub(crate) entries: Vec<Raw>,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// Reads the entries of a variant. `bytes` are all bytes from `start` to the end of the file.
pub(super) fn manifest(
    scan: &Scan<'_>,
    bytes: &[u8],
    start: u64,
    variant: FarVersion,
) -> Result<Manifest, Refused> {
    let cut = |at: u64, what: &str| broken(rules::TRUNCATED, at, format!("the file ends within {what}"));
    let (count, mut rest) = bytes.split_first_chunk::<4>().ok_or_else(|| cut(start, "the count"))?;
    let count = u32::from_le_bytes(*count);
    let least = variant.fixed();
    if u64::from(count).saturating_mul(least as u64) > rest.len() as u64 {
        let message = format!("{count} entries of at least {least} bytes, {} bytes left", rest.len());
        return Err(broken(rules::COUNT, start, message));
    }
    scan.entries(count.into(), start)?;
    let mut entries = Vec::with_capacity(usize::try_from(count).unwrap_or(0));
    let offset = |rest: &[u8]| start.saturating_add(bytes.len().saturating_sub(rest.len()) as u64);
    for _ in 0..count {
        let place = offset(rest);
        let (fixed, behind) = rest.split_at_checked(least).ok_or_else(|| cut(place, "an entry"))?;
        let (mut raw, length, length_at) = fields(fixed, place, variant);
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        let (name, behind) = behind.split_at_checked(length).ok_or_else(|| cut(length_at, "a name"))?;
        raw.name = name.to_vec();
        rest = behind;
        entries.push(raw);
    }
    Ok(Manifest { variant, entries, start, end: offset(rest) })
}

/// Returns the fields before a name, the length of the name, and its offset.
fn fields(fixed: &[u8], place: u64, variant: FarVersion) -> (Raw, u32, u64) {
    let byte = |at: usize| fixed.get(at).copied().unwrap_or(0);
    let word = |at: usize| {
        let bytes = fixed.get(at..).and_then(<[u8]>::first_chunk::<4>).copied().unwrap_or_default();
        u32::from_le_bytes(bytes)
    };
    let half = |at: usize| u32::from(u16::from_le_bytes([byte(at), byte(at.saturating_add(1))]));
    let at = |n: u64| place.saturating_add(n);
    let name_at = at(variant.fixed() as u64);
    let mut raw = Raw {
        variant,
        place,
        name_at,
        size: word(0),
        stored: word(4),
        data_type: 0,
        compressed: false,
        offset: word(8),
        id: None,
        name: Vec::new(),
    };
    match variant {
        FarVersion::OneA => (raw, word(12), at(12)),
        FarVersion::OneB => (raw, half(12), at(12)),
        FarVersion::Three => {
            raw.stored = word(4) & 0x00ff_ffff;
            raw.data_type = byte(7);
            raw.compressed = raw.data_type == COMPRESSED;
            raw.id = Some((word(20), word(16)));
            (raw, half(14), at(14))
        }
    }
}

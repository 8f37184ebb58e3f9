//! Breaks a file in every small way: all prefixes, all bit flips, boundary values in every field, and all
//! pairs of sections that overlap.

use std::fmt;

/// The byte order of a file's integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Most significant first.
    Big,
    /// Least significant first.
    Little,
}

/// An unsigned integer in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The offset.
    pub at: usize,
    /// The number of bytes: 1, 2, 4 or 8.
    pub width: usize,
    /// The number of file bytes per unit: 1 for offsets, the size of a record for counts.
    pub unit: usize,
}

impl Field {
    /// Returns a 32-bit field that counts bytes.
    pub const fn word(at: usize) -> Self {
        Self { at, width: 4, unit: 1 }
    }

    /// Returns a 32-bit field that counts records of `unit` bytes.
    pub const fn count(at: usize, unit: usize) -> Self {
        Self { at, width: 4, unit }
    }

    fn put(self, bytes: &mut [u8], order: Order, value: usize) {
        let all = (value as u64).to_le_bytes();
        let Some(field) = bytes.get_mut(self.at..self.at.saturating_add(self.width)) else { return };
        field.copy_from_slice(&all[..self.width]);
        if order == Order::Big {
            field.reverse();
        }
    }
}

/// A part of a file that other parts refer to or whose length they state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    /// The offset of its first byte.
    pub start: usize,
    /// The length.
    pub len: usize,
    /// The field with its offset, if the format has one.
    pub offset: Option<Field>,
    /// The field with its length, if the format has one.
    pub size: Option<Field>,
}

/// The facts about a file that are needed to break it effectively.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// The byte order of its integers.
    pub order: Order,
    /// The sections of this file.
    pub sections: Vec<Section>,
}

/// Reads the numbers that state the locations of sections. Beyond the end of the file it reads zeros, so a
/// broken file has fewer sections than it states, never too many.
#[derive(Clone, Debug)]
pub struct LayoutBuilder<'a> {
    bytes: &'a [u8],
    layout: Layout,
}

/// A number that is outside every fixture, and small enough for sums and products of a few.
pub const FAR: usize = 1 << 24;

/// The maximum number of sections. More sections would have too many pairs to test.
const MOST_SECTIONS: usize = 64;

impl<'a> LayoutBuilder<'a> {
    /// Starts without sections.
    pub const fn new(bytes: &'a [u8], order: Order) -> Self {
        Self { bytes, layout: Layout { order, sections: Vec::new() } }
    }

    /// Reads the number at `at`, of `width` bytes. Larger numbers become [`FAR`].
    pub fn number(&self, at: usize, width: usize) -> usize {
        let field = self.bytes.get(at..at.saturating_add(width)).unwrap_or_default();
        let digit = |n: u64, b: &u8| n.wrapping_shl(8) | u64::from(*b);
        let value = match self.layout.order {
            Order::Big => field.iter().fold(0, digit),
            Order::Little => field.iter().rev().fold(0, digit),
        };
        usize::try_from(value).unwrap_or(FAR).min(FAR)
    }

    /// Reads the 32-bit number at `at`.
    pub fn word(&self, at: usize) -> usize {
        self.number(at, 4)
    }

    /// Returns the offsets of the records of `size` bytes that fit from `start` on, at most `count`.
    pub fn records(&self, start: usize, count: usize, size: usize) -> impl Iterator<Item = usize> + use<> {
        let room = self.bytes.len().saturating_sub(start) / size.max(1);
        (0..count.min(room).min(MOST_SECTIONS)).map(move |i| start + i * size)
    }

    /// Adds a section, unless it is empty or outside the file.
    pub fn section(&mut self, start: usize, len: usize, offset: Option<Field>, size: Option<Field>) {
        let inside = len > 0 && start.checked_add(len).is_some_and(|end| end <= self.bytes.len());
        if inside && self.layout.sections.len() < MOST_SECTIONS {
            self.layout.sections.push(Section { start, len, offset, size });
        }
    }

    /// Adds a section whose offset is the word at `at`.
    pub fn pointed(&mut self, at: usize, len: usize, size: Option<Field>) {
        self.section(self.word(at), len, Some(Field::word(at)), size);
    }

    /// Returns the layout.
    pub fn done(self) -> Layout {
        self.layout
    }
}

/// A way to break a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Keep only the first bytes.
    Cut(usize),
    /// Flip one bit.
    Flip(usize),
    /// Replace four bytes.
    Word {
        /// The offset.
        at: usize,
        /// The new value.
        value: u32,
    },
    /// Change a section's offset such that it starts within another section.
    Moved {
        /// The index of the section.
        section: usize,
        /// The new offset.
        to: usize,
    },
    /// Change a section's size such that it ends within another section, or after it.
    Grown {
        /// The index of the section.
        section: usize,
        /// The new size in bytes.
        len: usize,
    },
    /// Copy a section's bytes over those of another.
    Copied {
        /// The index of the copied section.
        from: usize,
        /// The index of the overwritten section.
        over: usize,
    },
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Cut(len) => write!(f, "cut to {len} bytes"),
            Self::Flip(bit) => write!(f, "bit {} of byte {:#x} flipped", bit % 8, bit / 8),
            Self::Word { at, value } => write!(f, "{value:#x} at {at:#x}"),
            Self::Moved { section, to } => write!(f, "section {section} moved to {to:#x}"),
            Self::Grown { section, len } => write!(f, "section {section} grown to {len} bytes"),
            Self::Copied { from, over } => write!(f, "section {from} copied over section {over}"),
        }
    }
}

/// Returns all ways to break a file.
pub fn changes(bytes: &[u8], layout: &Layout) -> Vec<Change> {
    let n = bytes.len();
    let len = u32::try_from(n).unwrap_or(u32::MAX);
    let boundary = [0, 1, 0x7fff_ffff, 0x8000_0000, u32::MAX, len, len.wrapping_add(1), len.wrapping_sub(1)];
    let mut all: Vec<_> = (0..n).map(Change::Cut).chain((0..n * 8).map(Change::Flip)).collect();
    for at in 0..n.saturating_sub(3) {
        all.extend(boundary.map(|value| Change::Word { at, value }));
    }
    for (i, a) in layout.sections.iter().enumerate() {
        for (j, b) in layout.sections.iter().enumerate().filter(|(j, _)| *j != i) {
            let within = [b.start, b.start + b.len / 2, b.start + b.len - 1];
            if a.offset.is_some() {
                let before = b.start.saturating_sub(a.len / 2);
                all.extend(within.into_iter().chain([before]).map(|to| Change::Moved { section: i, to }));
            }
            if a.size.is_some() && a.start < b.start {
                let ends = within.map(|at| at + 1).into_iter().chain([b.start + b.len + 1]);
                all.extend(ends.map(|end| Change::Grown { section: i, len: end - a.start }));
            }
            all.push(Change::Copied { from: i, over: j });
        }
    }
    all
}

impl Change {
    /// Returns the broken file.
    pub fn apply(self, bytes: &[u8], layout: &Layout) -> Vec<u8> {
        let mut out = bytes.to_vec();
        let (order, sections) = (layout.order, &layout.sections);
        match self {
            Self::Cut(len) => out.truncate(len),
            Self::Flip(bit) => out[bit / 8] ^= 1 << (bit % 8),
            Self::Word { at, value } => {
                Field::word(at).put(&mut out, order, usize::try_from(value).expect("at least 32 bits"));
            }
            Self::Moved { section, to } => {
                if let Some(field) = sections[section].offset {
                    field.put(&mut out, order, to / field.unit);
                }
            }
            Self::Grown { section, len } => {
                if let Some(field) = sections[section].size {
                    field.put(&mut out, order, len.div_ceil(field.unit));
                }
            }
            Self::Copied { from, over } => {
                let (from, over) = (sections[from], sections[over]);
                let len = from.len.min(out.len() - over.start);
                out.copy_within(from.start..from.start + len, over.start);
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a file of two words, which are the offsets of two sections of four bytes.
    fn file() -> (Vec<u8>, Layout) {
        let bytes = vec![0, 0, 0, 8, 0, 0, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8];
        let mut builder = LayoutBuilder::new(&bytes, Order::Big);
        builder.pointed(0, 4, None);
        builder.pointed(4, 4, Some(Field { at: 3, width: 1, unit: 2 }));
        builder.pointed(4, 5, None);
        (bytes.clone(), builder.done())
    }

    #[test]
    fn all_changes_are_there_and_differ() {
        let (bytes, layout) = file();
        assert_eq!(layout.sections.len(), 2, "the third is outside");
        let all = changes(&bytes, &layout);
        assert_eq!(all.len(), 16 + 16 * 8 + 13 * 8 + 2 * 5);
        let same = all.iter().filter(|c| c.apply(&bytes, &layout) == bytes).count();
        assert!(same < 8, "{same} changes change nothing");
    }

    #[test]
    fn sections_come_over_one_another() {
        let (bytes, layout) = file();
        assert_eq!(Change::Moved { section: 0, to: 14 }.apply(&bytes, &layout)[..4], [0, 0, 0, 14]);
        assert_eq!(Change::Grown { section: 1, len: 9 }.apply(&bytes, &layout)[3], 5);
        assert_eq!(Change::Copied { from: 0, over: 1 }.apply(&bytes, &layout)[12..], [1, 2, 3, 4]);
        let little = Layout { order: Order::Little, ..layout };
        assert_eq!(Change::Word { at: 1, value: 0x0a0b }.apply(&bytes, &little)[..5], [0, 0x0b, 0x0a, 0, 0]);
    }
}

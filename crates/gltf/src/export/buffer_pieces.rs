//! The buffer as a list of pieces: borrowed arrays of the scene, and arrays that were made for the file.

use bytemuck::NoUninit;
use meshwright_core::bulk;
use std::borrow::Cow;
use std::io::{self, Write};

/// The padding after an array whose length is not a multiple of four.
const PADDING: &[u8] = &[0; 3];

/// The length up to which arrays are appended to a piece, so that growing copies little.
const GROWN: usize = 1 << 20;

/// Part of the buffer; numbers become little-endian when they are written.
#[derive(Clone, Debug)]
pub(crate) enum Piece<'s> {
    Bytes(Cow<'s, [u8]>),
    Words(Cow<'s, [u16]>),
    Floats(Cow<'s, [f32]>),
    Indices(Cow<'s, [u32]>),
    /// The lower halves of indices that fit 16 bits.
    ShortIndices(Cow<'s, [u32]>),
}

impl Piece<'_> {
    /// Returns the size in the file, in bytes.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Bytes(items) => items.len(),
            Self::Words(items) => size_of_val::<[u16]>(items),
            Self::Floats(items) => size_of_val::<[f32]>(items),
            Self::Indices(items) => size_of_val::<[u32]>(items),
            Self::ShortIndices(items) => items.len().saturating_mul(2),
        }
    }

    fn into_owned(self) -> Piece<'static> {
        match self {
            Self::Bytes(items) => Piece::Bytes(Cow::Owned(items.into_owned())),
            Self::Words(items) => Piece::Words(Cow::Owned(items.into_owned())),
            Self::Floats(items) => Piece::Floats(Cow::Owned(items.into_owned())),
            Self::Indices(items) => Piece::Indices(Cow::Owned(items.into_owned())),
            Self::ShortIndices(items) => Piece::ShortIndices(Cow::Owned(items.into_owned())),
        }
    }

    fn write_to(&self, to: &mut (impl Write + ?Sized)) -> io::Result<()> {
        match self {
            Self::Bytes(items) => to.write_all(items),
            Self::Words(items) => little_endian(items, u16::to_le, to),
            Self::Floats(items) => little_endian(bytemuck::cast_slice(items), u32::to_le, to),
            Self::Indices(items) => little_endian(items, u32::to_le, to),
            Self::ShortIndices(items) => {
                let mut short = [0_u16; 4096];
                for part in items.chunks(short.len()) {
                    bulk::fill_low_u16(part, &mut short);
                    little_endian(short.get(..part.len()).unwrap_or_default(), u16::to_le, to)?;
                }
                Ok(())
            }
        }
    }
}

/// Writes numbers in little-endian order, without conversion if that is the machine's own.
fn little_endian<T: NoUninit>(
    items: &[T],
    swap: fn(T) -> T,
    to: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    if cfg!(target_endian = "little") {
        return to.write_all(bytemuck::cast_slice(items));
    }
    items.chunks(4096).try_for_each(|part| {
        let swapped: Vec<T> = part.iter().map(|item| swap(*item)).collect();
        to.write_all(bytemuck::cast_slice(&swapped))
    })
}

/// Converts arrays of vectors to arrays of numbers.
pub(crate) fn flat<T: Clone, const N: usize>(items: Cow<'_, [[T; N]]>) -> Cow<'_, [T]> {
    match items {
        Cow::Borrowed(items) => Cow::Borrowed(items.as_flattened()),
        Cow::Owned(items) => Cow::Owned(items.into_flattened()),
    }
}

/// The pieces in order, each at a multiple of four.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pieces<'s> {
    all: Vec<Piece<'s>>,
    len: usize,
}

impl<'s> Pieces<'s> {
    /// Returns the size of all pieces in bytes.
    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// Returns the bytes that the next piece adds, with the padding before it.
    pub(crate) const fn growth(&self, bytes: usize) -> usize {
        self.len.next_multiple_of(4).saturating_add(bytes).saturating_sub(self.len)
    }

    /// Adds padding up to a multiple of four, and returns where the next piece starts.
    pub(crate) fn align(&mut self) -> usize {
        let start = self.len.next_multiple_of(4);
        let padding = PADDING.get(..start.saturating_sub(self.len)).unwrap_or_default();
        if !padding.is_empty() {
            self.all.push(Piece::Bytes(Cow::Borrowed(padding)));
            self.len = start;
        }
        start
    }

    /// Appends a piece, and returns its offset.
    pub(crate) fn push(&mut self, piece: Piece<'s>) -> usize {
        let start = self.align();
        self.len = start.saturating_add(piece.len());
        self.all.push(piece);
        start
    }

    /// Appends a short array to the last piece. Returns its offset in the buffer, the piece, and its offset there.
    pub(crate) fn append(&mut self, floats: &[f32]) -> (usize, usize, usize) {
        let start = self.align();
        self.len = start.saturating_add(size_of_val(floats));
        match self.all.last_mut() {
            Some(Piece::Floats(Cow::Owned(last))) if last.len() < GROWN => {
                let at = last.len();
                last.extend_from_slice(floats);
                (start, self.all.len().saturating_sub(1), at)
            }
            _ => {
                self.all.push(Piece::Floats(Cow::Owned(floats.to_vec())));
                (start, self.all.len().saturating_sub(1), 0)
            }
        }
    }

    /// Returns numbers that [`append`](Self::append) added to a piece.
    pub(crate) fn appended(&self, piece: usize, at: usize, count: usize) -> &[f32] {
        match self.all.get(piece) {
            Some(Piece::Floats(items)) => items.get(at..at.saturating_add(count)).unwrap_or_default(),
            _ => &[],
        }
    }

    pub(crate) fn write_to(&self, to: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.all.iter().try_for_each(|piece| piece.write_to(to))
    }

    /// Copies the pieces that borrow from the scene.
    pub(crate) fn into_owned(self) -> Pieces<'static> {
        Pieces { all: self.all.into_iter().map(Piece::into_owned).collect(), len: self.len }
    }

    /// Does the same as [`write_to`](Self::write_to), and frees each piece after it is written.
    pub(crate) fn drain_to(self, to: &mut (impl Write + ?Sized)) -> io::Result<()> {
        self.all.into_iter().try_for_each(|piece| piece.write_to(to))
    }
}

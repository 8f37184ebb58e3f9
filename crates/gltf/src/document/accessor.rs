//! Decodes the elements of accessors.

use super::check::{column_size, packed_size};
use super::model::{Accessor, ComponentType};
use bytemuck::{AnyBitPattern, NoUninit};
use core::ops::Range;

/// Number of elements that are decoded at once. A block of this size stays in the first-level cache while it is read.
pub(super) const BLOCK: usize = 512;

/// The stored elements of an accessor. [`check`](super::check) has verified that there are enough bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Elements<'b> {
    /// The bytes from the first element on.
    pub(super) bytes: &'b [u8],
    pub(super) stride: usize,
    pub(super) count: usize,
    pub(super) component: ComponentType,
    pub(super) normalized: bool,
    /// The bytes from one column to the next, and the numbers in each column.
    pub(super) column: (usize, usize),
}

impl<'b> Elements<'b> {
    /// Creates elements with the types of `accessor`. Without `stride` they are packed.
    pub(super) fn new(accessor: &Accessor, bytes: &'b [u8], stride: Option<usize>, count: usize) -> Self {
        let (component, element) = (accessor.component, accessor.element);
        Self {
            bytes,
            stride: stride.unwrap_or(packed_size(component, element)),
            count,
            component,
            normalized: accessor.normalized,
            column: (column_size(component, element), element.shape().1),
        }
    }

    /// Makes the index elements of a sparse accessor.
    pub(super) const fn indices(bytes: &'b [u8], component: ComponentType, count: usize) -> Self {
        let size = component.size();
        Self { bytes, stride: size, count, component, normalized: false, column: (size, 1) }
    }

    /// Returns the elements of a range, in order.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let start = range.start.min(self.count);
        let bytes = self.bytes.get(start.saturating_mul(self.stride)..).unwrap_or_default();
        Self { bytes, count: range.end.min(self.count).saturating_sub(start), ..*self }
    }

    /// Returns all elements in blocks; an accessor without elements has one empty block.
    pub(super) fn parts(&self) -> impl Iterator<Item = Self> {
        (0..self.count.max(1)).step_by(BLOCK).map(|start| self.part(start..start.saturating_add(BLOCK)))
    }

    /// Returns true if there is no padding between the numbers of elements of this width.
    const fn is_packed(&self, width: usize) -> bool {
        let (size, (column, rows)) = (self.component.size(), self.column);
        self.stride == size.saturating_mul(width) && column == size.saturating_mul(rows)
    }

    /// Decodes elements of `width` numbers with `S` bytes each.
    fn decode<const S: usize, T>(&self, width: usize, out: &mut [T], number: impl Fn([u8; S]) -> T) -> bool {
        // Packed elements are one long row of one column.
        let (width, rows, stride, column) = match self.is_packed(width) {
            true => (out.len(), out.len(), self.bytes.len(), self.bytes.len()),
            false => (width, self.column.1, self.stride, self.column.0),
        };
        for (row, bytes) in out.chunks_mut(width.max(1)).zip(self.bytes.chunks(stride.max(1))) {
            for (numbers, bytes) in row.chunks_mut(rows.max(1)).zip(bytes.chunks(column.max(1))) {
                for (to, from) in numbers.iter_mut().zip(bytes.as_chunks().0) {
                    *to = number(*from);
                }
            }
        }
        true
    }

    /// Decodes elements of `N` floats.
    fn decode_rows<const N: usize>(&self, out: &mut [f32]) -> bool {
        for (row, bytes) in out.as_chunks_mut::<N>().0.iter_mut().zip(self.bytes.chunks(self.stride.max(1))) {
            if let Some(numbers) = bytes.as_chunks().0.first_chunk() {
                *row = numbers.map(f32::from_le_bytes);
            }
        }
        true
    }
}

/// Copies the elements if they are stored in the memory layout of `T`. Returns `false` if they are not.
fn copy<T: AnyBitPattern + NoUninit>(elements: &Elements<'_>, width: usize, out: &mut [T]) -> bool {
    let out = bytemuck::cast_slice_mut::<T, u8>(out);
    match elements.bytes.get(..out.len()) {
        Some(bytes) if cfg!(target_endian = "little") && elements.is_packed(width) => {
            out.copy_from_slice(bytes);
            true
        }
        _ => false,
    }
}

/// Decodes the elements as floats. Returns `false` for 32-bit integers marked as normalized.
#[expect(clippy::cast_precision_loss, reason = "glTF reads integers as 32-bit floats")]
pub(super) fn floats(elements: &Elements<'_>, width: usize, out: &mut [f32]) -> bool {
    use ComponentType::{F32, I8, I16, U8, U16, U32};
    // A normalized number is a share of the largest one. Others are divided by 1, which changes nothing.
    let one = |largest| if elements.normalized { largest } else { 1.0 };
    // Both -128 and -127 mean -1.
    let least = if elements.normalized { -1.0 } else { f32::MIN };
    match (elements.component, width) {
        (F32, _) if copy(elements, width, out) => true,
        // Numbers between other attributes of a vertex: the width is a constant, because most files have these.
        (F32, 2) => elements.decode_rows::<2>(out),
        (F32, 3) => elements.decode_rows::<3>(out),
        (F32, 4) => elements.decode_rows::<4>(out),
        (F32, _) => elements.decode(width, out, f32::from_le_bytes),
        (U8, _) => elements.decode(width, out, |[b]| f32::from(b) / one(255.0)),
        (U16, _) => elements.decode(width, out, |b| f32::from(u16::from_le_bytes(b)) / one(65535.0)),
        (I8, _) => elements.decode(width, out, |b| (f32::from(i8::from_le_bytes(b)) / one(127.0)).max(least)),
        (I16, _) => {
            elements.decode(width, out, |b| (f32::from(i16::from_le_bytes(b)) / one(32767.0)).max(least))
        }
        (U32, _) if elements.normalized => false,
        (U32, _) => elements.decode(width, out, |b| u32::from_le_bytes(b) as f32),
    }
}

/// Decodes the stored numbers without conversion.
pub(super) fn numbers(elements: &Elements<'_>, width: usize, out: &mut [f64]) -> bool {
    use ComponentType::{F32, I8, I16, U8, U16, U32};
    match elements.component {
        F32 => elements.decode(width, out, |b| f64::from(f32::from_le_bytes(b))),
        U32 => elements.decode(width, out, |b| f64::from(u32::from_le_bytes(b))),
        U16 => elements.decode(width, out, |b| f64::from(u16::from_le_bytes(b))),
        I16 => elements.decode(width, out, |b| f64::from(i16::from_le_bytes(b))),
        U8 => elements.decode(width, out, |[b]| f64::from(b)),
        I8 => elements.decode(width, out, |[b]| f64::from(i8::from_le_bytes([b]))),
    }
}

/// Decodes the elements as integers. Returns `false` if they are signed or floats.
pub(super) fn integers(elements: &Elements<'_>, width: usize, out: &mut [u32]) -> bool {
    use ComponentType::{U8, U16, U32};
    match elements.component {
        U8 if elements.is_packed(width) => widen_bytes(elements.bytes, out),
        U16 if elements.is_packed(width) => widen_shorts(elements.bytes, out),
        U8 => return elements.decode(width, out, |[b]| u32::from(b)),
        U16 => return elements.decode(width, out, |b| u32::from(u16::from_le_bytes(b))),
        U32 => return copy(elements, width, out) || elements.decode(width, out, u32::from_le_bytes),
        _ => return false,
    }
    true
}

meshwright_core::kernels! {
    /// Widens bytes to words, as many as both sides hold.
    fn widen_bytes as widen_bytes_portable<'a>(bytes: &'a [u8], out: &'a mut [u32]) -> () {
        for (to, byte) in out.iter_mut().zip(bytes) {
            *to = u32::from(*byte);
        }
    }

    /// Widens little-endian 16-bit numbers to words, as many as both sides hold.
    fn widen_shorts as widen_shorts_portable<'a>(bytes: &'a [u8], out: &'a mut [u32]) -> () {
        for (to, short) in out.iter_mut().zip(bytes.as_chunks().0) {
            *to = u32::from(u16::from_le_bytes(*short));
        }
    }
}

/// A function that decodes elements of a width. It returns `false` if they have another type.
pub(super) type Decode<T> = fn(&Elements<'_>, usize, &mut [T]) -> bool;

#[derive(Debug)]
pub(super) enum ElementSource<'d, T> {
    Stored(Elements<'d>),
    Made(Vec<T>),
}

/// Decodes the elements of an accessor one block at a time.
#[derive(Debug)]
pub(crate) struct Blocks<'d, T> {
    pub(super) source: ElementSource<'d, T>,
    pub(super) decode: Decode<T>,
    /// The count of numbers of an element.
    pub(super) width: usize,
    pub(super) block: Vec<T>,
    /// The numbers of the block in all numbers.
    pub(super) range: Range<usize>,
}

impl<T: Copy + Default> Blocks<'_, T> {
    /// Decodes the elements of a range.
    pub(crate) fn load(&mut self, range: Range<usize>) {
        if let ElementSource::Stored(elements) = &self.source {
            let part = elements.part(range.clone());
            self.block.resize(part.count.saturating_mul(self.width), T::default());
            // Blocks are made only of elements that can be decoded this way.
            _ = (self.decode)(&part, self.width, &mut self.block);
        }
        self.range = range.start.saturating_mul(self.width)..range.end.saturating_mul(self.width);
    }

    /// Returns the elements of the range. They may be changed until another range is loaded.
    pub(crate) fn loaded_mut<const N: usize>(&mut self) -> &mut [[T; N]] {
        let numbers = match &mut self.source {
            ElementSource::Stored(_) => &mut self.block,
            ElementSource::Made(all) => all.get_mut(self.range.clone()).unwrap_or_default(),
        };
        numbers.as_chunks_mut().0
    }

    /// Returns the elements of the range.
    pub(crate) fn loaded<const N: usize>(&self) -> &[[T; N]] {
        let numbers = match &self.source {
            ElementSource::Stored(_) => &self.block,
            ElementSource::Made(all) => all.get(self.range.clone()).unwrap_or_default(),
        };
        numbers.as_chunks().0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_widen_alike() {
        let bytes: Vec<u8> = (0..=255).cycle().skip(3).step_by(37).take(600).collect();
        for len in [0, 1, 2, 3, 31, 32, 33, 64, 255, 600] {
            let some = &bytes[..len];
            for room in [0, len / 2, len, len + 5] {
                let run = |widen: fn(&[u8], &mut [u32])| {
                    let mut out = vec![7; room];
                    widen(some, &mut out);
                    out
                };
                let known = |all: Vec<u32>| {
                    all.into_iter().chain(std::iter::repeat(7)).take(room).collect::<Vec<_>>()
                };
                let each = known(some.iter().map(|b| u32::from(*b)).collect());
                assert_eq!(run(widen_bytes), each);
                assert_eq!(run(widen_bytes_portable), each);
                let pairs = some.chunks_exact(2).map(|b| u32::from(b[0]) | u32::from(b[1]) << 8);
                let each = known(pairs.collect());
                assert_eq!(run(widen_shorts), each);
                assert_eq!(run(widen_shorts_portable), each);
            }
        }
    }
}

//! Decodes the elements of accessors.

use super::check::{column_size, packed_size};
use super::model::{Accessor, ComponentType};
use bytemuck::AnyBitPattern;
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

    /// Returns true if there is no padding between the numbers.
    const fn is_packed(&self) -> bool {
        let (column, rows) = self.column;
        self.stride == column && column == rows.saturating_mul(self.component.size())
    }

    /// Appends elements that `decode` fills in, number by number. Appends none if it returns `false`.
    ///
    /// `decode` gets the width of an element as a value, so that the compiler makes one copy of it for all widths.
    fn append<const N: usize, T: Copy + Default>(
        &self,
        into: &mut Vec<[T; N]>,
        decode: fn(&Self, usize, &mut [T]) -> bool,
    ) -> bool {
        let start = into.len();
        into.resize(start.saturating_add(self.count), [T::default(); N]);
        let decoded = decode(self, N, into.get_mut(start..).unwrap_or_default().as_flattened_mut());
        if !decoded {
            into.truncate(start);
        }
        decoded
    }

    /// Decodes elements of `width` numbers with `S` bytes each.
    fn decode<const S: usize, T>(&self, width: usize, out: &mut [T], number: impl Fn([u8; S]) -> T) -> bool {
        let (column, rows) = self.column;
        let packed = self.stride == S.saturating_mul(width) && rows.saturating_mul(S) == column;
        // Packed elements are one long row of one column.
        let (width, rows, stride, column) = match packed {
            true => (out.len(), out.len(), self.bytes.len(), self.bytes.len()),
            false => (width, rows, self.stride, column),
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
}

/// Returns the elements without decoding, if they are stored in the memory layout of `T`.
fn in_place<'b, const N: usize, T: AnyBitPattern>(elements: &Elements<'b>) -> Option<&'b [[T; N]]> {
    let size = size_of::<[T; N]>();
    if cfg!(target_endian = "big")
        || elements.stride != size
        || elements.column.0 != elements.column.1.saturating_mul(4)
    {
        return None;
    }
    let bytes = elements.bytes.get(..size.checked_mul(elements.count)?)?;
    Some(bytemuck::try_cast_slice::<u8, T>(bytes).ok()?.as_chunks().0)
}

/// Appends the elements as floats. Returns `false` for 32-bit integers marked as normalized.
pub(super) fn floats<const N: usize>(elements: &Elements<'_>, into: &mut Vec<[f32; N]>) -> bool {
    if elements.component != ComponentType::F32 {
        return elements.append(into, decode_floats);
    }
    if let Some(there) = in_place(elements) {
        into.extend_from_slice(there);
        return true;
    }
    // Numbers between other attributes of a vertex: the width is a constant, because most files have these.
    let elements = elements.bytes.chunks(elements.stride.max(1)).take(elements.count);
    let decode = |bytes: &[u8]| bytes.as_chunks().0.first_chunk().map(|e: &[_; N]| e.map(f32::from_le_bytes));
    into.extend(elements.map(|bytes| decode(bytes).unwrap_or([0.0; N])));
    true
}

#[expect(clippy::cast_precision_loss, reason = "glTF reads integers as 32-bit floats")]
fn decode_floats(elements: &Elements<'_>, width: usize, out: &mut [f32]) -> bool {
    use ComponentType::{F32, I8, I16, U8, U16, U32};
    // A normalized number is a share of the largest one. Others are divided by 1, which changes nothing.
    let one = |largest| if elements.normalized { largest } else { 1.0 };
    // Both -128 and -127 mean -1.
    let least = if elements.normalized { -1.0 } else { f32::MIN };
    match elements.component {
        F32 => elements.decode(width, out, f32::from_le_bytes),
        U8 => elements.decode(width, out, |[b]| f32::from(b) / one(255.0)),
        U16 => elements.decode(width, out, |b| f32::from(u16::from_le_bytes(b)) / one(65535.0)),
        I8 => elements.decode(width, out, |b| (f32::from(i8::from_le_bytes(b)) / one(127.0)).max(least)),
        I16 => elements.decode(width, out, |b| (f32::from(i16::from_le_bytes(b)) / one(32767.0)).max(least)),
        U32 if elements.normalized => false,
        U32 => elements.decode(width, out, |b| u32::from_le_bytes(b) as f32),
    }
}

/// Appends the stored numbers without conversion.
pub(super) fn numbers<const N: usize>(elements: &Elements<'_>, into: &mut Vec<[f64; N]>) -> bool {
    elements.append(into, decode_numbers)
}

fn decode_numbers(elements: &Elements<'_>, width: usize, out: &mut [f64]) -> bool {
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

/// Appends the elements as integers. Returns `false` if they are signed or floats.
pub(super) fn integers<const N: usize>(elements: &Elements<'_>, into: &mut Vec<[u32; N]>) -> bool {
    if elements.component == ComponentType::U32
        && let Some(there) = in_place(elements)
    {
        into.extend_from_slice(there);
        return true;
    }
    elements.append(into, decode_integers)
}

fn decode_integers(elements: &Elements<'_>, width: usize, out: &mut [u32]) -> bool {
    use ComponentType::{U8, U16, U32};
    match elements.component {
        U8 if elements.is_packed() => widen_bytes(elements.bytes, out),
        U16 if elements.is_packed() => widen_shorts(elements.bytes, out),
        U8 => return elements.decode(width, out, |[b]| u32::from(b)),
        U16 => return elements.decode(width, out, |b| u32::from(u16::from_le_bytes(b))),
        U32 => return elements.decode(width, out, u32::from_le_bytes),
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

/// A function that appends decoded elements. It returns `false` if they have another type.
pub(super) type Decode<const N: usize, T> = fn(&Elements<'_>, &mut Vec<[T; N]>) -> bool;

#[derive(Debug)]
pub(super) enum ElementSource<'d, const N: usize, T> {
    Stored(Elements<'d>),
    Made(Vec<[T; N]>),
}

/// Decodes the elements of an accessor one block at a time.
#[derive(Debug)]
pub(crate) struct Blocks<'d, const N: usize, T> {
    source: ElementSource<'d, N, T>,
    decode: Decode<N, T>,
    block: Vec<[T; N]>,
    range: Range<usize>,
}

impl<'d, const N: usize, T: Copy + Default> Blocks<'d, N, T> {
    pub(super) const fn new(
        source: ElementSource<'d, N, T>,
        decode: Decode<N, T>,
        block: Vec<[T; N]>,
    ) -> Self {
        Self { source, decode, block, range: 0..0 }
    }

    /// Decodes the elements of a range.
    pub(crate) fn load(&mut self, range: Range<usize>) {
        if let ElementSource::Stored(elements) = &self.source {
            self.block.clear();
            // The constructor has checked that the elements can be decoded this way.
            _ = (self.decode)(&elements.part(range.clone()), &mut self.block);
        }
        self.range = range;
    }

    /// Returns the elements of the range. They may be changed until another range is loaded.
    pub(crate) fn loaded_mut(&mut self) -> &mut [[T; N]] {
        match &mut self.source {
            ElementSource::Stored(_) => &mut self.block,
            ElementSource::Made(all) => all.get_mut(self.range.clone()).unwrap_or_default(),
        }
    }

    /// Returns the elements of the range.
    pub(crate) fn loaded(&self) -> &[[T; N]] {
        match &self.source {
            ElementSource::Stored(_) => &self.block,
            ElementSource::Made(all) => all.get(self.range.clone()).unwrap_or_default(),
        }
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

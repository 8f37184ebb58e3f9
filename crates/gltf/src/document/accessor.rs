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

    /// Appends packed elements with a kernel that widens their numbers to words.
    fn widen<const N: usize>(&self, into: &mut Vec<[u32; N]>, kernel: fn(&[u8], &mut [u32])) {
        let bytes = self.bytes.get(..self.stride.saturating_mul(self.count)).unwrap_or_default();
        let start = into.len();
        into.resize(start.saturating_add(self.count), [0; N]);
        kernel(bytes, into.get_mut(start..).unwrap_or_default().as_flattened_mut());
    }

    /// Decodes and appends elements whose numbers have `S` bytes each.
    fn decode<const S: usize, const N: usize, T: Copy + Default>(
        &self,
        into: &mut Vec<[T; N]>,
        number: impl Fn([u8; S]) -> T + Copy,
    ) {
        let (column, rows) = self.column;
        let size = S.saturating_mul(N);
        let padded = rows.saturating_mul(S) != column;
        if self.stride == size && !padded {
            let bytes = self.bytes.get(..size.saturating_mul(self.count)).unwrap_or_default();
            let numbers = bytes.as_chunks::<S>().0;
            let start = into.len();
            into.resize(start.saturating_add(numbers.as_chunks::<N>().0.len()), [T::default(); N]);
            let fresh = into.get_mut(start..).unwrap_or_default().as_flattened_mut();
            for (to, from) in fresh.iter_mut().zip(numbers) {
                *to = number(*from);
            }
            return;
        }
        let elements = self.bytes.chunks(self.stride.max(1)).take(self.count);
        if padded {
            into.extend(elements.map(|bytes| {
                let columns = bytes.chunks(column.max(1));
                fill(columns.flat_map(|c| c.as_chunks::<S>().0.iter().take(rows)).map(|b| number(*b)))
            }));
        } else {
            into.extend(elements.map(|bytes| match bytes.as_chunks::<S>().0.first_chunk::<N>() {
                Some(element) => element.map(number),
                None => [T::default(); N],
            }));
        }
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

/// Appends the elements as floats. Returns `false` for 32-bit integers marked as normalised.
pub(super) fn floats<const N: usize>(elements: &Elements<'_>, into: &mut Vec<[f32; N]>) -> bool {
    use ComponentType::{F32, I8, I16, U8, U16, U32};
    if elements.component == F32
        && let Some(there) = in_place(elements)
    {
        into.extend_from_slice(there);
        return true;
    }
    #[expect(clippy::cast_precision_loss, reason = "glTF reads integers as 32-bit floats")]
    match (elements.component, elements.normalized) {
        (F32, _) => elements.decode(into, f32::from_le_bytes),
        (U8, true) => elements.decode(into, |[b]| f32::from(b) / 255.0),
        (U16, true) => elements.decode(into, |b| f32::from(u16::from_le_bytes(b)) / 65535.0),
        // Both -128 and -127 mean -1.
        (I8, true) => elements.decode(into, |b| (f32::from(i8::from_le_bytes(b)) / 127.0).max(-1.0)),
        (I16, true) => elements.decode(into, |b| (f32::from(i16::from_le_bytes(b)) / 32767.0).max(-1.0)),
        (U8, false) => elements.decode(into, |[b]| f32::from(b)),
        (U16, false) => elements.decode(into, |b| f32::from(u16::from_le_bytes(b))),
        (I8, false) => elements.decode(into, |b| f32::from(i8::from_le_bytes(b))),
        (I16, false) => elements.decode(into, |b| f32::from(i16::from_le_bytes(b))),
        (U32, false) => elements.decode(into, |b| u32::from_le_bytes(b) as f32),
        (U32, true) => return false,
    }
    true
}

/// Appends the stored numbers without conversion.
pub(super) fn numbers<const N: usize>(elements: &Elements<'_>, into: &mut Vec<[f64; N]>) -> bool {
    use ComponentType::{F32, I8, I16, U8, U16, U32};
    match elements.component {
        F32 => elements.decode(into, |b| f64::from(f32::from_le_bytes(b))),
        U32 => elements.decode(into, |b| f64::from(u32::from_le_bytes(b))),
        U16 => elements.decode(into, |b| f64::from(u16::from_le_bytes(b))),
        I16 => elements.decode(into, |b| f64::from(i16::from_le_bytes(b))),
        U8 => elements.decode(into, |[b]| f64::from(b)),
        I8 => elements.decode(into, |b| f64::from(i8::from_le_bytes(b))),
    }
    true
}

/// Appends the elements as integers. Returns `false` if they are signed or floats.
pub(super) fn integers<const N: usize>(elements: &Elements<'_>, into: &mut Vec<[u32; N]>) -> bool {
    if elements.component == ComponentType::U32
        && let Some(there) = in_place(elements)
    {
        into.extend_from_slice(there);
        return true;
    }
    match elements.component {
        ComponentType::U8 if elements.is_packed() => elements.widen(into, widen_bytes),
        ComponentType::U16 if elements.is_packed() => elements.widen(into, widen_shorts),
        ComponentType::U8 => elements.decode(into, |[b]| u32::from(b)),
        ComponentType::U16 => elements.decode(into, |b| u32::from(u16::from_le_bytes(b))),
        ComponentType::U32 => elements.decode(into, u32::from_le_bytes),
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

fn fill<T: Copy + Default, const N: usize>(values: impl Iterator<Item = T>) -> [T; N] {
    let mut out = [T::default(); N];
    for (out, v) in out.iter_mut().zip(values) {
        *out = v;
    }
    out
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

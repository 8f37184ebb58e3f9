//! A growing file image with alignment.

use crate::float::F32;
use alloc::vec::Vec;

/// A file image under construction. Offsets count from the first byte.
#[derive(Clone, Debug, Default)]
pub struct ByteWriter {
    bytes: Vec<u8>,
}

macro_rules! putters {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $to:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name(&mut self, value: $ty) {
            self.bytes.extend_from_slice(&value.$to());
        }
    )+};
}

impl ByteWriter {
    /// Returns an empty image.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns an empty image with room for `capacity` bytes.
    pub fn with_capacity(capacity: usize) -> Self {
        Self { bytes: Vec::with_capacity(capacity) }
    }

    /// Returns the number of bytes written, which is the offset of the next byte.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Returns whether no byte is written yet.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Returns the finished image.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Returns the image so far.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    putters! {
        /// Appends a byte.
        u8: u8, to_le_bytes;
        /// Appends 16 bits, little endian.
        le_u16: u16, to_le_bytes;
        /// Appends 32 bits, little endian.
        le_u32: u32, to_le_bytes;
        /// Appends 64 bits, little endian.
        le_u64: u64, to_le_bytes;
        /// Appends 16 bits, big endian.
        be_u16: u16, to_be_bytes;
        /// Appends 32 bits, big endian.
        be_u32: u32, to_be_bytes;
        /// Appends 64 bits, big endian.
        be_u64: u64, to_be_bytes;
        /// Appends 32 signed bits, little endian.
        le_i32: i32, to_le_bytes;
        /// Appends 32 signed bits, big endian.
        be_i32: i32, to_be_bytes;
    }

    /// Appends bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends floats, little endian, with their bits unchanged.
    pub fn le_f32s(&mut self, values: &[F32]) {
        self.bytes.extend(values.iter().flat_map(|v| v.to_bits().to_le_bytes()));
    }

    /// Appends floats, big endian, with their bits unchanged.
    pub fn be_f32s(&mut self, values: &[F32]) {
        self.bytes.extend(values.iter().flat_map(|v| v.to_bits().to_be_bytes()));
    }

    /// Appends integers of 32 bits, big endian.
    pub fn be_u32s(&mut self, values: &[u32]) {
        self.bytes.extend(values.iter().flat_map(|v| v.to_be_bytes()));
    }

    /// Removes all bytes and keeps their memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    /// Appends `n` zero bytes.
    pub fn zeros(&mut self, n: usize) {
        self.bytes.resize(self.bytes.len().saturating_add(n), 0);
    }

    /// Appends `n` zero bytes and returns them for writing.
    pub(crate) fn extend_zeros(&mut self, n: usize) -> &mut [u8] {
        let start = self.bytes.len();
        self.zeros(n);
        self.bytes.get_mut(start..).unwrap_or_default()
    }

    /// Appends zero bytes up to a multiple of `alignment`.
    pub fn align(&mut self, alignment: usize) {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment.max(1)), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_up_to_an_alignment() {
        let mut w = ByteWriter::new();
        w.u8(1);
        w.align(8);
        w.be_u16(0x0203);
        assert_eq!(w.as_bytes(), [1, 0, 0, 0, 0, 0, 0, 0, 2, 3]);
        w.align(2);
        assert_eq!(w.len(), 10);
    }
}

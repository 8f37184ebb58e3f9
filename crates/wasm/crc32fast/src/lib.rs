//! CRC-32 (reversed polynomial 0xedb88320) with a table of 1 KiB.
//!
//! The module for browsers uses this in place of the crate `crc32fast`, whose table of 16 KiB does not compress: it would
//! be 1 % of what a browser fetches.

#![forbid(unsafe_code)]

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0_u32; 256];
    let mut i = 0;
    while i < 256 {
        let mut value = i as u32;
        let mut bit = 0;
        while bit < 8 {
            value = if value & 1 == 1 { (value >> 1) ^ 0xedb8_8320 } else { value >> 1 };
            bit += 1;
        }
        table[i] = value;
        i += 1;
    }
    table
}

fn add(sum: u32, byte: u8) -> u32 {
    let [low, ..] = sum.to_le_bytes();
    (sum >> 8) ^ TABLE[usize::from(low ^ byte)]
}

/// Returns the checksum of some bytes.
pub fn hash(bytes: &[u8]) -> u32 {
    let mut hasher = Hasher::new();
    hasher.update(bytes);
    hasher.finalize()
}

/// A checksum of bytes that are given in parts.
#[derive(Clone, Debug)]
pub struct Hasher {
    sum: u32,
    count: u64,
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

impl Hasher {
    /// Creates the checksum of no bytes.
    pub const fn new() -> Self {
        Self { sum: u32::MAX, count: 0 }
    }

    /// Adds bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.sum = bytes.iter().fold(self.sum, |sum, byte| add(sum, *byte));
        self.count += bytes.len() as u64;
    }

    /// Adds the bytes of another checksum, in the time that as many zeros take.
    pub fn combine(&mut self, other: &Self) {
        let shifted = (0..other.count).fold(!self.sum, |sum, _| add(sum, 0));
        self.sum = shifted ^ other.sum;
        self.count += other.count;
    }

    /// Returns the checksum of all bytes so far.
    pub const fn finalize(self) -> u32 {
        !self.sum
    }

    /// Forgets all bytes.
    pub fn reset(&mut self) {
        *self = Self::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_sums() {
        assert_eq!(hash(b""), 0);
        assert_eq!(hash(b"123456789"), 0xcbf4_3926);
        let (mut parts, mut last) = (Hasher::new(), Hasher::default());
        parts.update(b"The quick brown ");
        parts.update(b"fox jumps ");
        last.update(b"over the lazy dog");
        parts.combine(&last);
        assert_eq!(parts.clone().finalize(), 0x414f_a339);
        parts.reset();
        assert_eq!(parts.finalize(), 0);
    }
}

//! Builds files byte by byte.

use std::collections::BTreeMap;

/// A file under construction. Nothing is checked, so that broken files are as easy to build as valid ones.
///
/// ```
/// use meshwright_testkit::Builder;
/// let file = Builder::new().bytes(b"MAGI").label("size").be_u32(&[0]).le_f32(&[1.0]).patch_be_u32("size", 12).build();
/// assert_eq!(file, b"MAGI\0\0\0\x0c\0\0\x80\x3f");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    bytes: Vec<u8>,
    labels: BTreeMap<String, usize>,
}

macro_rules! putters {
    ($($(#[$doc:meta])* $name:ident: $ty:ty, $to:ident;)+) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(mut self, values: &[$ty]) -> Self {
            for v in values {
                self.bytes.extend_from_slice(&v.$to());
            }
            self
        }
    )+};
}

impl Builder {
    /// Returns an empty file.
    pub fn new() -> Self {
        Self::default()
    }

    putters! {
        /// Appends 16-bit integers, big endian.
        be_u16: u16, to_be_bytes;
        /// Appends 32-bit integers, big endian.
        be_u32: u32, to_be_bytes;
        /// Appends signed 32-bit integers, big endian.
        be_i32: i32, to_be_bytes;
        /// Appends 64-bit integers, big endian.
        be_u64: u64, to_be_bytes;
        /// Appends floats, big endian.
        be_f32: f32, to_be_bytes;
        /// Appends 16-bit integers, little endian.
        le_u16: u16, to_le_bytes;
        /// Appends 32-bit integers, little endian.
        le_u32: u32, to_le_bytes;
        /// Appends signed 32-bit integers, little endian.
        le_i32: i32, to_le_bytes;
        /// Appends 64-bit integers, little endian.
        le_u64: u64, to_le_bytes;
        /// Appends floats, little endian.
        le_f32: f32, to_le_bytes;
    }

    /// Appends bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Appends `text` in a field of `len` bytes, padded with NUL or cut to fit.
    #[must_use]
    pub fn padded(mut self, text: &[u8], len: usize) -> Self {
        let start = self.bytes.len();
        self.bytes.extend(text.iter().take(len));
        self.bytes.resize(start + len, 0);
        self
    }

    /// Appends `text` after a byte with its length.
    #[must_use]
    pub fn pascal(mut self, text: &[u8]) -> Self {
        self.bytes.push(u8::try_from(text.len()).expect("a Pascal string has at most 255 bytes"));
        self.bytes(text)
    }

    /// Appends zeros up to a multiple of `alignment`.
    #[must_use]
    pub fn align(mut self, alignment: usize) -> Self {
        self.bytes.resize(self.bytes.len().next_multiple_of(alignment), 0);
        self
    }

    /// Appends `n` zeros.
    #[must_use]
    pub fn zeros(mut self, n: usize) -> Self {
        self.bytes.resize(self.bytes.len() + n, 0);
        self
    }

    /// Names the position of the next byte.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>) -> Self {
        self.labels.insert(name.into(), self.bytes.len());
        self
    }

    /// Applies `f` to every item in turn, like a fold.
    #[must_use]
    pub fn each<T>(self, items: impl IntoIterator<Item = T>, f: impl FnMut(Self, T) -> Self) -> Self {
        items.into_iter().fold(self, f)
    }

    /// Returns the position of a label.
    pub fn at(&self, name: &str) -> usize {
        *self.labels.get(name).unwrap_or_else(|| panic!("no label {name}"))
    }

    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// True before the first byte.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Overwrites the bytes at a label.
    #[must_use]
    pub fn patch(mut self, name: &str, bytes: &[u8]) -> Self {
        let at = self.at(name);
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Overwrites 32 bits at a label, big endian.
    #[must_use]
    pub fn patch_be_u32(self, name: &str, value: u32) -> Self {
        self.patch(name, &value.to_be_bytes())
    }

    /// Overwrites 32 bits at a label, little endian.
    #[must_use]
    pub fn patch_le_u32(self, name: &str, value: u32) -> Self {
        self.patch(name, &value.to_le_bytes())
    }

    /// Returns the finished file.
    #[must_use]
    pub fn build(self) -> Vec<u8> {
        self.bytes
    }
}

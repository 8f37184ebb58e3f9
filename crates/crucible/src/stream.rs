//! Decoded bytes, with their original LZ4 block.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

/// The original LZ4 block of decoded data. It is ignored in comparisons.
#[derive(Clone, Default)]
pub(crate) struct Packed<'a>(Option<Cow<'a, [u8]>>);

impl<'a> Packed<'a> {
    /// No block, because the data is new or was edited.
    pub(crate) const NONE: Self = Self(None);

    /// Returns a block in the file.
    pub(crate) const fn new(block: &'a [u8]) -> Self {
        Self(Some(Cow::Borrowed(block)))
    }

    /// Returns the block, if it is known.
    pub(crate) fn get(&self) -> Option<&[u8]> {
        self.0.as_deref()
    }

    /// Copies the block, so that it no longer borrows from the file.
    pub(crate) fn into_owned(self) -> Packed<'static> {
        Packed(self.0.map(|block| Cow::Owned(block.into_owned())))
    }
}

impl PartialEq for Packed<'_> {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Packed<'_> {}

impl fmt::Debug for Packed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes", self.get().map_or(0, <[u8]>::len))
    }
}

/// Decoded bytes. Unedited bytes keep their original LZ4 block.
///
/// Two streams are equal if their decoded bytes are equal.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Stream<'a> {
    data: Vec<u8>,
    packed: Packed<'a>,
}

impl<'a> Stream<'a> {
    /// Returns a stream that is compressed when it is written.
    pub const fn new(data: Vec<u8>) -> Self {
        Self { data, packed: Packed::NONE }
    }

    /// Returns a stream with the block that `data` was decoded from.
    pub(crate) const fn decoded(data: Vec<u8>, packed: &'a [u8]) -> Self {
        Self { data, packed: Packed::new(packed) }
    }

    /// Returns the decoded bytes.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// Returns the decoded bytes for editing. The original block is discarded.
    pub fn data_mut(&mut self) -> &mut Vec<u8> {
        self.packed = Packed::NONE;
        &mut self.data
    }

    /// Returns the original LZ4 block, if the bytes are unedited.
    pub fn packed(&self) -> Option<&[u8]> {
        self.packed.get()
    }

    /// Copies borrowed data, so that the stream no longer borrows from the file.
    pub fn into_owned(self) -> Stream<'static> {
        Stream { data: self.data, packed: self.packed.into_owned() }
    }
}

impl From<Vec<u8>> for Stream<'_> {
    fn from(data: Vec<u8>) -> Self {
        Self::new(data)
    }
}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = self.data.get(..self.data.len().min(24)).unwrap_or_default();
        write!(f, "Stream({} bytes {head:02x?}", self.data.len())?;
        if self.data.len() > head.len() {
            f.write_str("..")?;
        }
        match self.packed() {
            Some(packed) => write!(f, ", packed in {})", packed.len()),
            None => f.write_str(")"),
        }
    }
}

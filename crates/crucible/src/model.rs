//! The owned or borrowed model of a chunk and of a container.

use crate::packed::{Attribute, AttributeFlag, Dialect, IndexSize};
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

/// A mesh chunk: one index stream and up to sixteen vertex attribute streams.
///
/// Public fields may be edited freely; [`validate`](Self::validate) and [`to_bytes`](Self::to_bytes) check what
/// the format demands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// What the attribute flags mean.
    pub dialect: Dialect,
    /// The width of an index.
    pub index_size: IndexSize,
    /// Indices of [`index_size`](Self::index_size), little endian; the engine draws them as triangles.
    pub indices: Stream<'a>,
    /// Attribute streams in the file's order.
    pub streams: Vec<AttributeStream<'a>>,
    /// Bytes behind the last stream. The format has none.
    pub tail: Cow<'a, [u8]>,
}

/// One vertex attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeStream<'a> {
    /// Which attribute, as stored.
    pub flag: AttributeFlag,
    /// Its value for every vertex.
    pub stream: Stream<'a>,
}

/// Decoded bytes, with the LZ4 block they came from for as long as nobody edits them.
///
/// Two streams are equal when they hold the same bytes, however these were compressed.
#[derive(Clone, Default)]
pub struct Stream<'a> {
    data: Vec<u8>,
    packed: Option<Cow<'a, [u8]>>,
}

impl<'a> Stream<'a> {
    /// A stream that is compressed when it is written.
    pub const fn new(data: Vec<u8>) -> Self {
        Self { data, packed: None }
    }

    /// A stream with the block that `data` was decoded from.
    pub(crate) const fn decoded(data: Vec<u8>, packed: &'a [u8]) -> Self {
        Self { data, packed: Some(Cow::Borrowed(packed)) }
    }

    /// The decoded bytes.
    pub fn data(&self) -> &[u8] {
        &self.data
    }

    /// The decoded bytes, to be edited; the block they came from is forgotten.
    pub fn data_mut(&mut self) -> &mut Vec<u8> {
        self.packed = None;
        &mut self.data
    }

    /// The LZ4 block that the bytes came from, if they are as they were read.
    pub fn packed(&self) -> Option<&[u8]> {
        self.packed.as_deref()
    }

    /// The same stream, independent of the bytes it was read from.
    pub fn into_owned(self) -> Stream<'static> {
        Stream { data: self.data, packed: self.packed.map(|p| Cow::Owned(p.into_owned())) }
    }
}

impl PartialEq for Stream<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

impl Eq for Stream<'_> {}

impl fmt::Debug for Stream<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = self.data.get(..self.data.len().min(24)).unwrap_or_default();
        write!(f, "Stream({} bytes {head:02x?}", self.data.len())?;
        if self.data.len() > head.len() {
            f.write_str("..")?;
        }
        match &self.packed {
            Some(packed) => write!(f, ", packed in {})", packed.len()),
            None => f.write_str(")"),
        }
    }
}

impl<'a> Chunk<'a> {
    /// A chunk without vertices whose flags have the meaning of `dialect`.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, ..Self::default() }
    }

    /// The same chunk, independent of the bytes it was read from.
    pub fn into_owned(self) -> Chunk<'static> {
        let own = |s: AttributeStream<'a>| AttributeStream { flag: s.flag, stream: s.stream.into_owned() };
        Chunk {
            dialect: self.dialect,
            index_size: self.index_size,
            indices: self.indices.into_owned(),
            streams: self.streams.into_iter().map(own).collect(),
            tail: Cow::Owned(self.tail.into_owned()),
        }
    }

    /// Replaces the indices and chooses their width: 16 bits where they suffice.
    pub fn set_indices(&mut self, indices: &[u32]) {
        let data = self.indices.data_mut();
        data.clear();
        // 0xffff is left to 32-bit indices, because graphics interfaces take it for the end of a strip.
        if indices.iter().all(|i| *i < 0xffff) {
            self.index_size = IndexSize::U16;
            data.extend(indices.iter().flat_map(|i| {
                let [a, b, ..] = i.to_le_bytes();
                [a, b]
            }));
        } else {
            self.index_size = IndexSize::U32;
            data.extend(indices.iter().flat_map(|i| i.to_le_bytes()));
        }
    }

    /// Replaces the values of an attribute, given as stored; a new stream is put in the order of the flags, as
    /// the engine does. Answers `false` when the dialect has no such attribute.
    pub fn set(&mut self, attribute: Attribute, data: Vec<u8>) -> bool {
        let Some(flag) = attribute.flag(self.dialect) else { return false };
        match self.streams.iter_mut().find(|s| s.flag == flag) {
            Some(found) => found.stream = Stream::new(data),
            None => {
                let at = self.streams.iter().position(|s| s.flag > flag).unwrap_or(self.streams.len());
                self.streams.insert(at, AttributeStream { flag, stream: Stream::new(data) });
            }
        }
        true
    }

    /// Replaces the values of an attribute of floats; see [`set`](Self::set).
    pub fn set_floats<const N: usize>(&mut self, attribute: Attribute, values: &[[f32; N]]) -> bool {
        self.set(attribute, values.iter().flatten().flat_map(|c| c.to_le_bytes()).collect())
    }

    /// Takes an attribute out of the chunk; answers whether it was there.
    pub fn remove(&mut self, attribute: Attribute) -> bool {
        let Some(flag) = attribute.flag(self.dialect) else { return false };
        let before = self.streams.len();
        self.streams.retain(|s| s.flag != flag);
        self.streams.len() < before
    }

    /// The bytes of an attribute, ready for a vertex buffer.
    pub fn stream(&self, attribute: Attribute) -> Option<&Stream<'a>> {
        let flag = attribute.flag(self.dialect)?;
        self.streams.iter().find(|s| s.flag == flag).map(|s| &s.stream)
    }
}

/// A `.cmodel` file: mesh chunks one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CModel<'a> {
    /// The chunks in the file's order.
    pub meshes: Vec<Chunk<'a>>,
    /// Bytes behind the last chunk. The format has none.
    pub tail: Cow<'a, [u8]>,
}

impl CModel<'_> {
    /// The same model, independent of the bytes it was read from.
    pub fn into_owned(self) -> CModel<'static> {
        CModel {
            meshes: self.meshes.into_iter().map(Chunk::into_owned).collect(),
            tail: Cow::Owned(self.tail.into_owned()),
        }
    }
}

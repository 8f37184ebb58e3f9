//! The owned or borrowed model of a chunk.

use crate::chunk::record::{Attribute, AttributeFlag, Dialect, IndexSize};
use crate::stream::Stream;
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// A mesh chunk: one index stream and up to sixteen vertex attribute streams.
///
/// Public fields may be edited freely. [`validate`](Self::validate) and [`to_bytes`](Self::to_bytes) check
/// the rules of the format.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The meaning of the attribute flags.
    pub dialect: Dialect,
    /// The width of an index.
    pub index_size: IndexSize,
    /// Indices of [`index_size`](Self::index_size), little endian; the engine draws them as triangles.
    pub indices: Stream<'a>,
    /// Attribute streams in the file's order.
    pub streams: Vec<AttributeStream<'a>>,
    /// Bytes after the last stream. The format has none.
    pub tail: Cow<'a, [u8]>,
}

/// One vertex attribute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttributeStream<'a> {
    /// The stored flag of the attribute.
    pub flag: AttributeFlag,
    /// The values of the attribute, one per vertex.
    pub stream: Stream<'a>,
}

/// The reason why the values of an attribute are rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeError {
    /// The chunk's dialect has no such attribute.
    #[error("dialect {dialect} has no {attribute}")]
    NotInDialect {
        /// The attribute.
        attribute: Attribute,
        /// The chunk's dialect.
        dialect: Dialect,
    },
    /// The length is not a multiple of the size of a value.
    #[error("{got} bytes are not a whole number of {each}-byte {attribute}")]
    Size {
        /// The attribute.
        attribute: Attribute,
        /// The size of one value in bytes.
        each: usize,
        /// The number of bytes given.
        got: usize,
    },
    /// A bone number does not fit the dialect.
    #[error("bone {bone} of vertex {vertex} exceeds the 16 bits that dialect {dialect} has")]
    BoneNumber {
        /// The index of the vertex.
        vertex: usize,
        /// The bone number.
        bone: u32,
        /// The chunk's dialect.
        dialect: Dialect,
    },
}

impl<'a> Chunk<'a> {
    /// Returns a chunk without vertices, with the attribute flags of `dialect`.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, ..Self::default() }
    }

    /// Copies borrowed data, so that the chunk no longer borrows from the file.
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

    /// Replaces the indices and chooses their width: 16 bits if they suffice.
    pub fn set_indices(&mut self, indices: &[u32]) {
        let data = self.indices.data_mut();
        data.clear();
        // The index 0xffff needs 32 bits, because graphics interfaces treat it as the end of a strip in 16
        // bits.
        if indices.iter().all(|i| *i < 0xffff) {
            self.index_size = IndexSize::U16;
            for i in indices {
                let [a, b, ..] = i.to_le_bytes();
                data.extend_from_slice(&[a, b]);
            }
        } else {
            self.index_size = IndexSize::U32;
            indices.iter().for_each(|i| data.extend_from_slice(&i.to_le_bytes()));
        }
    }

    /// Replaces the encoded values of an attribute. A new stream is inserted in the order of the flags, as
    /// in the engine's files.
    ///
    /// # Errors
    /// If the dialect has no such attribute, or the bytes are not a whole number of values. Then nothing
    /// changes.
    pub fn set(&mut self, attribute: Attribute, data: Vec<u8>) -> Result<(), AttributeError> {
        let dialect = self.dialect;
        let flag = attribute.flag(dialect).ok_or(AttributeError::NotInDialect { attribute, dialect })?;
        let (got, each) = (data.len(), attribute.size(dialect));
        if !got.is_multiple_of(each) {
            return Err(AttributeError::Size { attribute, each, got });
        }
        match self.streams.iter_mut().find(|s| s.flag == flag) {
            Some(found) => found.stream = Stream::new(data),
            None => {
                let at = self.streams.iter().position(|s| s.flag > flag).unwrap_or(self.streams.len());
                self.streams.insert(at, AttributeStream { flag, stream: Stream::new(data) });
            }
        }
        Ok(())
    }

    /// Replaces the values of an attribute of floats.
    ///
    /// # Errors
    /// See [`set`](Self::set).
    pub fn set_floats<const N: usize>(
        &mut self,
        attribute: Attribute,
        values: &[[f32; N]],
    ) -> Result<(), AttributeError> {
        self.set(attribute, values.iter().flatten().flat_map(|c| c.to_le_bytes()).collect())
    }

    /// Removes an attribute from the chunk. Returns whether it was there.
    pub fn remove(&mut self, attribute: Attribute) -> bool {
        let Some(flag) = attribute.flag(self.dialect) else { return false };
        let before = self.streams.len();
        self.streams.retain(|s| s.flag != flag);
        self.streams.len() < before
    }

    /// Returns the bytes of an attribute, ready for a vertex buffer.
    pub fn stream(&self, attribute: Attribute) -> Option<&Stream<'a>> {
        let flag = attribute.flag(self.dialect)?;
        self.streams.iter().find(|s| s.flag == flag).map(|s| &s.stream)
    }
}

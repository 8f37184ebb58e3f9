//! The sizes and flags of a chunk, without its bytes.

use crate::chunk::model::Chunk;
use crate::chunk::record::{AttributeFlag, Dialect, IndexSize};
use alloc::vec::Vec;

/// The sizes and flags from a chunk's headers.
#[derive(Clone, Debug)]
pub(crate) struct StreamSizes {
    pub(crate) index_size: IndexSize,
    pub(crate) index_bytes: u64,
    pub(crate) streams: Vec<(AttributeFlag, u64)>,
}

impl StreamSizes {
    pub(crate) fn new(chunk: &Chunk<'_>) -> Self {
        Self {
            index_size: chunk.index_size,
            index_bytes: chunk.indices.data().len() as u64,
            streams: chunk.streams.iter().map(|s| (s.flag, s.stream.data().len() as u64)).collect(),
        }
    }

    /// Returns the number of vertices of a stream in a dialect.
    pub(crate) fn count((flag, size): (AttributeFlag, u64), dialect: Dialect) -> Option<u64> {
        size.checked_div(flag.attribute(dialect)?.size(dialect) as u64)
    }

    /// Returns the number of vertices of the chunk in a dialect: that of the first stream with a flag of the
    /// dialect.
    pub(crate) fn vertices(&self, dialect: Dialect) -> u64 {
        self.streams.iter().find_map(|s| Self::count(*s, dialect)).unwrap_or(0)
    }
}

//! Writes a chunk, in the order of the reader. Blocks of unedited streams are written unchanged.

use crate::block::writable;
use crate::chunk::model::Chunk;
use crate::chunk::record::{chunk_header, stream_count, stream_header};
use crate::chunk::rules::structure::{self, Places};
use crate::stream::Stream;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, FieldPath, Findings, WriteError};

impl Chunk<'_> {
    /// Writes the chunk. Unedited streams keep their compressed bytes, so an unedited chunk is written byte
    /// for byte. New streams are compressed such that the engine's LZ4 decoder accepts them.
    ///
    /// # Errors
    /// If the chunk breaks a rule that a strict reader enforces, or a size does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let mut w = ByteWriter::with_capacity(self.written_size());
        self.write(&mut w, &FieldPath::ROOT)?;
        Ok(w.into_bytes())
    }

    /// Estimates the size of the written file in bytes.
    pub(crate) fn written_size(&self) -> usize {
        let streams = self.streams.iter().map(|s| &s.stream).chain([&self.indices]);
        let size = |s: &Stream<'_>| s.packed().map_or(s.data().len() / 2, <[u8]>::len).saturating_add(16);
        streams.map(size).fold(self.tail.len(), usize::saturating_add)
    }

    pub(crate) fn write(&self, w: &mut ByteWriter, path: &FieldPath<'_>) -> Result<(), WriteError> {
        structure::check(self, path, &Places::NONE, &mut Findings::writing())?;
        let indices = writable(&path.field("indices"), self.indices.packed(), self.indices.data())?;
        w.record(chunk_header::SIZE, |r| {
            r.u8(chunk_header::INDEX_SIZE, self.index_size.0);
            r.le_u32(chunk_header::PACKED, indices.packed);
            r.le_u32(chunk_header::STATED, indices.size);
        });
        w.bytes(&indices.bytes);
        let table = path.field("streams");
        let count = WriteError::fit(&table, "stream count", self.streams.len() as u64, u8::MAX)?;
        w.record(stream_count::SIZE, |r| r.u8(stream_count::COUNT, count));
        for (i, own) in self.streams.iter().enumerate() {
            let block = writable(&table.index(i), own.stream.packed(), own.stream.data())?;
            w.record(stream_header::SIZE, |r| {
                r.le_u16(stream_header::FLAG, own.flag.0);
                r.le_u32(stream_header::PACKED, block.packed);
                r.le_u32(stream_header::STATED, block.size);
            });
            w.bytes(&block.bytes);
        }
        w.bytes(&self.tail);
        Ok(())
    }
}

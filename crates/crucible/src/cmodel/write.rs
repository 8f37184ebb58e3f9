//! Writing a container.

use crate::cmodel::model::CModel;
use crate::cmodel::record::{MAGIC, mesh_header, model_header};
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, FieldPath, WriteError};

impl CModel<'_> {
    /// Writes the container; see [`Chunk::to_bytes`](crate::Chunk::to_bytes).
    ///
    /// # Errors
    /// If a chunk breaks a rule that a strict reader enforces, or a number does not fit its field.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let table = FieldPath::ROOT.field("meshes");
        let size = |size: usize| size.saturating_add(mesh_header::SIZE);
        let sizes = self.meshes.iter().map(|m| size(m.written_size()));
        let mut w = ByteWriter::with_capacity(sizes.fold(self.tail.len(), usize::saturating_add));
        let count = WriteError::fit(&table, "mesh count", self.meshes.len() as u64, u32::MAX)?;
        w.record(model_header::SIZE, |r| {
            r.bytes(model_header::MAGIC, MAGIC);
            r.le_u32(model_header::MESH_COUNT, count);
        });
        for (i, mesh) in self.meshes.iter().enumerate() {
            let mut chunk = ByteWriter::with_capacity(mesh.written_size());
            mesh.write(&mut chunk, &table.index(i))?;
            w.record(mesh_header::SIZE, |r| r.le_u64(mesh_header::LENGTH, chunk.len() as u64));
            w.bytes(chunk.as_bytes());
        }
        w.bytes(&self.tail);
        Ok(w.into_bytes())
    }
}

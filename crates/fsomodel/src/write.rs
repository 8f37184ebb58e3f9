//! Writes the header and all chunks in order.

use crate::chunks::MAGIC;
use crate::dialect::Dialect;
use crate::index_extents::Extents;
use crate::model::{ChunkId, FsoModel};
use crate::ranges::within;
use crate::record::{chunk, header};
use crate::rules::offsets::FieldLocations;
use crate::rules::{check_version, structure};
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, Findings, WriteError};

impl FsoModel<'_> {
    /// Writes the file. An unedited model is written byte for byte.
    /// [`Metadata::to_bytes`](crate::Metadata::to_bytes) writes the companion file.
    ///
    /// # Errors
    /// If a strict reader would reject the file.
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        let (places, findings) = (FieldLocations::as_written(self), &mut Findings::writing());
        check_version(self, findings)?;
        structure::check_chunks(self, &places, findings)?;
        structure::check_ranges(self, &Extents::new(self.indices()), &places, findings)?;
        let sizes = self.chunks.iter().map(|c| c.data.len().saturating_add(chunk::SIZE));
        let mut w = ByteWriter::with_capacity(sizes.fold(header::SIZE, usize::saturating_add));
        w.record(header::SIZE, |r| {
            r.bytes(header::MAGIC, MAGIC);
            r.le_u32(header::VERSION, self.version);
        });
        for c in &self.chunks {
            w.record(chunk::SIZE, |r| {
                r.bytes(chunk::ID, &c.id.0);
                r.le_u64(chunk::LENGTH, c.data.len() as u64);
            });
            w.bytes(&c.data);
        }
        Ok(w.into_bytes())
    }

    /// Corrects every claimed lowest and highest index, in the MESH chunk or in the companion file. Returns
    /// the number of changed meshes. A mesh outside the indices is not changed; one without indices gets 0
    /// and 0.
    pub fn fix_extents(&mut self) -> usize {
        let indices = self.indices();
        let extents = Extents::new(indices);
        let truth: Vec<_> = self
            .ranges()
            .map(|range| {
                let (first, end) = within(&range, indices.len())?;
                Some(extents.between(first, end).unwrap_or((0, 0)))
            })
            .collect();
        let mut changed = 0_usize;
        if self.dialect == Dialect::Seed44 && self.chunk(ChunkId::MESH).is_some() {
            let mut entries: Vec<_> = self.entries().collect();
            for (entry, truth) in entries.iter_mut().zip(&truth) {
                if let Some(truth) = truth.filter(|t| (entry.min_index, entry.max_index) != *t) {
                    (entry.min_index, entry.max_index) = truth;
                    changed = changed.saturating_add(1);
                }
            }
            if changed > 0 {
                self.set_meshes(&entries);
            }
        } else if let Some(metadata) = &mut self.metadata {
            for (mesh, truth) in metadata.meshes.iter_mut().zip(&truth) {
                if let Some(truth) = truth.filter(|t| (mesh.min_index, mesh.max_index) != *t) {
                    (mesh.min_index, mesh.max_index) = truth;
                    changed = changed.saturating_add(1);
                }
            }
        }
        changed
    }
}

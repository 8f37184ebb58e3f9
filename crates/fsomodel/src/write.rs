//! Writing: the header and every chunk in order.

use crate::check::{self, Broken};
use crate::extent::Extents;
use crate::model::{ChunkId, Dialect, FsoModel, VERSION};
use crate::walk::MAGIC;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{ByteWriter, Path, WriteError};

impl FsoModel<'_> {
    /// Writes the file; a model that was read is written byte for byte. The companion is written by
    /// [`Metadata::to_bytes`](crate::Metadata::to_bytes).
    pub fn to_bytes(&self) -> Result<Vec<u8>, WriteError> {
        if self.version != VERSION {
            let message = format!("version {}, only {VERSION} may be used", self.version);
            return Err(WriteError::invalid("Version", &Path::ROOT.field("version"), message));
        }
        let mut refuse = |broken: Broken| {
            Err(broken.place.with_path(|path| WriteError::invalid(broken.code, path, broken.message)))
        };
        check::chunks(self, &mut refuse)?;
        check::ranges(self, &Extents::new(self.indices()), &mut refuse)?;
        let sizes = self.chunks.iter().map(|c| c.data.len().saturating_add(12));
        let mut w = ByteWriter::with_capacity(sizes.fold(12, usize::saturating_add));
        w.bytes(MAGIC);
        w.le_u32(self.version);
        for chunk in &self.chunks {
            w.bytes(&chunk.id.0);
            w.le_u64(chunk.data.len() as u64);
            w.bytes(&chunk.data);
        }
        Ok(w.into_bytes())
    }

    /// Makes every claimed lowest and highest index what it is: in the MESH chunk, or in the companion. Answers how
    /// many meshes changed. A mesh outside of the indices is left as it is; one without indices claims 0 and 0.
    pub fn fix_extents(&mut self) -> usize {
        let indices = self.indices();
        let extents = Extents::new(indices);
        let truth: Vec<_> = self
            .ranges()
            .map(|range| {
                let (first, end) = check::within(&range, indices.len())?;
                Some(extents.of(first, end).unwrap_or((0, 0)))
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

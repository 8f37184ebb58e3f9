//! Safe repairs: they change faults that a lenient reader accepts such that an engine without checks reads
//! the same.

use crate::dialect::Dialect;
use crate::model::{ChunkId, FsoModel};
use crate::ranges::within;
use alloc::vec::Vec;

impl FsoModel<'_> {
    /// Shortens the meshes of the MESH chunk to the existing indices. Returns the number of changed meshes.
    /// Meshes of a companion file are not changed.
    pub fn clip_meshes(&mut self) -> usize {
        if self.dialect != Dialect::Seed44 || self.chunk(ChunkId::MESH).is_none() {
            return 0;
        }
        let there = self.indices().iter().len() as u64;
        let mut entries: Vec<_> = self.entries().collect();
        let mut changed = 0_usize;
        for entry in &mut entries {
            let first = entry.offset / 4;
            let left = there.saturating_sub(first);
            if u64::from(entry.count) <= left && first <= there {
                continue;
            }
            entry.count = entry.count.min(u32::try_from(left).unwrap_or(u32::MAX));
            if first > there {
                entry.offset = there.saturating_mul(4);
            }
            changed = changed.saturating_add(1);
        }
        if changed > 0 {
            self.set_meshes(&entries);
        }
        changed
    }

    /// Makes triangles with a missing vertex degenerate, so that they draw nothing: the corner gets the
    /// index of another corner. Returns the number of changed corners. If no index of a mesh refers to a
    /// vertex, the mesh is not changed.
    pub fn fold_triangles(&mut self) -> usize {
        let vertices = self.vertices().iter().len() as u64;
        let mut indices: Vec<u32> = self.indices().iter().collect();
        let ranges: Vec<_> = self
            .ranges()
            .filter_map(|range| Some((within(&range, indices.len())?, range.base_index)))
            .collect();
        let mut changed = 0_usize;
        for ((first, end), base) in ranges {
            let is_there = |index: &u32| u64::from(*index).saturating_add(base.into()) < vertices;
            let Some(mesh) = indices.get_mut(first..end) else { continue };
            let Some(any) = mesh.iter().copied().find(is_there) else { continue };
            for triangle in mesh.chunks_mut(3) {
                let own = triangle.iter().copied().find(is_there).unwrap_or(any);
                for corner in triangle.iter_mut().filter(|corner| !is_there(corner)) {
                    *corner = own;
                    changed = changed.saturating_add(1);
                }
            }
        }
        if changed > 0 && self.set_indices(&indices).is_err() {
            return 0;
        }
        changed
    }
}

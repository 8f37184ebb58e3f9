//! The range of indices that each mesh draws, from the MESH chunk or the companion file.

use crate::dialect::Dialect;
use crate::index_extents::Extents;
use crate::model::{ChunkId, FsoModel, MeshEntry};
use crate::view::{Indices, Vertices};
use meshwright_core::Order as _;

/// Returns the start and end of a range if it is within `indices`.
pub(crate) fn within(range: &MeshRange, indices: usize) -> Option<(usize, usize)> {
    let first = usize::try_from(range.first).ok()?;
    let end = first.checked_add(usize::try_from(range.count).ok()?)?;
    (end <= indices).then_some((first, end))
}

/// Returns how many numbers below `len` are in no range, and the first of them. It sorts the ranges.
pub(crate) fn gaps(ranges: &mut [(usize, usize)], len: usize) -> (usize, Option<usize>) {
    ranges.order();
    let (mut unused, mut first, mut at) = (0_usize, None, 0_usize);
    for (start, end) in ranges.iter().copied().chain([(len, len)]) {
        if start > at {
            unused = unused.saturating_add(start.saturating_sub(at));
            first.get_or_insert(at);
        }
        at = at.max(end);
    }
    (unused, first)
}

/// The range of the index chunk that a mesh draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshRange {
    /// The first index of the range.
    pub first: u64,
    /// The number of indices.
    pub count: u64,
    /// The number that is added to every index.
    pub base_index: u32,
    /// The lowest and highest index that the file claims, before the base is added.
    pub claimed: Option<(u32, u32)>,
    /// True if the offset is not a multiple of the index size. `first` is then rounded down.
    pub(crate) misaligned: bool,
}

/// The source of the ranges of the meshes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Table<'s> {
    /// The MESH chunk.
    Chunk(&'s [[u8; MeshEntry::SIZE]]),
    /// The companion file.
    Companion(&'s [crate::metadata::Mesh]),
    /// No table: all indices, this many, are one mesh.
    Missing(u64),
}

impl Table<'_> {
    pub(crate) const fn len(&self) -> usize {
        match self {
            Self::Chunk(entries) => entries.len(),
            Self::Companion(meshes) => meshes.len(),
            Self::Missing(_) => 1,
        }
    }

    pub(crate) fn get(&self, i: usize) -> Option<MeshRange> {
        match self {
            Self::Chunk(entries) => entries.get(i).map(|bytes| {
                let e = MeshEntry::from_bytes(bytes);
                MeshRange {
                    first: e.offset / 4,
                    count: e.count.into(),
                    base_index: e.base_index,
                    claimed: Some((e.min_index, e.max_index)),
                    misaligned: !e.offset.is_multiple_of(4),
                }
            }),
            Self::Companion(meshes) => meshes.get(i).map(|m| MeshRange {
                first: m.offset,
                count: m.count.into(),
                base_index: m.base_index,
                claimed: Some((m.min_index, m.max_index)),
                misaligned: false,
            }),
            Self::Missing(count) => (i == 0).then_some(MeshRange {
                first: 0,
                count: *count,
                base_index: 0,
                claimed: None,
                misaligned: false,
            }),
        }
    }
}

impl MeshRange {
    /// Returns the vertices from the lowest to the highest index, with the base added, as start and end.
    pub(crate) fn span(&self, (low, high): (u32, u32)) -> (usize, usize) {
        let at = |v: u32| (self.base_index as usize).saturating_add(v as usize);
        (at(low), at(high).saturating_add(1))
    }
}

impl FsoModel<'_> {
    /// Returns the vertices of every range, from its lowest to its highest index. A range without indices
    /// has none.
    pub fn spans(&self) -> impl Iterator<Item = Vertices<'_>> + '_ {
        let vertices = self.vertices();
        self.slices().map(move |(start, end)| vertices.slice(start, end))
    }

    /// Returns the start and end of the vertices of every range. Both are 0 for a range without indices.
    pub fn slices(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        let indices = self.indices();
        let extents = Extents::new(indices);
        self.ranges().map(move |range| {
            let extent = within(&range, indices.len()).and_then(|(first, end)| extents.between(first, end));
            extent.map_or((0, 0), |e| range.span(e))
        })
    }

    /// Returns the vertices.
    pub fn vertices(&self) -> Vertices<'_> {
        Vertices::new(self.chunk(ChunkId::VDAT).unwrap_or_default(), self.dialect)
    }

    /// Returns the indices.
    pub fn indices(&self) -> Indices<'_> {
        Indices::new(self.chunk(ChunkId::INDX).unwrap_or_default(), self.dialect)
    }

    /// Returns the entries of the MESH chunk.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = MeshEntry> + Clone + '_ {
        let entries = self.chunk(ChunkId::MESH).unwrap_or_default().as_chunks().0;
        entries.iter().map(MeshEntry::from_bytes)
    }

    pub(crate) fn table(&self) -> Table<'_> {
        match (self.chunk(ChunkId::MESH), &self.metadata) {
            (Some(bytes), _) if self.dialect == Dialect::Seed44 => Table::Chunk(bytes.as_chunks().0),
            (_, Some(metadata)) => Table::Companion(&metadata.meshes),
            (_, None) => Table::Missing(self.indices().len() as u64),
        }
    }

    /// Returns the ranges of all meshes: from the MESH chunk, otherwise from the companion file, otherwise
    /// one range of all indices. Nodes refer to meshes by their position in this order.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = MeshRange> + '_ {
        let table = self.table();
        (0..table.len()).map(move |i| {
            table.get(i).unwrap_or(MeshRange {
                first: 0,
                count: 0,
                base_index: 0,
                claimed: None,
                misaligned: false,
            })
        })
    }
}

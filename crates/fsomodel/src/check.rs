//! What chunks and ranges must be, whoever asks: reader, validator or writer.

use crate::extent::Extents;
use crate::metadata_read::{MeshFields, mesh_fields};
use crate::model::{ChunkId, Dialect, FsoModel, MeshEntry};
use crate::view::{MeshRange, Table};
use crate::walk::HEADER;
use alloc::borrow::Cow;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{KEPT_PER_CODE, Path};

/// The field that breaks a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The model as a whole.
    Model,
    /// A chunk's header.
    Chunk(usize),
    /// A field of a mesh, and where in its entry it stands.
    Mesh(usize, &'static str, u64),
    /// An index.
    Index(usize),
}

/// A broken rule.
#[derive(Clone, Debug)]
pub(crate) struct Broken {
    pub(crate) code: &'static str,
    pub(crate) place: Place,
    pub(crate) message: Cow<'static, str>,
}

impl Place {
    /// Calls `f` with the path of the place.
    pub(crate) fn with_path<R>(self, f: impl FnOnce(&Path<'_>) -> R) -> R {
        match self {
            Self::Model => f(&Path::ROOT.field("chunks")),
            Self::Chunk(i) => f(&Path::ROOT.field("chunks").index(i)),
            Self::Mesh(i, field, _) => f(&Path::ROOT.field("meshes").index(i).field(field)),
            Self::Index(i) => f(&Path::ROOT.field("indices").index(i)),
        }
    }
}

/// Where the chunks of a model start in its file.
#[derive(Debug)]
pub(crate) struct Offsets {
    starts: Vec<u64>,
    /// The end of the file.
    end: u64,
    indices: u64,
    index_size: u64,
    /// Where the MESH chunk's payload starts, if the meshes are in it.
    meshes: Option<u64>,
    /// Where the companion's meshes say offset, count and base, if they are there.
    companion: Vec<MeshFields>,
}

impl Offsets {
    pub(crate) fn of(model: &FsoModel<'_>) -> Self {
        let (mut starts, mut at) = (Vec::with_capacity(model.chunks.len()), HEADER);
        for chunk in &model.chunks {
            starts.push(at);
            at = at.saturating_add(HEADER).saturating_add(chunk.data.len() as u64);
        }
        let payload = |id| {
            let chunk = model.chunks.iter().position(|c| c.id == id)?;
            starts.get(chunk).map(|s| s.saturating_add(HEADER))
        };
        let (indices, meshes) = (payload(ChunkId::INDX), payload(ChunkId::MESH));
        let meshes = meshes.filter(|_| matches!(model.table(), Table::Chunk(_)));
        let index_size = model.dialect.index_size() as u64;
        Self { end: at, indices: indices.unwrap_or(at), meshes, index_size, starts, companion: Vec::new() }
    }

    /// The same, with the fields of the companion's meshes looked up in its text.
    pub(crate) fn with_companion(model: &FsoModel<'_>) -> Self {
        let text = model.metadata.as_ref().and_then(|m| m.text.0.as_deref());
        let wanted = text.filter(|_| matches!(model.table(), Table::Companion(_)));
        Self { companion: wanted.map(mesh_fields).unwrap_or_default(), ..Self::of(model) }
    }

    /// The offset of a place, and whether it counts in the companion.
    pub(crate) fn at(&self, place: Place) -> (u64, bool) {
        match place {
            Place::Model => (self.end, false),
            Place::Chunk(i) => (self.starts.get(i).copied().unwrap_or(self.end), false),
            Place::Index(i) => (self.indices.saturating_add(self.index_size.saturating_mul(i as u64)), false),
            Place::Mesh(i, _, within) => match self.meshes {
                Some(start) => {
                    let entry = (i as u64).saturating_mul(MeshEntry::SIZE as u64);
                    (start.saturating_add(entry).saturating_add(within), false)
                }
                None => {
                    let fields = self.companion.get(i).copied().unwrap_or_default();
                    let at = match within {
                        0 => fields.offset,
                        8 => fields.count,
                        12 => fields.base,
                        _ => fields.start,
                    };
                    (at, true)
                }
            },
        }
    }
}

/// Reports chunks that are missing, there twice, or of a size that does not divide.
pub(crate) fn chunks<E>(model: &FsoModel<'_>, on: &mut impl FnMut(Broken) -> Result<(), E>) -> Result<(), E> {
    let dialect = model.dialect;
    let mut known = [
        (ChunkId::VDAT, dialect.vertex_size(), true, None),
        (ChunkId::INDX, dialect.index_size(), true, None),
        (ChunkId::MESH, MeshEntry::SIZE, false, None),
    ];
    for (i, chunk) in model.chunks.iter().enumerate() {
        let Some((id, size, _, first)) = known.iter_mut().find(|k| k.0 == chunk.id) else { continue };
        if *id == ChunkId::MESH && dialect != Dialect::Seed44 {
            continue;
        }
        match first {
            Some(first) => {
                let message = format!("a second {id}, the first is chunks[{first}]").into();
                on(Broken { code: "DuplicateChunk", place: Place::Chunk(i), message })?;
            }
            None => {
                *first = Some(i);
                if !chunk.data.len().is_multiple_of(*size) {
                    let message = format!(
                        "{id} of {} bytes is no whole number of {size}-byte items of dialect {dialect}",
                        chunk.data.len()
                    );
                    on(Broken { code: "StreamSize", place: Place::Chunk(i), message: message.into() })?;
                }
            }
        }
    }
    for (id, _, required, first) in known {
        if required && first.is_none() {
            let message = format!("no {id}").into();
            on(Broken { code: "MissingChunk", place: Place::Model, message })?;
        }
    }
    Ok(())
}

/// The part of a range that lies within so many indices.
pub(crate) fn within(range: &MeshRange, indices: usize) -> Option<(usize, usize)> {
    let first = usize::try_from(range.first).ok()?;
    let end = first.checked_add(usize::try_from(range.count).ok()?)?;
    (end <= indices).then_some((first, end))
}

/// How many of the numbers below `len` lie in none of the ranges, and the first of them; sorts the ranges.
pub(crate) fn gaps(ranges: &mut [(usize, usize)], len: usize) -> (usize, Option<usize>) {
    ranges.sort_unstable();
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

/// Reports ranges outside of the indices and indices outside of the vertices.
pub(crate) fn ranges<E>(
    model: &FsoModel<'_>,
    extents: &Extents<'_>,
    on: &mut impl FnMut(Broken) -> Result<(), E>,
) -> Result<(), E> {
    let (indices, vertices, table) = (model.indices(), model.vertices().len() as u64, model.table());
    if let (Table::Chunk(entries), Some(metadata)) = (table, &model.metadata)
        && entries.len() != metadata.meshes.len()
    {
        let (drawn, told) = (entries.len(), metadata.meshes.len());
        let message = format!("the companion tells of {told} meshes, the file of {drawn}").into();
        on(Broken { code: "Metadata", place: Place::Model, message })?;
    }
    // Many meshes may share faulty indices. Those that no report keeps are not searched for.
    let mut searched = 0_u64;
    for i in 0..table.len() {
        let Some(range) = table.get(i) else { break };
        if range.misaligned {
            let message = "an offset that is no multiple of 4".into();
            on(Broken { code: "Misaligned", place: Place::Mesh(i, "offset", 0), message })?;
        }
        let Some((first, end)) = within(&range, indices.len()) else {
            let message =
                format!("{} indices from {} on, there are {}", range.count, range.first, indices.len());
            // More indices than there are: no offset would do.
            let many = usize::try_from(range.count).map_or(true, |n| n > indices.len());
            let place = if many { Place::Mesh(i, "count", 8) } else { Place::Mesh(i, "offset", 0) };
            on(Broken { code: "MeshRange", place, message: message.into() })?;
            continue;
        };
        let Some((_, highest)) = extents.of(first, end) else { continue };
        let base = range.base_index;
        let limit = vertices.saturating_sub(base.into());
        if u64::from(highest) >= limit {
            searched = searched.saturating_add(1);
            let wanted = searched <= KEPT_PER_CODE;
            let beyond = |v: u32| u64::from(v) >= limit;
            let at = if wanted { indices.slice(first, end).iter().position(beyond) } else { None };
            let at = first.saturating_add(at.unwrap_or(0));
            let index = indices.get(at).unwrap_or_default();
            let message = match base {
                0 => format!("index {index} of {vertices} vertices, used by meshes[{i}]"),
                _ => format!("index {index} + base {base} of {vertices} vertices, used by meshes[{i}]"),
            };
            let place = match u64::from(index) < vertices {
                true if wanted => Place::Mesh(i, "base_index", 12),
                _ => Place::Index(at),
            };
            on(Broken { code: "IndexRange", place, message: message.into() })?;
        }
    }
    Ok(())
}

//! The rules of chunks and ranges.

use super::offsets::{FieldLocations, ModelField};
use crate::dialect::Dialect;
use crate::index_extents::Extents;
use crate::model::{ChunkId, FsoModel, MeshEntry};
use crate::ranges::{MeshRange, Table, within};
use crate::record::mesh;
use alloc::format;
use alloc::string::String;
use meshwright_core::{Findings, ReadError, Rule};

/// Reports findings with the locations of a model's fields.
pub(super) struct FindingSink<'f, 'm> {
    pub(super) findings: &'f mut Findings,
    pub(super) places: &'f FieldLocations<'m>,
}

impl FindingSink<'_, '_> {
    pub(super) fn broken(
        &mut self,
        rule: &'static Rule,
        at: ModelField,
        message: &dyn Fn() -> String,
    ) -> Result<(), ReadError> {
        at.with_path(|path| self.findings.broken(rule, path, self.places.place(at), message))
    }
}

/// Checks only the chunks. If they are sound, the extents of indices can be computed.
pub(crate) fn check_chunks(
    model: &FsoModel<'_>,
    places: &FieldLocations<'_>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    chunks(model, &mut FindingSink { findings, places })
}

/// Checks the index ranges of meshes.
pub(crate) fn check_ranges(
    model: &FsoModel<'_>,
    extents: &Extents<'_>,
    places: &FieldLocations<'_>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    ranges(model, extents, &mut FindingSink { findings, places })
}

/// Checks for chunks that are missing, duplicated, or not a multiple of their item's size.
fn chunks(model: &FsoModel<'_>, on: &mut FindingSink<'_, '_>) -> Result<(), ReadError> {
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
                on.broken(super::DUPLICATE_CHUNK, ModelField::Chunk(i), &|| {
                    format!("a second {id}, the first is chunks[{first}]")
                })?;
            }
            None => {
                *first = Some(i);
                if !chunk.data.len().is_multiple_of(*size) {
                    on.broken(super::STREAM_SIZE, ModelField::Chunk(i), &|| {
                        let len = chunk.data.len();
                        format!(
                            "{id} of {len} bytes is not a whole number of {size}-byte items of dialect {dialect}"
                        )
                    })?;
                }
            }
        }
    }
    for (id, _, required, first) in known {
        if required && first.is_none() {
            on.broken(super::MISSING_CHUNK, ModelField::Model, &|| format!("no {id}"))?;
        }
    }
    Ok(())
}

/// Compares the number of meshes in the companion file with that in the MESH chunk.
fn counts(model: &FsoModel<'_>, on: &mut FindingSink<'_, '_>) -> Result<(), ReadError> {
    let (Table::Chunk(entries), Some(metadata)) = (model.table(), &model.metadata) else { return Ok(()) };
    let (drawn, named) = (entries.len(), metadata.meshes.len());
    if drawn == named {
        return Ok(());
    }
    on.broken(super::MESH_COUNT, ModelField::Model, &|| {
        format!("the companion has {named} meshes, the file {drawn}")
    })
}

/// Checks for ranges outside the indices and indices outside the vertices.
fn ranges(
    model: &FsoModel<'_>,
    extents: &Extents<'_>,
    on: &mut FindingSink<'_, '_>,
) -> Result<(), ReadError> {
    counts(model, on)?;
    let (indices, table) = (model.indices(), model.table());
    for i in 0..table.len() {
        let Some(range) = table.get(i) else { break };
        if range.misaligned {
            let message = || String::from("an offset that is not a multiple of 4");
            on.broken(super::MISALIGNED, ModelField::Mesh(i, mesh::OFFSET), &message)?;
        }
        let Some((first, end)) = within(&range, indices.len()) else {
            // There are more indices than exist, so no offset would be valid.
            let many = usize::try_from(range.count).map_or(true, |n| n > indices.len());
            let field = if many { mesh::COUNT } else { mesh::OFFSET };
            on.broken(super::MESH_RANGE, ModelField::Mesh(i, field), &|| {
                format!("{} indices from {} on, there are {}", range.count, range.first, indices.len())
            })?;
            continue;
        };
        let Some((_, highest)) = extents.between(first, end) else { continue };
        let limit = (model.vertices().len() as u64).saturating_sub(range.base_index.into());
        if u64::from(highest) >= limit {
            beyond(model, (i, &range), (first, end), limit, on)?;
        }
    }
    Ok(())
}

/// Reports an index of a range that, with its base added, is not below `limit`.
fn beyond(
    model: &FsoModel<'_>,
    (i, range): (usize, &MeshRange),
    (first, end): (usize, usize),
    limit: u64,
    on: &mut FindingSink<'_, '_>,
) -> Result<(), ReadError> {
    let (indices, vertices, base) = (model.indices(), model.vertices().len() as u64, range.base_index);
    // Many meshes may share faulty indices, so the index is searched only if its finding is kept.
    let wanted = on.findings.keeps(super::INDEX_RANGE);
    let beyond = |v: u32| u64::from(v) >= limit;
    let at = if wanted { indices.slice(first, end).iter().position(beyond) } else { None };
    let at = first.saturating_add(at.unwrap_or(0));
    let index = indices.get(at).unwrap_or_default();
    let field = match u64::from(index) < vertices {
        true if wanted => ModelField::Mesh(i, mesh::BASE_INDEX),
        _ => ModelField::Index(at),
    };
    on.broken(super::INDEX_RANGE, field, &|| match base {
        0 => format!("index {index} of {vertices} vertices, used by meshes[{i}]"),
        _ => format!("index {index} + base {base} of {vertices} vertices, used by meshes[{i}]"),
    })
}

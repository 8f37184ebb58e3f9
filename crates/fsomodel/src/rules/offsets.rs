//! Offsets of the fields of a model in its file, and in its companion file.

use crate::metadata::rules::STREAM;
use crate::metadata::{MeshFields, mesh_fields};
use crate::model::{ChunkId, FsoModel, MeshEntry};
use crate::ranges::Table;
use crate::record::{chunk, header, mesh};
use alloc::vec::Vec;
use core::cell::OnceCell;
use meshwright_core::record::Field;
use meshwright_core::{FieldPath, Place};

/// The field that a rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelField {
    /// The model as a whole.
    Model,
    /// A chunk's header.
    Chunk(usize),
    /// A field of a mesh.
    Mesh(usize, Field),
    /// An index.
    Index(usize),
}

impl ModelField {
    /// Calls `f` with the path of the field.
    pub(crate) fn with_path<R>(self, f: impl FnOnce(&FieldPath<'_>) -> R) -> R {
        let root = FieldPath::ROOT;
        match self {
            Self::Model => f(&root.field("chunks")),
            Self::Chunk(i) => f(&root.field("chunks").index(i)),
            Self::Mesh(i, field) => f(&root.field("meshes").index(i).field(field.name)),
            Self::Index(i) => f(&root.field("indices").index(i)),
        }
    }
}

/// The offsets of a model's fields. They are computed when the first one is needed.
pub(crate) struct FieldLocations<'m> {
    model: &'m FsoModel<'m>,
    known: FileState,
    offsets: OnceCell<Offsets>,
}

/// The state of the file that offsets refer to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FileState {
    None,
    File,
    FileAndCompanion,
}

impl<'m> FieldLocations<'m> {
    const fn new(model: &'m FsoModel<'m>, known: FileState) -> Self {
        Self { model, known, offsets: OnceCell::new() }
    }

    /// Returns the locations in a model that was just read.
    pub(crate) const fn as_read(model: &'m FsoModel<'m>) -> Self {
        Self::new(model, FileState::FileAndCompanion)
    }

    /// Returns locations for a check whose findings are not reported.
    pub(crate) const fn unknown(model: &'m FsoModel<'m>) -> Self {
        Self::new(model, FileState::None)
    }

    /// Returns the locations in a model that may have been edited. Offsets are those of the file that will
    /// be written. Offsets in the companion file are unknown.
    pub(crate) const fn as_written(model: &'m FsoModel<'m>) -> Self {
        Self::new(model, FileState::File)
    }

    /// Returns the location of a field.
    pub(crate) fn place(&self, at: ModelField) -> Place {
        if self.known == FileState::None {
            return Place::NONE;
        }
        match self.offsets().offset(at) {
            (offset, false) => offset.into(),
            (offset, true) => {
                Place::part(STREAM, (self.known == FileState::FileAndCompanion).then_some(offset))
            }
        }
    }

    fn offsets(&self) -> &Offsets {
        self.offsets.get_or_init(|| Offsets::new(self.model, self.known == FileState::FileAndCompanion))
    }

    /// Returns the offset of a field in the file itself.
    pub(crate) fn offset(&self, at: ModelField) -> u64 {
        self.offsets().offset(at).0
    }

    /// Returns the offset of the payload of a chunk.
    pub(crate) fn payload(&self, id: ChunkId) -> Option<u64> {
        let i = self.model.chunks.iter().position(|c| c.id == id)?;
        Some(self.offset(ModelField::Chunk(i)).saturating_add(chunk::SIZE as u64))
    }
}

#[derive(Debug)]
struct Offsets {
    chunks: Vec<u64>,
    /// The end of the file.
    end: u64,
    indices: u64,
    index_size: u64,
    /// The offset of the MESH chunk's payload, if it holds the meshes.
    meshes: Option<u64>,
    /// The offsets of the mesh fields in the companion file, if it holds the meshes.
    companion: Vec<MeshFields>,
}

impl Offsets {
    fn new(model: &FsoModel<'_>, with_companion: bool) -> Self {
        let (mut chunks, mut at) = (Vec::with_capacity(model.chunks.len()), header::SIZE as u64);
        for c in &model.chunks {
            chunks.push(at);
            at = at.saturating_add(chunk::SIZE as u64).saturating_add(c.data.len() as u64);
        }
        let payload = |id| {
            let i = model.chunks.iter().position(|c| c.id == id)?;
            chunks.get(i).map(|start| start.saturating_add(chunk::SIZE as u64))
        };
        let (indices, meshes) = (payload(ChunkId::INDX), payload(ChunkId::MESH));
        let table = model.table();
        let meshes = meshes.filter(|_| matches!(table, Table::Chunk(_)));
        let text = model.metadata.as_ref().and_then(|m| m.text());
        let wanted = text.filter(|_| with_companion && matches!(table, Table::Companion(_)));
        Self {
            end: at,
            indices: indices.unwrap_or(at),
            index_size: model.dialect.index_size() as u64,
            meshes,
            companion: wanted.map(mesh_fields).unwrap_or_default(),
            chunks,
        }
    }

    /// Returns the offset of a field, and whether it counts in the companion file.
    fn offset(&self, at: ModelField) -> (u64, bool) {
        match at {
            ModelField::Model => (self.end, false),
            ModelField::Chunk(i) => (self.chunks.get(i).copied().unwrap_or(self.end), false),
            ModelField::Index(i) => {
                (self.indices.saturating_add(self.index_size.saturating_mul(i as u64)), false)
            }
            ModelField::Mesh(i, field) => match self.meshes {
                Some(start) => {
                    let entry = (i as u64).saturating_mul(MeshEntry::SIZE as u64);
                    (field.offset_in(start.saturating_add(entry)), false)
                }
                None => {
                    let fields = self.companion.get(i).copied().unwrap_or_default();
                    let at = match field {
                        mesh::OFFSET => fields.offset,
                        mesh::COUNT => fields.count,
                        mesh::BASE_INDEX => fields.base,
                        _ => fields.start,
                    };
                    (at, true)
                }
            },
        }
    }
}

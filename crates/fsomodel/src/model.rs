//! The model: chunks in the file's order, and the content of the companion file.

use crate::dialect::Dialect;
use crate::metadata::Metadata;
use crate::record::mesh;
use crate::view::Vertex;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;
use meshwright_core::record::Field;
use meshwright_core::{ByteWriter, FieldPath, WriteError};

/// The version of every file. The format forbids any other.
pub const VERSION: u32 = 1;

/// A FSOMODEL file, with the content of its companion file if it has one.
///
/// Chunks are kept in the file's order, including unknown ones. Public fields may be edited freely.
/// [`validate`](Self::validate) and [`to_bytes`](Self::to_bytes) check the rules of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsoModel<'a> {
    /// The format's version.
    pub version: u32,
    /// The layout of vertices and indices, which the file does not state.
    pub dialect: Dialect,
    /// All chunks.
    pub chunks: Vec<Chunk<'a>>,
    /// The companion `.json`: materials, meshes and nodes.
    pub metadata: Option<Metadata>,
}

impl Default for FsoModel<'_> {
    /// Returns an empty model: no vertices, no indices, no meshes.
    fn default() -> Self {
        Self::new(Dialect::Seed44)
    }
}

/// A chunk: an id of four letters, and a payload.
#[derive(Clone, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// The id, which states the type of content.
    pub id: ChunkId,
    /// The payload.
    pub data: Cow<'a, [u8]>,
}

impl fmt::Debug for Chunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({} bytes)", self.id, self.data.len())
    }
}

/// The id of a chunk, four bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub [u8; 4]);

impl ChunkId {
    /// Vertices.
    pub const VDAT: Self = Self(*b"VDAT");
    /// Indices.
    pub const INDX: Self = Self(*b"INDX");
    /// Meshes; only in dialect [`Seed44`](Dialect::Seed44).
    pub const MESH: Self = Self(*b"MESH");
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", meshwright_core::text::Escaped(&self.0))
    }
}

impl From<[u8; 4]> for ChunkId {
    fn from(letters: [u8; 4]) -> Self {
        Self(letters)
    }
}

/// Converts four ASCII characters.
impl TryFrom<&str> for ChunkId {
    type Error = NoChunkId;

    fn try_from(letters: &str) -> Result<Self, NoChunkId> {
        letters.parse()
    }
}

impl FromStr for ChunkId {
    type Err = NoChunkId;

    fn from_str(letters: &str) -> Result<Self, NoChunkId> {
        let four = letters.as_bytes().try_into().ok();
        four.filter(|_| letters.is_ascii()).map(Self).ok_or(NoChunkId)
    }
}

/// The error for a text that is not four ASCII characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoChunkId;

impl fmt::Display for NoChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a chunk's name is four ASCII characters")
    }
}

impl core::error::Error for NoChunkId {}

impl PartialEq<str> for ChunkId {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for ChunkId {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl fmt::Debug for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// An entry of the MESH chunk, 24 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshEntry {
    /// The start of the mesh's indices in the INDX chunk, in bytes.
    pub offset: u64,
    /// The number of indices.
    pub count: u32,
    /// The number that is added to every index.
    pub base_index: u32,
    /// The lowest index, before `base_index` is added. It is a hint for the renderer.
    pub min_index: u32,
    /// The highest index, before `base_index` is added. It is a hint for the renderer.
    pub max_index: u32,
}

impl MeshEntry {
    /// The size of an entry in bytes.
    pub const SIZE: usize = mesh::SIZE;

    /// Decodes an entry.
    pub fn from_bytes(b: &[u8; Self::SIZE]) -> Self {
        let word = |f: Field| {
            let word = b.get(f.offset..).and_then(|rest| rest.first_chunk());
            word.map_or(0, |w| u32::from_le_bytes(*w))
        };
        Self {
            offset: b.first_chunk().map_or(0, |offset| u64::from_le_bytes(*offset)),
            count: word(mesh::COUNT),
            base_index: word(mesh::BASE_INDEX),
            min_index: word(mesh::MIN_INDEX),
            max_index: word(mesh::MAX_INDEX),
        }
    }

    /// Appends the bytes of the entry.
    pub(crate) fn write_to(&self, w: &mut ByteWriter) {
        w.record(mesh::SIZE, |r| {
            r.le_u64(mesh::OFFSET, self.offset);
            r.le_u32(mesh::COUNT, self.count);
            r.le_u32(mesh::BASE_INDEX, self.base_index);
            r.le_u32(mesh::MIN_INDEX, self.min_index);
            r.le_u32(mesh::MAX_INDEX, self.max_index);
        });
    }
}

impl<'a> FsoModel<'a> {
    /// Returns an empty model in a dialect: its chunks have no content.
    pub fn new(dialect: Dialect) -> Self {
        let empty = |id| Chunk { id, data: Cow::Borrowed(&[][..]) };
        let mut chunks = Vec::from([empty(ChunkId::VDAT), empty(ChunkId::INDX)]);
        if dialect == Dialect::Seed44 {
            chunks.push(empty(ChunkId::MESH));
        }
        Self { version: VERSION, dialect, chunks, metadata: None }
    }

    /// Copies borrowed data, so that the model no longer borrows from the file.
    pub fn into_owned(self) -> FsoModel<'static> {
        let own = |c: Chunk<'a>| Chunk { id: c.id, data: Cow::Owned(c.data.into_owned()) };
        FsoModel {
            version: self.version,
            dialect: self.dialect,
            chunks: self.chunks.into_iter().map(own).collect(),
            metadata: self.metadata,
        }
    }

    /// Returns the chunks that have no meaning in the model's dialect.
    pub fn unknown(&self) -> impl Iterator<Item = &Chunk<'a>> {
        let table = self.dialect == Dialect::Seed44;
        self.chunks.iter().filter(move |c| match c.id {
            ChunkId::VDAT | ChunkId::INDX => false,
            ChunkId::MESH => !table,
            _ => true,
        })
    }

    /// Returns the payload of the first chunk with this id.
    pub fn chunk(&self, id: ChunkId) -> Option<&[u8]> {
        self.chunks.iter().find(|c| c.id == id).map(|c| &*c.data)
    }

    /// Replaces the payload of the first chunk with this id, or appends a chunk.
    pub fn set_chunk(&mut self, id: ChunkId, data: Vec<u8>) {
        let data = Cow::Owned(data);
        match self.chunks.iter_mut().find(|c| c.id == id) {
            Some(found) => found.data = data,
            None => self.chunks.push(Chunk { id, data }),
        }
    }

    /// Replaces the vertices, encoded in the dialect's layout.
    pub fn set_vertices(&mut self, vertices: &[Vertex]) {
        let dialect = self.dialect;
        let mut data = Vec::with_capacity(vertices.len().saturating_mul(dialect.vertex_size()));
        for vertex in vertices {
            vertex.floats(dialect).for_each(|f| data.extend_from_slice(&f.to_bits().to_le_bytes()));
        }
        self.set_chunk(ChunkId::VDAT, data);
    }

    /// Replaces the MESH chunk. Only dialect [`Seed44`](Dialect::Seed44) has one.
    pub fn set_meshes(&mut self, meshes: &[MeshEntry]) {
        let mut w = ByteWriter::with_capacity(meshes.len().saturating_mul(MeshEntry::SIZE));
        meshes.iter().for_each(|entry| entry.write_to(&mut w));
        self.set_chunk(ChunkId::MESH, w.into_bytes());
    }

    /// Replaces the indices, encoded in the dialect's width.
    ///
    /// # Errors
    /// If an index does not fit. Then nothing changes.
    pub fn set_indices(&mut self, indices: &[u32]) -> Result<(), WriteError> {
        let wide = self.dialect.index_size() == 4;
        let mut data = Vec::with_capacity(indices.len().saturating_mul(self.dialect.index_size()));
        for (i, &index) in indices.iter().enumerate() {
            if wide {
                data.extend(index.to_le_bytes());
            } else {
                let path = FieldPath::ROOT.field("indices");
                data.extend(WriteError::fit(&path.index(i), "index", index.into(), u16::MAX)?.to_le_bytes());
            }
        }
        self.set_chunk(ChunkId::INDX, data);
        Ok(())
    }
}

//! The model: chunks in the file's order, and the companion's content.

use crate::metadata::Metadata;
use crate::view::Vertex;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;

/// The version that every file has; the format's rule forbids to use any other.
pub const VERSION: u32 = 1;

/// A FSOMODEL file, with the content of its companion where it has one.
///
/// Chunks are kept in the file's order, unknown ones included. Public fields may be edited freely;
/// [`validate`](Self::validate) and [`to_bytes`](Self::to_bytes) check what the format demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FsoModel<'a> {
    /// The format's version.
    pub version: u32,
    /// How vertices and indices are laid out, which the file does not say.
    pub dialect: Dialect,
    /// All chunks.
    pub chunks: Vec<Chunk<'a>>,
    /// The companion `.json`: materials, meshes and nodes.
    pub metadata: Option<Metadata>,
}

impl Default for FsoModel<'_> {
    /// A model of nothing: no vertices, no indices, no meshes.
    fn default() -> Self {
        Self::new(Dialect::Seed44)
    }
}

/// A chunk: four letters and a payload.
#[derive(Clone, PartialEq, Eq)]
pub struct Chunk<'a> {
    /// What it holds.
    pub id: ChunkId,
    /// Its payload.
    pub data: Cow<'a, [u8]>,
}

impl fmt::Debug for Chunk<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({} bytes)", self.id, self.data.len())
    }
}

/// The four bytes that name a chunk.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChunkId(pub [u8; 4]);

impl ChunkId {
    /// Vertices.
    pub const VDAT: Self = Self(*b"VDAT");
    /// Indices.
    pub const INDX: Self = Self(*b"INDX");
    /// Meshes, of dialect [`Seed44`](Dialect::Seed44) only.
    pub const MESH: Self = Self(*b"MESH");
}

impl fmt::Display for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", meshwright_core::text::Escaped(&self.0))
    }
}

impl fmt::Debug for ChunkId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// How vertices and indices are laid out. The format changed twice while its version stayed 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// The description's: vertices of 44 bytes, indices of 32 bits, a MESH chunk with offsets in bytes.
    #[default]
    Seed44,
    /// The description's later revision: vertices of 56 bytes with a bitangent, indices of 16 bits.
    Doc56,
    /// What was implemented: vertices of 60 bytes with three texture coordinates, indices of 16 bits, meshes
    /// in the companion with offsets in indices.
    Gl3,
}

impl Dialect {
    /// All dialects, in the order in which an undecided file prefers them.
    pub const ALL: [Self; 3] = [Self::Seed44, Self::Gl3, Self::Doc56];

    /// A short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seed44 => "seed44",
            Self::Doc56 => "doc56",
            Self::Gl3 => "gl3_60",
        }
    }

    /// Bytes of a vertex.
    pub const fn vertex_size(self) -> usize {
        match self {
            Self::Seed44 => 44,
            Self::Doc56 => 56,
            Self::Gl3 => 60,
        }
    }

    /// Bytes of an index.
    pub const fn index_size(self) -> usize {
        match self {
            Self::Seed44 => 4,
            Self::Doc56 | Self::Gl3 => 2,
        }
    }

    /// Where the normal stands in a vertex.
    pub(crate) const fn normal_at(self) -> usize {
        match self {
            Self::Seed44 | Self::Doc56 => 20,
            Self::Gl3 => 24,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An entry of the MESH chunk, 24 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshEntry {
    /// Where its indices start in the INDX chunk, in bytes.
    pub offset: u64,
    /// How many indices it has.
    pub count: u32,
    /// Added to every index.
    pub base_index: u32,
    /// The lowest index, before `base_index` is added. A hint.
    pub min_index: u32,
    /// The highest index, before `base_index` is added. A hint.
    pub max_index: u32,
}

impl MeshEntry {
    /// Bytes of an entry.
    pub const SIZE: usize = 24;

    /// The entry in its 24 bytes.
    pub fn from_bytes(b: &[u8; Self::SIZE]) -> Self {
        let (offset, rest) = b.split_first_chunk().unwrap_or((&[0; 8], &[]));
        let word = |i: usize| rest.as_chunks().0.get(i).map_or(0, |w| u32::from_le_bytes(*w));
        Self {
            offset: u64::from_le_bytes(*offset),
            count: word(0),
            base_index: word(1),
            min_index: word(2),
            max_index: word(3),
        }
    }

    /// The 24 bytes of the entry.
    pub fn to_bytes(&self) -> [u8; Self::SIZE] {
        let mut out = [0; Self::SIZE];
        let words = [self.count, self.base_index, self.min_index, self.max_index];
        let bytes = self.offset.to_le_bytes().into_iter().chain(words.into_iter().flat_map(u32::to_le_bytes));
        for (to, from) in out.iter_mut().zip(bytes) {
            *to = from;
        }
        out
    }
}

impl<'a> FsoModel<'a> {
    /// A model of nothing in a dialect: empty chunks.
    pub fn new(dialect: Dialect) -> Self {
        let empty = |id| Chunk { id, data: Cow::Borrowed(&[][..]) };
        let mut chunks = Vec::from([empty(ChunkId::VDAT), empty(ChunkId::INDX)]);
        if dialect == Dialect::Seed44 {
            chunks.push(empty(ChunkId::MESH));
        }
        Self { version: VERSION, dialect, chunks, metadata: None }
    }

    /// The same model, independent of the bytes it was read from.
    pub fn into_owned(self) -> FsoModel<'static> {
        let own = |c: Chunk<'a>| Chunk { id: c.id, data: Cow::Owned(c.data.into_owned()) };
        FsoModel {
            version: self.version,
            dialect: self.dialect,
            chunks: self.chunks.into_iter().map(own).collect(),
            metadata: self.metadata,
        }
    }

    /// The chunks that mean nothing in the model's dialect.
    pub fn unknown(&self) -> impl Iterator<Item = &Chunk<'a>> {
        let table = self.dialect == Dialect::Seed44;
        self.chunks.iter().filter(move |c| match c.id {
            ChunkId::VDAT | ChunkId::INDX => false,
            ChunkId::MESH => !table,
            _ => true,
        })
    }

    /// The payload of the first chunk of a kind.
    pub fn chunk(&self, id: ChunkId) -> Option<&[u8]> {
        self.chunks.iter().find(|c| c.id == id).map(|c| &*c.data)
    }

    /// Replaces the payload of the first chunk of a kind, or appends a chunk.
    pub fn set_chunk(&mut self, id: ChunkId, data: Vec<u8>) {
        let data = Cow::Owned(data);
        match self.chunks.iter_mut().find(|c| c.id == id) {
            Some(found) => found.data = data,
            None => self.chunks.push(Chunk { id, data }),
        }
    }

    /// Replaces the vertices, in the dialect's layout.
    pub fn set_vertices(&mut self, vertices: &[Vertex]) {
        let dialect = self.dialect;
        let words = vertices.iter().flat_map(|v| v.floats(dialect));
        self.set_chunk(ChunkId::VDAT, words.flat_map(|f| f.to_bits().to_le_bytes()).collect());
    }

    /// Replaces the MESH chunk; only dialect [`Seed44`](Dialect::Seed44) has one.
    pub fn set_meshes(&mut self, meshes: &[MeshEntry]) {
        self.set_chunk(ChunkId::MESH, meshes.iter().flat_map(MeshEntry::to_bytes).collect());
    }

    /// Replaces the indices, in the dialect's width. Answers `false` when one does not fit, and changes
    /// nothing.
    pub fn set_indices(&mut self, indices: &[u32]) -> bool {
        let mut data = Vec::with_capacity(indices.len().saturating_mul(self.dialect.index_size()));
        for &index in indices {
            if self.dialect.index_size() == 4 {
                data.extend(index.to_le_bytes());
            } else {
                let Ok(index) = u16::try_from(index) else { return false };
                data.extend(index.to_le_bytes());
            }
        }
        self.set_chunk(ChunkId::INDX, data);
        true
    }
}

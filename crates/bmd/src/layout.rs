//! Where the parts of a model lay in its file.

use alloc::vec::Vec;
use meshwright_core::layout::Gaps;

/// The places of a file's tables, lists and strings, and the bytes that nothing refers to.
///
/// Opaque: it comes from reading and serves writing. It holds offsets and sizes only, no content except the
/// bytes of the gaps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes of the file.
    pub(crate) len: u64,
    /// Offsets of the mesh, LOD, bone and clip table.
    pub(crate) tables: [u32; 4],
    pub(crate) meshes: Vec<MeshPlace>,
    /// How many levels of detail there were.
    pub(crate) lods: usize,
    /// The name of each bone.
    pub(crate) bones: Vec<StringPlace>,
    pub(crate) clips: Vec<ClipPlace>,
    pub(crate) gaps: Gaps,
}

impl Layout {
    /// Bytes of the file.
    pub const fn file_len(&self) -> u64 {
        self.len
    }

    /// Bytes of the file that nothing refers to.
    pub const fn gaps(&self) -> &Gaps {
        &self.gaps
    }
}

/// A string's offset and length without terminator; offset 0 for no string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct StringPlace {
    pub(crate) at: u32,
    pub(crate) len: u32,
}

/// A list: where it starts, the size its record states, and what its elements take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListPlace {
    pub(crate) at: u32,
    pub(crate) size: u32,
    pub(crate) used: u32,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MeshPlace {
    pub(crate) vertices: ListPlace,
    pub(crate) primitives: ListPlace,
    pub(crate) material: StringPlace,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ClipPlace {
    pub(crate) name: StringPlace,
    pub(crate) stream: ListPlace,
}

/// Sizes of the fixed records.
pub(crate) const HEADER: u64 = 48;
pub(crate) const MESH: u64 = 32;
pub(crate) const LOD: u64 = 4;
pub(crate) const BONE: u64 = 16;
pub(crate) const CLIP: u64 = 16;
/// Record sizes in the order of [`Layout::tables`].
pub(crate) const RECORDS: [u64; 4] = [MESH, LOD, BONE, CLIP];

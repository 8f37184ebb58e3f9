//! The offsets of the sections of a DPM file.

use alloc::vec::Vec;
use meshwright_core::layout::Gaps;

/// Offsets of all sections, and the sizes for which they were computed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The file size that the header states.
    pub filesize: u32,
    /// The actual size of the file.
    pub size: u64,
    pub num_bones: u32,
    pub ofs_bones: u32,
    pub ofs_meshes: u32,
    pub ofs_frames: u32,
    pub num_frames: u32,
    pub meshes: Vec<MeshLayout>,
    /// Offset of each distinct pose.
    pub poses: Vec<u32>,
    pub gaps: Gaps,
}

/// Offsets of one mesh's sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MeshLayout {
    pub vertices_len: u64,
    pub num_verts: u32,
    pub num_tris: u32,
    pub ofs_verts: u32,
    pub ofs_texcoords: u32,
    pub ofs_indices: u32,
    pub ofs_groupids: u32,
}

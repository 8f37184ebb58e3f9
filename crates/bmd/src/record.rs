//! The fixed records of a file: names, offsets and widths of their fields, as the description has them.

use meshwright_core::record;
use meshwright_core::record::Field;

/// The first four bytes of a file.
pub(crate) const MAGIC: [u8; 4] = *b"BMD1";

record! {
    /// The start of a file.
    pub(crate) mod header: 48 {
        /// `BMD1`.
        MAGIC = "magic": 0x00, 4;
        /// `u32`, 0.
        RESERVED1 = "resv1": 0x04, 4;
        /// `u32`, 0.
        RESERVED2 = "resv2": 0x08, 4;
        /// `u32`, 0.
        RESERVED3 = "resv3": 0x0c, 4;
        /// `u32`, where the meshes are.
        OFS_MESHES = "ofs_meshes": 0x10, 4;
        /// `u32`, bytes of all of them, 32 each.
        SZ_MESHES = "sz_meshes": 0x14, 4;
        /// `u32`, where the levels of detail are.
        OFS_LODS = "ofs_lods": 0x18, 4;
        /// `u32`, bytes of all of them, 4 each.
        SZ_LODS = "sz_lods": 0x1c, 4;
        /// `u32`, where the bones are; 0 in a static model.
        OFS_BONES = "ofs_bones": 0x20, 4;
        /// `u32`, bytes of all of them, 16 each.
        SZ_BONES = "sz_bones": 0x24, 4;
        /// `u32`, where the clips are; 0 in a static model.
        OFS_ANIMS = "ofs_anims": 0x28, 4;
        /// `u32`, bytes of all of them, 16 each.
        SZ_ANIMS = "sz_anims": 0x2c, 4;
    }
}

record! {
    /// `MeshDef`.
    pub(crate) mod mesh: 32 {
        /// `u32`, where the vertices are.
        OFS_VTX = "ofs_vtx": 0x00, 4;
        /// `u32`, where the triangles and quads are.
        OFS_TRIS = "ofs_tris": 0x04, 4;
        /// `u32`, where the name of the material is; 0 for a mesh that is not drawn.
        OFS_MAT = "ofs_mat": 0x08, 4;
        /// `u16`, how many vertices.
        N_VTX = "n_vtx": 0x0c, 2;
        /// `u16`, how many triangles; how quads count depends on the vertices.
        N_TRIS = "n_tris": 0x0e, 2;
        /// `u32`, bytes of the vertices.
        SZ_VTX = "sz_vtx": 0x10, 4;
        /// `u32`, bytes of the triangles.
        SZ_TRIS = "sz_tris": 0x14, 4;
        /// `u32`, which kinds of vertices (bits 1:0) and of triangles (bits 3:2) there are.
        FLAGS = "flags": 0x18, 4;
        /// `u32`, 0.
        RESERVED = "resv3": 0x1c, 4;
    }
}

record! {
    /// `LodDef`.
    pub(crate) mod lod: 4 {
        /// `u8`, the first mesh.
        ID_MESH = "id_mesh": 0, 1;
        /// `u8`, how many meshes.
        N_MESH = "n_mesh": 1, 1;
        /// F8A, the least scale at which the level is shown.
        LD_SC = "ld_sc": 2, 1;
        /// `u8`, 0.
        RESERVED = "resv1": 3, 1;
    }
}

record! {
    /// `BoneDef`.
    pub(crate) mod bone: 16 {
        /// `u64`, origin and rotation relative to the parent; 0 for bone 0.
        XFORM = "xform": 0x00, 8;
        /// `u32`, where the name is.
        OFS_NAME = "ofs_name": 0x08, 4;
        /// `u8`, the parent; 0xFF for a pseudo-bone.
        ID_PARENT = "id_parent": 0x0c, 1;
        /// `u8`, the mesh that bounds the bone for collisions, 0 for none.
        ID_SOLID = "id_solid": 0x0d, 1;
        /// `u8`, 0.
        RESERVED1 = "resv1": 0x0e, 1;
        /// `u8`, 0.
        RESERVED2 = "resv2": 0x0f, 1;
    }
}

record! {
    /// `AnimDef`.
    pub(crate) mod anim: 16 {
        /// `u32`, where the name is.
        OFS_NAME = "ofs_name": 0x00, 4;
        /// `u8`, how many frames.
        N_FRAMES = "n_frames": 0x04, 1;
        /// `u8`, bit 7 for no loop, bits 6:0 frames per second in quarters.
        FL_HZ = "fl_hz": 0x05, 1;
        /// `u8`, 0.
        RESERVED1 = "resv1": 0x06, 1;
        /// `u8`, 0.
        RESERVED2 = "resv2": 0x07, 1;
        /// `u32`, where the keys are.
        OFS_FRAMES = "ofs_frames": 0x08, 4;
        /// `u32`, bytes of the keys.
        SZ_FRAMES = "sz_frames": 0x0c, 4;
    }
}

/// One of the four tables that the header names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Meshes,
    Lods,
    Bones,
    Anims,
}

impl Table {
    pub(crate) const ALL: [Self; 4] = [Self::Meshes, Self::Lods, Self::Bones, Self::Anims];

    /// The name of its rows in paths.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Meshes => "meshes",
            Self::Lods => "lods",
            Self::Bones => "bones",
            Self::Anims => "anims",
        }
    }

    /// Bytes of a row.
    pub(crate) const fn row(self) -> usize {
        match self {
            Self::Meshes => mesh::SIZE,
            Self::Lods => lod::SIZE,
            Self::Bones => bone::SIZE,
            Self::Anims => anim::SIZE,
        }
    }

    /// The header's fields for the offset and the size of the table.
    pub(crate) const fn fields(self) -> (Field, Field) {
        match self {
            Self::Meshes => (header::OFS_MESHES, header::SZ_MESHES),
            Self::Lods => (header::OFS_LODS, header::SZ_LODS),
            Self::Bones => (header::OFS_BONES, header::SZ_BONES),
            Self::Anims => (header::OFS_ANIMS, header::SZ_ANIMS),
        }
    }

    /// The offset of row `index` of a table at `start`.
    pub(crate) fn row_offset(self, start: u32, index: usize) -> u64 {
        u64::from(start).saturating_add((index as u64).saturating_mul(self.row() as u64))
    }

    /// Bytes of `rows` rows.
    pub(crate) const fn size(self, rows: usize) -> u64 {
        (rows as u64).saturating_mul(self.row() as u64)
    }
}

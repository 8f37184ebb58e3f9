//! The fixed-size records of a file: names, offsets and widths of their fields, as in the description.

use meshwright_core::record;
use meshwright_core::record::Field;

/// The first four bytes of a file.
pub(crate) const MAGIC: [u8; 4] = *b"BMD1";

record! {
    /// The start of a file.
    pub(crate) mod header: 48 {
        /// `BMD1`.
        MAGIC = "magic": 0x00, Text<4>;
        /// Reserved, 0.
        RESERVED1 = "resv1": 0x04, u32;
        /// Reserved, 0.
        RESERVED2 = "resv2": 0x08, u32;
        /// Reserved, 0.
        RESERVED3 = "resv3": 0x0c, u32;
        /// The offset of the mesh table.
        OFS_MESHES = "ofs_meshes": 0x10, u32;
        /// The size of the mesh table in bytes, 32 per mesh.
        SZ_MESHES = "sz_meshes": 0x14, u32;
        /// The offset of the table of levels of detail.
        OFS_LODS = "ofs_lods": 0x18, u32;
        /// The size of that table in bytes, 4 per level.
        SZ_LODS = "sz_lods": 0x1c, u32;
        /// The offset of the bone table; 0 in a static model.
        OFS_BONES = "ofs_bones": 0x20, u32;
        /// The size of the bone table in bytes, 16 per bone.
        SZ_BONES = "sz_bones": 0x24, u32;
        /// The offset of the clip table; 0 in a static model.
        OFS_ANIMS = "ofs_anims": 0x28, u32;
        /// The size of the clip table in bytes, 16 per clip.
        SZ_ANIMS = "sz_anims": 0x2c, u32;
    }
}

record! {
    /// `MeshDef`, a mesh.
    pub(crate) mod mesh: 32 {
        /// The offset of the vertices.
        OFS_VTX = "ofs_vtx": 0x00, u32;
        /// The offset of the triangles and quads.
        OFS_TRIS = "ofs_tris": 0x04, u32;
        /// The offset of the material name; 0 for a mesh that is not drawn.
        OFS_MAT = "ofs_mat": 0x08, u32;
        /// The number of vertices.
        N_VTX = "n_vtx": 0x0c, u16;
        /// The number of triangles. Quads count once or twice, depending on the number of vertices.
        N_TRIS = "n_tris": 0x0e, u16;
        /// The size of the vertices in bytes.
        SZ_VTX = "sz_vtx": 0x10, u32;
        /// The size of the triangles and quads in bytes.
        SZ_TRIS = "sz_tris": 0x14, u32;
        /// The allowed kinds of vertices (bits 1:0) and of primitives (bits 3:2).
        FLAGS = "flags": 0x18, u32;
        /// Reserved, 0.
        RESERVED = "resv3": 0x1c, u32;
    }
}

record! {
    /// `LodDef`, a level of detail.
    pub(crate) mod lod: 4 {
        /// The first mesh.
        ID_MESH = "id_mesh": 0, u8;
        /// The number of meshes.
        N_MESH = "n_mesh": 1, u8;
        /// F8A, the smallest scale at which the level is shown.
        LD_SC = "ld_sc": 2, u8;
        /// Reserved, 0.
        RESERVED = "resv1": 3, u8;
    }
}

record! {
    /// `BoneDef`, a bone.
    pub(crate) mod bone: 16 {
        /// Origin and rotation relative to the parent; 0 for bone 0.
        XFORM = "xform": 0x00, u64;
        /// The offset of the name.
        OFS_NAME = "ofs_name": 0x08, u32;
        /// The parent; 0xFF for a pseudo-bone.
        ID_PARENT = "id_parent": 0x0c, u8;
        /// The mesh that bounds the bone for collisions, 0 for none.
        ID_SOLID = "id_solid": 0x0d, u8;
        /// Reserved, 0.
        RESERVED1 = "resv1": 0x0e, u8;
        /// Reserved, 0.
        RESERVED2 = "resv2": 0x0f, u8;
    }
}

record! {
    /// `AnimDef`, a clip.
    pub(crate) mod anim: 16 {
        /// The offset of the name.
        OFS_NAME = "ofs_name": 0x00, u32;
        /// The number of frames.
        N_FRAMES = "n_frames": 0x04, u8;
        /// Bit 7 is set for a clip that does not loop, bits 6:0 frames per second in quarters.
        FL_HZ = "fl_hz": 0x05, u8;
        /// Reserved, 0.
        RESERVED1 = "resv1": 0x06, u8;
        /// Reserved, 0.
        RESERVED2 = "resv2": 0x07, u8;
        /// The offset of the keys.
        OFS_FRAMES = "ofs_frames": 0x08, u32;
        /// The size of the keys in bytes.
        SZ_FRAMES = "sz_frames": 0x0c, u32;
    }
}

/// One of the four tables that the header refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Table {
    Meshes,
    Lods,
    Bones,
    Anims,
}

impl Table {
    pub(crate) const ALL: [Self; 4] = [Self::Meshes, Self::Lods, Self::Bones, Self::Anims];

    /// Returns the name of the table in field paths.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Meshes => "meshes",
            Self::Lods => "lods",
            Self::Bones => "bones",
            Self::Anims => "anims",
        }
    }

    /// Returns the size of a row in bytes.
    pub(crate) const fn row(self) -> usize {
        match self {
            Self::Meshes => mesh::SIZE,
            Self::Lods => lod::SIZE,
            Self::Bones => bone::SIZE,
            Self::Anims => anim::SIZE,
        }
    }

    /// Returns the header's fields for the offset and the size of the table.
    pub(crate) const fn fields(self) -> (Field, Field) {
        match self {
            Self::Meshes => (header::OFS_MESHES, header::SZ_MESHES),
            Self::Lods => (header::OFS_LODS, header::SZ_LODS),
            Self::Bones => (header::OFS_BONES, header::SZ_BONES),
            Self::Anims => (header::OFS_ANIMS, header::SZ_ANIMS),
        }
    }

    /// Returns the offset of row `index` of a table at `start`.
    pub(crate) fn row_offset(self, start: u32, index: usize) -> u64 {
        u64::from(start).saturating_add((index as u64).saturating_mul(self.row() as u64))
    }

    /// Returns the size of `rows` rows in bytes.
    pub(crate) const fn size(self, rows: usize) -> u64 {
        (rows as u64).saturating_mul(self.row() as u64)
    }
}

//! The fixed records of a file: names, offsets and widths of their fields, as the description has them.

use meshwright_core::record;
use meshwright_core::record::Field;

/// The first four bytes of a file.
pub(crate) const MAGIC: [u8; 4] = *b"BMD1";

record! {
    /// The start of a file.
    pub(crate) mod header: 48 {
        MAGIC = "magic": 0x00, 4;
        RESERVED1 = "resv1": 0x04, 4;
        RESERVED2 = "resv2": 0x08, 4;
        RESERVED3 = "resv3": 0x0c, 4;
        OFS_MESHES = "ofs_meshes": 0x10, 4;
        SZ_MESHES = "sz_meshes": 0x14, 4;
        OFS_LODS = "ofs_lods": 0x18, 4;
        SZ_LODS = "sz_lods": 0x1c, 4;
        OFS_BONES = "ofs_bones": 0x20, 4;
        SZ_BONES = "sz_bones": 0x24, 4;
        OFS_ANIMS = "ofs_anims": 0x28, 4;
        SZ_ANIMS = "sz_anims": 0x2c, 4;
    }
}

record! {
    /// `MeshDef`.
    pub(crate) mod mesh: 32 {
        OFS_VTX = "ofs_vtx": 0x00, 4;
        OFS_TRIS = "ofs_tris": 0x04, 4;
        OFS_MAT = "ofs_mat": 0x08, 4;
        N_VTX = "n_vtx": 0x0c, 2;
        N_TRIS = "n_tris": 0x0e, 2;
        SZ_VTX = "sz_vtx": 0x10, 4;
        SZ_TRIS = "sz_tris": 0x14, 4;
        FLAGS = "flags": 0x18, 4;
        RESERVED = "resv3": 0x1c, 4;
    }
}

record! {
    /// `LodDef`.
    pub(crate) mod lod: 4 {
        ID_MESH = "id_mesh": 0, 1;
        N_MESH = "n_mesh": 1, 1;
        LD_SC = "ld_sc": 2, 1;
        RESERVED = "resv1": 3, 1;
    }
}

record! {
    /// `BoneDef`.
    pub(crate) mod bone: 16 {
        XFORM = "xform": 0x00, 8;
        OFS_NAME = "ofs_name": 0x08, 4;
        ID_PARENT = "id_parent": 0x0c, 1;
        ID_SOLID = "id_solid": 0x0d, 1;
        RESERVED1 = "resv1": 0x0e, 1;
        RESERVED2 = "resv2": 0x0f, 1;
    }
}

record! {
    /// `AnimDef`.
    pub(crate) mod anim: 16 {
        OFS_NAME = "ofs_name": 0x00, 4;
        N_FRAMES = "n_frames": 0x04, 1;
        FL_HZ = "fl_hz": 0x05, 1;
        RESERVED1 = "resv1": 0x06, 1;
        RESERVED2 = "resv2": 0x07, 1;
        OFS_FRAMES = "ofs_frames": 0x08, 4;
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

    /// The header's fields for where the table lies and how many bytes it has.
    pub(crate) const fn fields(self) -> (Field, Field) {
        match self {
            Self::Meshes => (header::OFS_MESHES, header::SZ_MESHES),
            Self::Lods => (header::OFS_LODS, header::SZ_LODS),
            Self::Bones => (header::OFS_BONES, header::SZ_BONES),
            Self::Anims => (header::OFS_ANIMS, header::SZ_ANIMS),
        }
    }

    /// Where row `index` starts in a table at `start`.
    pub(crate) fn at(self, start: u32, index: usize) -> u64 {
        u64::from(start).saturating_add((index as u64).saturating_mul(self.row() as u64))
    }

    /// Bytes of `rows` rows.
    pub(crate) const fn size(self, rows: usize) -> u64 {
        (rows as u64).saturating_mul(self.row() as u64)
    }
}

//! Records of a geometry in the binary files.

use super::model::Binding;
use crate::fields::{Step, words};
use meshwright_core::F32;
use meshwright_core::record::{Field, Record, field};
use nom::Parser as _;
use nom::number::complete::{be_u32, le_u32};

meshwright_core::record! {
    /// A triangle.
    pub(crate) mod face: 12 {
        /// Real vertices, clockwise seen from outside.
        CORNERS = "corners": 0, [u32; 3];
    }
}

meshwright_core::record! {
    /// A bone's runs of vertices.
    pub(crate) mod binding: 20 {
        /// One of the bone names.
        BONE = "bone": 0, u32;
        /// The first real vertex.
        FIRST_REAL = "first_real": 4, u32;
        /// The number of them.
        REAL_COUNT = "real_count": 8, u32;
        /// The first blend vertex; 0xFFFFFFFF without blend vertices.
        FIRST_BLEND = "first_blend": 12, u32;
        /// The number of them.
        BLEND_COUNT = "blend_count": 16, u32;
    }
}

meshwright_core::record! {
    /// Texture coordinates of a real vertex.
    pub(crate) mod uv: 8 {
        /// Texture coordinates from the top left.
        UV = "uv": 0, [f32; 2];
    }
}

meshwright_core::record! {
    /// The weight of a blend vertex and the real vertex that it pulls. Text files have them in the reverse order.
    pub(crate) mod pull: 8 {
        /// 0x8000 means 1.
        WEIGHT = "weight": 0, u32;
        /// The real vertex.
        TARGET = "target": 4, u32;
    }
}

meshwright_core::record! {
    /// The common fields of real and blend vertices.
    pub(crate) mod vertex: 24 {
        /// The position in the space of the bone.
        POSITION = "position": 0, [f32; 3];
        /// The normal in the space of the bone.
        NORMAL = "normal": 12, [f32; 3];
    }
}

/// The version of `.mesh`.
pub(crate) const VERSION: u32 = 2;
/// The start of the geometry of a `.mesh`.
pub(crate) const GEOMETRY: u64 = 4;

/// The bytes of a real vertex in its two tables.
pub(crate) const REAL: usize = uv::SIZE + vertex::SIZE;
/// The bytes of a blend vertex in its two tables.
pub(crate) const BLEND: usize = pull::SIZE + vertex::SIZE;

/// Decodes position and normal.
pub(crate) fn position_and_normal(bytes: &[u8; vertex::SIZE]) -> ([F32; 3], [F32; 3]) {
    let [x, y, z, nx, ny, nz] = words(bytes);
    ([x, y, z], [nx, ny, nz])
}

/// The order of the bytes of integers. Floats are little endian in either.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// `.mesh`.
    Big,
    /// `.bmf`.
    Little,
}

impl Order {
    pub(crate) fn u32(self, i: &[u8]) -> Step<'_, u32> {
        match self {
            Self::Big => be_u32(i),
            Self::Little => le_u32(i),
        }
    }

    pub(crate) fn word(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Big => u32::from_be_bytes(bytes),
            Self::Little => u32::from_le_bytes(bytes),
        }
    }

    pub(crate) fn bytes(self, value: u32) -> [u8; 4] {
        match self {
            Self::Big => value.to_be_bytes(),
            Self::Little => value.to_le_bytes(),
        }
    }

    /// Returns a binding.
    pub(crate) fn binding(self, i: &[u8]) -> Step<'_, Binding> {
        let u32 = |f: Field| field(f, move |i| self.u32(i));
        let (i, bone) = u32(binding::BONE).parse(i)?;
        let (i, first_real) = u32(binding::FIRST_REAL).parse(i)?;
        let (i, real_count) = u32(binding::REAL_COUNT).parse(i)?;
        let (i, first_blend) = u32(binding::FIRST_BLEND).parse(i)?;
        let (i, blend_count) = u32(binding::BLEND_COUNT).parse(i)?;
        Ok((i, Binding { bone, first_real, real_count, first_blend, blend_count }))
    }

    /// Writes an integer.
    pub(crate) fn put_word(self, r: &mut Record<'_>, f: Field, value: u32) {
        r.bytes(f, &self.bytes(value));
    }
}

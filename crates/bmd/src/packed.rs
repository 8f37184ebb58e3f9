//! The bit layouts of vertices and primitives.

#[cfg(feature = "recover")]
mod vertex_edit;
#[cfg(feature = "recover")]
pub(crate) use vertex_edit::EditedFields;

use core::fmt;
use meshwright_core::bit_fields;
use meshwright_core::num::{F8A, F16, Se32, St11, St12, St14, St14Form};

bit_fields! {
    /// First word of a 96-bit vertex, and of a 64-bit vertex with a texture.
    pub(crate) mod textured: 64 {
        /// Bone of a 64-bit vertex, else 0xF0..0xFB.
        TAG = 63..56;
        /// 11-bit form with exponent, or 12-bit form.
        ST = 55..32;
        /// Shared exponent triple.
        POSITION = 31..0;
    }
}

bit_fields! {
    /// A 64-bit vertex with a flat colour.
    pub(crate) mod flat: 64 {
        /// The bone.
        TAG = 63..56;
        /// F8A.
        NORMAL_Z = 55..48;
        /// F8A.
        NORMAL_Y = 47..40;
        /// F8A.
        NORMAL_X = 39..32;
        /// Shared exponent triple.
        POSITION = 31..0;
    }
}

bit_fields! {
    /// Second word of a 96-bit vertex.
    pub(crate) mod second96: 32 {
        /// Colour (F8, F9) or bone (FA, FB).
        EXTRA = 31..24;
        /// F8A.
        NORMAL_Z = 23..16;
        /// F8A.
        NORMAL_Y = 15..8;
        /// F8A.
        NORMAL_X = 7..0;
    }
}

bit_fields! {
    /// First word of a 128-bit vertex.
    pub(crate) mod first128: 64 {
        /// 0xFD.
        TAG = 63..56;
        /// A byte of colour.
        COLOR = 55..48;
        /// Binary16.
        Z = 47..32;
        /// Binary16.
        Y = 31..16;
        /// Binary16.
        X = 15..0;
    }
}

bit_fields! {
    /// Second word of a 128-bit vertex.
    pub(crate) mod second128: 64 {
        /// The bone.
        BONE = 63..56;
        /// F8A.
        NORMAL_Z = 55..48;
        /// F8A.
        NORMAL_Y = 47..40;
        /// F8A.
        NORMAL_X = 39..32;
        /// Exponent (31:28), T (27:14), S (13:0).
        ST = 31..0;
    }
}

bit_fields! {
    /// Triangle of 32 bits.
    pub(crate) mod tri32: 32 { V2 = 31..22; V1 = 21..12; V0 = 11..2; TAG = 1..0; }
}

bit_fields! {
    /// Quad of 32 bits.
    pub(crate) mod quad32: 32 { TAG2 = 31..30; V3 = 29..23; V2 = 22..16; V1 = 15..9; V0 = 8..2; TAG = 1..0; }
}

bit_fields! {
    /// Triangle of 64 bits.
    pub(crate) mod tri64: 64 { TAG2 = 63..62; V2 = 61..42; V1 = 41..22; V0 = 21..2; TAG = 1..0; }
}

bit_fields! {
    /// Quad of 64 bits.
    pub(crate) mod quad64: 64 { TAG2 = 63..62; V3 = 61..47; V2 = 46..32; V1 = 31..17; V0 = 16..2; TAG = 1..0; }
}

#[expect(clippy::cast_possible_truncation, reason = "the field has at most 32 bits")]
pub(crate) const fn low(field: meshwright_core::bits::BitField, word: u64) -> u32 {
    field.get(word) as u32
}

#[expect(clippy::cast_possible_truncation, reason = "the field has at most 8 bits")]
const fn byte(field: meshwright_core::bits::BitField, word: u64) -> u8 {
    field.get(word) as u8
}

#[expect(clippy::cast_possible_truncation, reason = "the field has 16 bits")]
const fn half(field: meshwright_core::bits::BitField, word: u64) -> F16 {
    F16::from_bits(field.get(word) as u16)
}

const fn f8a(field: meshwright_core::bits::BitField, word: u64) -> F8A {
    F8A::from_bits(byte(field, word))
}

/// The kind of a mesh's material. It decides what a 64-bit vertex stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaterialKind {
    /// A texture or a shader: the vertex stores texture coordinates.
    Texture,
    /// A flat colour, `#RRGGBB`: the vertex stores a normal.
    FlatColor,
}

impl MaterialKind {
    /// Returns the kind of a material with this flat colour.
    pub(crate) const fn from_color(flat: Option<[u8; 3]>) -> Self {
        if flat.is_some() { Self::FlatColor } else { Self::Texture }
    }

    pub(crate) const fn is_flat(self) -> bool {
        matches!(self, Self::FlatColor)
    }
}

/// The three sizes of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum VertexKind {
    /// 8 bytes: position, bone, and texture coordinates (texture) or normal (flat colour).
    Bits64,
    /// 12 bytes: position, texture coordinates, normal, and bone or colour.
    Bits96,
    /// 16 bytes: position in binary16, texture coordinates, normal, colour and bone.
    Bits128,
}

impl VertexKind {
    /// Returns the kind that byte 7 of a vertex states; `None` for the reserved values 0xFC, 0xFE and 0xFF.
    pub const fn of_tag(tag: u8) -> Option<Self> {
        match tag {
            0..=0xef => Some(Self::Bits64),
            0xf0..=0xfb => Some(Self::Bits96),
            0xfd => Some(Self::Bits128),
            0xfc | 0xfe | 0xff => None,
        }
    }

    /// Returns the number of bytes in the file.
    pub const fn size(self) -> usize {
        match self {
            Self::Bits64 => 8,
            Self::Bits96 => 12,
            Self::Bits128 => 16,
        }
    }

    /// Returns a bit per kind, for sets of kinds.
    pub(crate) const fn bit(self) -> u8 {
        match self {
            Self::Bits64 => 1,
            Self::Bits96 => 2,
            Self::Bits128 => 4,
        }
    }
}

/// A vertex as stored: 64, 96 or 128 bits. Byte 7 names the kind.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Vertex {
    first: u64,
    /// The last 32 bits of a 96-bit vertex, the last 64 bits of a 128-bit vertex, 0 for a 64-bit vertex.
    second: u64,
}

impl Vertex {
    /// Tag of a 96-bit vertex with 12-bit texture coordinates and a colour.
    pub const F8: u8 = 0xf8;
    /// Tag of a 96-bit vertex with 11-bit texture coordinates, their exponent and a colour.
    pub const F9: u8 = 0xf9;
    /// Tag of a 96-bit vertex with 12-bit texture coordinates and a bone.
    pub const FA: u8 = 0xfa;
    /// Tag of a 96-bit vertex with 11-bit texture coordinates, their exponent and a bone.
    pub const FB: u8 = 0xfb;
    /// Tag of a 128-bit vertex.
    pub const FD: u8 = 0xfd;
    /// The largest bone that a 64-bit vertex can name.
    pub const MAX_BONE_64: u8 = 0xef;
    /// The colour byte of plain white.
    pub const WHITE: u8 = 0x0f;

    /// Returns a vertex of the words as stored, little endian. `None` if byte 7 is reserved, or bits are set
    /// that the kind does not have.
    pub const fn from_words(first: u64, second: u64) -> Option<Self> {
        let limit = match VertexKind::of_tag(byte(textured::TAG, first)) {
            Some(VertexKind::Bits64) => 0,
            Some(VertexKind::Bits96) => u32::MAX as u64,
            Some(VertexKind::Bits128) => u64::MAX,
            None => return None,
        };
        if second <= limit { Some(Self { first, second }) } else { None }
    }

    /// Returns a vertex from words that are known to be valid.
    pub(crate) const fn of_kind(first: u64, second: u64) -> Self {
        Self { first, second }
    }

    /// Returns a 64-bit vertex with a texture; `None` for bones above 239.
    pub const fn textured64(position: Se32, st: St11, bone: u8) -> Option<Self> {
        if bone > Self::MAX_BONE_64 {
            return None;
        }
        let w = textured::POSITION.set_in(0, position.to_bits() as u64);
        let w = textured::ST.set_in(w, st.to_bits() as u64);
        Some(Self { first: textured::TAG.set_in(w, bone as u64), second: 0 })
    }

    /// Returns a 64-bit vertex with a flat colour; `None` for bones above 239.
    pub const fn flat64(position: Se32, normal: [F8A; 3], bone: u8) -> Option<Self> {
        if bone > Self::MAX_BONE_64 {
            return None;
        }
        let w = flat::POSITION.set_in(0, position.to_bits() as u64);
        let w = flat::NORMAL_X.set_in(w, normal[0].to_bits() as u64);
        let w = flat::NORMAL_Y.set_in(w, normal[1].to_bits() as u64);
        let w = flat::NORMAL_Z.set_in(w, normal[2].to_bits() as u64);
        Some(Self { first: flat::TAG.set_in(w, bone as u64), second: 0 })
    }

    /// Returns a 96-bit vertex. Its tag follows from `st` and `extra`.
    pub const fn bits96(position: Se32, st: St96, normal: [F8A; 3], extra: Extra96) -> Self {
        let (st, exponent) = match st {
            St96::Fine(st) => (st.to_bits(), 0),
            St96::Wide(st) => (st.to_bits(), 1),
        };
        let (extra, bone) = match extra {
            Extra96::Color(c) => (c, 0),
            Extra96::Bone(b) => (b, 2),
        };
        let w = textured::POSITION.set_in(0, position.to_bits() as u64);
        let w = textured::ST.set_in(w, st as u64);
        let first = textured::TAG.set_in(w, (Self::F8 | exponent | bone) as u64);
        let w = second96::NORMAL_X.set_in(0, normal[0].to_bits() as u64);
        let w = second96::NORMAL_Y.set_in(w, normal[1].to_bits() as u64);
        let w = second96::NORMAL_Z.set_in(w, normal[2].to_bits() as u64);
        Self { first, second: second96::EXTRA.set_in(w, extra as u64) }
    }

    /// Returns a 128-bit vertex.
    pub const fn bits128(position: [F16; 3], st: St14, normal: [F8A; 3], color: u8, bone: u8) -> Self {
        let w = first128::X.set_in(0, position[0].to_bits() as u64);
        let w = first128::Y.set_in(w, position[1].to_bits() as u64);
        let w = first128::Z.set_in(w, position[2].to_bits() as u64);
        let w = first128::COLOR.set_in(w, color as u64);
        let first = first128::TAG.set_in(w, Self::FD as u64);
        let w = second128::ST.set_in(0, st.to_bits() as u64);
        let w = second128::NORMAL_X.set_in(w, normal[0].to_bits() as u64);
        let w = second128::NORMAL_Y.set_in(w, normal[1].to_bits() as u64);
        let w = second128::NORMAL_Z.set_in(w, normal[2].to_bits() as u64);
        Self { first, second: second128::BONE.set_in(w, bone as u64) }
    }

    /// Returns the words as stored: the first 8 bytes and the rest.
    pub const fn words(self) -> [u64; 2] {
        [self.first, self.second]
    }

    /// Returns byte 7: the bone of a 64-bit vertex, the tag of others.
    pub const fn tag(self) -> u8 {
        byte(textured::TAG, self.first)
    }

    /// Returns the kind: 64, 96 or 128 bits.
    pub const fn kind(self) -> VertexKind {
        match self.tag() {
            0..=0xef => VertexKind::Bits64,
            0xfd => VertexKind::Bits128,
            _ => VertexKind::Bits96,
        }
    }

    /// Returns the number of bytes in the file.
    pub const fn size(self) -> usize {
        self.kind().size()
    }

    /// Returns the position in the space of the vertex's bone.
    #[inline]
    pub fn position(self) -> [f32; 3] {
        match self.kind() {
            VertexKind::Bits128 => self.halves().map(F16::decode),
            _ => Se32::from_bits(low(textured::POSITION, self.first)).decode(),
        }
    }

    /// Returns the three binary16 coordinates of a 128-bit vertex.
    pub const fn halves(self) -> [F16; 3] {
        [half(first128::X, self.first), half(first128::Y, self.first), half(first128::Z, self.first)]
    }

    /// No coordinate is infinite or NaN.
    pub const fn is_finite(self) -> bool {
        let [x, y, z] = self.halves();
        !matches!(self.kind(), VertexKind::Bits128) || (x.is_finite() && y.is_finite() && z.is_finite())
    }

    /// Returns the stored normal; `None` for a 64-bit vertex with a texture.
    pub const fn stored_normal(self, material: MaterialKind) -> Option<[F8A; 3]> {
        let first = self.first;
        match self.kind() {
            VertexKind::Bits64 if material.is_flat() => {
                Some([f8a(flat::NORMAL_X, first), f8a(flat::NORMAL_Y, first), f8a(flat::NORMAL_Z, first)])
            }
            VertexKind::Bits64 => None,
            VertexKind::Bits96 => Some(self.codes_of_96()),
            VertexKind::Bits128 => Some(self.codes_of_128()),
        }
    }

    #[inline]
    const fn codes_of_96(self) -> [F8A; 3] {
        let second = self.second;
        [f8a(second96::NORMAL_X, second), f8a(second96::NORMAL_Y, second), f8a(second96::NORMAL_Z, second)]
    }

    #[inline]
    const fn codes_of_128(self) -> [F8A; 3] {
        let second = self.second;
        [f8a(second128::NORMAL_X, second), f8a(second128::NORMAL_Y, second), f8a(second128::NORMAL_Z, second)]
    }

    /// Returns the normal in the space of the vertex's bone, not normalised. A 64-bit vertex with a texture
    /// stores none: its normal is the direction of its position, or zero at the origin.
    #[inline]
    pub fn normal(self, material: MaterialKind) -> [f32; 3] {
        match self.stored_normal(material) {
            Some(codes) => codes.map(F8A::decode),
            None => crate::math::direction(self.position()),
        }
    }

    /// Returns the texture coordinates S and T. `form` is the interpretation of 128-bit vertices.
    #[inline]
    pub fn st(self, material: MaterialKind, form: St14Form) -> [f32; 2] {
        match self.kind() {
            VertexKind::Bits64 if material.is_flat() => [0.0; 2],
            VertexKind::Bits96 if self.tag() & 1 == 0 => {
                St12::from_bits(low(textured::ST, self.first)).decode()
            }
            VertexKind::Bits128 => self.st14().unwrap_or_default().decode(form),
            _ => St11::from_bits(low(textured::ST, self.first)).decode(),
        }
    }

    /// Returns the texture coordinate word of a 128-bit vertex.
    pub const fn st14(self) -> Option<St14> {
        match self.kind() {
            VertexKind::Bits128 => Some(St14::from_bits(low(second128::ST, self.second))),
            _ => None,
        }
    }

    /// Returns the colour byte, if the vertex has one.
    pub const fn color(self) -> Option<u8> {
        match self.kind() {
            VertexKind::Bits64 => None,
            VertexKind::Bits96 if self.tag() & 2 == 0 => Some(byte(second96::EXTRA, self.second)),
            VertexKind::Bits96 => None,
            VertexKind::Bits128 => Some(byte(first128::COLOR, self.first)),
        }
    }

    /// Returns the bone.
    pub const fn bone(self) -> u8 {
        match self.kind() {
            VertexKind::Bits64 => self.tag(),
            VertexKind::Bits96 if self.tag() & 2 != 0 => byte(second96::EXTRA, self.second),
            VertexKind::Bits96 => 0,
            VertexKind::Bits128 => byte(second128::BONE, self.second),
        }
    }
}

impl fmt::Debug for Vertex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            VertexKind::Bits64 => write!(f, "Vertex({:#018x})", self.first),
            VertexKind::Bits96 => write!(f, "Vertex({:#018x} {:#010x})", self.first, self.second),
            VertexKind::Bits128 => write!(f, "Vertex({:#018x} {:#018x})", self.first, self.second),
        }
    }
}

/// The two forms of texture coordinates in a 96-bit vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum St96 {
    /// 12 bits each, -0.5 to 1.4995 (F8, FA).
    Fine(St12),
    /// 11 bits each and an exponent (F9, FB).
    Wide(St11),
}

/// The meaning of the last byte of a 96-bit vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extra96 {
    /// A colour; the bone is 0 (F8, F9).
    Color(u8),
    /// A bone and no colour (FA, FB).
    Bone(u8),
}

/// The four encodings of a primitive, by its low two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PrimitiveKind {
    /// 4 bytes, indices up to 1023.
    Triangle32,
    /// 4 bytes, indices up to 127.
    Quad32,
    /// 8 bytes, indices up to 1048575.
    Triangle64,
    /// 8 bytes, indices up to 32767.
    Quad64,
}

impl PrimitiveKind {
    /// Returns the kind that the low two bits of a primitive name.
    pub const fn of_tag(bits: u8) -> Self {
        match bits & 3 {
            0 => Self::Triangle32,
            1 => Self::Quad32,
            2 => Self::Triangle64,
            _ => Self::Quad64,
        }
    }

    /// Returns the number of bytes in the file.
    pub const fn size(self) -> usize {
        match self {
            Self::Triangle32 | Self::Quad32 => 4,
            Self::Triangle64 | Self::Quad64 => 8,
        }
    }

    /// Returns true for the two quads.
    pub const fn is_quad(self) -> bool {
        matches!(self, Self::Quad32 | Self::Quad64)
    }

    /// Returns the largest index it can hold.
    pub const fn max_index(self) -> u32 {
        match self {
            Self::Triangle32 => 0x3ff,
            Self::Quad32 => 0x7f,
            Self::Triangle64 => 0xf_ffff,
            Self::Quad64 => 0x7fff,
        }
    }

    /// Returns a bit per kind, for sets of kinds.
    pub(crate) const fn bit(self) -> u8 {
        match self {
            Self::Triangle32 => 1,
            Self::Quad32 => 2,
            Self::Triangle64 => 4,
            Self::Quad64 => 8,
        }
    }
}

/// A triangle or quad as stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Primitive(u64);

impl Primitive {
    /// Returns the primitive with these bits; `None` if the upper half of a 32-bit primitive is not zero.
    pub const fn from_bits(bits: u64) -> Option<Self> {
        let this = Self(bits);
        if this.size() == 4 && bits > u32::MAX as u64 { None } else { Some(this) }
    }

    /// Returns a primitive of the given kind. Quads use four indices, triangles the first three. `None` if
    /// an index is too large.
    pub const fn new(kind: PrimitiveKind, [a, b, c, d]: [u32; 4]) -> Option<Self> {
        let max = kind.max_index();
        if a > max || b > max || c > max || (kind.is_quad() && d > max) {
            return None;
        }
        let (a, b, c, d) = (a as u64, b as u64, c as u64, d as u64);
        Some(Self(match kind {
            PrimitiveKind::Triangle32 => tri32::V2.set_in(tri32::V1.set_in(tri32::V0.set_in(0, a), b), c),
            PrimitiveKind::Quad32 => {
                quad32::V3.set_in(quad32::V2.set_in(quad32::V1.set_in(quad32::V0.set_in(1, a), b), c), d)
            }
            PrimitiveKind::Triangle64 => tri64::V2.set_in(tri64::V1.set_in(tri64::V0.set_in(2, a), b), c),
            PrimitiveKind::Quad64 => {
                quad64::V3.set_in(quad64::V2.set_in(quad64::V1.set_in(quad64::V0.set_in(3, a), b), c), d)
            }
        }))
    }

    /// Returns a triangle in the fewest bits; `None` if an index exceeds 1048575.
    pub const fn triangle([a, b, c]: [u32; 3]) -> Option<Self> {
        match Self::new(PrimitiveKind::Triangle32, [a, b, c, 0]) {
            Some(p) => Some(p),
            None => Self::new(PrimitiveKind::Triangle64, [a, b, c, 0]),
        }
    }

    /// Returns the stored bits.
    pub const fn to_bits(self) -> u64 {
        self.0
    }

    /// The encoding.
    pub const fn kind(self) -> PrimitiveKind {
        PrimitiveKind::of_tag((self.0 & 3) as u8)
    }

    /// Returns the number of bytes in the file.
    pub const fn size(self) -> usize {
        self.kind().size()
    }

    /// Returns the bits that the description requires to be zero.
    pub const fn tag2(self) -> u8 {
        match self.kind() {
            PrimitiveKind::Triangle32 => 0,
            PrimitiveKind::Quad32 => byte(quad32::TAG2, self.0),
            PrimitiveKind::Triangle64 => byte(tri64::TAG2, self.0),
            PrimitiveKind::Quad64 => byte(quad64::TAG2, self.0),
        }
    }

    /// Returns four indices. The last two of a triangle are the same.
    pub const fn indices(self) -> [u32; 4] {
        let w = self.0;
        match self.kind() {
            PrimitiveKind::Triangle32 => {
                let c = low(tri32::V2, w);
                [low(tri32::V0, w), low(tri32::V1, w), c, c]
            }
            PrimitiveKind::Quad32 => {
                [low(quad32::V0, w), low(quad32::V1, w), low(quad32::V2, w), low(quad32::V3, w)]
            }
            PrimitiveKind::Triangle64 => {
                let c = low(tri64::V2, w);
                [low(tri64::V0, w), low(tri64::V1, w), c, c]
            }
            PrimitiveKind::Quad64 => {
                [low(quad64::V0, w), low(quad64::V1, w), low(quad64::V2, w), low(quad64::V3, w)]
            }
        }
    }

    /// Returns the largest index.
    pub fn max_index(self) -> u32 {
        self.indices().into_iter().fold(0, u32::max)
    }

    /// Returns the triangles of the primitive: (0,1,2), and also (0,2,3) for a quad whose last two indices
    /// differ.
    pub fn triangles(self) -> impl Iterator<Item = [u32; 3]> + Clone {
        let [a, b, c, d] = self.indices();
        [[a, b, c], [a, c, d]].into_iter().take(if c == d { 1 } else { 2 })
    }
}

impl fmt::Debug for Primitive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d] = self.indices();
        if self.kind().is_quad() {
            write!(f, "{:?}({a}, {b}, {c}, {d})", self.kind())
        } else {
            write!(f, "{:?}({a}, {b}, {c})", self.kind())
        }
    }
}

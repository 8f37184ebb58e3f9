//! The records of a chunk, and the meaning of its flag bits in each dialect.

use alloc::string::String;
use core::fmt;
use core::str::FromStr;
use meshwright_core::bits::BitField;
use meshwright_core::description::{Description, Order, SizeField, View};
use meshwright_core::record::Field;
use meshwright_core::{bit_fields, record, structures};

record! {
    /// The start of a chunk, before the block of its indices.
    pub(crate) mod chunk_header: 9 {
        /// 0 for 16-bit indices, otherwise 32-bit indices.
        INDEX_SIZE = "index_size": 0, u8;
        /// The size in bytes of the block that follows.
        PACKED = "packed": 1, i32;
        /// The decoded size of the block in bytes.
        STATED = "size": 5, i32;
    }
}

/// The size fields of the indices' block.
pub(crate) const INDEX_BLOCK: [Field; 2] = [chunk_header::PACKED, chunk_header::STATED];

record! {
    /// The fields between the indices and the first stream.
    pub(crate) mod stream_count: 1 {
        /// The number of attribute streams that follow.
        COUNT = "stream_count": 0, u8;
    }
}

record! {
    /// The start of an attribute stream, before its block.
    pub(crate) mod stream_header: 10 {
        /// The flag of the attribute, one bit.
        FLAG = "flag": 0, u16;
        /// The size in bytes of the block that follows.
        PACKED = "packed": 2, i32;
        /// The decoded size of the block in bytes.
        STATED = "size": 6, i32;
    }
}

/// The size fields of an attribute's block.
pub(crate) const STREAM_BLOCK: [Field; 2] = [stream_header::PACKED, stream_header::STATED];

bit_fields! {
    /// Attribute flags in the description, and in engines of March 2025.
    pub(crate) mod seed_flags: 16 {
        /// Always 0.
        RESERVED = 15..6;
        /// Four pairs of bone (`u16`) and weight (`f32`), 24 bytes per vertex.
        BONE_WEIGHT = 5..5;
        /// Red, green, blue, alpha, 4 bytes.
        COLOR = 4..4;
        /// `f32[2]`.
        UV = 3..3;
        /// `f32[3]`.
        NORMAL = 2..2;
        /// `f32[2]`.
        POSITION_2D = 1..1;
        /// `f32[3]`.
        POSITION_3D = 0..0;
    }
}

bit_fields! {
    /// Attribute flags in engines from April 2025 on.
    pub(crate) mod tangent_flags: 16 {
        /// Always 0.
        RESERVED = 15..7;
        /// Bone weights, as in `seed_flags` but one bit higher.
        BONE_WEIGHT = 6..6;
        /// Colour, as in `seed_flags` but one bit higher.
        COLOR = 5..5;
        /// `f32[3]`, without handedness.
        TANGENT = 4..4;
        /// `f32[2]`.
        UV = 3..3;
        /// `f32[3]`.
        NORMAL = 2..2;
        /// `f32[2]`.
        POSITION_2D = 1..1;
        /// `f32[3]`.
        POSITION_3D = 0..0;
    }
}

/// Returns the bits of a field of a flag.
#[expect(clippy::cast_possible_truncation, reason = "fields of 16 bits")]
const fn bits(field: BitField) -> u16 {
    field.mask() as u16
}

/// The meaning of the attribute bits. The format changed, but neither its description nor its bytes have a
/// version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// As in the format's description: colour at bit 4, bone weights of 24 bytes at bit 5.
    #[default]
    Seed,
    /// Engines from April 2025 on: tangents at bit 4, colour at bit 5, bone weights at bit 6.
    Tangent,
    /// Engines of March 2025: as in the description, but bone weights have 32-bit ids and take 32 bytes.
    Bone32,
}

impl Dialect {
    /// All dialects, in the order of preference if the bytes do not decide.
    pub const ALL: [Self; 3] = [Self::Seed, Self::Tangent, Self::Bone32];

    /// The names of all dialects.
    pub const NAMES: &'static [&'static str] =
        &[Self::Seed.name(), Self::Tangent.name(), Self::Bone32.name()];

    /// Returns the name of the dialect for options and messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Tangent => "tangent",
            Self::Bone32 => "bone32",
        }
    }

    /// Returns the size of one bone weight in bytes: an id and a float.
    pub(crate) const fn weight_size(self) -> usize {
        match self {
            Self::Bone32 => 8,
            Self::Seed | Self::Tangent => 6,
        }
    }
}

impl fmt::Display for Dialect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A name that no [`Dialect`] has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no dialect is called {0:?}; there are seed, tangent and bone32")]
pub struct UnknownDialect(String);

impl FromStr for Dialect {
    type Err = UnknownDialect;

    fn from_str(name: &str) -> Result<Self, UnknownDialect> {
        Self::ALL.into_iter().find(|d| d.name() == name).ok_or_else(|| UnknownDialect(name.into()))
    }
}

/// The first byte of a chunk: 0 for 16-bit indices, anything else for 32-bit ones. The format knows 0 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct IndexSize(pub u8);

impl IndexSize {
    /// 16-bit indices.
    pub const U16: Self = Self(0);
    /// 32-bit indices.
    pub const U32: Self = Self(1);

    /// Bytes of one index: 2 or 4.
    pub const fn bytes(self) -> usize {
        if self.0 == 0 { 2 } else { 4 }
    }
}

/// A vertex attribute. A stream has one value of it per vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Attribute {
    /// Three floats: x right, y up, z forward.
    Position3,
    /// Two floats: x right, y up.
    Position2,
    /// Three floats, a unit vector.
    Normal,
    /// Two floats; (0, 0) is the top left of the image.
    Uv,
    /// Three floats, without handedness. Dialect [`Tangent`](Dialect::Tangent) only.
    Tangent,
    /// Four bytes: red, green, blue, alpha.
    Color,
    /// Four bones, each with its weight.
    BoneWeights,
}

impl Attribute {
    /// All attributes, in the order of the flags.
    pub const ALL: [Self; 7] = [
        Self::Position3,
        Self::Position2,
        Self::Normal,
        Self::Uv,
        Self::Tangent,
        Self::Color,
        Self::BoneWeights,
    ];

    /// Returns the attribute's name in the format's description.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Position3 => "POSITION_3D",
            Self::Position2 => "POSITION_2D",
            Self::Normal => "NORMAL",
            Self::Uv => "UV",
            Self::Tangent => "TANGENT",
            Self::Color => "COLOR",
            Self::BoneWeights => "BONE_WEIGHT",
        }
    }

    /// Returns its flag in a dialect; `None` if the dialect has no such attribute.
    pub const fn flag(self, dialect: Dialect) -> Option<AttributeFlag> {
        let field = match (self, dialect) {
            (Self::Position3, Dialect::Tangent) => tangent_flags::POSITION_3D,
            (Self::Position2, Dialect::Tangent) => tangent_flags::POSITION_2D,
            (Self::Normal, Dialect::Tangent) => tangent_flags::NORMAL,
            (Self::Uv, Dialect::Tangent) => tangent_flags::UV,
            (Self::Tangent, Dialect::Tangent) => tangent_flags::TANGENT,
            (Self::Color, Dialect::Tangent) => tangent_flags::COLOR,
            (Self::BoneWeights, Dialect::Tangent) => tangent_flags::BONE_WEIGHT,
            (Self::Position3, Dialect::Seed | Dialect::Bone32) => seed_flags::POSITION_3D,
            (Self::Position2, Dialect::Seed | Dialect::Bone32) => seed_flags::POSITION_2D,
            (Self::Normal, Dialect::Seed | Dialect::Bone32) => seed_flags::NORMAL,
            (Self::Uv, Dialect::Seed | Dialect::Bone32) => seed_flags::UV,
            (Self::Tangent, Dialect::Seed | Dialect::Bone32) => return None,
            (Self::Color, Dialect::Seed | Dialect::Bone32) => seed_flags::COLOR,
            (Self::BoneWeights, Dialect::Seed | Dialect::Bone32) => seed_flags::BONE_WEIGHT,
        };
        Some(AttributeFlag(bits(field)))
    }

    /// Returns the size of a value in bytes in a dialect.
    pub const fn size(self, dialect: Dialect) -> usize {
        match self {
            Self::Position3 | Self::Normal | Self::Tangent => 12,
            Self::Position2 | Self::Uv => 8,
            Self::Color => 4,
            Self::BoneWeights => dialect.weight_size().saturating_mul(4),
        }
    }
}

/// The stored flag of a stream: exactly one bit. The description writes flags as binary digits after `0x`.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AttributeFlag(pub u16);

impl AttributeFlag {
    /// The bits that mean the same in every dialect.
    pub(crate) const COMMON: u16 = bits(seed_flags::POSITION_3D)
        | bits(seed_flags::POSITION_2D)
        | bits(seed_flags::NORMAL)
        | bits(seed_flags::UV);
    /// The bits that no dialect uses.
    const RESERVED: u16 = bits(seed_flags::RESERVED) & bits(tangent_flags::RESERVED);

    /// Returns whether the flag has a bit that no dialect uses.
    pub const fn is_reserved(self) -> bool {
        self.0 & Self::RESERVED != 0
    }

    /// Returns whether exactly one bit is set.
    pub const fn is_single(self) -> bool {
        self.0.is_power_of_two()
    }

    /// Returns the meaning of the flag in a dialect; `None` if it is reserved or not a single bit.
    pub fn attribute(self, dialect: Dialect) -> Option<Attribute> {
        Attribute::ALL.into_iter().find(|a| a.flag(dialect) == Some(self))
    }
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Debug for AttributeFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x}", self.0)
    }
}

impl fmt::Display for AttributeFlag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#06x}", self.0)
    }
}

structures! {
    pub(crate) const CHUNK = {
        /// A chunk. Its blocks are LZ4 blocks without a frame.
        chunk {
            header: chunk_header;
            indices: bytes [header.packed];
            count: stream_count;
            streams: stream [count.stream_count];
        }
        /// A stream of values, one for each vertex.
        stream {
            header: stream_header;
            data: bytes [header.packed];
        }
    }
}

/// The content of the blocks of a chunk. The dialect has the number 1 if the stream of bit 4 holds tangents, and 2 if bone
/// weights have 32-bit numbers.
pub(crate) const CHUNK_VIEWS: &[View] = &[
    View::new("chunk.indices", "u16").columns("3").when("header.index_size == 0").packed(),
    View::new("chunk.indices", "u32").columns("3").when("header.index_size != 0").packed(),
    View::new("stream.data", "f32").columns("3").when("header.flag == 1 || header.flag == 4").packed(),
    View::new("stream.data", "f32").columns("2").when("header.flag == 2 || header.flag == 8").packed(),
    View::new("stream.data", "f32").columns("3").when("header.flag == 16 && setting.dialect == 1").packed(),
    View::new("stream.data", "u8").columns("4").when("header.flag == 16 && setting.dialect != 1").packed(),
    View::new("stream.data", "u8").columns("4").when("header.flag == 32 && setting.dialect == 1").packed(),
    View::new("stream.data", "bone_weight").when("header.flag == 32 && setting.dialect == 0").packed(),
    View::new("stream.data", "bone_weight").when("header.flag == 64 && setting.dialect == 1").packed(),
    View::new("stream.data", "bone_weight_32").when("header.flag == 32 && setting.dialect == 2").packed(),
];

pub(crate) const CHUNK_SIZES: &[SizeField] = &[
    SizeField::of_decoded("chunk", "header.size", "indices"),
    SizeField::of_decoded("stream", "header.size", "data"),
];

record! {
    /// The weight of a bone.
    pub(crate) mod bone_weight: 6 {
        /// The number of the bone.
        BONE = "bone": 0, u16;
        /// The weight.
        WEIGHT = "weight": 2, f32;
    }
}

record! {
    /// The weight of a bone, in engines of March 2025.
    pub(crate) mod bone_weight_32: 8 {
        /// The number of the bone.
        BONE = "bone": 0, u32;
        /// The weight.
        WEIGHT = "weight": 4, f32;
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    order: Order::Little,
    floats: Order::Little,
    marks: &[],
    records: &[
        chunk_header::TABLE,
        stream_count::TABLE,
        stream_header::TABLE,
        bone_weight::TABLE,
        bone_weight_32::TABLE,
    ],
    words: &[seed_flags::TABLE, tangent_flags::TABLE],
    structures: &[CHUNK],
    views: CHUNK_VIEWS,
    sizes: CHUNK_SIZES,
};

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn every_flag_word_means_at_most_one_thing() {
        for dialect in Dialect::ALL {
            let known: Vec<_> =
                (0..=u16::MAX).filter_map(|w| Some((w, AttributeFlag(w).attribute(dialect)?))).collect();
            let bits = if dialect == Dialect::Tangent { 7 } else { 6 };
            assert_eq!(known.len(), bits);
            for (i, (word, attribute)) in known.into_iter().enumerate() {
                assert_eq!(word, 1 << i);
                assert_eq!(attribute.flag(dialect), Some(AttributeFlag(word)));
            }
        }
        for dialect in Dialect::ALL {
            assert_eq!(dialect.name().parse(), Ok(dialect));
        }
        assert!("".parse::<Dialect>().is_err());
        assert_eq!(Attribute::Tangent.flag(Dialect::Seed), None);
        assert_eq!(Attribute::BoneWeights.size(Dialect::Bone32), 32);
        assert_eq!(Attribute::BoneWeights.size(Dialect::Seed), 24);
    }

    #[test]
    fn one_bit_is_one_bit() {
        let single = (0..=u16::MAX).filter(|w| AttributeFlag(*w).is_single()).count();
        assert_eq!(single, 16);
        assert!(!AttributeFlag(0).is_single() && !AttributeFlag(5).is_single());
    }
}

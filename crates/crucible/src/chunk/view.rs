//! Decoded views of a chunk's streams.
#![allow(clippy::arithmetic_side_effects, reason = "sizes of attributes are constants above zero")]

use crate::chunk::model::{AttributeError, Chunk};
use crate::chunk::record::{Attribute, Dialect, IndexSize};
use crate::chunk::stream_sizes::StreamSizes;
use crate::stream::Stream;
use alloc::vec::Vec;
use meshwright_core::F32;

/// Vectors of `N` floats, one per vertex.
#[derive(Clone, Copy, Debug)]
pub struct Floats<'s, const N: usize> {
    bytes: &'s [u8],
}

impl<'s, const N: usize> Floats<'s, N> {
    /// Returns the number of vectors.
    pub const fn len(&self) -> usize {
        self.bytes.len() / (4 * N)
    }

    /// Returns true if it is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the vector of a vertex.
    pub fn get(&self, vertex: usize) -> Option<[F32; N]> {
        self.bytes.chunks_exact(4 * N).nth(vertex).map(floats)
    }

    /// Returns all vectors, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [F32; N]> + Clone + use<'s, N> {
        self.bytes.chunks_exact(4 * N).map(floats)
    }
}

/// Returns the first `N` floats of `bytes`; zeros if `bytes` is too short.
pub(crate) fn floats<const N: usize>(bytes: &[u8]) -> [F32; N] {
    let mut out = [F32::default(); N];
    for (to, from) in out.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *to = F32::from_bits(u32::from_le_bytes(*from));
    }
    out
}

/// The indices of a chunk.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'s> {
    bytes: &'s [u8],
    size: IndexSize,
}

impl<'s> Indices<'s> {
    /// Returns the number of indices.
    pub const fn len(&self) -> usize {
        self.bytes.len() / self.size.bytes()
    }

    /// Returns true if it is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns all indices, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + Clone + use<'s> {
        self.bytes.chunks_exact(self.size.bytes()).map(index)
    }

    /// Returns the highest index.
    pub fn highest(&self) -> Option<u32> {
        let narrow = self.size.bytes() == 2;
        (!self.is_empty()).then(|| highest(self.bytes, narrow))
    }

    /// Returns the position and value of the first index that is not below `vertices`.
    pub(crate) fn first_beyond(&self, vertices: u64) -> Option<(usize, u32)> {
        let highest = self.highest()?;
        if u64::from(highest) < vertices {
            return None;
        }
        self.iter().enumerate().find(|(_, i)| u64::from(*i) >= vertices)
    }
}

meshwright_core::kernels! {
    fn highest as highest_portable<'a>(bytes: &'a [u8], narrow: bool) -> u32 {
        if narrow {
            bytes.as_chunks::<2>().0.iter().fold(0, |most: u16, b| most.max(u16::from_le_bytes(*b))).into()
        } else {
            bytes.as_chunks::<4>().0.iter().fold(0, |most, b| most.max(u32::from_le_bytes(*b)))
        }
    }
}

fn index(bytes: &[u8]) -> u32 {
    match *bytes {
        [a, b] => u32::from(u16::from_le_bytes([a, b])),
        [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// One of the four bones of a vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BoneWeight {
    /// The bone's number in the skeleton. It has 16 bits except in dialect [`Bone32`](Dialect::Bone32).
    pub bone: u32,
    /// The weight of the bone.
    pub influence: F32,
}

/// The bones of all vertices, four per vertex.
#[derive(Clone, Copy, Debug)]
pub struct BoneWeights<'s> {
    bytes: &'s [u8],
    each: usize,
}

impl<'s> BoneWeights<'s> {
    /// Returns the number of vertices.
    pub const fn len(&self) -> usize {
        self.bytes.len() / (4 * self.each)
    }

    /// Returns true if the number of vertices is 0.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the bones of a vertex.
    pub fn get(&self, vertex: usize) -> Option<[BoneWeight; 4]> {
        self.bytes.chunks_exact(4 * self.each).nth(vertex).map(|b| four(b, self.each))
    }

    /// Returns the bones of every vertex, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [BoneWeight; 4]> + Clone + use<'s> {
        let each = self.each;
        self.bytes.chunks_exact(4 * each).map(move |b| four(b, each))
    }
}

fn four(bytes: &[u8], each: usize) -> [BoneWeight; 4] {
    let mut out = [BoneWeight::default(); 4];
    for (to, from) in out.iter_mut().zip(bytes.chunks_exact(each)) {
        *to = match *from {
            [a, b, w, x, y, z] => BoneWeight {
                bone: u32::from(u16::from_le_bytes([a, b])),
                influence: F32::from_bits(u32::from_le_bytes([w, x, y, z])),
            },
            [a, b, c, d, w, x, y, z] => BoneWeight {
                bone: u32::from_le_bytes([a, b, c, d]),
                influence: F32::from_bits(u32::from_le_bytes([w, x, y, z])),
            },
            _ => BoneWeight::default(),
        };
    }
    out
}

impl Chunk<'_> {
    /// Returns the number of vertices: that of the first stream.
    pub fn vertex_count(&self) -> usize {
        usize::try_from(StreamSizes::new(self).vertices(self.dialect)).unwrap_or(usize::MAX)
    }

    /// Returns the indices.
    pub fn indices(&self) -> Indices<'_> {
        Indices { bytes: self.indices.data(), size: self.index_size }
    }

    /// Returns the indices in groups of three, as the engine draws them. One or two indices at the end are
    /// ignored.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [u32; 3]> + Clone + '_ {
        let width = self.index_size.bytes();
        self.indices.data().chunks_exact(3 * width).map(move |t| {
            let mut corners = [0; 3];
            for (to, from) in corners.iter_mut().zip(t.chunks_exact(width)) {
                *to = index(from);
            }
            corners
        })
    }

    fn bytes_of(&self, attribute: Attribute) -> Option<&[u8]> {
        self.stream(attribute).map(Stream::data)
    }

    /// 3D positions: x right, y up, z forward, left-handed.
    pub fn positions(&self) -> Option<Floats<'_, 3>> {
        self.bytes_of(Attribute::Position3).map(|bytes| Floats { bytes })
    }

    /// 2D positions: x right, y up.
    pub fn positions_2d(&self) -> Option<Floats<'_, 2>> {
        self.bytes_of(Attribute::Position2).map(|bytes| Floats { bytes })
    }

    /// Normals, in the space of the positions.
    pub fn normals(&self) -> Option<Floats<'_, 3>> {
        self.bytes_of(Attribute::Normal).map(|bytes| Floats { bytes })
    }

    /// Texture coordinates; (0, 0) is the top left of the image.
    pub fn uvs(&self) -> Option<Floats<'_, 2>> {
        self.bytes_of(Attribute::Uv).map(|bytes| Floats { bytes })
    }

    /// Tangents, in the space of the positions.
    pub fn tangents(&self) -> Option<Floats<'_, 3>> {
        self.bytes_of(Attribute::Tangent).map(|bytes| Floats { bytes })
    }

    /// Colours: red, green, blue, alpha. The engine multiplies them with its output to the screen, so they
    /// are display values on the sRGB curve. Alpha is linear, with 255 as 1.
    pub fn colors(&self) -> Option<&[[u8; 4]]> {
        self.bytes_of(Attribute::Color).map(|bytes| bytes.as_chunks().0)
    }

    /// Returns the four bones of every vertex.
    pub fn bone_weights(&self) -> Option<BoneWeights<'_>> {
        let each = self.dialect.weight_size();
        self.bytes_of(Attribute::BoneWeights).map(|bytes| BoneWeights { bytes, each })
    }

    /// Replaces the bones of all vertices.
    ///
    /// # Errors
    /// If a bone number does not fit the dialect; see also [`set`](Self::set). Then nothing changes.
    pub fn set_bone_weights(&mut self, weights: &[[BoneWeight; 4]]) -> Result<(), AttributeError> {
        let dialect = self.dialect;
        let mut data = Vec::with_capacity(weights.len().saturating_mul(4 * dialect.weight_size()));
        for (vertex, four) in weights.iter().enumerate() {
            put_bone_weights(dialect, vertex, four, &mut data)?;
        }
        self.set(Attribute::BoneWeights, data)
    }
}

/// Encodes the bones of a vertex, whose number is for the error.
pub(crate) fn put_bone_weights(
    dialect: Dialect,
    vertex: usize,
    four: &[BoneWeight; 4],
    data: &mut Vec<u8>,
) -> Result<(), AttributeError> {
    for BoneWeight { bone, influence } in *four {
        if dialect == Dialect::Bone32 {
            data.extend(bone.to_le_bytes());
        } else {
            let number = u16::try_from(bone);
            let number = number.map_err(|_| AttributeError::BoneNumber { vertex, bone, dialect })?;
            data.extend(number.to_le_bytes());
        }
        data.extend(influence.to_bits().to_le_bytes());
    }
    Ok(())
}

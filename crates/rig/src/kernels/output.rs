//! The caller's memory for skinned vertices.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "kernels read what was checked when it was made, vertex by vertex"
)]

use crate::error::RigError;

/// The length of skinned normals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NormalLength {
    /// Normals are not normalised; they have the length of the sum over the joints.
    #[default]
    AsIs,
    /// Normalised. A vector stays as it is if the square of its length is 0 or infinite in the precision of the sum.
    Unit,
}

/// The layout of a buffer of interleaved vertices: offsets and stride in bytes, of any alignment. Values are written
/// in the machine's byte order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct InterleavedLayout {
    /// The bytes from one vertex to the next.
    pub stride: usize,
    /// The offset of the position: three `f32`.
    pub position: usize,
    /// The offset of the normal, if it is requested: three `f32`.
    pub normal: Option<usize>,
    /// The offset of the tangent, if it is requested: four `f32`.
    pub tangent: Option<usize>,
}

impl InterleavedLayout {
    /// Makes a layout with a stride and the position at offset 0.
    pub const fn new(stride: usize) -> Self {
        Self { stride, position: 0, normal: None, tangent: None }
    }

    /// Sets the offset of positions.
    #[must_use]
    pub const fn with_position(mut self, offset: usize) -> Self {
        self.position = offset;
        self
    }

    /// Sets the offset of normals, or requests none.
    #[must_use]
    pub fn with_normal(mut self, offset: impl Into<Option<usize>>) -> Self {
        self.normal = offset.into();
        self
    }

    /// Sets the offset of tangents, or requests none.
    #[must_use]
    pub fn with_tangent(mut self, offset: impl Into<Option<usize>>) -> Self {
        self.tangent = offset.into();
        self
    }
}

/// The caller's memory for the skinned vertices.
#[derive(Debug)]
pub struct Output<'a> {
    target: Target<'a>,
    unit: bool,
}

impl<'a> Output<'a> {
    /// Writes positions, one per vertex.
    pub fn positions(positions: &'a mut [[f32; 3]]) -> Self {
        let target =
            Target { memory: Memory::Separate { positions, normals: None, tangents: None }, unit: false };
        Self { target, unit: false }
    }

    /// Writes normals, too.
    #[must_use]
    pub fn with_normals(mut self, out: &'a mut [[f32; 3]]) -> Self {
        if let Memory::Separate { normals, .. } = &mut self.target.memory {
            *normals = Some(out);
        }
        self
    }

    /// Writes tangents, too; the fourth component is copied.
    #[must_use]
    pub fn with_tangents(mut self, out: &'a mut [[f32; 4]]) -> Self {
        if let Memory::Separate { tangents, .. } = &mut self.target.memory {
            *tangents = Some(out);
        }
        self
    }

    /// Writes vertices to a buffer with other data: the bytes between the attributes do not change.
    pub fn interleaved(bytes: &'a mut [u8], layout: InterleavedLayout) -> Self {
        Self { target: Target { memory: Memory::Interleaved { bytes, layout }, unit: false }, unit: false }
    }

    /// Sets whether normals and tangents are normalised.
    #[must_use]
    pub fn with_normal_length(mut self, normals: NormalLength) -> Self {
        self.unit = normals == NormalLength::Unit;
        self
    }

    /// Checks that the memory fits exactly `count` vertices of a mesh.
    pub(crate) fn fit(self, count: usize, has: Wants) -> Result<Target<'a>, RigError> {
        let Target { memory, .. } = self.target;
        let wants = Wants { unit: self.unit, ..memory.wants() };
        if wants.normals && !has.normals {
            return Err(RigError::invalid("normals", "the mesh has none"));
        }
        if wants.tangents && !has.tangents {
            return Err(RigError::invalid("tangents", "the mesh has none"));
        }
        match &memory {
            Memory::Separate { positions, normals, tangents } => {
                RigError::length("result", count, positions.len())?;
                RigError::length("normals", normals.as_ref().map_or(count, |n| n.len()), count)?;
                RigError::length("tangents", tangents.as_ref().map_or(count, |t| t.len()), count)?;
            }
            Memory::Interleaved { bytes, layout } => {
                let fields = [
                    Some((layout.position, 12)),
                    layout.normal.map(|n| (n, 12)),
                    layout.tangent.map(|t| (t, 16)),
                ];
                let inside =
                    |(at, size): (usize, usize)| at.checked_add(size).is_some_and(|e| e <= layout.stride);
                if !fields.iter().flatten().all(|f| inside(*f)) {
                    return Err(RigError::invalid("layout", "an attribute is outside the stride"));
                }
                let expected = count.saturating_mul(layout.stride);
                RigError::length("interleaved bytes", expected, bytes.len())?;
            }
        }
        Ok(Target { memory, unit: self.unit })
    }
}

/// A set of attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wants {
    pub(crate) normals: bool,
    pub(crate) tangents: bool,
    pub(crate) unit: bool,
}

/// Memory that was checked to fit its vertices.
#[derive(Debug)]
pub(crate) struct Target<'a> {
    pub(super) memory: Memory<'a>,
    unit: bool,
}

#[derive(Debug)]
pub(super) enum Memory<'a> {
    Separate {
        positions: &'a mut [[f32; 3]],
        normals: Option<&'a mut [[f32; 3]]>,
        tangents: Option<&'a mut [[f32; 4]]>,
    },
    Interleaved {
        bytes: &'a mut [u8],
        layout: InterleavedLayout,
    },
}

impl Memory<'_> {
    fn wants(&self) -> Wants {
        match self {
            Self::Separate { normals, tangents, .. } => {
                Wants { normals: normals.is_some(), tangents: tangents.is_some(), unit: false }
            }
            Self::Interleaved { layout, .. } => {
                Wants { normals: layout.normal.is_some(), tangents: layout.tangent.is_some(), unit: false }
            }
        }
    }
}

impl<'a> Target<'a> {
    pub(crate) fn wants(&self) -> Wants {
        Wants { unit: self.unit, ..self.memory.wants() }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.memory {
            Memory::Separate { positions, .. } => positions.len(),
            Memory::Interleaved { bytes, layout } => bytes.len() / layout.stride,
        }
    }

    /// Splits off the first `middle` vertices.
    #[cfg(feature = "rayon")]
    pub(crate) fn split(self, middle: usize) -> (Self, Self) {
        let unit = self.unit;
        let both = |a, b| (Self { memory: a, unit }, Self { memory: b, unit });
        match self.memory {
            Memory::Separate { positions, normals, tangents } => {
                let (p, q) = positions.split_at_mut(middle);
                let (n, o) = normals.map(|n| n.split_at_mut(middle)).unzip();
                let (t, u) = tangents.map(|t| t.split_at_mut(middle)).unzip();
                both(
                    Memory::Separate { positions: p, normals: n, tangents: t },
                    Memory::Separate { positions: q, normals: o, tangents: u },
                )
            }
            Memory::Interleaved { bytes, layout } => {
                let (a, b) = bytes.split_at_mut(middle * layout.stride);
                both(Memory::Interleaved { bytes: a, layout }, Memory::Interleaved { bytes: b, layout })
            }
        }
    }

    /// Borrows a range of vertices.
    pub(crate) fn window(&mut self, range: core::ops::Range<usize>) -> Target<'_> {
        let memory = match &mut self.memory {
            Memory::Separate { positions, normals, tangents } => Memory::Separate {
                positions: &mut positions[range.clone()],
                normals: normals.as_mut().map(|n| &mut n[range.clone()]),
                tangents: tangents.as_mut().map(|t| &mut t[range]),
            },
            Memory::Interleaved { bytes, layout } => Memory::Interleaved {
                bytes: &mut bytes[range.start * layout.stride..range.end * layout.stride],
                layout: *layout,
            },
        };
        Target { memory, unit: self.unit }
    }

    /// Writes one vertex. Attributes that are not requested are ignored.
    pub(crate) fn set(&mut self, v: usize, position: [f32; 3], normal: [f32; 3], tangent: [f32; 4]) {
        match &mut self.memory {
            Memory::Separate { positions, normals, tangents } => {
                positions[v] = position;
                if let Some(n) = normals {
                    n[v] = normal;
                }
                if let Some(t) = tangents {
                    t[v] = tangent;
                }
            }
            Memory::Interleaved { bytes, layout } => {
                let vertex = &mut bytes[v * layout.stride..(v + 1) * layout.stride];
                write_floats(vertex, layout.position, &position);
                if let Some(at) = layout.normal {
                    write_floats(vertex, at, &normal);
                }
                if let Some(at) = layout.tangent {
                    write_floats(vertex, at, &tangent);
                }
            }
        }
    }

    /// Normalises normals and tangents that are not 0.
    pub(crate) fn normalize(&mut self) {
        match &mut self.memory {
            Memory::Separate { normals, tangents, .. } => {
                for n in normals.iter_mut().flat_map(|n| n.iter_mut()) {
                    *n = unit(*n);
                }
                for t in tangents.iter_mut().flat_map(|t| t.iter_mut()) {
                    let [x, y, z] = unit([t[0], t[1], t[2]]);
                    *t = [x, y, z, t[3]];
                }
            }
            Memory::Interleaved { bytes, layout } => {
                let fields = [layout.normal, layout.tangent];
                for vertex in bytes.chunks_exact_mut(layout.stride) {
                    for at in fields.into_iter().flatten() {
                        let v = unit(get(vertex, at));
                        write_floats(vertex, at, &v);
                    }
                }
            }
        }
    }
}

#[inline]
fn unit(v: [f32; 3]) -> [f32; 3] {
    let v = glam::Vec3A::from_array(v);
    v.try_normalize().unwrap_or(v).into()
}

fn get(vertex: &[u8], at: usize) -> [f32; 3] {
    core::array::from_fn(|i| {
        let bytes = vertex.get(at + 4 * i..).and_then(|b| b.first_chunk());
        f32::from_ne_bytes(bytes.copied().unwrap_or_default())
    })
}

#[inline]
pub(super) fn write_floats<const N: usize>(vertex: &mut [u8], at: usize, values: &[f32; N]) {
    for (slot, v) in vertex[at..].as_chunks_mut().0.iter_mut().zip(values) {
        *slot = v.to_ne_bytes();
    }
}

//! The buffer, its views and accessors.

use gltf_json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{Target, View};
use gltf_json::validation::Checked::Valid;
use gltf_json::validation::USize64;
use gltf_json::{Index, Root};
use meshwright_scene::{ConvertError, Memory};
use std::collections::BTreeMap;

/// What an object of the JSON part is charged: more than any of them takes in memory and as text.
const OBJECT: usize = 400;

/// The document while it grows.
#[derive(Debug)]
pub(crate) struct Output {
    pub(crate) root: Root,
    pub(crate) bin: Vec<u8>,
    pub(crate) memory: Memory,
    /// Accessors of key times that exist already, by the bits of the times.
    times: BTreeMap<Vec<u32>, Index<Accessor>>,
    /// The most bytes that were asked for as room to work in.
    scratch: usize,
}

/// Vertex data, which goes to the graphics card, or anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Vertices,
    Indices,
    Other,
}

/// Whether the bounds of the values are written beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounds {
    Written,
    Omitted,
}

impl Output {
    pub(crate) fn new(memory: u64) -> Self {
        Self {
            root: Root::default(),
            bin: Vec::new(),
            memory: Memory::new(memory),
            times: BTreeMap::new(),
            scratch: 0,
        }
    }

    /// Charges objects of the JSON part with a text of `bytes` in them.
    pub(crate) fn charge_objects(&self, count: usize, bytes: usize) -> Result<(), ConvertError> {
        self.memory.charge("glTF objects", count, OBJECT)?;
        // Escapes take up to six bytes for one.
        self.memory.charge("names", bytes, 6)
    }

    /// Charges room to work in that is given back before the next is asked for: only what exceeds the most so
    /// far.
    pub(crate) fn scratch(
        &mut self,
        what: &'static str,
        count: usize,
        size: usize,
    ) -> Result<(), ConvertError> {
        let bytes = count.saturating_mul(size);
        let more = bytes.saturating_sub(self.scratch);
        self.memory.charge(what, more, 1)?;
        self.scratch = self.scratch.max(bytes);
        Ok(())
    }

    /// Adds an object and answers its index.
    pub(crate) fn push<T>(&mut self, value: T) -> Result<Index<T>, ConvertError>
    where
        Root: AsMut<Vec<T>>,
    {
        let list: &mut Vec<T> = self.root.as_mut();
        let index = u32::try_from(list.len())
            .map_err(|_| ConvertError::unsupported("glTF", "more than 2^32 objects of one kind"))?;
        list.push(value);
        Ok(Index::new(index))
    }

    /// A zeroed view of `len` bytes at the end of the buffer, to be filled.
    fn view(
        &mut self,
        what: &'static str,
        len: usize,
        target: Use,
    ) -> Result<(Index<View>, &mut [u8]), ConvertError> {
        let start = self.bin.len().next_multiple_of(4);
        let end = start.saturating_add(len);
        self.memory.charge(what, end - self.bin.len(), 1)?;
        let too_much = |_| ConvertError::Limit { what, wanted: len as u64, limit: u64::from(u32::MAX) };
        self.bin.try_reserve(end - self.bin.len()).map_err(too_much)?;
        self.bin.resize(end, 0);
        self.charge_objects(1, 0)?;
        let view = View {
            buffer: Index::new(0),
            byte_length: USize64::from(len),
            byte_offset: Some(USize64::from(start)).filter(|o| o.0 > 0),
            byte_stride: None,
            name: None,
            target: match target {
                Use::Vertices => Some(Valid(Target::ArrayBuffer)),
                Use::Indices => Some(Valid(Target::ElementArrayBuffer)),
                Use::Other => None,
            },
            extensions: None,
            extras: None,
        };
        let index = self.push(view)?;
        Ok((index, self.bin.get_mut(start..).unwrap_or_default()))
    }

    fn accessor(
        &mut self,
        view: Index<View>,
        count: usize,
        (component, type_): (ComponentType, Type),
    ) -> Result<Index<Accessor>, ConvertError> {
        self.charge_objects(1, 0)?;
        self.push(Accessor {
            buffer_view: Some(view),
            byte_offset: None,
            count: USize64::from(count),
            component_type: Valid(GenericComponentType(component)),
            extensions: None,
            extras: None,
            type_: Valid(type_),
            min: None,
            max: None,
            name: None,
            normalized: false,
            sparse: None,
        })
    }

    /// Bytes as they are.
    pub(crate) fn bytes(&mut self, what: &'static str, bytes: &[u8]) -> Result<Index<View>, ConvertError> {
        let (view, out) = self.view(what, bytes.len(), Use::Other)?;
        out.copy_from_slice(bytes);
        Ok(view)
    }

    /// Vectors of `N` finite numbers.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        what: &'static str,
        items: &[[f32; N]],
        target: Use,
        bounds: Bounds,
    ) -> Result<Index<Accessor>, ConvertError> {
        if !items.iter().flatten().all(|c| c.is_finite()) {
            return Err(ConvertError::invalid(what, "a value is not finite"));
        }
        let (view, out) = self.view(what, size_of_val(items), target)?;
        for (out, v) in out.chunks_exact_mut(4).zip(items.iter().flatten()) {
            out.copy_from_slice(&v.to_le_bytes());
        }
        let type_ = match N {
            1 => Type::Scalar,
            2 => Type::Vec2,
            3 => Type::Vec3,
            4 => Type::Vec4,
            _ => Type::Mat4,
        };
        let index = self.accessor(view, items.len(), (ComponentType::F32, type_))?;
        if bounds == Bounds::Written
            && let Some(first) = items.first()
        {
            let (min, max) = items.iter().fold((*first, *first), |(mut min, mut max), v| {
                for ((lo, hi), c) in min.iter_mut().zip(&mut max).zip(v) {
                    *lo = lo.min(*c);
                    *hi = hi.max(*c);
                }
                (min, max)
            });
            if let Some(accessor) = self.root.accessors.get_mut(index.value()) {
                accessor.min = Some(min.to_vec().into());
                accessor.max = Some(max.to_vec().into());
            }
        }
        Ok(index)
    }

    /// Times of keys, shared with every sampler that has the same ones.
    pub(crate) fn times(&mut self, times: &[f32]) -> Result<Index<Accessor>, ConvertError> {
        let bits: Vec<u32> = times.iter().map(|t| t.to_bits()).collect();
        if let Some(index) = self.times.get(&bits) {
            return Ok(*index);
        }
        self.memory.charge("key times", bits.len(), 4)?;
        let items: Vec<[f32; 1]> = times.iter().map(|t| [*t]).collect();
        let index = self.floats("key times", &items, Use::Other, Bounds::Written)?;
        self.times.insert(bits, index);
        Ok(index)
    }

    /// Four bytes per vertex; colours are normalised, joints are not.
    pub(crate) fn bytes4(
        &mut self,
        what: &'static str,
        items: &[[u8; 4]],
        normalized: bool,
    ) -> Result<Index<Accessor>, ConvertError> {
        let (view, out) = self.view(what, size_of_val(items), Use::Vertices)?;
        out.copy_from_slice(items.as_flattened());
        let index = self.accessor(view, items.len(), (ComponentType::U8, Type::Vec4))?;
        if let Some(accessor) = self.root.accessors.get_mut(index.value()) {
            accessor.normalized = normalized;
        }
        Ok(index)
    }

    /// Four 16-bit numbers per vertex.
    pub(crate) fn words4(
        &mut self,
        what: &'static str,
        items: &[[u16; 4]],
    ) -> Result<Index<Accessor>, ConvertError> {
        let (view, out) = self.view(what, size_of_val(items), Use::Vertices)?;
        for (out, v) in out.chunks_exact_mut(2).zip(items.as_flattened()) {
            out.copy_from_slice(&v.to_le_bytes());
        }
        self.accessor(view, items.len(), (ComponentType::U16, Type::Vec4))
    }

    /// Corners of triangles, in 16 bits where `vertices` allows it; 65535 means something else there.
    pub(crate) fn triangles(
        &mut self,
        triangles: &[[u32; 3]],
        vertices: usize,
    ) -> Result<Index<Accessor>, ConvertError> {
        let corners = triangles.as_flattened();
        let short = vertices <= usize::from(u16::MAX);
        let size = if short { 2 } else { 4 };
        let (view, out) = self.view("indices", corners.len().saturating_mul(size), Use::Indices)?;
        if short {
            for (out, v) in out.chunks_exact_mut(2).zip(corners) {
                // Below 65535, so the upper half is zero.
                let [low, high, ..] = v.to_le_bytes();
                out.copy_from_slice(&[low, high]);
            }
        } else {
            for (out, v) in out.chunks_exact_mut(4).zip(corners) {
                out.copy_from_slice(&v.to_le_bytes());
            }
        }
        let component = if short { ComponentType::U16 } else { ComponentType::U32 };
        self.accessor(view, corners.len(), (component, Type::Scalar))
    }
}

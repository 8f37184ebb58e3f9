//! The chunks of a GLB and the arrays in its buffer.
#![deny(clippy::arithmetic_side_effects, clippy::indexing_slicing)]

use crate::playback::error::PlaybackError;
use gltf_json::accessor::{Accessor, ComponentType, Type};
use gltf_json::validation::Checked::Valid;
use gltf_json::{Index, Root};
use meshwright_scene::Memory;

#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) root: Root,
    bin: &'a [u8],
    memory: &'a Memory,
}

fn fault<T>(path: &str, message: &str) -> Result<T, PlaybackError> {
    Err(PlaybackError::new(path, message))
}

/// The type of a chunk, its content, and what follows it.
type Chunk<'a> = (&'a [u8; 4], &'a [u8], &'a [u8]);

/// The chunk at the start of `bytes`, unless they are at their end.
fn chunk(bytes: &[u8]) -> Result<Option<Chunk<'_>>, PlaybackError> {
    if bytes.is_empty() {
        return Ok(None);
    }
    let Some((length, rest)) = bytes.split_first_chunk::<4>() else { return fault("glb", "a chunk is cut") };
    let Some((kind, rest)) = rest.split_first_chunk::<4>() else { return fault("glb", "a chunk is cut") };
    let length = usize::try_from(u32::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let Some((body, rest)) = rest.split_at_checked(length) else { return fault("glb", "a chunk is cut") };
    Ok(Some((kind, body, rest)))
}

impl<'a> Document<'a> {
    pub(super) fn new(glb: &'a [u8], memory: &'a Memory) -> Result<Self, PlaybackError> {
        let Some((header, rest)) = glb.split_first_chunk::<12>() else {
            return fault("glb", "shorter than 12 bytes");
        };
        let [magic, version, length] =
            [0_usize, 4, 8].map(|i| header.get(i..).and_then(|h| h.first_chunk::<4>()));
        if magic != Some(b"glTF") || version != Some(&[2, 0, 0, 0]) {
            return fault("glb", "not a GLB of version 2");
        }
        let length = length.map_or(0, |l| u32::from_le_bytes(*l));
        if usize::try_from(length) != Ok(glb.len()) {
            return fault("glb", "the length in the header is not that of the file");
        }
        let Some((b"JSON", json, mut rest)) = chunk(rest)? else { return fault("glb", "has no JSON chunk") };
        // Chunks of other types are to be passed over.
        let mut bin: &[u8] = &[];
        while let Some((kind, body, after)) = chunk(rest)? {
            if kind == b"BIN\0" {
                bin = body;
                break;
            }
            rest = after;
        }
        // A document takes a few times its text in memory.
        let charged = memory.charge("JSON", json.len(), 16);
        charged.map_err(|e| PlaybackError::new("glb", e.to_string()))?;
        let root = Root::from_slice(json).map_err(|e| PlaybackError::new("json", e.to_string()))?;
        Ok(Self { root, bin, memory })
    }

    /// The elements of an accessor, each as a slice of bytes, with their component type.
    fn elements(
        &self,
        index: Index<Accessor>,
        width: usize,
        path: &str,
    ) -> Result<(impl ExactSizeIterator<Item = &'a [u8]>, ComponentType, bool), PlaybackError> {
        let Some(accessor) = self.root.get(index) else { return fault(path, "names a missing accessor") };
        let (Valid(component), Valid(type_)) = (accessor.component_type, accessor.type_) else {
            return fault(path, "the accessor is of no known type");
        };
        if accessor.sparse.is_some() {
            return fault(path, "sparse accessors are not supported");
        }
        if matches!(type_, Type::Mat2 | Type::Mat3) || type_.multiplicity() != width {
            return fault(path, "the accessor has another shape");
        }
        let Some(view) = accessor.buffer_view.and_then(|v| self.root.get(v)) else {
            return fault(path, "the accessor has no view");
        };
        if view.buffer.value() != 0 || self.root.buffers.first().is_none_or(|b| b.uri.is_some()) {
            return fault(path, "the view is not in the file's own buffer");
        }
        let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
        let start = number(view.byte_offset.unwrap_or_default().0);
        let end = start.saturating_add(number(view.byte_length.0));
        let Some(bytes) = self.bin.get(start..end) else {
            return fault(path, "the view does not fit the buffer");
        };
        let Some(bytes) = bytes.get(number(accessor.byte_offset.unwrap_or_default().0)..) else {
            return fault(path, "the accessor does not fit its view");
        };
        let size = component.0.size().saturating_mul(width);
        let stride = view.byte_stride.map_or(size, |s| s.0);
        let count = number(accessor.count.0);
        let needed = count.saturating_sub(1).saturating_mul(stride).saturating_add(size);
        if stride < size || count == 0 || needed > bytes.len() {
            return fault(path, "the accessor does not fit its view");
        }
        let charged = self.memory.charge("accessor", count, width.saturating_mul(4));
        charged.map_err(|e| PlaybackError::new(path, e.to_string()))?;
        let element = move |chunk: &'a [u8]| chunk.get(..size).unwrap_or_default();
        Ok((bytes.chunks(stride).take(count).map(element), component.0, accessor.normalized))
    }

    /// Vectors of numbers, of 32-bit floats or normalised integers.
    pub(super) fn vectors<const N: usize>(
        &self,
        index: Index<Accessor>,
        path: &str,
    ) -> Result<Vec<[f32; N]>, PlaybackError> {
        let (elements, component, normalized) = self.elements(index, N, path)?;
        if component == ComponentType::F32 {
            let four = |b: &[u8]| b.first_chunk::<4>().map_or(0.0, |b| f32::from_le_bytes(*b));
            return Ok(elements.map(|e| fill(e.chunks_exact(4).map(four))).collect());
        }
        let part: fn(&[u8]) -> f32 = match (component, normalized) {
            (ComponentType::U8, true) => |b| b.first().map_or(0.0, |b| f32::from(*b) / 255.0),
            (ComponentType::I8, true) => |b| b.first().map_or(0.0, |b| signed(b.cast_signed().into(), 127.0)),
            (ComponentType::U16, true) => {
                |b| b.first_chunk().map_or(0.0, |b| f32::from(u16::from_le_bytes(*b)) / 65535.0)
            }
            (ComponentType::I16, true) => {
                |b| b.first_chunk().map_or(0.0, |b| signed(i16::from_le_bytes(*b), 32767.0))
            }
            _ => return fault(path, "the accessor holds no real numbers"),
        };
        Ok(elements.map(|e| fill(e.chunks_exact(component.size()).map(part))).collect())
    }

    /// Four unsigned integers each.
    pub(super) fn integers(
        &self,
        index: Index<Accessor>,
        path: &str,
    ) -> Result<Vec<[u32; 4]>, PlaybackError> {
        let (elements, component, _) = self.elements(index, 4, path)?;
        match component {
            ComponentType::U8 => Ok(elements.map(|e| fill(e.iter().map(|b| u32::from(*b)))).collect()),
            ComponentType::U16 => {
                let two = |b: &[u8]| b.first_chunk::<2>().map_or(0, |b| u32::from(u16::from_le_bytes(*b)));
                Ok(elements.map(|e| fill(e.chunks_exact(2).map(two))).collect())
            }
            _ => fault(path, "the accessor holds no joints"),
        }
    }
}

/// A signed normalised integer: the least one means -1 as its neighbour does.
fn signed(value: i16, most: f32) -> f32 {
    (f32::from(value) / most).max(-1.0)
}

fn fill<T: Copy + Default, const N: usize>(values: impl Iterator<Item = T>) -> [T; N] {
    let mut out = [T::default(); N];
    for (out, v) in out.iter_mut().zip(values) {
        *out = v;
    }
    out
}

//! The buffer, its views and accessors.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "items of fixed size, and pieces that a buffer was made for"
)]

use crate::export::pieces::{Piece, Pieces, flat};
use crate::math::{Range, Seen, range, see_points};
use gltf_json::accessor::{Accessor, ComponentType, GenericComponentType, Type};
use gltf_json::buffer::{Target, View};
use gltf_json::validation::Checked::Valid;
use gltf_json::validation::USize64;
use gltf_json::{Index, Root};
use meshwright_core::bulk;
use meshwright_scene::{Budget, ConvertError, LimitExceeded, Limits};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What an object of the JSON part is charged: more than any of them takes in memory and as text.
const OBJECT: usize = 400;

/// The document while it grows.
#[derive(Debug)]
pub(crate) struct Output<'s> {
    pub(crate) root: Root,
    pub(crate) buffer: Pieces<'s>,
    pub(crate) memory: Budget,
    /// The animations as JSON, with commas between them.
    pub(crate) animations: String,
    /// The view of keys that were written last.
    key_view: Option<Index<View>>,
    /// Keys that exist already, by a hash of their bits.
    keys: BTreeMap<u64, Known>,
    /// The most bytes that were asked for as room to work in.
    scratch: usize,
}

/// Where keys lie.
#[derive(Clone, Copy, Debug)]
struct Known {
    piece: usize,
    start: usize,
    count: usize,
    components: usize,
    accessor: Index<Accessor>,
}

/// What a known array of keys takes.
const KNOWN: u64 = 96;

/// Vertex data, which goes to the graphics card, or anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Vertices,
    Indices,
    Other,
}

/// What is written beside values, and what is known of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bounds {
    Written,
    Omitted,
    /// Omitted, of values that are known to be finite.
    OmittedFinite,
}

impl<'s> Output<'s> {
    pub(crate) fn new(memory: u64) -> Self {
        Self {
            root: Root::default(),
            buffer: Pieces::default(),
            memory: Budget::new(Limits::default().with_memory(memory)),
            animations: String::new(),
            key_view: None,
            keys: BTreeMap::new(),
            scratch: 0,
        }
    }

    /// Charges objects of the JSON part with a text of `bytes` in them.
    pub(crate) fn charge_objects(&self, count: usize, bytes: usize) -> Result<(), ConvertError> {
        self.memory.charge_items("glTF objects", count as u64, OBJECT)?;
        // Escapes take up to six bytes for one.
        Ok(self.memory.charge_items("names", bytes as u64, 6)?)
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
        self.memory.charge_items(what, more as u64, 1)?;
        self.scratch = self.scratch.max(bytes);
        Ok(())
    }

    /// Adds an object and returns its index.
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

    /// A view of a piece at the end of the buffer.
    fn view(
        &mut self,
        what: &'static str,
        piece: Piece<'s>,
        target: Use,
    ) -> Result<Index<View>, ConvertError> {
        self.memory.charge_items(what, self.buffer.growth(piece.len()) as u64, 1)?;
        let start = self.buffer.push(piece);
        self.view_from(start, target)
    }

    /// A view of the end of the buffer.
    fn view_from(&mut self, start: usize, target: Use) -> Result<Index<View>, ConvertError> {
        self.charge_objects(1, 0)?;
        self.push(View {
            buffer: Index::new(0),
            byte_length: USize64::from(self.buffer.len().saturating_sub(start)),
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
        })
    }

    fn accessor(
        &mut self,
        (view, offset): (Index<View>, usize),
        count: usize,
        (component, type_): (ComponentType, Type),
    ) -> Result<Index<Accessor>, ConvertError> {
        self.charge_objects(1, 0)?;
        self.push(Accessor {
            buffer_view: Some(view),
            byte_offset: Some(USize64::from(offset)).filter(|o| o.0 > 0),
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
    pub(crate) fn bytes(&mut self, what: &'static str, bytes: &'s [u8]) -> Result<Index<View>, ConvertError> {
        self.view(what, Piece::Bytes(Cow::Borrowed(bytes)), Use::Other)
    }

    /// Vectors of `N` finite numbers.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        what: &'static str,
        items: Cow<'s, [[f32; N]]>,
        target: Use,
        bounds: Bounds,
    ) -> Result<Index<Accessor>, ConvertError> {
        if bounds == Bounds::Omitted && !bulk::are_finite(items.as_flattened()) {
            return Err(ConvertError::invalid(what, NOT_FINITE));
        }
        self.ranged(what, items, target, None)
    }

    /// Positions, which are finite, and their range where that is known.
    pub(crate) fn positions(
        &mut self,
        items: Cow<'s, [[f32; 3]]>,
        known: Option<Range<3>>,
    ) -> Result<Index<Accessor>, ConvertError> {
        let what = "positions";
        let seen = || {
            let mut seen = Seen::NOTHING;
            see_points(&items, &mut seen);
            seen.is_finite().then(|| seen.range())
        };
        let range = known.or_else(seen).ok_or_else(|| ConvertError::invalid(what, NOT_FINITE))?;
        self.ranged(what, items, Use::Vertices, Some(range))
    }

    fn ranged<const N: usize>(
        &mut self,
        what: &'static str,
        items: Cow<'s, [[f32; N]]>,
        target: Use,
        range: Option<Range<N>>,
    ) -> Result<Index<Accessor>, ConvertError> {
        let count = items.len();
        let view = self.view(what, Piece::Floats(flat(items)), target)?;
        self.float_accessor((view, 0), count, range)
    }

    fn float_accessor<const N: usize>(
        &mut self,
        view: (Index<View>, usize),
        count: usize,
        range: Option<([f32; N], [f32; N])>,
    ) -> Result<Index<Accessor>, ConvertError> {
        let type_ = match N {
            1 => Type::Scalar,
            2 => Type::Vec2,
            3 => Type::Vec3,
            4 => Type::Vec4,
            _ => Type::Mat4,
        };
        let index = self.accessor(view, count, (ComponentType::F32, type_))?;
        if let Some((min, max)) = range
            && let Some(accessor) = self.root.accessors.get_mut(index.value())
        {
            accessor.min = Some(min.to_vec().into());
            accessor.max = Some(max.to_vec().into());
        }
        Ok(index)
    }

    /// Times or values of keys: all that follow each other in one view, and equal ones once.
    pub(crate) fn keys<const N: usize>(
        &mut self,
        what: &'static str,
        items: &[[f32; N]],
        bounds: Bounds,
    ) -> Result<Index<Accessor>, ConvertError> {
        let numbers = items.as_flattened();
        let bits = || numbers.iter().map(|v| v.to_bits());
        let hash = bits().fold(0xcbf2_9ce4_8422_2325 ^ N as u64, |hash: u64, bits| {
            (hash ^ u64::from(bits)).wrapping_mul(0x0100_0000_01b3).rotate_left(29)
        });
        let known = self.keys.get(&hash).filter(|known| {
            let there = self.buffer.appended(known.piece, known.start, known.count);
            known.components == N && there.iter().map(|v| v.to_bits()).eq(bits())
        });
        if let Some(known) = known {
            return Ok(known.accessor);
        }
        if !bulk::are_finite(numbers) {
            return Err(ConvertError::invalid(what, NOT_FINITE));
        }
        self.memory.charge_items(what, self.buffer.growth(size_of_val(numbers)) as u64, 1)?;
        let (at, piece, start) = self.buffer.append(numbers);
        let view = self.grown_key_view(at)?;
        let range = if bounds == Bounds::Written { range(items) } else { None };
        let accessor = self.float_accessor(view, items.len(), range)?;
        self.memory.charge("keys", KNOWN)?;
        let known = Known { piece, start, count: numbers.len(), components: N, accessor };
        self.keys.entry(hash).or_insert(known);
        Ok(accessor)
    }

    /// The view of keys, up to the end of the buffer, and where in it `start` is. It begins anew where something else
    /// was written since.
    fn grown_key_view(&mut self, start: usize) -> Result<(Index<View>, usize), ConvertError> {
        let end = self.buffer.len();
        if let Some(index) = self.key_view
            && let Some(view) = self.root.buffer_views.get_mut(index.value())
        {
            let from = view.byte_offset.map_or(0, |o| o.0);
            if from.saturating_add(view.byte_length.0) == start as u64 {
                view.byte_length = USize64((end as u64).saturating_sub(from));
                return Ok((index, start.saturating_sub(usize::try_from(from).unwrap_or(start))));
            }
        }
        let index = self.view_from(start, Use::Other)?;
        self.key_view = Some(index);
        Ok((index, 0))
    }

    /// Four bytes per vertex: shares of 255 where they are normalised.
    pub(crate) fn bytes4(
        &mut self,
        what: &'static str,
        items: Cow<'s, [[u8; 4]]>,
        normalized: bool,
    ) -> Result<Index<Accessor>, ConvertError> {
        let count = items.len();
        let view = self.view(what, Piece::Bytes(flat(items)), Use::Vertices)?;
        self.vec4((view, count), ComponentType::U8, normalized)
    }

    /// Four 16-bit numbers per vertex: shares of 65535 where they are normalised.
    pub(crate) fn words4(
        &mut self,
        what: &'static str,
        items: Vec<[u16; 4]>,
        normalized: bool,
    ) -> Result<Index<Accessor>, ConvertError> {
        let count = items.len();
        let view = self.view(what, Piece::Words(flat(items.into())), Use::Vertices)?;
        self.vec4((view, count), ComponentType::U16, normalized)
    }

    fn vec4(
        &mut self,
        (view, count): (Index<View>, usize),
        component: ComponentType,
        normalized: bool,
    ) -> Result<Index<Accessor>, ConvertError> {
        let index = self.accessor((view, 0), count, (component, Type::Vec4))?;
        if let Some(accessor) = self.root.accessors.get_mut(index.value()) {
            accessor.normalized = normalized;
        }
        Ok(index)
    }

    /// Corners of triangles, in 16 bits where `vertices` allows it; 65535 means something else there.
    pub(crate) fn triangles(
        &mut self,
        triangles: Cow<'s, [[u32; 3]]>,
        vertices: usize,
    ) -> Result<Index<Accessor>, ConvertError> {
        let corners = flat(triangles);
        let count = corners.len();
        let (piece, component) = if vertices <= usize::from(u16::MAX) {
            (Piece::ShortIndices(corners), ComponentType::U16)
        } else {
            (Piece::Indices(corners), ComponentType::U32)
        };
        let view = self.view("indices", piece, Use::Indices)?;
        self.accessor((view, 0), count, (component, Type::Scalar))
    }
}

const NOT_FINITE: &str = "a value is not finite";

/// An empty vector with room for `count` items that were charged already.
pub(crate) fn room<T>(what: &'static str, count: usize) -> Result<Vec<T>, ConvertError> {
    let mut items = Vec::new();
    let wanted = (count as u64).saturating_mul(size_of::<T>() as u64);
    items.try_reserve_exact(count).map_err(|_| LimitExceeded::bytes(what, wanted, 0))?;
    Ok(items)
}

//! The buffer, its views and accessors.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "items of fixed size, and pieces that a buffer was made for"
)]

use crate::document::{Accessor, ComponentType, ElementType, Tables, Target, View};
use crate::export::buffer_pieces::{Piece, Pieces, flat};
use crate::math::{Range, Seen, range, see_points};
use meshwright_core::{SortedMap, bulk};
use meshwright_scene::{Budget, ConvertError, LimitExceeded, Limits};
use std::borrow::Cow;

/// The memory charged for an object of the JSON part: more than the largest takes in memory and as text.
const OBJECT: usize = 400;

/// The document while it grows.
#[derive(Debug)]
pub(crate) struct Output<'s> {
    pub(crate) tables: Tables<'static>,
    pub(crate) buffer: Pieces<'s>,
    pub(crate) memory: Budget,
    /// The view of keys that were written last.
    key_view: Option<usize>,
    /// Keys that exist already, by a hash of their bits.
    keys: SortedMap<u64, Known>,
    /// The largest working memory so far, in bytes.
    scratch: usize,
}

/// The location of keys.
#[derive(Clone, Copy, Debug)]
struct Known {
    piece: usize,
    start: usize,
    count: usize,
    components: usize,
    accessor: usize,
}

/// The memory of a known array of keys.
const KNOWN: u64 = 96;

/// The bounds written for values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BoundsChoice {
    Written,
    Omitted,
    /// Omitted, for values that are known to be finite.
    OmittedFinite,
}

impl<'s> Output<'s> {
    pub(crate) fn new(memory: u64) -> Self {
        Self {
            tables: Tables {
                generator: concat!("meshwright ", env!("CARGO_PKG_VERSION")).into(),
                ..Tables::default()
            },
            buffer: Pieces::default(),
            memory: Budget::new(Limits::default().with_memory(memory)),
            key_view: None,
            keys: SortedMap::new(),
            scratch: 0,
        }
    }

    /// Charges objects of the JSON part with a text of `bytes` in them.
    pub(crate) fn charge_objects(&self, count: usize, bytes: usize) -> Result<(), ConvertError> {
        self.memory.charge_items("glTF objects", count as u64, OBJECT)?;
        // Escapes take up to six bytes for one.
        Ok(self.memory.charge_items("names", bytes as u64, 6)?)
    }

    /// Charges working memory that is freed before the next request: only the amount above the previous maximum.
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

    /// Adds a view of a new piece at the end of the buffer.
    fn view(
        &mut self,
        what: &'static str,
        piece: Piece<'s>,
        target: Option<Target>,
    ) -> Result<usize, ConvertError> {
        self.memory.charge_items(what, self.buffer.growth(piece.len()) as u64, 1)?;
        let start = self.buffer.push(piece);
        self.view_from(start, target)
    }

    /// Returns a view of the end of the buffer.
    fn view_from(&mut self, start: usize, target: Option<Target>) -> Result<usize, ConvertError> {
        self.charge_objects(1, 0)?;
        let length = self.buffer.len().saturating_sub(start) as u64;
        let view = View { buffer: 0, offset: start as u64, length, stride: None, target, compressed: None };
        Ok(add(&mut self.tables.views, view))
    }

    fn accessor(&mut self, accessor: Accessor) -> Result<usize, ConvertError> {
        self.charge_objects(1, 0)?;
        Ok(add(&mut self.tables.accessors, accessor))
    }

    /// Writes bytes unchanged.
    pub(crate) fn bytes(&mut self, what: &'static str, bytes: &'s [u8]) -> Result<usize, ConvertError> {
        self.view(what, Piece::Bytes(Cow::Borrowed(bytes)), None)
    }

    /// Writes vectors of `N` finite numbers.
    pub(crate) fn floats<const N: usize>(
        &mut self,
        what: &'static str,
        items: Cow<'s, [[f32; N]]>,
        target: Option<Target>,
        bounds: BoundsChoice,
    ) -> Result<usize, ConvertError> {
        if bounds == BoundsChoice::Omitted && !bulk::are_finite(items.as_flattened()) {
            return Err(ConvertError::invalid(what, NOT_FINITE));
        }
        self.ranged(what, items, target, None)
    }

    /// Writes positions, which are finite, and their range if it is known.
    pub(crate) fn positions(
        &mut self,
        items: Cow<'s, [[f32; 3]]>,
        known: Option<Range<3>>,
    ) -> Result<usize, ConvertError> {
        let what = "positions";
        let seen = || {
            let mut seen = Seen::NOTHING;
            see_points(&items, &mut seen);
            seen.is_finite().then(|| seen.range())
        };
        let range = known.or_else(seen).ok_or_else(|| ConvertError::invalid(what, NOT_FINITE))?;
        self.ranged(what, items, Some(Target::Vertices), Some(range))
    }

    fn ranged<const N: usize>(
        &mut self,
        what: &'static str,
        items: Cow<'s, [[f32; N]]>,
        target: Option<Target>,
        range: Option<Range<N>>,
    ) -> Result<usize, ConvertError> {
        let count = items.len();
        let view = self.view(what, Piece::Floats(flat(items)), target)?;
        self.float_accessor((view, 0), count, range)
    }

    fn float_accessor<const N: usize>(
        &mut self,
        (view, offset): (usize, u64),
        count: usize,
        range: Option<Range<N>>,
    ) -> Result<usize, ConvertError> {
        let element = match N {
            1 => ElementType::Scalar,
            2 => ElementType::Vec2,
            3 => ElementType::Vec3,
            4 => ElementType::Vec4,
            _ => ElementType::Mat4,
        };
        let mut accessor = Accessor::new((view, offset), count, ComponentType::F32, element);
        if let Some(range) = range {
            [accessor.min, accessor.max] = [range.0, range.1].map(|bound| bound.map(f64::from).to_vec());
        }
        self.accessor(accessor)
    }

    /// Writes times or values of keys. Consecutive ones share a view, and equal ones are stored once.
    pub(crate) fn keys<const N: usize>(
        &mut self,
        what: &'static str,
        items: &[[f32; N]],
        bounds: BoundsChoice,
    ) -> Result<usize, ConvertError> {
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
        let range = if bounds == BoundsChoice::Written { range(items) } else { None };
        let accessor = self.float_accessor(view, items.len(), range)?;
        self.memory.charge("keys", KNOWN)?;
        let known = Known { piece, start, count: numbers.len(), components: N, accessor };
        self.keys.entry(hash).or_insert(known);
        Ok(accessor)
    }

    /// Returns the view of keys, up to the end of the buffer, and the offset of `start` in it. A new view begins if
    /// other data was written since the last key.
    fn grown_key_view(&mut self, start: usize) -> Result<(usize, u64), ConvertError> {
        let end = self.buffer.len();
        if let Some(index) = self.key_view
            && let Some(view) = self.tables.views.get_mut(index)
            && view.offset.saturating_add(view.length) == start as u64
        {
            view.length = (end as u64).saturating_sub(view.offset);
            return Ok((index, (start as u64).saturating_sub(view.offset)));
        }
        let index = self.view_from(start, None)?;
        self.key_view = Some(index);
        Ok((index, 0))
    }

    /// Writes four bytes per vertex; normalised ones are fractions of 255.
    pub(crate) fn bytes4(
        &mut self,
        what: &'static str,
        items: Cow<'s, [[u8; 4]]>,
        normalized: bool,
    ) -> Result<usize, ConvertError> {
        let count = items.len();
        let view = self.view(what, Piece::Bytes(flat(items)), Some(Target::Vertices))?;
        self.vec4((view, count), ComponentType::U8, normalized)
    }

    /// Writes four 16-bit numbers per vertex; normalised ones are fractions of 65535.
    pub(crate) fn words4(
        &mut self,
        what: &'static str,
        items: Vec<[u16; 4]>,
        normalized: bool,
    ) -> Result<usize, ConvertError> {
        let count = items.len();
        let view = self.view(what, Piece::Words(flat(items.into())), Some(Target::Vertices))?;
        self.vec4((view, count), ComponentType::U16, normalized)
    }

    fn vec4(
        &mut self,
        (view, count): (usize, usize),
        component: ComponentType,
        normalized: bool,
    ) -> Result<usize, ConvertError> {
        let mut accessor = Accessor::new((view, 0), count, component, ElementType::Vec4);
        accessor.normalized = normalized;
        self.accessor(accessor)
    }

    /// Writes corners of triangles, in 16 bits if the number of vertices allows it; 65535 is reserved.
    pub(crate) fn triangles(
        &mut self,
        triangles: Cow<'s, [[u32; 3]]>,
        vertices: usize,
    ) -> Result<usize, ConvertError> {
        let corners = flat(triangles);
        let count = corners.len();
        let (piece, component) = if vertices <= usize::from(u16::MAX) {
            (Piece::ShortIndices(corners), ComponentType::U16)
        } else {
            (Piece::Indices(corners), ComponentType::U32)
        };
        let view = self.view("indices", piece, Some(Target::Indices))?;
        self.accessor(Accessor::new((view, 0), count, component, ElementType::Scalar))
    }
}

const NOT_FINITE: &str = "a value is not finite";

/// Adds an object to a table, and returns its number.
pub(crate) fn add<T>(table: &mut Vec<T>, object: T) -> usize {
    table.push(object);
    table.len() - 1
}

/// Returns an empty vector with room for `count` items that were charged already.
pub(crate) fn room<T>(what: &'static str, count: usize) -> Result<Vec<T>, ConvertError> {
    let mut items = Vec::new();
    let wanted = (count as u64).saturating_mul(size_of::<T>() as u64);
    items.try_reserve_exact(count).map_err(|_| LimitExceeded::bytes(what, wanted, 0))?;
    Ok(items)
}

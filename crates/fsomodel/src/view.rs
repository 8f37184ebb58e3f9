//! Views that decode vertices and indices from the bytes of their chunks.

use crate::dialect::Dialect;
use alloc::vec::Vec;
use meshwright_core::F32;

/// One vertex.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Vertex {
    /// Position: right-handed, y up.
    pub position: [F32; 3],
    /// Texture coordinates; (0, 0) is the bottom left of the image. Only dialect [`Gl3`](Dialect::Gl3) has a
    /// third one, which is 0.
    pub uv: [F32; 3],
    /// Normal.
    pub normal: [F32; 3],
    /// Tangent.
    pub tangent: [F32; 3],
    /// Bitangent; zero in dialect [`Seed44`](Dialect::Seed44), which has none.
    pub bitangent: [F32; 3],
}

impl Vertex {
    /// Decodes a vertex of a dialect. The result is zero if there are too few bytes.
    pub fn from_bytes(bytes: &[u8], dialect: Dialect) -> Self {
        let words = bytes.as_chunks::<4>().0;
        let at = |i: usize| words.get(i).map_or(F32::default(), |w| F32::from_bits(u32::from_le_bytes(*w)));
        let three = |i: usize| [at(i), at(i.saturating_add(1)), at(i.saturating_add(2))];
        let (uv, next) = match dialect {
            Dialect::Gl3 => (three(3), 6_usize),
            Dialect::Seed44 | Dialect::Doc56 => ([at(3), at(4), F32::default()], 5),
        };
        let bitangent = match dialect {
            Dialect::Seed44 => [F32::default(); 3],
            Dialect::Doc56 | Dialect::Gl3 => three(next.saturating_add(6)),
        };
        Self {
            position: three(0),
            uv,
            normal: three(next),
            tangent: three(next.saturating_add(3)),
            bitangent,
        }
    }

    /// Returns the floats of the vertex in a dialect, in order.
    pub fn floats(&self, dialect: Dialect) -> impl Iterator<Item = F32> + use<> {
        let uv = if dialect == Dialect::Gl3 { 3 } else { 2 };
        let last = if dialect == Dialect::Seed44 { 0 } else { 3 };
        let parts =
            [(self.position, 3), (self.uv, uv), (self.normal, 3), (self.tangent, 3), (self.bitangent, last)];
        let mut floats = [F32::default(); 15];
        let mut slots = floats.iter_mut();
        for (values, count) in parts {
            values.into_iter().take(count).zip(&mut slots).for_each(|(value, slot)| *slot = value);
        }
        floats.into_iter().take(dialect.vertex_size() / 4)
    }
}

/// The vertices of a model.
#[derive(Clone, Copy, Debug)]
pub struct Vertices<'s> {
    bytes: &'s [u8],
    dialect: Dialect,
}

impl<'s> Vertices<'s> {
    pub(crate) const fn new(bytes: &'s [u8], dialect: Dialect) -> Self {
        Self { bytes, dialect }
    }

    /// Returns the number of vertices.
    pub const fn len(&self) -> usize {
        match self.bytes.len().checked_div(self.dialect.vertex_size()) {
            Some(n) => n,
            None => 0,
        }
    }

    /// Returns true if it is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a vertex.
    pub fn get(&self, index: usize) -> Option<Vertex> {
        let dialect = self.dialect;
        self.bytes.chunks_exact(dialect.vertex_size()).nth(index).map(|b| Vertex::from_bytes(b, dialect))
    }

    /// Returns all vertices, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Vertex> + Clone + use<'s> {
        let dialect = self.dialect;
        self.bytes.chunks_exact(dialect.vertex_size()).map(move |b| Vertex::from_bytes(b, dialect))
    }

    /// Returns the vertices from `start` to before `end`; empty if they do not exist.
    #[must_use]
    pub fn slice(&self, start: usize, end: usize) -> Self {
        let size = self.dialect.vertex_size();
        let range = start.checked_mul(size).zip(end.checked_mul(size));
        let bytes = range.and_then(|(a, b)| self.bytes.get(a..b)).unwrap_or_default();
        Self { bytes, dialect: self.dialect }
    }
}

/// The indices of a model, before any base is added.
#[derive(Clone, Copy, Debug)]
pub struct Indices<'s> {
    bytes: &'s [u8],
    wide: bool,
}

impl<'s> Indices<'s> {
    pub(crate) const fn new(bytes: &'s [u8], dialect: Dialect) -> Self {
        Self { bytes, wide: dialect.index_size() == 4 }
    }

    const fn size(&self) -> usize {
        if self.wide { 4 } else { 2 }
    }

    /// Returns the number of indices.
    pub const fn len(&self) -> usize {
        if self.wide { self.bytes.len() / 4 } else { self.bytes.len() / 2 }
    }

    /// Returns true if it is empty.
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns an index.
    pub fn get(&self, at: usize) -> Option<u32> {
        self.bytes.chunks_exact(self.size()).nth(at).map(index)
    }

    /// Returns all indices, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + Clone + use<'s> {
        self.bytes.chunks_exact(self.size()).map(index)
    }

    /// Returns the indices from `start` to before `end`; empty if they do not exist.
    #[must_use]
    pub fn slice(&self, start: usize, end: usize) -> Self {
        let range = start.checked_mul(self.size()).zip(end.checked_mul(self.size()));
        let bytes = range.and_then(|(a, b)| self.bytes.get(a..b)).unwrap_or_default();
        Self { bytes, wide: self.wide }
    }

    /// Returns the lowest and the highest index.
    pub fn extent(&self) -> Option<(u32, u32)> {
        if self.is_empty() {
            return None;
        }
        Some(extent(self.bytes, self.wide))
    }

    /// Returns the lowest and highest index of every `block` indices. The last block may be shorter.
    pub(crate) fn extents(&self, block: usize) -> Vec<(u32, u32)> {
        let mut all = Vec::with_capacity(self.len().div_ceil(block.max(1)));
        let whole = self.len().saturating_mul(self.size());
        extents(self.bytes.get(..whole).unwrap_or_default(), self.wide, block, &mut all);
        all
    }
}

meshwright_core::kernels! {
    /// Returns the lowest and highest of some indices.
    fn extent as extent_portable<'a>(bytes: &'a [u8], wide: bool) -> (u32, u32) {
        if wide {
            // Flipping the sign bit turns them into signed numbers in the same order. Every machine can
            // compare several of those at once.
            const SIGN: u32 = 1 << 31;
            let words = bytes.as_chunks::<4>().0.iter();
            let words = words.map(|b| (u32::from_le_bytes(*b) ^ SIGN).cast_signed());
            let (low, high) = words.fold((i32::MAX, i32::MIN), |(low, high), i| (low.min(i), high.max(i)));
            (low.cast_unsigned() ^ SIGN, high.cast_unsigned() ^ SIGN)
        } else {
            let words = bytes.as_chunks::<2>().0.iter().map(|b| u16::from_le_bytes(*b));
            let (low, high) = words.fold((u16::MAX, 0), |(low, high), i| (low.min(i), high.max(i)));
            (low.into(), high.into())
        }
    }

    /// Returns the lowest and highest index of each block.
    fn extents as extents_portable<'a>(bytes: &'a [u8], wide: bool, block: usize, out: &'a mut Vec<(u32, u32)>) -> () {
        for block in bytes.chunks(block.saturating_mul(if wide { 4 } else { 2 }).max(1)) {
            out.push(extent_portable(block, wide));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_find_the_same_extent() {
        let bytes: Vec<u8> = (0..2000_u32).flat_map(|i| i.wrapping_mul(0x9e37_79b9).to_le_bytes()).collect();
        for len in [2, 4, 6, 60, 64, 68, 1020, 1024, 8000] {
            for wide in [false, true] {
                let some = &bytes[4..][..len.min(bytes.len() - 4)];
                assert_eq!(extent(some, wide), extent_portable(some, wide));
            }
        }
    }
}

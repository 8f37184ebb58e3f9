//! Records that are the same in DPM and ZYM.

use meshwright_core::record::Field;

meshwright_core::record! {
    /// A name, padded with NUL.
    pub(crate) mod name: 32 {
        /// The bytes of the name. A name of 32 bytes has no NUL.
        TEXT = "name": 0, Text<32>;
    }
}

meshwright_core::record! {
    /// A bone's transform: three rows of four.
    pub(crate) mod matrix: 48 {
        /// Row by row; the fourth of each row is the translation.
        ROWS = "matrix": 0, [[f32; 4]; 3];
    }
}

meshwright_core::record! {
    /// The texture coordinates of a vertex.
    pub(crate) mod texcoord: 8 {
        /// The first coordinate.
        U = "u": 0, f32;
        /// The second coordinate: from the top down in a DPM, from the bottom up in a ZYM.
        V = "v": 4, f32;
    }
}

meshwright_core::record! {
    /// A triangle's vertices.
    pub(crate) mod triangle: 12 {
        /// The first index.
        V0 = "v0": 0, u32;
        /// The second index.
        V1 = "v1": 4, u32;
        /// The third index.
        V2 = "v2": 8, u32;
    }
}

/// Size of a single number.
pub(crate) const WORD: usize = 4;

/// Returns the offset of item `index` in a table of items with `size` bytes.
pub(crate) const fn item(start: u64, index: usize, size: usize) -> u64 {
    start.saturating_add((index as u64).saturating_mul(size as u64))
}

/// Returns the size of `count` items with `size` bytes.
pub(crate) const fn length(count: usize, size: usize) -> u64 {
    item(0, count, size)
}

/// Returns a field of a record that is the field `outer` of another record.
pub(crate) const fn within(outer: Field, inner: Field) -> Field {
    Field { name: inner.name, offset: outer.offset.saturating_add(inner.offset), width: inner.width }
}

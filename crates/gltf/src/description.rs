//! The layout of a GLB.

use meshwright_core::description::{Description, Mark, Order, SizeField};
use meshwright_core::{record, structures};

record! {
    /// The header of a GLB.
    pub(crate) mod header: 12 {
        /// `glTF`.
        MAGIC = "magic": 0, Text<4>;
        /// Always 2.
        VERSION = "version": 4, u32;
        /// The size of the file in bytes.
        LENGTH = "length": 8, u32;
    }
}

record! {
    /// The header of a chunk.
    pub(crate) mod chunk: 8 {
        /// The size of the chunk's data in bytes.
        LENGTH = "length": 0, u32;
        /// `JSON` for the document, `BIN` for the first buffer.
        KIND = "type": 4, Text<4>;
    }
}

structures! {
    const FILE = {
        /// A GLB.
        file {
            header: header;
            chunks: chunk_data [..];
        }
        /// A chunk and its data.
        chunk_data {
            chunk: chunk;
            data: bytes [chunk.length];
        }
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    order: Order::Little,
    floats: Order::Little,
    marks: &[Mark { at: header::MAGIC.offset, bytes: b"glTF" }],
    records: &[header::TABLE, chunk::TABLE],
    words: &[],
    structures: &[FILE],
    views: &[],
    sizes: &[SizeField::of_file("header.length")],
};

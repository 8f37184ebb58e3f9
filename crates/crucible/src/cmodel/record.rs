//! The records of a container.

use crate::chunk::record::{
    CHUNK, CHUNK_SIZES, CHUNK_VIEWS, bone_weight, bone_weight_32, chunk_header, stream_count, stream_header,
};
use meshwright_core::description::{Description, Mark, Order};
use meshwright_core::{record, structures};

/// The magic of a `.cmodel` file.
pub(crate) const MAGIC: &[u8; 7] = b"cmodel\n";

record! {
    /// The start of a container.
    pub(crate) mod model_header: 11 {
        /// `cmodel` and a line feed.
        MAGIC = "magic": 0, Text<7>;
        /// The number of chunks that follow.
        MESH_COUNT = "mesh_count": 7, u32;
    }
}

record! {
    /// The fields before each chunk.
    pub(crate) mod mesh_header: 8 {
        /// The size in bytes of the chunk that follows.
        LENGTH = "length": 0, u64;
    }
}

structures! {
    const FILE = {
        /// A container of chunks.
        file {
            header: model_header;
            meshes: mesh [header.mesh_count];
        }
        /// A chunk with its length.
        mesh {
            header: mesh_header;
            chunk: chunk in (header.length);
        }
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    order: Order::Little,
    floats: Order::Little,
    marks: &[Mark { at: model_header::MAGIC.offset, bytes: MAGIC }],
    records: &[
        model_header::TABLE,
        mesh_header::TABLE,
        chunk_header::TABLE,
        stream_count::TABLE,
        stream_header::TABLE,
        bone_weight::TABLE,
        bone_weight_32::TABLE,
    ],
    words: &[],
    structures: &[FILE, CHUNK],
    views: CHUNK_VIEWS,
    sizes: CHUNK_SIZES,
};

//! The records of a container.

use meshwright_core::record;

/// The magic of a `.cmodel` file.
pub(crate) const MAGIC: &[u8; 7] = b"cmodel\n";

record! {
    /// The start of a container.
    pub(crate) mod model_header: 11 {
        /// `cmodel` and a line feed.
        MAGIC = "magic": 0, 7;
        /// `u32`, the number of chunks that follow.
        MESH_COUNT = "mesh_count": 7, 4;
    }
}

record! {
    /// The fields before each chunk.
    pub(crate) mod mesh_header: 8 {
        /// `u64`, the size in bytes of the chunk that follows.
        LENGTH = "length": 0, 8;
    }
}

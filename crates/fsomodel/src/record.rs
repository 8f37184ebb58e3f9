//! Records of fixed size.

meshwright_core::record! {
    /// The header of a file.
    pub(crate) mod header: 12 {
        /// `FSOMODEL`, without NUL.
        MAGIC = "magic": 0, 8;
        /// `u32`, always 1.
        VERSION = "version": 8, 4;
    }
}

meshwright_core::record! {
    /// The header of a chunk.
    pub(crate) mod chunk: 12 {
        /// Four bytes: `VDAT`, `INDX` or `MESH`. Other chunks are skipped and kept.
        ID = "id": 0, 4;
        /// `u64`, the size of the payload in bytes.
        LENGTH = "length": 4, 8;
    }
}

meshwright_core::record! {
    /// An entry of the MESH chunk.
    pub(crate) mod mesh: 24 {
        /// `u64`, the start of the mesh's indices in INDX, in bytes.
        OFFSET = "offset": 0, 8;
        /// `u32`, the number of indices.
        COUNT = "count": 8, 4;
        /// `u32`, added to each index.
        BASE_INDEX = "base_index": 12, 4;
        /// `u32`, the lowest index of the mesh, before `base_index` is added.
        MIN_INDEX = "min_index": 16, 4;
        /// `u32`, the highest index of the mesh, before `base_index` is added.
        MAX_INDEX = "max_index": 20, 4;
    }
}

meshwright_core::record! {
    /// A vertex of the description's dialect.
    pub(crate) mod vertex_44: 44 {
        /// `f32[3]`.
        POSITION = "position": 0, 12;
        /// `f32[2]`; (0, 0) is the bottom left of the image.
        UV = "uv": 12, 8;
        /// `f32[3]`.
        NORMAL = "normal": 20, 12;
        /// `f32[3]`.
        TANGENT = "tangent": 32, 12;
    }
}

meshwright_core::record! {
    /// A vertex of the revised description's dialect.
    pub(crate) mod vertex_56: 56 {
        /// `f32[3]`.
        POSITION = "position": 0, 12;
        /// `f32[2]`; (0, 0) is the bottom left of the image.
        UV = "uv": 12, 8;
        /// `f32[3]`.
        NORMAL = "normal": 20, 12;
        /// `f32[3]`.
        TANGENT = "tangent": 32, 12;
        /// `f32[3]`.
        BITANGENT = "bitangent": 44, 12;
    }
}

meshwright_core::record! {
    /// A vertex of the implementation's dialect.
    pub(crate) mod vertex_60: 60 {
        /// `f32[3]`.
        POSITION = "position": 0, 12;
        /// `f32[3]`; the third coordinate is 0.
        UV = "uv": 12, 12;
        /// `f32[3]`.
        NORMAL = "normal": 24, 12;
        /// `f32[3]`.
        TANGENT = "tangent": 36, 12;
        /// `f32[3]`.
        BITANGENT = "bitangent": 48, 12;
    }
}

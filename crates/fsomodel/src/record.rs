//! Records of fixed size.

meshwright_core::record! {
    /// The header of a file.
    pub(crate) mod header: 12 {
        /// `FSOMODEL`, no NUL.
        MAGIC = "magic": 0, 8;
        /// `u32`, 1.
        VERSION = "version": 8, 4;
    }
}

meshwright_core::record! {
    /// The header of a chunk.
    pub(crate) mod chunk: 12 {
        /// Four bytes: `VDAT`, `INDX`, `MESH`; others are passed over and kept.
        ID = "id": 0, 4;
        /// `u64`, bytes of what follows.
        LENGTH = "length": 4, 8;
    }
}

meshwright_core::record! {
    /// An entry of the MESH chunk.
    pub(crate) mod mesh: 24 {
        /// `u64`, where the indices start in INDX, in bytes.
        OFFSET = "offset": 0, 8;
        /// `u32`, how many indices.
        COUNT = "count": 8, 4;
        /// `u32`, added to each index.
        BASE_INDEX = "base_index": 12, 4;
        /// `u32`, the least index of the range, before `base_index` is added.
        MIN_INDEX = "min_index": 16, 4;
        /// `u32`, the greatest.
        MAX_INDEX = "max_index": 20, 4;
    }
}

meshwright_core::record! {
    /// A vertex of the description.
    pub(crate) mod vertex_44: 44 {
        /// `f32[3]`.
        POSITION = "position": 0, 12;
        /// `f32[2]`, from the bottom left.
        UV = "uv": 12, 8;
        /// `f32[3]`.
        NORMAL = "normal": 20, 12;
        /// `f32[3]`.
        TANGENT = "tangent": 32, 12;
    }
}

meshwright_core::record! {
    /// A vertex of the description's revision.
    pub(crate) mod vertex_56: 56 {
        /// `f32[3]`.
        POSITION = "position": 0, 12;
        /// `f32[2]`, from the bottom left.
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
    /// A vertex of the implementation.
    pub(crate) mod vertex_60: 60 {
        /// `f32[3]`.
        POSITION = "position": 0, 12;
        /// `f32[3]`, the third is 0.
        UV = "uv": 12, 12;
        /// `f32[3]`.
        NORMAL = "normal": 24, 12;
        /// `f32[3]`.
        TANGENT = "tangent": 36, 12;
        /// `f32[3]`.
        BITANGENT = "bitangent": 48, 12;
    }
}

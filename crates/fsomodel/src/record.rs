//! Records of fixed size.

meshwright_core::record! {
    /// The header of a file.
    pub(crate) mod header: 12 {
        /// `FSOMODEL`, without NUL.
        MAGIC = "magic": 0, Text<8>;
        /// Always 1.
        VERSION = "version": 8, u32;
    }
}

meshwright_core::record! {
    /// The header of a chunk.
    pub(crate) mod chunk: 12 {
        /// Four bytes: `VDAT`, `INDX` or `MESH`. Other chunks are skipped and kept.
        ID = "id": 0, Text<4>;
        /// The size of the payload in bytes.
        LENGTH = "length": 4, u64;
    }
}

meshwright_core::record! {
    /// An entry of the MESH chunk.
    pub(crate) mod mesh: 24 {
        /// The start of the mesh's indices in INDX, in bytes.
        OFFSET = "offset": 0, u64;
        /// The number of indices.
        COUNT = "count": 8, u32;
        /// Added to each index.
        BASE_INDEX = "base_index": 12, u32;
        /// The lowest index of the mesh, before `base_index` is added.
        MIN_INDEX = "min_index": 16, u32;
        /// The highest index of the mesh, before `base_index` is added.
        MAX_INDEX = "max_index": 20, u32;
    }
}

meshwright_core::record! {
    /// A vertex of the description's dialect.
    pub(crate) mod vertex_44: 44 {
        POSITION = "position": 0, [f32; 3];
        /// (0, 0) is the bottom left of the image.
        UV = "uv": 12, [f32; 2];
        NORMAL = "normal": 20, [f32; 3];
        TANGENT = "tangent": 32, [f32; 3];
    }
}

meshwright_core::record! {
    /// A vertex of the revised description's dialect.
    pub(crate) mod vertex_56: 56 {
        POSITION = "position": 0, [f32; 3];
        /// (0, 0) is the bottom left of the image.
        UV = "uv": 12, [f32; 2];
        NORMAL = "normal": 20, [f32; 3];
        TANGENT = "tangent": 32, [f32; 3];
        BITANGENT = "bitangent": 44, [f32; 3];
    }
}

meshwright_core::record! {
    /// A vertex of the implementation's dialect.
    pub(crate) mod vertex_60: 60 {
        POSITION = "position": 0, [f32; 3];
        /// The third coordinate is 0.
        UV = "uv": 12, [f32; 3];
        NORMAL = "normal": 24, [f32; 3];
        TANGENT = "tangent": 36, [f32; 3];
        BITANGENT = "bitangent": 48, [f32; 3];
    }
}

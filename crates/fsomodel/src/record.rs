//! Records of fixed size.

meshwright_core::record! {
    /// What a file starts with.
    pub(crate) mod header: 12 {
        MAGIC = "magic": 0, 8;
        VERSION = "version": 8, 4;
    }
}

meshwright_core::record! {
    /// What a chunk starts with.
    pub(crate) mod chunk: 12 {
        ID = "id": 0, 4;
        LENGTH = "length": 4, 8;
    }
}

meshwright_core::record! {
    /// An entry of the MESH chunk.
    pub(crate) mod mesh: 24 {
        OFFSET = "offset": 0, 8;
        COUNT = "count": 8, 4;
        BASE_INDEX = "base_index": 12, 4;
        MIN_INDEX = "min_index": 16, 4;
        MAX_INDEX = "max_index": 20, 4;
    }
}

meshwright_core::record! {
    /// A vertex of the description.
    pub(crate) mod vertex_44: 44 {
        POSITION = "position": 0, 12;
        UV = "uv": 12, 8;
        NORMAL = "normal": 20, 12;
        TANGENT = "tangent": 32, 12;
    }
}

meshwright_core::record! {
    /// A vertex of the description's revision.
    pub(crate) mod vertex_56: 56 {
        POSITION = "position": 0, 12;
        UV = "uv": 12, 8;
        NORMAL = "normal": 20, 12;
        TANGENT = "tangent": 32, 12;
        BITANGENT = "bitangent": 44, 12;
    }
}

meshwright_core::record! {
    /// A vertex of the implementation.
    pub(crate) mod vertex_60: 60 {
        POSITION = "position": 0, 12;
        UV = "uv": 12, 12;
        NORMAL = "normal": 24, 12;
        TANGENT = "tangent": 36, 12;
        BITANGENT = "bitangent": 48, 12;
    }
}

//! Records of a DPM file.

meshwright_core::record! {
    /// The header of a file.
    pub(crate) mod header: 80 {
        /// `DARKPLACESMODEL` and NUL.
        ID = "id": 0, 16;
        /// `u32`, 2.
        TYPE = "type": 16, 4;
        /// `u32`, bytes of the file.
        FILESIZE = "filesize": 20, 4;
        /// Bounds of all frames.
        BOUNDS = "bounds": 24, 32;
        /// `u32`, at least 1.
        NUM_BONES = "num_bones": 56, 4;
        /// `u32`, at least 1.
        NUM_MESHES = "num_meshs": 60, 4;
        /// `u32`, at least 1.
        NUM_FRAMES = "num_frames": 64, 4;
        /// `u32`, where the bones are.
        OFS_BONES = "ofs_bones": 68, 4;
        /// `u32`, where the meshes are.
        OFS_MESHES = "ofs_meshs": 72, 4;
        /// `u32`, where the frames are.
        OFS_FRAMES = "ofs_frames": 76, 4;
    }
}

meshwright_core::record! {
    /// The bounds of a file or a frame.
    pub(crate) mod bounds: 32 {
        /// `f32[3]`.
        MINS = "mins": 0, 12;
        /// `f32[3]`.
        MAXS = "maxs": 12, 12;
        /// `f32`, of a cylinder around the z axis.
        YAWRADIUS = "yawradius": 24, 4;
        /// `f32`, of a sphere around the origin.
        ALLRADIUS = "allradius": 28, 4;
    }
}

meshwright_core::record! {
    /// A bone.
    pub(crate) mod bone: 40 {
        /// Padded with NUL.
        NAME = "name": 0, 32;
        /// `i32`, the number of a bone before this one, -1 for none.
        PARENT = "parent": 32, 4;
        /// `u32`, bit 0 for an attachment that tools must not remove.
        FLAGS = "flags": 36, 4;
    }
}

meshwright_core::record! {
    /// The offsets of a mesh's sections.
    pub(crate) mod mesh: 56 {
        /// The material; skins know the mesh by it.
        SHADER = "shadername": 0, 32;
        /// `u32`.
        NUM_VERTS = "num_verts": 32, 4;
        /// `u32`.
        NUM_TRIS = "num_tris": 36, 4;
        /// `u32`, where the vertices are.
        OFS_VERTS = "ofs_verts": 40, 4;
        /// `u32`, where `num_verts` texture coordinates are.
        OFS_TEXCOORDS = "ofs_texcoords": 44, 4;
        /// `u32`, where `num_tris` triangles are; their indices count from the mesh's first vertex.
        OFS_INDICES = "ofs_indices": 48, 4;
        /// `u32`, where `num_tris` numbers for the game's code are.
        OFS_GROUPIDS = "ofs_groupids": 52, 4;
    }
}

meshwright_core::record! {
    /// The header of a vertex; its influences follow.
    pub(crate) mod vertex: 4 {
        /// `u32`, how many influences follow, at least 1.
        NUM_BONES = "numbones": 0, 4;
    }
}

meshwright_core::record! {
    /// One bone's part in a vertex.
    pub(crate) mod influence: 32 {
        /// `f32[3]`, the position in the bone's space times the influence.
        ORIGIN = "origin": 0, 12;
        /// `f32`; those of a vertex sum to 1.
        INFLUENCE = "influence": 12, 4;
        /// `f32[3]`, the normal in the bone's space times the influence.
        NORMAL = "normal": 16, 12;
        /// `u32`, the bone.
        BONE = "bonenum": 28, 4;
    }
}

meshwright_core::record! {
    /// The offset of a frame's pose.
    pub(crate) mod frame: 68 {
        /// Padded with NUL.
        NAME = "name": 0, 32;
        /// Bounds of the frame.
        BOUNDS = "bounds": 32, 32;
        /// `u32`, where a matrix for each bone is.
        OFS_POSE = "ofs_bonepositions": 64, 4;
    }
}

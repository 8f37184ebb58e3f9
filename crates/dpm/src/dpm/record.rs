//! Records of a DPM file.

meshwright_core::record! {
    /// The header of a file.
    pub(crate) mod header: 80 {
        /// `DARKPLACESMODEL` and NUL.
        ID = "id": 0, Text<16>;
        /// Always 2.
        TYPE = "type": 16, u32;
        /// The size of the file in bytes.
        FILESIZE = "filesize": 20, u32;
        /// Bounds of all frames.
        BOUNDS = "bounds": 24, super::bounds::Whole;
        /// The number of bones, at least 1.
        NUM_BONES = "num_bones": 56, u32;
        /// The number of meshes, at least 1.
        NUM_MESHES = "num_meshs": 60, u32;
        /// The number of frames, at least 1.
        NUM_FRAMES = "num_frames": 64, u32;
        /// The offset of the bones.
        OFS_BONES = "ofs_bones": 68, u32;
        /// The offset of the meshes.
        OFS_MESHES = "ofs_meshs": 72, u32;
        /// The offset of the frames.
        OFS_FRAMES = "ofs_frames": 76, u32;
    }
}

meshwright_core::record! {
    /// The bounds of a file or a frame.
    pub(crate) mod bounds: 32 {
        /// The minimum coordinates.
        MINS = "mins": 0, [f32; 3];
        /// The maximum coordinates.
        MAXS = "maxs": 12, [f32; 3];
        /// The radius of a cylinder around the z axis.
        YAWRADIUS = "yawradius": 24, f32;
        /// The radius of a sphere around the origin.
        ALLRADIUS = "allradius": 28, f32;
    }
}

meshwright_core::record! {
    /// A bone.
    pub(crate) mod bone: 40 {
        /// The name, padded with NUL.
        NAME = "name": 0, Text<32>;
        /// The number of an earlier bone; -1 for none.
        PARENT = "parent": 32, i32;
        /// Bit 0 is set for an attachment, which tools must not remove.
        FLAGS = "flags": 36, u32;
    }
}

meshwright_core::record! {
    /// A mesh: its shader, its counts, and the offsets of its sections.
    pub(crate) mod mesh: 56 {
        /// The shader, which is also the name of the mesh.
        SHADER = "shadername": 0, Text<32>;
        /// The number of vertices.
        NUM_VERTS = "num_verts": 32, u32;
        /// The number of triangles.
        NUM_TRIS = "num_tris": 36, u32;
        /// The offset of the vertices.
        OFS_VERTS = "ofs_verts": 40, u32;
        /// The offset of `num_verts` texture coordinates.
        OFS_TEXCOORDS = "ofs_texcoords": 44, u32;
        /// The offset of `num_tris` triangles. Their indices refer to the mesh's own vertices.
        OFS_INDICES = "ofs_indices": 48, u32;
        /// The offset of `num_tris` numbers for game code.
        OFS_GROUPIDS = "ofs_groupids": 52, u32;
    }
}

meshwright_core::record! {
    /// The header of a vertex; its influences follow.
    pub(crate) mod vertex: 4 {
        /// The number of influences that follow, at least 1.
        NUM_BONES = "numbones": 0, u32;
    }
}

meshwright_core::record! {
    /// The influence of one bone on a vertex.
    pub(crate) mod influence: 32 {
        /// The position in the bone's space times the influence.
        ORIGIN = "origin": 0, [f32; 3];
        /// The weight. The weights of a vertex sum to 1.
        INFLUENCE = "influence": 12, f32;
        /// The normal in the bone's space times the influence.
        NORMAL = "normal": 16, [f32; 3];
        /// The number of the bone.
        BONE = "bonenum": 28, u32;
    }
}

meshwright_core::record! {
    /// A frame: its name, bounds, and the offset of its pose.
    pub(crate) mod frame: 68 {
        /// The name, padded with NUL.
        NAME = "name": 0, Text<32>;
        /// Bounds of the frame.
        BOUNDS = "bounds": 32, super::bounds::Whole;
        /// The offset of the pose, a matrix for each bone.
        OFS_POSE = "ofs_bonepositions": 64, u32;
    }
}

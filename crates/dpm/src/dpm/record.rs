//! Records of a DPM file.

meshwright_core::record! {
    /// What a file starts with.
    pub(crate) mod header: 80 {
        ID = "id": 0, 16;
        TYPE = "type": 16, 4;
        FILESIZE = "filesize": 20, 4;
        BOUNDS = "bounds": 24, 32;
        NUM_BONES = "num_bones": 56, 4;
        NUM_MESHES = "num_meshs": 60, 4;
        NUM_FRAMES = "num_frames": 64, 4;
        OFS_BONES = "ofs_bones": 68, 4;
        OFS_MESHES = "ofs_meshs": 72, 4;
        OFS_FRAMES = "ofs_frames": 76, 4;
    }
}

meshwright_core::record! {
    /// The bounds of a file or a frame.
    pub(crate) mod bounds: 32 {
        MINS = "mins": 0, 12;
        MAXS = "maxs": 12, 12;
        YAWRADIUS = "yawradius": 24, 4;
        ALLRADIUS = "allradius": 28, 4;
    }
}

meshwright_core::record! {
    /// A bone.
    pub(crate) mod bone: 40 {
        NAME = "name": 0, 32;
        PARENT = "parent": 32, 4;
        FLAGS = "flags": 36, 4;
    }
}

meshwright_core::record! {
    /// What says where a mesh's sections are.
    pub(crate) mod mesh: 56 {
        SHADER = "shadername": 0, 32;
        NUM_VERTS = "num_verts": 32, 4;
        NUM_TRIS = "num_tris": 36, 4;
        OFS_VERTS = "ofs_verts": 40, 4;
        OFS_TEXCOORDS = "ofs_texcoords": 44, 4;
        OFS_INDICES = "ofs_indices": 48, 4;
        OFS_GROUPIDS = "ofs_groupids": 52, 4;
    }
}

meshwright_core::record! {
    /// What a vertex starts with; its influences follow.
    pub(crate) mod vertex: 4 {
        NUM_BONES = "numbones": 0, 4;
    }
}

meshwright_core::record! {
    /// One bone's part in a vertex.
    pub(crate) mod influence: 32 {
        ORIGIN = "origin": 0, 12;
        INFLUENCE = "influence": 12, 4;
        NORMAL = "normal": 16, 12;
        BONE = "bonenum": 28, 4;
    }
}

meshwright_core::record! {
    /// What says where a frame's pose is.
    pub(crate) mod frame: 68 {
        NAME = "name": 0, 32;
        BOUNDS = "bounds": 32, 32;
        OFS_POSE = "ofs_bonepositions": 64, 4;
    }
}

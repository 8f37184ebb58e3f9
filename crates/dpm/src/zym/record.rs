//! Records of a ZYM file.

use meshwright_core::record::Field;

meshwright_core::record! {
    /// What a file starts with.
    pub(crate) mod header: 140 {
        ID = "id": 0, 12;
        TYPE = "type": 12, 4;
        FILESIZE = "filesize": 16, 4;
        BOUNDS = "bounds": 20, 28;
        NUM_VERTS = "numverts": 48, 4;
        NUM_TRIS = "numtris": 52, 4;
        NUM_SHADERS = "numshaders": 56, 4;
        NUM_BONES = "numbones": 60, 4;
        NUM_SCENES = "numscenes": 64, 4;
        SCENES = "lump_scenes": 68, 8;
        POSES = "lump_poses": 76, 8;
        BONES = "lump_bones": 84, 8;
        COUNTS = "lump_vertbonecounts": 92, 8;
        VERTS = "lump_verts": 100, 8;
        TEXCOORDS = "lump_texcoords": 108, 8;
        RENDER = "lump_render": 116, 8;
        SHADERS = "lump_shaders": 124, 8;
        TRIZONE = "lump_trizone": 132, 8;
    }
}

/// The fields of the lumps in the order of the header, which is the order that lumps are usually written in.
pub(crate) const LUMPS: [Field; 9] = [
    header::SCENES,
    header::POSES,
    header::BONES,
    header::COUNTS,
    header::VERTS,
    header::TEXCOORDS,
    header::RENDER,
    header::SHADERS,
    header::TRIZONE,
];

meshwright_core::record! {
    /// Where a lump is.
    pub(crate) mod lump: 8 {
        START = "start": 0, 4;
        LENGTH = "length": 4, 4;
    }
}

meshwright_core::record! {
    /// The bounds of a file or a scene.
    pub(crate) mod bounds: 28 {
        MINS = "mins": 0, 12;
        MAXS = "maxs": 12, 12;
        RADIUS = "radius": 24, 4;
    }
}

meshwright_core::record! {
    /// A clip.
    pub(crate) mod scene: 76 {
        NAME = "name": 0, 32;
        BOUNDS = "bounds": 32, 28;
        FRAMERATE = "framerate": 60, 4;
        FLAGS = "flags": 64, 4;
        START = "start": 68, 4;
        LENGTH = "length": 72, 4;
    }
}

meshwright_core::record! {
    /// A bone.
    pub(crate) mod bone: 40 {
        NAME = "name": 0, 32;
        FLAGS = "flags": 32, 4;
        PARENT = "parent": 36, 4;
    }
}

meshwright_core::record! {
    /// A vertex, or one bone's part in it.
    pub(crate) mod vertex: 16 {
        BONE = "bonenum": 0, 4;
        ORIGIN = "origin": 4, 12;
    }
}

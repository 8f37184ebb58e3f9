//! Records of a ZYM file.

use meshwright_core::record::Field;

meshwright_core::record! {
    /// The header of a file.
    pub(crate) mod header: 140 {
        /// `ZYMOTICMODEL`, no NUL.
        ID = "id": 0, 12;
        /// `i32`, 1.
        TYPE = "type": 12, 4;
        /// `i32`, bytes of the file.
        FILESIZE = "filesize": 16, 4;
        /// Bounds of all scenes.
        BOUNDS = "bounds": 20, 28;
        /// `i32`.
        NUM_VERTS = "numverts": 48, 4;
        /// `i32`.
        NUM_TRIS = "numtris": 52, 4;
        /// `i32`.
        NUM_SHADERS = "numshaders": 56, 4;
        /// `i32`.
        NUM_BONES = "numbones": 60, 4;
        /// `i32`.
        NUM_SCENES = "numscenes": 64, 4;
        /// Lump: clips.
        SCENES = "lump_scenes": 68, 8;
        /// Lump: matrices of all bones, frame after frame.
        POSES = "lump_poses": 76, 8;
        /// Lump: bones.
        BONES = "lump_bones": 84, 8;
        /// Lump: for each vertex how many bones it has (`i32`), 1.
        COUNTS = "lump_vertbonecounts": 92, 8;
        /// Lump: vertices.
        VERTS = "lump_verts": 100, 8;
        /// Lump: texture coordinates.
        TEXCOORDS = "lump_texcoords": 108, 8;
        /// Lump: for each shader a count (`i32`) and so many triangles, whose indices count from the file's first vertex.
        RENDER = "lump_render": 116, 8;
        /// Lump: names of 32 bytes.
        SHADERS = "lump_shaders": 124, 8;
        /// Lump: a byte for each triangle.
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
    /// The location of a lump.
    pub(crate) mod lump: 8 {
        /// `i32`, where it is.
        START = "start": 0, 4;
        /// `i32`, its bytes.
        LENGTH = "length": 4, 4;
    }
}

meshwright_core::record! {
    /// The bounds of a file or a scene.
    pub(crate) mod bounds: 28 {
        /// `f32[3]`.
        MINS = "mins": 0, 12;
        /// `f32[3]`.
        MAXS = "maxs": 12, 12;
        /// `f32`, the square of the radius.
        RADIUS = "radius": 24, 4;
    }
}

meshwright_core::record! {
    /// A clip.
    pub(crate) mod scene: 76 {
        /// Padded with NUL.
        NAME = "name": 0, 32;
        /// Bounds of the clip.
        BOUNDS = "bounds": 32, 28;
        /// `f32`, frames per second.
        FRAMERATE = "framerate": 60, 4;
        /// `u32`, bit 0 for no loop.
        FLAGS = "flags": 64, 4;
        /// `i32`, the first pose.
        START = "start": 68, 4;
        /// `i32`, how many poses.
        LENGTH = "length": 72, 4;
    }
}

meshwright_core::record! {
    /// A bone.
    pub(crate) mod bone: 40 {
        /// Padded with NUL.
        NAME = "name": 0, 32;
        /// `u32`, bit 0 for an attachment. In a DPM the parent comes first.
        FLAGS = "flags": 32, 4;
        /// `i32`, the number of a bone before this one, -1 for none.
        PARENT = "parent": 36, 4;
    }
}

meshwright_core::record! {
    /// A vertex, or one bone's part in it.
    pub(crate) mod vertex: 16 {
        /// `i32`, the bone.
        BONE = "bonenum": 0, 4;
        /// `f32[3]`, the position in the bone's space.
        ORIGIN = "origin": 4, 12;
    }
}

//! Records of a ZYM file.

use meshwright_core::record::Field;

meshwright_core::record! {
    /// The header of a file.
    pub(crate) mod header: 140 {
        /// `ZYMOTICMODEL`, without NUL.
        ID = "id": 0, Text<12>;
        /// Always 1.
        TYPE = "type": 12, i32;
        /// The size of the file in bytes.
        FILESIZE = "filesize": 16, i32;
        /// Bounds of all scenes.
        BOUNDS = "bounds": 20, super::bounds::Whole;
        /// The number of vertices.
        NUM_VERTS = "numverts": 48, i32;
        /// The number of triangles.
        NUM_TRIS = "numtris": 52, i32;
        /// The number of shaders.
        NUM_SHADERS = "numshaders": 56, i32;
        /// The number of bones.
        NUM_BONES = "numbones": 60, i32;
        /// The number of scenes (clips).
        NUM_SCENES = "numscenes": 64, i32;
        /// The lump of scenes (clips).
        SCENES = "lump_scenes": 68, super::lump::Whole;
        /// The lump of poses: the matrices of all bones, frame by frame.
        POSES = "lump_poses": 76, super::lump::Whole;
        /// The lump of bones.
        BONES = "lump_bones": 84, super::lump::Whole;
        /// The lump with the number of bones of each vertex (`i32`), always 1.
        COUNTS = "lump_vertbonecounts": 92, super::lump::Whole;
        /// The lump of vertices.
        VERTS = "lump_verts": 100, super::lump::Whole;
        /// The lump of texture coordinates.
        TEXCOORDS = "lump_texcoords": 108, super::lump::Whole;
        /// The lump of triangles: for each shader their number (`i32`) and the triangles, whose indices
        /// refer to the vertices of the file.
        RENDER = "lump_render": 116, super::lump::Whole;
        /// The lump of shader names, 32 bytes each.
        SHADERS = "lump_shaders": 124, super::lump::Whole;
        /// The lump with a byte for each triangle.
        TRIZONE = "lump_trizone": 132, super::lump::Whole;
    }
}

/// The lump fields in the order of the header. Lumps are usually written in this order.
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
        /// The offset of the lump.
        START = "start": 0, i32;
        /// The size of the lump in bytes.
        LENGTH = "length": 4, i32;
    }
}

meshwright_core::record! {
    /// The bounds of a file or a scene.
    pub(crate) mod bounds: 28 {
        /// The minimum coordinates.
        MINS = "mins": 0, [f32; 3];
        /// The maximum coordinates.
        MAXS = "maxs": 12, [f32; 3];
        /// The square of the radius.
        RADIUS = "radius": 24, f32;
    }
}

meshwright_core::record! {
    /// A clip.
    pub(crate) mod scene: 76 {
        /// The name, padded with NUL.
        NAME = "name": 0, Text<32>;
        /// Bounds of the clip.
        BOUNDS = "bounds": 32, super::bounds::Whole;
        /// Frames per second.
        FRAMERATE = "framerate": 60, f32;
        /// Bit 0 is set for a clip that does not loop.
        FLAGS = "flags": 64, u32;
        /// The first pose.
        START = "start": 68, i32;
        /// The number of poses.
        LENGTH = "length": 72, i32;
    }
}

meshwright_core::record! {
    /// A bone.
    pub(crate) mod bone: 40 {
        /// The name, padded with NUL.
        NAME = "name": 0, Text<32>;
        /// Bit 0 is set for an attachment. A DPM has the parent before the flags.
        FLAGS = "flags": 32, u32;
        /// The number of an earlier bone; -1 for none.
        PARENT = "parent": 36, i32;
    }
}

meshwright_core::record! {
    /// The influence of one bone on a vertex.
    pub(crate) mod vertex: 16 {
        /// The number of the bone.
        BONE = "bonenum": 0, i32;
        /// The position in the bone's space.
        ORIGIN = "origin": 4, [f32; 3];
    }
}

//! Records of an IQM file.

use meshwright_core::record::Field;

meshwright_core::record! {
    /// The header of a file.
    pub(crate) mod header: 124 {
        /// `INTERQUAKEMODEL` and NUL.
        MAGIC = "magic": 0, 16;
        /// `u32`, 2, or 1 of the first weeks.
        VERSION = "version": 16, 4;
        /// `u32`, bytes of the file.
        FILESIZE = "filesize": 20, 4;
        /// `u32`, 0.
        FLAGS = "flags": 24, 4;
        /// `u32`, bytes of all strings.
        NUM_TEXT = "num_text": 28, 4;
        /// `u32`, where they are.
        OFS_TEXT = "ofs_text": 32, 4;
        /// `u32`.
        NUM_MESHES = "num_meshes": 36, 4;
        /// `u32`.
        OFS_MESHES = "ofs_meshes": 40, 4;
        /// `u32`.
        NUM_ARRAYS = "num_vertexarrays": 44, 4;
        /// `u32`, values in each array.
        NUM_VERTEXES = "num_vertexes": 48, 4;
        /// `u32`.
        OFS_ARRAYS = "ofs_vertexarrays": 52, 4;
        /// `u32`.
        NUM_TRIANGLES = "num_triangles": 56, 4;
        /// `u32`.
        OFS_TRIANGLES = "ofs_triangles": 60, 4;
        /// `u32`, where the neighbours of triangles are, 0 for none.
        OFS_ADJACENCY = "ofs_adjacency": 64, 4;
        /// `u32`.
        NUM_JOINTS = "num_joints": 68, 4;
        /// `u32`.
        OFS_JOINTS = "ofs_joints": 72, 4;
        /// `u32`, as many as joints.
        NUM_POSES = "num_poses": 76, 4;
        /// `u32`.
        OFS_POSES = "ofs_poses": 80, 4;
        /// `u32`.
        NUM_ANIMS = "num_anims": 84, 4;
        /// `u32`.
        OFS_ANIMS = "ofs_anims": 88, 4;
        /// `u32`, of all clips.
        NUM_FRAMES = "num_frames": 92, 4;
        /// `u32`, numbers in a frame.
        NUM_CHANNELS = "num_framechannels": 96, 4;
        /// `u32`, where `num_frames * num_framechannels` numbers of 16 bits are.
        OFS_FRAMES = "ofs_frames": 100, 4;
        /// `u32`, where a box for each frame is, 0 for none.
        OFS_BOUNDS = "ofs_bounds": 104, 4;
        /// `u32`, bytes of the comment.
        NUM_COMMENT = "num_comment": 108, 4;
        /// `u32`.
        OFS_COMMENT = "ofs_comment": 112, 4;
        /// `u32`.
        NUM_EXTENSIONS = "num_extensions": 116, 4;
        /// `u32`, the first of a list.
        OFS_EXTENSIONS = "ofs_extensions": 120, 4;
    }
}

meshwright_core::record! {
    /// A mesh: a range of the vertices and one of the triangles.
    pub(crate) mod mesh: 24 {
        /// `u32`, a string.
        NAME = "name": 0, 4;
        /// `u32`, a string.
        MATERIAL = "material": 4, 4;
        /// `u32`.
        FIRST_VERTEX = "first_vertex": 8, 4;
        /// `u32`.
        NUM_VERTEXES = "num_vertexes": 12, 4;
        /// `u32`.
        FIRST_TRIANGLE = "first_triangle": 16, 4;
        /// `u32`.
        NUM_TRIANGLES = "num_triangles": 20, 4;
    }
}

meshwright_core::record! {
    /// An array with a value for each vertex.
    pub(crate) mod array: 20 {
        /// `u32`, what it holds.
        TYPE = "type": 0, 4;
        /// `u32`, 0.
        FLAGS = "flags": 4, 4;
        /// `u32`, how its numbers are stored.
        FORMAT = "format": 8, 4;
        /// `u32`, numbers for each vertex.
        COMPONENTS = "size": 12, 4;
        /// `u32`, where it is.
        OFFSET = "offset": 16, 4;
    }
}

meshwright_core::record! {
    /// Three numbers of vertices, or of triangles.
    pub(crate) mod triangle: 12 {
        /// `u32`, counted from the file's first vertex.
        A = "v0": 0, 4;
        /// `u32`.
        B = "v1": 4, 4;
        /// `u32`.
        C = "v2": 8, 4;
    }
}

meshwright_core::record! {
    /// A joint.
    pub(crate) mod joint: 48 {
        /// `u32`, a string.
        NAME = "name": 0, 4;
        /// `i32`, a joint before this one, less than 0 for none.
        PARENT = "parent": 4, 4;
        /// `f32[3]`, relative to the parent.
        TRANSLATE = "translate": 8, 12;
        /// `f32[4]`, x y z w.
        ROTATE = "rotate": 20, 16;
        /// `f32[3]`.
        SCALE = "scale": 36, 12;
    }
}

meshwright_core::record! {
    /// A joint of version 1, whose rotation lacks its last component.
    pub(crate) mod joint_v1: 44 {
        /// `u32`, a string.
        NAME = "name": 0, 4;
        /// `i32`.
        PARENT = "parent": 4, 4;
        /// `f32[3]`.
        TRANSLATE = "translate": 8, 12;
        /// `f32[3]`, x y z; w is the negative root of what is missing to 1.
        ROTATE = "rotate": 20, 12;
        /// `f32[3]`.
        SCALE = "scale": 32, 12;
    }
}

meshwright_core::record! {
    /// The encoding of the channels of a joint in the frames.
    pub(crate) mod pose: 88 {
        /// `i32`, as that of the joint.
        PARENT = "parent": 0, 4;
        /// `u32`, which of the ten channels the frames hold.
        MASK = "channelmask": 4, 4;
        /// `f32[10]`, the value of a channel, or its least.
        OFFSET = "channeloffset": 8, 40;
        /// `f32[10]`, what a step of a channel is worth.
        SCALE = "channelscale": 48, 40;
    }
}

meshwright_core::record! {
    /// As a pose, of version 1.
    pub(crate) mod pose_v1: 80 {
        /// `i32`.
        PARENT = "parent": 0, 4;
        /// `u32`.
        MASK = "channelmask": 4, 4;
        /// `f32[9]`.
        OFFSET = "channeloffset": 8, 36;
        /// `f32[9]`.
        SCALE = "channelscale": 44, 36;
    }
}

meshwright_core::record! {
    /// A clip: a range of the frames.
    pub(crate) mod anim: 20 {
        /// `u32`, a string.
        NAME = "name": 0, 4;
        /// `u32`.
        FIRST_FRAME = "first_frame": 4, 4;
        /// `u32`.
        NUM_FRAMES = "num_frames": 8, 4;
        /// `f32`, frames per second.
        FRAMERATE = "framerate": 12, 4;
        /// `u32`, bit 0 for a loop.
        FLAGS = "flags": 16, 4;
    }
}

meshwright_core::record! {
    /// The bounds of a frame.
    pub(crate) mod bounds: 32 {
        /// `f32[3]`.
        MINS = "bbmins": 0, 12;
        /// `f32[3]`.
        MAXS = "bbmaxs": 12, 12;
        /// `f32`, of a cylinder around the z axis.
        XYRADIUS = "xyradius": 24, 4;
        /// `f32`, of a sphere.
        RADIUS = "radius": 28, 4;
    }
}

meshwright_core::record! {
    /// A node of the list of extensions.
    pub(crate) mod extension: 16 {
        /// `u32`, a string.
        NAME = "name": 0, 4;
        /// `u32`, bytes.
        NUM_DATA = "num_data": 4, 4;
        /// `u32`, where they are.
        OFS_DATA = "ofs_data": 8, 4;
        /// `u32`, where the next node is.
        NEXT = "ofs_extensions": 12, 4;
    }
}

/// A section of the header: its name, the field of its offset, and its alignment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(crate) offset: Field,
    pub(crate) align: u32,
}

/// Declares the sections of a file, numbered in the order in which the format's own tool writes them.
macro_rules! tables {
    ($($name:ident = $number:literal: $text:literal, $offset:ident, $align:literal;)+) => {
        $(pub(crate) const $name: usize = $number;)+
        /// All sections but the data of arrays and the nodes of extensions.
        pub(crate) const TABLES: [Table; 12] =
            [$(Table { name: $text, offset: header::$offset, align: $align }),+];
    };
}

tables! {
    TEXT = 0: "text", OFS_TEXT, 1;
    MESHES = 1: "meshes", OFS_MESHES, 4;
    ARRAYS = 2: "vertexarrays", OFS_ARRAYS, 4;
    TRIANGLES = 3: "triangles", OFS_TRIANGLES, 4;
    ADJACENCY = 4: "adjacency", OFS_ADJACENCY, 4;
    JOINTS = 5: "joints", OFS_JOINTS, 4;
    POSES = 6: "poses", OFS_POSES, 4;
    ANIMS = 7: "anims", OFS_ANIMS, 4;
    FRAMES = 8: "frames", OFS_FRAMES, 2;
    BOUNDS = 9: "bounds", OFS_BOUNDS, 4;
    COMMENT = 10: "comment", OFS_COMMENT, 1;
    EXTENSIONS = 11: "extensions", OFS_EXTENSIONS, 4;
}

/// The offset of item `i` of a table of items of `size` bytes.
pub(crate) const fn item(start: u64, i: usize, size: usize) -> u64 {
    start.saturating_add((i as u64).saturating_mul(size as u64))
}

/// The size of `count` items in bytes.
pub(crate) const fn length(count: usize, size: usize) -> u64 {
    (count as u64).saturating_mul(size as u64)
}

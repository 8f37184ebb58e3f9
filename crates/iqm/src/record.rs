//! Records of an IQM file.

use meshwright_core::record::Field;

meshwright_core::record! {
    /// The header of a file.
    pub(crate) mod header: 124 {
        /// `INTERQUAKEMODEL` and NUL.
        MAGIC = "magic": 0, Text<16>;
        /// 2; 1 in files from the format's first weeks.
        VERSION = "version": 16, u32;
        /// The size of the file in bytes.
        FILESIZE = "filesize": 20, u32;
        /// The flags; 0 in every known file.
        FLAGS = "flags": 24, u32;
        /// The size of all strings in bytes.
        NUM_TEXT = "num_text": 28, u32;
        /// The offset of the strings.
        OFS_TEXT = "ofs_text": 32, u32;
        /// The number of meshes.
        NUM_MESHES = "num_meshes": 36, u32;
        /// The offset of the meshes.
        OFS_MESHES = "ofs_meshes": 40, u32;
        /// The number of vertex arrays.
        NUM_ARRAYS = "num_vertexarrays": 44, u32;
        /// The number of vertices, which each array has a value for.
        NUM_VERTEXES = "num_vertexes": 48, u32;
        /// The offset of the vertex arrays.
        OFS_ARRAYS = "ofs_vertexarrays": 52, u32;
        /// The number of triangles.
        NUM_TRIANGLES = "num_triangles": 56, u32;
        /// The offset of the triangles.
        OFS_TRIANGLES = "ofs_triangles": 60, u32;
        /// The offset of the neighbours of triangles; 0 for none.
        OFS_ADJACENCY = "ofs_adjacency": 64, u32;
        /// The number of joints.
        NUM_JOINTS = "num_joints": 68, u32;
        /// The offset of the joints.
        OFS_JOINTS = "ofs_joints": 72, u32;
        /// The number of poses, equal to that of joints.
        NUM_POSES = "num_poses": 76, u32;
        /// The offset of the poses.
        OFS_POSES = "ofs_poses": 80, u32;
        /// The number of anims (clips).
        NUM_ANIMS = "num_anims": 84, u32;
        /// The offset of the anims.
        OFS_ANIMS = "ofs_anims": 88, u32;
        /// The number of frames of all clips together.
        NUM_FRAMES = "num_frames": 92, u32;
        /// The number of stored channels per frame.
        NUM_CHANNELS = "num_framechannels": 96, u32;
        /// The offset of `num_frames * num_framechannels` 16-bit numbers.
        OFS_FRAMES = "ofs_frames": 100, u32;
        /// The offset of the bounds of each frame; 0 for none.
        OFS_BOUNDS = "ofs_bounds": 104, u32;
        /// The size of the comment in bytes.
        NUM_COMMENT = "num_comment": 108, u32;
        /// The offset of the comment.
        OFS_COMMENT = "ofs_comment": 112, u32;
        /// The number of extensions.
        NUM_EXTENSIONS = "num_extensions": 116, u32;
        /// The offset of the first extension in a linked list.
        OFS_EXTENSIONS = "ofs_extensions": 120, u32;
    }
}

meshwright_core::record! {
    /// A mesh: a range of vertices and a range of triangles.
    pub(crate) mod mesh: 24 {
        /// The offset of the name in the text.
        NAME = "name": 0, u32;
        /// The offset of the material name in the text.
        MATERIAL = "material": 4, u32;
        /// The first vertex.
        FIRST_VERTEX = "first_vertex": 8, u32;
        /// The number of vertices.
        NUM_VERTEXES = "num_vertexes": 12, u32;
        /// The first triangle.
        FIRST_TRIANGLE = "first_triangle": 16, u32;
        /// The number of triangles.
        NUM_TRIANGLES = "num_triangles": 20, u32;
    }
}

meshwright_core::record! {
    /// An array with a value for each vertex.
    pub(crate) mod array: 20 {
        /// The meaning of the values.
        TYPE = "type": 0, u32;
        /// Flags, 0.
        FLAGS = "flags": 4, u32;
        /// The storage format of the numbers.
        FORMAT = "format": 8, u32;
        /// The number of components per vertex.
        COMPONENTS = "size": 12, u32;
        /// The offset of the data.
        OFFSET = "offset": 16, u32;
    }
}

meshwright_core::record! {
    /// Three indices of vertices, or of neighbouring triangles.
    pub(crate) mod triangle: 12 {
        /// The first index; vertices are counted in the whole file.
        A = "v0": 0, u32;
        /// The second index.
        B = "v1": 4, u32;
        /// The third index.
        C = "v2": 8, u32;
    }
}

meshwright_core::record! {
    /// A joint.
    pub(crate) mod joint: 48 {
        /// The offset of the name in the text.
        NAME = "name": 0, u32;
        /// The number of an earlier joint; negative for a root.
        PARENT = "parent": 4, i32;
        /// The translation relative to the parent.
        TRANSLATE = "translate": 8, [f32; 3];
        /// The rotation as a quaternion x, y, z, w.
        ROTATE = "rotate": 20, [f32; 4];
        /// The scale.
        SCALE = "scale": 36, [f32; 3];
    }
}

meshwright_core::record! {
    /// A joint of version 1, whose rotation lacks its last component.
    pub(crate) mod joint_v1: 44 {
        /// The offset of the name in the text.
        NAME = "name": 0, u32;
        /// The number of the parent joint.
        PARENT = "parent": 4, i32;
        TRANSLATE = "translate": 8, [f32; 3];
        /// The rotation as x, y, z. w is the negative root of 1 - x² - y² - z².
        ROTATE = "rotate": 20, [f32; 3];
        SCALE = "scale": 32, [f32; 3];
    }
}

meshwright_core::record! {
    /// The encoding of the channels of a joint in the frames.
    pub(crate) mod pose: 88 {
        /// The number of the parent joint, as in the joint itself.
        PARENT = "parent": 0, i32;
        /// A bit for each of the ten channels that the frames store.
        MASK = "channelmask": 4, u32;
        /// The value of each channel for the stored number 0.
        OFFSET = "channeloffset": 8, [f32; 10];
        /// The size of one step of each channel.
        SCALE = "channelscale": 48, [f32; 10];
    }
}

meshwright_core::record! {
    /// A pose of version 1, with nine channels.
    pub(crate) mod pose_v1: 80 {
        /// The number of the parent joint.
        PARENT = "parent": 0, i32;
        /// A bit for each channel that the frames store.
        MASK = "channelmask": 4, u32;
        /// The value of each channel for the stored number 0.
        OFFSET = "channeloffset": 8, [f32; 9];
        /// The size of one step of each channel.
        SCALE = "channelscale": 44, [f32; 9];
    }
}

meshwright_core::record! {
    /// A clip: a range of the frames.
    pub(crate) mod anim: 20 {
        /// The offset of the name in the text.
        NAME = "name": 0, u32;
        /// The first frame.
        FIRST_FRAME = "first_frame": 4, u32;
        /// The number of frames.
        NUM_FRAMES = "num_frames": 8, u32;
        /// Frames per second.
        FRAMERATE = "framerate": 12, f32;
        /// Bit 0 is set for a loop.
        FLAGS = "flags": 16, u32;
    }
}

meshwright_core::record! {
    /// The bounds of a frame.
    pub(crate) mod bounds: 32 {
        /// The minimum coordinates.
        MINS = "bbmins": 0, [f32; 3];
        /// The maximum coordinates.
        MAXS = "bbmaxs": 12, [f32; 3];
        /// The radius of a cylinder around the z axis.
        XYRADIUS = "xyradius": 24, f32;
        /// The radius of a sphere around the origin.
        RADIUS = "radius": 28, f32;
    }
}

meshwright_core::record! {
    /// A node in the linked list of extensions.
    pub(crate) mod extension: 16 {
        /// The offset of the name in the text.
        NAME = "name": 0, u32;
        /// The size of the data in bytes.
        NUM_DATA = "num_data": 4, u32;
        /// The offset of the data.
        OFS_DATA = "ofs_data": 8, u32;
        /// The offset of the next node.
        NEXT = "ofs_extensions": 12, u32;
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
        /// All sections except the data of arrays and the nodes of extensions.
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

/// Returns the offset of item `i` in a table of items with `size` bytes.
pub(crate) const fn item(start: u64, i: usize, size: usize) -> u64 {
    start.saturating_add((i as u64).saturating_mul(size as u64))
}

/// Returns the size of `count` items in bytes.
pub(crate) const fn length(count: usize, size: usize) -> u64 {
    (count as u64).saturating_mul(size as u64)
}

//! The records of a skeleton chunk.

use meshwright_core::description::{Description, Order, SizeField, View};
use meshwright_core::record::Field;
use meshwright_core::{record, structures};

record! {
    /// The start of a skeleton chunk, before its block.
    pub(crate) mod skeleton_header: 10 {
        /// The size in bytes of the block that follows.
        PACKED = "packed": 0, i32;
        /// The decoded size of the block in bytes.
        STATED = "size": 4, i32;
        /// The number of bones.
        BONE_COUNT = "bone_count": 8, u16;
    }
}

/// The size fields of the bones' block.
pub(crate) const BONES_BLOCK: [Field; 2] = [skeleton_header::PACKED, skeleton_header::STATED];

record! {
    /// A bone in the decoded block, before its children.
    pub(crate) mod bone_header: 46 {
        /// The bone's own number.
        INDEX = "index": 0, u16;
        /// Relative to the parent.
        POSITION = "position": 2, [f32; 3];
        /// X y z w as the engine writes it.
        ROTATION = "rotation": 14, [f32; 4];
        /// The scale per axis.
        SCALE = "scale": 30, [f32; 3];
        /// The parent's number; 0xFFFF for the root.
        PARENT = "parent": 42, u16;
        /// The number of children. Their numbers (`u16`) follow.
        CHILD_COUNT = "child_count": 44, u16;
    }
}

/// The size of a child's number in bytes.
pub(crate) const CHILD: usize = 2;

/// The parent number of the root.
pub(crate) const NO_PARENT: u16 = 0xffff;

structures! {
    const FILE = {
        /// A skeleton chunk. Its bones are an LZ4 block without a frame.
        file {
            header: skeleton_header;
            bones: bytes [header.packed];
        }
        /// A bone in the decoded block.
        bone {
            header: bone_header;
            children: u16 [header.child_count];
        }
    }
}

pub(crate) const DESCRIPTION: Description = Description {
    order: Order::Little,
    floats: Order::Little,
    marks: &[],
    records: &[skeleton_header::TABLE, bone_header::TABLE],
    words: &[],
    structures: &[FILE],
    views: &[View::new("file.bones", "bone").count("header.bone_count").packed()],
    sizes: &[SizeField::of_decoded("file", "header.size", "bones")],
};

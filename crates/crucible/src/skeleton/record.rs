//! The records of a skeleton chunk.

use meshwright_core::record;
use meshwright_core::record::Field;

record! {
    /// The start of a skeleton chunk, before its block.
    pub(crate) mod skeleton_header: 10 {
        PACKED = "packed": 0, 4;
        STATED = "size": 4, 4;
        BONE_COUNT = "bone_count": 8, 2;
    }
}

/// The sizes of the bones' block.
pub(crate) const BONES_BLOCK: [Field; 2] = [skeleton_header::PACKED, skeleton_header::STATED];

record! {
    /// A bone in the decoded block, before its children.
    pub(crate) mod bone_header: 46 {
        INDEX = "index": 0, 2;
        POSITION = "position": 2, 12;
        ROTATION = "rotation": 14, 16;
        SCALE = "scale": 30, 12;
        PARENT = "parent": 42, 2;
        CHILD_COUNT = "child_count": 44, 2;
    }
}

/// Bytes of the number of a child.
pub(crate) const CHILD: usize = 2;

/// The parent of the root.
pub(crate) const NO_PARENT: u16 = 0xffff;

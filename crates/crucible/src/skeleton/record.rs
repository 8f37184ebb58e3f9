//! The records of a skeleton chunk.

use meshwright_core::record;
use meshwright_core::record::Field;

record! {
    /// The start of a skeleton chunk, before its block.
    pub(crate) mod skeleton_header: 10 {
        /// `i32`, the size in bytes of the block that follows.
        PACKED = "packed": 0, 4;
        /// `i32`, the decoded size of the block in bytes.
        STATED = "size": 4, 4;
        /// `u16`, the number of bones.
        BONE_COUNT = "bone_count": 8, 2;
    }
}

/// The size fields of the bones' block.
pub(crate) const BONES_BLOCK: [Field; 2] = [skeleton_header::PACKED, skeleton_header::STATED];

record! {
    /// A bone in the decoded block, before its children.
    pub(crate) mod bone_header: 46 {
        /// `u16`, the bone's own number.
        INDEX = "index": 0, 2;
        /// `f32[3]`, relative to the parent.
        POSITION = "position": 2, 12;
        /// `f32[4]`, x y z w as the engine writes it.
        ROTATION = "rotation": 14, 16;
        /// `f32[3]`, the scale per axis.
        SCALE = "scale": 30, 12;
        /// `u16`, the parent's number; 0xFFFF for the root.
        PARENT = "parent": 42, 2;
        /// `u16`, the number of children. Their numbers (`u16`) follow.
        CHILD_COUNT = "child_count": 44, 2;
    }
}

/// The size of a child's number in bytes.
pub(crate) const CHILD: usize = 2;

/// The parent number of the root.
pub(crate) const NO_PARENT: u16 = 0xffff;

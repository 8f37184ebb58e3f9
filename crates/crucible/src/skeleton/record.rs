//! The records of a skeleton chunk.

use meshwright_core::record;
use meshwright_core::record::Field;

record! {
    /// The start of a skeleton chunk, before its block.
    pub(crate) mod skeleton_header: 10 {
        /// `i32`, bytes of the block that follows.
        PACKED = "packed": 0, 4;
        /// `i32`, bytes that it decodes to.
        STATED = "size": 4, 4;
        /// `u16`, how many bones.
        BONE_COUNT = "bone_count": 8, 2;
    }
}

/// The sizes of the bones' block.
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
        /// `f32[3]`.
        SCALE = "scale": 30, 12;
        /// `u16`, 0xFFFF for the root.
        PARENT = "parent": 42, 2;
        /// `u16`, how many numbers of children (`u16`) follow.
        CHILD_COUNT = "child_count": 44, 2;
    }
}

/// Bytes of the number of a child.
pub(crate) const CHILD: usize = 2;

/// The parent of the root.
pub(crate) const NO_PARENT: u16 = 0xffff;

//! The lines of a text.

use alloc::vec::Vec;
use meshwright_core::F32;

/// The clip list of a model, from the text file `<model file name>.framegroups`.
///
/// One clip per line: `start length [fps [loop [name [ignored ...]]]]`. The text is kept, so that it is written
/// byte for byte as long as no group changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameGroups {
    /// The clips as the text has them, before they are held against a model.
    pub groups: Vec<FrameGroup>,
    pub(super) text: Vec<u8>,
}

/// One line of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameGroup {
    /// The first frame as written; may lie outside the model.
    pub start: i32,
    /// The length as written; may be none or too much.
    pub length: i32,
    /// Frames per second as written, 20 where the line has none.
    pub fps: F32,
    /// Whether the clip loops; true where the line does not say.
    pub looping: bool,
    /// The name; empty where the line has none.
    pub name: Vec<u8>,
    /// Where the line's first number is in the text.
    pub(super) offset: u64,
}

impl FrameGroup {
    /// A looping group without a name at 20 frames per second.
    pub fn new(start: i32, length: i32) -> Self {
        Self { start, length, fps: F32::new(20.0), looping: true, name: Vec::new(), offset: 0 }
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        let fields = |g: &Self| (g.start, g.length, g.fps, g.looping);
        fields(self) == fields(other) && self.name == other.name
    }
}

impl FrameGroups {
    /// A list of groups without a text.
    pub fn from_groups(groups: Vec<FrameGroup>) -> Self {
        Self { groups, text: Vec::new() }
    }
}

//! The lines of a text.

use alloc::vec::Vec;
use meshwright_core::F32;

/// The clip list of a model, from the text file `<model file name>.framegroups`.
///
/// One clip per line: `start length [fps [loop [name [ignored ...]]]]`. The text is kept: without edits it is written
/// back byte for byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FrameGroups {
    /// The clips of the text, before they are clamped to a model.
    pub groups: Vec<FrameGroup>,
    pub(super) text: Vec<u8>,
}

/// One line of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameGroup {
    /// The first frame in the text; it may be outside the model.
    pub start: i32,
    /// The length in the text; it may be zero, negative or too large.
    pub length: i32,
    /// Frames per second in the text; 20 if the line has none.
    pub fps: F32,
    /// True if the clip loops; true if the line does not say.
    pub looping: bool,
    /// The name; empty if the line has none.
    pub name: Vec<u8>,
    /// The offset of the line's first number in the text.
    pub(super) offset: u64,
}

impl FrameGroup {
    /// Creates a looping group without a name, at 20 frames per second.
    pub fn new(start: i32, length: i32) -> Self {
        Self { start, length, fps: F32::new(20.0), looping: true, name: Vec::new(), offset: 0 }
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        let fields = |g: &Self| (g.start, g.length, g.fps, g.looping);
        fields(self) == fields(other) && self.name == other.name
    }
}

impl FrameGroups {
    /// Creates a list of groups without a text.
    pub fn from_groups(groups: Vec<FrameGroup>) -> Self {
        Self { groups, text: Vec::new() }
    }
}

//! How an edited scene is held against its original.

use meshwright_scene::{Marks, Scene};

/// How near to the native value a value must be to be that value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Snap {
    /// Equal numbers alone.
    Exact,
    /// What editors change without being asked.
    #[default]
    Default,
    /// What tools change that make files smaller.
    Loose,
}

/// What becomes of native meshes and clips that are not in the edited scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Absent {
    /// They were deleted.
    #[default]
    Gone,
    /// They stay: the edited scene adds to the native one. Meshes stay only where the edited scene has none, and native
    /// joints keep their names.
    Kept,
}

/// The native model.
#[derive(Clone, Copy, Debug)]
pub struct Original<'s> {
    /// The model as its format's `to_scene` gives it.
    pub native: &'s Scene,
    /// The same scene as it reads back after an export without any edit: what exports change is not an edit. The native
    /// scene itself where it did not go through an export.
    pub exported: &'s Scene,
}

/// How a scene is recovered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'m> {
    /// How near to native values others are those.
    pub snap: Snap,
    /// What becomes of what the edited scene does not have.
    pub absent: Absent,
    /// What the parts of the edited scene say that they were.
    pub marks: Option<&'m Marks>,
    /// The tool keeps clips in which nothing moves: one that is not there was deleted.
    pub keeps_still_clips: bool,
    /// The materials of the edited scene whose picture is another one than the original's.
    pub pictures: &'m [bool],
    /// The native model has no normals, and those of its scene are made of the triangles: they follow from what is edited.
    pub computed_normals: bool,
}

impl<'m> Options<'m> {
    /// Options without marks.
    #[must_use]
    pub const fn new(snap: Snap, absent: Absent) -> Self {
        Self { snap, absent, marks: None, keeps_still_clips: false, pictures: &[], computed_normals: false }
    }

    /// The same options with what the parts of the edited scene say that they were.
    #[must_use]
    pub const fn with_marks(mut self, marks: &'m Marks) -> Self {
        self.marks = Some(marks);
        self
    }

    /// The same options for a tool that keeps, or drops, clips in which nothing moves.
    #[must_use]
    pub const fn with_still_clips(mut self, kept: bool) -> Self {
        self.keeps_still_clips = kept;
        self
    }

    /// The same options with the materials of the edited scene whose picture is another one.
    #[must_use]
    pub const fn with_pictures(mut self, other: &'m [bool]) -> Self {
        self.pictures = other;
        self
    }

    /// The same options for a native scene whose normals are computed, or are not.
    #[must_use]
    pub const fn with_computed_normals(mut self, computed: bool) -> Self {
        self.computed_normals = computed;
        self
    }
}

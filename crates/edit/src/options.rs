//! Options for comparing an edited scene with its original.

use meshwright_scene::{Marks, Scene};

/// Tolerance within which a value counts as unedited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Snap {
    /// Only equal numbers.
    Exact,
    /// Changes that editors make without being asked.
    #[default]
    Default,
    /// Changes that optimizers make to shrink files.
    Loose,
}

/// Treatment of native meshes and clips that are missing in the edited scene.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Absent {
    /// They were deleted.
    #[default]
    Gone,
    /// They stay: the edited scene adds to the native one. Native meshes stay only if the edited scene has no meshes,
    /// and native joints keep their names.
    Kept,
}

/// The native model.
#[derive(Clone, Copy, Debug)]
pub struct Original<'s> {
    /// The model as its format's `to_scene` returns it.
    pub native: &'s Scene,
    /// The same scene after an export and an import without edits, because changes made by an export are not edits. It
    /// is the native scene itself if there was no export.
    pub exported: &'s Scene,
}

/// Options for a comparison.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options<'m> {
    /// Tolerance for unedited values.
    pub snap: Snap,
    /// Treatment of parts that the edited scene lacks.
    pub absent: Absent,
    /// Identities that the parts of the edited scene carry.
    pub marks: Option<&'m Marks>,
    /// The tool keeps clips without motion, so that a missing one was deleted.
    pub keeps_still_clips: bool,
    /// Materials of the edited scene whose texture differs from the original's, as a flag per material.
    pub pictures: &'m [bool],
    /// The native model stores no normals: those of its scene are computed from the triangles.
    pub computed_normals: bool,
}

impl Options<'_> {
    /// Options without marks.
    #[must_use]
    pub const fn new(snap: Snap, absent: Absent) -> Self {
        Self { snap, absent, marks: None, keeps_still_clips: false, pictures: &[], computed_normals: false }
    }
}

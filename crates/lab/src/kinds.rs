//! What is measured differently from one kind of file to another: how near to its reference a model must be, and whether it
//! can be drawn.

use meshwright::Format;

/// How far from a reference dump a number may be, as parts of the model's extent.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// In the rest pose.
    pub(crate) rest: f64,
    /// In any other.
    pub(crate) posed: f64,
    /// Added to both, whatever the extent.
    pub(crate) added: f64,
}

/// Whether a kind of file can be drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Drawn {
    Yes,
    WithSkeleton,
    No,
}

impl Drawn {
    /// As the README says it.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::WithSkeleton => "with a skeleton",
            Self::No => "holds no model",
        }
    }
}

/// One kind of file, by its extension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kind {
    pub(crate) tolerance: Tolerance,
    pub(crate) drawn: Drawn,
}

/// Extension, tolerances at rest, posed and added, and whether it is drawn; what has no row stores plain numbers, and is.
const KINDS: &[(&str, [f64; 3], Drawn)] = &[
    ("bmd", [0.0, 1e-5, 0.0], Drawn::Yes),
    ("dpm", [1e-6; 3], Drawn::Yes),
    ("zym", [1e-6; 3], Drawn::Yes),
    ("iqm", [0.0, 5e-6, 0.0], Drawn::Yes),
    ("mesh", [1e-5, 1e-5, 0.0], Drawn::Yes),
    ("anim", [0.0; 3], Drawn::WithSkeleton),
    ("framegroups", [0.0; 3], Drawn::No),
    ("json", [0.0; 3], Drawn::No),
    ("bnd", [0.0; 3], Drawn::No),
    ("apr", [0.0; 3], Drawn::No),
    ("oft", [0.0; 3], Drawn::No),
    ("hag", [0.0; 3], Drawn::No),
    ("po", [0.0; 3], Drawn::No),
    ("col", [0.0; 3], Drawn::No),
    ("cfp", [0.0; 3], Drawn::No),
];

impl Kind {
    /// That of the files of a format.
    pub(crate) fn of_format(format: Format) -> Self {
        let extension = format.extensions().first().copied().unwrap_or_default();
        let row = KINDS.iter().find(|k| k.0 == extension).unwrap_or(&("", [0.0; 3], Drawn::Yes));
        let [rest, posed, added] = row.1;
        Self { tolerance: Tolerance { rest, posed, added }, drawn: row.2 }
    }
}

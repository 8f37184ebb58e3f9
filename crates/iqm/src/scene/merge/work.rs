//! What is merged.

use crate::model::Iqm;
use crate::scene::from_scene::Traced;
use meshwright_edit::three_way::{Match, Trios};
use meshwright_scene::{Budget, Scene};

/// The three models, and what they were made of.
pub(super) struct Work<'a> {
    pub(super) native: &'a Iqm,
    pub(super) before: &'a Traced,
    pub(super) after: &'a Traced,
    /// The native scene and the edited one.
    pub(super) scenes: [&'a Scene; 2],
    /// For each clip, and each mesh, of the edited scene the native one.
    pub(super) clips: Match,
    pub(super) meshes: Match,
    pub(super) listed: bool,
    pub(super) budget: &'a Budget,
}

/// The native anim that one of the result was, and the one of after.
pub(super) type Origin = (Option<usize>, Option<usize>);

/// The identity of so many records.
pub(super) fn identity(count: usize) -> Match {
    (0..count).map(Some).collect()
}

/// Where records of after went.
pub(super) fn number(trios: &Trios, after: u32) -> Option<u32> {
    trios.of_after(after as usize).and_then(|at| u32::try_from(at).ok())
}

//! What is merged.

use crate::model::Bmd;
use crate::scene::from_scene::Traced;
use meshwright_edit::three_way::Match;
use meshwright_scene::{Budget, Scene};

/// The three models, and what of the edited scene is what of the native one.
pub(super) struct Work<'a> {
    pub(super) native: &'a Bmd,
    pub(super) before: &'a Traced,
    pub(super) after: &'a Traced,
    /// The native scene and the edited one.
    pub(super) scenes: [&'a Scene; 2],
    /// For each joint, mesh and clip of the edited scene the native one.
    pub(super) joints: Match,
    pub(super) meshes: Match,
    pub(super) clips: Match,
    pub(super) budget: &'a Budget,
}

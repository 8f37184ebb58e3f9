//! A patch written into the model that it was found for.

mod channels;
mod extensions;
mod joints;
mod meshes;
mod model;

pub use model::{MergedAnim, MergedIqm};

use super::from_scene::Traced;
use super::text::Text;
use crate::model::Iqm;
use meshwright_edit::Patch;
use meshwright_edit::apply::{Clips, Joints};
use meshwright_scene::{Budget, Scene};

/// The model, what is made of the edited scene, and what was edited.
struct Work<'a> {
    original: &'a Iqm,
    made: &'a Traced,
    /// The scene that the model gives.
    native: &'a Scene,
    patch: &'a Patch,
    joints: Joints,
    clips: Clips<'a>,
    /// Clips are listed in a companion.
    listed: bool,
    /// The edited scene has scales, which are applied to the joints below.
    baked: bool,
    budget: &'a Budget,
}

/// The number of an anim of the result in the original, and among those made of the edited scene.
type AnimOrigin = (Option<usize>, Option<usize>);

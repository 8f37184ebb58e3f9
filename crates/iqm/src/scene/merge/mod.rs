//! Applies a patch to the original model.

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
use meshwright_edit::apply::{ClipList, Clips, Joints};
use meshwright_scene::{Budget, Scene};

/// The original model, the converted edited scene, and the edits.
struct IqmMerge<'a> {
    original: &'a Iqm,
    made: &'a Traced,
    /// The scene of the original model.
    native: &'a Scene,
    patch: &'a Patch,
    joints: Joints,
    clips: Clips<'a>,
    /// The place of the list of clips.
    list: ClipList,
    /// True if the edited scene has scales, which are applied to the joints below.
    baked: bool,
    budget: &'a Budget,
}

/// The index of a result's anim in the original, and in the conversion of the edited scene.
type AnimOrigin = (Option<usize>, Option<usize>);

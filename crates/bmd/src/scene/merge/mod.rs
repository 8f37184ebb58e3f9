//! A patch written into the model that it was found for.

mod bones;
mod clips;
mod keys;
mod meshes;
mod model;

use super::from_scene::Traced;
use crate::model::Bmd;
use meshwright_edit::{JointPatch, Patch};
use meshwright_scene::{Budget, Scene, SkeletonId};

/// The model, what is made of the edited scene, and what was edited.
struct Work<'a> {
    original: &'a Bmd,
    made: &'a Traced,
    /// The scene that the model gives, and its skeleton that becomes bones.
    native: &'a Scene,
    home: Option<SkeletonId>,
    patch: &'a Patch,
    /// The joints of the edited skeleton that becomes bones.
    joints: &'a [JointPatch],
    /// Joints of the edited scene are scaled at rest, so that bones and vertices are elsewhere.
    scaled: bool,
    budget: &'a Budget,
}

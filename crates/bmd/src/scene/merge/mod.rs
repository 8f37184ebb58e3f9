//! Writes a patch into the model for which it was computed.

mod bones;
mod clips;
mod keys;
mod meshes;
mod model;

use super::from_scene::Traced;
use super::motion::NeedsKeys;
use crate::model::{Bmd, identity};
use alloc::sync::Arc;
use alloc::vec::Vec;
use meshwright_core::SortedMap;
use meshwright_edit::{JointPatch, Patch};
use meshwright_scene::{AxisMap, Budget, Scene, SkeletonId};

/// The original model, the converted edited scene, and the edits.
struct BmdMerge<'a> {
    original: &'a Bmd,
    made: &'a Traced,
    /// The scene of the original, and the skeleton that becomes bones.
    native: &'a Scene,
    home: Option<SkeletonId>,
    patch: &'a Patch,
    /// The joints of the edited skeleton that becomes bones.
    joints: &'a [JointPatch],
    /// True if joints of the edited scene are scaled at rest, so that bones and vertices have other
    /// positions.
    scaled: bool,
    /// The joints of clips that need new keys.
    needs_keys: NeedsKeys<'a>,
    /// The map from the axes of the edited scene to those of the file.
    axes: AxisMap,
    budget: &'a Budget,
}

/// Lists that parts of a model share. They stay shared while their contents are equal.
struct Sharing<T>(SortedMap<usize, Vec<Arc<T>>>);

impl<T: PartialEq> Sharing<T> {
    const fn new() -> Self {
        Self(SortedMap::new())
    }

    /// Replaces a list of the result by an equal one of another part that shared it in the original.
    fn share(&mut self, native: &Arc<T>, list: &mut Arc<T>) {
        let known = self.0.entry(identity(native)).or_insert_with(|| alloc::vec![Arc::clone(native)]);
        match known.iter().find(|there| ***there == **list) {
            Some(there) => *list = Arc::clone(there),
            None => known.push(Arc::clone(list)),
        }
    }
}

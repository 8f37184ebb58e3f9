//! The format's part of a dump.

use super::item::{Fields, Item};
use crate::formats::Companions;

/// The format's part of a dump. Missing fields come from the model's scene.
#[derive(Default)]
pub(crate) struct Own<'m> {
    /// All bones.
    pub(crate) bones: Option<Item<'m>>,
    /// All clips.
    pub(crate) clips: Option<Item<'m>>,
    /// All meshes, of files that nothing moves: then no scene is made.
    pub(crate) meshes: Option<Item<'m>>,
    /// All that the file holds beyond bones, clips and meshes.
    pub(crate) native: Fields<'m>,
    /// Bytes of what the meshes list several times because they share it.
    pub(crate) repeated: u64,
}

/// A model that can be dumped.
pub(crate) trait Dumped {
    /// Returns the format's part of a dump.
    fn own_part<'m>(&'m self, companions: &'m Companions) -> Own<'m>;
}

//! The format's part of a dump.

use super::Companions;
use crate::dump::item::{Fields, Item};

/// The format's part of a dump. Missing fields come from the model's scene.
#[derive(Default)]
pub(crate) struct Own<'m> {
    /// All bones.
    pub(crate) bones: Option<Item<'m>>,
    /// All clips.
    pub(crate) clips: Option<Item<'m>>,
    /// All meshes, for files without motion: then no scene is needed.
    pub(crate) meshes: Option<Item<'m>>,
    /// All that the file holds beyond bones, clips and meshes.
    pub(crate) native: Fields<'m>,
    /// The bytes of data that meshes share, and that the dump lists several times.
    pub(crate) repeated: u64,
}

/// A model that can be dumped.
pub(crate) trait Dumped {
    /// Returns the format's part of a dump.
    fn own_part<'m>(&'m self, companions: &'m Companions) -> Own<'m>;
}

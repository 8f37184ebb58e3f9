//! Records of a binding of mesh and texture.

use super::model::Bnd;
use crate::fields::wide;

meshwright_core::record! {
    /// The game's name for a file.
    pub(crate) mod id: 12 {
        GROUP = "group": 0, 4;
        FILE = "file": 4, 4;
        KIND = "kind": 8, 4;
    }
}

/// The only known version.
pub(crate) const VERSION: u32 = 1;
/// Where the bone's name stands.
pub(crate) const BONE: u64 = 4;
/// The word before a resource that is there; 0 where none is.
pub(crate) const PRESENT: u32 = 8;
/// The bytes of that word.
const TAG: usize = 4;

impl Bnd {
    /// Where the last field ends.
    pub(crate) fn end(&self) -> u64 {
        let name = wide(self.bone.bytes().len()).saturating_add(1);
        [self.mesh, self.texture].iter().fold(BONE.saturating_add(name), |at, resource| {
            at.saturating_add(wide(if resource.is_some() { TAG + id::SIZE } else { TAG }))
        })
    }
}

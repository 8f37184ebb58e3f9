//! Records of a binding of mesh and texture.

use super::model::{Bnd, ResourceId};
use crate::fields::wide;

meshwright_core::record! {
    /// The game's name for a file.
    pub(crate) mod id: 12 {
        GROUP = "group": 0, u32;
        /// The file's number.
        FILE = "file": 4, u32;
        /// The type: 9 for a mesh, that of the image format for a texture.
        KIND = "kind": 8, u32;
    }
}

/// The only known version.
pub(crate) const VERSION: u32 = 1;
/// The offset of the bone's name.
pub(crate) const BONE: u64 = 4;
/// The word before an existing resource; 0 without one.
pub(crate) const PRESENT: u32 = 8;
/// The bytes of that word.
const TAG: usize = 4;

impl Bnd {
    /// Returns the end of the last field.
    pub(crate) fn end(&self) -> u64 {
        behind(self.texture, behind(self.mesh, self.mesh_at()))
    }

    /// Returns the offset of the word before the mesh.
    fn mesh_at(&self) -> u64 {
        BONE.saturating_add(1).saturating_add(wide(self.bone.bytes().len()))
    }

    /// Returns the offsets of the types of mesh and texture, if the file names these.
    pub(crate) fn kinds_at(&self) -> [u64; 2] {
        let mesh = self.mesh_at();
        [mesh, behind(self.mesh, mesh)].map(|at| id::KIND.offset_in(at.saturating_add(wide(TAG))))
    }
}

/// Returns the end of a resource whose word is at `at`.
const fn behind(resource: Option<ResourceId>, at: u64) -> u64 {
    at.saturating_add(wide(if resource.is_some() { TAG + id::SIZE } else { TAG }))
}

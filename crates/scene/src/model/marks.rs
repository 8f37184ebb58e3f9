//! Marks of an imported scene: the original numbers of its parts in the exported model.

use alloc::string::String;
use alloc::vec::Vec;

/// The original number of a part in the native scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mark {
    /// The number.
    pub index: usize,
    /// The number of the skeleton, if the part is a joint.
    pub of: usize,
    /// The original name.
    pub name: String,
}

/// The marks of the parts of an edited scene, in its order. If a list is shorter, the other parts have no
/// mark.
///
/// A tool copies the mark when it copies a part. Of several parts with the same mark, the one that still has
/// the original name is the original, otherwise the first.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Marks {
    /// Marks of joints, by skeleton.
    pub joints: Vec<Vec<Option<Mark>>>,
    /// Marks of meshes.
    pub meshes: Vec<Option<Mark>>,
    /// Marks of materials.
    pub materials: Vec<Option<Mark>>,
}

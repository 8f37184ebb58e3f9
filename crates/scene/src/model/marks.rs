//! Marks of an imported scene: the numbers that its parts had in the exported model.

use alloc::string::String;
use alloc::vec::Vec;

/// The number of a part in the native scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Its number.
    pub index: usize,
    /// The number of the skeleton, if the part is a joint.
    pub of: usize,
    /// The name that it had.
    pub name: String,
}

/// The marks of an edited scene, in its order; where lists are shorter, the rest has none.
///
/// Tools copy the marks of what they copy: of several parts with one mark, the one that still has the name of the native
/// part is that, else the first.
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

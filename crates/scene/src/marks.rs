//! What parts of an imported scene say that they were in the model that was exported.

use alloc::string::String;
use alloc::vec::Vec;

/// What a part says that it was in the native scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Its number.
    pub index: usize,
    /// Of a joint, the number of its skeleton.
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
    /// Of joints, by skeleton.
    pub joints: Vec<Vec<Option<Mark>>>,
    /// Of meshes.
    pub meshes: Vec<Option<Mark>>,
    /// Of materials.
    pub materials: Vec<Option<Mark>>,
}

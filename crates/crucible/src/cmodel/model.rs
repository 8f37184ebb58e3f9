//! The owned or borrowed model of a container file.

use crate::chunk::model::Chunk;
use alloc::borrow::Cow;
use alloc::vec;
use alloc::vec::Vec;

/// A `.cmodel` file: mesh chunks one after the other.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CModel<'a> {
    /// The chunks in the file's order.
    pub meshes: Vec<Chunk<'a>>,
    /// Bytes after the last chunk. The format has none.
    pub tail: Cow<'a, [u8]>,
}

impl<'a> CModel<'a> {
    /// Returns a container of these chunks.
    pub const fn new(meshes: Vec<Chunk<'a>>) -> Self {
        Self { meshes, tail: Cow::Borrowed(&[]) }
    }

    /// Copies borrowed data, so that the model no longer borrows from the file.
    pub fn into_owned(self) -> CModel<'static> {
        CModel {
            meshes: self.meshes.into_iter().map(Chunk::into_owned).collect(),
            tail: Cow::Owned(self.tail.into_owned()),
        }
    }
}

impl<'a> From<Vec<Chunk<'a>>> for CModel<'a> {
    fn from(meshes: Vec<Chunk<'a>>) -> Self {
        Self::new(meshes)
    }
}

impl<'a> From<Chunk<'a>> for CModel<'a> {
    fn from(mesh: Chunk<'a>) -> Self {
        Self::new(vec![mesh])
    }
}

//! The content of a `.bmf`.

use crate::mesh::Geometry;
use crate::name::Name;
use alloc::vec::Vec;

/// A `.bmf` file of The Sims 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bmf {
    /// The skin's name.
    pub skin: Name,
    /// The texture's name, without extension.
    pub texture: Name,
    /// The bones, faces and vertices.
    pub geometry: Geometry,
    /// Bytes after the last field, which a lenient reader keeps.
    pub trailing: Vec<u8>,
}

impl Bmf {
    /// Returns a geometry with the names of its skin and texture.
    pub fn new(skin: impl Into<Name>, texture: impl Into<Name>, geometry: Geometry) -> Self {
        Self { skin: skin.into(), texture: texture.into(), geometry, trailing: Vec::new() }
    }
}

//! The content of a `.skn`.

use crate::mesh::Geometry;
use crate::name::Name;
use alloc::vec::Vec;
use meshwright_core::SourceBytes;

/// A `.skn` file of The Sims 1.
///
/// Two of them are equal if they have the same content, whatever the layout of their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skn {
    /// The skin's name.
    pub skin: Name,
    /// The texture's name, without extension.
    pub texture: Name,
    /// The bones, faces and vertices.
    pub geometry: Geometry,
    /// Bytes after the last number and its white space, which a lenient reader keeps.
    pub trailing: Vec<u8>,
    /// The text that the model was read from, empty for a new one.
    text: SourceBytes,
}

impl Skn {
    /// Returns a geometry with the names of its skin and texture.
    pub fn new(skin: impl Into<Name>, texture: impl Into<Name>, geometry: Geometry) -> Self {
        Self { skin: skin.into(), texture: texture.into(), geometry, ..Self::default() }
    }

    /// Returns the text that the model was read from, empty for a new one. The writer writes it again if the model did
    /// not change.
    pub fn text(&self) -> &[u8] {
        &self.text.0
    }

    /// Returns the same model as one that was read from this text.
    pub(crate) fn read_from(self, text: Vec<u8>) -> Self {
        Self { text: SourceBytes(text), ..self }
    }
}

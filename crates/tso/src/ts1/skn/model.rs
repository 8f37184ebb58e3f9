//! What a `.skn` holds.

use crate::mesh::Geometry;
use crate::name::Name;
use alloc::vec::Vec;
use core::fmt;

/// A `.skn` file of The Sims 1.
///
/// Two of them are equal when they say the same, however their texts are laid out.
#[derive(Clone, Default)]
pub struct Skn {
    /// The skin's name.
    pub skin: Name,
    /// The texture's name, without extension.
    pub texture: Name,
    /// Everything else.
    pub geometry: Geometry,
    /// Bytes behind the last number and its white space, kept by lenient reading.
    pub trailing: Vec<u8>,
    /// The text that the model was read from, empty for a new one. It is written again as long as it says the
    /// same as the model.
    pub text: Vec<u8>,
}

impl PartialEq for Skn {
    fn eq(&self, other: &Self) -> bool {
        (&self.skin, &self.texture, &self.geometry, &self.trailing)
            == (&other.skin, &other.texture, &other.geometry, &other.trailing)
    }
}

impl Eq for Skn {}

impl fmt::Debug for Skn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Skn")
            .field("skin", &self.skin)
            .field("texture", &self.texture)
            .field("geometry", &self.geometry)
            .field("trailing", &self.trailing)
            .field("text", &format_args!("{} bytes", self.text.len()))
            .finish()
    }
}

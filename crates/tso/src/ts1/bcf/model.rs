//! The content of a `.bcf`.

use crate::ts1::character::Character;
use alloc::vec::Vec;
use meshwright_core::SourceBytes;

/// A `.bcf` file of The Sims 1: skeletons, suits and skills in binary.
///
/// Two of them are equal if they have the same content, whatever the form of long names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bcf {
    /// All records.
    pub character: Character,
    /// Bytes after the last field, which a lenient reader keeps.
    pub trailing: Vec<u8>,
    /// The bytes that the model was read from, if the writer would write others.
    pub(crate) kept: SourceBytes,
}

impl Bcf {
    /// Returns a file of these records.
    pub fn new(character: Character) -> Self {
        Self { character, ..Self::default() }
    }
}

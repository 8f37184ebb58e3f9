//! The content of a `.bcf`.

use crate::ts1::character::Character;
use alloc::vec::Vec;
use core::fmt;

/// A `.bcf` file of The Sims 1: skeletons, suits and skills in binary.
///
/// Two of them are equal if they have the same content, whatever the form of long names.
#[derive(Clone, Default)]
pub struct Bcf {
    /// All records.
    pub character: Character,
    /// Bytes after the last field, which a lenient reader keeps.
    pub trailing: Vec<u8>,
    /// The bytes that the model was read from, if the writer would write others.
    kept: Vec<u8>,
}

impl Bcf {
    /// Returns a file of these records.
    pub fn new(character: Character) -> Self {
        Self { character, ..Self::default() }
    }

    pub(crate) fn original_bytes(&self) -> &[u8] {
        &self.kept
    }

    pub(crate) fn keep(&mut self, bytes: Vec<u8>) {
        self.kept = bytes;
    }
}

impl PartialEq for Bcf {
    fn eq(&self, other: &Self) -> bool {
        (&self.character, &self.trailing) == (&other.character, &other.trailing)
    }
}

impl Eq for Bcf {}

impl fmt::Debug for Bcf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bcf")
            .field("character", &self.character)
            .field("trailing", &self.trailing)
            .field("kept", &format_args!("{} bytes", self.kept.len()))
            .finish()
    }
}

//! The content of a `.cmx`.

use crate::name::Name;
use crate::ts1::character::Character;
use alloc::vec::Vec;
use meshwright_core::SourceBytes;

/// A `.cmx` file of The Sims 1: skeletons, suits and skills as text.
///
/// Two of them are equal if they have the same content, whatever the layout of their texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cmx {
    /// The lines before the version: comments, which begin with `//`, and blank ones.
    pub comments: Vec<Name>,
    /// All records.
    pub character: Character,
    /// Bytes after the last field and its white space, which a lenient reader keeps.
    pub trailing: Vec<u8>,
    /// The text that the model was read from, if the writer would write another one.
    pub(crate) kept: SourceBytes,
}

impl Cmx {
    /// The line that every file of the game begins with. Some readers need a comment there.
    pub(crate) const COMMENT: &'static str = "// Character File. Copyright 1997, Maxis Inc.";

    /// Returns a file of these records, with the comment of the game's own files.
    pub fn new(character: Character) -> Self {
        Self { comments: alloc::vec![Name::from(Self::COMMENT)], character, ..Self::default() }
    }
}

//! The content of a `.cmx`.

use crate::name::Name;
use crate::ts1::character::Character;
use alloc::vec::Vec;
use core::fmt;

/// A `.cmx` file of The Sims 1: skeletons, suits and skills as text.
///
/// Two of them are equal if they have the same content, whatever the layout of their texts.
#[derive(Clone, Default)]
pub struct Cmx {
    /// The lines before the version: comments, which begin with `//`, and blank ones.
    pub comments: Vec<Name>,
    /// All records.
    pub character: Character,
    /// Bytes after the last field and its white space, which a lenient reader keeps.
    pub trailing: Vec<u8>,
    /// The text that the model was read from, if the writer would write another one.
    kept: Vec<u8>,
}

impl Cmx {
    /// The line that every file of the game begins with. Some readers need a comment there.
    pub(crate) const COMMENT: &'static str = "// Character File. Copyright 1997, Maxis Inc.";

    /// Returns a file of these records, with the comment of the game's own files.
    pub fn new(character: Character) -> Self {
        Self { comments: alloc::vec![Name::from(Self::COMMENT)], character, ..Self::default() }
    }

    pub(crate) fn original_text(&self) -> &[u8] {
        &self.kept
    }

    pub(crate) fn keep(&mut self, text: Vec<u8>) {
        self.kept = text;
    }
}

impl PartialEq for Cmx {
    fn eq(&self, other: &Self) -> bool {
        (&self.comments, &self.character, &self.trailing)
            == (&other.comments, &other.character, &other.trailing)
    }
}

impl Eq for Cmx {}

impl fmt::Debug for Cmx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cmx")
            .field("comments", &self.comments)
            .field("character", &self.character)
            .field("trailing", &self.trailing)
            .field("kept", &format_args!("{} bytes", self.kept.len()))
            .finish()
    }
}

//! Names, and searches by name.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use meshwright_core::SortedMap;
use meshwright_core::text::{Escaped, cp1252};

/// A name as stored in the file: bytes, conventionally Windows-1252, usually plain ASCII.
///
/// Names in `.mesh`, `.skel`, `.bnd` and of bones in `.anim` hold up to 255 bytes, the name of an `.anim` up to
/// 65535.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Box<[u8]>);

impl Name {
    /// Returns the name with these bytes. A text becomes a name by [`from_text`](Self::from_text), or by `From` where it is
    /// plain ASCII.
    pub fn new(bytes: impl Into<Box<[u8]>>) -> Self {
        Self(bytes.into())
    }

    /// Returns the stored bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the name as text by Windows-1252.
    pub fn text(&self) -> String {
        cp1252(&self.0)
    }

    /// Returns the name for `text`, and whether it has a byte for every character; `?` replaces the others.
    pub fn from_text(text: &str) -> (Self, bool) {
        let mut exact = true;
        let bytes: Vec<u8> = text
            .chars()
            .map(|c| {
                encode_cp1252(c).unwrap_or_else(|| {
                    exact = false;
                    b'?'
                })
            })
            .collect();
        (Self::new(bytes), exact)
    }

    /// Returns true if the names differ at most in the case of ASCII letters, which is how skeletons are searched.
    pub fn matches(&self, other: &Self) -> bool {
        self.0.eq_ignore_ascii_case(&other.0)
    }

    /// Returns true if every byte is a printable ASCII character.
    pub fn is_plain(&self) -> bool {
        self.0.iter().all(|b| (0x20..=0x7e).contains(b))
    }
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Self::new(text.as_bytes())
    }
}

impl From<&[u8]> for Name {
    fn from(bytes: &[u8]) -> Self {
        Self::new(bytes)
    }
}

impl From<Vec<u8>> for Name {
    fn from(bytes: Vec<u8>) -> Self {
        Self::new(bytes)
    }
}

impl PartialEq<str> for Name {
    fn eq(&self, other: &str) -> bool {
        self.bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for Name {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(&self.0))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(&self.0))
    }
}

/// Returns the byte of a character in Windows-1252, if it has one.
pub(crate) fn encode_cp1252(c: char) -> Option<u8> {
    let direct = u8::try_from(u32::from(c)).ok();
    direct
        .filter(|b| cp1252(&[*b]).chars().eq([c]))
        .or_else(|| (0x80..=0x9f_u8).find(|b| cp1252(&[*b]).chars().eq([c])))
}

/// Finds the first item with a name: with the same spelling, otherwise ignoring letter case.
#[derive(Debug)]
pub(crate) struct NameIndex<'a> {
    exact: SortedMap<&'a [u8], usize>,
    folded: SortedMap<Vec<u8>, usize>,
}

impl<'a> NameIndex<'a> {
    pub(crate) fn new(names: impl IntoIterator<Item = &'a Name>) -> Self {
        let mut index = Self { exact: SortedMap::new(), folded: SortedMap::new() };
        for (i, name) in names.into_iter().enumerate() {
            index.exact.entry(name.bytes()).or_insert(i);
            index.folded.entry(name.bytes().to_ascii_lowercase()).or_insert(i);
        }
        index
    }

    /// The memory of an index for each name, in addition to the name's own length, with half-full nodes.
    pub(crate) const MEMORY: usize = 160;

    /// Returns the first item with the same spelling.
    pub(crate) fn first(&self, name: &Name) -> Option<usize> {
        self.exact.get(name.bytes()).copied()
    }

    /// Returns the first item whose name differs at most in the case of letters.
    pub(crate) fn folded(&self, name: &Name) -> Option<usize> {
        self.folded.get(&name.bytes().to_ascii_lowercase()).copied()
    }

    pub(crate) fn find(&self, name: &Name) -> Option<usize> {
        let exact = self.exact.get(name.bytes());
        exact.copied().or_else(|| self.folded(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_bytes_convert_both_ways() {
        let all: Vec<u8> = (0..=255).collect();
        let name = Name::new(all.clone());
        assert_eq!(Name::from_text(&name.text()), (name, true));
        assert_eq!(Name::from_text("a\u{4e00}"), (Name::from("a?"), false));
        let name = Name::from("ROOT");
        assert!(name == "ROOT" && name != *"root");
    }

    #[test]
    fn the_same_spelling_wins_over_another_case() {
        let names = [Name::from("head"), Name::from("HEAD"), Name::from("Neck")];
        let index = NameIndex::new(&names);
        assert_eq!(index.find(&Name::from("HEAD")), Some(1));
        assert_eq!(index.find(&Name::from("Head")), Some(0));
        assert_eq!(index.find(&Name::from("NECK")), Some(2));
        assert_eq!(index.find(&Name::from("TAIL")), None);
    }
}

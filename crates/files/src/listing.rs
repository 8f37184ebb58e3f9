//! The listing of one folder.

use crate::path::TreePath;
use meshwright_core::Order as _;
use meshwright_core::SortedMap;
use std::sync::Arc;

/// The kind of a named entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum EntryKind {
    /// A file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe or a device. It is opened only if the caller names it.
    Other,
}

/// A name in a folder, and the kind of its entry.
pub(crate) type Named = (Box<[u8]>, EntryKind);

/// The content of one folder of one layer.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// The entries, sorted by the bytes of their names. A pack can have a file and a folder with the same
    /// name.
    entries: Vec<Named>,
    /// The entries sorted by name ignoring case, then by bytes.
    folded: Vec<u32>,
}

fn fold(name: &[u8]) -> impl Iterator<Item = u8> + '_ {
    name.iter().map(u8::to_ascii_lowercase)
}

impl Listing {
    pub(crate) fn new(mut entries: Vec<Named>) -> Self {
        entries.order();
        entries.dedup();
        let name = |i: &u32| entries.get(*i as usize).map(|e| &*e.0).unwrap_or_default();
        let mut folded: Vec<u32> = (0..u32::try_from(entries.len()).unwrap_or(u32::MAX)).collect();
        // The sort is stable: equal names stay in the order of their bytes.
        folded.order_by(|a, b| fold(name(a)).cmp(fold(name(b))));
        Self { entries, folded }
    }

    /// Returns the listing without the names for which `leave` is true.
    pub(crate) fn without(self, mut leave: impl FnMut(&[u8]) -> bool) -> Self {
        Self::new(self.entries.into_iter().filter(|(name, _)| !leave(name)).collect())
    }

    /// Returns the listing with additional folders.
    pub(crate) fn with_folders(&self, names: impl IntoIterator<Item = Box<[u8]>>) -> Self {
        let folders = names.into_iter().map(|name| (name, EntryKind::Folder));
        Self::new(self.entries.iter().cloned().chain(folders).collect())
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = (&[u8], EntryKind)> {
        self.entries.iter().map(|(name, kind)| (&**name, *kind))
    }

    /// Returns the entries with this name: exact matches first, then those that differ in case.
    pub(crate) fn named<'a>(&'a self, name: &'a [u8]) -> impl Iterator<Item = (&'a [u8], EntryKind)> {
        let entry = |i: &u32| self.entries.get(*i as usize).map(|(name, kind)| (&**name, *kind));
        let before =
            self.folded.partition_point(|i| entry(i).is_some_and(|(other, _)| fold(other).lt(fold(name))));
        let same = self
            .folded
            .get(before..)
            .unwrap_or_default()
            .iter()
            .map_while(move |i| entry(i).filter(|(other, _)| other.eq_ignore_ascii_case(name)));
        let exact = same.clone().filter(move |(other, _)| *other == name);
        exact.chain(same.filter(move |(other, _)| *other != name))
    }
}

/// Returns the folders that contain some files, each with its listing. The top folder always exists.
pub(crate) fn folders<'a>(files: impl Iterator<Item = &'a TreePath>) -> SortedMap<TreePath, Arc<Listing>> {
    let mut found: SortedMap<TreePath, Vec<Named>> = SortedMap::new();
    found.insert(TreePath::ROOT, Vec::new());
    for file in files {
        let (mut at, mut kind) = (file.clone(), EntryKind::File);
        while !at.is_root() {
            let parent = at.parent();
            let known = found.contains_key(&parent);
            found.entry(parent.clone()).or_default().push((at.name().into(), kind));
            if known {
                break;
            }
            (at, kind) = (parent, EntryKind::Folder);
        }
    }
    found.into_iter().map(|(folder, entries)| (folder, Arc::new(Listing::new(entries)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exact_name_comes_first() {
        let names = ["b", "A", "a", "aB", "AB", "Ab", "\u{e4}"];
        let entries = names.iter().map(|n| (n.as_bytes().into(), EntryKind::File)).collect();
        let listing = Listing::new(entries);
        let named = |name: &str| -> Vec<String> {
            listing.named(name.as_bytes()).map(|(n, _)| String::from_utf8_lossy(n).into_owned()).collect()
        };
        assert_eq!(named("a"), ["a", "A"]);
        assert_eq!(named("ab"), ["AB", "Ab", "aB"]);
        assert_eq!(named("aB"), ["aB", "AB", "Ab"]);
        assert_eq!(named("\u{c4}"), [""; 0]);
        assert_eq!(named("c"), [""; 0]);
        assert_eq!(listing.iter().count(), 7);
    }
}

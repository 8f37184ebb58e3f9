//! Paths in a tree.

use crate::error::FilesError;
use meshwright_core::text::{Escaped, visible};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// The maximum length of a path in bytes.
const LONGEST: usize = 4096;

/// A path in a tree: names between slashes. No name leaves the tree. Names are bytes, because old archives hold names
/// that are not UTF-8. The empty path is the top.
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TreePath(Vec<u8>);

impl TreePath {
    /// The top of a tree.
    pub const ROOT: Self = Self(Vec::new());

    /// Creates a path from text. `.` and repeated slashes are removed.
    ///
    /// # Errors
    /// If the path would leave the tree or cannot exist: absolute, with `..`, a drive letter, a backslash or a NUL,
    /// or longer than 4096 bytes.
    pub fn new(path: impl AsRef<[u8]>) -> Result<Self, FilesError> {
        let path = path.as_ref();
        let refuse = |why| Err(FilesError::BadPath { path: display_name(path), why });
        match path {
            _ if path.len() > LONGEST => return refuse("is too long"),
            [b'/', ..] => return refuse("is absolute"),
            _ if path.contains(&b'\\') => return refuse("has a backslash"),
            _ if path.contains(&0) => return refuse("has a NUL"),
            _ => {}
        }
        let mut clean = Vec::with_capacity(path.len());
        for name in path.split(|b| *b == b'/') {
            match name {
                b"" | b"." => {}
                b".." => return refuse("leaves the tree"),
                [letter, b':', ..] if clean.is_empty() && letter.is_ascii_alphabetic() => {
                    return refuse("has a drive letter");
                }
                _ => {
                    if !clean.is_empty() {
                        clean.push(b'/');
                    }
                    clean.extend_from_slice(name);
                }
            }
        }
        Ok(Self(clean))
    }

    /// Appends a path.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn join(&self, path: impl AsRef<[u8]>) -> Result<Self, FilesError> {
        let below = Self::new(path)?;
        Ok(below.names().fold(self.clone(), |at, name| at.child(name)))
    }

    /// Returns the path of another file in the same folder. Any file name is allowed, even with colons and
    /// backslashes, because it is derived from that of an existing file.
    ///
    /// # Errors
    /// If it is not a file name: empty, `.`, `..`, or with a slash or a NUL.
    pub fn beside(&self, name: impl AsRef<[u8]>) -> Result<Self, FilesError> {
        let name = name.as_ref();
        if matches!(name, b"" | b"." | b"..") || name.contains(&b'/') || name.contains(&0) {
            return Err(FilesError::BadPath { path: display_name(name), why: "is no name of a file" });
        }
        Ok(self.parent().child(name))
    }

    /// Returns the path of an entry of this folder, with the name from its listing.
    pub(crate) fn child(&self, name: &[u8]) -> Self {
        let slash: &[u8] = if self.is_root() { b"" } else { b"/" };
        Self([&self.0, slash, name].concat())
    }

    /// Returns true if this is the path of the top folder.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the bytes, without a slash at either end.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Returns the last name; empty at the top.
    pub fn name(&self) -> &[u8] {
        self.names().next_back().unwrap_or_default()
    }

    /// Returns the last name without its extension: the part before its last dot. A dot at the start does
    /// not count.
    pub fn stem(&self) -> &[u8] {
        split_name(self.name()).0
    }

    /// Returns the extension without its dot; empty if the name has none.
    pub fn extension(&self) -> &[u8] {
        split_name(self.name()).1
    }

    /// Returns the parent folder; the parent of the top is the top.
    pub fn parent(&self) -> Self {
        let slash = self.0.iter().rposition(|b| *b == b'/');
        Self(slash.and_then(|end| self.0.get(..end)).unwrap_or_default().to_vec())
    }

    /// Returns the names from the top down.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &[u8]> + Clone {
        self.0.split(|b| *b == b'/').filter(|name| !name.is_empty())
    }

    /// Returns the path relative to a folder; `None` if it is not below that folder.
    pub fn below(&self, folder: &Self) -> Option<Self> {
        self.below_where(folder, |a, b| a == b)
    }

    /// Returns the path relative to a folder, ignoring case, as packs do; `None` if it is not below that folder.
    pub fn below_any_case(&self, folder: &Self) -> Option<Self> {
        self.below_where(folder, <[u8]>::eq_ignore_ascii_case)
    }

    fn below_where(&self, folder: &Self, is_same: impl Fn(&[u8], &[u8]) -> bool) -> Option<Self> {
        if folder.is_root() {
            return Some(self.clone());
        }
        let (own, rest) = self.0.split_at_checked(folder.0.len())?;
        match rest {
            _ if !is_same(own, &folder.0) => None,
            [] => Some(Self::ROOT),
            [b'/', rest @ ..] => Some(Self(rest.to_vec())),
            _ => None,
        }
    }

    /// Returns the text, with a replacement character for bytes that are not UTF-8.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }

    /// Returns the path with ASCII letters in lower case.
    pub(crate) fn folded(&self) -> Self {
        Self(self.0.to_ascii_lowercase())
    }

    /// Compares in the order of a walk: in each folder first its files, then its subfolders. A folder is at
    /// the position of its content.
    pub(crate) fn walk_order(&self, is_folder: bool, other: &Self, other_is_folder: bool) -> Ordering {
        let (mut own, mut others) = (self.names().peekable(), other.names().peekable());
        loop {
            let (a, b) = match (own.next(), others.next()) {
                (Some(a), Some(b)) => (a, b),
                (a, b) => return a.is_some().cmp(&b.is_some()),
            };
            let deeper = (own.peek().is_some() || is_folder, others.peek().is_some() || other_is_folder);
            match deeper.0.cmp(&deeper.1).then_with(|| a.cmp(b)) {
                Ordering::Equal => {}
                order => return order,
            }
        }
    }
}

/// Splits a file name into stem and extension.
fn split_name(name: &[u8]) -> (&[u8], &[u8]) {
    match name.iter().rposition(|b| *b == b'.') {
        None | Some(0) => (name, &[]),
        Some(dot) => {
            let (stem, rest) = name.split_at_checked(dot).unwrap_or((name, &[]));
            (stem, rest.get(1..).unwrap_or_default())
        }
    }
}

/// Returns a path for a message: safe for a terminal, and only the end of a very long path.
pub(crate) fn display_name(path: &[u8]) -> String {
    const MOST: usize = 1024;
    let cut = path.len().saturating_sub(MOST);
    let text = String::from_utf8_lossy(path.get(cut..).unwrap_or_default());
    let text = visible(&text);
    if cut > 0 { format!("...{text}") } else { text.into_owned() }
}

impl fmt::Display for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&display_name(&self.0))
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Escaped(&self.0))
    }
}

impl FromStr for TreePath {
    type Err = FilesError;

    fn from_str(path: &str) -> Result<Self, FilesError> {
        Self::new(path)
    }
}

impl TryFrom<&str> for TreePath {
    type Error = FilesError;

    fn try_from(path: &str) -> Result<Self, FilesError> {
        Self::new(path)
    }
}

impl PartialEq<str> for TreePath {
    fn eq(&self, other: &str) -> bool {
        self.0 == other.as_bytes()
    }
}

impl PartialEq<&str> for TreePath {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

/// A type that can be used as a path in a tree: a [`TreePath`], or text or bytes.
pub trait AsTreePath {
    /// Returns the path.
    ///
    /// # Errors
    /// As [`TreePath::new`].
    fn as_tree_path(&self) -> Result<Cow<'_, TreePath>, FilesError>;
}

impl AsTreePath for TreePath {
    fn as_tree_path(&self) -> Result<Cow<'_, TreePath>, FilesError> {
        Ok(Cow::Borrowed(self))
    }
}

impl<P: AsTreePath + ?Sized> AsTreePath for &P {
    fn as_tree_path(&self) -> Result<Cow<'_, TreePath>, FilesError> {
        (**self).as_tree_path()
    }
}

macro_rules! written {
    ($($text:ty),+) => {$(
        impl AsTreePath for $text {
            fn as_tree_path(&self) -> Result<Cow<'_, TreePath>, FilesError> {
                TreePath::new(self).map(Cow::Owned)
            }
        }
    )+};
}

written!(str, String, [u8], Vec<u8>);

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    #[test]
    fn what_leaves_the_tree_is_refused() {
        for (path, clean) in [
            ("a/b", Some("a/b")),
            ("./a//b/./c/", Some("a/b/c")),
            ("", Some("")),
            (".", Some("")),
            ("...", Some("...")),
            ("a:b", None),
            ("ab:c", Some("ab:c")),
            ("/a", None),
            ("//host/a", None),
            ("a/../b", None),
            ("..", None),
            ("a/..", None),
            ("c:/x", None),
            ("C:x", None),
            ("./C:x", None),
            ("a\\b", None),
            ("..\\b", None),
            ("a\0b", None),
        ] {
            let got = TreePath::new(path).ok();
            assert_eq!(got.as_ref().map(|p| p.text().into_owned()).as_deref(), clean, "{path:?}");
        }
        assert!(TreePath::new("a/".repeat(2049)).is_err());
        assert_eq!(TreePath::new("a\x1b/..").unwrap_err().to_string(), "a\\u{1b}/..: leaves the tree");
    }

    #[test]
    fn parts() {
        let path = TreePath::new("a/b.c/d.e.f").unwrap();
        assert_eq!((path.name(), path.stem(), path.extension()), (&b"d.e.f"[..], &b"d.e"[..], &b"f"[..]));
        assert_eq!(
            (path.parent(), path.parent().parent().parent()),
            ("a/b.c".parse().unwrap(), TreePath::ROOT)
        );
        assert_eq!(path.beside("c:\\x").unwrap(), "a/b.c/c:\\x");
        assert!(["", ".", "..", "x/y", "/", "x\0"].iter().all(|name| path.beside(name).is_err()));
        assert_eq!(path.below(&"a".parse().unwrap()).unwrap(), "b.c/d.e.f");
        assert_eq!(path.below(&"a/b".parse().unwrap()), None);
        let hidden = TreePath::new(".x").unwrap();
        assert_eq!((hidden.stem(), hidden.extension()), (&b".x"[..], &b""[..]));
    }

    proptest! {
        #[test]
        fn no_path_leaves_the_tree(path in "[a.:/\\\\\0C]{0,12}", more in "[a./\\\\]{0,6}") {
            let Ok(clean) = TreePath::new(&path) else { return Ok(()) };
            let names: Vec<_> = clean.names().collect();
            prop_assert!(names.iter().all(|n| !matches!(*n, b"" | b"." | b"..")));
            prop_assert!(!clean.as_bytes().contains(&b'\\') && !clean.as_bytes().contains(&0));
            prop_assert_eq!(names.join(&b'/'), clean.as_bytes());
            prop_assert_eq!(TreePath::new(&clean.0), Ok(clean.clone()), "cleaned once is cleaned");
            if let Ok(below) = clean.join(&more) {
                prop_assert!(below.below(&clean).is_some());
            }
        }
    }
}

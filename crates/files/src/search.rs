//! Files that are named without an extension, or with another than they have.

use crate::error::FilesError;
use crate::path::TreePath;
use crate::tree::Tree;
use meshwright_core::Budget;

/// Steps of work that an attempt takes at least.
const ATTEMPT: u64 = 256;

/// A file that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// The file.
    pub path: TreePath,
    /// Only the last part of its name led to it: a guess.
    pub by_last_part: bool,
}

impl Tree {
    /// The file that a name in a model means, such as that of a texture.
    ///
    /// First the whole name is looked for from the top of the tree, then its last part in the folder `beside`. Either
    /// is tried as it is, where it has one of the extensions, and then with each of the extensions in turn. Every
    /// attempt is charged: names times extensions can be many.
    ///
    /// # Errors
    /// When the search costs more than the budget allows.
    pub fn search(
        &self,
        name: &[u8],
        beside: &TreePath,
        extensions: &[&str],
        budget: &Budget,
    ) -> Result<Option<Match>, FilesError> {
        let slashed: Vec<u8> = name.iter().map(|b| if *b == b'\\' { b'/' } else { *b }).collect();
        let last = slashed.rsplit(|b| *b == b'/').next().unwrap_or_default();
        for (folder, name, by_last_part) in [(&TreePath::ROOT, &*slashed, false), (beside, last, true)] {
            // A name that leaves the tree still has a last part.
            let Ok(name) = TreePath::new(name) else { continue };
            if name.is_root() {
                continue;
            }
            let path = name.names().fold(folder.clone(), |at, name| at.child(name));
            if let Some(path) = self.with_extension(&path, extensions, budget)? {
                return Ok(Some(Match { path, by_last_part }));
            }
        }
        Ok(None)
    }

    fn with_extension(
        &self,
        path: &TreePath,
        extensions: &[&str],
        budget: &Budget,
    ) -> Result<Option<TreePath>, FilesError> {
        let attempt = |path: TreePath| {
            budget.work("search", ATTEMPT.saturating_add(path.as_bytes().len() as u64))?;
            self.find(&path)
        };
        let folder = path.parent();
        let has_one = extensions.iter().any(|e| path.extension().eq_ignore_ascii_case(e.as_bytes()));
        if has_one && let Some(found) = attempt(path.clone())? {
            return Ok(Some(found));
        }
        let stem = if has_one { path.stem() } else { path.name() };
        for extension in extensions {
            let name = [stem, b".", extension.as_bytes()].concat();
            if let Some(found) = attempt(folder.child(&name))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::Limits;

    #[test]
    fn the_whole_name_comes_first() {
        let names =
            ["textures/a.tga", "models/p/a.png", "models/p/B.JPG", "models/p/c.tga", "models/p/c.png"];
        let tree = Tree::memory(names.map(|n| (n, ""))).unwrap();
        let beside = TreePath::new("models/p").unwrap();
        let find = |name: &str| {
            let budget = Budget::new(Limits::default());
            let found = tree.search(name.as_bytes(), &beside, &["png", "jpg", "tga"], &budget).unwrap();
            found.map(|m| (m.path.text().into_owned(), m.by_last_part))
        };
        for (name, path, guessed) in [
            ("textures/a", "textures/a.tga", false),
            ("textures\\A.tga", "textures/a.tga", false),
            ("textures/a.png", "textures/a.tga", false),
            ("models/p/b", "models/p/B.JPG", false),
            ("other/a", "models/p/a.png", true),
            ("../a.jpg", "models/p/a.png", true),
            ("C:\\work\\b.jpg", "models/p/B.JPG", true),
            ("c", "models/p/c.png", true),
            ("c.tga", "models/p/c.tga", true),
        ] {
            assert_eq!(find(name), Some((path.to_owned(), guessed)), "{name}");
        }
        for name in ["", "..", "x/", "d", "a.dds", "models/p"] {
            assert_eq!(find(name), None, "{name}");
        }
    }

    #[test]
    fn attempts_are_charged() {
        let tree = Tree::memory([("a.png", "")]).unwrap();
        let budget = Budget::new(Limits::default().with_memory(40));
        let find = |name: &[u8]| tree.search(name, &TreePath::ROOT, &["png", "jpg"], &budget);
        assert!(find(b"a").unwrap().is_some() && budget.left() == 40, "work, not memory");
        assert!(matches!(find(b"not there"), Err(FilesError::Limit(_))));
    }
}

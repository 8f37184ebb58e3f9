//! Finds files by names without an extension, or with another extension than the file has.

use crate::error::FilesError;
use crate::path::TreePath;
use crate::tree::Tree;
use meshwright_core::Budget;

/// The minimum number of steps of work for an attempt.
const ATTEMPT: u64 = 256;

/// A file that a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Match {
    /// The file.
    pub path: TreePath,
    /// True if only the last part of the name matched, next to the model. If the name has more parts, this
    /// is a guess.
    pub by_last_part: bool,
}

impl Tree {
    /// Finds a file that a model refers to, such as a texture.
    ///
    /// Tries each of `names` in order: first from the top of the tree, then from the folder `beside`, where `..` goes
    /// up within the tree. If none is found, it tries the last part of the first name in that folder. Each name is
    /// tried unchanged if it has one of the extensions, and then with each of the extensions. Every attempt is charged
    /// to the budget, because names times extensions can be many.
    ///
    /// # Errors
    /// If the search costs more than the budget allows.
    pub fn search(
        &self,
        names: &[&[u8]],
        beside: &TreePath,
        extensions: &[&str],
        budget: &Budget,
    ) -> Result<Option<Match>, FilesError> {
        let slashed = |name: &[u8]| name.iter().map(|b| if *b == b'\\' { b'/' } else { *b }).collect();
        let names: Vec<Vec<u8>> = names.iter().map(|name| slashed(name)).collect();
        let last = names.first().and_then(|name| name.rsplit(|b| *b == b'/').next()).unwrap_or_default();
        let top = TreePath::ROOT;
        let whole = names.iter().flat_map(|name| [(&top, &**name, false), (beside, name, false)]);
        let mut tried = None;
        for (folder, name, by_last_part) in whole.chain([(beside, last, true)]) {
            // A name that leaves the tree still has a usable last part.
            let Some(path) = within(folder, name) else { continue };
            if tried.as_ref() == Some(&path) {
                continue;
            }
            if let Some(path) = self.with_extension(&path, extensions, budget)? {
                return Ok(Some(Match { path, by_last_part }));
            }
            tried = Some(path);
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

/// Returns the path of a name relative to a folder; `None` if it is not a path or leaves the tree.
fn within(folder: &TreePath, name: &[u8]) -> Option<TreePath> {
    let (mut folder, mut name) = (folder.clone(), name);
    while let Some(rest) = name.strip_prefix(b"../") {
        if folder.is_root() {
            return None;
        }
        (folder, name) = (folder.parent(), rest);
    }
    let name = TreePath::new(name).ok().filter(|name| !name.is_root())?;
    Some(name.names().fold(folder, |at, name| at.child(name)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::Limits;

    #[test]
    fn the_whole_name_comes_first() {
        let names = [
            "textures/a.tga",
            "models/p/a.png",
            "models/p/B.JPG",
            "models/p/c.tga",
            "models/p/c.png",
            "models/p/d.png",
            "models/p/sub/d.png",
            "models/q/e.png",
        ];
        let tree = Tree::memory(names.map(|n| (n, ""))).unwrap();
        let beside = TreePath::new("models/p").unwrap();
        let find = |name: &str| {
            let budget = Budget::new(Limits::default());
            let found = tree.search(&[name.as_bytes()], &beside, &["png", "jpg", "tga"], &budget).unwrap();
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
            ("c", "models/p/c.png", false),
            ("c.tga", "models/p/c.tga", false),
            // Relative to the model's folder, up and down.
            ("sub/d", "models/p/sub/d.png", false),
            ("../q/e.jpg", "models/q/e.png", false),
            ("../../textures/a", "textures/a.tga", false),
            ("../../../textures/c", "models/p/c.png", true),
        ] {
            assert_eq!(find(name), Some((path.to_owned(), guessed)), "{name}");
        }
        for name in ["", "..", "x/", "f", "a.dds", "models/p"] {
            assert_eq!(find(name), None, "{name}");
        }
    }

    #[test]
    fn of_several_names_the_whole_of_each_comes_before_a_last_part() {
        let tree = Tree::memory([("resource/gfx/a.png", ""), ("a.png", ""), ("b.png", "")]).unwrap();
        let find = |names: &[&[u8]]| {
            let budget = Budget::new(Limits::default());
            tree.search(names, &TreePath::ROOT, &["png"], &budget)
                .unwrap()
                .map(|m| m.path.text().into_owned())
        };
        assert_eq!(find(&[b"gfx/a"]).unwrap(), "a.png");
        assert_eq!(find(&[b"gfx/a", b"resource/gfx/a"]).unwrap(), "resource/gfx/a.png");
        assert_eq!(find(&[b"gfx/b", b"resource/gfx/b"]).unwrap(), "b.png");
        assert_eq!(find(&[]), None);
    }

    #[test]
    fn attempts_are_charged() {
        let tree = Tree::memory([("a.png", "")]).unwrap();
        let budget = Budget::new(Limits::default().with_memory(40));
        let find = |name: &[u8]| tree.search(&[name], &TreePath::ROOT, &["png", "jpg"], &budget);
        assert!(find(b"a").unwrap().is_some() && budget.remaining() == 40, "work, not memory");
        assert!(matches!(find(b"not there"), Err(FilesError::Limit(_))));
    }
}

//! Levels of detail in separate files.

use super::{Finder, Model};
use meshwright_files::{Tree, TreePath};

/// The text before the number of a level, as in `x_lod1.iqm` next to `x.iqm`.
const MARK: &[u8] = b"_lod";
/// Most levels that are searched for.
const MOST: u32 = 64;

/// Returns the levels of a model: the files next to it, up to the first missing number.
fn beside(tree: &Tree, model: &TreePath) -> Vec<TreePath> {
    let dot = if model.extension().is_empty() { &b""[..] } else { b"." };
    let name = |n: u32| [model.stem(), MARK, n.to_string().as_bytes(), dot, model.extension()].concat();
    (1..=MOST).map_while(|n| tree.find(model.beside(name(n)).ok()?).ok()?).collect()
}

/// Returns the model of a level-of-detail file, by its name.
fn base(path: &TreePath) -> Option<TreePath> {
    let stem = path.stem();
    let digits = stem.iter().rev().take_while(|b| b.is_ascii_digit()).count();
    let (rest, number) = stem.split_at_checked(stem.len().checked_sub(digits)?)?;
    let (stem, mark) = rest.split_at_checked(rest.len().checked_sub(MARK.len())?)?;
    let is_level = !number.is_empty() && !stem.is_empty() && mark.eq_ignore_ascii_case(MARK);
    let dot = if path.extension().is_empty() { &b""[..] } else { b"." };
    is_level.then(|| path.beside([stem, dot, path.extension()].concat()).ok()).flatten()
}

impl Finder {
    /// Returns further levels of detail of a model in separate files: `x_lod1.iqm` next to `x.iqm`, up to the first
    /// missing number.
    pub fn levels(&self, asset: &Model) -> Vec<TreePath> {
        beside(self.tree(), asset.path())
    }

    /// Returns true if a file is a level of detail of a model next to it.
    pub fn is_level(&self, path: &TreePath) -> bool {
        let model = base(path).and_then(|base| self.tree().find(base).ok()?);
        model.is_some_and(|model| beside(self.tree(), &model).contains(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_counted_from_one_on() {
        let files =
            ["m/x.iqm", "m/x_LOD1.iqm", "m/x_lod2.iqm", "m/x_lod4.iqm", "m/y_lod1.iqm", "m/_lod1.iqm"];
        let finder = Finder::new(Tree::memory(files.map(|f| (f, ""))).unwrap());
        let path = |name: &str| TreePath::new(name).unwrap();
        let found: Vec<_> = beside(finder.tree(), &path("m/x.iqm")).iter().map(ToString::to_string).collect();
        assert_eq!(found, ["m/x_LOD1.iqm", "m/x_lod2.iqm"]);
        for (file, is_level) in files.iter().zip([false, true, true, false, false, false]) {
            assert_eq!(finder.is_level(&path(file)), is_level, "{file}");
        }
    }
}

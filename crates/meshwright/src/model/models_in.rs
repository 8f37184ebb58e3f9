//! Listing the models of a folder or an archive.

use super::Finder;
use crate::error::Error;
use crate::formats::Format;
use meshwright_core::{Limits, Order as _};
use meshwright_files::{EntryKind, Tree, TreePath};
use std::path::{Path, PathBuf};

/// The models of a folder or an archive, in the order of their paths.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct FoundModels {
    /// The models.
    pub models: Vec<FoundModel>,
    /// The errors of files and folders that cannot be read.
    pub refused: Vec<Error>,
}

/// A model of a folder or an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FoundModel {
    /// The path with which it can be [opened](crate::open).
    pub path: PathBuf,
    /// Its format.
    pub format: Format,
    /// Its path in the game, as other files name it.
    pub place: TreePath,
}

/// Lists the models of a folder or an archive. A folder in it that has archives is a data folder of its own, whose archives
/// hide each other's files. Links are not followed.
///
/// # Errors
/// If `path` is not a folder or an archive that can be read.
pub fn models_in(path: impl AsRef<Path>) -> Result<FoundModels, Error> {
    let mut found = FoundModels::default();
    let mut folders = found.add(Tree::open(path.as_ref())?);
    while let Some(folder) = folders.pop() {
        match Tree::open(&folder) {
            Ok(tree) => folders.extend(found.add(tree)),
            Err(e) => found.refused.push(e.into()),
        }
    }
    Ok(found)
}

impl FoundModels {
    /// Adds the models of a tree, and returns the data folders below its top, the last first.
    fn add(&mut self, tree: Tree) -> Vec<PathBuf> {
        let finder = Finder::new(tree);
        let (tree, mut folders) = (finder.tree(), Vec::new());
        let files = match tree.start() {
            Some(start) => vec![Ok(start.clone())],
            None => {
                let keep = |path: &TreePath, kind| match (kind, tree.os_path(path)) {
                    (EntryKind::Link, _) => false,
                    (EntryKind::Folder, Some(folder)) if tree.has_packs(path) => {
                        folders.push(folder);
                        false
                    }
                    _ => true,
                };
                tree.walk_where(keep).files
            }
        };
        for file in files {
            let seen = match &file {
                Ok(place) => finder.detect_met(place, Limits::default()),
                Err((_, e)) => Err(e.clone()),
            };
            match (seen, file) {
                (Ok(Some(seen)), Ok(place)) if seen.format.holds_model() => {
                    let path = tree.shown_path(&place);
                    self.models.extend(path.map(|path| FoundModel { path, format: seen.format, place }));
                }
                (Ok(_), _) => {}
                (Err(e), _) => self.refused.push(e.into()),
            }
        }
        folders.order_by(|a, b| b.cmp(a));
        folders
    }
}

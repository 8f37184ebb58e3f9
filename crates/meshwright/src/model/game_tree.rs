//! A tree of files as the files of a game of The Sims.

use meshwright_core::{Budget, Limits};
use meshwright_files::{EntryKind, Tree, TreePath};
use meshwright_tso::{GameFiles, GameIndex};

/// The maximum number of files whose names are indexed; a larger tree is not a game.
const MOST_FILES: usize = 1 << 17;

/// A tree as the files of a game.
#[derive(Debug)]
pub(super) struct GameTree<'t>(pub(super) &'t Tree);

impl GameFiles for GameTree<'_> {
    type Path = TreePath;

    fn name<'p>(&self, path: &'p TreePath) -> &'p [u8] {
        path.name()
    }

    fn is_beside(&self, path: &TreePath, other: &TreePath) -> bool {
        path.parent() == other.parent()
    }

    fn find_beside(&self, path: &TreePath, name: &str) -> Option<TreePath> {
        self.0.find(path.parent().join(name).ok()?).ok()?
    }

    fn size(&self, path: &TreePath) -> Option<u64> {
        self.0.size(path)
    }

    fn read(&self, path: &TreePath, most: u64) -> Option<Vec<u8>> {
        let budget = Budget::new(Limits::default().with_memory(most));
        self.0.read(path, &budget).ok().map(std::borrow::Cow::into_owned)
    }
}

impl GameTree<'_> {
    /// Returns the index of all files, whatever the user named: the parts of a character are next to it.
    pub(super) fn index(&self) -> GameIndex<TreePath> {
        let mut seen = 0_usize;
        let walk = self.0.unscoped().walk_where(|_, kind| {
            seen = seen.saturating_add(1);
            kind != EntryKind::Folder || seen < MOST_FILES
        });
        GameIndex::new(self, walk.files.into_iter().flatten())
    }
}

//! Finding what belongs to the models of a tree.

use super::OpenOptions;
#[cfg(feature = "tso")]
use super::sims::Index;
use meshwright_core::Budget;
use meshwright_files::{FilesError, Tree, TreePath};
use std::borrow::Cow;
#[cfg(feature = "tso")]
use std::collections::BTreeMap;
#[cfg(feature = "tso")]
use std::sync::{Arc, Mutex, PoisonError};

/// Opens the models of a tree; what it learned of a folder serves all models in it.
#[derive(Debug)]
pub struct Finder {
    pub(super) tree: Tree,
    #[cfg(feature = "tso")]
    sims: Mutex<BTreeMap<TreePath, Arc<Index>>>,
}

impl Finder {
    /// A finder that has seen nothing yet.
    pub fn new(tree: Tree) -> Self {
        Self {
            tree,
            #[cfg(feature = "tso")]
            sims: Mutex::default(),
        }
    }

    /// The tree.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    pub(super) fn read(&self, path: &TreePath, options: &OpenOptions) -> Result<Cow<'_, [u8]>, FilesError> {
        self.tree.read(path, &Budget::new(options.settings.read.limits))
    }

    /// What The Sims' files in a folder say of each other.
    #[cfg(feature = "tso")]
    pub(super) fn sims(&self, folder: &TreePath) -> Arc<Index> {
        let mut known = self.sims.lock().unwrap_or_else(PoisonError::into_inner);
        let index = known.entry(folder.clone()).or_insert_with(|| Arc::new(Index::of(&self.tree, folder)));
        Arc::clone(index)
    }
}

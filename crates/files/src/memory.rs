//! Bytes in memory.

use crate::byte_source::ByteSource;
use crate::error::FilesError;
use crate::inner_archives::{ArchiveHost, Inner, is_archive};
use crate::listing::{Listing, folders};
use crate::path::TreePath;
use meshwright_core::{Budget, Limits, SortedMap};
use std::sync::Arc;

/// Named bytes.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    files: SortedMap<TreePath, Arc<Vec<u8>>>,
    folders: SortedMap<TreePath, Arc<Listing>>,
    /// Archives of The Sims below the top.
    inner: Option<Inner>,
}

impl Memory {
    /// Returns a tree of these files.
    pub(crate) fn new(files: SortedMap<TreePath, Arc<Vec<u8>>>) -> Self {
        let folders = folders(files.keys());
        Self { files, folders, inner: None }
    }

    /// Sets that archives of The Sims are folders.
    pub(crate) fn with_inner(mut self, limits: Limits) -> Self {
        self.inner = Some(Inner::new(limits));
        self
    }

    /// Returns the archives of The Sims.
    pub(crate) fn inner(&self) -> Option<&Inner> {
        self.inner.as_ref()
    }

    pub(crate) fn list(&self, folder: &TreePath) -> Result<Arc<Listing>, FilesError> {
        let listing = self.folders.get(folder).map(Arc::clone);
        listing.ok_or_else(|| FilesError::not_found(folder.to_string()))
    }

    pub(crate) fn bytes(&self, path: &TreePath) -> Option<&[u8]> {
        self.files.get(path).map(|bytes| bytes.as_slice())
    }
}

impl ArchiveHost for Memory {
    fn looks_like_one(&self, path: &TreePath) -> bool {
        self.bytes(path).is_some_and(is_archive)
    }

    fn source(&self, path: &TreePath, _: &Budget) -> Result<Arc<dyn ByteSource>, FilesError> {
        let bytes = self.files.get(path).ok_or_else(|| FilesError::not_found(path.to_string()))?;
        Ok(Arc::<Vec<u8>>::clone(bytes))
    }

    fn display_path(&self, path: &TreePath) -> String {
        path.to_string()
    }
}

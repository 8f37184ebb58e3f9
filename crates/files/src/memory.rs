//! Bytes in memory.

use crate::error::FilesError;
use crate::listing::{EntryKind, Listing, Named};
use crate::path::TreePath;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Named bytes.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    files: BTreeMap<TreePath, Vec<u8>>,
    folders: BTreeMap<TreePath, Arc<Listing>>,
}

impl Memory {
    /// The files; of two with one path the later one.
    pub(crate) fn new(files: BTreeMap<TreePath, Vec<u8>>) -> Self {
        let folders = folders(files.keys());
        Self { files, folders }
    }

    pub(crate) fn list(&self, folder: &TreePath) -> Result<Arc<Listing>, FilesError> {
        let listing = self.folders.get(folder).map(Arc::clone);
        listing.ok_or_else(|| FilesError::not_found(folder.to_string()))
    }

    pub(crate) fn bytes(&self, path: &TreePath) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }
}

/// The folders that some files lie in, each with what lies in it. The top is always there.
pub(crate) fn folders<'a>(files: impl Iterator<Item = &'a TreePath>) -> BTreeMap<TreePath, Arc<Listing>> {
    let mut found: BTreeMap<TreePath, Vec<Named>> = BTreeMap::new();
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

//! Trees of files that the caller fetches.

use crate::error::FilesError;
use crate::listing::{EntryKind, Listing};
use crate::path::TreePath;
use meshwright_core::{Budget, SortedMap, SortedSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A request for a folder or file that is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Want {
    /// The listing of a folder is requested.
    Folder(TreePath),
    /// The content of a file is requested. The answer may be that it does not exist.
    File(TreePath),
}

/// A tree whose content the caller fetches without blocking: over the network, or in an engine's tasks.
///
/// An operation on its [tree](crate::Tree::remote) uses the files that are known so far, and records the
/// missing ones as wanted. The caller fetches these and repeats the operation until nothing is wanted; only
/// then the result is valid.
///
/// ```
/// use meshwright_files::{Remote, Tree, TreePath, Want};
///
/// let remote = Remote::unlisted();
/// assert_eq!(Tree::remote(&remote).find("models/h.dpm")?, None);
/// assert_eq!(remote.wants(), [Want::File(TreePath::new("models/h.dpm")?)]);
/// remote.file(TreePath::new("models/h.dpm")?, Some(b"model".to_vec()));
/// assert!(Tree::remote(&remote).exists("models/h.dpm") && remote.wants().is_empty());
/// # Ok::<(), meshwright_files::FilesError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Remote(Arc<Shared>);

#[derive(Debug)]
pub(crate) struct Shared {
    lists: bool,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    folders: SortedMap<TreePath, Arc<Listing>>,
    files: SortedMap<TreePath, Option<Arc<[u8]>>>,
    wants: SortedSet<Want>,
}

impl Remote {
    fn new(lists: bool) -> Self {
        Self(Arc::new(Shared { lists, known: Mutex::default() }))
    }

    /// Returns a remote with listings: names match ignoring case, as in every tree.
    #[must_use]
    pub fn listed() -> Self {
        Self::new(true)
    }

    /// Returns a remote without listings. Files are requested by their exact names, and each request is a
    /// [`Want::File`].
    #[must_use]
    pub fn unlisted() -> Self {
        Self::new(false)
    }

    pub(crate) fn shared_state(&self) -> Arc<Shared> {
        Arc::clone(&self.0)
    }

    /// Returns the requests since the last call, sorted.
    #[must_use]
    pub fn wants(&self) -> Vec<Want> {
        std::mem::take(&mut self.0.lock().wants).into_iter().collect()
    }

    /// Provides the listing of a folder, or the information that the folder does not exist. Names that no
    /// file can have are dropped.
    pub fn folder<N: AsRef<[u8]>>(
        &self,
        folder: TreePath,
        entries: impl IntoIterator<Item = (N, EntryKind)>,
    ) {
        let named = |(name, kind): (N, EntryKind)| {
            let name = name.as_ref();
            TreePath::ROOT.beside(name).is_ok().then(|| (name.into(), kind))
        };
        let listing = Listing::new(entries.into_iter().filter_map(named).collect());
        self.0.lock().folders.insert(folder, Arc::new(listing));
    }

    /// Provides the content of a file, or the information that it does not exist.
    pub fn file(&self, file: TreePath, bytes: Option<Vec<u8>>) {
        self.0.lock().files.insert(file, bytes.map(Into::into));
    }

    /// Returns the files that were fetched and exist.
    #[must_use]
    pub fn fetched(&self) -> Vec<TreePath> {
        let known = self.0.lock();
        known.files.iter().filter(|(_, bytes)| bytes.is_some()).map(|(path, _)| path.clone()).collect()
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn list(&self, folder: &TreePath) -> Result<Arc<Listing>, FilesError> {
        let mut known = self.lock();
        if let Some(listing) = known.folders.get(folder) {
            return Ok(Arc::clone(listing));
        }
        if self.lists {
            known.wants.insert(Want::Folder(folder.clone()));
        }
        Err(FilesError::not_found(folder.to_string()))
    }

    /// Returns true if folders can be listed.
    pub(crate) fn lists(&self) -> bool {
        self.lists
    }

    /// Returns the possible entries for a name in a folder if folders cannot be listed: it may be a file or
    /// a folder.
    pub(crate) fn named(&self, folder: &TreePath, name: &[u8]) -> Vec<(TreePath, EntryKind)> {
        if self.lists {
            return Vec::new();
        }
        vec![(folder.child(name), EntryKind::Link)]
    }

    /// Returns the kind of an entry of [`named`](Self::named). `want` states whether a file or a folder is
    /// requested.
    pub(crate) fn resolve(&self, path: &TreePath, want: EntryKind) -> EntryKind {
        match want {
            EntryKind::Folder => want,
            EntryKind::File if self.bytes(path).is_some() => want,
            _ => EntryKind::Link,
        }
    }

    /// Returns the content of a file, or requests it if it is not known.
    pub(crate) fn bytes(&self, path: &TreePath) -> Option<Arc<[u8]>> {
        let mut known = self.lock();
        if let Some(bytes) = known.files.get(path) {
            return bytes.clone();
        }
        known.wants.insert(Want::File(path.clone()));
        None
    }

    /// Does the same as [`bytes`](Self::bytes), and charges the bytes.
    pub(crate) fn read(&self, path: &TreePath, most: u64, budget: &Budget) -> Result<Vec<u8>, FilesError> {
        let bytes = self.bytes(path).ok_or_else(|| FilesError::not_found(path.to_string()))?;
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(bytes.len());
        let (size, left) = (most as u64, budget.remaining());
        if size > left {
            return Err(FilesError::TooLarge { path: path.to_string(), size, left });
        }
        budget.charge("file", size)?;
        Ok(bytes.get(..most).unwrap_or_default().to_vec())
    }
}

//! Archives of The Sims in a pack, or in a folder below the top. They are folders too, one level deep,
//! because a game keeps its archives in subfolders, and add-ons are archives in archives.

use crate::byte_source::ByteSource;
use crate::cache::Cache;
use crate::error::FilesError;
use crate::listing::{EntryKind, Listing};
use crate::pack::shared_bytes::inner_allowance;
use crate::pack::{Coding, Pack, PackKind};
use crate::path::TreePath;
use meshwright_core::{Budget, Limits, SortedMap};
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

/// The maximum number of files per folder whose first bytes are read. In folders with more files, archives
/// are not detected.
const MOST_LOOKS: usize = 4096;
/// The number of bytes that identify an archive.
const HEAD: usize = 4;

/// A pack, or the reason why it cannot be read; `None` if a file is not an archive.
type Found = Option<Result<Arc<Pack>, FilesError>>;

/// The archives of a folder or pack. They are opened when they are first used.
#[derive(Debug)]
pub(crate) struct Inner {
    state: Mutex<State>,
    /// Listings of folders, with archives as folders.
    listings: Cache<Listing>,
}

#[derive(Debug)]
struct State {
    archives: SortedMap<TreePath, Found>,
    looks: usize,
    /// The memory left for directories of archives and for decompressed archives.
    left: u64,
}

/// The folder or pack that contains an archive.
pub(crate) trait ArchiveHost {
    /// Returns false if a quick check shows that a file is not an archive.
    fn looks_like_one(&self, path: &TreePath) -> bool;
    /// Returns the bytes of a file. Bytes that are read into memory are charged.
    fn source(&self, path: &TreePath, budget: &Budget) -> Result<Arc<dyn ByteSource>, FilesError>;
    /// Returns the path for messages.
    fn display_path(&self, path: &TreePath) -> String;
}

impl Inner {
    pub(crate) fn new(limits: Limits) -> Self {
        let state = State { archives: SortedMap::new(), looks: 0, left: limits.memory };
        Self { state: Mutex::new(state), listings: Cache::new() }
    }

    /// Returns true if a file may be an archive, according to its name.
    pub(crate) fn may_be(path: &TreePath) -> bool {
        PackKind::from_name(path.name()) == Some(PackKind::Far)
    }

    /// Opens a file as an archive; `None` if it is not one.
    pub(crate) fn open(&self, path: &TreePath, place: &dyn ArchiveHost) -> Found {
        if !Self::may_be(path) {
            return None;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = state.archives.get(path) {
            return known.clone();
        }
        if state.looks >= MOST_LOOKS {
            return None;
        }
        state.looks = state.looks.saturating_add(1);
        // All archives share one budget, because many archives can have the same bytes.
        let budget = Budget::new(Limits::default().with_memory(state.left));
        let found = place.looks_like_one(path).then(|| opened(path, place, &budget)).flatten();
        state.left = budget.remaining();
        state.archives.insert(path.clone(), found.clone());
        found
    }

    /// Returns the outermost archive on a path, as the path of the archive, the archive, and the rest of
    /// the path below it. The rest is the root if the path is that of the archive.
    pub(crate) fn within(
        &self,
        path: &TreePath,
        place: &dyn ArchiveHost,
    ) -> Option<(TreePath, Result<Arc<Pack>, FilesError>, TreePath)> {
        let mut at = TreePath::ROOT;
        for name in path.names() {
            at = at.child(name);
            if let Some(pack) = self.open(&at, place) {
                let rest = path.below(&at).unwrap_or_default();
                return Some((at, pack, rest));
            }
        }
        None
    }

    /// Returns a listing in which archives are both files and folders.
    pub(crate) fn listed(
        &self,
        folder: &TreePath,
        list: impl FnOnce() -> Result<Arc<Listing>, FilesError>,
        place: &dyn ArchiveHost,
    ) -> Result<Arc<Listing>, FilesError> {
        if let Some(known) = self.listings.get(folder) {
            return Ok(known);
        }
        let listing = list()?;
        let is_archive = |name: &&[u8]| self.open(&folder.child(name), place).is_some();
        let files = listing.iter().filter(|(_, kind)| *kind == EntryKind::File).map(|(name, _)| name);
        let archives: Vec<Box<[u8]>> = files.filter(is_archive).map(Into::into).collect();
        let whole = if archives.is_empty() { listing } else { Arc::new(listing.with_folders(archives)) };
        self.listings.keep(folder, whole.len(), &whole);
        Ok(whole)
    }

    /// Returns the archives that were opened.
    pub(crate) fn opened(&self) -> Vec<(TreePath, Result<Arc<Pack>, FilesError>)> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.archives.iter().filter_map(|(path, found)| Some((path.clone(), found.clone()?))).collect()
    }
}

/// Returns whether bytes begin like an archive.
pub(crate) fn is_archive(head: &[u8]) -> bool {
    PackKind::from_magic(head) == Some(PackKind::Far)
}

fn opened(path: &TreePath, place: &dyn ArchiveHost, budget: &Budget) -> Found {
    let source = match place.source(path, budget) {
        Ok(source) => source,
        Err(e) => return Some(Err(e)),
    };
    let mut head = [0; HEAD];
    source.read_at(0, &mut head).ok()?;
    let most = inner_allowance(source.size());
    is_archive(&head)
        .then(|| Pack::open_shared(source, &place.display_path(path), budget, most).map(Arc::new))
}

/// A stored, uncompressed member, read directly from its pack.
#[derive(Debug)]
struct Window {
    source: Arc<dyn ByteSource>,
    start: u64,
    size: u64,
}

impl ByteSource for Window {
    fn size(&self) -> u64 {
        self.size
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let end = offset.checked_add(into.len() as u64).filter(|end| *end <= self.size);
        end.ok_or(io::ErrorKind::UnexpectedEof)?;
        self.source.read_at(self.start.saturating_add(offset), into)
    }
}

impl ArchiveHost for Pack {
    fn looks_like_one(&self, path: &TreePath) -> bool {
        let Some(member) = self.member(path).filter(|m| m.refusal().is_none()) else { return false };
        let budget = Budget::new(Limits::default());
        // RefPack can be decompressed only as a whole.
        member.coding() == Coding::RefPack
            || self.read_head(member, HEAD as u64, &budget).is_ok_and(|head| is_archive(&head))
    }

    fn source(&self, path: &TreePath, budget: &Budget) -> Result<Arc<dyn ByteSource>, FilesError> {
        let member = self.member(path).ok_or_else(|| FilesError::not_found(path.to_string()))?;
        if member.coding() == Coding::Stored && member.refusal().is_none() {
            let (source, start, size) = (self.shared_source(), member.start, member.size());
            return Ok(Arc::new(Window { source, start, size }));
        }
        Ok(Arc::new(self.read(member, budget)?))
    }

    fn display_path(&self, path: &TreePath) -> String {
        format!("{}/{path}", self.name())
    }
}

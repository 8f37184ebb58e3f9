//! A folder of the operating system.

use crate::byte_source::ByteSource;
use crate::cache::Cache;
use crate::error::FilesError;
use crate::inner_archives::{ArchiveHost, Inner, is_archive};
use crate::listing::{EntryKind, Listing};
use crate::os::{self, Unread};
use crate::pack::PackKind;
use crate::pack_order::{Mountable, PackOrder};
use crate::path::{TreePath, display_name};
use meshwright_core::{Budget, Limits, SortedSet};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A folder of the operating system, with its cached listings.
#[derive(Debug)]
pub(crate) struct Folder {
    top: PathBuf,
    /// The path of the folder without symbolic links, computed when a link needs it.
    resolved: OnceLock<Option<PathBuf>>,
    start: Option<Start>,
    /// True if the named file is the only one in the tree.
    alone: bool,
    /// True if links are followed outside the folder too.
    follows_links: bool,
    /// The mounted packs and folders at the top, in search order.
    mounts: OnceLock<Vec<Mountable>>,
    listings: Cache<Listing>,
    /// Archives of The Sims below the top.
    inner: Option<Inner>,
}

/// The file that the caller named, if it named a file.
#[derive(Debug)]
struct Start {
    file: TreePath,
    folder: TreePath,
    /// The path as the caller named it. Messages use this path.
    os_file: PathBuf,
    os_folder: PathBuf,
}

impl Folder {
    pub(crate) fn new(top: PathBuf) -> Self {
        Self {
            top,
            resolved: OnceLock::new(),
            start: None,
            alone: false,
            follows_links: false,
            mounts: OnceLock::new(),
            listings: Cache::new(),
            inner: None,
        }
    }

    /// Sets that archives of The Sims below the top are folders.
    pub(crate) fn with_inner(mut self, limits: Limits) -> Self {
        self.inner = Some(Inner::new(limits));
        self
    }

    /// Sets whether links out of the folder are followed.
    pub(crate) fn following(mut self, follows_links: bool) -> Self {
        self.follows_links = follows_links;
        self
    }

    /// Returns the archives of The Sims in the folder.
    pub(crate) fn inner(&self) -> Option<&Inner> {
        self.inner.as_ref().filter(|_| !self.alone)
    }

    /// Returns the tree around a file (its folder, or the parent of an enclosing `models` folder) and the
    /// path of the file in it.
    pub(crate) fn around(file: &Path) -> Result<(Self, TreePath), FilesError> {
        let name = file
            .file_name()
            .ok_or_else(|| FilesError::BadPath { path: shown_os(file), why: "names no file" })?;
        let os_folder = parent(file);
        let (top, folder) = enclosing(&os_folder);
        let path = folder.child(name.as_encoded_bytes());
        let start = Start { file: path.clone(), folder, os_file: file.to_owned(), os_folder };
        Ok((Self { start: Some(start), ..Self::new(top) }, path))
    }

    /// Returns a tree with only this file, and the path of the file in it.
    pub(crate) fn alone(file: &Path) -> Result<(Self, TreePath), FilesError> {
        let (around, path) = Self::around(file)?;
        let path = TreePath::ROOT.child(path.name());
        let os_folder = parent(file);
        let start = Start { file: path.clone(), folder: TreePath::ROOT, os_file: file.to_owned(), os_folder };
        Ok((Self { start: Some(start), alone: true, ..around }, path))
    }

    /// Returns the path for the operating system.
    pub(crate) fn os_path(&self, path: &TreePath) -> Option<PathBuf> {
        let below = |top: &Path, path: &TreePath| {
            let mut whole = top.to_owned();
            for name in path.names() {
                whole.push(os::os_name(name)?);
            }
            Some(whole)
        };
        if let Some(start) = &self.start {
            if *path == start.file {
                return Some(start.os_file.clone());
            }
            if let Some(rest) = path.below(&start.folder) {
                return below(&start.os_folder, &rest);
            }
        }
        below(&self.top, path)
    }

    /// Returns true if this is the file that the caller named. It is read even if it is not a regular file.
    pub(crate) fn is_start(&self, path: &TreePath) -> bool {
        self.start.as_ref().is_some_and(|start| start.file == *path)
    }

    /// Lists a folder. The listing is cached.
    pub(crate) fn list(&self, folder: &TreePath) -> Result<Arc<Listing>, FilesError> {
        if let Some(start) = self.start.as_ref().filter(|_| self.alone) {
            if !folder.is_root() {
                return Err(FilesError::not_found(folder.to_string()));
            }
            return Ok(Arc::new(Listing::new(vec![(start.file.name().into(), EntryKind::File)])));
        }
        if let Some(listing) = self.listings.get(folder) {
            return Ok(listing);
        }
        let path = self.os_path(folder).ok_or_else(|| FilesError::not_found(folder.to_string()))?;
        let mut listing = os::list(&path).map_err(|e| FilesError::system(folder.to_string(), &e))?;
        if let Some(mounts) = self.mounts.get().filter(|mounts| folder.is_root() && !mounts.is_empty()) {
            let mounted: SortedSet<&[u8]> = mounts.iter().map(|mount| &*mount.name).collect();
            listing = listing.without(|name| mounted.contains(name));
        }
        let listing = Arc::new(listing);
        self.listings.keep(folder, listing.len(), &listing);
        Ok(listing)
    }

    /// Returns the packs at the top, which are mounted: they are removed from the listing, and a later one
    /// hides an earlier one.
    pub(crate) fn mount(&self, order: PackOrder) -> &[Mountable] {
        self.mounts.get_or_init(|| {
            if self.alone {
                return Vec::new();
            }
            let mut found = self.mountable(&TreePath::ROOT);
            order.sort(&mut found);
            found
        })
    }

    /// Returns true if a file with a possible pack name is a pack.
    fn is_pack(&self, path: &TreePath) -> bool {
        PackKind::is_telling(path.name())
            || self
                .os_path(path)
                .and_then(|path| os::head(&path, 4).ok())
                .is_some_and(|head| PackKind::from_magic(&head).is_some())
    }

    /// Returns the packs in a folder. The listing is not cached.
    pub(crate) fn mountable(&self, folder: &TreePath) -> Vec<Mountable> {
        let path = self.os_path(folder);
        let Some(listing) = path.and_then(|path| os::list(&path).ok()) else { return Vec::new() };
        let entries = listing.iter().filter_map(|(name, kind)| {
            let kind = if kind == EntryKind::Link { self.follow(&folder.child(name)) } else { kind };
            match kind {
                EntryKind::File => {
                    Mountable::from_name(name, false).filter(|_| self.is_pack(&folder.child(name)))
                }
                EntryKind::Folder => Mountable::from_name(name, true),
                _ => None,
            }
        });
        entries.collect()
    }

    /// Returns the kind of the entry with exactly this path. It works for folders that can be entered but
    /// not listed.
    pub(crate) fn kind(&self, path: &TreePath) -> Option<EntryKind> {
        os::own_kind(&self.os_path(path)?).ok()
    }

    /// Returns the kind of a link's target. A target outside the tree is never opened.
    pub(crate) fn follow(&self, link: &TreePath) -> EntryKind {
        self.target(link).map_or(EntryKind::Other, |(_, kind)| kind)
    }

    /// Returns the target of a link and its kind; `None` if it is outside the tree and must not be followed.
    pub(crate) fn target(&self, link: &TreePath) -> Option<(PathBuf, EntryKind)> {
        let target = os::resolved(&self.os_path(link)?).ok()?;
        let kind = os::kind(&target).ok().filter(|_| self.follows_links || self.holds(&target))?;
        Some((target, kind))
    }

    /// Returns true if the target of a link is outside the folder.
    pub(crate) fn leads_out(&self, link: &TreePath) -> bool {
        let target = self.os_path(link).and_then(|at| os::resolved(&at).ok());
        target.is_some_and(|target| !self.holds(&target))
    }

    /// Returns true if a resolved path is in the folder.
    fn holds(&self, target: &Path) -> bool {
        self.resolved().is_some_and(|top| target.starts_with(top))
    }

    fn resolved(&self) -> Option<&Path> {
        self.resolved.get_or_init(|| os::resolved(&self.top).ok()).as_deref()
    }

    /// Returns the path in this tree of a file of the operating system.
    pub(crate) fn locate(&self, file: &Path) -> Option<TreePath> {
        if let Some(start) = self.start.as_ref().filter(|_| self.alone) {
            return (start.os_file == file).then(|| start.file.clone());
        }
        let folder = os::resolved(&parent(file)).ok()?;
        let below = folder.strip_prefix(self.resolved()?).ok()?;
        let names = below.components().map(Component::as_os_str).chain([file.file_name()?]);
        Some(names.fold(TreePath::ROOT, |at, name| at.child(name.as_encoded_bytes())))
    }

    /// Reads the first bytes of an existing file, at most `most`.
    pub(crate) fn head(&self, path: &TreePath, most: u64, budget: &Budget) -> Result<Vec<u8>, FilesError> {
        if self.is_start(path) {
            // The file may be a pipe, which can be read only once.
            return self.read(path, budget);
        }
        let named = path.to_string();
        let Some(os_path) = self.os_path(path) else { return Err(FilesError::not_found(named)) };
        os::head(&os_path, most).map_err(|e| FilesError::system(named, &e))
    }

    /// Returns the size of a file in bytes.
    pub(crate) fn size(&self, path: &TreePath) -> Option<u64> {
        os::size(&self.os_path(path)?).ok()
    }

    /// Reads an existing file.
    pub(crate) fn read(&self, path: &TreePath, budget: &Budget) -> Result<Vec<u8>, FilesError> {
        let named = path.to_string();
        let Some(os_path) = self.os_path(path) else { return Err(FilesError::not_found(named)) };
        let left = budget.remaining();
        let bytes = os::read(&os_path, left).map_err(|e| match e {
            Unread::Folder => FilesError::WrongKind { path: named.clone(), why: "is a folder" },
            Unread::TooLarge(size) => FilesError::TooLarge { path: named.clone(), size, left },
            Unread::System(e) => FilesError::system(named.clone(), &e),
        })?;
        budget.charge("file", bytes.len() as u64)?;
        Ok(bytes)
    }
}

impl ArchiveHost for Folder {
    fn looks_like_one(&self, path: &TreePath) -> bool {
        // The named file is read even if it is not a regular file, but only once.
        let at = self.os_path(path).filter(|_| !self.is_start(path));
        at.and_then(|at| os::head(&at, 4).ok()).is_some_and(|head| is_archive(&head))
    }

    fn source(&self, path: &TreePath, _: &Budget) -> Result<Arc<dyn ByteSource>, FilesError> {
        let at = self.os_path(path).ok_or_else(|| FilesError::not_found(path.to_string()))?;
        let file = os::open(&at).map_err(|e| FilesError::system(path.to_string(), &e))?;
        Ok(Arc::new(file))
    }

    fn display_path(&self, path: &TreePath) -> String {
        self.os_path(path).map_or_else(|| path.to_string(), |at| shown_os(&at))
    }
}

/// Returns the kind of the target of a path of the operating system.
pub(crate) fn kind_of(path: &Path) -> Result<EntryKind, FilesError> {
    os::kind(path).map_err(|e: io::Error| FilesError::system(shown_os(path), &e))
}

fn shown_os(path: &Path) -> String {
    display_name(path.as_os_str().as_encoded_bytes())
}

fn parent(file: &Path) -> PathBuf {
    let parent = file.parent().filter(|p| !p.as_os_str().is_empty());
    parent.unwrap_or(Path::new(".")).to_owned()
}

/// Returns the parent of the nearest `models` folder that is or contains a folder, and the path from there; otherwise the
/// folder itself.
fn enclosing(folder: &Path) -> (PathBuf, TreePath) {
    let alone = || (folder.to_owned(), TreePath::ROOT);
    let Ok(whole) = os::absolute(folder) else { return alone() };
    let mut names: Vec<&[u8]> = Vec::new();
    let mut at = whole.as_path();
    loop {
        // The meaning of `..` depends on links.
        let Some(Component::Normal(name)) = at.components().next_back() else { return alone() };
        names.push(name.as_encoded_bytes());
        let Some(above) = at.parent() else { return alone() };
        at = above;
        if name.eq_ignore_ascii_case("models") {
            let path = names.iter().rev().fold(TreePath::ROOT, |at, name| at.child(name));
            return (as_named(folder, names.len()).unwrap_or_else(|| at.to_owned()), path);
        }
    }
}

/// Returns the parent folder `levels` levels up, if the path as named includes it.
fn as_named(folder: &Path, levels: usize) -> Option<PathBuf> {
    let mut at = folder;
    for _ in 0..levels {
        at.components().next_back().filter(|c| matches!(c, Component::Normal(_)))?;
        at = at.parent()?;
    }
    Some(if at.as_os_str().is_empty() { PathBuf::from(".") } else { at.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_lies_in_the_parent_of_its_models_folder() {
        for (folder, top, path) in [
            ("/d/models/player", "/d", "models/player"),
            ("/d/Models", "/d", "Models"),
            ("/models/a/models/b", "/models/a", "models/b"),
            ("/d/models/../player", "/d/models/../player", ""),
            ("d/models/player", "d", "models/player"),
            ("models", ".", "models"),
            ("d/x", "d/x", ""),
        ] {
            assert_eq!(enclosing(Path::new(folder)), (top.into(), path.parse().unwrap()), "{folder}");
        }
    }
}

//! A layer of a tree.

use crate::error::FilesError;
use crate::folder::Folder;
use crate::inner_archives::{ArchiveHost, Inner};
use crate::listing::{EntryKind, Listing};
use crate::memory::Memory;
use crate::mount::Mount;
use crate::os;
use crate::pack::Pack;
use crate::path::TreePath;
use crate::remote::Shared;
use meshwright_core::{Budget, SortedSet};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A folder, a pack, or bytes in memory.
#[derive(Debug)]
pub(crate) enum Layer {
    Folder(Folder),
    Memory(Memory),
    Pack(Mount),
    Remote(Arc<Shared>),
}

impl Layer {
    /// Lists an existing folder.
    pub(crate) fn list(&self, folder: &TreePath) -> Result<Arc<Listing>, FilesError> {
        if let Some((_, pack, rest)) = self.within(folder) {
            return pack?.list(&rest);
        }
        let own = || match self {
            Self::Folder(f) => f.list(folder),
            Self::Memory(m) => m.list(folder),
            Self::Pack(p) => p.pack().map_err(Clone::clone)?.list(folder),
            Self::Remote(r) => r.list(folder),
        };
        match self.inner() {
            Some((inner, place)) => inner.listed(folder, own, place),
            None => own(),
        }
    }

    /// Returns the archives of The Sims in the layer.
    pub(crate) fn inner(&self) -> Option<(&Inner, &dyn ArchiveHost)> {
        match self {
            Self::Folder(f) => Some((f.inner()?, f)),
            Self::Pack(p) => Some((p.inner(), &**p.pack().ok()?)),
            Self::Memory(m) => Some((m.inner()?, m)),
            Self::Remote(_) => None,
        }
    }

    /// Returns the archive that an existing path is or leads into, its path, and the rest of the path.
    pub(crate) fn within(
        &self,
        path: &TreePath,
    ) -> Option<(TreePath, Result<Arc<Pack>, FilesError>, TreePath)> {
        let (inner, place) = self.inner()?;
        inner.within(path, place)
    }

    /// Returns the pack that an existing file is a member of, and its path in that pack.
    pub(crate) fn pack_of(&self, path: &TreePath) -> Option<Result<(Arc<Pack>, TreePath), FilesError>> {
        if let Some((_, pack, rest)) = self.within(path).filter(|(.., rest)| !rest.is_root()) {
            return Some(pack.map(|pack| (pack, rest)));
        }
        match self {
            Self::Pack(p) => Some(p.pack().map(|p| (Arc::clone(p), path.clone())).map_err(Clone::clone)),
            Self::Folder(_) | Self::Memory(_) | Self::Remote(_) => None,
        }
    }

    /// Returns the name of a pack that cannot be read, and the reason.
    pub(crate) fn refusal(&self) -> Option<(TreePath, FilesError)> {
        match self {
            Self::Pack(mount) => mount.pack().err().map(|e| (mount.place().clone(), e.clone())),
            Self::Folder(_) | Self::Memory(_) | Self::Remote(_) => None,
        }
    }

    /// Returns the kind of an entry after following links. `want` states whether a file or a folder is
    /// requested.
    pub(crate) fn resolve(&self, path: &TreePath, kind: EntryKind, want: EntryKind) -> EntryKind {
        match self {
            Self::Folder(f) if kind == EntryKind::Link => f.follow(path),
            Self::Remote(r) if kind == EntryKind::Link => r.resolve(path, want),
            _ => kind,
        }
    }

    /// Returns true if an entry is a link out of the tree, which is not followed.
    pub(crate) fn leads_out(&self, path: &TreePath) -> bool {
        matches!(self, Self::Folder(f) if f.kind(path) == Some(EntryKind::Link) && f.target(path).is_none() && f.leads_out(path))
    }

    /// Returns the kind of a link's target during a walk. Each folder is entered once, and not at all if it
    /// contains the link.
    pub(crate) fn enter(&self, link: &TreePath, entered: &mut SortedSet<PathBuf>) -> EntryKind {
        let Self::Folder(folder) = self else { return EntryKind::Other };
        let Some((target, kind)) = folder.target(link) else { return EntryKind::Other };
        let within = || folder.os_path(link).and_then(|at| os::resolved(at.parent()?).ok());
        let again = kind == EntryKind::Folder
            && (within().is_none_or(|at| at.starts_with(&target)) || !entered.insert(target));
        if again { EntryKind::Other } else { kind }
    }

    /// Returns all entries of a kind that match a path: exact matches first, then those that differ in case.
    pub(crate) fn find_all(&self, path: &TreePath, want: EntryKind) -> Vec<TreePath> {
        let mut found = Vec::new();
        self.search(path, want, |path| {
            found.push(path);
            false
        });
        found
    }

    /// Returns the first of [`find_all`](Self::find_all).
    pub(crate) fn find(&self, path: &TreePath, want: EntryKind) -> Option<TreePath> {
        let mut found = None;
        self.search(path, want, |path| {
            found = Some(path);
            true
        });
        found
    }

    /// Calls `enough` with each match until it returns true.
    fn search(&self, path: &TreePath, want: EntryKind, mut enough: impl FnMut(TreePath) -> bool) {
        if want == EntryKind::File
            && matches!(self, Self::Folder(f) if f.is_start(path))
            && enough(path.clone())
        {
            return;
        }
        let names: Vec<_> = path.names().collect();
        let mut open = vec![(TreePath::ROOT, 0_usize)];
        while let Some((at, depth)) = open.pop() {
            let Some(name) = names.get(depth) else {
                let is_known = !matches!(self, Self::Remote(r) if !r.lists());
                if want == EntryKind::Folder && is_known && enough(at) {
                    return;
                }
                continue;
            };
            let depth = depth.saturating_add(1);
            let wanted = if depth == names.len() { want } else { EntryKind::Folder };
            let mut entries = self.named(&at, name);
            entries.retain(|(path, kind)| self.resolve(path, *kind, wanted) == wanted);
            if wanted == EntryKind::Folder {
                // The first entry is searched first.
                open.extend(entries.into_iter().rev().map(|(path, _)| (path, depth)));
            } else if entries.into_iter().any(|(path, _)| enough(path)) {
                return;
            }
        }
    }

    fn named(&self, folder: &TreePath, name: &[u8]) -> Vec<(TreePath, EntryKind)> {
        match (self.list(folder), self) {
            (Ok(listing), _) => listing.named(name).map(|(name, kind)| (folder.child(name), kind)).collect(),
            (Err(FilesError::System { .. }), Self::Folder(f)) => {
                let path = folder.child(name);
                f.kind(&path).map(|kind| (path, kind)).into_iter().collect()
            }
            (Err(_), Self::Remote(r)) => r.named(folder, name),
            (Err(_), _) => Vec::new(),
        }
    }

    /// Reads an existing file.
    pub(crate) fn read(&self, path: &TreePath, budget: &Budget) -> Result<Cow<'_, [u8]>, FilesError> {
        if let Some(place) = self.pack_of(path) {
            let (pack, path) = place?;
            return pack.read(pack.known(&path)?, budget).map(Cow::Owned);
        }
        match self {
            Self::Folder(f) => f.read(path, budget).map(Cow::Owned),
            Self::Pack(_) => Err(FilesError::not_found(path.to_string())),
            Self::Memory(m) => {
                let bytes = m.bytes(path).ok_or_else(|| FilesError::not_found(path.to_string()))?;
                let (size, left) = (bytes.len() as u64, budget.remaining());
                if size > left {
                    return Err(FilesError::TooLarge { path: path.to_string(), size, left });
                }
                budget.charge("file", size)?;
                Ok(Cow::Borrowed(bytes))
            }
            Self::Remote(r) => r.read(path, u64::MAX, budget).map(Cow::Owned),
        }
    }

    /// Reads the first bytes of an existing file, at most `most`.
    pub(crate) fn head(&self, path: &TreePath, most: u64, budget: &Budget) -> Result<Vec<u8>, FilesError> {
        if let Some(place) = self.pack_of(path) {
            let (pack, path) = place?;
            return pack.read_head(pack.known(&path)?, most, budget);
        }
        match self {
            Self::Folder(f) => f.head(path, most, budget),
            Self::Pack(_) => Err(FilesError::not_found(path.to_string())),
            Self::Memory(m) => {
                let bytes = m.bytes(path).ok_or_else(|| FilesError::not_found(path.to_string()))?;
                let most = usize::try_from(most).unwrap_or(usize::MAX).min(bytes.len());
                Ok(bytes.get(..most).unwrap_or_default().to_vec())
            }
            Self::Remote(r) => r.read(path, most, budget),
        }
    }

    /// Returns the size of an existing file: as the pack states it, or the actual size in a folder or in
    /// memory.
    pub(crate) fn size(&self, path: &TreePath) -> Option<u64> {
        if let Some(place) = self.pack_of(path) {
            let (pack, path) = place.ok()?;
            return pack.member(&path).map(|member| member.size);
        }
        match self {
            Self::Folder(f) => f.size(path),
            Self::Memory(m) => m.bytes(path).map(|bytes| bytes.len() as u64),
            Self::Remote(r) => r.bytes(path).map(|bytes| bytes.len() as u64),
            Self::Pack(_) => None,
        }
    }

    /// Returns the path of a file for messages, including its pack; `None` in memory.
    pub(crate) fn shown_path(&self, path: &TreePath) -> Option<PathBuf> {
        match self {
            Self::Folder(f) => f.os_path(path),
            Self::Memory(_) | Self::Remote(_) => None,
            Self::Pack(p) => {
                let names = path.names().map(String::from_utf8_lossy);
                Some(names.fold(p.display_path()?, |at, name| at.join(&*name)))
            }
        }
    }

    /// Returns the file of the operating system that holds an existing file.
    pub(crate) fn container(&self, path: &TreePath) -> Option<PathBuf> {
        match self {
            Self::Pack(mount) => mount.path().map(Path::to_owned),
            Self::Folder(f) => {
                let archive = self.within(path).map(|(at, ..)| at);
                f.os_path(archive.as_ref().unwrap_or(path))
            }
            Self::Memory(_) | Self::Remote(_) => None,
        }
    }

    /// Returns the path for the operating system.
    pub(crate) fn os_path(&self, path: &TreePath) -> Option<PathBuf> {
        match self {
            Self::Folder(_) if self.pack_of(path).is_some() => None,
            Self::Folder(f) => f.os_path(path),
            Self::Memory(_) | Self::Pack(_) | Self::Remote(_) => None,
        }
    }
}

//! Several places as one tree.

use crate::cache::Cache;
use crate::error::FilesError;
use crate::folder::{Folder, kind_of};
use crate::layer::Layer;
use crate::listing::EntryKind;
use crate::memory::Memory;
use crate::path::{AsTreePath, TreePath};
use meshwright_core::Budget;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Folders and bytes in memory as one read-only tree of named bytes.
///
/// Cloning is cheap; clones share what was listed. Folders are listed once, when something in them is first looked
/// for: what appears there later may not be seen.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The later ones hide the earlier ones.
    layers: Vec<Arc<Layer>>,
    /// The file that was named, and the layer that it lies in.
    start: Option<(usize, TreePath)>,
    listed: Arc<Cache<[Entry]>>,
}

/// What lies in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its path from the top of the tree, spelled as it is.
    pub path: TreePath,
    /// A file or a folder, links followed; else it cannot be read.
    pub kind: EntryKind,
}

/// All files of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Walk {
    /// The files, in each folder its own before those of the folders in it; where a folder cannot be listed, why.
    pub files: Vec<Result<TreePath, (TreePath, FilesError)>>,
    /// How many files a later layer hides.
    pub hidden: u64,
}

impl Tree {
    /// The tree of a folder; or that around a file, which becomes its [start](Self::start): the file's folder, or the
    /// parent of the nearest `models` folder that it lies in.
    ///
    /// # Errors
    /// When nothing lies there.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FilesError> {
        let path = path.as_ref();
        if kind_of(path)? == EntryKind::Folder {
            return Ok(Self::of([Layer::Folder(Folder::new(path.to_owned()))]));
        }
        let (folder, start) = Folder::around(path)?;
        Ok(Self { start: Some((0, start)), ..Self::of([Layer::Folder(folder)]) })
    }

    /// The tree of a file and nothing else, which is its [start](Self::start).
    ///
    /// # Errors
    /// When there is no such file.
    pub fn file(path: impl AsRef<Path>) -> Result<Self, FilesError> {
        let path = path.as_ref();
        let (folder, start) = Folder::alone(path)?;
        if kind_of(path)? == EntryKind::Folder {
            return Err(FilesError::WrongKind { path: start.to_string(), why: "is a folder" });
        }
        Ok(Self { start: Some((0, start)), ..Self::of([Layer::Folder(folder)]) })
    }

    /// A tree of named bytes. Of two with one name the later one stays.
    ///
    /// # Errors
    /// When a name is no path of a tree, or none at all.
    pub fn memory<N: AsTreePath, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (N, B)>,
    ) -> Result<Self, FilesError> {
        let mut named = BTreeMap::new();
        for (name, bytes) in files {
            let path = name.as_tree_path()?.into_owned();
            if path.is_root() {
                return Err(FilesError::BadPath { path: String::new(), why: "a file needs a name" });
            }
            named.insert(path, bytes.into());
        }
        Ok(Self::of([Layer::Memory(Memory::new(named))]))
    }

    /// Several trees as one: what has the same path in a later tree, whatever its case, hides what an earlier one has
    /// there. The start is that of the last tree with one.
    pub fn layered(trees: impl IntoIterator<Item = Self>) -> Self {
        let mut whole = Self::of([]);
        for tree in trees {
            let below = whole.layers.len();
            let start = tree.start.map(|(layer, path)| (layer.saturating_add(below), path));
            whole.start = start.or(whole.start);
            whole.layers.extend(tree.layers);
        }
        whole
    }

    /// The tree with a folder on top, which hides what it has.
    ///
    /// # Errors
    /// When it is no folder.
    pub fn with_root(self, folder: impl AsRef<Path>) -> Result<Self, FilesError> {
        let root = Self::open(folder)?;
        match root.start {
            Some((_, path)) => Err(FilesError::WrongKind { path: path.to_string(), why: "is no folder" }),
            None => Ok(Self::layered([self, root])),
        }
    }

    fn of<const N: usize>(layers: [Layer; N]) -> Self {
        Self { layers: layers.map(Arc::new).into(), start: None, listed: Arc::new(Cache::new()) }
    }

    /// The file that was named, when [`open`](Self::open) was given a file. It is read whatever it is and whatever
    /// hides it.
    pub fn start(&self) -> Option<&TreePath> {
        self.start.as_ref().map(|(_, path)| path)
    }

    /// The file that a path means: the exact one, else one that differs in case, of the last layer that has one.
    ///
    /// # Errors
    /// When it is no path of a tree.
    pub fn find(&self, path: impl AsTreePath) -> Result<Option<TreePath>, FilesError> {
        Ok(self.lookup(&*path.as_tree_path()?).map(|(_, path)| path))
    }

    /// Whether a path means a file.
    pub fn exists(&self, path: impl AsTreePath) -> bool {
        matches!(self.find(path), Ok(Some(_)))
    }

    fn lookup(&self, path: &TreePath) -> Option<(&Layer, TreePath)> {
        let start = self.start.as_ref().filter(|(_, start)| start == path);
        let named = start.and_then(|(layer, path)| Some((&**self.layers.get(*layer)?, path.clone())));
        named.or_else(|| {
            let layers = self.layers.iter().rev();
            layers.map(|layer| &**layer).find_map(|l| Some((l, l.find(path, EntryKind::File)?)))
        })
    }

    /// The bytes of the file that a path means. They are charged, and a larger file is not read.
    ///
    /// # Errors
    /// When there is no such file, when it cannot be read, or when it is larger than the budget allows.
    pub fn read(&self, path: impl AsTreePath, budget: &Budget) -> Result<Cow<'_, [u8]>, FilesError> {
        let path = path.as_tree_path()?;
        match self.lookup(&path) {
            Some((layer, found)) => layer.read(&found, budget),
            None => Err(self.missing(&path)),
        }
    }

    /// Why there is no file with a path.
    fn missing(&self, path: &TreePath) -> FilesError {
        let is = |kind| self.layers.iter().any(|layer| layer.find(path, kind).is_some());
        let why = match () {
            () if is(EntryKind::Folder) => "is a folder",
            () if is(EntryKind::Other) => "is no regular file",
            () => return FilesError::not_found(path.to_string()),
        };
        FilesError::WrongKind { path: path.to_string(), why }
    }

    /// Where a file really is, for messages and to know it again; none for bytes in memory, and where there is no such
    /// file or folder.
    pub fn os_path(&self, path: impl AsTreePath) -> Option<PathBuf> {
        let path = path.as_tree_path().ok()?;
        if let Some((layer, found)) = self.lookup(&path) {
            return layer.os_path(&found);
        }
        let layers = self.layers.iter().rev();
        let folder = |layer: &Arc<Layer>| Some((Arc::clone(layer), layer.find(&path, EntryKind::Folder)?));
        let (layer, found) = layers.filter(|l| matches!(***l, Layer::Folder(_))).find_map(folder)?;
        layer.os_path(&found)
    }

    /// The path in the tree of a file of the operating system; none where it lies elsewhere, or is hidden.
    pub fn locate(&self, file: impl AsRef<Path>) -> Option<TreePath> {
        self.layers.iter().rev().find_map(|layer| {
            let Layer::Folder(folder) = &**layer else { return None };
            let path = folder.locate(file.as_ref())?;
            let (seen, found) = self.lookup(&path)?;
            (std::ptr::eq(seen, &**layer) && found == path).then_some(path)
        })
    }

    /// What lies in a folder, in the order of the names. Folders that differ in case only are taken together.
    ///
    /// # Errors
    /// When there is no such folder, or it cannot be listed.
    pub fn list(&self, folder: impl AsTreePath) -> Result<Arc<[Entry]>, FilesError> {
        let folder = folder.as_tree_path()?;
        if let Some(entries) = self.listed.get(&folder) {
            return Ok(entries);
        }
        let entries: Arc<[Entry]> = self.merged(&folder)?.into();
        self.listed.keep(&folder, entries.len(), &entries);
        Ok(entries)
    }

    /// What all layers have in a folder.
    fn merged(&self, folder: &TreePath) -> Result<Vec<Entry>, FilesError> {
        let (mut entries, mut hiding) = (Vec::new(), BTreeSet::new());
        let (mut found, mut failed) = (false, None);
        for layer in self.layers.iter().rev() {
            let before = entries.len();
            for at in layer.find_all(folder, EntryKind::Folder) {
                let listing = match layer.list(&at) {
                    Ok(listing) => listing,
                    Err(e) => {
                        failed = failed.or(Some(e));
                        continue;
                    }
                };
                found = true;
                let seen = listing.iter().map(|(name, kind)| {
                    let path = at.child(name);
                    Entry { kind: layer.resolve(&path, kind), path }
                });
                entries.extend(seen.filter(|e| !hiding.contains(&(e.path.folded(), e.kind))));
            }
            let own = entries.get(before..).unwrap_or_default();
            hiding.extend(own.iter().map(|e| (e.path.folded(), e.kind)));
        }
        match failed {
            _ if found => {
                entries.sort_by(|a, b| (&a.path, a.kind).cmp(&(&b.path, b.kind)));
                Ok(entries)
            }
            Some(e) => Err(e),
            None if self.exists(folder) => {
                Err(FilesError::WrongKind { path: folder.to_string(), why: "is no folder" })
            }
            None => Err(FilesError::not_found(folder.to_string())),
        }
    }

    /// All files. Links, pipes and devices are not among them.
    pub fn walk(&self) -> Walk {
        self.walk_where(|_, _| true)
    }

    /// All files that `keep` keeps, in folders that it keeps.
    pub fn walk_where(&self, mut keep: impl FnMut(&TreePath, EntryKind) -> bool) -> Walk {
        let (mut found, mut hidden) = (Vec::new(), 0_u64);
        let mut seen = BTreeSet::new();
        for (i, layer) in self.layers.iter().enumerate().rev() {
            let own = files(layer, &mut keep);
            let before = found.len();
            found.extend(own.into_iter().filter(|file| {
                let hides = file.as_ref().is_ok_and(|path| seen.contains(&path.folded()));
                hidden = hidden.saturating_add(hides.into());
                !hides
            }));
            if i > 0 {
                let own = found.get(before..).unwrap_or_default();
                seen.extend(own.iter().filter_map(|file| file.as_ref().ok().map(TreePath::folded)));
            }
        }
        if self.layers.len() > 1 {
            found.sort_by(|a, b| {
                let ((a, a_is_folder), (b, b_is_folder)) = (place(a), place(b));
                a.walk_order(a_is_folder, b, b_is_folder)
            });
        }
        Walk { files: found, hidden }
    }
}

/// Where something is in a walk, and whether it is a folder.
fn place(file: &Result<TreePath, (TreePath, FilesError)>) -> (&TreePath, bool) {
    match file {
        Ok(path) => (path, false),
        Err((path, _)) => (path, true),
    }
}

/// The files of one layer, in the order of a walk.
fn files(
    layer: &Layer,
    keep: &mut impl FnMut(&TreePath, EntryKind) -> bool,
) -> Vec<Result<TreePath, (TreePath, FilesError)>> {
    let mut found = Vec::new();
    let mut open = vec![TreePath::ROOT];
    while let Some(folder) = open.pop() {
        let listing = match layer.list(&folder) {
            Ok(listing) => listing,
            Err(e) => {
                found.push(Err((folder, e)));
                continue;
            }
        };
        let of = |wanted| listing.iter().filter(move |(_, kind)| *kind == wanted).map(|(name, _)| name);
        let kept = of(EntryKind::File).map(|name| folder.child(name)).filter(|p| keep(p, EntryKind::File));
        found.extend(kept.map(Ok));
        // The first is walked first.
        let folders = of(EntryKind::Folder).rev().map(|name| folder.child(name));
        open.extend(folders.filter(|path| keep(path, EntryKind::Folder)));
    }
    found
}

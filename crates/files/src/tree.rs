//! Several folders, packs and byte collections as one tree.

use crate::cache::Cache;
use crate::error::FilesError;
use crate::folder::{Folder, kind_of};
use crate::layer::Layer;
use crate::layer_index::LayerIndex;
use crate::listing::EntryKind;
use crate::memory::Memory;
use crate::mount::Mount;
use crate::os;
use crate::pack::{Pack, PackKind};
use crate::pack_order::PackOrder;
use crate::path::{AsTreePath, TreePath, display_name};
use crate::remote::Remote;
use meshwright_core::Order as _;
use meshwright_core::{Budget, Limits, SortedMap, SortedSet};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// Folders and bytes in memory as one read-only tree of named bytes.
///
/// Cloning is cheap, and clones share their listings. A folder is listed once, when something in it is first
/// searched. Files that appear later may not be found.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The later ones hide the earlier ones.
    pub(crate) layers: Vec<Arc<Layer>>,
    /// The named file, and the number of its layer.
    start: Option<(usize, TreePath)>,
    /// The named pack or folder in a pack. A walk visits only this part.
    pub(crate) scope: Option<(usize, TreePath)>,
    listed: Arc<Cache<[Entry]>>,
    /// The index of the packs, built when many packs are first searched.
    index: Arc<OnceLock<LayerIndex>>,
    /// True if a walk lists archives in packs as files instead of folders.
    pub(crate) flat: bool,
}

/// Options for opening a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeOptions {
    /// The order in which packs hide each other.
    pub order: PackOrder,
    /// Limits on the memory for the directory of each pack.
    pub directories: Limits,
    /// True if packs in a folder, and archives in a pack, are ordinary files.
    pub packs_are_files: bool,
    /// True if links are followed out of the opened folder.
    pub follows_links: bool,
    /// The limit for the total size of all members of a named pack; by default 32 times the size of the pack
    /// plus 256 MiB.
    pub unpacked: Option<u64>,
}

impl TreeOptions {
    /// Treats packs in a folder, and archives in a pack, as ordinary files.
    #[must_use]
    pub const fn with_packs_as_files(mut self) -> Self {
        self.packs_are_files = true;
        self
    }

    /// Sets whether links out of the folder are followed. The archives of a game may be links to its
    /// installation.
    #[must_use]
    pub const fn with_links(mut self, follows_links: bool) -> Self {
        self.follows_links = follows_links;
        self
    }

    /// Sets the order of packs.
    #[must_use]
    pub const fn with_order(mut self, order: PackOrder) -> Self {
        self.order = order;
        self
    }

    /// Sets the limit for the total size of all members of a pack.
    #[must_use]
    pub const fn with_unpacked(mut self, bytes: u64) -> Self {
        self.unpacked = Some(bytes);
        self
    }

    /// Sets the limits for the directory of each pack.
    #[must_use]
    pub const fn with_directories(mut self, limits: Limits) -> Self {
        self.directories = limits;
        self
    }
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The path from the top of the tree, with the actual spelling.
    pub path: TreePath,
    /// The kind of the entry after following links. Only files and folders can be read.
    pub kind: EntryKind,
}

impl Tree {
    /// Opens a folder with its packs, or the tree around a file, which becomes its [start](Self::start). The
    /// root of the tree around a file is the file's folder, or the parent of the nearest `models` folder
    /// above the file.
    ///
    /// A pack is a folder: `data.pk3/models/x.dpm` is a path. The tree around a pack has its folder and the
    /// other packs in it. Files of the named pack hide those of the others, and a [walk](Self::walk) visits
    /// only the named pack.
    ///
    /// # Errors
    /// If the path does not exist, or a named pack cannot be read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FilesError> {
        Self::open_with(path, TreeOptions::default())
    }

    /// Does the same as [`open`](Self::open), with options.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, options: TreeOptions) -> Result<Self, FilesError> {
        let path = path.as_ref();
        if let Some((pack, inner)) = in_pack(path) {
            let name = pack.file_name().unwrap_or_default().as_encoded_bytes();
            let folder = pack.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
            let around = Self::mounted(Folder::new(folder.to_owned()), options, Some(name));
            return Self::layered([around, Self::mount(&pack, options)]).within(path, &inner?);
        }
        if kind_of(path)? == EntryKind::Folder {
            return Ok(Self::mounted(Folder::new(path.to_owned()), options, None));
        }
        let (folder, start) = Folder::around(path)?;
        let mut tree = Self::mounted(folder, options, None);
        tree.start = Some((tree.layers.len().saturating_sub(1), start));
        Ok(tree)
    }

    /// Returns a folder with its packs mounted. `without` is the name of a pack to leave out.
    fn mounted(folder: Folder, options: TreeOptions, without: Option<&[u8]>) -> Self {
        let folder = folder.following(options.follows_links);
        if options.packs_are_files {
            return Self::from_layers([Layer::Folder(folder)]);
        }
        let folder = folder.with_inner(options.directories);
        let mut tree = Self::from_layers([]);
        for mount in folder.mount(options.order).iter().filter(|m| without != Some(&*m.name)) {
            let Some(path) = folder.os_path(&TreePath::ROOT.child(&mount.name)) else { continue };
            tree.layers.push(Arc::new(if mount.is_folder {
                Layer::Folder(Folder::new(path).following(options.follows_links))
            } else {
                Layer::Pack(Mount::from_path(path, options.directories))
            }));
        }
        tree.layers.push(Arc::new(Layer::Folder(folder)));
        tree
    }

    fn mount(pack: &Path, options: TreeOptions) -> Self {
        let mount =
            Mount::from_path(pack.to_owned(), options.directories).with_most_unpacked(options.unpacked);
        let mut tree = Self::from_layers([Layer::Pack(mount)]);
        tree.flat = options.packs_are_files;
        tree
    }

    /// Makes a path in the last layer, which is a pack, the named part of the tree.
    fn within(mut self, whole: &Path, inner: &TreePath) -> Result<Self, FilesError> {
        let last = self.layers.len().saturating_sub(1);
        let Some(layer) = self.layers.get(last).map(Arc::clone) else { return Ok(self) };
        if let Layer::Pack(mount) = &*layer {
            mount.pack().map_err(Clone::clone)?;
        }
        if let Some(folder) = layer.find(inner, EntryKind::Folder) {
            self.scope = Some((last, folder));
        } else if let Some(file) = layer.find(inner, EntryKind::File) {
            self.start = Some((last, file));
        } else {
            return Err(FilesError::not_found(display_name(whole.as_os_str().as_encoded_bytes())));
        }
        Ok(self)
    }

    /// Returns the tree of a pack that is already open.
    pub fn pack(pack: Pack) -> Self {
        Self::from_layers([Layer::Pack(Mount::opened(Arc::new(pack)))])
    }

    /// Returns true if a path of the operating system is a pack, or is within one.
    pub fn leads_into_pack(path: impl AsRef<Path>) -> bool {
        in_pack(path.as_ref()).is_some()
    }

    /// Returns a tree with only one file, which is its [start](Self::start). For a pack, or a file in a
    /// pack, the tree has only that pack.
    ///
    /// # Errors
    /// If the file does not exist.
    pub fn file(path: impl AsRef<Path>) -> Result<Self, FilesError> {
        let path = path.as_ref();
        if let Some((pack, inner)) = in_pack(path) {
            return Self::mount(&pack, TreeOptions::default()).within(path, &inner?);
        }
        let (folder, start) = Folder::alone(path)?;
        if kind_of(path)? == EntryKind::Folder {
            return Err(FilesError::WrongKind { path: start.to_string(), why: "is a folder" });
        }
        Ok(Self { start: Some((0, start)), ..Self::from_layers([Layer::Folder(folder)]) })
    }

    /// Returns a tree of named bytes. If a name occurs twice, the later one is used.
    ///
    /// # Errors
    /// If a name is not a path of a tree, or is empty.
    pub fn memory<N: AsTreePath, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (N, B)>,
    ) -> Result<Self, FilesError> {
        let mut named = SortedMap::new();
        for (name, bytes) in files {
            let path = name.as_tree_path()?.into_owned();
            if path.is_root() {
                return Err(FilesError::BadPath { path: String::new(), why: "a file needs a name" });
            }
            named.insert(path, Arc::new(bytes.into()));
        }
        Ok(Self::from_layers([Layer::Memory(Memory::new(named))]))
    }

    /// Returns a tree of files that the caller fetches. It has the files that are known so far; a missing
    /// file becomes a [`Want`](crate::Want) of the remote. Files that are provided later appear in the tree,
    /// except in folders that it has listed already.
    pub fn remote(remote: &Remote) -> Self {
        Self::from_layers([Layer::Remote(remote.shared_state())])
    }

    /// Joins several trees. A file of a later tree hides the files of earlier trees with the same path,
    /// ignoring case. The start is that of the last tree with one.
    pub fn layered(trees: impl IntoIterator<Item = Self>) -> Self {
        let mut whole = Self::from_layers([]);
        for tree in trees {
            let below = whole.layers.len();
            let start = tree.start.map(|(layer, path)| (layer.saturating_add(below), path));
            whole.start = start.or(whole.start);
            let scope = tree.scope.map(|(layer, path)| (layer.saturating_add(below), path));
            whole.scope = scope.or(whole.scope);
            whole.flat |= tree.flat;
            whole.layers.extend(tree.layers);
        }
        whole
    }

    /// Adds a folder as the top layer. Its files hide those of the tree.
    ///
    /// # Errors
    /// If it is not a folder.
    pub fn with_root(self, folder: impl AsRef<Path>) -> Result<Self, FilesError> {
        let root = Self::open(folder)?;
        match root.start {
            Some((_, path)) => Err(FilesError::WrongKind { path: path.to_string(), why: "is no folder" }),
            None => Ok(Self::layered([self, root])),
        }
    }

    fn from_layers<const N: usize>(layers: [Layer; N]) -> Self {
        Self::over(layers.into())
    }

    /// Returns the tree of these layers. Later layers hide earlier ones.
    pub(crate) fn over(layers: Vec<Layer>) -> Self {
        Self {
            layers: layers.into_iter().map(Arc::new).collect(),
            start: None,
            scope: None,
            listed: Arc::new(Cache::new()),
            index: Arc::default(),
            flat: false,
        }
    }

    /// Returns the named pack, or the named folder in a pack, if [`open`](Self::open) was called with one. A
    /// walk visits only this part.
    pub fn scope(&self) -> Option<&TreePath> {
        self.scope.as_ref().map(|(_, path)| path)
    }

    /// Returns the packs and folders of the operating system that are searched, in search order.
    pub fn places(&self) -> impl Iterator<Item = PathBuf> {
        let place = |layer: &Arc<Layer>| match &**layer {
            Layer::Folder(f) => f.os_path(&TreePath::ROOT),
            Layer::Pack(p) => p.path().map(Path::to_owned),
            Layer::Memory(_) | Layer::Remote(_) => None,
        };
        self.layers.iter().rev().filter_map(place)
    }

    /// Returns true if a folder is in a searched one, or the other way round. It need not exist.
    #[cfg(feature = "output")]
    pub fn overlaps(&self, folder: impl AsRef<Path>) -> bool {
        let folder = crate::output::without_links(folder.as_ref());
        let mut places = self.places().map(|place| crate::output::without_links(&place));
        places.any(|place| place.starts_with(&folder) || folder.starts_with(&place))
    }

    /// Returns the same tree, of which a [walk](Self::walk) visits everything.
    #[must_use]
    pub fn unscoped(&self) -> Self {
        Self { scope: None, ..self.clone() }
    }

    /// Opens all packs. Returns each with its path, or the reason why it cannot be read, lowest priority
    /// first.
    pub fn packs(&self) -> impl Iterator<Item = (PathBuf, Result<Arc<Pack>, FilesError>)> + '_ {
        self.layers.iter().filter_map(|layer| {
            let Layer::Pack(mount) = &**layer else { return None };
            let path = mount.display_path().unwrap_or_default();
            Some((path, mount.pack().map(Arc::clone).map_err(Clone::clone)))
        })
    }

    /// Returns the named pack: its path in the tree (the top if the pack is not in another one), the pack or
    /// the reason why it cannot be read, and the named folder in it.
    pub fn named_pack(&self) -> Option<(TreePath, Result<Arc<Pack>, FilesError>, TreePath)> {
        let (layer, scope) = self.scope.as_ref()?;
        let layer = self.layers.get(*layer)?;
        if let Some(archive) = layer.within(scope) {
            return Some(archive);
        }
        let Layer::Pack(mount) = &**layer else { return None };
        Some((TreePath::ROOT, mount.pack().map(Arc::clone).map_err(Clone::clone), scope.clone()))
    }

    /// Returns a file as an archive; `None` if it is not one. Archives are one level deep, in packs and in
    /// folders below the top.
    pub fn inner_pack(&self, path: impl AsTreePath) -> Option<Result<Arc<Pack>, FilesError>> {
        let path = path.as_tree_path().ok()?;
        let (layer, found) = self.lookup(&path)?;
        layer.within(&found).filter(|(.., rest)| rest.is_root()).map(|(_, pack, _)| pack)
    }

    /// Returns the archives, in packs and in folders below the top, that were opened so far: each with its
    /// path in the tree, or the reason why it cannot be read.
    pub fn inner_packs(&self) -> impl Iterator<Item = (TreePath, Result<Arc<Pack>, FilesError>)> + '_ {
        self.layers.iter().filter_map(|layer| layer.inner()).flat_map(|(inner, _)| inner.opened())
    }

    /// Returns the pack that a file is in.
    pub fn pack_of(&self, path: impl AsTreePath) -> Option<Arc<Pack>> {
        let path = path.as_tree_path().ok()?;
        let (layer, found) = self.lookup(&path)?;
        layer.pack_of(&found)?.ok().map(|(pack, _)| pack)
    }

    /// Returns true if a folder below the top has packs of an engine, and so is a data folder itself.
    /// Archives of The Sims do not count: they are folders at their own paths.
    pub fn has_packs(&self, folder: impl AsTreePath) -> bool {
        let Ok(folder) = folder.as_tree_path() else { return false };
        self.folders().any(|(layer, own)| {
            let found = layer.find_all(&folder, EntryKind::Folder);
            found.iter().any(|at| !at.is_root() && own.mountable(at).iter().any(|m| !m.is_archive()))
        })
    }

    /// Returns the named file, if [`open`](Self::open) was called with one. It is read even if it is not a
    /// regular file or another file hides it.
    pub fn start(&self) -> Option<&TreePath> {
        self.start.as_ref().map(|(_, path)| path)
    }

    /// Finds the file at a path: the exact name, otherwise one that differs in case, in the last layer that
    /// has one.
    ///
    /// # Errors
    /// If it is not a path of a tree.
    pub fn find(&self, path: impl AsTreePath) -> Result<Option<TreePath>, FilesError> {
        Ok(self.lookup(&*path.as_tree_path()?).map(|(_, path)| path))
    }

    /// Returns true if there is a file at a path.
    pub fn exists(&self, path: impl AsTreePath) -> bool {
        matches!(self.find(path), Ok(Some(_)))
    }

    fn lookup(&self, path: &TreePath) -> Option<(&Layer, TreePath)> {
        let start = self.start.as_ref().filter(|(_, start)| start == path);
        let named = start.and_then(|(layer, path)| Some((&**self.layers.get(*layer)?, path.clone())));
        let kind = EntryKind::File;
        named
            .or_else(|| self.layers_with(path, kind).find_map(|layer| Some((layer, layer.find(path, kind)?))))
    }

    /// Returns the layers that may have a file or a folder at a path, later layers first.
    fn layers_with(&self, path: &TreePath, kind: EntryKind) -> impl Iterator<Item = &Layer> {
        let numbers = self.index().map(|index| index.layers_with(path, kind));
        let numbers = numbers.unwrap_or_else(|| (0..self.layers.len()).rev().collect());
        numbers.into_iter().filter_map(|number| Some(&**self.layers.get(number)?))
    }

    /// Returns the layers that are folders of the operating system.
    fn folders(&self) -> impl Iterator<Item = (&Layer, &Folder)> {
        let others = self.index().map(|index| index.others.iter().map(|number| *number as usize).collect());
        let numbers: Vec<usize> = others.unwrap_or_else(|| (0..self.layers.len()).collect());
        numbers.into_iter().rev().filter_map(|number| match &**self.layers.get(number)? {
            layer @ Layer::Folder(folder) => Some((layer, folder)),
            Layer::Memory(_) | Layer::Pack(_) | Layer::Remote(_) => None,
        })
    }

    /// Returns an index of the packs if there are many layers; `None` for few layers, which are searched one
    /// by one.
    fn index(&self) -> Option<&LayerIndex> {
        const FEW: usize = 8;
        (self.layers.len() > FEW).then(|| self.index.get_or_init(|| LayerIndex::build(&self.layers)))
    }

    /// Reads the file at a path. Its bytes are charged, and a larger file is not read.
    ///
    /// # Errors
    /// If the file does not exist, cannot be read, or is larger than the budget allows.
    pub fn read(&self, path: impl AsTreePath, budget: &Budget) -> Result<Cow<'_, [u8]>, FilesError> {
        let path = path.as_tree_path()?;
        match self.lookup(&path) {
            Some((layer, found)) => layer.read(&found, budget),
            None => Err(self.missing(&path)),
        }
    }

    /// Reads the first bytes of the file at a path, at most `most`. A member of a pack is decompressed only
    /// that far. The bytes are charged.
    ///
    /// # Errors
    /// If the file does not exist, or cannot be read.
    pub fn read_head(
        &self,
        path: impl AsTreePath,
        most: u64,
        budget: &Budget,
    ) -> Result<Vec<u8>, FilesError> {
        let path = path.as_tree_path()?;
        match self.lookup(&path) {
            Some((layer, found)) => layer.head(&found, most, budget),
            None => Err(self.missing(&path)),
        }
    }

    /// Returns the size of a file, as far as it is known before reading it.
    pub fn size(&self, path: impl AsTreePath) -> Option<u64> {
        let path = path.as_tree_path().ok()?;
        self.lookup(&path).and_then(|(layer, found)| layer.size(&found))
    }

    /// Returns the file of the operating system that holds a file: the file itself or its pack. `None` in
    /// memory.
    pub fn container(&self, path: impl AsTreePath) -> Option<PathBuf> {
        let path = path.as_tree_path().ok()?;
        let (layer, found) = self.lookup(&path)?;
        layer.container(&found)
    }

    /// Returns the path of a file for messages. For a file in a pack, it begins with the path of the pack.
    /// `None` in memory.
    pub fn shown_path(&self, path: impl AsTreePath) -> Option<PathBuf> {
        let path = path.as_tree_path().ok()?;
        let found = self.lookup(&path).and_then(|(layer, found)| layer.shown_path(&found));
        found.or_else(|| self.os_path(&*path)).or_else(|| {
            // A mounted pack is not a file of the folder.
            self.layers.iter().find_map(|layer| match &**layer {
                Layer::Pack(mount) => mount.display_path().filter(|_| mount.place() == path.as_ref()),
                Layer::Folder(_) | Layer::Memory(_) | Layer::Remote(_) => None,
            })
        })
    }

    /// Returns the error for a path without a file.
    fn missing(&self, path: &TreePath) -> FilesError {
        let is = |kind| self.layers_with(path, kind).any(|layer| layer.find(path, kind).is_some());
        let why = match () {
            () if is(EntryKind::Folder) => "is a folder",
            () if is(EntryKind::Other) => "is no regular file",
            () => return FilesError::not_found(path.to_string()),
        };
        FilesError::WrongKind { path: path.to_string(), why }
    }

    /// Returns the path of a file for the operating system. `None` in memory, or if the file or folder does
    /// not exist.
    pub fn os_path(&self, path: impl AsTreePath) -> Option<PathBuf> {
        let path = path.as_tree_path().ok()?;
        if let Some((layer, found)) = self.lookup(&path) {
            return layer.os_path(&found);
        }
        let found =
            self.folders().find_map(|(layer, _)| Some((layer, layer.find(&path, EntryKind::Folder)?)));
        found.and_then(|(layer, found)| layer.os_path(&found))
    }

    /// Returns the path in the tree of a file of the operating system; `None` if it is outside the tree or
    /// hidden.
    pub fn locate(&self, file: impl AsRef<Path>) -> Option<TreePath> {
        self.folders().find_map(|(layer, folder)| {
            let path = folder.locate(file.as_ref())?;
            let (seen, found) = self.lookup(&path)?;
            (std::ptr::eq(seen, layer) && found == path).then_some(path)
        })
    }

    /// Lists a folder, in the order of the names. Folders that differ only in case are merged.
    ///
    /// # Errors
    /// If the folder does not exist, or cannot be listed.
    pub fn list(&self, folder: impl AsTreePath) -> Result<Arc<[Entry]>, FilesError> {
        let folder = folder.as_tree_path()?;
        if let Some(entries) = self.listed.get(&folder) {
            return Ok(entries);
        }
        let entries: Arc<[Entry]> = self.merged(&folder)?.into();
        self.listed.keep(&folder, entries.len(), &entries);
        Ok(entries)
    }

    /// Merges the listings of a folder in all layers.
    fn merged(&self, folder: &TreePath) -> Result<Vec<Entry>, FilesError> {
        let (mut entries, mut hiding) = (Vec::new(), SortedSet::new());
        let (mut found, mut failed) = (false, None);
        for layer in self.layers_with(folder, EntryKind::Folder) {
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
                    Entry { kind: layer.resolve(&path, kind, EntryKind::File), path }
                });
                entries.extend(seen.filter(|e| !hiding.contains(&(e.path.folded(), e.kind))));
            }
            let own = entries.get(before..).unwrap_or_default();
            hiding.extend(own.iter().map(|e| (e.path.folded(), e.kind)));
        }
        match failed {
            _ if found => {
                entries.order_by(|a, b| (&a.path, a.kind).cmp(&(&b.path, b.kind)));
                Ok(entries)
            }
            Some(e) => Err(e),
            None if self.exists(folder) => {
                Err(FilesError::WrongKind { path: folder.to_string(), why: "is no folder" })
            }
            None => Err(FilesError::not_found(folder.to_string())),
        }
    }
}

/// Splits a path into a pack into the path of the pack and the path in it; `None` for other paths.
fn in_pack(path: &Path) -> Option<(PathBuf, Result<TreePath, FilesError>)> {
    for at in path.ancestors().filter(|at| !at.as_os_str().is_empty()) {
        match os::kind(at) {
            // The path leads to an archive, or only looks like a member of one.
            Ok(EntryKind::File) if is_pack(at) => {
                let inner = path.strip_prefix(at).unwrap_or(Path::new(""));
                return Some((at.to_owned(), TreePath::new(slashed(inner))));
            }
            Ok(_) => return None,
            Err(_) => {}
        }
    }
    None
}

/// Converts a path of the operating system to one with slashes.
fn slashed(path: &Path) -> Vec<u8> {
    let names: Vec<_> = path.iter().map(std::ffi::OsStr::as_encoded_bytes).collect();
    names.join(&b'/')
}

/// Returns true if a file of the operating system is a pack: by its name, or by its first bytes.
fn is_pack(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().as_encoded_bytes();
    PackKind::from_name(name).is_some() && PackKind::is_telling(name)
        || os::head(path, 4).is_ok_and(|head| PackKind::from_magic(&head).is_some())
}

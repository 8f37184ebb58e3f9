//! Divides named bytes into data folders.

use crate::error::FilesError;
use crate::layer::Layer;
use crate::memory::Memory;
use crate::mount::Mount;
use crate::pack::PackKind;
use crate::pack_order::Mountable;
use crate::path::{AsTreePath, TreePath};
use crate::tree::{Tree, TreeOptions};
use meshwright_core::{SortedMap, SortedSet};
use std::sync::Arc;

type Files = SortedMap<TreePath, Arc<Vec<u8>>>;

impl Tree {
    /// Divides named bytes into data folders, as if they were files of a folder of the operating system: the
    /// top folder, and each folder below it that has packs of an engine. Returns the tree and the path of
    /// each data folder. In each tree, packs at the top are mounted as folders, and archives of The Sims
    /// below the top are folders too. No file is in two trees.
    ///
    /// A [walk](Self::walk) lists a pack that cannot be read among the files, with the reason.
    ///
    /// ```
    /// use meshwright_files::{Tree, TreeOptions};
    ///
    /// let files = [("loose/a.dpm", b"model".to_vec()), ("id1/pak0.pak", b"PACK\x0c\0\0\0\0\0\0\0".to_vec())];
    /// let trees = Tree::data_folders(files, TreeOptions::default())?;
    /// let folders: Vec<_> = trees.iter().map(|(folder, _)| folder.to_string()).collect();
    /// assert_eq!(folders, ["", "id1"]);
    /// # Ok::<(), meshwright_files::FilesError>(())
    /// ```
    ///
    /// # Errors
    /// If a name is not a path of a tree, or is empty.
    pub fn data_folders<N: AsTreePath, B: Into<Vec<u8>>>(
        files: impl IntoIterator<Item = (N, B)>,
        options: TreeOptions,
    ) -> Result<Vec<(TreePath, Self)>, FilesError> {
        let mut named = Files::new();
        for (name, bytes) in files {
            let path = name.as_tree_path()?.into_owned();
            if path.is_root() {
                return Err(FilesError::BadPath { path: String::new(), why: "a file needs a name" });
            }
            named.insert(path, Arc::new(bytes.into()));
        }
        if options.packs_are_files {
            return Ok(vec![(TreePath::ROOT, Self::over(vec![Layer::Memory(Memory::new(named))]))]);
        }
        let own: SortedSet<TreePath> = named.iter().filter_map(|(path, bytes)| holder(path, bytes)).collect();
        let mut folders: SortedMap<TreePath, Files> = SortedMap::from([(TreePath::ROOT, Files::new())]);
        for (path, bytes) in named {
            let mut folder = path.parent();
            while !folder.is_root() && !own.contains(&folder) {
                folder = folder.parent();
            }
            let Some(below) = path.below(&folder) else { continue };
            folders.entry(folder).or_default().insert(below, bytes);
        }
        Ok(folders.into_iter().map(|(folder, files)| (folder, mounted(files, options))).collect())
    }
}

/// Returns true if a file is a pack: by its name, or by its first bytes if other files use the same extension.
fn is_pack(name: &[u8], bytes: &[u8]) -> bool {
    PackKind::is_telling(name) || PackKind::from_magic(bytes).is_some()
}

/// Returns the data folder of a file, if the file is a pack or is in a folder that is used as a pack.
fn holder(path: &TreePath, bytes: &[u8]) -> Option<TreePath> {
    let mut at = path.clone();
    let mut is_folder = false;
    loop {
        let mountable = Mountable::from_name(at.name(), is_folder).filter(|m| !m.is_archive());
        if mountable.is_some() && (is_folder || is_pack(at.name(), bytes)) {
            return Some(at.parent());
        }
        (at, is_folder) = (at.parent(), true);
        if at.is_root() {
            return None;
        }
    }
}

/// Mounts the packs among some files; the loose files hide those of the packs.
fn mounted(mut files: Files, options: TreeOptions) -> Tree {
    let mut packs: SortedMap<Box<[u8]>, Mountable> = SortedMap::new();
    for (path, bytes) in &files {
        let Some(first) = path.names().next() else { continue };
        let is_folder = *first != *path.as_bytes();
        let mountable = Mountable::from_name(first, is_folder).filter(|_| is_folder || is_pack(first, bytes));
        packs.extend(mountable.map(|m| (m.name.clone(), m)));
    }
    let mut packs: Vec<_> = packs.into_values().collect();
    options.order.sort(&mut packs);
    let mut layers = Vec::new();
    for pack in packs {
        let place = TreePath::ROOT.child(&pack.name);
        if !pack.is_folder {
            let bytes = files.remove(&place);
            layers
                .extend(bytes.map(|bytes| Layer::Pack(Mount::in_memory(place, bytes, options.directories))));
            continue;
        }
        let (mut inside, mut rest) = (Files::new(), Files::new());
        for (path, bytes) in files {
            match path.below(&place) {
                Some(below) => inside.insert(below, bytes),
                None => rest.insert(path, bytes),
            };
        }
        files = rest;
        layers.push(Layer::Memory(Memory::new(inside)));
    }
    layers.push(Layer::Memory(Memory::new(files).with_inner(options.directories)));
    Tree::over(layers)
}

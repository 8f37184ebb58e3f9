//! Finding companion files, textures and other parts of the models of a tree.

use super::Opener;
#[cfg(all(feature = "dpm", feature = "textures"))]
use super::scripts::Scripts;
#[cfg(feature = "tso")]
use super::{game_tree::GameTree, model_files::IMAGES};
use crate::detect::{Detection, damaged, sound};
use crate::foreign::{foreign, is_other};
use crate::formats::{AnyModel, Format};
use meshwright_core::{Budget, Confidence, Kind, Limits, ReadOptions, SortedMap};
use meshwright_files::{Entry, EntryKind, FilesError, Tree, TreePath};
#[cfg(feature = "tso")]
use meshwright_tso::{GameFolder, GameIndex, ResourceId};
use std::borrow::Cow;
#[cfg(any(feature = "tso", all(feature = "dpm", feature = "textures")))]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex, PoisonError};

/// A tree of files with caches of what searches in it have found. Clones share them.
#[derive(Clone, Debug)]
pub struct Finder(Arc<Caches>);

#[derive(Debug)]
struct Caches {
    tree: Tree,
    /// Caches whether a folder has sound files of a family, by the name of its feature.
    siblings: Mutex<SortedMap<(TreePath, &'static str), bool>>,
    #[cfg(feature = "tso")]
    sims: Mutex<SortedMap<TreePath, Arc<GameFolder<TreePath>>>>,
    /// Shader scripts, read on first use.
    #[cfg(all(feature = "dpm", feature = "textures"))]
    scripts: OnceLock<Arc<Scripts>>,
    #[cfg(feature = "tso")]
    sims_index: OnceLock<GameIndex<TreePath>>,
    /// The numbers of translations and rotations in skills, by the names of their keys.
    #[cfg(feature = "tso")]
    skills: OnceLock<SortedMap<String, (u32, u32)>>,
}

/// Finders are equal if they share their caches.
impl PartialEq for Finder {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Finder {}

impl From<Tree> for Finder {
    fn from(tree: Tree) -> Self {
        Self::new(tree)
    }
}

impl From<&Tree> for Finder {
    fn from(tree: &Tree) -> Self {
        Self::new(tree.clone())
    }
}

impl From<&Self> for Finder {
    fn from(finder: &Self) -> Self {
        finder.clone()
    }
}

impl Finder {
    /// Makes a finder without cached data.
    pub fn new(tree: Tree) -> Self {
        Self(Arc::new(Caches {
            tree,
            siblings: Mutex::default(),
            #[cfg(feature = "tso")]
            sims: Mutex::default(),
            #[cfg(all(feature = "dpm", feature = "textures"))]
            scripts: OnceLock::new(),
            #[cfg(feature = "tso")]
            sims_index: OnceLock::new(),
            #[cfg(feature = "tso")]
            skills: OnceLock::new(),
        }))
    }

    /// Returns the tree.
    pub fn tree(&self) -> &Tree {
        &self.0.tree
    }

    /// Returns the numbers of translations and rotations in skills, which `read` finds on first use.
    #[cfg(feature = "tso")]
    pub(super) fn skills(
        &self,
        read: impl FnOnce() -> SortedMap<String, (u32, u32)>,
    ) -> &SortedMap<String, (u32, u32)> {
        self.0.skills.get_or_init(read)
    }

    /// Detects the format of a file that the search met: `None` if it is not a model, [`Confidence::No`] if it is a
    /// damaged one. It reads as little as possible. Like [`detect_met`](crate::detect_met), but a file with a shared
    /// extension also counts as damaged if other files in its folder are of the same family.
    ///
    /// # Errors
    /// If the file cannot be read, and has the extension of a model.
    pub fn detect_met(&self, path: &TreePath, limits: Limits) -> Result<Option<Detection>, FilesError> {
        /// Larger than the header of any format.
        const HEAD: u64 = 4096;
        let (name, budget) = (String::from_utf8_lossy(path.name()), Budget::new(limits));
        let called = Format::from_name(&name);
        let pack = self.0.tree.pack_of(path);
        let head = match self.0.tree.read_head(path, HEAD, &budget) {
            Ok(head) => head,
            Err(FilesError::Pack { .. } | FilesError::TooLarge { .. })
                if pack.is_some() && called.is_none() =>
            {
                return Ok(None);
            }
            Err(e) => return Err(e),
        };
        let found = sound(&head, &name);
        let damaged = || {
            let siblings = |format| self.has_siblings(path, format, limits);
            damaged(&head, &name, || called.is_some_and(siblings))
        };
        if (head.len() as u64) < HEAD || found.is_some_and(|found| found.confidence == Confidence::Certain) {
            return Ok(found.or_else(damaged));
        }
        // In a pack, a file whose name already identifies its kind is not decompressed.
        let other = || pack.is_some() && is_other(path.extension());
        if called.is_none() && (foreign(&head).is_some() || other()) {
            return Ok(None);
        }
        if found.is_none() && called.is_some_and(|format| lacks_magic(format, &head)) {
            return Ok(damaged());
        }
        match self.0.tree.read(path, &budget) {
            Err(FilesError::TooLarge { .. }) if called.is_none() => Ok(None),
            bytes => Ok(sound(&bytes?, &name).or_else(damaged)),
        }
    }

    /// Returns true if another file in the folder of a file is of the family of a format. Each folder is searched
    /// once.
    fn has_siblings(&self, path: &TreePath, format: Format, limits: Limits) -> bool {
        /// The number of files to check; if none of them is supported, the folder is not a model folder.
        const MOST: usize = 64;
        let key = (path.parent(), format.feature());
        let mut known = self.0.siblings.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = known.get(&key) {
            return *known;
        }
        let entries = self.0.tree.list(&key.0).unwrap_or_default();
        let of_family = |entry: &&Entry| {
            let called = Format::from_name(&String::from_utf8_lossy(entry.path.name()));
            entry.kind == EntryKind::File && called.is_some_and(|f| f.feature() == key.1)
        };
        let is_sound = |entry: &Entry| {
            let bytes = self.0.tree.read(&entry.path, &Budget::new(limits)).unwrap_or_default();
            sound(&bytes, &String::from_utf8_lossy(entry.path.name())).is_some()
        };
        let found = entries.iter().filter(of_family).take(MOST).any(is_sound);
        known.insert(key, found);
        found
    }

    pub(super) fn read(&self, path: &TreePath, options: &Opener) -> Result<Cow<'_, [u8]>, FilesError> {
        self.0.tree.read(path, &Budget::new(options.settings.read.limits))
    }

    /// Returns the shader scripts of the tree.
    #[cfg(all(feature = "dpm", feature = "textures"))]
    pub(super) fn scripts(&self) -> Arc<Scripts> {
        let read = || Arc::new(Scripts::read(&self.0.tree, Limits::default()));
        Arc::clone(self.0.scripts.get_or_init(read))
    }

    /// Returns the index of the names of all files of the tree, built on first use.
    #[cfg(feature = "tso")]
    pub(super) fn sims_index(&self) -> &GameIndex<TreePath> {
        self.0.sims_index.get_or_init(|| GameTree(&self.0.tree).index())
    }

    /// Returns the image file with this number, anywhere in the tree.
    #[cfg(feature = "tso")]
    pub(super) fn sims_texture(&self, id: &ResourceId) -> Option<&TreePath> {
        let found = self.sims_index().numbered(id)?;
        let extension = found.extension().to_ascii_lowercase();
        IMAGES.iter().any(|e| e.as_bytes() == extension).then_some(found)
    }

    /// Returns the references between The Sims' files in a folder.
    #[cfg(feature = "tso")]
    pub(super) fn sims(&self, folder: &TreePath) -> Arc<GameFolder<TreePath>> {
        let mut known = self.0.sims.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || {
            let entries = self.0.tree.list(folder).unwrap_or_default();
            let files = entries.iter().filter(|e| e.kind == EntryKind::File).map(|e| e.path.clone());
            Arc::new(GameFolder::new(&GameTree(&self.0.tree), files, &IMAGES))
        };
        Arc::clone(known.entry(folder.clone()).or_insert_with(read))
    }
}

/// Returns true if the first bytes of a file exclude a format, whatever follows.
pub(super) fn lacks_magic(format: Format, head: &[u8]) -> bool {
    let refused = || {
        AnyModel::parse(head, format, &ReadOptions::default())
            .err()
            .is_some_and(|e| e.kind() == Kind::BadMagic)
    };
    format.sniff(head) == Confidence::No && refused()
}

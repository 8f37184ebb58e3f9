//! Packs and game folders as an asset source.

use bevy_asset::io::{
    AssetReader, AssetReaderError, AssetSourceBuilder, ErasedAssetReader, PathStream, Reader, VecReader,
};
use futures_lite::stream;
use meshwright::files::{EntryKind, FilesError, Tree, TreePath};
use meshwright::{Budget, Limits};
use std::io;
use std::path::{Path, PathBuf};

/// Returns an asset source over a tree of files: a game's data folder with its packs in the engine's search order, a single
/// pack, or files in memory.
///
/// It is registered before `AssetPlugin` is added. Changes in packs are not watched.
///
/// ```
/// use bevy_app::App;
/// use bevy_asset::AssetApp;
/// use meshwright_bevy::{meshwright::files::Tree, tree_source};
///
/// # let tree = Tree::memory([("models/h.dpm", "model")])?;
/// # let mut app = App::new();
/// // let tree = Tree::open("data/")?; or Tree::open("data/pak0.pk3")?
/// app.register_asset_source("game", tree_source(tree));
/// // Then assets.load("game://models/h.dpm").
/// # Ok::<(), meshwright_bevy::meshwright::files::FilesError>(())
/// ```
pub fn tree_source(tree: Tree) -> AssetSourceBuilder {
    AssetSourceBuilder::new(move || -> Box<dyn ErasedAssetReader> { Box::new(TreeReader::new(tree.clone())) })
}

/// Reads the files of a tree.
#[derive(Clone, Debug)]
pub struct TreeReader {
    tree: Tree,
    limits: Limits,
}

impl TreeReader {
    /// Returns a reader of a tree that gives files of up to 256 MiB.
    pub fn new(tree: Tree) -> Self {
        Self { tree, limits: Limits::default() }
    }

    /// Returns the same reader with another limit for each file.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns the bytes of a file, by its exact name but for case.
    fn bytes(&self, path: &Path) -> Result<Vec<u8>, AssetReaderError> {
        let bytes = self.tree.read(&tree_path(path)?, &Budget::new(self.limits));
        Ok(bytes.map_err(|e| to_reader_error(path, &e))?.into_owned())
    }
}

/// Returns the path of an asset as one of a tree.
pub(crate) fn tree_path(path: &Path) -> Result<TreePath, AssetReaderError> {
    let names: Vec<_> = path.iter().map(std::ffi::OsStr::as_encoded_bytes).collect();
    TreePath::new(names.join(&b'/')).map_err(|e| to_reader_error(path, &e))
}

/// Bevy skips a missing file; other errors are reported unchanged.
fn to_reader_error(path: &Path, e: &FilesError) -> AssetReaderError {
    match e {
        FilesError::NotFound { .. } | FilesError::BadPath { .. } | FilesError::WrongKind { .. } => {
            AssetReaderError::NotFound(path.to_owned())
        }
        e => AssetReaderError::Io(io::Error::other(e.to_string()).into()),
    }
}

impl AssetReader for TreeReader {
    async fn read<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        self.bytes(path).map(VecReader::new)
    }

    async fn read_meta<'a>(&'a self, path: &'a Path) -> Result<impl Reader + 'a, AssetReaderError> {
        let mut meta = path.to_owned().into_os_string();
        meta.push(".meta");
        self.bytes(Path::new(&meta)).map(VecReader::new)
    }

    async fn read_directory<'a>(&'a self, path: &'a Path) -> Result<Box<PathStream>, AssetReaderError> {
        let entries = self.tree.list(&tree_path(path)?).map_err(|e| to_reader_error(path, &e))?;
        let named = |path: &TreePath| std::str::from_utf8(path.as_bytes()).map(PathBuf::from).ok();
        let paths: Vec<_> = entries.iter().filter_map(|entry| named(&entry.path)).collect();
        Ok(Box::new(stream::iter(paths)))
    }

    async fn is_directory<'a>(&'a self, path: &'a Path) -> Result<bool, AssetReaderError> {
        let folder = tree_path(path)?;
        if folder.is_root() {
            return Ok(true);
        }
        let around = self.tree.list(folder.parent()).map_err(|e| to_reader_error(path, &e))?;
        Ok(around.iter().any(|entry| entry.kind == EntryKind::Folder && entry.path == folder))
    }
}

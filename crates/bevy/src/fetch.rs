//! Loads the companion files of a model through the asset server.

use crate::error::ModelError;
use crate::source::tree_path;
use bevy_asset::io::{AssetReaderError, AssetSourceId, ErasedAssetReader};
use bevy_asset::{AssetPath, AssetServer, AssetServerMode, LoadContext, ReadAssetBytesError};
use futures_lite::StreamExt;
use meshwright::files::{EntryKind, Remote, TreePath, Want};
use std::path::Path;

/// Rounds of questions until everything is there: a path's folders are one each, and each kind of thing one more.
const ROUNDS: usize = 256;
/// Files and folders that are asked for.
const QUESTIONS: usize = 1 << 16;

/// A model's surroundings in its source, fetched as they are asked for.
pub(crate) struct Fetch<'s> {
    server: &'s AssetServer,
    source: AssetSourceId<'static>,
    /// The folder of the source that is the top of the tree.
    root: TreePath,
    /// The model's file in the tree.
    pub(crate) path: TreePath,
    pub(crate) remote: Remote,
    left: u64,
    rounds: usize,
    questions: usize,
}

/// Returns true if a source can list its folders: sources over the network cannot.
fn lists(source: &AssetSourceId<'_>) -> bool {
    !cfg!(target_arch = "wasm32") && !matches!(source.as_str(), Some("http" | "https"))
}

/// Returns the folder from which the names in a model lead, by default: the parent of the nearest `models` folder, otherwise
/// the model's own folder.
fn around(file: &TreePath) -> TreePath {
    let mut at = file.parent();
    while !at.is_root() {
        if at.name().eq_ignore_ascii_case(b"models") {
            return at.parent();
        }
        at = at.parent();
    }
    file.parent()
}

impl<'s> Fetch<'s> {
    /// The surroundings of the file that is being loaded, whose bytes are there.
    pub(crate) async fn new(
        server: &'s AssetServer,
        context: &LoadContext<'_>,
        bytes: Vec<u8>,
        root: Option<&str>,
        memory: u64,
    ) -> Result<Self, ModelError> {
        let source = context.path().source().clone_owned();
        let file = tree_path(context.path().path())?;
        let root = match root {
            Some(root) => tree_path(Path::new(root))?,
            None => around(&file),
        };
        let outside = || ModelError::Settings(format!("{file} does not lie in {root}"));
        let path = file.below(&root).ok_or_else(outside)?;
        let lists = lists(&source);
        let mut fetch = Self {
            server,
            source,
            root,
            path,
            remote: Remote::listed(),
            left: memory,
            rounds: 0,
            questions: 0,
        };
        if !lists || !fetch.list_down().await? {
            fetch.remote = Remote::unlisted();
        }
        fetch.remote.file(fetch.path.clone(), Some(bytes));
        Ok(fetch)
    }

    /// Lists the folders down to the model's own; false where they do not know the model, since the source lists nothing.
    async fn list_down(&mut self) -> Result<bool, ModelError> {
        let mut folders = vec![self.path.parent()];
        while let Some(folder) = folders.last().filter(|folder| !folder.is_root()) {
            folders.push(folder.parent());
        }
        let own = self.path.clone();
        for folder in folders.into_iter().rev() {
            let names = self.list(&folder).await?;
            let is_own = folder == own.parent();
            if is_own && !names.iter().any(|(name, _)| *name == own.name()) {
                return Ok(false);
            }
            self.remote.folder(folder, names);
        }
        Ok(true)
    }

    fn reader(&self) -> Result<&dyn ErasedAssetReader, ModelError> {
        let source = self.server.get_source(self.source.clone())?;
        Ok(match self.server.mode() {
            AssetServerMode::Processed => source.processed_reader().unwrap_or_else(|_| source.reader()),
            AssetServerMode::Unprocessed => source.reader(),
        })
    }

    /// The listing of a folder; empty if it does not exist, or cannot be listed.
    async fn list(&mut self, folder: &TreePath) -> Result<Vec<(Vec<u8>, EntryKind)>, ModelError> {
        let whole = self.source_path(folder);
        let reader = self.reader()?;
        let mut paths = match reader.read_directory(Path::new(&whole)).await {
            Ok(paths) => paths,
            Err(_) => return Ok(Vec::new()),
        };
        let mut names = Vec::new();
        let mut count = 0_usize;
        while let Some(path) = paths.next().await {
            let Some(name) = path.file_name() else { continue };
            let is_folder = reader.is_directory(&path).await.unwrap_or(false);
            let kind = if is_folder { EntryKind::Folder } else { EntryKind::File };
            names.push((name.as_encoded_bytes().to_vec(), kind));
            count = count.saturating_add(1);
            if count > QUESTIONS {
                return Err(ModelError::Limit(format!("{whole} holds more than {QUESTIONS} files")));
            }
        }
        Ok(names)
    }

    /// Returns the path in the source of one in the tree.
    fn source_path(&self, path: &TreePath) -> String {
        path.names().fold(self.root.text().into_owned(), |mut whole, name| {
            if !whole.is_empty() {
                whole.push('/');
            }
            whole.push_str(&String::from_utf8_lossy(name));
            whole
        })
    }

    /// Fetches the missing files; returns false if there are none, and the result is valid. Files that are read this
    /// way are dependencies of the asset: if one changes, the asset is loaded again.
    pub(crate) async fn more(&mut self, context: &mut LoadContext<'_>) -> Result<bool, ModelError> {
        let wants = self.remote.wants();
        if wants.is_empty() {
            return Ok(false);
        }
        self.rounds = self.rounds.saturating_add(1);
        self.questions = self.questions.saturating_add(wants.len());
        if self.rounds > ROUNDS || self.questions > QUESTIONS {
            return Err(ModelError::Limit("too many files are asked for".into()));
        }
        for want in wants {
            match want {
                Want::Folder(folder) => {
                    let names = self.list(&folder).await?;
                    self.remote.folder(folder, names);
                }
                Want::File(file) => {
                    let bytes = self.file(&file, context).await?;
                    self.remote.file(file, bytes);
                }
                _ => {}
            }
        }
        Ok(true)
    }

    /// The bytes of a file; none where it is not there.
    async fn file(
        &mut self,
        file: &TreePath,
        context: &mut LoadContext<'_>,
    ) -> Result<Option<Vec<u8>>, ModelError> {
        // A name that is not UTF-8 cannot be the path of an asset.
        if std::str::from_utf8(file.as_bytes()).is_err() {
            return Ok(None);
        }
        let whole = self.source_path(file);
        let path = AssetPath::from_path(Path::new(&whole)).with_source(self.source.clone()).into_owned();
        let bytes = match context.read_asset_bytes(path).await {
            Ok(bytes) => bytes,
            Err(ReadAssetBytesError::AssetReaderError(
                AssetReaderError::NotFound(_) | AssetReaderError::HttpError(_),
            )) => return Ok(None),
            Err(e) => {
                tracing::warn!("{whole}: {e}");
                return Ok(None);
            }
        };
        let size = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let over = || {
            ModelError::Limit(format!(
                "the files of the model take too much memory: {whole} has {size} bytes"
            ))
        };
        self.left = self.left.checked_sub(size).ok_or_else(over)?;
        Ok(Some(bytes))
    }
}

//! A mounted pack: a file that is opened when it is first needed, or a pack that is already open.

use crate::byte_source::ByteSource;
use crate::error::FilesError;
use crate::inner_archives::Inner;
use crate::os;
use crate::pack::Pack;
use crate::pack::shared_bytes::allowance;
use crate::path::{TreePath, display_name};
use meshwright_core::{Budget, Limits};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A pack in a folder, or a pack that is already open.
#[derive(Debug)]
pub(crate) struct Mount {
    path: Option<PathBuf>,
    /// The name of the pack in its folder.
    place: TreePath,
    limits: Limits,
    /// The maximum total size of its members, if it does not follow from the size of the pack.
    most_unpacked: Option<u64>,
    pack: OnceLock<Result<Arc<Pack>, FilesError>>,
    inner: Inner,
}

impl Mount {
    /// Returns a pack in a file. `limits` bounds the memory of its directory.
    pub(crate) fn from_path(path: PathBuf, limits: Limits) -> Self {
        let name = path.file_name().unwrap_or_default();
        let place = TreePath::ROOT.child(name.as_encoded_bytes());
        let (pack, inner) = (OnceLock::new(), Inner::new(limits));
        Self { path: Some(path), place, limits, most_unpacked: None, pack, inner }
    }

    /// Sets the maximum total size of the members.
    pub(crate) fn with_most_unpacked(self, most_unpacked: Option<u64>) -> Self {
        Self { most_unpacked, ..self }
    }

    /// Returns a pack in memory at the top of a folder. `limits` bounds the memory of its directory.
    pub(crate) fn in_memory(place: TreePath, bytes: Arc<dyn ByteSource>, limits: Limits) -> Self {
        let most = allowance(bytes.size());
        let pack = Pack::open_shared(bytes, &place.to_string(), &Budget::new(limits), most).map(Arc::new);
        let (pack, inner) = (OnceLock::from(pack), Inner::new(limits));
        Self { path: None, place, limits, most_unpacked: None, pack, inner }
    }

    /// Returns a pack that is already open.
    pub(crate) fn opened(pack: Arc<Pack>) -> Self {
        let (limits, inner) = (Limits::default(), Inner::new(Limits::default()));
        let pack = OnceLock::from(Ok(pack));
        Self { path: None, place: TreePath::ROOT, limits, most_unpacked: None, pack, inner }
    }

    /// Returns the archives of The Sims in the pack.
    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// Returns the path of the pack's file.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Returns the name of the pack in its folder.
    pub(crate) fn place(&self) -> &TreePath {
        &self.place
    }

    /// Returns the path for messages.
    pub(crate) fn display_path(&self) -> Option<PathBuf> {
        let named = || (!self.place.is_root()).then(|| PathBuf::from(self.place.text().into_owned()));
        self.path.clone().or_else(named)
    }

    pub(crate) fn pack(&self) -> Result<&Arc<Pack>, &FilesError> {
        self.pack.get_or_init(|| self.open().map(Arc::new)).as_ref()
    }

    fn open(&self) -> Result<Pack, FilesError> {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        let name = display_name(path.as_os_str().as_encoded_bytes());
        let file = os::open(path).map_err(|e| FilesError::system(name.clone(), &e))?;
        let most = self.most_unpacked.unwrap_or_else(|| allowance(file.size()));
        Pack::open_shared(Arc::new(file), &name, &Budget::new(self.limits), most)
    }
}

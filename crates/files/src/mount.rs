//! A pack of the operating system's, opened when it is first needed; or one that is open.

use crate::bytes::ByteSource;
use crate::error::FilesError;
use crate::inner::Inner;
use crate::os;
use crate::pack::Pack;
use crate::pack::sharing::allowance;
use crate::path::{TreePath, display_name};
use meshwright_core::{Budget, Limits};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A pack in a folder, or an opened pack.
#[derive(Debug)]
pub(crate) struct Mount {
    path: Option<PathBuf>,
    /// Its name in its folder.
    place: TreePath,
    limits: Limits,
    /// The maximum size of all its files together, if it does not follow from the size of the pack.
    most_unpacked: Option<u64>,
    pack: OnceLock<Result<Arc<Pack>, FilesError>>,
    inner: Inner,
}

impl Mount {
    /// A pack in a file; what its directory may take.
    pub(crate) fn from_path(path: PathBuf, limits: Limits) -> Self {
        let name = path.file_name().unwrap_or_default();
        let place = TreePath::ROOT.child(name.as_encoded_bytes());
        let (pack, inner) = (OnceLock::new(), Inner::new(limits));
        Self { path: Some(path), place, limits, most_unpacked: None, pack, inner }
    }

    /// The same pack, whose files may be so much together.
    pub(crate) fn with_most_unpacked(self, most_unpacked: Option<u64>) -> Self {
        Self { most_unpacked, ..self }
    }

    /// A pack in memory at the top of a folder; `limits` bounds the memory of its directory.
    pub(crate) fn in_memory(place: TreePath, bytes: Arc<dyn ByteSource>, limits: Limits) -> Self {
        let most = allowance(bytes.size());
        let pack = Pack::open_shared(bytes, &place.to_string(), &Budget::new(limits), most).map(Arc::new);
        let (pack, inner) = (OnceLock::from(pack), Inner::new(limits));
        Self { path: None, place, limits, most_unpacked: None, pack, inner }
    }

    /// A pack that is open.
    pub(crate) fn opened(pack: Arc<Pack>) -> Self {
        let (limits, inner) = (Limits::default(), Inner::new(Limits::default()));
        let pack = OnceLock::from(Ok(pack));
        Self { path: None, place: TreePath::ROOT, limits, most_unpacked: None, pack, inner }
    }

    /// The archives in it.
    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// The file that it is.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Its name in its folder.
    pub(crate) fn place(&self) -> &TreePath {
        &self.place
    }

    /// Its path, for people.
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

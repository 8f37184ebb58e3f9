//! A pack of the operating system's, opened when it is first needed; or one that is open.

use crate::bytes::ByteSource;
use crate::error::FilesError;
use crate::inner::Inner;
use crate::os;
use crate::pack::Pack;
use crate::path::{TreePath, shown};
use meshwright_core::{Budget, Limits};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A pack that lies in a folder, or that somebody has opened.
#[derive(Debug)]
pub(crate) struct Mount {
    path: Option<PathBuf>,
    /// Its name in the folder that it lies in.
    place: TreePath,
    limits: Limits,
    pack: OnceLock<Result<Arc<Pack>, FilesError>>,
    inner: Inner,
}

impl Mount {
    /// A pack in a file; what its directory may take.
    pub(crate) fn of(path: PathBuf, limits: Limits) -> Self {
        let name = path.file_name().unwrap_or_default();
        let place = TreePath::ROOT.child(name.as_encoded_bytes());
        Self { path: Some(path), place, limits, pack: OnceLock::new(), inner: Inner::new(limits) }
    }

    /// A pack in memory that lies at the top of a folder; what its directory may take.
    pub(crate) fn in_memory(place: TreePath, bytes: Arc<dyn ByteSource>, limits: Limits) -> Self {
        let pack = Pack::open_shared(bytes, &place.to_string(), &Budget::new(limits)).map(Arc::new);
        Self { path: None, place, limits, pack: OnceLock::from(pack), inner: Inner::new(limits) }
    }

    /// A pack that is open.
    pub(crate) fn opened(pack: Arc<Pack>) -> Self {
        let (limits, inner) = (Limits::default(), Inner::new(Limits::default()));
        Self { path: None, place: TreePath::ROOT, limits, pack: OnceLock::from(Ok(pack)), inner }
    }

    /// The archives in it.
    pub(crate) fn inner(&self) -> &Inner {
        &self.inner
    }

    /// The file that it is.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Its name in the folder that it lies in.
    pub(crate) fn place(&self) -> &TreePath {
        &self.place
    }

    /// Where it is, as people read it.
    pub(crate) fn shown(&self) -> Option<PathBuf> {
        let named = || (!self.place.is_root()).then(|| PathBuf::from(self.place.text().into_owned()));
        self.path.clone().or_else(named)
    }

    pub(crate) fn pack(&self) -> Result<&Arc<Pack>, &FilesError> {
        self.pack.get_or_init(|| self.open().map(Arc::new)).as_ref()
    }

    fn open(&self) -> Result<Pack, FilesError> {
        let path = self.path.as_deref().unwrap_or(Path::new(""));
        let name = shown(path.as_os_str().as_encoded_bytes());
        let file = os::open(path).map_err(|e| FilesError::system(name.clone(), &e))?;
        Pack::open(file, &name, &Budget::new(self.limits))
    }
}

//! The identity of the file that a path or an open stream refers to.

use std::fs;
use std::path::Path;

/// The identity of a file. It is the same for all paths to the file, through symbolic or hard links.
#[cfg(unix)]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId((u64, u64));
/// The identity of a file. It is the same for all paths to the file through symbolic links.
#[cfg(not(unix))]
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileId(std::path::PathBuf);

impl FileId {
    /// Returns the identity of the file at a path, or `None` if it does not exist.
    pub fn of(path: &Path) -> Option<Self> {
        #[cfg(unix)]
        {
            fs::metadata(path).map(|meta| Self::of_metadata(&meta)).ok()
        }
        #[cfg(not(unix))]
        {
            fs::canonicalize(path).map(Self).ok()
        }
    }

    #[cfg(unix)]
    fn of_metadata(meta: &fs::Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self((meta.dev(), meta.ino()))
    }

    /// Returns the identity and the size of the regular file behind an open stream.
    #[cfg(unix)]
    pub fn of_stream(stream: &impl std::os::fd::AsFd) -> Option<(Self, u64)> {
        let own = stream.as_fd().try_clone_to_owned().ok()?;
        let meta = fs::File::from(own).metadata().ok()?;
        meta.is_file().then(|| (Self::of_metadata(&meta), meta.len()))
    }

    /// Returns `None`: this system does not tell which file a stream belongs to.
    #[cfg(not(unix))]
    pub fn of_stream<S>(_: &S) -> Option<(Self, u64)> {
        None
    }
}

//! Which file a path or an open stream leads to.

use std::fs;
use std::path::Path;
#[cfg(not(unix))]
use std::path::PathBuf;

/// What paths that lead to one file, through links of either kind, have in common.
#[cfg(unix)]
pub(crate) type Identity = (u64, u64);
#[cfg(not(unix))]
pub(crate) type Identity = PathBuf;

/// Which file a path leads to; none where there is no file.
pub(crate) fn of(path: &Path) -> Option<Identity> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(path).map(|m| (m.dev(), m.ino())).ok()
    }
    #[cfg(not(unix))]
    {
        fs::canonicalize(path).ok()
    }
}

/// Standard input and standard output can be files that have names: which, and how long they are.
#[cfg(unix)]
fn of_open(stream: &impl std::os::fd::AsFd) -> Option<(Identity, u64)> {
    use std::os::unix::fs::MetadataExt;
    let own = stream.as_fd().try_clone_to_owned().ok()?;
    let meta = fs::File::from(own).metadata().ok()?;
    meta.is_file().then(|| ((meta.dev(), meta.ino()), meta.len()))
}

#[cfg(not(unix))]
fn of_open<S>(_: &S) -> Option<(Identity, u64)> {
    None
}

/// The file that standard input is, when it is one.
pub(crate) fn of_stdin() -> Option<Identity> {
    of_open(&std::io::stdin()).map(|(file, _)| file)
}

/// The file that standard output is, when it is one that holds something: an empty one has nothing to lose.
pub(crate) fn of_stdout() -> Option<Identity> {
    of_open(&std::io::stdout()).filter(|(_, length)| *length > 0).map(|(file, _)| file)
}

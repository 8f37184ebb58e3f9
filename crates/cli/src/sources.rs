//! What no output may take the place of.

use crate::refusal::Refusal;
use crate::render;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What paths that lead to one file, through links of either kind, have in common.
#[cfg(unix)]
pub(crate) type Identity = (u64, u64);
#[cfg(not(unix))]
pub(crate) type Identity = PathBuf;

/// Which file a path leads to; none where there is no file.
pub(crate) fn identity(path: &Path) -> Option<Identity> {
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

/// Standard input can be a file that has a name.
#[cfg(unix)]
fn identity_of_stdin() -> Option<Identity> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let own = std::io::stdin().as_fd().try_clone_to_owned().ok()?;
    let meta = fs::File::from(own).metadata().ok()?;
    meta.is_file().then(|| (meta.dev(), meta.ino()))
}

#[cfg(not(unix))]
fn identity_of_stdin() -> Option<Identity> {
    None
}

/// The files that a run reads, those that it has not come to yet included, and the names that it has given away.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    read: BTreeSet<Identity>,
    written: BTreeSet<PathBuf>,
}

impl Sources {
    /// Adds a file that is read.
    pub(crate) fn add(&mut self, path: &Path) {
        self.read.extend(identity(path));
    }

    /// Adds the file that standard input is, when it is one.
    pub(crate) fn add_stdin(&mut self) {
        self.read.extend(identity_of_stdin());
    }

    /// Refuses an output that would replace a file that is read, or one that this run has written. A rewrite may take
    /// the place of its `own` file.
    pub(crate) fn spare(&self, path: &Path, own: Option<&Path>) -> Result<(), Refusal> {
        if self.written.contains(path) {
            return Err(Refusal::Argument(format!("{} would replace another output", render::path(path))));
        }
        let Some(file) = identity(path) else { return Ok(()) };
        if own.is_some_and(|own| identity(own).as_ref() == Some(&file)) {
            return Ok(());
        }
        if self.read.contains(&file) {
            return Err(Refusal::Argument(format!("{} would replace an input", render::path(path))));
        }
        Ok(())
    }

    /// Adds an output that was written.
    pub(crate) fn wrote(&mut self, path: &Path) {
        self.written.insert(path.to_owned());
    }
}

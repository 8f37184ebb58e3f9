//! What no output may take the place of.

use crate::identity::{self, Identity};
use crate::refusal::Refusal;
use crate::{render, temporary};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The files that a run reads, those that it has not come to yet included, and the names that it has given away.
#[derive(Debug, Default)]
pub(crate) struct Sources {
    read: BTreeSet<Identity>,
    written: BTreeSet<PathBuf>,
}

impl Sources {
    /// Adds a file that is read.
    pub(crate) fn add(&mut self, path: &Path) {
        temporary::keep(path);
        self.read.extend(identity::of(path));
    }

    /// Adds the file that standard input is, when it is one.
    pub(crate) fn add_stdin(&mut self) {
        self.read.extend(identity::of_stdin());
    }

    /// Refuses an output that would replace a file that is read, or one that this run has written. A rewrite may take
    /// the place of its `own` file.
    pub(crate) fn spare(&self, path: &Path, own: Option<&Path>) -> Result<(), Refusal> {
        if self.written.contains(path) {
            return Err(Refusal::Argument(format!("{} would replace another output", render::path(path))));
        }
        let Some(file) = identity::of(path) else { return Ok(()) };
        if own.is_some_and(|own| identity::of(own).as_ref() == Some(&file)) {
            return Ok(());
        }
        if self.read.contains(&file) {
            return Err(Refusal::Argument(format!("{} would replace an input", render::path(path))));
        }
        Ok(())
    }

    /// True for an output of this run.
    pub(crate) fn has_written(&self, path: &Path) -> bool {
        self.written.contains(path)
    }

    /// Adds an output that was written.
    pub(crate) fn wrote(&mut self, path: &Path) {
        self.written.insert(path.to_owned());
    }
}

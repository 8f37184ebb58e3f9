//! What no output may take the place of.

use crate::args::{CompanionArgs, ReadArgs};
use crate::input::{self, Identity, Input};
use crate::load::Refusal;
use std::collections::BTreeSet;
use std::path::Path;

/// The files that a run reads, those that it has not come to yet included.
pub(crate) struct Sources(BTreeSet<Identity>);

impl Sources {
    /// Every input, and the companions that were named.
    pub(crate) fn new(inputs: &[Input], c: &CompanionArgs, read: &ReadArgs) -> Self {
        let companions = [&c.framegroups, &c.skeleton, &c.binding, &read.metadata].into_iter().flatten();
        let paths = inputs.iter().map(|input| &input.path).chain(companions).chain(&c.anim);
        Self(paths.filter_map(|path| input::identity(path)).collect())
    }

    /// Refuses an output that would replace a file that is read, or was: companions and textures that were found
    /// included. A rewrite may take the place of its `own`.
    pub(crate) fn spare(&self, path: &Path, own: Option<&Input>) -> Result<(), Refusal> {
        let Some(file) = input::identity(path) else { return Ok(()) };
        if own.is_some_and(|own| input::identity(&own.path).as_ref() == Some(&file)) {
            return Ok(());
        }
        if self.0.contains(&file) || input::was_read(&file) {
            return Err(Refusal::Argument(format!("{} would replace an input", input::shown(path))));
        }
        Ok(())
    }
}

//! What no output may take the place of.

use crate::args::{CompanionArgs, ReadArgs};
use crate::input::{self, Identity, Input};
use crate::load::Refusal;
use meshwright::Format;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

/// The files that a run reads.
pub(crate) struct Sources {
    named: BTreeSet<Identity>,
    /// Whether companions are looked for beside the models.
    beside: bool,
}

impl Sources {
    /// Every input, and the companions that were named.
    pub(crate) fn new(inputs: &[Input], c: &CompanionArgs, read: &ReadArgs) -> Self {
        let companions = [&c.framegroups, &c.skeleton, &c.binding, &read.metadata].into_iter().flatten();
        let paths = inputs.iter().map(|input| &input.path).chain(companions).chain(&c.anim);
        Self { named: paths.filter_map(|path| input::identity(path)).collect(), beside: !read.no_companions }
    }

    /// Refuses an output that would replace a file that is read, companions beside `input` included; a rewrite
    /// may take the place of its `own`.
    pub(crate) fn spare(
        &self,
        path: &Path,
        own: Option<&Input>,
        input: &Input,
        format: Format,
    ) -> Result<(), Refusal> {
        let Some(file) = input::identity(path) else { return Ok(()) };
        if own.is_some_and(|own| input::identity(&own.path).as_ref() == Some(&file)) {
            return Ok(());
        }
        let names = format.companion_names(&input.name().unwrap_or_default());
        let mut found = names.iter().filter_map(|(_, name)| input.companion(OsStr::new(name)));
        if self.named.contains(&file)
            || self.beside && found.any(|p| input::identity(&p).as_ref() == Some(&file))
        {
            return Err(Refusal::Argument(format!("{} would replace an input", input::shown(path))));
        }
        Ok(())
    }
}

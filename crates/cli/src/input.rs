//! The files that a command works on.

use crate::identity::{self, Identity};
use crate::{render, temporary};
use meshwright::files::{EntryKind, FilesError, Tree, TreePath};
use meshwright::{Finder, Format};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that a command works on.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    /// The path, or `-` for standard input.
    pub path: PathBuf,
    /// The path below the folder that was named, when a folder was.
    pub below: Option<PathBuf>,
    /// Its place in the tree of that folder.
    pub met: Option<Met>,
}

/// The place of a file that was met in a folder.
#[derive(Clone, Debug)]
pub(crate) struct Met {
    pub finder: Arc<Finder>,
    pub path: TreePath,
    /// What it was found to be, when somebody looked.
    pub format: Option<Format>,
}

impl Input {
    /// A file that was named.
    pub(crate) fn named(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), below: None, met: None }
    }

    pub(crate) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == OsStr::new("-")
    }

    /// About how much memory is taken while something is made of it: of its file, the model, the scene and what becomes
    /// of that.
    pub(crate) fn memory(&self) -> u64 {
        /// Several times the file, and something for the smallest.
        const TIMES: u64 = 8;
        const LEAST: u64 = 256 << 10;
        let length = self.path.metadata().map_or(u64::MAX, |meta| meta.len());
        length.saturating_mul(TIMES).saturating_add(LEAST)
    }

    /// The path as people read it.
    pub(crate) fn shown(&self) -> String {
        if self.is_stdin() { "<stdin>".into() } else { render::path(&self.path) }
    }

    /// The path as programs read it.
    pub(crate) fn exact(&self) -> String {
        if self.is_stdin() { "<stdin>".into() } else { render::exact(&self.path) }
    }

    /// The file name.
    pub(crate) fn name(&self) -> String {
        let name = if self.is_stdin() { None } else { self.path.file_name() };
        name.map_or_else(|| "stdin".into(), |name| name.to_string_lossy().into_owned())
    }
}

/// What an argument led to, or why that cannot be looked at.
pub(crate) type Found = Result<Input, (Input, FilesError)>;

/// The files that arguments name: files as they are, folders walked with every file in them, sorted, links
/// inside folders not followed. The folder `into`, which takes the results, is not walked when it lies inside
/// another: what an earlier run left there was not asked for.
pub(crate) fn expand(arguments: &[OsString], into: Option<&Path>) -> Vec<Found> {
    let mut inputs = Vec::new();
    let into = into.and_then(identity::of);
    for argument in arguments {
        let path = Path::new(argument);
        if argument != OsStr::new("-") && path.is_dir() {
            walk(path, into.as_ref(), &mut inputs);
        } else {
            inputs.push(Ok(Input::named(path)));
        }
    }
    inputs
}

fn walk(top: &Path, into: Option<&Identity>, inputs: &mut Vec<Found>) {
    let tree = match Tree::open(top) {
        Ok(tree) => tree,
        Err(e) => return inputs.push(Err((Input::named(top), e))),
    };
    let finder = Arc::new(Finder::new(tree));
    let tree = finder.tree();
    let walk = tree.walk_where(|path, kind| {
        kind != EntryKind::Folder
            || tree.os_path(path).is_none_or(|folder| {
                // Another run is writing there.
                !temporary::is_temporary(&folder)
                    && (into.is_none() || identity::of(&folder).as_ref() != into)
            })
    });
    for file in walk.files {
        let place = |path: &TreePath| tree.os_path(path).unwrap_or_else(|| top.to_owned());
        inputs.push(match file {
            Ok(path) => {
                let os_path = place(&path);
                let below = os_path.strip_prefix(top).map(Path::to_owned).ok();
                let met = Some(Met { finder: Arc::clone(&finder), path, format: None });
                Ok(Input { path: os_path, below, met })
            }
            Err((path, e)) => Err((Input::named(place(&path)), e)),
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn folders_are_walked_in_order_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let at = |p: &str| dir.path().join(p);
        fs::create_dir(at("b")).unwrap();
        for f in ["c.dpm", "a.dpm", "b/x.dpm", ".meshwright-a1B2c3.tmp"] {
            fs::write(at(f), b"").unwrap();
        }
        #[cfg(unix)]
        let _writing = temporary::Pool::default().create(dir.path(), true).unwrap();
        #[cfg(unix)]
        std::os::unix::fs::symlink("/", at("loop")).unwrap();
        let found: Vec<_> =
            expand(&[dir.path().into()], None).into_iter().map(|i| i.unwrap().below.unwrap()).collect();
        assert_eq!(found, [".meshwright-a1B2c3.tmp", "a.dpm", "c.dpm", "b/x.dpm"].map(PathBuf::from));
        let b = at("b");
        assert_eq!(expand(&[dir.path().into()], Some(&b)).len(), 3);
        assert_eq!(expand(&[b.clone().into()], Some(&b)).len(), 1);
    }
}

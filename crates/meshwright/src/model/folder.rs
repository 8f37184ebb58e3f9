//! Opening the models of a folder.

use super::{Finder, Model, Opener};
use crate::error::Error;
use meshwright_files::{Tree, TreePath};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

impl Opener {
    /// Opens every model of a folder or an archive, on all cores, and passes it to `each` with its path in the folder.
    /// Files that are not models are left out.
    ///
    /// # Errors
    /// If the folder cannot be read. Errors of its files are passed to `each`.
    pub fn open_each(
        &self,
        folder: impl AsRef<Path>,
        each: impl Fn(&TreePath, Result<Model, Error>) + Sync,
    ) -> Result<(), Error> {
        let finder = Finder::new(Tree::open(folder)?);
        let (opener, mut paths) = (self.clone().in_folder(true), Vec::new());
        for file in finder.tree().walk().files {
            match file {
                Ok(path) => paths.push(path),
                Err((path, e)) => each(&path, Err(e.into())),
            }
        }
        let next = AtomicUsize::new(0);
        let work = || {
            while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                match opener.open_in(&finder, path) {
                    Err(e) if e.code() == "unknown-format" => {}
                    opened => each(path, opened),
                }
            }
        };
        let cores = thread::available_parallelism().map_or(1, usize::from);
        thread::scope(|scope| {
            (1..cores).for_each(|_| drop(scope.spawn(work)));
            work();
        });
        Ok(())
    }
}

//! Finds an input and the files that belong to it: search paths, the folders of `--root`, standard input.

use super::Reader;
use crate::input::Input;
use crate::refusal::{Fail, Refusal};
use crate::render;
use meshwright::Finder;
use meshwright::files::output::FileId;
use meshwright::files::{Tree, TreePath};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

impl Reader {
    /// Returns the search path of an input, if it can be read.
    pub(crate) fn finder_of(&self, input: &Input) -> Option<Finder> {
        self.place(input).ok().map(|(finder, _)| finder)
    }

    /// Returns the search path of an input, and the path of the input in it.
    pub(crate) fn place(&self, input: &Input) -> Result<(Finder, TreePath), Refusal> {
        if let Some(roots) = self.roots.as_ref().filter(|_| !input.is_stdin()) {
            return match &input.met {
                Some(met) if met.finder.tree().pack_of(&met.path).is_some() => {
                    Ok((self.over_roots(roots, &met.finder), met.path.clone()))
                }
                _ => within(roots, &input.path),
            };
        }
        if let Some(met) = &input.met {
            return Ok((met.finder.clone(), met.path.clone()));
        }
        let name = input.path.file_name().unwrap_or_default();
        if input.is_stdin() {
            FileId::of_stream(&io::stdin()).into_iter().for_each(|(file, _)| self.plan.reads_file(file));
            let (bytes, path) = (self.stdin()?, TreePath::ROOT.beside(input.name()));
            let tree = path.and_then(|path| Ok((Tree::memory([(&path, bytes)])?, path)));
            let (mut tree, path) = tree.map_err(|e| Refusal::unreadable(&e))?;
            if let Some(roots) = &self.roots {
                tree = Tree::layered([roots.tree().clone(), tree]);
            }
            return Ok((Finder::new(tree), path));
        }
        let folder = input.path.parent().unwrap_or(Path::new(""));
        let mut last = lock(&self.last);
        // Pipes and devices can be read only by the path that was named.
        let regular = input.path.symlink_metadata().is_ok_and(|meta| meta.is_file());
        if let Some((_, finder)) = last.as_ref().filter(|(known, _)| regular && *known == folder)
            && let Some(start) = finder.tree().start()
            && let Ok(path) = start.beside(name.as_encoded_bytes())
            && finder.tree().find(&path).is_ok_and(|found| found.as_ref() == Some(&path))
        {
            return Ok((finder.clone(), path));
        }
        let tree = Tree::open(&input.path).map_err(|e| Refusal::unopened(&input.path, &e))?;
        let Some(path) = tree.start().cloned() else {
            return Err(Refusal::Unreadable { why: "is a folder".into(), is_limit: false });
        };
        let finder = Finder::new(tree);
        *last = Some((folder.to_owned(), finder.clone()));
        Ok((finder, path))
    }

    /// Returns the tree of a pack, or of a folder of packs, layered over the folders of `--root`.
    fn over_roots(&self, roots: &Finder, met: &Finder) -> Finder {
        let mut over = lock(&self.over);
        if let Some((_, known)) = over.as_ref().filter(|(of, _)| of == met) {
            return known.clone();
        }
        let tree = Tree::layered([roots.tree().clone(), met.tree().clone()]);
        let finder = Finder::new(tree);
        *over = Some((met.clone(), finder.clone()));
        finder
    }

    fn stdin(&self) -> Result<Vec<u8>, Refusal> {
        let most = self.limits().memory;
        let refused = |why, is_limit| Refusal::Unreadable { why, is_limit };
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(most.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|e| refused(e.to_string(), false))?;
        if bytes.len() as u64 > most {
            let why = format!("has more than {most} bytes; raise --max-memory to read it");
            return Err(refused(why, true));
        }
        Ok(bytes)
    }

    /// Refuses a named input that does not exist.
    pub(crate) fn exists(&self, input: &Input) -> Result<(), Refusal> {
        if input.is_stdin() { Ok(()) } else { self.place(input).map(drop) }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens the folders that `--root` names as one tree.
pub(super) fn roots(folders: &[PathBuf]) -> Result<Option<Finder>, Fail> {
    let mut trees = Vec::new();
    for folder in folders {
        let tree = Tree::open(folder).map_err(|e| e.reason());
        let tree = tree.and_then(|t| if t.start().is_some() { Err("is not a folder".into()) } else { Ok(t) });
        trees.push(tree.map_err(|why| Fail::Usage(format!("--root {}: {why}", render::path(folder))))?);
    }
    Ok((!trees.is_empty()).then(|| Finder::new(Tree::layered(trees))))
}

/// Returns the path of a file in the tree of `--root`. A file outside it is added at the top of the tree.
fn within(roots: &Finder, file: &Path) -> Result<(Finder, TreePath), Refusal> {
    if let Some(path) = roots.tree().locate(file) {
        return Ok((roots.clone(), path));
    }
    let tree = Tree::file(file).map_err(|e| Refusal::unopened(file, &e))?;
    let tree = Tree::layered([roots.tree().clone(), tree]);
    let path = tree.start().cloned().unwrap_or_default();
    Ok((Finder::new(tree), path))
}

//! The table of all files that a run reads and writes.

use super::file_id::FileId;
use super::output_path::{NameSource, Place};
use super::temporary;
use super::writer::{Output, OutputRole, Staged, Waiting};
use meshwright_core::{SortedMap, SortedSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The files that may be replaced.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replace {
    /// Files whose names the user gave, and unchanged files of an earlier run.
    #[default]
    Named,
    /// Every file that is not an input.
    All,
    /// No file.
    Nothing,
}

/// The reason why an output is not written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Clash {
    /// The run reads a file at this path.
    #[error("{} would replace an input", display_path(.0))]
    Input(PathBuf),
    /// Another output of the run has this path.
    #[error("{} would replace another output", display_path(.0))]
    Output(PathBuf),
    /// A file exists at this path that no earlier run wrote and that the user did not name.
    #[error("{} exists already", display_path(.0))]
    Exists(PathBuf),
}

fn display_path(path: &Path) -> String {
    crate::path::display_name(path.as_os_str().as_encoded_bytes())
}

/// An output that is not written, because a file with its name exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The path.
    pub path: PathBuf,
    /// True if the existing file has the same content.
    pub is_same: bool,
}

/// Returns true if a file is unchanged since an earlier run wrote it.
type Earlier = Box<dyn Fn(&Path) -> bool + Send + Sync>;

/// All inputs and outputs of a run. Inputs are never replaced, and no two outputs have the same path. An
/// output that the user did not name replaces an existing file only if an earlier run wrote that file or the
/// user asks for it.
#[derive(Default)]
pub struct Plan {
    replace: Replace,
    earlier: Option<Earlier>,
    table: Mutex<Table>,
}

impl fmt::Debug for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan").field("replace", &self.replace).finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Table {
    inputs: SortedSet<FileId>,
    /// The outputs by [`key`](Self::key).
    outputs: SortedMap<String, State>,
    /// Folders, each with its path without links.
    folders: SortedMap<PathBuf, PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    /// The path is reserved for the main file of a result.
    Reserved,
    Written,
    /// The file was written and will be written again.
    Growing,
}

impl Plan {
    /// Sets which files may be replaced.
    #[must_use]
    pub fn with_replace(self, replace: Replace) -> Self {
        Self { replace, ..self }
    }

    /// Sets a function that recognises unchanged files of an earlier run.
    #[must_use]
    pub fn with_earlier(self, is_earlier: impl Fn(&Path) -> bool + Send + Sync + 'static) -> Self {
        Self { earlier: Some(Box::new(is_earlier)), ..self }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds an input file. For a path that leads into an archive, the archive is the input.
    pub fn reads(&self, path: &Path) {
        let is_input = |at: &&Path| *at == path || at.is_file();
        let Some(file) = path.ancestors().find(|at| at.exists()).filter(is_input) else { return };
        temporary::keep(file);
        self.table().inputs.extend(FileId::of(file));
    }

    /// Adds an input file that is read through an open stream.
    pub fn reads_file(&self, file: FileId) {
        self.table().inputs.insert(file);
    }

    /// Reserves the path of the main file of a result, before its companion files are known.
    ///
    /// # Errors
    /// If another output has this path.
    pub fn reserve(&self, place: &Place) -> Result<(), Clash> {
        let mut table = self.table();
        let key = table.key(place.path());
        match table.outputs.insert(key, State::Reserved) {
            None => Ok(()),
            Some(_) => Err(Clash::Output(place.path().to_owned())),
        }
    }

    /// Allows the next write of an output to replace what this run wrote there, such as a list that grows
    /// during the run.
    pub fn reopen(&self, place: &Place) {
        let mut table = self.table();
        let key = table.key(place.path());
        table.outputs.insert(key, State::Growing);
    }

    /// Checks that an output does not replace an input. A rewrite may replace its `own` input.
    ///
    /// # Errors
    /// If the path is that of an input.
    pub fn spare_inputs(&self, place: &Place, own: Option<&Path>) -> Result<(), Clash> {
        self.table().spare_inputs(place.path(), own)
    }

    /// Checks that files whose paths the user named do not replace an input. This is done before any of them
    /// is written, because they may be devices. A rewrite may replace its `own` input.
    /// [`enter`](Self::enter) checks the other files.
    ///
    /// # Errors
    /// If one of the paths is that of an input.
    pub fn spare_named<C>(&self, files: &[Output<C>], own: Option<&Path>) -> Result<(), Clash> {
        let mut named = files.iter().filter(|file| file.place.source() == NameSource::User);
        named.try_for_each(|file| self.spare_inputs(&file.place, own))
    }

    /// Adds complete files that belong together, before they get their names. If a file with the same name
    /// exists, the new one is omitted if it has the same content or is an unedited companion file.
    ///
    /// # Errors
    /// If another file would replace a protected one; then no file is added.
    pub fn enter(&self, staged: &mut Staged, own: Option<&Path>) -> Result<Vec<Left>, Clash> {
        let files = &mut staged.0;
        let mut table = self.table();
        let (mut keys, mut left) = (Vec::new(), Vec::new());
        let mut taken = SortedSet::new();
        for file in &mut *files {
            let (path, key) = (file.place.path(), table.key(file.place.path()));
            let clash = match self.clash(&table, file, &key, own) {
                Ok(replaces) if taken.insert(key.clone()) => {
                    file.content.set_replaces(replaces);
                    keys.push(key);
                    left.push(None);
                    continue;
                }
                Ok(_) => Clash::Output(path.to_owned()),
                Err(clash) => clash,
            };
            let is_main = file.role == OutputRole::Main;
            let is_same = !is_main && file.content.is_held_by(path);
            if !is_same && file.role != OutputRole::Unedited {
                return Err(clash);
            }
            left.push(Some(Left { path: path.to_owned(), is_same }));
        }
        let mut stays = left.iter().map(Option::is_none);
        files.retain(|_| stays.next().unwrap_or(true));
        table.outputs.extend(keys.into_iter().map(|key| (key, State::Written)));
        Ok(left.into_iter().flatten().collect())
    }

    /// Checks whether a file may replace an existing one; otherwise returns the protected file.
    fn clash(
        &self,
        table: &Table,
        file: &Output<Waiting>,
        key: &str,
        own: Option<&Path>,
    ) -> Result<bool, Clash> {
        let path = file.place.path();
        let is_main = file.role == OutputRole::Main;
        match table.outputs.get(key) {
            Some(State::Reserved) if is_main => {}
            Some(State::Growing) if is_main => return Ok(true),
            Some(_) => return Err(Clash::Output(path.to_owned())),
            None => {}
        }
        table.spare_inputs(path, own.filter(|_| is_main))?;
        let may = match (self.replace, file.place.source()) {
            (Replace::Nothing, _) => false,
            (Replace::All, _) | (Replace::Named, NameSource::User | NameSource::Derived) => true,
            (Replace::Named, NameSource::Content) => self.earlier.as_ref().is_some_and(|is| is(path)),
        };
        if fs::symlink_metadata(path).is_err() {
            return Ok(may);
        }
        // A file with the same content is not written again, so that its times stay.
        let stays = !is_main && (file.role == OutputRole::Unedited || file.content.is_held_by(path));
        if may && !stays { Ok(true) } else { Err(Clash::Exists(path.to_owned())) }
    }
}

impl Table {
    fn spare_inputs(&self, path: &Path, own: Option<&Path>) -> Result<(), Clash> {
        let Some(file) = FileId::of(path) else { return Ok(()) };
        if own.is_some_and(|own| FileId::of(own).as_ref() == Some(&file)) || !self.inputs.contains(&file) {
            return Ok(());
        }
        Err(Clash::Input(path.to_owned()))
    }

    /// Returns a key that is the same for all paths to one location. Some file systems ignore case.
    fn key(&mut self, path: &Path) -> String {
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let real = match self.folders.get(folder) {
            Some(real) => real.clone(),
            None => {
                let real = without_links(folder);
                // A folder that does not exist yet may later be created, so its path is not cached.
                if folder.is_dir() {
                    self.folders.insert(folder.to_owned(), real.clone());
                }
                real
            }
        };
        let whole = real.join(path.file_name().unwrap_or_default());
        whole.to_string_lossy().to_lowercase()
    }
}

/// Returns a path without links, as far as it exists.
pub(crate) fn without_links(path: &Path) -> PathBuf {
    let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = |at: &Path| Some(fs::canonicalize(at).ok()?.join(whole.strip_prefix(at).ok()?));
    whole.ancestors().find_map(real).unwrap_or_else(|| whole.clone())
}

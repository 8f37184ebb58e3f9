//! Writes files such that an output appears complete or not at all.

use super::measured::Measured;
use super::output_path::{NameSource, Place};
use super::temporary::{Pool, Temporary, busy};
use meshwright_core::SortedSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// Writes the content of a file.
pub type Content<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

/// The path of a file that could not be written, and the error.
pub type Failed = (PathBuf, io::Error);

/// The role of a file among the files of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputRole {
    /// The requested file.
    Main,
    /// A file that the main file needs.
    Companion,
    /// An unedited companion file. It is not written if another file has its name.
    Unedited,
}

/// A file to be written.
#[derive(Debug)]
pub struct Output<C> {
    /// The path of the file.
    pub place: Place,
    /// The role.
    pub role: OutputRole,
    /// The content.
    pub content: C,
}

impl<C> Output<C> {
    /// Returns the file with another content.
    pub fn map<D>(self, change: impl FnOnce(C) -> D) -> Output<D> {
        Output { place: self.place, role: self.role, content: change(self.content) }
    }
}

/// Runs an operation that may block indefinitely, such as writing to a pipe.
type Waits = fn(&mut dyn FnMut() -> io::Result<()>) -> io::Result<()>;

/// Writes the outputs of a run.
#[derive(Debug, Default)]
pub struct Writer {
    pool: Pool,
    waits: Option<Waits>,
    only_measures: bool,
    /// Existing folders below the named ones that are not links.
    folders: Mutex<SortedSet<PathBuf>>,
}

impl Writer {
    /// Returns a writer that calls `waits` for operations that may block. `waits` may then let signals end
    /// the process.
    pub fn with_waits(waits: Waits) -> Self {
        Self { waits: Some(waits), ..Self::default() }
    }

    /// Returns a writer that writes nothing: files are only measured, and compared with existing files.
    pub fn measuring() -> Self {
        Self { only_measures: true, ..Self::default() }
    }

    /// Returns true if the writer is [`measuring`](Self::measuring).
    pub fn only_measures(&self) -> bool {
        self.only_measures
    }

    /// Writes files that belong together, in their order. All are complete before the first appears.
    ///
    /// Each is a temporary file next to its target, which is later renamed. On failure the old files are
    /// unchanged and the temporary ones are removed. A file that replaces another one is flushed first, and
    /// so is the only output of a run: after a power failure either the old or the new file exists. New
    /// files below a folder are not flushed. After a power failure, those of the last moments may be missing
    /// or empty; another run writes them again.
    ///
    /// Symbolic links are followed only at a path that the user gave: the file behind the link is replaced
    /// and the link stays. Only there, a device, a pipe or a socket is written to directly, because it
    /// cannot be replaced. At other paths both are rejected.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn stage<'a>(&self, files: impl IntoIterator<Item = Output<Content<'a>>>) -> Result<Staged, Failed> {
        let (mut staged, mut devices) = (Vec::new(), Vec::new());
        for Output { place, role, content } in files {
            match self.one(&place, content) {
                Ok(Stage::Waiting(content)) => staged.push(Output { place, role, content }),
                Ok(Stage::Device(content)) => devices.push((place, content)),
                Err(e) => return Err((place.path().to_owned(), e)),
            }
        }
        // Devices may block, so they are written before the renames, which no signal interrupts.
        for (place, content) in devices {
            self.write_device(place.path(), content).map_err(|e| (place.path().to_owned(), e))?;
        }
        Ok(Staged(staged))
    }

    fn write_device(&self, path: &Path, content: Content<'_>) -> io::Result<()> {
        let mut content = Some(content);
        let mut write = || {
            let mut file = File::options().write(true).open(path)?;
            content.take().map_or(Ok(()), |content| content(&mut file))?;
            file.flush()
        };
        match self.waits {
            Some(waits) => waits(&mut write),
            None => write(),
        }
    }

    fn one<'a>(&self, place: &Place, content: Content<'a>) -> io::Result<Stage<'a>> {
        let path = place.path();
        if self.only_measures {
            return Ok(Stage::Waiting(Waiting::Measured(Measured::new(path, content)?)));
        }
        if place.source() == NameSource::User {
            return self.at_named(path, content);
        }
        if let Some(top) = place.top() {
            self.make_folders(top, path)?;
        }
        let old = fs::symlink_metadata(path).ok();
        if old.as_ref().is_some_and(|meta| !meta.is_file() && !meta.is_dir()) {
            let why = "is a link or a device, which is written to only when it is named as the output";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        let flush = place.top().is_none() || old.is_some();
        self.waiting(path.to_owned(), old, flush, content).map(Stage::Waiting)
    }

    fn at_named<'a>(&self, path: &Path, content: Content<'a>) -> io::Result<Stage<'a>> {
        // The target of a name in /dev or /proc is queried first, because these links do not lead to paths.
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
            return Ok(Stage::Device(content));
        }
        let target = resolve(path)?;
        // A descriptor can refer to a file that no longer has a name. Another program may replace the file
        // between the two queries, so the difference must persist.
        let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        let id = super::FileId::of;
        let differ = || id(path).is_some_and(|file| id(&target) != Some(file));
        if is_link && (0..16).all(|_| differ()) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "leads to a file that has no name any more"));
        }
        let old = fs::metadata(&target).ok();
        self.waiting(target, old, true, content).map(Stage::Waiting)
    }

    fn waiting(
        &self,
        target: PathBuf,
        old: Option<Metadata>,
        flush: bool,
        content: Content<'_>,
    ) -> io::Result<Waiting> {
        if let Some(meta) = &old {
            if meta.is_dir() {
                return Err(io::Error::new(io::ErrorKind::IsADirectory, "is a folder"));
            }
            // Renaming would bypass a write protection that the owner set.
            if meta.permissions().readonly() {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "is write-protected"));
            }
        }
        let folder = match target.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        // The file is closed when it is complete, because there may be more files than descriptors.
        let (mut file, temporary) =
            self.pool.create(folder, old.is_none()).map_err(|e| match fs::metadata(folder) {
                Ok(meta) if meta.is_dir() => e,
                Ok(_) => io::Error::new(e.kind(), "its folder is a file"),
                Err(_) if e.kind() == io::ErrorKind::NotFound => {
                    io::Error::new(e.kind(), "its folder does not exist")
                }
                Err(_) => e,
            })?;
        content(&mut file)?;
        if let Some(meta) = &old {
            file.set_permissions(kept_permissions(meta))?;
        }
        if flush {
            file.sync_all()?;
        }
        Ok(Waiting::Written(Written { temporary, target, is_new: old.is_none(), replaces: true }))
    }

    /// Creates the folders between `top` and a file below it. A link among them is rejected, because it
    /// could lead out of `top`.
    fn make_folders(&self, top: &Path, path: &Path) -> io::Result<()> {
        let Some(folder) = path.parent() else { return Ok(()) };
        let mut known = self.folders.lock().unwrap_or_else(PoisonError::into_inner);
        if known.contains(folder) {
            return Ok(());
        }
        fs::create_dir_all(top).map_err(|e| match e.kind() {
            io::ErrorKind::AlreadyExists => io::Error::new(e.kind(), "its folder is a file"),
            _ => e,
        })?;
        let mut at = top.to_owned();
        for part in folder.strip_prefix(top).into_iter().flat_map(Path::components) {
            at.push(part);
            match fs::create_dir(&at) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            }
            if !fs::symlink_metadata(&at)?.is_dir() {
                return Err(io::Error::new(
                    io::ErrorKind::NotADirectory,
                    "its folder is a link or no folder",
                ));
            }
        }
        known.insert(folder.to_owned());
        Ok(())
    }
}

/// The progress of an output.
enum Stage<'a> {
    Waiting(Waiting),
    /// The file is written in place after all others are complete.
    Device(Content<'a>),
}

/// A complete file that does not have its final name yet.
#[derive(Debug)]
pub(super) struct Written {
    temporary: Temporary,
    /// The target file, with links resolved.
    target: PathBuf,
    is_new: bool,
    replaces: bool,
}

/// A complete file that does not have its final name yet, or the size of a file that is not written.
#[derive(Debug)]
pub(super) enum Waiting {
    Written(Written),
    Measured(Measured),
}

impl Waiting {
    /// Returns whether the file at its path has the same content.
    pub(super) fn is_held_by(&self, path: &Path) -> bool {
        match self {
            Self::Written(written) => written.temporary.is_held_by(path),
            Self::Measured(measured) => measured.exists,
        }
    }

    /// Sets whether the output may replace an existing file.
    pub(super) fn set_replaces(&mut self, replaces: bool) {
        if let Self::Written(written) = self {
            written.replaces = replaces;
        }
    }
}

/// Files that belong together. They are complete, but do not have their final names yet.
#[derive(Debug, Default)]
pub struct Staged(pub(super) Vec<Output<Waiting>>);

impl Staged {
    /// Returns the paths of the files, in their order.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.0.iter().map(|file| &file.place)
    }

    /// Returns the paths and sizes of files that a [measuring](Writer::measuring) writer did not write.
    pub fn measured(&self) -> impl Iterator<Item = (&Place, u64)> {
        self.0.iter().filter_map(|file| match &file.content {
            Waiting::Measured(measured) => Some((&file.place, measured.size)),
            Waiting::Written(_) => None,
        })
    }

    /// Gives the files their names. If one fails, the files that appeared before it are removed again.
    ///
    /// # Errors
    /// If a file cannot get its name.
    pub fn appear(mut self) -> Result<(), Failed> {
        let _busy = busy();
        let mut appeared = Vec::new();
        for Output { place, content, .. } in &mut self.0 {
            let Waiting::Written(content) = content else { continue };
            if let Err(e) = content.temporary.persist(&content.target, content.replaces) {
                appeared.iter().for_each(|path| drop(fs::remove_file(path)));
                return Err((place.path().to_owned(), e));
            }
            if content.is_new {
                appeared.push(content.target.clone());
            }
        }
        Ok(())
    }
}

/// Returns the permissions of a replaced file, without the right to run as another user.
fn kept_permissions(old: &Metadata) -> fs::Permissions {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::Permissions::from_mode(old.permissions().mode() & 0o777)
    }
    #[cfg(not(unix))]
    {
        old.permissions()
    }
}

/// Resolves symbolic links. The target need not exist.
fn resolve(path: &Path) -> io::Result<PathBuf> {
    const MOST_LINKS: usize = 40;
    let mut at = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&at) {
            Ok(next) => at = at.parent().unwrap_or(Path::new("")).join(next),
            Err(_) => return Ok(at),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

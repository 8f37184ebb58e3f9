//! Writing files so that an output appears complete or not at all.

use crate::destination::Destination;
use crate::identity;
use crate::refusal::Refusal;
use crate::temporary::{self, Pool, Temporary};
use std::fs::{self, File, Metadata};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// What writes an output.
pub(crate) type Content<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

/// An output that is there already.
pub(crate) fn whole(bytes: &[u8]) -> Content<'_> {
    Box::new(move |out| out.write_all(bytes))
}

/// Writes the one result of a command.
pub(crate) fn deliver(destination: &Destination, bytes: &[u8]) -> Result<(), Refusal> {
    stream(destination, whole(bytes))
}

/// Writes the one result of a command while it is made.
pub(crate) fn stream(destination: &Destination, content: Content<'_>) -> Result<(), Refusal> {
    let refused = |path: &Path, e: &io::Error| Err(Refusal::unwritable(path, e));
    match destination {
        Destination::Stdout => {
            let out = io::stdout().lock();
            let mut out = Shown { first: out.is_terminal(), out };
            match content(&mut out).and_then(|()| out.flush()) {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(Refusal::Closed),
                Err(e) => refused(Path::new("<stdout>"), &e),
                Ok(()) => Ok(()),
            }
        }
        Destination::File(path) => {
            let staged = Outputs::new(destination).stage([(path.clone(), content)]);
            staged.and_then(Staged::appear).or_else(|(path, e)| refused(&path, &e))
        }
        Destination::Folder(path) => refused(path, &is_a_folder()),
    }
}

/// Standard output, which takes no bytes that are not text where it is a terminal.
struct Shown<W> {
    out: W,
    /// Nothing was written to a terminal yet.
    first: bool,
}

impl<W: Write> Write for Shown<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = || std::str::from_utf8(bytes).map_or_else(|e| e.error_len().is_none(), |_| true);
        if self.first && !bytes.is_empty() && (bytes.contains(&0) || !text()) {
            let why = "is a terminal, which binary files are not written to: name a file, or pipe it on";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        self.first = false;
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Writes files that belong together, in their order: all are complete before the first appears.
pub(crate) fn write_files(
    destination: &Destination,
    files: &[(PathBuf, impl AsRef<[u8]>)],
) -> Result<(), Failed> {
    let files = files.iter().map(|(path, content)| (path.clone(), whole(content.as_ref())));
    Outputs::new(destination).stage(files)?.appear()
}

/// Which file could not be written, and why.
pub(crate) type Failed = (PathBuf, io::Error);

/// Where a run writes to.
#[derive(Debug)]
pub(crate) struct Outputs {
    /// What is there already stays.
    keeps: bool,
    destination: Destination,
    pool: Pool,
}

impl Outputs {
    pub(crate) fn new(destination: &Destination) -> Self {
        Self { keeps: false, destination: destination.clone(), pool: Pool::default() }
    }

    /// The same, files that are there already being kept or not.
    pub(crate) fn keeping(self, keeps: bool) -> Self {
        Self { keeps, ..self }
    }

    pub(crate) fn destination(&self) -> &Destination {
        &self.destination
    }

    /// Writes files that belong together, in their order, so that they are complete before the first appears.
    ///
    /// Each is a temporary file beside its target, which is renamed over it later. On failure the old files are untouched
    /// and the temporary ones are gone; so they are when a signal ends the program. What takes the place of a file is
    /// flushed before, and so is the one output of a run: when the power fails there is the old file or the new one. The new
    /// files of a folder are left to the system to flush: after a power failure those of the last moments may be missing or
    /// empty, and another run makes them.
    ///
    /// Only at the very path that the user gave a symbolic link is followed, so that the file it points at is
    /// replaced and the link stays, and a device, a pipe or a socket is written to directly, because it cannot be
    /// replaced. At a path that was derived, and below a folder, both are refused.
    pub(crate) fn stage<'a>(
        &self,
        files: impl IntoIterator<Item = (PathBuf, Content<'a>)>,
    ) -> Result<Staged, Failed> {
        let (mut staged, mut devices) = (Staged::default(), Vec::new());
        for (path, content) in files {
            match self.one(&path, content) {
                Ok(Stage::Waiting(file)) => staged.0.push((path, file)),
                Ok(Stage::Device(content)) => devices.push((path, content)),
                Err(e) => return Err((path, e)),
            }
        }
        // Devices may block, so they come before the renames, which no signal interrupts.
        for (path, content) in devices {
            let open = || File::options().write(true).open(&path);
            let write = || open().and_then(|mut file| content(&mut file).and_then(|()| file.flush()));
            temporary::waiting(write).map_err(|e| (path.clone(), e))?;
        }
        Ok(staged)
    }

    fn one<'a>(&self, path: &Path, content: Content<'a>) -> io::Result<Stage<'a>> {
        match &self.destination {
            Destination::File(named) if named == path => self.at_named(path, content),
            Destination::Folder(top) => {
                below(top, path)?;
                self.at_derived(path, content).map(Stage::Waiting)
            }
            _ => self.at_derived(path, content).map(Stage::Waiting),
        }
    }

    fn at_named<'a>(&self, path: &Path, content: Content<'a>) -> io::Result<Stage<'a>> {
        // What a name in /dev or /proc leads to is asked for first: their links do not lead to paths.
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
            return Ok(Stage::Device(content));
        }
        let place = resolve(path)?;
        // A descriptor leads on to a file when no name does any more. Another run may put a new file there between
        // the two looks, so that only what stays so counts.
        let is_link = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_symlink());
        let differ = || identity::of(path).is_some_and(|file| identity::of(&place) != Some(file));
        if is_link && (0..16).all(|_| differ()) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "leads to a file that has no name any more"));
        }
        let old = fs::metadata(&place).ok();
        self.waiting(place, old, content).map(Stage::Waiting)
    }

    fn at_derived(&self, path: &Path, content: Content<'_>) -> io::Result<Waiting> {
        let old = fs::symlink_metadata(path).ok();
        if old.as_ref().is_some_and(|meta| !meta.is_file() && !meta.is_dir()) {
            let why = "is a link or a device, which is written to only when it is named as the output";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        self.waiting(path.to_owned(), old, content)
    }

    fn waiting(&self, place: PathBuf, old: Option<Metadata>, content: Content<'_>) -> io::Result<Waiting> {
        if self.keeps && old.is_some() {
            let why = "is there already, and --no-clobber keeps it";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        if let Some(meta) = &old {
            if meta.is_dir() {
                return Err(is_a_folder());
            }
            // Renaming would get around a write protection that the owner put there.
            if meta.permissions().readonly() {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "is write-protected"));
            }
        }
        let folder = match place.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        let temporary = self.pool.create(folder, old.is_none()).map_err(|e| {
            // The error also names the temporary file, which means nothing to anybody.
            let text = e.to_string();
            io::Error::new(e.kind(), text.split(" at path ").next().unwrap_or_default().to_owned())
        })?;
        let mut file = &temporary.file;
        content(&mut file)?;
        if let Some(meta) = &old {
            file.set_permissions(kept_permissions(meta))?;
        }
        if old.is_some() || !matches!(self.destination, Destination::Folder(_)) {
            file.sync_all()?;
        }
        Ok(Waiting { file: temporary, place, replaces: old.is_some() })
    }
}

/// How far an output is.
enum Stage<'a> {
    Waiting(Waiting),
    /// It is written in place, when all others are complete.
    Device(Content<'a>),
}

/// A finished file that waits to take its name.
#[derive(Debug)]
struct Waiting {
    file: Temporary,
    place: PathBuf,
    replaces: bool,
}

/// Files that belong together, finished and without their names.
#[derive(Debug, Default)]
pub(crate) struct Staged(Vec<(PathBuf, Waiting)>);

impl Staged {
    /// Leaves out files that are there already as they are, or that `stays` names, of those that `written` names. They
    /// come back, and whether what lies there is the same.
    pub(crate) fn leave_out(
        &mut self,
        written: impl Fn(&Path) -> bool,
        stays: impl Fn(&Path) -> bool,
    ) -> Vec<(PathBuf, bool)> {
        let mut left = Vec::new();
        self.0.retain(|(path, one)| {
            let same = written(path) && one.file.is_held_by(&one.place);
            let out = same || written(path) && stays(path);
            if out {
                left.push((path.clone(), same));
            }
            !out
        });
        left
    }

    /// Gives finished files their names. When one cannot take its own, those that appeared before it go again.
    pub(crate) fn appear(mut self) -> Result<(), Failed> {
        let _unended = temporary::unended();
        let mut appeared = Vec::new();
        for (path, one) in &mut self.0 {
            if let Err(e) = one.file.persist(&one.place) {
                appeared.iter().for_each(|p| drop(fs::remove_file(p)));
                return Err((path.clone(), e));
            }
            if !one.replaces {
                appeared.push(one.place.clone());
            }
        }
        Ok(())
    }
}

/// Makes the folders between `top` and a file below it. A link among them would lead out of `top`.
fn below(top: &Path, path: &Path) -> io::Result<()> {
    fs::create_dir_all(top)?;
    let between = path.parent().and_then(|folder| folder.strip_prefix(top).ok());
    let mut at = top.to_owned();
    for part in between.into_iter().flat_map(Path::components) {
        at.push(part);
        match fs::create_dir(&at) {
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
        if !fs::symlink_metadata(&at)?.is_dir() {
            return Err(io::Error::new(io::ErrorKind::NotADirectory, "its folder is a link or no folder"));
        }
    }
    Ok(())
}

fn is_a_folder() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "is a folder")
}

/// A file that is replaced keeps its mode, but not the right to run as somebody else.
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

/// The file behind any symbolic links, whether it exists or not.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, bytes: &[u8]) -> Result<(), (PathBuf, io::Error)> {
        write_files(&Destination::File(path.to_owned()), &[(path.to_owned(), bytes)])
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out.glb");
        fs::create_dir(&folder).unwrap();
        assert!(write(&folder, b"new").is_err());
        let missing = dir.path().join("no/such/out.glb");
        assert!(write(&missing, b"new").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_whose_companion_cannot_take_its_name_goes_again() {
        let dir = tempfile::tempdir().unwrap();
        let (first, second) = (dir.path().join("a.bin"), dir.path().join("a.gltf"));
        let outputs = Outputs::new(&Destination::File(second.clone()));
        let staged = outputs.stage([&first, &second].map(|p| (p.clone(), whole(b"new")))).unwrap();
        fs::create_dir(&second).unwrap();
        assert_eq!(staged.appear().unwrap_err().0, second);
        drop(outputs);
        assert!(!first.exists() && fs::read_dir(dir.path()).unwrap().count() == 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        write(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"new");
    }

    #[cfg(unix)]
    #[test]
    fn modes_are_kept_and_new_files_follow_the_mask() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let plain = dir.path().join("plain");
        fs::write(&plain, b"").unwrap();
        write(&path, b"1").unwrap();
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o7777;
        assert_eq!(mode(&path), mode(&plain));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o4600)).unwrap();
        write(&path, b"2").unwrap();
        assert_eq!(mode(&path), 0o600);
    }
}

//! Writing files so that an output appears complete or not at all.

use crate::destination::Destination;
use crate::identity;
use crate::refusal::Refusal;
use crate::temporary::{self, Temporary};
use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What writes an output.
pub(crate) type Content<'a> = Box<dyn FnOnce(&mut dyn Write) -> io::Result<()> + 'a>;

/// An output that is there already.
fn whole(bytes: &[u8]) -> Content<'_> {
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
            let mut out = io::stdout().lock();
            match content(&mut out).and_then(|()| out.flush()) {
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Err(Refusal::Closed),
                Err(e) => refused(Path::new("<stdout>"), &e),
                Ok(()) => Ok(()),
            }
        }
        Destination::File(path) => {
            write_all(destination, [(path.as_path(), content)]).or_else(|(path, e)| refused(&path, &e))
        }
        Destination::Folder(path) => refused(path, &is_a_folder()),
    }
}

/// Writes files that belong together, in their order: all are complete before the first appears.
///
/// Each is a temporary file in the folder of its target, flushed, then renamed over it. On failure the old files
/// are untouched and the temporary ones are gone; so they are when a signal ends the program.
///
/// Only at the very path that the user gave a symbolic link is followed, so that the file it points at is
/// replaced and the link stays, and a device, a pipe or a socket is written to directly, because it cannot be
/// replaced. At a path that was derived, and below a folder, both are refused.
pub(crate) fn write_files(
    destination: &Destination,
    files: &[(PathBuf, impl AsRef<[u8]>)],
) -> Result<(), (PathBuf, io::Error)> {
    write_all(destination, files.iter().map(|(path, content)| (path.as_path(), whole(content.as_ref()))))
}

fn write_all<'a>(
    destination: &Destination,
    files: impl IntoIterator<Item = (&'a Path, Content<'a>)>,
) -> Result<(), (PathBuf, io::Error)> {
    let (mut staged, mut devices) = (Vec::new(), Vec::new());
    for (path, content) in files {
        let staging = match destination {
            Destination::File(named) if named == path => Staged::at_named(path, content),
            Destination::Folder(top) => below(top, path).and_then(|()| Staged::at_derived(path, content)),
            _ => Staged::at_derived(path, content),
        };
        match staging.map_err(|e| (path.to_owned(), e))? {
            Staged::Device { content } => devices.push((path, content)),
            temporary => staged.push((path, temporary)),
        }
    }
    // Devices may block, so they come before the renames, which no signal interrupts.
    for (path, content) in devices {
        let open = || File::options().write(true).open(path);
        let write = || open().and_then(|mut file| content(&mut file).and_then(|()| file.flush()));
        temporary::waiting(write).map_err(|e| (path.to_owned(), e))?;
    }
    place(staged)
}

/// Gives finished files their names. When one cannot take its own, those that appeared before it go again.
fn place(staged: Vec<(&Path, Staged<'_>)>) -> Result<(), (PathBuf, io::Error)> {
    let mut open = temporary::open();
    let mut appeared = Vec::new();
    for (path, one) in staged {
        let Staged::Temporary { file, place, replaces } = one else { continue };
        let name = file.name();
        let persisted = file.persist(&place);
        open.remove(&name);
        if let Err(e) = persisted {
            appeared.iter().for_each(|p| drop(fs::remove_file(p)));
            return Err((path.to_owned(), e));
        }
        if !replaces {
            appeared.push(place);
        }
    }
    Ok(())
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

/// A finished file that waits to take its name.
enum Staged<'a> {
    Temporary { file: Temporary, place: PathBuf, replaces: bool },
    Device { content: Content<'a> },
}

impl<'a> Staged<'a> {
    fn at_named(path: &Path, content: Content<'a>) -> io::Result<Self> {
        // What a name in /dev or /proc leads to is asked for first: their links do not lead to paths.
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
            return Ok(Self::Device { content });
        }
        let place = resolve(path)?;
        // A descriptor leads on to a file when no name does any more.
        if identity::of(path).is_some_and(|file| identity::of(&place) != Some(file)) {
            return Err(io::Error::new(io::ErrorKind::NotFound, "leads to a file that has no name any more"));
        }
        let old = fs::metadata(&place).ok();
        Self::temporary(place, old, content)
    }

    fn at_derived(path: &Path, content: Content<'a>) -> io::Result<Self> {
        let old = fs::symlink_metadata(path).ok();
        if old.as_ref().is_some_and(|meta| !meta.is_file() && !meta.is_dir()) {
            let why = "is a link or a device, which is written to only when it is named as the output";
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
        }
        Self::temporary(path.to_owned(), old, content)
    }

    fn temporary(place: PathBuf, old: Option<Metadata>, content: Content<'a>) -> io::Result<Self> {
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
        let temporary = temporary::create(folder, old.is_none()).map_err(|e| {
            // The error also names the temporary file, which means nothing to anybody.
            let text = e.to_string();
            io::Error::new(e.kind(), text.split(" at path ").next().unwrap_or_default().to_owned())
        })?;
        let mut file = &temporary.file;
        content(&mut file)?;
        if let Some(meta) = &old {
            file.set_permissions(kept_permissions(meta))?;
        }
        file.sync_all()?;
        Ok(Self::Temporary { file: temporary, place, replaces: old.is_some() })
    }
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
        let staged = [&first, &second].map(|p| (p.as_path(), Staged::at_derived(p, whole(b"new")).unwrap()));
        fs::create_dir(&second).unwrap();
        assert_eq!(place(staged.into()).unwrap_err().0, second);
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

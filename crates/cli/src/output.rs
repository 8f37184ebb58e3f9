//! Writing files so that an output appears complete or not at all.

use crate::debris;
use crate::load::Refusal;
use std::ffi::OsStr;
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Where results of a conversion go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Standard output.
    Stdout,
    /// One file.
    File(PathBuf),
    /// A folder that takes one file per input.
    Folder(PathBuf),
}

impl Target {
    /// `-`, and the names that systems give standard output, are standard output; a path that ends in a
    /// separator or is a folder takes files; anything else is the file itself.
    pub(crate) fn new(path: &Path) -> Self {
        const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];
        let text = path.as_os_str();
        let ends_in_separator =
            text.as_encoded_bytes().last().is_some_and(|b| std::path::is_separator(char::from(*b)));
        if STDOUT.iter().any(|name| text == OsStr::new(name)) {
            Self::Stdout
        } else if ends_in_separator || path.is_dir() {
            Self::Folder(path.to_owned())
        } else {
            Self::File(path.to_owned())
        }
    }
}

/// Writes the one result of a command.
pub(crate) fn deliver(target: &Target, bytes: &[u8]) -> Result<(), Refusal> {
    let (path, written) = match target {
        Target::Stdout => {
            let mut out = io::stdout().lock();
            (Path::new("<stdout>"), out.write_all(bytes).and_then(|()| out.flush()))
        }
        Target::File(path) => (path.as_path(), write_file(path, bytes)),
        Target::Folder(path) => (path.as_path(), Err(is_a_folder())),
    };
    match written {
        // Whoever reads the output has seen enough.
        Err(e) if *target == Target::Stdout && e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|e| Refusal::unwritable(path, &e)),
    }
}

/// Writes files that belong together: all are complete before the first appears.
///
/// Each is a temporary file in the folder of its target, flushed, then renamed over it. On failure the old files
/// are untouched and the temporary ones are gone; so they are when a signal ends the program.
///
/// A symbolic link is followed, so that the file it points at is replaced and the link stays. A device, a pipe
/// or a socket is written to directly, because it cannot be replaced.
pub(crate) fn write_files(files: &[(PathBuf, impl AsRef<[u8]>)]) -> Result<(), (PathBuf, io::Error)> {
    let mut staged = Vec::new();
    for (path, bytes) in files {
        staged.push((path, Staged::new(path, bytes.as_ref()).map_err(|e| (path.clone(), e))?));
    }
    // Devices may block, so they come before the renames, which no signal interrupts.
    for (path, one) in &mut staged {
        if let Staged::Device { file, bytes } = one {
            file.write_all(bytes).and_then(|()| file.flush()).map_err(|e| (path.clone(), e))?;
        }
    }
    let mut open = debris::open();
    for (path, one) in staged {
        if let Staged::Temporary { file, target } = one {
            let name = file.path().to_owned();
            file.persist(&target).map_err(|e| (path.clone(), e.error))?;
            open.remove(&name);
        }
    }
    Ok(())
}

/// Writes one file, see [`write_files`].
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write_files(&[(path.to_owned(), bytes)]).map_err(|(_, e)| e)
}

fn is_a_folder() -> io::Error {
    io::Error::new(io::ErrorKind::IsADirectory, "is a folder")
}

/// A finished file that waits to take its name.
enum Staged<'a> {
    Temporary { file: NamedTempFile, target: PathBuf },
    Device { file: File, bytes: &'a [u8] },
}

impl<'a> Staged<'a> {
    fn new(path: &Path, bytes: &'a [u8]) -> io::Result<Self> {
        // What a name in /dev or /proc leads to is asked for first: their links do not lead to paths.
        if fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir()) {
            return Ok(Self::Device { file: File::options().write(true).open(path)?, bytes });
        }
        let target = resolve(path)?;
        let old = fs::metadata(&target).ok();
        if let Some(meta) = &old {
            if meta.is_dir() {
                return Err(is_a_folder());
            }
            // Renaming would get around a write protection that the owner put there.
            if meta.permissions().readonly() {
                return Err(io::Error::new(io::ErrorKind::PermissionDenied, "is write-protected"));
            }
        }
        let folder = match target.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        let mut file = temporary(folder, old.as_ref())?;
        file.as_file_mut().write_all(bytes)?;
        // A file that is replaced keeps its mode; a new one gets what the user's mask allows.
        if let Some(meta) = old {
            file.as_file().set_permissions(meta.permissions())?;
        }
        file.as_file().sync_all()?;
        Ok(Self::Temporary { file, target })
    }
}

fn temporary(folder: &Path, old: Option<&fs::Metadata>) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".meshwright-").suffix(".tmp");
    if let Some(permissions) = permissions(old) {
        builder.permissions(permissions);
    }
    let mut open = debris::open();
    let file = builder.tempfile_in(folder).map_err(|e| {
        // The error also names the temporary file, which tells nobody anything.
        let text = e.to_string();
        io::Error::new(e.kind(), text.split(" at path ").next().unwrap_or_default().to_owned())
    })?;
    open.insert(file.path().to_owned());
    Ok(file)
}

/// What a new temporary file is created with; the process's mask takes its part off.
fn permissions(old: Option<&fs::Metadata>) -> Option<Permissions> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        old.is_none().then(|| Permissions::from_mode(0o666))
    }
    #[cfg(not(unix))]
    {
        let _ = old;
        None
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

/// A file name made of a name that came from a model or another path: no separators, no control characters,
/// no reserved names, never empty.
pub(crate) fn safe_file_name(name: &str) -> String {
    const RESERVED: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];
    let mut safe: String = name
        .chars()
        .map(|c| if c.is_control() || "/\\:*?\"<>|".contains(c) { '_' } else { c })
        .take(120)
        .collect();
    while safe.ends_with(['.', ' ']) {
        safe.pop();
    }
    let stem = safe.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let device = stem.trim_end_matches(|c: char| c.is_ascii_digit());
    let numbered = ["com", "lpt"].contains(&device) && stem.len() == device.len() + 1;
    if safe.is_empty() || safe.starts_with('.') || numbered || (RESERVED[..4].contains(&stem.as_str())) {
        safe.insert(0, '_');
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_leave_their_folder() {
        for (from, to) in [
            ("walk", "walk"),
            ("../../etc/passwd", "_.._.._etc_passwd"),
            ("a/b\\c:d", "a_b_c_d"),
            ("..", "_"),
            ("", "_"),
            ("nul.glb", "_nul.glb"),
            ("com1", "_com1"),
            ("command", "command"),
            ("a\0b\u{1b}[2J", "a_b_[2J"),
            ("trailing. ", "trailing"),
        ] {
            assert_eq!(safe_file_name(from), to, "{from:?}");
        }
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_debris() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("out.glb");
        fs::create_dir(&folder).unwrap();
        assert!(write_file(&folder, b"new").is_err());
        let missing = dir.path().join("no/such/out.glb");
        assert!(write_file(&missing, b"new").is_err());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (file, link) = (dir.path().join("file"), dir.path().join("link"));
        fs::write(&file, b"old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        write_file(&link, b"new").unwrap();
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
        write_file(&path, b"1").unwrap();
        let mode = |p: &Path| fs::metadata(p).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&path), mode(&plain));
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        write_file(&path, b"2").unwrap();
        assert_eq!(mode(&path), 0o600);
    }

    #[test]
    fn targets() {
        for name in ["-", "/dev/stdout"] {
            assert_eq!(Target::new(Path::new(name)), Target::Stdout);
        }
        assert_eq!(Target::new(Path::new("out/")), Target::Folder("out/".into()));
        assert_eq!(Target::new(Path::new("a.glb")), Target::File("a.glb".into()));
    }
}

//! Calls to the operating system. No other module makes any.

use crate::byte_source::ByteSource;
use crate::listing::{EntryKind, Listing};
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

fn kind_of(kind: fs::FileType) -> EntryKind {
    if kind.is_symlink() {
        EntryKind::Link
    } else if kind.is_dir() {
        EntryKind::Folder
    } else if kind.is_file() {
        EntryKind::File
    } else {
        EntryKind::Other
    }
}

/// Returns the kind of a path's target.
pub(crate) fn kind(path: &Path) -> io::Result<EntryKind> {
    fs::metadata(path).map(|meta| kind_of(meta.file_type()))
}

/// Returns the kind of a path, without following links.
pub(crate) fn own_kind(path: &Path) -> io::Result<EntryKind> {
    fs::symlink_metadata(path).map(|meta| kind_of(meta.file_type()))
}

/// Returns the listing of a folder.
pub(crate) fn list(folder: &Path) -> io::Result<Listing> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        // A name that cannot be converted back cannot be opened.
        if os_name(name.as_encoded_bytes()).as_deref() != Some(&name) {
            continue;
        }
        // An entry that disappeared or cannot be queried is skipped.
        let Ok(kind) = entry.file_type() else { continue };
        entries.push((name.as_encoded_bytes().into(), kind_of(kind)));
    }
    Ok(Listing::new(entries))
}

/// Returns the path without symbolic links.
pub(crate) fn resolved(path: &Path) -> io::Result<PathBuf> {
    fs::canonicalize(path)
}

/// Returns the path from the top of the file system.
pub(crate) fn absolute(path: &Path) -> io::Result<PathBuf> {
    std::path::absolute(path)
}

/// Converts a name of a tree to one of the operating system.
#[cfg(unix)]
pub(crate) fn os_name(name: &[u8]) -> Option<OsString> {
    use std::os::unix::ffi::OsStrExt;
    Some(OsStr::from_bytes(name).to_owned())
}

/// Converts a name of a tree to one of the operating system.
#[cfg(not(unix))]
pub(crate) fn os_name(name: &[u8]) -> Option<OsString> {
    // Names with such characters could refer to another folder.
    let safe = |name: &&str| !name.contains(['\\', '/', ':']);
    std::str::from_utf8(name).ok().filter(safe).map(|name| OsStr::new(name).to_owned())
}

/// The reason why a file was not read.
pub(crate) enum Unread {
    Folder,
    /// The size, as far as it is known.
    TooLarge(u64),
    System(io::Error),
}

impl From<io::Error> for Unread {
    fn from(e: io::Error) -> Self {
        Self::System(e)
    }
}

/// Reads a file. A file with more than `most` bytes is rejected before it is read.
pub(crate) fn read(path: &Path, most: u64) -> Result<Vec<u8>, Unread> {
    let file = File::open(path)?;
    let meta = file.metadata()?;
    if meta.is_dir() {
        return Err(Unread::Folder);
    }
    if meta.len() > most {
        return Err(Unread::TooLarge(meta.len()));
    }
    let mut bytes = Vec::new();
    // Reserve one byte more than the size, so that the end of the file is detected without growing the
    // buffer.
    let length = usize::try_from(meta.len()).unwrap_or(usize::MAX).saturating_add(1);
    bytes.try_reserve_exact(length).map_err(|_| io::Error::from(io::ErrorKind::OutOfMemory))?;
    // A pipe has no known size, and a file may grow.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(Unread::TooLarge(bytes.len() as u64)) } else { Ok(bytes) }
}

/// A file that is read in parts.
#[derive(Debug)]
pub(crate) struct OsFile {
    #[cfg(unix)]
    file: File,
    #[cfg(not(unix))]
    file: std::sync::Mutex<File>,
    size: u64,
}

/// Opens a regular file.
pub(crate) fn open(path: &Path) -> io::Result<OsFile> {
    // Opening a pipe or a device may block forever.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "is no regular file"));
    }
    let file = File::open(path)?;
    let size = file.metadata()?.len();
    #[cfg(not(unix))]
    let file = std::sync::Mutex::new(file);
    Ok(OsFile { file, size })
}

impl ByteSource for OsFile {
    fn size(&self) -> u64 {
        self.size
    }

    #[cfg(unix)]
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(&self.file, into, offset)
    }

    #[cfg(not(unix))]
    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        use std::io::{Seek as _, SeekFrom};
        let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(into)
    }
}

/// Returns the size of a file in bytes.
pub(crate) fn size(path: &Path) -> io::Result<u64> {
    fs::metadata(path).map(|meta| meta.len())
}

/// Returns the first bytes of a file, at most `most`; empty if it is not a regular file.
pub(crate) fn head(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let mut bytes = vec![0; usize::try_from(most.min(file.size)).unwrap_or(0)];
    file.read_at(0, &mut bytes)?;
    Ok(bytes)
}

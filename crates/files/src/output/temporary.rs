//! Temporary files, which are removed however the program ends.
//!
//! They are in a folder `.meshwright-XXXXXX.tmp` next to their targets. The folder is locked as long as it
//! is in use. Files and folder are removed on drop. A signal ends a program without dropping anything, so a
//! signal handler calls [`abandon`]. If a program is killed, the next one that writes to the same parent
//! folder removes its files. It removes only folders that are not locked and in which every file name begins
//! with the folder's own number in the file system. So it never removes files of other programs.

use super::file_id::FileId;
use meshwright_core::{SortedMap, SortedSet};
use std::collections::hash_map::RandomState;
use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

const PREFIX: &str = ".meshwright-";
const SUFFIX: &str = ".tmp";
/// The number of random letters and digits in the name.
const RANDOM: usize = 6;

/// Locked exclusively while the program ends, and shared while temporary files are created, renamed or
/// removed.
static ENDING: RwLock<()> = RwLock::new(());
/// The folders of the temporary files that exist.
static FOLDERS: Mutex<SortedSet<PathBuf>> = Mutex::new(SortedSet::new());
/// The folders in which the remains of killed programs were searched.
static SWEPT: Mutex<SortedSet<PathBuf>> = Mutex::new(SortedSet::new());
/// The named inputs, which are never removed.
static KEPT: Mutex<SortedSet<FileId>> = Mutex::new(SortedSet::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Makes [`abandon`] wait while temporary files are created, renamed or removed. Code that holds the lock
/// must not block.
pub(super) fn busy() -> RwLockReadGuard<'static, ()> {
    ENDING.read().unwrap_or_else(PoisonError::into_inner)
}

/// As long as this exists, no temporary file is created, renamed or removed.
#[derive(Debug)]
pub struct Abandoned {
    _alone: RwLockWriteGuard<'static, ()>,
}

/// Removes all temporary files of this process, which then cannot write another output. It is for signal
/// handlers that end the process.
pub fn abandon() -> Abandoned {
    let alone = ENDING.write().unwrap_or_else(PoisonError::into_inner);
    for folder in &*lock(&FOLDERS) {
        let _ = fs::remove_dir_all(folder);
    }
    Abandoned { _alone: alone }
}

/// A complete file that does not have its final name yet. It is removed if it does not get one.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    _folder: Arc<Folder>,
}

impl Temporary {
    /// Gives the file its final name. `replaces` states whether it may replace an existing file. The caller
    /// must hold [`busy`].
    pub(super) fn persist(&mut self, place: &Path, replaces: bool) -> io::Result<()> {
        if !replaces {
            match fs::hard_link(&self.path, place) {
                Ok(()) => return Ok(()),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(e),
                // Not all file systems support hard links.
                Err(_) if place.symlink_metadata().is_ok() => {
                    return Err(io::Error::from(io::ErrorKind::AlreadyExists));
                }
                Err(_) => {}
            }
        }
        fs::rename(&self.path, place)?;
        self.path = PathBuf::new();
        Ok(())
    }

    /// Returns whether another file has the same content.
    pub(super) fn is_held_by(&self, place: &Path) -> bool {
        let size = |path: &Path| fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|m| m.len());
        size(place).is_some_and(|there| size(&self.path) == Some(there))
            && fs::read(place).is_ok_and(|there| fs::read(&self.path).is_ok_and(|own| own == there))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A folder of temporary files. It is known and locked as long as it is in use.
#[derive(Debug)]
struct Folder {
    lock: Option<File>,
    path: PathBuf,
    /// The prefix of the names of its files.
    beginning: String,
    files: AtomicU64,
}

impl Folder {
    /// Creates a folder next to the future files.
    fn begin(beside: &Path) -> io::Result<Arc<Self>> {
        /// The number of attempts: between creating and locking a folder, another program may remove it as a
        /// remain of a killed one.
        const TRIES: usize = 16;
        sweep(beside);
        let _busy = busy();
        let mut tries = 0_usize;
        loop {
            tries = tries.saturating_add(1);
            let path = beside.join(format!("{PREFIX}{}{SUFFIX}", random_name()));
            match make(&path) {
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists && tries < TRIES => continue,
                made => made?,
            }
            let (lock, contended) = own::lock(&path);
            let beginning = own::beginning(&path);
            if tries < TRIES && (contended || !path.is_dir()) {
                let _ = fs::remove_dir(&path);
                continue;
            }
            self::lock(&FOLDERS).insert(path.clone());
            return Ok(Arc::new(Self { lock, path, beginning, files: AtomicU64::new(0) }));
        }
    }

    /// Creates a file. A `shared` file has the mode of the process's mask; other files are readable only for
    /// the owner.
    fn file(self: Arc<Self>, shared: bool) -> io::Result<(File, Temporary)> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let _busy = busy();
        let path = self.path.join(format!("{}{number}", self.beginning));
        let mut options = File::options();
        options.write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(if shared { 0o666 } else { 0o600 });
        }
        #[cfg(not(unix))]
        let _ = shared;
        Ok((options.open(&path)?, Temporary { path, _folder: self }))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(self.lock.take());
        let _ = fs::remove_dir_all(&self.path);
        lock(&FOLDERS).remove(&self.path);
    }
}

/// Creates a folder that only the owner can read.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.recursive(false).create(path)
}

/// Returns random letters and digits. The standard library keys its hashes with random numbers of the
/// system.
fn random_name() -> String {
    const DIGITS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut number = RandomState::new().build_hasher().finish();
    let digit = || {
        let at = usize::try_from(number & 31).unwrap_or(0);
        number >>= 5;
        DIGITS.get(at).copied().map_or('a', char::from)
    };
    std::iter::repeat_with(digit).take(RANDOM).collect()
}

/// The folders of temporary files of a run: one in each folder that outputs are written to, up to a limit.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<SortedMap<PathBuf, Arc<Folder>>>);

impl Pool {
    /// The maximum number of kept folders. Each has a file descriptor, and a process may be limited to 16.
    const MOST: usize = 4;

    /// Creates a temporary file next to its future path.
    pub(super) fn create(&self, beside: &Path, shared: bool) -> io::Result<(File, Temporary)> {
        let known = lock(&self.0).get(beside).map(Arc::clone);
        let folder = match known {
            Some(folder) => folder,
            None => {
                let folder = Folder::begin(beside)?;
                let mut folders = lock(&self.0);
                if folders.len() >= Self::MOST {
                    folders.pop_first();
                }
                folders.insert(beside.to_owned(), Arc::clone(&folder));
                folder
            }
        };
        folder.file(shared)
    }
}

/// Returns true for a folder of temporary files, of a running or an ended program.
pub fn is_temporary(folder: &Path) -> bool {
    is_named_so(folder) && own::holds_nothing_else(folder)
}

fn is_named_so(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().as_encoded_bytes();
    let random = name.strip_prefix(PREFIX.as_bytes()).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    random.is_some_and(|r| r.len() == RANDOM && r.iter().all(u8::is_ascii_alphanumeric))
}

/// Protects a named input from removal.
pub(super) fn keep(path: &Path) {
    // Only paths with the name pattern of temporary folders could be removed.
    if path.ancestors().any(is_named_so) {
        lock(&KEPT).extend(path.ancestors().filter_map(FileId::of));
    }
}

/// Removes the remains of killed programs in a folder. It does so once per folder.
fn sweep(beside: &Path) {
    if !lock(&SWEPT).insert(beside.to_owned()) {
        return;
    }
    for entry in fs::read_dir(beside).into_iter().flatten().flatten() {
        let folder = entry.path();
        let kept = || FileId::of(&folder).is_none_or(|id| lock(&KEPT).contains(&id));
        if !is_named_so(&folder) || !entry.file_type().is_ok_and(|kind| kind.is_dir()) || kept() {
            continue;
        }
        // The lock is held while the folder is removed, so that no other program starts to use it.
        if let (Some(_lock), false) = own::lock(&folder)
            && own::holds_nothing_else(&folder)
        {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

/// The identity and the lock of a folder.
#[cfg(unix)]
mod own {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;
    use std::fs::{self, File};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// Locks a folder, and returns whether another program has locked it. If folders cannot be locked, nothing is
    /// removed.
    pub(super) fn lock(folder: &Path) -> (Option<File>, bool) {
        let Ok(file) = File::open(folder) else { return (None, false) };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => (Some(file), false),
            Err(e) => (None, e == Errno::WOULDBLOCK),
        }
    }

    /// Returns the prefix of file names: the number of the folder in its file system, which a copy of the
    /// folder does not have.
    pub(super) fn beginning(folder: &Path) -> String {
        let numbers = fs::symlink_metadata(folder).map(|meta| (meta.dev(), meta.ino()));
        let (device, number) = numbers.unwrap_or_default();
        format!("{device:x}-{number:x}-")
    }

    /// Returns true if a folder has only temporary files with its own prefix.
    pub(super) fn holds_nothing_else(folder: &Path) -> bool {
        let beginning = beginning(folder);
        let Ok(entries) = fs::read_dir(folder) else { return false };
        let is_own = |name: &str| {
            let number = name.strip_prefix(&beginning);
            number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        };
        let own = |entry: std::io::Result<fs::DirEntry>| {
            entry.is_ok_and(|e| {
                e.file_name().to_str().is_some_and(is_own) && e.file_type().is_ok_and(|kind| kind.is_file())
            })
        };
        entries.into_iter().all(own)
    }
}

/// On other systems folders have no numbers, so nothing is removed.
#[cfg(not(unix))]
mod own {
    use std::fs::File;
    use std::path::Path;

    pub(super) fn lock(_: &Path) -> (Option<File>, bool) {
        (None, false)
    }

    pub(super) fn beginning(_: &Path) -> String {
        "output-".into()
    }

    pub(super) fn holds_nothing_else(_: &Path) -> bool {
        false
    }
}

//! Temporary files that must not outlive the program, however it ends.
//!
//! They are in a folder next to their targets, `.meshwright-XXXXXX.tmp`, which is locked as long as it is in use.
//! Both are removed on drop, but a signal ends a program without dropping anything: a signal handler calls
//! [`abandon`]. A killed program leaves them to the next one that writes to the folder. That one removes only folders
//! that are not locked, and whose files all have names that begin with the folder's own number in the file system.
//! Other programs' files may have any name.

use super::file_id::FileId;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::hash::{BuildHasher as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

const PREFIX: &str = ".meshwright-";
const SUFFIX: &str = ".tmp";
/// Letters and digits between both.
const RANDOM: usize = 6;

/// Exclusive while the program ends, and shared while temporary files are created, renamed or removed.
static ENDING: RwLock<()> = RwLock::new(());
/// The folders of the temporary files that exist.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// Folders in which what killed programs left was looked for.
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// The named inputs.
static KEPT: Mutex<BTreeSet<FileId>> = Mutex::new(BTreeSet::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps [`abandon`] waiting while temporary files are made, renamed or removed, so nothing that can block may be done
/// meanwhile.
pub(super) fn busy() -> RwLockReadGuard<'static, ()> {
    ENDING.read().unwrap_or_else(PoisonError::into_inner)
}

/// No temporary file is made, renamed or removed as long as this exists.
#[derive(Debug)]
pub struct Abandoned {
    _alone: RwLockWriteGuard<'static, ()>,
}

/// Removes all temporary files of this process, which then cannot write another output: for a handler of signals that ends
/// the process.
pub fn abandon() -> Abandoned {
    let alone = ENDING.write().unwrap_or_else(PoisonError::into_inner);
    for folder in &*lock(&FOLDERS) {
        let _ = fs::remove_dir_all(folder);
    }
    Abandoned { _alone: alone }
}

/// A complete file that waits to take its name. Without one it is removed.
#[derive(Debug)]
pub(super) struct Temporary {
    path: PathBuf,
    _folder: Arc<Folder>,
}

impl Temporary {
    /// Gives the file its name, in place of what has it or only where nothing has it. Whoever calls this is [`busy`].
    pub(super) fn persist(&mut self, place: &Path, replaces: bool) -> io::Result<()> {
        if !replaces {
            match fs::hard_link(&self.path, place) {
                Ok(()) => return Ok(()),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => return Err(e),
                // Not all file systems have links.
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

    /// True where another file holds the same bytes.
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

/// A folder of temporary files, listed and locked as long as it is in use.
#[derive(Debug)]
struct Folder {
    lock: Option<File>,
    path: PathBuf,
    /// The start of the names of its files.
    beginning: String,
    files: AtomicU64,
}

impl Folder {
    /// Makes one next to its files to be.
    fn begin(beside: &Path) -> io::Result<Arc<Self>> {
        /// Between making and locking a folder another program may take it for a dead one's.
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

    /// A new file. A `shared` one has the mode of the process's mask, others are only for the owner.
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

/// Creates a folder only for the owner.
fn make(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.recursive(false).create(path)
}

/// Letters and digits that no other program chooses: the standard library keys its hashes with random numbers of the
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

/// The folders of temporary files of a run: one in each folder that takes outputs, as long as few do.
#[derive(Debug, Default)]
pub(super) struct Pool(Mutex<BTreeMap<PathBuf, Arc<Folder>>>);

impl Pool {
    /// The maximum number of kept folders. Each has a file descriptor, and a process may be limited to 16.
    const MOST: usize = 4;

    /// A new temporary file next to what it will be.
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

/// A named input is never removed, whatever it is.
pub(super) fn keep(path: &Path) {
    // Whatever has another name cannot be taken for one of ours.
    if path.ancestors().any(is_named_so) {
        lock(&KEPT).extend(path.ancestors().filter_map(FileId::of));
    }
}

/// Removes what killed programs left in a folder. Once per folder.
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
        // The lock is held while the folder is removed, so that no program can have begun to use it.
        if let (Some(_lock), false) = own::lock(&folder)
            && own::holds_nothing_else(&folder)
        {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

/// The identity of folders.
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

    /// The number of a folder in its file system, which a copy of it does not have.
    pub(super) fn beginning(folder: &Path) -> String {
        let numbers = fs::symlink_metadata(folder).map(|meta| (meta.dev(), meta.ino()));
        let (device, number) = numbers.unwrap_or_default();
        format!("{device:x}-{number:x}-")
    }

    /// True where a folder holds nothing but temporary files whose folder it is.
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

/// Without numbers nothing is known, and nothing is swept.
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

//! Temporary files that must not outlive the program, however it ends.
//!
//! They lie in a folder beside their targets, `.meshwright-XXXXXX.tmp`, which is locked as long as it is in use.
//! Both are removed on drop, but a signal ends a program without dropping anything. So the folders are listed here, and a
//! thread that waits for signals removes them before it lets the signal do what it does. A program that is killed outright
//! leaves them; the next run that writes into the place knows them by what no other file has: the folder is not locked, and
//! all that it holds are files whose names begin with the folder's own number in the file system. A file or folder of
//! somebody else may be called as it likes.

use crate::identity::{self, Identity};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard};
use tempfile::{Builder, TempDir};

const PREFIX: &str = ".meshwright-";
const SUFFIX: &str = ".tmp";

/// Held alone by what ends the program, and shared by whoever makes, renames or removes temporary files.
static ENDING: RwLock<()> = RwLock::new(());
/// The folders of the temporary files that exist.
static FOLDERS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
/// What was named as an input.
static KEPT: Mutex<BTreeSet<Identity>> = Mutex::new(BTreeSet::new());

/// What says where a run is.
static PLACE: Mutex<Option<Place>> = Mutex::new(None);

/// Where a run is, in words; none where it is over.
pub(crate) type Place = fn() -> Option<String>;

/// Waits for signals that end the program, and lets `place` say then where it was.
pub(crate) fn tell_place(place: Place) {
    *lock(&PLACE) = Some(place);
    watch();
}

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps signals from ending the program while temporary files are made, renamed or removed, so nothing that can block may
/// be done meanwhile.
pub(crate) fn unended() -> RwLockReadGuard<'static, ()> {
    watch();
    ENDING.read().unwrap_or_else(PoisonError::into_inner)
}

/// A file that waits to take its name. Without one it is removed.
#[derive(Debug)]
pub(crate) struct Temporary {
    pub file: File,
    path: PathBuf,
    _folder: Arc<Folder>,
}

impl Temporary {
    /// Gives the file its name, in place of what has it. Whoever calls this is [unended].
    pub(crate) fn persist(&mut self, place: &Path) -> io::Result<()> {
        fs::rename(&self.path, place)?;
        self.path = PathBuf::new();
        Ok(())
    }

    /// True where another file holds the same.
    pub(crate) fn is_held_by(&self, place: &Path) -> bool {
        let size = |path: &Path| fs::metadata(path).map(|m| m.len()).ok();
        size(place).is_some_and(|there| size(&self.path) == Some(there))
            && fs::read(place).ok() == fs::read(&self.path).ok()
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
    folder: Option<TempDir>,
    path: PathBuf,
    /// What the names of its files begin with.
    beginning: String,
    files: AtomicU64,
}

impl Folder {
    /// Makes one beside its files to be, with the first of them.
    fn begin(beside: &Path, shared: bool) -> io::Result<Temporary> {
        /// Between making and locking a folder another run may take it for a dead one's.
        const TRIES: usize = 16;
        sweep(beside);
        let _unended = unended();
        let mut tries = 0_usize;
        loop {
            tries = tries.saturating_add(1);
            let folder = Builder::new().prefix(PREFIX).suffix(SUFFIX).tempdir_in(beside)?;
            let (locked, contended) = own::lock(folder.path());
            if contended && tries < TRIES {
                continue;
            }
            let path = folder.path().to_owned();
            let beginning = own::beginning(&path);
            match own_file(&path, &beginning, 0, shared) {
                Err(e) if e.kind() == io::ErrorKind::NotFound && tries < TRIES => {}
                file => {
                    let (file, name) = file?;
                    lock(&FOLDERS).insert(path.clone());
                    let (folder, files) = (Some(folder), AtomicU64::new(1));
                    let folder = Self { lock: locked, folder, path, beginning, files };
                    return Ok(Temporary { file, path: name, _folder: Arc::new(folder) });
                }
            }
        }
    }

    /// A further file.
    fn file(self: Arc<Self>, shared: bool) -> io::Result<Temporary> {
        let number = self.files.fetch_add(1, Ordering::Relaxed);
        let _unended = unended();
        let (file, path) = own_file(&self.path, &self.beginning, number, shared)?;
        Ok(Temporary { file, path, _folder: self })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(self.lock.take());
        drop(self.folder.take());
        lock(&FOLDERS).remove(&self.path);
    }
}

/// A file of a folder of temporary files. `shared` ones have the mode that the process's mask leaves, others are for the
/// owner alone.
fn own_file(folder: &Path, beginning: &str, number: u64, shared: bool) -> io::Result<(File, PathBuf)> {
    let path = folder.join(format!("{beginning}{number}"));
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if shared { 0o666 } else { 0o600 });
    }
    #[cfg(not(unix))]
    let _ = shared;
    Ok((options.open(&path)?, path))
}

/// The folders of a run's temporary files: one in each folder that takes outputs, as long as few do.
#[derive(Debug, Default)]
pub(crate) struct Pool(Mutex<BTreeMap<PathBuf, Arc<Folder>>>);

impl Pool {
    /// Each keeps a folder open.
    const MOST: usize = 16;

    /// A new temporary file beside what it will be, in a folder that is listed, and locked as long as it is in use.
    pub(crate) fn create(&self, beside: &Path, shared: bool) -> io::Result<Temporary> {
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = folders.get(beside) {
            let folder = Arc::clone(folder);
            drop(folders);
            return folder.file(shared);
        }
        let first = Folder::begin(beside, shared)?;
        if folders.len() >= Self::MOST {
            folders.pop_first();
        }
        folders.insert(beside.to_owned(), Arc::clone(&first._folder));
        Ok(first)
    }
}

/// Whether this is the folder of a temporary file, of a run that is over or not.
pub(crate) fn is_temporary(folder: &Path) -> bool {
    is_named_so(folder) && own::holds_nothing_else(folder)
}

fn is_named_so(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().as_encoded_bytes();
    let random = name.strip_prefix(PREFIX.as_bytes()).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    random.is_some_and(|r| r.len() == 6 && r.iter().all(u8::is_ascii_alphanumeric))
}

/// What was named as an input stays, whatever it is.
pub(crate) fn keep(path: &Path) {
    // Whatever else is named cannot be taken for one of ours.
    if path.ancestors().any(is_named_so) {
        lock(&KEPT).extend(path.ancestors().filter_map(identity::of));
    }
}

/// Removes what killed runs left in a folder. Once per folder.
fn sweep(beside: &Path) {
    if !lock(&SWEPT).insert(beside.to_owned()) {
        return;
    }
    for entry in fs::read_dir(beside).into_iter().flatten().flatten() {
        let folder = entry.path();
        let kept = || identity::of(&folder).is_none_or(|id| lock(&KEPT).contains(&id));
        if !is_named_so(&folder) || !entry.file_type().is_ok_and(|kind| kind.is_dir()) || kept() {
            continue;
        }
        // The lock is held while the folder is removed, so that no run can have begun to use it.
        if let (Some(_lock), false) = own::lock(&folder)
            && own::holds_nothing_else(&folder)
        {
            let _ = fs::remove_dir_all(&folder);
        }
    }
}

/// How the folders are known.
#[cfg(unix)]
mod own {
    use fs4::{FileExt, TryLockError};
    use std::fs::{self, File};
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    /// Locks a folder, and says whether somebody else has. Where folders cannot be locked nobody can, and nothing is swept.
    pub(super) fn lock(folder: &Path) -> (Option<File>, bool) {
        let Ok(file) = File::open(folder) else { return (None, false) };
        match FileExt::try_lock(&file) {
            Ok(()) => (Some(file), false),
            Err(e) => (None, matches!(e, TryLockError::WouldBlock)),
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

#[cfg(not(unix))]
fn watch() {}

#[cfg(not(unix))]
pub(crate) fn survive_limits() {}

/// Does what may wait for somebody else for ever.
#[cfg(not(unix))]
pub(crate) fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    wait()
}

#[cfg(unix)]
pub(crate) use unix::{survive_limits, waiting};

#[cfg(unix)]
fn watch() {
    use std::sync::Once;
    static STARTED: Once = Once::new();
    // Without the thread a killed program leaves a file behind, which is no reason not to convert.
    STARTED.call_once(|| drop(unix::start()));
}

#[cfg(unix)]
mod unix {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level;
    use std::fs;
    use std::io::{self, Write};
    use std::sync::{PoisonError, mpsc};
    use std::thread;
    use std::time::Duration;

    const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

    /// Makes a write beyond the limit of the process an error as any other.
    pub(crate) fn survive_limits() {
        #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
        {
            use std::sync::{Arc, Once};
            // Not named by the crate.
            const SIGXFSZ: i32 = 25;
            static DONE: Once = Once::new();
            DONE.call_once(|| drop(signal_hook::flag::register(SIGXFSZ, Arc::default())));
        }
    }

    pub(super) fn start() -> io::Result<()> {
        let ignored = ignored();
        let mut signals = Signals::new(ENDING.into_iter().filter(|s| !is_set(ignored, *s)))?;
        thread::Builder::new().name("signals".into()).spawn(move || end(&mut signals)).map(drop)
    }

    /// Says where the run was. Whoever does not read what is said does not keep the program from ending.
    fn tell() {
        const PATIENCE: Duration = Duration::from_secs(1);
        let Some(place) = *super::lock(&super::PLACE) else { return };
        let (done, told) = mpsc::channel();
        let say = move || {
            if let Some(place) = place() {
                let _ = writeln!(io::stderr(), "{place}");
            }
            let _ = done.send(());
        };
        if thread::Builder::new().name("place".into()).spawn(say).is_ok() {
            let _ = told.recv_timeout(PATIENCE);
        }
    }

    /// Ends the program as the first signal says, and leaves nothing behind.
    fn end(signals: &mut Signals) {
        for signal in signals.forever() {
            let _alone = super::ENDING.write().unwrap_or_else(PoisonError::into_inner);
            for folder in &*super::lock(&super::FOLDERS) {
                let _ = fs::remove_dir_all(folder);
            }
            tell();
            // The lock is held to the end, so that no new file is made.
            let _ = low_level::emulate_default_handler(signal);
        }
    }

    /// Does what may wait for somebody else for ever. Meanwhile a signal ends the program even where whoever started it
    /// wants that signal ignored: there is nothing to go on with.
    pub(crate) fn waiting<T>(wait: impl FnOnce() -> T) -> T {
        let ignored = ignored();
        let wanted: Vec<i32> = ENDING.into_iter().filter(|s| is_set(ignored, *s)).collect();
        let watched = (!wanted.is_empty()).then(|| Signals::new(wanted)).and_then(Result::ok);
        let Some(mut signals) = watched else { return wait() };
        let handle = signals.handle();
        let watch = thread::Builder::new().name("waiting".into()).spawn(move || end(&mut signals));
        let done = wait();
        handle.close();
        if let Ok(watch) = watch {
            let _ = watch.join();
        }
        done
    }

    /// Whether a signal is in a set.
    fn is_set(signals: u64, signal: i32) -> bool {
        let bit = u32::try_from(signal).ok().and_then(|s| s.checked_sub(1));
        bit.and_then(|bit| signals.checked_shr(bit)).is_some_and(|rest| rest & 1 == 1)
    }

    /// The signals that whoever started the program (nohup, a shell's `&`) wants ignored, one bit each.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).unwrap_or(0)
    }
}

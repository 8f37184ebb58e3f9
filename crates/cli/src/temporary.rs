//! Temporary files that must not outlive the program, however it ends.
//!
//! They are removed on drop, but a signal ends a program without dropping anything. So they are listed here, and
//! a thread that waits for signals removes them before it lets the signal do what it does. A program that is
//! killed outright leaves them; then the lock that it held on them is gone too, by which the next run that writes
//! into the folder knows them.

use fs4::{FileExt, TryLockError};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tempfile::{Builder, NamedTempFile};

const PREFIX: &str = ".meshwright-";
const SUFFIX: &str = ".tmp";

static OPEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
static SWEPT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The temporary files that exist. Whoever holds the lock makes, renames or removes them; no signal ends the
/// program meanwhile, so nothing that can block may be done under it.
pub(crate) fn open() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    watch();
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A new temporary file in a folder, listed, and locked as long as it is open.
pub(crate) fn create(folder: &Path, configure: impl Fn(&mut Builder<'_, '_>)) -> io::Result<NamedTempFile> {
    /// Between making and locking a file another run may take it for a dead one's.
    const TRIES: usize = 16;
    sweep(folder);
    let mut builder = Builder::new();
    builder.prefix(PREFIX).suffix(SUFFIX);
    configure(&mut builder);
    let mut open = open();
    let mut tries = 0;
    loop {
        let file = builder.tempfile_in(folder)?;
        let locked = FileExt::try_lock(file.as_file());
        tries += 1;
        // Where files cannot be locked nobody else can, and nothing is swept.
        let contended = matches!(locked, Err(TryLockError::WouldBlock));
        if tries == TRIES || !contended && fs::exists(file.path())? {
            open.insert(file.path().to_owned());
            return Ok(file);
        }
    }
}

/// Whether a file name is one of a temporary file.
pub(crate) fn is_temporary(name: &[u8]) -> bool {
    let random = name.strip_prefix(PREFIX.as_bytes()).and_then(|rest| rest.strip_suffix(SUFFIX.as_bytes()));
    random.is_some_and(|r| r.len() == 6 && r.iter().all(u8::is_ascii_alphanumeric))
}

/// Removes from a folder what killed runs left: temporary files that nobody has locked. Once per folder.
fn sweep(folder: &Path) {
    if !SWEPT.lock().unwrap_or_else(PoisonError::into_inner).insert(folder.to_owned()) {
        return;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let named = is_temporary(entry.file_name().as_encoded_bytes());
        if !named || !entry.file_type().is_ok_and(|kind| kind.is_file()) {
            continue;
        }
        // The lock is held while the file is removed, so that no run can have begun to use it.
        if let Ok(file) = File::open(entry.path())
            && FileExt::try_lock(&file).is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(not(unix))]
fn watch() {}

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
    use signal_hook::{flag, low_level};
    use std::fs;
    use std::io;
    use std::sync::Arc;
    use std::thread;

    /// Too large a file for the process's limit; not named by the crate.
    #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
    const SIGXFSZ: i32 = 25;

    pub(super) fn start() -> io::Result<()> {
        // With a handler in place a write beyond the limit is an error as any other.
        #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
        flag::register(SIGXFSZ, Arc::default())?;
        let ignored = ignored();
        let wanted = [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(|s| ignored >> (s - 1) & 1 == 0);
        let mut signals = Signals::new(wanted)?;
        let end = move || {
            for signal in signals.forever() {
                let open = super::OPEN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                for path in &*open {
                    let _ = fs::remove_file(path);
                }
                // The lock is held to the end, so that no new file is made.
                let _ = low_level::emulate_default_handler(signal);
            }
        };
        thread::Builder::new().name("signals".into()).spawn(end).map(drop)
    }

    /// The signals that whoever started the program (nohup, a shell's `&`) wants ignored, one bit each.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).unwrap_or(0)
    }
}

//! Temporary files that must not outlive the program, however it ends.
//!
//! They are removed on drop, but a signal ends a program without dropping anything. So they are listed here, and
//! a thread that waits for signals removes them before it lets the signal do what it does.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

static OPEN: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The temporary files that exist. Whoever holds the lock makes, renames or removes them; no signal ends the
/// program meanwhile, so nothing that can block may be done under it.
pub(crate) fn open() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    watch();
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
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

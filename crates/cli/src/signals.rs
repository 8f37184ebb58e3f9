//! Signals that end the program: temporary files are removed, and the progress of the run is printed.

use meshwright::files::output::Writer;
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns the progress of the current run.
static PLACE: Mutex<Option<Place>> = Mutex::new(None);

/// Returns the message about an interrupted run; `None` after the run.
pub(crate) type Place = fn() -> Option<String>;

/// Watches for signals that end the program, and prints the text of `place` then.
pub(crate) fn tell_place(place: Place) {
    *lock(&PLACE) = Some(place);
    watch();
}

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns a writer whose temporary files are removed if a signal ends the program.
pub(crate) fn writer() -> Writer {
    watch();
    Writer::with_waits(waits)
}

fn waits(write: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
    waiting(write)
}

#[cfg(not(unix))]
fn watch() {}

#[cfg(not(unix))]
pub(crate) fn survive_limits() {}

/// Runs an operation that may block indefinitely.
#[cfg(not(unix))]
fn waiting<T>(wait: impl FnOnce() -> T) -> T {
    wait()
}

#[cfg(unix)]
pub(crate) use unix::survive_limits;
#[cfg(unix)]
use unix::waiting;

#[cfg(unix)]
fn watch() {
    use std::sync::Once;
    static STARTED: Once = Once::new();
    // Without this thread a killed program leaves a temporary file. A conversion runs in spite of that.
    STARTED.call_once(|| drop(unix::start()));
}

#[cfg(unix)]
mod unix {
    use meshwright::files::output::abandon;
    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level;
    use std::fs;
    use std::io::{self, Write};
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

    /// Makes a write beyond the file size limit of the process an ordinary error.
    pub(crate) fn survive_limits() {
        #[cfg(any(target_os = "linux", target_os = "macos", target_os = "freebsd"))]
        {
            use std::sync::{Arc, Once};
            // The crate has no name for it.
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

    /// Prints the progress of the run. A standard error that is never read does not keep the program from ending.
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

    /// Ends the program as the first signal does by default, after removing temporary files.
    fn end(signals: &mut Signals) {
        for signal in signals.forever() {
            // Held until the program ends, so that no new file is created.
            let _abandoned = abandon();
            tell();
            let _ = low_level::emulate_default_handler(signal);
        }
    }

    /// Runs an operation that may block indefinitely.
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

    /// Returns whether a signal is in a set.
    fn is_set(signals: u64, signal: i32) -> bool {
        let bit = u32::try_from(signal).ok().and_then(|s| s.checked_sub(1));
        bit.and_then(|bit| signals.checked_shr(bit)).is_some_and(|rest| rest & 1 == 1)
    }

    /// Returns the signals that the parent process (nohup, a shell's `&`) had set to be ignored, one bit each.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|m| u64::from_str_radix(m.trim(), 16).ok()).unwrap_or(0)
    }
}

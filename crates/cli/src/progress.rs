//! How far a run over several files is: a bar on a terminal, and where it was when a signal ends it.

use crate::input::Input;
use crate::signals;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::{Mutex, PoisonError};

/// The run that is shown.
static RUN: Mutex<Option<Run>> = Mutex::new(None);

struct Run {
    bar: ProgressBar,
    all: usize,
    done: usize,
    last: String,
}

/// A run over several files; it is over when this is dropped.
#[derive(Debug)]
pub(crate) struct Progress(bool);

impl Progress {
    /// Begins a run over so many files. Where nobody looks, or one file alone is there, nothing is shown.
    pub(crate) fn start(all: usize, quiet: bool) -> Self {
        if all <= 1 {
            return Self(false);
        }
        signals::tell_place(place);
        // On what is no terminal it hides itself.
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let bar = ProgressBar::with_draw_target(u64::try_from(all).ok(), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {eta} {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        *run() = Some(Run { bar, all, done: 0, last: String::new() });
        Self(true)
    }

    /// A further file is done with.
    pub(crate) fn step(&self, input: &Input) {
        if let Some(run) = run().as_mut().filter(|_| self.0) {
            run.done = run.done.saturating_add(1);
            run.last = input.shown();
            run.bar.set_message(run.last.clone());
            run.bar.inc(1);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(run) = run().take_if(|_| self.0) {
            run.bar.finish_and_clear();
        }
    }
}

fn run() -> std::sync::MutexGuard<'static, Option<Run>> {
    RUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says something while the bar makes room for it.
pub(crate) fn aside<T>(say: impl FnOnce() -> T) -> T {
    let bar = run().as_ref().map(|run| run.bar.clone()).filter(|bar| !bar.is_hidden());
    match bar {
        Some(bar) => bar.suspend(say),
        None => say(),
    }
}

/// Where a run is, for who ends it. Waits for whoever draws the bar.
fn place() -> Option<String> {
    let run = run();
    let run = run.as_ref()?;
    let last = if run.last.is_empty() { String::new() } else { format!(", the last {}", run.last) };
    Some(format!("interrupted: {} of {} files were done{last}", run.done, run.all))
}

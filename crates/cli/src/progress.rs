//! The progress of a run over several files: a bar on a terminal, and a message if a signal ends the run.

use crate::input::Input;
use crate::signals;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::{Mutex, PoisonError};

/// The run whose progress is shown.
static RUN: Mutex<Option<Run>> = Mutex::new(None);

struct Run {
    bar: ProgressBar,
    all: usize,
    done: usize,
    last: String,
}

/// A run over several files. It ends when this value is dropped.
#[derive(Debug)]
pub(crate) struct Progress(bool);

impl Progress {
    /// Begins a run over `all` files. For a single file nothing is shown.
    pub(crate) fn start(all: usize, quiet: bool) -> Self {
        if all <= 1 {
            return Self(false);
        }
        signals::tell_place(place);
        // The bar hides itself if standard error is not a terminal.
        let target =
            if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let bar = ProgressBar::with_draw_target(u64::try_from(all).ok(), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos}/{len} {eta} {wide_msg}") {
            bar.set_style(style.progress_chars("=> "));
        }
        *run() = Some(Run { bar, all, done: 0, last: String::new() });
        Self(true)
    }

    /// Counts a finished file.
    pub(crate) fn step(&self, input: &Input) {
        if let Some(run) = run().as_mut().filter(|_| self.0) {
            run.done = run.done.saturating_add(1);
            run.last = input.display_path();
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

/// Calls `say`, which prints, while the bar is hidden.
pub(crate) fn aside<T>(say: impl FnOnce() -> T) -> T {
    let bar = run().as_ref().map(|run| run.bar.clone()).filter(|bar| !bar.is_hidden());
    match bar {
        Some(bar) => bar.suspend(say),
        None => say(),
    }
}

/// Returns the message about an interrupted run. Waits for a thread that draws the bar.
fn place() -> Option<String> {
    let run = run();
    let run = run.as_ref()?;
    let last = if run.last.is_empty() { String::new() } else { format!(", the last {}", run.last) };
    Some(format!("interrupted: {} of {} files were finished{last}", run.done, run.all))
}

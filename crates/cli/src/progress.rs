//! The progress of a run over several files: a bar on a terminal, and a message if a signal ends the run.

use crate::signals;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The run whose progress is shown.
static RUN: Mutex<Option<Run>> = Mutex::new(None);

/// The bar is drawn at most once in this time.
const INTERVAL: Duration = Duration::from_millis(100);

/// The characters between the ends of the bar.
const BAR: usize = 24;

struct Run {
    all: usize,
    done: usize,
    last: String,
    begin: Instant,
    /// Standard error is a terminal, and shows the bar.
    is_shown: bool,
    /// The time of the last drawing, and the characters that it left on the line.
    drawn: Option<(Instant, usize)>,
}

impl Run {
    fn draw(&mut self) {
        let now = Instant::now();
        if !self.is_shown || self.drawn.is_some_and(|(at, _)| now.duration_since(at) < INTERVAL) {
            return;
        }
        let width =
            terminal_size::terminal_size_of(io::stderr()).map_or(80, |(width, _)| usize::from(width.0));
        let text: String = self.text(now).chars().take(width.saturating_sub(1)).collect();
        self.clear();
        let _ = write!(io::stderr(), "{text}");
        self.drawn = Some((now, text.chars().count()));
    }

    /// Removes the bar from the terminal.
    fn clear(&mut self) {
        if let Some((_, length)) = self.drawn.take() {
            let _ = write!(io::stderr(), "\r{:length$}\r", "");
        }
    }

    /// Formats the bar, the count, the time that is left, and the last file.
    fn text(&self, now: Instant) -> String {
        let filled = self.done.saturating_mul(BAR).checked_div(self.all).unwrap_or(BAR).min(BAR);
        let tip = if filled < BAR { ">" } else { "" };
        let bar = format!("{}{tip}", "=".repeat(filled));
        let each =
            u32::try_from(self.done).ok().and_then(|done| now.duration_since(self.begin).checked_div(done));
        let rest = u32::try_from(self.all.saturating_sub(self.done)).unwrap_or(u32::MAX);
        let seconds = each.unwrap_or_default().saturating_mul(rest).as_secs();
        let left = match seconds {
            0..120 => format!("{seconds}s"),
            120..7200 => format!("{}m", seconds / 60),
            _ => format!("{}h", seconds / 3600),
        };
        format!("{bar:BAR$} {}/{} {left} {}", self.done, self.all, self.last)
    }
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
        let is_shown = !quiet && io::stderr().is_terminal();
        *run() =
            Some(Run { all, done: 0, last: String::new(), begin: Instant::now(), is_shown, drawn: None });
        Self(true)
    }

    /// Counts a finished file; `file` returns its path.
    pub(crate) fn step(&self, file: impl FnOnce() -> String) {
        if let Some(run) = run().as_mut().filter(|_| self.0) {
            run.done = run.done.saturating_add(1);
            run.last = file();
            run.draw();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(mut run) = run().take_if(|_| self.0) {
            run.clear();
        }
    }
}

fn run() -> MutexGuard<'static, Option<Run>> {
    RUN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls `say`, which prints, while the bar is hidden.
pub(crate) fn aside<T>(say: impl FnOnce() -> T) -> T {
    let mut run = run();
    let Some(run) = run.as_mut().filter(|run| run.is_shown) else {
        drop(run);
        return say();
    };
    run.clear();
    let said = say();
    run.draw();
    said
}

/// Returns the message about an interrupted run. Waits for a thread that draws the bar.
fn place() -> Option<String> {
    let run = run();
    let run = run.as_ref()?;
    let last = if run.last.is_empty() { String::new() } else { format!(", the last {}", run.last) };
    Some(format!("interrupted: {} of {} files were finished{last}", run.done, run.all))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_says_how_far_a_run_is_and_what_is_left() {
        let begin = Instant::now();
        let mut run = Run { all: 8, done: 2, last: "a.dpm".into(), begin, is_shown: false, drawn: None };
        let at = |run: &Run, seconds| run.text(begin + Duration::from_secs(seconds));
        assert_eq!(at(&run, 10), format!("{:24} 2/8 30s a.dpm", "======>"));
        assert_eq!(at(&run, 1000), format!("{:24} 2/8 50m a.dpm", "======>"));
        run.done = 8;
        assert_eq!(at(&run, 9), format!("{} 8/8 0s a.dpm", "=".repeat(24)));
    }
}

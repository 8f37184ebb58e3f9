//! How far a run is, on a terminal.

use crate::args::ConvertArgs;
use crate::input::Input;
use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How far a run over several files is, on a terminal.
pub(super) struct Progress {
    /// How many files there are, where somebody looks.
    pub(super) all: Option<usize>,
    pub(super) done: AtomicUsize,
}

impl Progress {
    pub(super) fn new(args: &ConvertArgs, all: usize) -> Self {
        let seen = !args.read.quiet && all > 1 && io::stderr().is_terminal();
        Self { all: seen.then_some(all), done: AtomicUsize::new(0) }
    }

    /// Makes room for what is said.
    pub(super) fn clear(&self) {
        if self.all.is_some() {
            let _ = write!(io::stderr().lock(), "\r\x1b[K");
        }
    }

    /// Shows that a further file is done with.
    pub(super) fn show(&self, input: &Input) {
        if let Some(all) = self.all {
            let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
            let _ = write!(io::stderr().lock(), "[{done}/{all}] {}", input.shown());
        }
    }
}

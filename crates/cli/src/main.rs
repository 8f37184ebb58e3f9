//! The program `meshwright`: opens old game models, exactly and safely, and puts them back.
#![forbid(unsafe_code)]

mod args;
mod assemble;
mod check;
mod convert;
mod dump;
mod info;
mod input;
mod load;
mod optimize;
mod output;
mod pose;
mod render;
mod textures;

use args::{Cli, Command};
use clap::Parser;
use std::io::{self, Write};
use std::process::ExitCode;

/// How a run went; the worst of all files decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// Nothing to complain about.
    #[default]
    Fine,
    /// A file has errors.
    Errors,
    /// A file could not be read or written, or is of no known format.
    Unusable,
}

impl Status {
    /// The worse of two.
    pub(crate) fn and(&mut self, other: Self) {
        *self = (*self).max(other);
    }
}

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => {
            // Help and version are results, everything else is a mistake in the arguments.
            let code = if e.use_stderr() { 2 } else { 0 };
            return if e.print().is_err() { ExitCode::from(3) } else { ExitCode::from(code) };
        }
    };
    let result = match &cli.command {
        Command::Info(args) => info::run(args),
        Command::Check(args) => check::run(args),
        Command::Convert(args) => convert::run(args),
        Command::Dump(args) => dump::run(args),
        Command::Optimize(args) => optimize::run(args),
    };
    match result {
        Ok(Status::Fine) => ExitCode::SUCCESS,
        Ok(Status::Errors) => ExitCode::from(1),
        Ok(Status::Unusable) => ExitCode::from(3),
        // Whoever reads the output has seen enough.
        Err(Fail::Io(e)) if e.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(Fail::Io(e)) => {
            say(&format!("error: {e}"));
            ExitCode::from(3)
        }
        Err(Fail::Usage(message)) => {
            say(&format!("error: {message}"));
            ExitCode::from(2)
        }
    }
}

/// Why a command stops before it has seen every file.
#[derive(Debug)]
pub(crate) enum Fail {
    /// Standard output cannot be written.
    Io(io::Error),
    /// The arguments make no sense together.
    Usage(String),
}

impl From<io::Error> for Fail {
    fn from(e: io::Error) -> Self {
        Self::Io(e)
    }
}

/// Prints a line on standard error; a closed one is no reason to stop.
pub(crate) fn say(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

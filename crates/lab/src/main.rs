//! Measurements that need the product: benchmarks, conformance, and the tables of the book.
//!
//! The program `lab` is called by verbs of `xtask`, which build it.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod bench;
mod describe;
mod hostile;
mod measured_program;
mod tables;
mod wasm;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use xtask::sh::Given;

type Run = fn(&Path, &Given) -> Result<(), String>;

/// The commands that `xtask` calls, by name.
const VERBS: &[(&str, Run)] = &[
    ("tables", tables::run),
    ("describe", describe::run),
    ("hostile", hostile::run),
    ("bench", bench::run),
    ("wasm", wasm::run),
    ("order", wasm::order),
];

fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let name = words.first().map(|w| w.to_string_lossy()).unwrap_or_default();
    let run = || {
        let verb = VERBS.iter().find(|v| v.0 == name).ok_or_else(|| format!("no such verb: {name}"))?;
        (verb.1)(&xtask::root(), &xtask::read_words(&name, words.get(1..).unwrap_or_default())?)
    };
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{name}: {e}");
            ExitCode::FAILURE
        }
    }
}

//! Measurements that need the product: benchmarks, conformance, and the tables of the book.
//!
//! The program `lab` is called by verbs of `xtask`, which build it.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod bench;
mod compare;
mod conformance;
mod describe;
mod formats;
mod hostile;
mod json;
mod kernels;
mod kinds;
mod loaded_model;
mod measured_program;
mod overview;
mod pictures;
mod returns;
mod samples;
mod tables;
mod validator;
mod wasm;

use lexopt::{Parser, ValueExt as _};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

type Run = fn(&Path, Parser) -> Result<(), String>;

/// The commands that `xtask` calls, by name.
const VERBS: &[(&str, Run)] = &[
    ("tables", tables::run),
    ("conformance", conformance::run),
    ("describe", describe::run),
    ("validator", validator::run),
    ("hostile", hostile::run),
    ("bench", bench::run),
    ("wasm", wasm::run),
];

/// Returns the program: runs the verb that the command line names.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let name = words.first().map(|w| w.to_string_lossy()).unwrap_or_default();
    let verb = VERBS.iter().find(|v| v.0 == name).ok_or_else(|| format!("no such verb: {name}"));
    let words = Parser::from_args(words.get(1..).unwrap_or_default());
    match verb.and_then(|(_, run)| run(&xtask::root(), words)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("{name}: {e}");
            ExitCode::FAILURE
        }
    }
}

/// Returns the value of an option, as a number or another type that is written as one word.
fn value<T: FromStr<Err: Into<Box<dyn std::error::Error + Send + Sync>>>>(
    words: &mut Parser,
) -> Result<T, lexopt::Error> {
    words.value()?.parse()
}

/// The examples of the book, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/crate.md")]
struct Book;

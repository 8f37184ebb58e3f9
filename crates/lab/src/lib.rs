//! All that needs the product to measure it: benchmarks, conformance, mutants, the driver of the fuzz targets,
//! `docs/reliability.md`, and the tables of the README and of the formats' pages.
//!
//! The program `lab` is a table of verbs. `xtask` has a row for each, builds what it needs and passes its words on:
//! `cargo run -p xtask -- conformance DIR` and `cargo run -p meshwright-lab -- conformance DIR` are the same.
//! What differs from one kind of file to another is one table, `kinds.rs`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod archives;
mod bench;
mod code;
mod commands;
mod compare;
mod conformance;
mod formats;
mod fuzz;
mod hostile;
mod json;
mod kernels;
mod kinds;
mod loaded;
mod mutants;
mod packs;
mod pictures;
mod readme;
mod reliability;
mod returns;
mod samples;
mod sims;
mod validator;
mod wasm;
mod watched;

use lexopt::{Parser, ValueExt as _};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::str::FromStr;

type Run = fn(&Path, Parser) -> Result<(), String>;

/// Every verb with what runs it; what it does stands in xtask's list.
const VERBS: &[(&str, Run)] = &[
    ("readme", readme::run),
    ("formats", formats::run),
    ("pictures", pictures::run),
    ("conformance", conformance::run),
    ("validate-glb", validator::run),
    ("reliability", reliability::run),
    ("mutants", mutants::run),
    ("commands", commands::run),
    ("hostile", hostile::run),
    ("fuzz", fuzz::run),
    ("bench", bench::run),
    ("wasm", wasm::run),
];

/// The program: runs the verb that the command line names.
pub fn main() -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    let name = words.first().map_or("help".into(), |w| w.to_string_lossy());
    let verbs = xtask::VERBS.iter().filter(|v| v.is_of_lab()).map(|v| (v.name, v.help));
    xtask::run_named("lab", &name, verbs, || {
        let (_, run) = VERBS.iter().find(|v| v.0 == name).ok_or("not built")?;
        run(&xtask::root(), Parser::from_args(words.get(1..).unwrap_or_default()))
    })
}

/// The value behind an option, as a number or whatever else is written as one word.
fn value<T: FromStr<Err: Into<Box<dyn std::error::Error + Send + Sync>>>>(
    words: &mut Parser,
) -> Result<T, lexopt::Error> {
    words.value()?.parse()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_tables_of_verbs_agree() {
        let listed: Vec<_> = xtask::VERBS.iter().filter(|v| v.is_of_lab()).map(|v| v.name).collect();
        let run: Vec<_> = super::VERBS.iter().map(|v| v.0).collect();
        assert_eq!(run, listed);
    }
}

/// The examples of the project's README, compiled with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The same of the book's.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/crate.md")]
struct Book;

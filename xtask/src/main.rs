//! The project's tasks. `cargo run -p xtask -- help` lists them.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command line program")]

mod bench;
mod fixtures;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// One task.
struct Verb {
    name: &'static str,
    help: &'static str,
    run: fn(&Path, &[String]) -> Result<(), String>,
}

const VERBS: &[Verb] = &[Verb { name: "bench", help: "measure performance against its targets; --quick for a look", run: bench::run }, Verb {
    name: "fixtures",
    help: "write testdata/ anew; --check only compares",
    run: |root, args| fixtures::run(root, args.iter().any(|a| a == "--check")),
}];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args_os().skip(1).map(|a| a.to_string_lossy().into_owned()).collect();
    let name = args.first().map_or("help", String::as_str);
    let Some(verb) = VERBS.iter().find(|v| v.name == name) else {
        for verb in VERBS {
            println!("{:<14} {}", verb.name, verb.help);
        }
        return if name == "help" { ExitCode::SUCCESS } else { ExitCode::from(2) };
    };
    match (verb.run)(&root(), args.get(1..).unwrap_or_default()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("xtask {name}: {e}");
            ExitCode::FAILURE
        }
    }
}

/// The workspace's folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new(".")).to_owned()
}

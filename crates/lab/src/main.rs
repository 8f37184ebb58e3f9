//! Measures the product. `cargo run -p xtask -- help` lists the verbs, and calls this program for its own.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    meshwright_lab::main()
}

//! Measures the product for verbs of `xtask`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    meshwright_lab::main()
}

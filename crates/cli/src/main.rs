//! The program `meshwright`. Its code is in the library of this crate.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    meshwright_cli::run(std::env::args_os()).into()
}

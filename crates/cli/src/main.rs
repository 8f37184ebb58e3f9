//! The program `meshwright`; all of it is in the library beside this file.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    meshwright_cli::run(std::env::args_os()).into()
}

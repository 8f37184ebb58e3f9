//! The project's tasks. `cargo run -p xtask -- help` lists them.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    xtask::main()
}

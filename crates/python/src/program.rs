//! The program `meshwright`, which the wheel carries.

use pyo3::prelude::*;
use std::ffi::OsString;

/// Runs the program with the words of a command line, the first of which is its name. Returns the exit code.
#[pyfunction]
pub(crate) fn run_program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| meshwright_cli::run(words).code())
}

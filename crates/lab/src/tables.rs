//! `xtask docs tables [--check]`: what the pages show that the code knows, and the pictures of the documentation.

use crate::{formats, overview, pictures};
use lexopt::Parser;
use std::path::Path;

pub(crate) fn run(root: &Path, words: Parser) -> Result<(), String> {
    let check = xtask::check_flag(words)?;
    let done = [overview::run(root, check), formats::run(root, check), pictures::run(root, check)];
    let wrong: Vec<_> = done.into_iter().filter_map(Result::err).collect();
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

//! `xtask bindings wasm [--large PATH]`: the page as a site that reads dropped files itself, in `target/wasm/site`.
//!
//! In headless Chromium every fixture is dropped on it: what it says, draws and saves is what the library and the program
//! say, draw and save, and no request leaves it. What cannot be had here is said, and is an error under `MESHWRIGHT_STRICT`.

mod build;
mod drive;
mod expected;
mod large;

use lexopt::{Arg, Parser};
use std::path::{Path, PathBuf};

pub(crate) fn run(root: &Path, words: Parser) -> Result<(), String> {
    let large = large(words).map_err(|e| e.to_string())?;
    let Some(site) = build::site(root)? else { return Ok(()) };
    let Some(browser) = drive::Browser::find(root, &site)? else { return Ok(()) };
    match large {
        Some(file) => large::measured(root, &browser, &file),
        None => expected::compared(root, &browser),
    }
}

fn large(mut words: Parser) -> Result<Option<PathBuf>, lexopt::Error> {
    let mut file = None;
    while let Some(word) = words.next()? {
        match word {
            Arg::Long("large") => file = Some(words.value()?.into()),
            other => return Err(other.unexpected()),
        }
    }
    Ok(file)
}

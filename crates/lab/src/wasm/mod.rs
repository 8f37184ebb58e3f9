//! `xtask bindings wasm [--large PATH]`: the page as a site that reads dropped files itself, in `target/wasm/site`.
//!
//! In headless Chromium every fixture is dropped on it: what it says, draws and saves is what the library and the program
//! say, draw and save, and no request leaves it. What cannot be had here is said, and is an error under `MESHWRIGHT_STRICT`.

mod build;
mod drive;
mod expected;
mod large;
mod order;

use std::path::Path;
use xtask::sh::Given;

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let Some(site) = build::site(root)? else { return Ok(()) };
    let Some(browser) = drive::Browser::find(&site)? else { return Ok(()) };
    match given.path("large") {
        Some(file) => large::measured(root, &browser, &file),
        None => expected::compared(root, &browser),
    }
}

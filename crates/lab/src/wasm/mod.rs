//! `xtask bindings wasm [--large PATH]`: the page as a site that reads dropped files itself, in `target/wasm/site`.
//!
//! In headless Chromium every fixture is dropped on it: what it says, draws and saves is what the library and the program
//! say, draw and save, and no request leaves it. What cannot be had here is said, and is an error under `MESHWRIGHT_STRICT`.

mod drive;
mod expected;
mod large;
mod order;

use meshwright::files::{PackBuilder, PackKind};
use meshwright::page::Page;
use std::path::{Path, PathBuf};
use xtask::sh::{self, Given};

/// The maximum size of the module, compressed as by web servers and zip archives (deflate).
const MOST: usize = 1_500_000;
/// The number of functions that come first because they are called most often: the numbers in these calls are short.
const MOST_CALLED: usize = 100;
/// The script of the page's worker, after the bindings of the module.
const WORKER: &str = include_str!("../../../wasm/src/worker.js");

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let site = site(&sh::target_dir(root).join("wasm"))?;
    let Some(browser) = drive::Browser::find(&site)? else { return Ok(()) };
    match given.path("large") {
        Some(file) => large::measured(root, &browser, &file),
        None => expected::compared(root, &browser),
    }
}

/// Names the functions of a module by the order in which they compress best, for an optimizer that sorts them by name.
pub(crate) fn order(_: &Path, given: &Given) -> Result<(), String> {
    let module = given.files.first().ok_or("name a module")?;
    sh::write(module, order::name_by_order(&sh::read(module)?, MOST_CALLED)?)
}

/// Writes the site around the module that `xtask bindings wasm` built.
fn site(place: &Path) -> Result<PathBuf, String> {
    let module = sh::read(&place.join("bound/meshwright_bg.wasm"))?;
    let glue = sh::read_text(&place.join("bound/meshwright.js"))?;
    let page = Page::standing("Meshwright", &format!("{glue}\n{WORKER}"), "meshwright.wasm").html;
    let site = place.join("site");
    sh::empty(&site)?;
    sh::write(&site.join("meshwright.wasm"), &module)?;
    sh::write(&site.join("index.html"), &page)?;
    let (shown, whole, packed) = (site.display(), module.len(), compressed(module)?);
    println!(
        "{shown}: the module has {whole} bytes, {packed} compressed, at most {MOST}; the page {} bytes",
        page.len()
    );
    if packed > MOST {
        return Err(format!("the module has {packed} bytes compressed, more than {MOST}"));
    }
    Ok(site)
}

/// Returns the size in a zip archive.
fn compressed(bytes: Vec<u8>) -> Result<usize, String> {
    let said = |e: meshwright::files::FilesError| e.to_string();
    let (mut pack, mut archive) = (PackBuilder::new(PackKind::Zip).map_err(said)?, Vec::new());
    pack.add("m".parse().map_err(said)?, Box::new(move || Ok(bytes.clone()))).map_err(said)?;
    pack.write(&mut archive).map_err(|e| e.to_string())?;
    Ok(archive.len())
}

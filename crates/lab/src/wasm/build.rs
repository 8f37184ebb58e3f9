//! The module and the site around it.

use super::order;
use meshwright::files::{PackBuilder, PackKind};
use meshwright::page::Page;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::sh;

const TARGET: &str = "wasm32-unknown-unknown";
/// The maximum size of the module, compressed as by web servers and zip archives (deflate).
const MOST: u64 = 1_500_000;
/// The number of functions that come first because they are called most often: the numbers in these calls are short.
const MOST_CALLED: usize = 100;
/// The script of the page's worker, after the bindings of the module.
const WORKER: &str = include_str!("../../../wasm/src/worker.js");

/// Builds the site. Returns `None` if a tool or target that it needs is missing.
pub(super) fn site(root: &Path) -> Result<Option<PathBuf>, String> {
    let home = root.join("crates/wasm");
    if !has_target() {
        sh::skipped(&format!("the compiler has no {TARGET} (rustup target add {TARGET})"))?;
        return Ok(None);
    }
    sh::cargo(&home, "fmt --all --check")?;
    sh::cargo(&home, "test --quiet --locked --package crc32fast")?;
    sh::cargo(&home, &format!("clippy --release --locked --target {TARGET} -- -D warnings"))?;
    sh::cargo(&home, &format!("build --release --locked --target {TARGET}"))?;
    let place = sh::target_dir(root).join("wasm");
    let Some(bindgen) = bindgen(root, &home, &place)? else { return Ok(None) };
    let module = sh::target_dir(&home).join(TARGET).join("release/meshwright_wasm.wasm");
    let bound = place.join("bound");
    // The page has the bindings as a script, and the package of npm as a module with types.
    for (form, folder) in [(&["no-modules", "--no-typescript"][..], &bound), (&["web"], &place.join("npm"))] {
        let mut bind = Command::new(&bindgen);
        bind.args(["--remove-producers-section", "--target"]).args(form);
        bind.args(["--out-name", "meshwright", "--out-dir"]).arg(folder).arg(&module);
        sh::run(&mut bind)?;
        sort_functions(&folder.join("meshwright_bg.wasm"))?;
    }
    let (module, glue) =
        (sh::read(&bound.join("meshwright_bg.wasm"))?, sh::read_text(&bound.join("meshwright.js"))?);
    let page = Page::standing("Meshwright", &format!("{glue}\n{WORKER}"), "meshwright.wasm").html;
    let site = place.join("site");
    sh::empty(&site)?;
    sh::write(&site.join("meshwright.wasm"), &module)?;
    sh::write(&site.join("index.html"), &page)?;
    let (whole, packed) = (module.len() as u64, compressed(&module)?);
    println!(
        "{}: the module has {whole} bytes, {packed} compressed, at most {MOST}; the page {} bytes",
        site.display(),
        page.len()
    );
    if packed > MOST {
        return Err(format!("the module has {packed} bytes compressed, more than {MOST}"));
    }
    Ok(Some(site))
}

/// Merges equal functions of a module, and puts similar ones next to each other, so that it compresses better.
fn sort_functions(module: &Path) -> Result<(), String> {
    let optimizer = Path::new(&modules()?).join("binaryen/bin/wasm-opt");
    let optimize = |passes: &[&str]| {
        sh::run(Command::new("node").arg(&optimizer).arg(module).arg("-o").arg(module).args(passes))
    };
    // Equal functions are merged until there are none; the functions with most calls come first. Without the alignment of
    // memory accesses, which engines ignore, more functions are equal.
    let merge =
        ["--optimize-level=3", "--duplicate-function-elimination", "--reorder-functions", "--strip-debug"];
    optimize(&[&["--dealign", "--remove-unused-brs", "--merge-blocks"][..], &merge].concat())?;
    sh::write(module, order::name_by_order(&sh::read(module)?, MOST_CALLED)?)?;
    optimize(&["--reorder-functions-by-name", "--strip-debug"])
}

/// Returns the folder of the packages of Node.js, which `xtask bindings wasm` installs.
pub(super) fn modules() -> Result<OsString, String> {
    std::env::var_os("NODE_MODULES")
        .ok_or_else(|| "NODE_MODULES names no folder: run `xtask bindings wasm`".into())
}

/// Returns true if the compiler has the libraries of the target.
fn has_target() -> bool {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let libraries =
        sh::output_text(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]));
    libraries.is_ok_and(|dir| Path::new(&dir).is_dir())
}

/// Returns the program that binds modules, of the version that the crate is locked to: the one on the path, or one that is
/// installed below `target/wasm`.
fn bindgen(root: &Path, home: &Path, place: &Path) -> Result<Option<PathBuf>, String> {
    let lock = sh::read_text(&home.join("Cargo.lock"))?;
    let (_, behind) =
        lock.split_once("name = \"wasm-bindgen\"\nversion = \"").ok_or("wasm-bindgen is not locked")?;
    let (version, _) = behind.split_once('"').ok_or("wasm-bindgen has no version")?;
    let wanted = format!("wasm-bindgen {version}");
    let is_it = |program: &Path| {
        let said = sh::output_text(Command::new(program).arg("--version"));
        said.is_ok_and(|said| said.split(" (").next() == Some(&wanted))
    };
    let tools = place.join("tools");
    let own = tools.join("bin").join(format!("wasm-bindgen{}", std::env::consts::EXE_SUFFIX));
    for program in [PathBuf::from("wasm-bindgen"), own.clone()] {
        if is_it(&program) {
            return Ok(Some(program));
        }
    }
    eprintln!("{wanted} is installed below {}; this takes minutes, once", place.display());
    let mut install = sh::cargo_command(root);
    install.args(["install", "wasm-bindgen-cli", "--version", &format!("={version}"), "--root"]).arg(&tools);
    if let Err(why) = sh::run(install.arg("--target-dir").arg(place.join("tools-build"))) {
        sh::skipped(&format!("{wanted} cannot be installed: {why}"))?;
        return Ok(None);
    }
    let _ = fs::remove_dir_all(place.join("tools-build"));
    if is_it(&own) { Ok(Some(own)) } else { Err(format!("{} is not {wanted}", own.display())) }
}

/// Returns the size in a zip archive.
fn compressed(bytes: &[u8]) -> Result<u64, String> {
    let mut pack = PackBuilder::new(PackKind::Zip).map_err(|e| e.to_string())?;
    let path = "m".parse().map_err(|e: meshwright::files::FilesError| e.to_string())?;
    pack.add(path, Box::new(|| Ok(bytes.to_vec()))).map_err(|e| e.to_string())?;
    let mut archive = Vec::new();
    pack.write(&mut archive).map_err(|e| e.to_string())?;
    Ok(archive.len() as u64)
}

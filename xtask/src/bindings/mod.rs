//! The crates for other languages: workspaces of their own below `crates/`, since they need more than cargo.

mod capi;
mod python;

use crate::sh;
pub(crate) use capi::{capi, release_capi};
pub(crate) use python::{blender, python, ray, release_blender};
use std::path::Path;

pub(crate) fn bevy(root: &Path) -> Result<(), String> {
    let home = root.join("crates/bevy");
    sh::cargo(&home, "fmt --check")?;
    if sh::output(sh::cargo_command(&home).args(["fetch", "--locked"])).is_err() {
        return sh::skipped("Bevy's crates cannot be fetched here");
    }
    sh::cargo(&home, "clippy --all-targets --locked -- -D warnings")?;
    sh::cargo(&home, "test --locked")?;
    sh::cargo(&home, "check --locked --features window --example play")
}

/// `xtask bindings page`: the page of `view` in a browser. Without node or Chromium it says so, and with `MESHWRIGHT_STRICT`
/// fails.
pub(crate) fn page(root: &Path) -> Result<(), String> {
    let Some(modules) = sh::node_modules(root, "playwright-core") else {
        return sh::skipped("node or playwright-core is not here");
    };
    let modules = modules.to_string_lossy();
    let mut env = vec![("NODE_MODULES", modules.as_ref())];
    if sh::is_strict() {
        env.push(("MESHWRIGHT_REQUIRE", "1"));
    }
    sh::cargo_env(root, "test --locked -p meshwright-cli --all-features --test page", &env)
}

//! `xtask page`: the page of `view` in a browser. Without node or Chromium it says so, and with `MESHWRIGHT_STRICT` fails.

use crate::sh;
use std::path::Path;

pub(crate) fn page(root: &Path) -> Result<(), String> {
    let Some(modules) = sh::node_modules(root, "playwright-core") else {
        return sh::skipped("node or playwright-core is not here");
    };
    let modules = modules.to_string_lossy();
    let mut env = vec![("NODE_MODULES", modules.as_ref())];
    if std::env::var_os("MESHWRIGHT_STRICT").is_some_and(|strict| !strict.is_empty()) {
        env.push(("MESHWRIGHT_REQUIRE", "1"));
    }
    sh::cargo_env(root, "test --locked -p meshwright-cli --all-features --test suite page::", &env)
}

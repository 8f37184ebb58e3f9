//! `xtask supply`: what the crates are built from.

use crate::sh;
use std::path::Path;

/// The crates of others, licences, duplicates and sources with cargo-deny; advisories where their database can be
/// reached. What only tests use need not be in the list of crates.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    if !sh::has_cargo(root, "deny") {
        return sh::skipped("cargo-deny is not installed (cargo install cargo-deny --locked)");
    }
    sh::cargo(root, "deny --locked --exclude-dev check bans")?;
    sh::cargo(root, "deny --locked check licenses sources")?;
    let advisories = sh::cargo_command(root).args(["deny", "--locked", "check", "advisories"]).output();
    let advisories = advisories.map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&advisories.stderr);
    if advisories.status.success() {
        println!("advisories ok");
        return Ok(());
    }
    if said.contains("failed to fetch advisory database") {
        return sh::skipped("the advisory database cannot be reached");
    }
    Err(said.into_owned())
}

//! `xtask lint`: what compilers and formatters say.

use crate::sh;
use std::path::Path;

pub(crate) fn fmt(root: &Path) -> Result<(), String> {
    sh::cargo(root, "fmt --all --check")
}

pub(crate) fn clippy(root: &Path) -> Result<(), String> {
    sh::cargo(root, "clippy --workspace --all-targets --all-features --locked -- -D warnings")?;
    // All targets are those that plain `cargo test` builds, which these tests are not.
    sh::cargo(root, "clippy --workspace --test corpus --all-features --locked -- -D warnings")
}

pub(crate) fn rustdoc(root: &Path) -> Result<(), String> {
    let denied = [("RUSTDOCFLAGS", "-D warnings")];
    sh::cargo_env(root, "doc --workspace --all-features --no-deps --locked", &denied)
}

/// Checks that every published crate compiles without warnings: without features, and with each single feature.
pub(crate) fn features(root: &Path) -> Result<(), String> {
    for package in sh::published(root)? {
        let name = sh::text(&package["name"]);
        let features = package["features"].as_object().into_iter().flat_map(|f| f.keys());
        let features: Vec<_> = features.filter(|f| *f != "default").map(String::as_str).collect();
        let each = std::iter::once("").chain(features.iter().copied()).filter(|_| !features.is_empty());
        for feature in each {
            let options = format!("-p {name} --no-default-features --features={feature}");
            sh::cargo(root, &format!("clippy -q --locked {options} -- -D warnings"))?;
        }
    }
    Ok(())
}

//! `xtask features`: every published crate compiles without warnings without features, and with each one alone.

use crate::sh;
use std::path::Path;

pub(crate) fn run(root: &Path) -> Result<(), String> {
    for package in sh::packages(root)?.iter().filter(|p| !p["publish"].is_array()) {
        let name = package["name"].as_str().unwrap_or_default();
        let features = package["features"].as_object().into_iter().flat_map(|f| f.keys());
        let features: Vec<_> = features.filter(|f| *f != "default").map(String::as_str).collect();
        if features.is_empty() {
            continue;
        }
        for feature in std::iter::once("").chain(features) {
            sh::cargo(
                root,
                &format!(
                    "clippy -q --locked -p {name} --no-default-features --features={feature} -- -D warnings"
                ),
            )?;
        }
    }
    Ok(())
}

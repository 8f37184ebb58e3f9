//! Chromium, driven by node.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::sh;

/// The script that drives the browser, after a plan.
const SCRIPT: &str = include_str!("drive.mjs");

/// The programs and files that show the site.
pub(super) struct Browser {
    chromium: PathBuf,
    site: PathBuf,
}

impl Browser {
    /// Finds Chromium. Returns `None` if it is not installed.
    pub(super) fn find(site: &Path) -> Result<Option<Self>, String> {
        let on_path = || {
            let names = ["chromium", "chromium-browser", "google-chrome"];
            let path = std::env::var_os("PATH")?;
            std::env::split_paths(&path).flat_map(|p| names.map(|name| p.join(name))).find(|p| p.is_file())
        };
        let named = std::env::var_os("CHROMIUM").map(PathBuf::from).filter(|path| path.is_file());
        let Some(chromium) = named.or_else(on_path) else {
            sh::skipped("no Chromium: set CHROMIUM")?;
            return Ok(None);
        };
        Ok(Some(Self { chromium, site: site.to_owned() }))
    }

    /// Runs a plan in the page: see the script.
    pub(super) fn driven(&self, plan: &Value) -> Result<Value, String> {
        let file = self.site.with_file_name("plan.json");
        sh::write(&file, plan.to_string())?;
        let mut node = Command::new("node");
        node.args(["--input-type=module", "--eval", SCRIPT, "--"]).arg(&file).arg(&self.site);
        let said = sh::output(node.env("CHROMIUM", &self.chromium))?;
        serde_json::from_slice(&said).map_err(|e| format!("{e}: {}", String::from_utf8_lossy(&said)))
    }
}

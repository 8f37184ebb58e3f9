//! Opens a large model, or a folder of models, in the page and in the program.

use super::drive::Browser;
use super::expected::array;
use crate::measured_program;
use meshwright_testkit::patience;
use serde_json::json;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const MIB: f64 = 1_048_576.0;

/// Says what it costs to make a GLB of a file, or of every model of a folder, in the page and in the program.
pub(super) fn measured(root: &Path, browser: &Browser, file: &Path) -> Result<(), String> {
    let file = file.canonicalize().map_err(|e| format!("{}: {e}", file.display()))?;
    let seen = browser.driven(
        &json!({ "patience": 300 * patience(), "large": { "path": file, "folder": file.is_dir() } }),
    )?;
    if !array(&seen, "errors").is_empty() {
        return Err(seen["errors"].to_string());
    }
    let program = xtask::program(root, "meshwright", "release")?;
    let out =
        xtask::sh::target_dir(root).join("wasm").join(if file.is_dir() { "large" } else { "large.glb" });
    let (mut own, mut peak) = (f64::INFINITY, 0);
    for _ in 0..3 {
        let mut convert = Command::new(&program);
        convert
            .args(["convert", "--quiet", "--jobs", "1"])
            .arg(&file)
            .arg("-o")
            .arg(&out)
            .stderr(Stdio::null());
        let ended =
            measured_program::run(&mut convert, Duration::from_secs(600)).map_err(|e| e.to_string())?;
        // Some models of a folder may be rejected.
        let refused_some = file.is_dir() && matches!(ended.status.code(), Some(1 | 3));
        if !ended.status.success() && !refused_some {
            return Err(format!("the program does not convert {}", file.display()));
        }
        own = own.min(ended.time.as_secs_f64());
        peak = peak.max(ended.peak.unwrap_or(0));
    }
    let there = array(&seen["large"], "times").iter().filter_map(serde_json::Value::as_f64);
    let page = there.fold(f64::INFINITY, f64::min);
    let memory = |key: &str| seen["large"][key].as_f64().unwrap_or(f64::NAN) / MIB;
    #[expect(clippy::cast_precision_loss, reason = "sizes to be read")]
    let peak = peak as f64 / MIB;
    println!("{} models in the page", seen["large"]["made"]);
    println!(
        "page    {page:8.3} s {:8.1} MiB of the module, {:.1} before",
        memory("memory"),
        memory("before")
    );
    println!("program {own:8.3} s {peak:8.1} MiB resident");
    println!("ratio   {:8.2}   {:8.2}", page / own, memory("memory") / peak);
    Ok(())
}

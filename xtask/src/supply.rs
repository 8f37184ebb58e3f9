//! What the crates are made of: `xtask supply`, `deny`, `semver`.

use crate::sh;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What a program that only reads and writes files has no use for.
const NETWORK: [&str; 4] = ["std::net", "core::net", "TcpStream", "UdpSocket"];

/// The one folder that may use it, for the page that the program shows on the loopback address.
const SERVER: &str = "crates/cli/src/view";

/// No build script and no network in any crate of ours. What crates of others may be there, and which of them may run
/// code while they are compiled, stands in deny.toml.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut wrong = Vec::new();
    if !root.join("Cargo.lock").is_file() {
        wrong.push("Cargo.lock is not there".to_owned());
    }
    for package in sh::packages(root)? {
        let (name, manifest) = (text(&package["name"]), Path::new(text(&package["manifest_path"])));
        let targets = list(&package["targets"]).flat_map(|t| list(&t["kind"]));
        if targets.map(text).any(|kind| matches!(kind, "custom-build" | "proc-macro")) {
            wrong.push(format!("{name} runs code while it is compiled"));
        }
        if name != "xtask" {
            networked(&manifest.with_file_name("src"), &root.join(SERVER), &mut wrong)?;
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn networked(sources: &Path, but: &Path, wrong: &mut Vec<String>) -> Result<(), String> {
    let files = crate::fixtures::walk(sources).map_err(|e| format!("{}: {e}", sources.display()))?;
    for path in files.into_iter().filter(|path| !path.starts_with(but)) {
        let source = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for word in NETWORK.iter().filter(|word| source.contains(**word)) {
            wrong.push(format!("{}: {word}", path.display()));
        }
    }
    Ok(())
}

/// Whether a cargo subcommand is installed.
fn installed(root: &Path, tool: &str) -> bool {
    sh::output(sh::cargo_command(root).args([tool, "--version"])).is_ok()
}

/// The crates of others, licences, duplicates and sources with cargo-deny; advisories where their database can be
/// reached. What only tests use need not be in the list of crates.
pub(crate) fn deny(root: &Path) -> Result<(), String> {
    if !installed(root, "deny") {
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

/// The public interface held against the last release with cargo-semver-checks.
pub(crate) fn semver(root: &Path) -> Result<(), String> {
    if !installed(root, "semver-checks") {
        return sh::skipped(
            "cargo-semver-checks is not installed (cargo install cargo-semver-checks --locked)",
        );
    }
    let tags =
        sh::output(Command::new("git").current_dir(root).args(["tag", "--list", "v*", "--sort=-v:refname"]))?;
    let tags = String::from_utf8_lossy(&tags);
    // The newest tag is the release that is being made, when its commit is checked out.
    let here = sh::output(Command::new("git").current_dir(root).args(["tag", "--points-at", "HEAD"]))?;
    let here = String::from_utf8_lossy(&here);
    let Some(last) = tags.lines().find(|tag| here.lines().all(|h| h != *tag)) else {
        eprintln!("skipped: no earlier release to compare with");
        return Ok(());
    };
    sh::cargo(
        root,
        &format!(
            "semver-checks --workspace --exclude xtask --exclude meshwright-lab --exclude meshwright-testkit \
             --exclude meshwright-cli --baseline-rev {last}"
        ),
    )
}

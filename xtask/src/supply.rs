//! What the published crates are made of: `xtask supply`, `deny`, `semver`.

use crate::sh;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

/// Every crate of others that the published ones need, optional ones and those of other systems included. A new
/// name here is a decision.
const TREE: &[&str] = &[
    "adler2",
    "anstream",
    "anstyle",
    "anstyle-parse",
    "anstyle-query",
    "anstyle-wincon",
    "autocfg",
    "bitflags",
    "block-buffer",
    "bytemuck",
    "byteorder-lite",
    "cfg-if",
    "chacha20",
    "clap",
    "clap_builder",
    "clap_derive",
    "clap_lex",
    "colorchoice",
    "core_detect",
    "cpufeatures",
    "crc32fast",
    "crossbeam-deque",
    "crossbeam-epoch",
    "crossbeam-utils",
    "crypto-common",
    "digest",
    "either",
    "errno",
    "fastrand",
    "fdeflate",
    "flate2",
    "generic-array",
    "getrandom",
    "glam",
    "gltf-derive",
    "gltf-json",
    "heck",
    "image",
    "inflections",
    "is_terminal_polyfill",
    "itoa",
    "libc",
    "libm",
    "linux-raw-sys",
    "lz4_flex",
    "memchr",
    "miniz_oxide",
    "moxcms",
    "nom",
    "num-traits",
    "once_cell",
    "once_cell_polyfill",
    "png",
    "proc-macro2",
    "proptest",
    "pxfm",
    "quote",
    "r-efi",
    "rand",
    "rand_core",
    "rand_xorshift",
    "rayon",
    "rayon-core",
    "regex-syntax",
    "rustix",
    "serde",
    "serde_core",
    "serde_derive",
    "serde_json",
    "sha2",
    "signal-hook",
    "signal-hook-registry",
    "simd-adler32",
    "strsim",
    "syn",
    "tempfile",
    "terminal_size",
    "thiserror",
    "thiserror-impl",
    "typenum",
    "unarray",
    "unicode-ident",
    "utf8parse",
    "version_check",
    "windows-link",
    "windows-sys",
    "zlib-rs",
    "zmij",
];

/// Of these, those with build scripts.
const SCRIPTS: &[&str] = &[
    "crc32fast",
    "crossbeam-deque",
    "crossbeam-epoch",
    "crossbeam-utils",
    "generic-array",
    "getrandom",
    "libc",
    "libm",
    "num-traits",
    "proc-macro2",
    "quote",
    "rayon-core",
    "rustix",
    "serde",
    "serde_core",
    "serde_json",
    "signal-hook",
    "thiserror",
    "zmij",
];

/// What a program that only reads and writes files has no use for.
const NETWORK: [&str; 4] = ["std::net", "core::net", "TcpStream", "UdpSocket"];

/// No build script, no network and no crate that nobody decided on.
pub(crate) fn run(root: &Path) -> Result<(), String> {
    let mut wrong = Vec::new();
    if !root.join("Cargo.lock").is_file() {
        wrong.push("Cargo.lock is not there".to_owned());
    }
    let metadata = sh::metadata(root, &["--all-features"])?;
    let packages: BTreeMap<&str, &Value> = list(&metadata["packages"]).map(|p| (text(&p["id"]), p)).collect();
    for package in packages.values().filter(|p| p["source"].is_null()) {
        let (name, manifest) = (text(&package["name"]), Path::new(text(&package["manifest_path"])));
        let targets = list(&package["targets"]).flat_map(|t| list(&t["kind"]));
        if targets.map(text).any(|kind| matches!(kind, "custom-build" | "proc-macro")) {
            wrong.push(format!("{name} runs code while it is compiled"));
        }
        if name != "xtask" {
            networked(&manifest.with_file_name("src"), &mut wrong)?;
        }
    }
    let (tree, scripts) = tree(&metadata, &packages);
    compare("the tree", &tree, TREE, &mut wrong);
    compare("the build scripts", &scripts, SCRIPTS, &mut wrong);
    if wrong.is_empty() {
        println!("{} crates of others, {} of them with build scripts", tree.len(), scripts.len());
        return Ok(());
    }
    Err(wrong.join("\n"))
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The crates of others that published ones are built from, and those of them that have build scripts.
fn tree<'a>(
    metadata: &'a Value,
    packages: &BTreeMap<&'a str, &'a Value>,
) -> (BTreeSet<&'a str>, BTreeSet<&'a str>) {
    let nodes: BTreeMap<&str, &Value> =
        list(&metadata["resolve"]["nodes"]).map(|n| (text(&n["id"]), n)).collect();
    let published = packages.iter().filter(|(_, p)| p["source"].is_null() && !p["publish"].is_array());
    let mut open: Vec<&str> = published.map(|(id, _)| *id).collect();
    let mut seen: BTreeSet<&str> = open.iter().copied().collect();
    while let Some(node) = open.pop().and_then(|id| nodes.get(id)) {
        for dep in list(&node["deps"]) {
            let is_test = list(&dep["dep_kinds"]).all(|k| k["kind"] == "dev");
            if !is_test && seen.insert(text(&dep["pkg"])) {
                open.push(text(&dep["pkg"]));
            }
        }
    }
    let of_others = || seen.iter().filter_map(|id| packages.get(id)).filter(|p| !p["source"].is_null());
    let has_script = |p: &Value| list(&p["targets"]).any(|t| list(&t["kind"]).any(|k| k == "custom-build"));
    let names = of_others().map(|p| text(&p["name"])).collect();
    (names, of_others().filter(|p| has_script(p)).map(|p| text(&p["name"])).collect())
}

fn compare(what: &str, found: &BTreeSet<&str>, known: &[&str], wrong: &mut Vec<String>) {
    let known: BTreeSet<&str> = known.iter().copied().collect();
    wrong.extend(found.difference(&known).map(|name| format!("{what}: {name} is new")));
    wrong.extend(known.difference(found).map(|name| format!("{what}: {name} is gone")));
}

fn networked(sources: &Path, wrong: &mut Vec<String>) -> Result<(), String> {
    for path in crate::fixtures::walk(sources).map_err(|e| format!("{}: {e}", sources.display()))? {
        let source = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for word in NETWORK.iter().filter(|word| source.contains(**word)) {
            wrong.push(format!("{}: {word}", path.display()));
        }
    }
    Ok(())
}

/// Whether a cargo subcommand is installed; says so when it is not.
fn installed(root: &Path, tool: &str) -> bool {
    let asked = sh::output(sh::cargo_command(root).args([tool, "--version"]));
    if asked.is_err() {
        eprintln!("skipped: cargo-{tool} is not installed (cargo install cargo-{tool} --locked)");
    }
    asked.is_ok()
}

/// Licences, duplicates and sources with cargo-deny; advisories where their database can be reached.
pub(crate) fn deny(root: &Path) -> Result<(), String> {
    if !installed(root, "deny") {
        return Ok(());
    }
    sh::cargo(root, "deny --locked check licenses bans sources")?;
    let advisories = sh::cargo_command(root).args(["deny", "--locked", "check", "advisories"]).output();
    let advisories = advisories.map_err(|e| e.to_string())?;
    let said = String::from_utf8_lossy(&advisories.stderr);
    if advisories.status.success() {
        println!("advisories ok");
        return Ok(());
    }
    if said.contains("failed to fetch advisory database") {
        eprintln!("skipped: the advisory database cannot be reached");
        return Ok(());
    }
    Err(said.into_owned())
}

/// The public interface held against the last release with cargo-semver-checks.
pub(crate) fn semver(root: &Path) -> Result<(), String> {
    if !installed(root, "semver-checks") {
        return Ok(());
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
        &format!("semver-checks --workspace --exclude xtask --exclude meshwright-cli --baseline-rev {last}"),
    )
}

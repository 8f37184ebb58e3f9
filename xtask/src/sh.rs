//! Running other programs.

use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs `cargo` with arguments separated by spaces.
///
/// # Errors
/// When it cannot be started, or fails.
pub fn cargo(root: &Path, arguments: &str) -> Result<(), String> {
    cargo_env(root, arguments, &[])
}

/// Runs `cargo` with arguments separated by spaces and more environment variables.
///
/// # Errors
/// When it cannot be started, or fails.
pub fn cargo_env(root: &Path, arguments: &str, vars: &[(&str, &str)]) -> Result<(), String> {
    run(cargo_command(root).envs(vars.iter().copied()).args(arguments.split_whitespace()))
}

/// `cargo`, to be run in a folder.
pub fn cargo_command(root: &Path) -> Command {
    let mut command = Command::new(cargo_program());
    // The compiler settings of the task's own build must not leak into the builds it starts.
    command.env_remove("CARGO_ENCODED_RUSTFLAGS").current_dir(root);
    command
}

/// Returns the output of `cargo metadata` with more arguments.
///
/// # Errors
/// When cargo fails.
pub fn metadata(root: &Path, arguments: &[&str]) -> Result<Value, String> {
    let arguments = ["metadata", "--format-version=1", "--locked"].iter().chain(arguments);
    let json = output(cargo_command(root).args(arguments))?;
    serde_json::from_slice(&json).map_err(|e| format!("cargo metadata: {e}"))
}

/// Returns the packages of the workspace.
///
/// # Errors
/// When cargo fails.
pub fn packages(root: &Path) -> Result<Vec<Value>, String> {
    let mut metadata = metadata(root, &["--no-deps"])?;
    match metadata["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => Err("cargo metadata lists no packages".into()),
    }
}

/// Returns the packages that go to the registry.
///
/// # Errors
/// When cargo fails.
pub fn published(root: &Path) -> Result<Vec<Value>, String> {
    let is_published = |p: &Value| !p["publish"].as_array().is_some_and(Vec::is_empty);
    Ok(packages(root)?.into_iter().filter(is_published).collect())
}

/// Returns a value as text; empty for anything else.
pub fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// Returns the folder of cargo's builds.
pub fn target_dir(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Returns whether a cargo subcommand is installed.
pub fn has_cargo(root: &Path, tool: &str) -> bool {
    output(cargo_command(root).args([tool, "--version"])).is_ok()
}

/// Returns the machine that the compiler builds for.
///
/// # Errors
/// When the compiler does not say it.
pub fn host() -> Result<String, String> {
    let said = output(Command::new("rustc").arg("-vV"))?;
    let said = String::from_utf8_lossy(&said).into_owned();
    let host = said.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc names no host".into())
}

/// Returns the next word of a command line, as a number or whatever else is written as one word.
///
/// # Errors
/// When it is missing or cannot be read.
pub fn value<T: std::str::FromStr<Err: Into<Box<dyn std::error::Error + Send + Sync>>>>(
    words: &mut lexopt::Parser,
) -> Result<T, String> {
    use lexopt::ValueExt as _;
    words.value().and_then(|v| v.parse()).map_err(|e| e.to_string())
}

fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Runs a command, shows it, and fails when it fails.
///
/// # Errors
/// When it cannot be started, or fails.
pub fn run(command: &mut Command) -> Result<(), String> {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    let line = words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ");
    eprintln!("$ {line}");
    let status = command.status().map_err(|e| format!("{line}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{line}: {status}")) }
}

/// Returns the standard output of a command.
///
/// # Errors
/// When it cannot be started, or fails: then with its standard error.
pub fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let out = command.output().map_err(|e| format!("{name}: {e}"))?;
    if out.status.success() {
        Ok(out.stdout)
    } else {
        Err(format!("{name}: {}\n{}", out.status, String::from_utf8_lossy(&out.stderr)))
    }
}

/// The packages of node that verbs use, in the versions that they were seen to work with.
const NODE_PACKAGES: &[(&str, &str)] = &[
    ("playwright-core", "1.65.1"),
    ("gltf-validator", "2.0.0-dev.3.10"),
    ("kaitai-struct-compiler", "0.11.0"),
    ("js-yaml", "4.1.0"),
    ("binaryen", "132.0.0"),
];

/// Returns a folder with a Node.js package: the one in `NODE_MODULES`, else one below `target/`, and installs the package
/// there if necessary. `None` if this fails.
pub fn node_modules(root: &Path, package: &str) -> Option<PathBuf> {
    if let Some(dir) = std::env::var_os("NODE_MODULES") {
        return Some(dir.into());
    }
    let dir = root.join("target/node");
    let modules = dir.join("node_modules");
    if !modules.join(package).is_dir() {
        std::fs::create_dir_all(&dir).ok()?;
        let mut npm = Command::new("npm");
        let version = NODE_PACKAGES.iter().find(|(name, _)| *name == package).map(|(_, version)| version)?;
        npm.args(["install", "--no-audit", "--no-fund", "--prefix"]).arg(&dir);
        npm.arg(format!("{package}@{version}"));
        run(&mut npm).ok()?;
    }
    modules.join(package).is_dir().then_some(modules)
}

/// Says what cannot be done here.
///
/// # Errors
/// Where `MESHWRIGHT_STRICT` is set, and not empty: then what is left out is an error.
pub fn skipped(why: &str) -> Result<(), String> {
    if std::env::var_os("MESHWRIGHT_STRICT").is_some_and(|strict| !strict.is_empty()) {
        return Err(format!("cannot run here: {why}"));
    }
    eprintln!("skipped: {why}");
    Ok(())
}

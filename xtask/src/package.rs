//! `xtask examples`, `package`: what a user gets, run as a user runs it.

use crate::builds::target_dir;
use crate::sh;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;

/// What every package brings along besides its sources.
const FILES: &[&str] = &["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];
/// What says on the registry what a crate is.
const SAID: &[&str] = &["categories", "description", "keywords", "license", "readme", "rust_version"];

/// `xtask examples`: all of them, without arguments.
pub(crate) fn examples(root: &Path) -> Result<(), String> {
    // All crates at once, so that they have the features they have in the tests, and nothing is built twice.
    sh::cargo(root, "build --quiet --locked --workspace --all-features --examples")?;
    run_examples(&target_dir(root), &sh::packages(root)?)
}

/// Runs the examples that were built in a target folder.
fn run_examples(target: &Path, packages: &[Value]) -> Result<(), String> {
    let targets = packages.iter().filter_map(|package| package["targets"].as_array()).flatten();
    for example in targets.filter(|target| target["kind"][0] == "example") {
        let name = format!("{}{}", text(&example["name"]), std::env::consts::EXE_SUFFIX);
        sh::run(&mut Command::new(target.join("debug/examples").join(name)))?;
    }
    Ok(())
}

/// `xtask package`: packs every crate that is published, and runs doctests and examples of what was packed. Nothing is
/// fetched: the packages use each other and the dependencies that the workspace has.
pub(crate) fn package(root: &Path) -> Result<(), String> {
    let all = sh::packages(root)?;
    let is_published = |p: &&Value| !p["publish"].as_array().is_some_and(Vec::is_empty);
    let published: Vec<Value> = all.iter().filter(is_published).cloned().collect();
    let mut wrong: Vec<String> = published.iter().flat_map(unsaid).collect();

    let packed = target_dir(root).join("packed");
    let workspace = packed.join("workspace");
    if workspace.is_dir() {
        fs::remove_dir_all(&workspace).map_err(|e| format!("{}: {e}", workspace.display()))?;
    }
    fs::create_dir_all(&workspace).map_err(|e| e.to_string())?;
    let mut cargo = sh::cargo_command(root);
    cargo
        .args(["package", "--quiet", "--no-verify", "--allow-dirty", "--offline", "--target-dir"])
        .arg(&packed);
    for package in &published {
        cargo.args(["--package", text(&package["name"])]);
    }
    sh::run(&mut cargo)?;

    let mut manifest =
        String::from("[workspace]\nresolver = \"3\"\nmembers = [\"*\"]\n\n[patch.crates-io]\n");
    for package in &published {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let archive = packed.join("package").join(format!("{name}-{version}.crate"));
        sh::run(Command::new("tar").arg("-xzf").arg(archive).current_dir(&workspace))?;
        wrong.extend(misses(root, &workspace.join(format!("{name}-{version}"))));
        manifest.push_str(&format!("{name} = {{ path = \"{name}-{version}\" }}\n"));
    }
    if !wrong.is_empty() {
        return Err(wrong.join("\n"));
    }
    fs::write(workspace.join("Cargo.toml"), manifest).map_err(|e| e.to_string())?;
    // The same versions of everything.
    fs::copy(root.join("Cargo.lock"), workspace.join("Cargo.lock")).map_err(|e| e.to_string())?;

    let target = packed.join("target");
    let vars = [("CARGO_TARGET_DIR", &*target.to_string_lossy())];
    sh::cargo_env(&workspace, "test --quiet --offline --workspace --all-features --doc", &vars)?;
    sh::cargo_env(&workspace, "build --quiet --offline --workspace --all-features --examples", &vars)?;
    run_examples(&target, &published)
}

/// What the manifest leaves out.
fn unsaid(package: &Value) -> Vec<String> {
    let is_empty = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let missing = SAID.iter().filter(|field| is_empty(&package[**field]));
    missing.map(|field| format!("{}: no {field}", text(&package["name"]))).collect()
}

/// What is wrong with the content of a package.
fn misses(root: &Path, package: &Path) -> Vec<String> {
    let mut wrong = Vec::new();
    for name in FILES {
        let Ok(content) = fs::read(package.join(name)) else {
            wrong.push(format!("{}: no {name}", package.display()));
            continue;
        };
        // Links to the licences are files with a path in them where links are not known.
        if name.starts_with("LICENSE") && fs::read(root.join(name)).ok() != Some(content) {
            wrong.push(format!("{}: {name} is not the project's", package.display()));
        }
    }
    let tests = package.join("tests");
    if tests.exists() {
        wrong.push(format!("{}: stands on what is not published", tests.display()));
    }
    wrong
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

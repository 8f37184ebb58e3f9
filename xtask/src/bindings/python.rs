//! The wheel for Python and the extension of Blender that carries it: built and tested in environments of their own below
//! `target/`, which are made where they are not there.

use crate::fixtures;
use crate::release;
use crate::sh::{self, Given, target_dir};
use crate::targets::{has_nightly, nightly};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages that build and test the wheel.
const TOOLS: &[&str] = &["maturin==1.16.0", "numpy>=1.23", "pytest==9.2.0"];

/// `xtask bindings python`: lints, the wheel, its tests as it is installed, and its tests under the address sanitizer.
pub(crate) fn python(root: &Path) -> Result<(), String> {
    let home = root.join("crates/python");
    sh::cargo(&home, "fmt --check")?;
    sh::cargo(&home, "clippy --locked -- -D warnings")?;
    let place = target_dir(root).join("python");
    let python = match environment("python3", &place.join("venv"), TOOLS) {
        Ok(python) => python,
        Err(why) => return sh::skipped(&why),
    };
    let wheel = wheel(&home, &python, &place.join("wheels"), "dev")?;
    let mut install = pip(&python);
    sh::run(install.args(["--force-reinstall", "--no-deps", "--no-index"]).arg(wheel))?;
    let program = program(root)?;
    sh::run(tests(&home.join("tests"), &python).env("MESHWRIGHT", &program))?;
    sanitized(&home, &python, &place.join("sanitized"), &program)
}

/// `xtask bindings ray`: the example that converts a folder on a cluster, with two workers of this machine, held against the program.
pub(crate) fn ray(root: &Path) -> Result<(), String> {
    let (home, place) = (root.join("crates/python"), target_dir(root).join("ray"));
    let packages: Vec<&str> = TOOLS.iter().copied().chain(["ray[data]==2.60.0"]).collect();
    let python = match environment("python3", &place.join("venv"), &packages) {
        Ok(python) => python,
        Err(why) => return sh::skipped(&why),
    };
    let wheel = wheel(&home, &python, &place.join("wheels"), "dev")?;
    sh::run(pip(&python).args(["--force-reinstall", "--no-deps", "--no-index"]).arg(wheel))?;
    sh::run(tests(&home.join("examples"), &python).env("MESHWRIGHT", program(root)?))
}

/// Returns the program that results are held against.
fn program(root: &Path) -> Result<PathBuf, String> {
    crate::program(root, "meshwright", "dev")
}

/// Returns the Python of an environment with these packages.
fn environment(interpreter: &str, place: &Path, packages: &[&str]) -> Result<PathBuf, String> {
    let python = place.join("bin/python");
    if !python.is_file() {
        let made = Command::new(interpreter).args(["-m", "venv"]).arg(place).status();
        if !made.is_ok_and(|status| status.success()) {
            // A later run would take half an environment for a whole one.
            let _ = fs::remove_dir_all(place);
            return Err(format!("{interpreter} makes no environment here (on Debian: {interpreter}-venv)"));
        }
    }
    sh::run(pip(&python).args(packages)).map_err(|why| format!("pip installs nothing here: {why}"))?;
    Ok(python)
}

fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]);
    pip
}

/// Builds the wheel into an empty folder.
fn wheel(home: &Path, python: &Path, place: &Path, profile: &str) -> Result<PathBuf, String> {
    sh::empty(place)?;
    let mut maturin = Command::new(python);
    maturin.args(["-m", "maturin", "build", "--quiet", "--locked", "--profile", profile, "--out"]).arg(place);
    sh::run(maturin.current_dir(home))?;
    fixtures::walk(place)
        .map_err(sh::error_at(place))?
        .pop_first()
        .ok_or_else(|| "maturin made no wheel".into())
}

fn tests(folder: &Path, python: &Path) -> Command {
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider"]).arg(folder);
    pytest
}

/// The tests over a library that the address sanitizer watches, which the interpreter loads first.
fn sanitized(home: &Path, python: &Path, place: &Path, program: &Path) -> Result<(), String> {
    if !has_nightly(home, "--version") {
        return sh::skipped("cargo of the nightly toolchain is not here, for the address sanitizer");
    }
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "gcc".into());
    let runtime =
        sh::output_text(Command::new(compiler).arg("-print-file-name=libasan.so")).map(PathBuf::from);
    let runtime = runtime.unwrap_or_default();
    // A compiler that has none says the bare name.
    if !runtime.is_absolute() || !runtime.exists() {
        return sh::skipped(
            "gcc has no libasan.so here, which an interpreter loads for the address sanitizer",
        );
    }
    let (target, built) = ("x86_64-unknown-linux-gnu", home.join("target/asan"));
    let mut build = nightly(home, &format!("build --locked --target {target}"));
    sh::run(build.env("RUSTFLAGS", "-Zsanitizer=address").env("CARGO_TARGET_DIR", &built))?;
    let package = place.join("meshwright");
    let source = home.join("python/meshwright");
    for entry in fs::read_dir(&source).map_err(sh::error_at(&source))?.flatten() {
        if entry.path().is_file() {
            sh::copy(&entry.path(), &package.join(entry.file_name()))?;
        }
    }
    sh::copy(&built.join(target).join("debug/lib_native.so"), &package.join("_native.abi3.so"))?;
    let mut tests = tests(&home.join("tests"), python);
    // The interpreter itself leaves memory allocated at its end.
    tests.env("LD_PRELOAD", runtime).env("ASAN_OPTIONS", "detect_leaks=0").env("PYTHONMALLOC", "malloc");
    sh::run(tests.env("PYTHONPATH", place).env("MESHWRIGHT", program))
}

/// Blender of PyPI knows one Python each: 5.0 and what is older 3.11, newer ones 3.13.
const INTERPRETERS: &[&str] = &["python3", "python3.13", "python3.11"];

pub(crate) fn blender(root: &Path, given: &Given) -> Result<(), String> {
    let version = given.value::<String>("bpy")?.map_or_else(|| ">=4.2".to_owned(), |bpy| format!("=={bpy}"));
    let place = target_dir(root).join("blender");
    let packages: Vec<String> =
        TOOLS.iter().map(|tool| (*tool).to_owned()).chain([format!("bpy{version}")]).collect();
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    let mut refused = Vec::new();
    for interpreter in INTERPRETERS {
        let venv = place.join(format!("{interpreter}-{}", version.trim_start_matches(['=', '>'])));
        match environment(interpreter, &venv, &packages) {
            Ok(python) => {
                let zip = extension(&root.join("crates/python"), &python, &place)?;
                let folder = root.join("crates/python/blender/tests");
                return sh::run(tests(&folder, &python).arg("-s").env("MESHWRIGHT_EXTENSION", zip));
            }
            Err(why) => refused.push(why),
        }
    }
    sh::skipped(&format!("Blender as a Python module (bpy{version}) cannot be had: {}", refused.join("; ")))
}

pub(crate) fn release_blender(root: &Path) -> Result<(), String> {
    let place = target_dir(root).join("releases");
    let python = environment("python3", &target_dir(root).join("blender/wheel"), &TOOLS[..1])?;
    let zip = extension(&root.join("crates/python"), &python, &place)?;
    fs::remove_dir_all(place.join("staged")).map_err(|e| format!("{}: {e}", place.display()))?;
    release::summed(&place, &zip.file_name().unwrap_or_default().to_string_lossy())
}

/// Returns the extension with the wheel inside: a file for *Install from Disk*.
fn extension(home: &Path, python: &Path, place: &Path) -> Result<PathBuf, String> {
    let staged = place.join("staged");
    let wheel = wheel(home, python, &staged.join("wheels"), "release")?;
    let wheel = wheel.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = home.join("blender");
    let mut parts = vec!["blender_manifest.toml".to_owned(), "wheels".to_owned()];
    for entry in fs::read_dir(&source).map_err(sh::error_at(&source))?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.ends_with(".py") {
            sh::copy(&source.join(&name), &staged.join(&name))?;
            parts.push(name);
        }
    }
    parts.sort();
    let manifest = sh::read_text(&source.join("blender_manifest.toml"))?;
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => other,
    };
    let platform = format!("{}-{machine}", std::env::consts::OS);
    let filled = manifest
        .replace("platforms = []", &format!("platforms = [{platform:?}]"))
        .replace("wheels = []", &format!("wheels = [{:?}]", format!("./wheels/{wheel}")));
    sh::write(&staged.join("blender_manifest.toml"), filled)?;
    let version = wheel.split('-').nth(1).ok_or("the wheel has no version")?;
    if !manifest.contains(&format!("\nversion = {version:?}")) {
        return Err(format!("blender_manifest.toml is not of version {version}"));
    }
    let zip = place.join(format!("meshwright-blender-{version}-{platform}.zip"));
    let mut pack = Command::new(python);
    sh::run(pack.args(["-m", "zipfile", "-c"]).arg(&zip).args(&parts).current_dir(&staged))?;
    Ok(zip)
}

//! `xtask conformance` and `xtask witness`: other programs, which confirm what Meshwright reads and writes.

use crate::fixtures;
use crate::sh::{self, Given};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub(crate) fn conformance(root: &Path) -> Result<(), String> {
    let program = crate::program(root, "meshwright", "dev")?;
    let corpus = corpus(root);
    if Command::new("python3").arg("--version").output().is_err() {
        sh::skipped("python3 is not here, for the suite")?;
    } else {
        sh::run(&mut script(root, "run.py", &program))?;
        corpus.iter().try_for_each(|folder| sh::run(script(root, "corpus.py", &program).arg(folder)))?;
    }
    corpus.iter().try_for_each(|folder| {
        let mut tests = sh::cargo_command(root);
        tests.env("MESHWRIGHT_CORPUS", folder).env("MESHWRIGHT_REQUIRE", "1");
        sh::run(tests.args(["test", "--workspace", "--all-features", "--locked", "--test", "corpus"]))
    })
}

/// Returns the corpus of real models, if it is here.
fn corpus(root: &Path) -> Option<PathBuf> {
    let named = std::env::var_os("MESHWRIGHT_CORPUS").map(PathBuf::from);
    let corpus = named.unwrap_or_else(|| root.join("../shared/corpus"));
    Some(corpus).filter(|folder| folder.join("manifest.json").is_file())
}

/// Returns a Python script of the conformance suite, which runs the program.
fn script(root: &Path, name: &str, program: &Path) -> Command {
    let mut python = Command::new("python3");
    python.arg(root.join("xtask/conformance").join(name)).arg("--program").arg(program);
    python
}

pub(crate) fn darkplaces(root: &Path, given: &Given) -> Result<(), String> {
    let why = "the DarkPlaces engine cannot run here (on Debian: darkplaces-server)";
    witness(root, formats(root, given), "darkplaces.py", None, why)
}

pub(crate) fn raylib(root: &Path, given: &Given) -> Result<(), String> {
    witness(root, formats(root, given), "raylib_poses.py", None, "raylib is not here (pip install raylib)")
}

pub(crate) fn kaitai(root: &Path, given: &Given) -> Result<(), String> {
    let modules = ["kaitai-struct-compiler", "js-yaml"].map(|package| sh::node_modules(root, package));
    let [Some(modules), Some(_)] = modules else {
        return sh::skipped("node or the packages kaitai-struct-compiler and js-yaml are not here");
    };
    let why = "kaitaistruct is not here (pip install kaitaistruct)";
    witness(root, folders(root, given), "kaitai.py", Some(&modules), why)
}

pub(crate) fn gltf_check(root: &Path, given: &Given) -> Result<(), String> {
    let why = "node or the package gltf-validator is not here";
    let Some(modules) = sh::node_modules(root, "gltf-validator") else { return sh::skipped(why) };
    witness(root, folders(root, given), "gltf_check.py", Some(&modules), why)
}

pub(crate) fn names(root: &Path, given: &Given) -> Result<(), String> {
    let why = "on Debian: file, shared-mime-info, libglib2.0-bin";
    witness(root, folders(root, given), "names.py", None, why)
}

/// Returns the folders that are named, or the fixtures and the corpus.
fn folders(root: &Path, given: &Given) -> Vec<PathBuf> {
    if given.files.is_empty() {
        [Some(root.join("testdata")), corpus(root)].into_iter().flatten().collect()
    } else {
        given.files.clone()
    }
}

/// Returns the folders that are named, or those of DPM, ZYM and IQM in the fixtures and the corpus.
fn formats(root: &Path, given: &Given) -> Vec<PathBuf> {
    if !given.files.is_empty() {
        return given.files.clone();
    }
    let formats = |folder: PathBuf| ["dpm", "zym", "iqm"].map(|format| folder.join(format));
    folders(root, given).into_iter().flat_map(formats).filter(|folder| folder.is_dir()).collect()
}

/// Runs a script that compares what another program finds in folders with the output of `meshwright`. Its exit status 3 means
/// that `why` it cannot run.
fn witness(
    root: &Path,
    folders: Vec<PathBuf>,
    name: &str,
    modules: Option<&Path>,
    why: &str,
) -> Result<(), String> {
    let mut script = script(root, name, &crate::program(root, "meshwright", "dev")?);
    if let Some(modules) = modules {
        let out = root.join("target").join(name.trim_end_matches(".py"));
        script.arg("--modules").arg(modules).arg("--out").arg(out);
    }
    let status = script.args(folders).status().map_err(|e| format!("python3: {e}"))?;
    match status.code() {
        Some(0) => Ok(()),
        Some(3) => sh::skipped(why),
        _ => Err(format!("{name}: {status}")),
    }
}

/// The script that calls the Khronos validator.
const VALIDATOR: &str = include_str!("validator.mjs");

pub(crate) fn validator(root: &Path, given: &Given) -> Result<(), String> {
    let Some(modules) = sh::node_modules(root, "gltf-validator") else {
        return sh::skipped("node or the validator's package is not here");
    };
    let program = crate::program(root, "meshwright", "dev")?;
    let out = root.join("target/glb");
    sh::empty(&out)?;
    for influences in ["4", "all"] {
        let mut convert = Command::new(&program);
        convert.args(["convert", "--quiet", "--to", "glb", "--influences", influences]);
        convert.arg("-o").arg(out.join(influences)).args(folders(root, given));
        // Some models are refused, others have findings.
        let status = convert.stderr(Stdio::null()).status().map_err(|e| e.to_string())?;
        if !matches!(status.code(), Some(0 | 1 | 3)) {
            return Err(format!("convert: {status}"));
        }
    }
    let written: Vec<_> = fixtures::walk(&out).map_err(sh::error_at(&out))?.into_iter().collect();
    let validated = written.chunks(40).map(|batch| {
        let mut node = Command::new("node");
        node.env("NODE_MODULES", &modules).args(["--input-type=module", "--eval", VALIDATOR, "--"]);
        sh::output(node.args(batch)).err()
    });
    let bad: Vec<_> = validated.flatten().collect();
    println!("{} GLBs validated", written.len());
    match (written.len(), bad.as_slice()) {
        (0, _) => Err("no model was exported".into()),
        (_, []) => Ok(()),
        (_, bad) => Err(bad.join("\n")),
    }
}

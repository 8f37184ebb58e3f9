//! Proofs are run: a test that is named for a promise passes here and now, or says why it could not run.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use xtask::{sh, workflows};

/// What became of the proofs.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) passed: usize,
    /// Tests that could not run here, and why.
    pub(super) not_run: Vec<String>,
    pub(super) broken: Vec<String>,
}

/// Runs every proof that is a test. A verb is run by the workflows, which is checked.
pub(super) fn run(root: &Path, proofs: &BTreeSet<&str>) -> Result<Outcome, String> {
    let mut outcome = Outcome::default();
    outcome.broken.extend(contracts(root)?);
    // By the program of tests, the tests that are named; none for all.
    let mut wanted: BTreeMap<PathBuf, Vec<Proof<'_>>> = BTreeMap::new();
    let programs = programs(root)?;
    for proof in proofs {
        if let Some(verb) = proof.strip_prefix("xtask ") {
            if !xtask::VERBS.iter().any(|v| v.name == verb) || !workflows::runs(root, verb)? {
                outcome.broken.push(format!("{proof}: no workflow runs it"));
            }
            continue;
        }
        let (file, test) = proof.split_once(": ").map_or((*proof, None), |(file, test)| (file, Some(test)));
        match program(&programs, root, file) {
            Some(program) => {
                let module = module(&programs[&program], &root.join(file));
                wanted.entry(program).or_default().push(Proof { named: proof, module, test });
            }
            None => outcome.broken.push(format!("{proof}: there is no such proof")),
        }
    }
    for (program, proofs) in wanted {
        tests(&program, &programs[&program], &proofs, &mut outcome)?;
    }
    Ok(outcome)
}

/// Every published library states its part of the contract.
fn contracts(root: &Path) -> Result<Vec<String>, String> {
    let mut missing = Vec::new();
    for package in sh::packages(root)?.iter().filter(|p| !p["publish"].is_array()) {
        let lib =
            Path::new(package["manifest_path"].as_str().unwrap_or_default()).with_file_name("src/lib.rs");
        let program = package["name"] == "meshwright-cli";
        if !program && fs::read_to_string(&lib).is_ok_and(|text| !text.contains("//! # Safety contract")) {
            missing.push(format!("{}: no safety contract", lib.display()));
        }
    }
    Ok(missing)
}

/// A program of tests: the file that it begins with.
type Programs = BTreeMap<PathBuf, PathBuf>;

/// Builds all tests, as `xtask test` does.
fn programs(root: &Path) -> Result<Programs, String> {
    let mut cargo = sh::cargo_command(root);
    cargo.args(["test", "--workspace", "--all-features", "--locked", "--no-run", "--quiet"]);
    cargo.arg("--message-format=json");
    let said = sh::output(&mut cargo)?;
    let messages = said.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let tests = messages.filter(|m| m["profile"]["test"] == true);
    let programs = tests.filter_map(|m| {
        let (program, source) = (m["executable"].as_str()?, m["target"]["src_path"].as_str()?);
        Some((program.into(), source.into()))
    });
    Ok(programs.collect())
}

/// Tests that prove a promise.
struct Proof<'a> {
    /// As the promise names it.
    named: &'a str,
    /// The module of a program of tests that they are in.
    module: Option<String>,
    /// One of them, or all.
    test: Option<&'a str>,
}

impl Proof<'_> {
    fn includes(&self, name: &str) -> bool {
        let of_module = |m: &String| name.strip_prefix(m.as_str()).is_some_and(|rest| rest.starts_with("::"));
        self.module.as_ref().is_none_or(of_module)
            && self.test.is_none_or(|test| name.rsplit("::").next() == Some(test))
    }
}

/// The module that a file of integration tests is.
fn module(source: &Path, file: &Path) -> Option<String> {
    let inside = file.strip_prefix(source.with_file_name("")).ok()?.with_extension("");
    source.ends_with(SUITE).then(|| inside.to_string_lossy().replace('/', "::"))
}

/// The file that a crate's program of integration tests begins with.
const SUITE: &str = "tests/suite.rs";

/// The program that runs the tests in a file: that of the crate's integration tests, or of its library.
fn program(programs: &Programs, root: &Path, file: &str) -> Option<PathBuf> {
    let path = root.join(file);
    path.is_file().then_some(())?;
    let of = |source: &Path| {
        programs.iter().find(|(_, begins)| *begins == source).map(|(program, _)| program.clone())
    };
    path.ancestors().find_map(|folder| of(&folder.join("lib.rs")).or_else(|| of(&folder.join(SUITE))))
}

/// Runs tests of one program.
fn tests(program: &Path, source: &Path, proofs: &[Proof<'_>], outcome: &mut Outcome) -> Result<(), String> {
    let listed = sh::output(Command::new(program).args(["--list", "--format", "terse"]))?;
    let listed = String::from_utf8_lossy(&listed);
    let all: Vec<_> = listed.lines().filter_map(|line| line.strip_suffix(": test")).collect();
    let mut chosen = BTreeSet::new();
    for proof in proofs {
        let found: Vec<_> = all.iter().copied().filter(|name| proof.includes(name)).collect();
        if found.is_empty() {
            outcome.broken.push(format!("{}: there is no such test", proof.named));
        }
        chosen.extend(found);
    }
    if chosen.is_empty() {
        return Ok(());
    }
    // Where cargo runs them.
    let package = source.ancestors().find(|folder| folder.join("Cargo.toml").is_file()).unwrap_or(source);
    let mut command = Command::new(program);
    let ran = command.current_dir(package).arg("--exact").args(&chosen).output();
    let ran = ran.map_err(|e| format!("{}: {e}", program.display()))?;
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    judged(&source.display().to_string(), &chosen, &out, &err, outcome);
    Ok(())
}

/// What the harness says of the tests that were to run.
fn judged(source: &str, chosen: &BTreeSet<&str>, out: &str, err: &str, outcome: &mut Outcome) {
    for test in chosen {
        let short = test.rsplit("::").next().unwrap_or(test);
        let of_it =
            |line: &&str| line.split(": ").nth(1).is_some_and(|name| name.rsplit("::").next() == Some(short));
        // Behind the name it may say that the test should panic.
        let said = |line: &str| {
            line.strip_prefix(&format!("test {test} ")).is_some_and(|rest| rest.ends_with("... ok"))
        };
        let passed = out.lines().any(said);
        match err.lines().filter(|line| line.starts_with("skipped: ")).find(of_it) {
            _ if !passed => outcome.broken.push(format!("{source}: {test} does not pass")),
            Some(skipped) => outcome.not_run.push(format!("{source}: {skipped}")),
            None => outcome.passed += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_did_not_run_proves_nothing() {
        let out = "running 3 tests\ntest a ... ok\ntest m::b ... ok\ntest p - should panic ... ok\ntest c ... FAILED\n";
        let err = "skipped: t::m::b: nothing can be mounted here\nskipped: other files: no corpus\n";
        let mut outcome = Outcome::default();
        judged("t.rs", &BTreeSet::from(["a", "m::b", "c", "d", "p"]), out, err, &mut outcome);
        assert_eq!(outcome.passed, 2);
        assert_eq!(outcome.not_run, ["t.rs: skipped: t::m::b: nothing can be mounted here"]);
        assert_eq!(outcome.broken, ["t.rs: c does not pass", "t.rs: d does not pass"]);
    }
}

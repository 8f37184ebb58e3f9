//! `xtask reliability [--check] [--count N]`: docs/reliability.md, promises beside their proofs and the last figures.
//!
//! `--check` compares the promises alone, and that the proofs are there: figures depend on machine and moment.

use crate::{conformance, json, mutants, readme, value};
use lexopt::{Arg, Parser};
use meshwright_testkit::corpus;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use xtask::sh;

/// What is promised, and where it is proved: a verb, or a file with a test in it.
const PROMISES: &[(&str, &[&str])] = &[
    (
        "any bytes give a model or an error, never a panic, overflow or hang",
        &[
            "crates/meshwright/tests/exhaustive.rs: every_small_change_of_every_fixture_is_answered",
            "crates/meshwright/tests/mutants.rs: broken_fixtures",
            "crates/meshwright/tests/fuzz.rs: kept_inputs_keep_the_promises",
            "crates/gltf/tests/hostile.rs: every_value_of_the_document_may_be_any_other",
            "xtask exhaustive",
            "xtask mutants",
            "xtask fuzz",
        ],
    ),
    (
        "what parses is written, and reading that gives the same model and the same bytes",
        &[
            "crates/meshwright/tests/exhaustive.rs: every_small_change_of_every_fixture_is_answered",
            "crates/meshwright/tests/fuzz.rs: seeds_come_back",
            "xtask conformance",
        ],
    ),
    (
        "compressed blocks are decoded as a strict decoder would, or refused",
        &["crates/crucible/tests/lz4_hostile.rs: every_decoder_answers_the_same"],
    ),
    (
        "the unsafe kernels touch nothing but what they were given",
        &["crates/rig/tests/memory.rs: every_small_mesh_in_memory_of_its_size", "xtask asan"],
    ),
    (
        "the same results in every build and on every machine",
        &["xtask profiles", "xtask glam-assert", "xtask miri", "xtask emulated", "xtask minimal"],
    ),
    (
        "every truncation is an error, unless the cut falls behind the last byte needed",
        &[
            "crates/bmd/tests/laws.rs",
            "crates/crucible/tests/laws.rs",
            "crates/dpm/tests/laws.rs",
            "crates/fsomodel/tests/laws.rs",
            "crates/tso/tests/laws.rs",
        ],
    ),
    (
        "an error has a code, a field path and an offset inside the field that is broken",
        &["xtask conformance", "crates/tso/tests/offsets.rs"],
    ),
    (
        "memory stays within what was charged, and in proportion to the file",
        &[
            "crates/meshwright/tests/exhaustive.rs: every_small_change_of_every_fixture_is_answered",
            "crates/meshwright/tests/memory.rs: opening_takes_memory_in_proportion_to_the_file",
        ],
    ),
    (
        "bombs are defused within seconds on a stack of 256 KiB",
        &["crates/meshwright/tests/memory.rs: bombs_stay_within_limits_on_a_small_stack"],
    ),
    (
        "an output appears complete or not at all: full disk, read-only file system, file-size limit",
        &[
            "crates/cli/tests/faults.rs: a_full_disk_leaves_the_old_files",
            "crates/cli/tests/faults.rs: a_read_only_file_system_is_left_alone",
            "crates/cli/tests/faults.rs: a_limit_on_file_sizes_leaves_the_old_files",
            "crates/cli/tests/hostile.rs: a_full_device_is_an_error",
        ],
    ),
    (
        "a run that is interrupted or killed leaves the old files, and the next run finds the folder tidy",
        &[
            "crates/cli/tests/faults.rs: a_run_that_is_ended_at_any_moment_leaves_old_or_whole_files",
            "crates/cli/tests/faults.rs: what_a_killed_run_left_is_removed_and_what_a_living_one_needs_is_not",
            "crates/cli/tests/hostile.rs: a_signal_leaves_no_temporary_file",
        ],
    ),
    (
        "readers see nothing, the old or the whole, whoever writes; runs into one folder do not disturb each other",
        &[
            "crates/cli/tests/faults.rs: readers_see_nothing_old_or_whole_while_eight_write",
            "crates/cli/tests/faults.rs: runs_into_one_folder_give_what_one_gives",
        ],
    ),
    (
        "an input is never replaced, whatever link leads to it",
        &[
            "crates/cli/tests/faults.rs: no_way_to_an_input_makes_it_an_output",
            "crates/cli/tests/hostile.rs: what_was_found_beside_a_model_is_an_input_too",
        ],
    ),
    (
        "names inside models are no paths, and links below an output folder lead nowhere",
        &[
            "crates/cli/tests/faults.rs: names_inside_a_model_are_no_paths",
            "crates/cli/tests/faults.rs: links_inside_an_output_folder_lead_nowhere",
            "crates/cli/src/names.rs: names_cannot_leave_their_folder",
        ],
    ),
    (
        "names reach neither terminal nor JSON unescaped",
        &["crates/cli/tests/hostile.rs: names_cannot_drive_a_terminal_and_reach_json_whole"],
    ),
    (
        "no build script, no network, no crate that nobody decided on; licences, duplicates, advisories",
        &["xtask supply", "xtask deny"],
    ),
];

struct Options {
    check: bool,
    /// How many mutants are tried.
    count: u64,
}

impl Options {
    fn new(mut words: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self { check: false, count: 20_000 };
        while let Some(word) = words.next()? {
            match word {
                Arg::Long("check") => options.check = true,
                Arg::Long("count") => options.count = value(&mut words)?,
                _ => return Err(word.unexpected()),
            }
        }
        Ok(options)
    }
}

pub(crate) fn run(root: &Path, words: Parser) -> Result<(), String> {
    let options = Options::new(words).map_err(|e| e.to_string())?;
    let path = root.join("docs/reliability.md");
    let old = fs::read_to_string(&path).map_err(|e| format!("docs/reliability.md: {e}"))?;
    proofs_exist(root)?;
    let mut new = readme::replace(&old, "promises", &promises())?;
    if options.check {
        return match new == old {
            true => Ok(()),
            false => {
                Err("docs/reliability.md is out of date: run `cargo run -p xtask -- reliability`".into())
            }
        };
    }
    new = readme::replace(&new, "figures", &figures(root, options.count)?)?;
    fs::write(&path, new).map_err(|e| e.to_string())
}

fn promises() -> String {
    let mut table = String::from("| promise | proof |\n|---|---|\n");
    for (promise, proofs) in PROMISES {
        let proofs: Vec<_> = proofs.iter().map(|p| format!("`{p}`")).collect();
        table.push_str(&format!("| {promise} | {} |\n", proofs.join("<br>")));
    }
    table
}

/// A proof that was renamed or deleted proves nothing; and every crate states its part of the contract.
fn proofs_exist(root: &Path) -> Result<(), String> {
    for package in sh::packages(root)?.iter().filter(|p| !p["publish"].is_array()) {
        let lib =
            Path::new(package["manifest_path"].as_str().unwrap_or_default()).with_file_name("src/lib.rs");
        if fs::read_to_string(&lib).is_ok_and(|text| !text.contains("//! # Safety contract")) {
            return Err(format!("{}: no safety contract", lib.display()));
        }
    }
    for proof in PROMISES.iter().flat_map(|p| p.1) {
        let missing = || format!("{proof}: there is no such proof");
        if let Some(verb) = proof.strip_prefix("xtask ") {
            xtask::VERBS.iter().find(|v| v.name == verb).ok_or_else(missing)?;
            continue;
        }
        let (file, test) = proof.split_once(": ").map_or((*proof, None), |(file, test)| (file, Some(test)));
        let source = fs::read_to_string(root.join(file)).map_err(|_| missing())?;
        let found = test.map_or_else(|| "#[test]".into(), |test| format!("fn {test}("));
        if !source.contains(&found) {
            return Err(missing());
        }
    }
    Ok(())
}

fn figures(root: &Path, count: u64) -> Result<String, String> {
    let mut table = String::from("| measured | figure |\n|---|---|\n");
    let mut row = |what: &str, figure: String| table.push_str(&format!("| {what} | {figure} |\n"));
    row("fixtures tried", mutants::subjects(&root.join("testdata")).to_string());
    if let Some(corpus) = corpus() {
        conformance::own()?;
        let cases = json::list(&corpus.join("malformed/cases.json"))?;
        row("files of the corpus tried", mutants::subjects(&corpus).to_string());
        row("malformed cases with the listed result", cases.len().to_string());
    } else {
        row("files of the corpus tried", "not beside the project".into());
    }
    let options = mutants::Options { count, jobs: 2, ..mutants::Options::default() };
    let tried = mutants::tried(root, &options)?;
    row("mutants through everything, from number 0 on; failures", format!("{tried}; 0"));
    row("every small change of every fixture, none left out; failures", format!("{}; 0", exhaustive(root)?));
    row("peak heap while opening, bytes per byte of an uncompressed file above 30 kB", heap(root)?);
    table.push_str(&fuzz_runs(&root.join("crates/fuzz/runs.tsv"))?);
    Ok(table)
}

/// How many mutants the exhaustive test has tried.
fn exhaustive(root: &Path) -> Result<String, String> {
    let said = sh::output(&mut xtask::builds::exhaustive(root))?;
    let said = String::from_utf8_lossy(&said);
    let tried = said.lines().find_map(|line| line.split_once(" mutants of ")).map(|(n, _)| n.to_owned());
    tried.ok_or_else(|| "the exhaustive test prints no figure".into())
}

/// What the memory test measures with its counting allocator.
fn heap(root: &Path) -> Result<String, String> {
    let mut command = sh::cargo_command(root);
    command.args(["test", "--quiet", "--locked", "-p", "meshwright", "--all-features", "--test"]);
    command.args(["memory", "opening_takes_memory_in_proportion_to_the_file", "--", "--nocapture"]);
    let said = sh::output(&mut command)?;
    let said = String::from_utf8_lossy(&said);
    let figure = said.lines().find_map(|line| line.split_once("at most ")).map(|(_, rest)| rest);
    let word = figure.and_then(|rest| rest.split_whitespace().next());
    word.map(|w| format!("at most {w}")).ok_or_else(|| "the memory test prints no figure".into())
}

/// Executions and findings by target, as the fuzz verb keeps them.
fn fuzz_runs(path: &Path) -> Result<String, String> {
    let text = fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut lines = text.lines();
    let header: Vec<_> = lines.next().unwrap_or_default().split('\t').collect();
    let column = |name: &str| {
        header.iter().position(|h| *h == name).ok_or_else(|| format!("{}: no column {name}", path.display()))
    };
    let columns = [column("target")?, column("mode")?, column("executions")?, column("findings")?];
    // Executions without sanitizer, under it, and findings.
    let mut targets: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    for line in lines.filter(|l| !l.is_empty()) {
        let cells: Vec<_> = line.split('\t').collect();
        let [target, mode, executions, findings] = columns.map(|c| cells.get(c).copied().unwrap_or_default());
        let number = |text: &str| text.parse::<u64>().map_err(|_| format!("{}: {line:?}", path.display()));
        let [plain, asan, found] = targets.entry(target).or_default();
        *(if mode == "asan" { asan } else { plain }) += number(executions)?;
        *found += number(findings)?;
    }
    let mut table = String::from(
        "\n| fuzz target | executions | with the address sanitizer | findings |\n|---|---:|---:|---:|\n",
    );
    for (target, [plain, asan, found]) in targets {
        table.push_str(&format!("| `{target}` | {plain} | {asan} | {found} |\n"));
    }
    Ok(table)
}

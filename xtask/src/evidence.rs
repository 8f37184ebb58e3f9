//! `xtask evidence [--seconds N] [--seed N] [--keep N]`: the figures of docs/promises.md, from one run of a stated time.
//!
//! Random inputs for every target, every small change of every fixture, and how much of the code that reads files these
//! random inputs execute. The whole block of figures is replaced; what was not run is not in it.

use crate::random::{Build, Options, Program, Ran};
use crate::sh::{self, Given};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

const PAGE: &str = "docs/promises.md";
/// Sources that read what a file says: those whose path contains one of these, below `crates`.
const READERS: &[&str] =
    &["/read.rs", "/src/read/", "core/src/", "files/src/", "gltf/src/document/", "gltf/src/import/"];

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let options = Options::new(given)?;
    let said = |program: &str, words: &[&str]| {
        sh::output_text(Command::new(program).args(words).current_dir(root)).unwrap_or_default()
    };
    let head = format!(
        "Made by `cargo run -p xtask -- evidence --seconds {}` on {}: version {}, commit {}, {}, {}, {} jobs, seed {}.",
        options.seconds,
        said("date", &["-u", "+%F"]),
        sh::packages(root)?.first().map(|p| sh::text(&p["version"]).to_owned()).unwrap_or_default(),
        said("git", &["describe", "--always", "--dirty", "--exclude", "*"]),
        said("rustc", &["-V"]),
        sh::machine(),
        options.jobs,
        options.seed,
    );
    let tools = tools(root)?;
    let program = Program::build(root, if tools.is_some() { Build::Coverage } else { Build::Plain })?;
    let ran = program.fuzz(&options)?;
    let load = format!(
        " The load average of the 15 minutes before the end of the random inputs was {}.",
        sh::load(2)
    );
    if options.keep > 0 {
        program.keep(options.keep)?;
    }
    let lines = tools.map(|tools| coverage(root, &program, &tools)).transpose()?;
    if lines.is_none() {
        sh::skipped("llvm-tools are not here (rustup component add llvm-tools), for coverage")?;
    }
    if let Some(idle) = ran.iter().find(|ran| ran.executions == 0) {
        return Err(format!("{} was not run once: the time is too short", idle.target));
    }
    let mut text = format!("{head}{load}\n\n| measured | figure |\n|---|---:|\n");
    let all = ran.iter().map(|r| r.executions).sum();
    let broken: Vec<_> = ran.iter().filter(|r| r.failed).map(|r| r.target.as_str()).collect();
    text += &format!("| random inputs for {} targets | {} |\n", ran.len(), grouped(all));
    text += &format!("| of these, targets with an input that broke a promise | {} |\n", broken.len());
    let more = table(&ran) + &lines.as_ref().map(covered).unwrap_or_default();
    // The next figure needs another build; these are written before it.
    write(root, &format!("{text}{more}"))?;
    let start = Instant::now();
    let changes = exhaustive(root)?;
    let seconds = start.elapsed().as_secs();
    text += &format!(
        "| every small change of every fixture, in {seconds} s; none broke a promise | {changes} |\n"
    );
    write(root, &format!("{text}{more}"))?;
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("see crates/fuzz/artifacts for {}", broken.join(", ")))
    }
}

/// Puts the figures into the page.
fn write(root: &Path, text: &str) -> Result<(), String> {
    let path = root.join(PAGE);
    sh::write(&path, sh::replace_block(&sh::read_text(&path)?, "figures", text)?)
}

/// Returns a number with its digits in threes.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let places = digits.char_indices().map(|(i, c)| ((digits.len() - i).is_multiple_of(3) && i > 0, c));
    places.flat_map(|(mark, c)| mark.then_some(',').into_iter().chain([c])).collect()
}

/// Returns executions by kind of file and action; a pair without a target has an empty cell.
fn table(ran: &[Ran]) -> String {
    let mut cells: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for ran in ran {
        let (action, kind) = ran.target.split_once('_').unwrap_or((&ran.target, ""));
        *cells.entry((kind, action)).or_default() += ran.executions;
    }
    let actions: BTreeSet<_> = cells.keys().map(|key| key.1).collect();
    let kinds: BTreeSet<_> = cells.keys().map(|key| key.0).collect();
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let names = actions.iter().map(|a| (*a).to_owned());
    let mut text = String::from("\nExecutions:\n\n");
    text += &row(std::iter::once(String::from("file")).chain(names).collect());
    text += &row(vec!["---:".into(); actions.len() + 1]);
    for kind in kinds {
        let figures =
            actions.iter().map(|action| cells.get(&(kind, *action)).map_or(String::new(), |n| grouped(*n)));
        text += &row(std::iter::once(format!("`{kind}`")).chain(figures).collect());
    }
    text
}

/// Returns the number of changes that the exhaustive test tries.
fn exhaustive(root: &Path) -> Result<String, String> {
    let said = sh::output_text(&mut sh::step(root, "targets exhaustive", &Given::default()))?;
    let tried = said.lines().find_map(|line| line.split_once(" mutants of")?.0.parse().ok());
    tried.map(grouped).ok_or_else(|| "the exhaustive test prints no figure".into())
}

/// Lines by crate: executed, and all.
type Lines = BTreeMap<String, (u64, u64)>;

/// Lines of the code that reads files which the inputs of the corpus execute.
fn coverage(root: &Path, program: &Program, [profdata, cov]: &[PathBuf; 2]) -> Result<Lines, String> {
    let counters = sh::target_dir(root).join("random/counters");
    program.replay(&counters)?;
    let merged = counters.join("merged.profdata");
    let raw = fs::read_dir(&counters).map_err(|e| e.to_string())?.filter_map(|e| Some(e.ok()?.path()));
    sh::run(Command::new(profdata).args(["merge", "-sparse"]).args(raw).arg("-o").arg(&merged))?;
    let mut export = Command::new(cov);
    export.args(["export", "--summary-only", "--instr-profile"]).arg(&merged).arg(program.path());
    let json: Value = serde_json::from_slice(&sh::output(&mut export)?).map_err(|e| e.to_string())?;
    let mut lines = Lines::new();
    let crates = root.join("crates");
    for file in json["data"][0]["files"].as_array().into_iter().flatten() {
        let Ok(path) = Path::new(sh::text(&file["filename"])).strip_prefix(&crates) else { continue };
        let path = path.to_string_lossy().replace('\\', "/");
        if READERS.iter().any(|part| path.contains(part)) {
            let count = |key: &str| file["summary"]["lines"][key].as_u64().unwrap_or(0);
            let sum = lines.entry(path.split('/').next().unwrap_or_default().to_owned()).or_default();
            *sum = (sum.0 + count("covered"), sum.1 + count("count"));
        }
    }
    Ok(lines)
}

/// `llvm-profdata` and `llvm-cov`: the toolchain's, or those that `LLVM_PROFDATA` and `LLVM_COV` name.
fn tools(root: &Path) -> Result<Option<[PathBuf; 2]>, String> {
    let sysroot =
        PathBuf::from(sh::output_text(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root))?);
    let folder = sysroot.join("lib/rustlib").join(sh::host()?).join("bin");
    let found = |name: &str| {
        let named = std::env::var_os(name.replace('-', "_").to_uppercase()).map(PathBuf::from);
        named.or_else(|| Some(folder.join(name)).filter(|path| path.is_file()))
    };
    Ok(found("llvm-profdata").zip(found("llvm-cov")).map(|(profdata, cov)| [profdata, cov]))
}

fn covered(lines: &Lines) -> String {
    let mut text = String::from(
        "\nLines of the code that reads files which these random inputs execute (`read.rs`, `read/`, all of core and files, \
         document and import of gltf):\n\n| crate | lines | executed |\n|---|---:|---:|\n",
    );
    let sum = lines.values().fold((0, 0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
    let all = [("all".to_owned(), sum)];
    for (name, (hit, count)) in lines.iter().map(|(k, v)| (k.clone(), *v)).chain(all) {
        let tenths = (hit * 1000).checked_div(count).unwrap_or(0);
        text += &format!("| {name} | {} | {}.{} % |\n", grouped(count), tenths / 10, tenths % 10);
    }
    text
}

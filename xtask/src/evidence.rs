//! `xtask evidence [--seconds N] [--seed N]`: the figures of docs/promises.md, from one run of a stated time.
//!
//! Random inputs for every target, every small change of every fixture, and how much of the code that reads files these
//! random inputs execute. The whole block of figures is replaced; what was not run is not in it.

use crate::random::{Build, Options, Program, Ran, verdict};
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
    let Some(tools) = tools(root)? else {
        return sh::skipped("llvm-tools are not here (rustup component add llvm-tools), for coverage");
    };
    let program = Program::build(root, Build::Coverage)?;
    let ran = program.fuzz(&options)?;
    let load = sh::load(2);
    let lines = coverage(root, &program, &tools)?;
    if let Some(idle) = ran.iter().find(|ran| ran.executions == 0) {
        return Err(format!("{} was not run once: the time is too short", idle.target));
    }
    let load = format!("The load average of the 15 minutes before the end of the random inputs was {load}.");
    let mut text = format!("{head} {load}\n\n| measured | figure |\n|---|---:|\n");
    let all = ran.iter().map(|r| r.executions).sum();
    text += &format!("| random inputs for {} targets | {} |\n", ran.len(), grouped(all));
    text += &format!(
        "| of these, targets with an input that broke a promise | {} |\n",
        ran.iter().filter(|r| r.failed).count()
    );
    let more = table(&ran) + &covered(&lines);
    // The next figure needs another build; these are written before it.
    write(root, &format!("{text}{more}"))?;
    let start = Instant::now();
    let said = sh::output_text(&mut sh::step(root, "targets exhaustive", &Given::default()))?;
    let tried = said.lines().find_map(|line| line.split_once(" mutants of")?.0.parse().ok());
    let changes = grouped(tried.ok_or("the exhaustive test prints no figure")?);
    let seconds = start.elapsed().as_secs();
    text += &format!(
        "| every small change of every fixture, in {seconds} s; none broke a promise | {changes} |\n"
    );
    write(root, &format!("{text}{more}"))?;
    verdict(&ran)
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
    let (kinds, actions): (BTreeSet<_>, BTreeSet<_>) = cells.keys().copied().unzip();
    let heads: String = actions.iter().map(|action| format!(" {action} |")).collect();
    let mut text = format!("\nExecutions:\n\n| file |{heads}\n|{}\n", " ---: |".repeat(actions.len() + 1));
    for kind in kinds {
        let figure = |action: &&str| cells.get(&(kind, *action)).map_or(String::new(), |n| grouped(*n));
        let figures: String = actions.iter().map(|action| format!(" {} |", figure(action))).collect();
        text += &format!("| `{kind}` |{figures}\n");
    }
    text
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

//! The figures of docs/reliability.md: measured, kept beside the hash of the code that they were measured on, and shown as
//! stale when that has changed.

use crate::code::Code;
use crate::fuzz::{self, runs};
use crate::{commands, conformance, json, mutants};
use meshwright_testkit::corpus;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use xtask::sh;

/// Where figures are kept: what, figure, hash of the code.
const KEPT: &str = "crates/lab/figures.tsv";

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counts {
    pub(super) mutants: u64,
    pub(super) commands: u64,
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Figure {
    what: String,
    figure: String,
    code: String,
}

/// Measures everything anew, and keeps it.
pub(super) fn measure(root: &Path, counts: Counts) -> Result<(), String> {
    let code = Code::of(root)?.hash(None);
    let mut text = String::new();
    let mut row = |what: &str, figure: String| text.push_str(&format!("{what}\t{figure}\t{code}\n"));
    row("fixtures tried", mutants::subjects(&root.join("testdata")).to_string());
    if let Some(corpus) = corpus() {
        conformance::own()?;
        let cases = json::list(&corpus.join("malformed/cases.json"))?;
        row("files of the corpus tried", mutants::subjects(&corpus).to_string());
        row("malformed cases with the listed result", cases.len().to_string());
    } else {
        row("files of the corpus tried", "not beside the project".into());
    }
    let options = mutants::Options { count: counts.mutants, jobs: 2, ..mutants::Options::default() };
    let tried = mutants::tried(root, &options)?;
    row("mutants through the library, from number 0 on; failures", format!("{tried}; 0"));
    let options = commands::Options { count: counts.commands, ..commands::Options::default() };
    let run = commands::tried(&options)?;
    row(
        "mutants with companions and pictures, from number 0 on, through the program; commands; failures",
        format!("{}; {}; 0", run.mutants, run.commands),
    );
    row(
        "the slowest of these commands; the most memory of one",
        format!("{:.1} s; {} MiB", run.slowest, run.largest >> 20),
    );
    row("every small change of every fixture, none left out; failures", format!("{}; 0", exhaustive(root)?));
    row("peak heap while opening, bytes per byte of an uncompressed file above 30 kB", heap(root)?);
    fs::write(root.join(KEPT), text).map_err(|e| format!("{KEPT}: {e}"))
}

/// The tables as they are true of the code that lies there, and what in them is stale.
pub(super) fn tables(root: &Path) -> Result<(String, Vec<String>), String> {
    let code = Code::of(root)?;
    let kept = kept(&fs::read_to_string(root.join(KEPT)).map_err(|e| format!("{KEPT}: {e}"))?)?;
    let runs = runs::read(&root.join(fuzz::RUNS))?;
    let (mut text, mut stale) = measured(&kept, &code.hash(None));
    let (more, never) = fuzzed(&runs, &fuzz::hashes(&code));
    text.push_str(&more);
    stale.extend(never);
    Ok((text, stale))
}

fn kept(text: &str) -> Result<Vec<Figure>, String> {
    let figure = |line: &str| match *line.split('\t').collect::<Vec<_>>().as_slice() {
        [what, figure, code] => Ok(Figure { what: what.into(), figure: figure.into(), code: code.into() }),
        _ => Err(format!("{KEPT}: {line:?} is no figure")),
    };
    text.lines().map(figure).collect()
}

fn measured(figures: &[Figure], now: &str) -> (String, Vec<String>) {
    let mut table = String::from("| measured | figure | on code |\n|---|---|---|\n");
    let mut stale = Vec::new();
    for Figure { what, figure, code } in figures {
        let state = if code == now { "as it is" } else { "stale" };
        table.push_str(&format!("| {what} | {figure} | `{code}`, {state} |\n"));
        if code != now {
            stale.push(what.clone());
        }
    }
    (table, stale)
}

/// Executions and findings by target: on its code as it is, and on other code.
fn fuzzed(table: &runs::Table, hashes: &BTreeMap<String, String>) -> (String, Vec<String>) {
    let mut text = String::from(
        "\n| fuzz target | executions | with the address sanitizer | findings | on code | on other code |\n\
         |---|---:|---:|---:|---|---:|\n",
    );
    let mut stale = Vec::new();
    for (target, code) in hashes {
        let (mut now, mut before) = ([0_u64; 3], 0_u64);
        for (key, run) in table.iter().filter(|(key, _)| key.target == *target) {
            if key.code == *code {
                now[usize::from(key.mode == "asan")] += run.executions;
                now[2] += run.findings;
            } else {
                before += run.executions;
            }
        }
        // A hash that nothing was run on would have to change with every line of code.
        let code = if now[0] > 0 { format!("`{code}`") } else { "stale".to_owned() };
        if now[0] == 0 {
            stale.push(format!("fuzz target {target}"));
        }
        text.push_str(&format!(
            "| `{target}` | {} | {} | {} | {code} | {before} |\n",
            now[0], now[1], now[2]
        ));
    }
    (text, stale)
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
    command.args(["suite", "memory::opening_takes_memory_in_proportion_to_the_file", "--", "--nocapture"]);
    let said = sh::output(&mut command)?;
    let said = String::from_utf8_lossy(&said);
    let figure = said.lines().find_map(|line| line.split_once("at most ")).map(|(_, rest)| rest);
    let word = figure.and_then(|rest| rest.split_whitespace().next());
    word.map(|w| format!("at most {w}")).ok_or_else(|| "the memory test prints no figure".into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use runs::{Key, Runs};

    #[test]
    fn figures_of_other_code_are_stale() {
        let figures = kept("mutants\t5; 0\taaa\nheap\t1.05\tbbb\n").unwrap();
        let (table, stale) = measured(&figures, "aaa");
        assert!(table.contains("| mutants | 5; 0 | `aaa`, as it is |\n"), "{table}");
        assert!(table.contains("| heap | 1.05 | `bbb`, stale |\n"), "{table}");
        assert_eq!(stale, ["heap"]);
        assert!(kept("no figure\n").is_err());
    }

    #[test]
    fn runs_count_on_their_own_code_only() {
        let key =
            |mode: &str, code: &str| Key { target: "parse_a".into(), mode: mode.into(), code: code.into() };
        let run = |executions| Runs { executions, ..Runs::default() };
        let hashes = BTreeMap::from([("parse_a".to_owned(), "now".to_owned())]);
        let old = runs::Table::from([(key("plain", "old"), run(7)), (key("asan", "old"), run(2))]);
        let (text, stale) = fuzzed(&old, &hashes);
        assert!(text.ends_with("| `parse_a` | 0 | 0 | 0 | stale | 9 |\n"), "{text}");
        assert_eq!(stale, ["fuzz target parse_a"]);
        let both =
            old.into_iter().chain([(key("plain", "now"), run(5)), (key("asan", "now"), run(3))]).collect();
        let (text, stale) = fuzzed(&both, &hashes);
        assert!(text.ends_with("| `parse_a` | 5 | 3 | 0 | `now` | 9 |\n"), "{text}");
        assert!(stale.is_empty());
    }
}

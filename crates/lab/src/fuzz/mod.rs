//! `xtask fuzz`: the targets of `crates/fuzz`, each for some time or some executions.
//!
//! The programs are optimised, with debug assertions and overflow checks; with `--asan` they run under the address
//! sanitizer. Parsers run by the million, and look for new edges only, which is fast; what is slow anyway is guided by how
//! often an edge is taken as well. All share one corpus below the target folder.

pub(crate) mod runs;
#[path = "../../../fuzz/src/seeds.rs"]
#[allow(clippy::unwrap_used, reason = "without fixtures there is nothing to do")]
mod seeds;
#[path = "../../../fuzz/src/targets.rs"]
#[allow(dead_code, unreachable_pub, reason = "a library elsewhere")]
mod targets;

use crate::code::Code;
use crate::kinds::Kind;
use crate::mutants::exercise;
use crate::value;
use lexopt::{Arg, Parser};
use meshwright::{Format, Visitor};
use meshwright_testkit::{corpus, testdata};
use runs::{Key, Runs};
use std::collections::{BTreeMap, VecDeque};
use std::env;
use std::fs;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use targets::{Action, Input, Target};
use xtask::sh;

/// How the programs are built and run.
struct Mode {
    name: &'static str,
    sanitizer: &'static str,
    run: &'static [&'static str],
}

const PLAIN: Mode = Mode { name: "plain", sanitizer: "none", run: &[] };

const ASAN: Mode = Mode { name: "asan", sanitizer: "address", run: &["-malloc_limit_mb=256"] };

/// Of use where an execution takes no longer than the bookkeeping behind it.
const FAST: &[&str] = &["-entropic=0", "-use_counters=0", "-reduce_inputs=0"];

/// Safe code returns no reference to its stack; long traces of allocations, and much memory that is withheld from
/// reuse, would cost more than they show.
const ASAN_OPTIONS: &str = "detect_stack_use_after_return=0:malloc_context_size=2:quarantine_size_mb=16";

/// A scene comes with its companions.
const SCENE: usize = 4096;

/// A model is made from few numbers.
const MODEL: usize = 64;

struct Options {
    seconds: u64,
    runs: u64,
    until: Option<u64>,
    targets: Vec<String>,
    mode: &'static Mode,
}

impl Options {
    fn new(mut words: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self { seconds: 0, runs: 0, until: None, targets: Vec::new(), mode: &PLAIN };
        while let Some(word) = words.next()? {
            match word {
                Arg::Long("seconds") => options.seconds = value(&mut words)?,
                Arg::Long("runs") => options.runs = value(&mut words)?,
                Arg::Long("until") => options.until = Some(value(&mut words)?),
                Arg::Long("target") => options.targets.push(value(&mut words)?),
                Arg::Long("asan") => options.mode = &ASAN,
                _ => return Err(word.unexpected()),
            }
        }
        if options.seconds == 0 && options.runs == 0 && options.until.is_none() {
            options.seconds = 10;
        }
        Ok(options)
    }
}

pub(crate) fn run(root: &Path, words: Parser) -> Result<(), String> {
    let options = Options::new(words).map_err(|e| e.to_string())?;
    if let Err(e) = sh::output(nightly(root).args(["cargo", "fuzz", "--version"])) {
        return sh::skipped(&format!("cargo-fuzz on the nightly toolchain is not there\n{}", e.trim()));
    }
    let mode = options.mode;
    let mut targets = Target::all();
    if !options.targets.is_empty() {
        targets.retain(|t| options.targets.iter().any(|o| t.name().starts_with(o)));
        if targets.is_empty() {
            return Err(format!("no such target: {}", options.targets.join(", ")));
        }
    }
    let out = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from).join("fuzz");
    let program = build(root, &out, mode)?;
    let (table, code) = (root.join(RUNS), Code::of(root)?);
    let mut broken = Vec::new();
    println!(
        "{:<18} {:<5} {:>11} {:>7} {:>8} findings",
        "target", "mode", "executions", "seconds", "coverage"
    );
    for target in targets {
        let name = target.name();
        let key = Key { target: name.clone(), mode: mode.name.to_owned(), code: hash(target, &code) };
        let done = runs::read(&table)?.get(&key).map_or(0, |r| r.executions);
        let runs = options.until.map_or(options.runs, |until| until.saturating_sub(done));
        if options.until.is_some() && runs == 0 {
            continue;
        }
        let result = fuzz(root, &out, &program, mode, target, runs, options.seconds)?;
        println!(
            "{name:<18} {:<5} {:>11} {:>7} {:>8} {}",
            mode.name, result.executions, result.seconds, result.coverage, result.findings
        );
        runs::add(&table, key, result)?;
        if result.findings > 0 {
            broken.push(name);
        }
    }
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("see crates/fuzz/artifacts/ for {}", broken.join(", ")))
    }
}

/// Where the runs are kept.
pub(crate) const RUNS: &str = "crates/fuzz/runs.tsv";

/// The hash of the code that each target runs, by its name.
pub(crate) fn hashes(code: &Code) -> BTreeMap<String, String> {
    Target::all().into_iter().map(|target| (target.name(), hash(target, code))).collect()
}

/// The hash of the code that a target runs: of a reader its own crate and core, else everything.
fn hash(target: Target, code: &Code) -> String {
    let format = match target.input {
        Input::File(format) => Some(format),
        Input::Lz4 => Some(Format::CrucibleMesh),
        _ => None,
    };
    match (target.action, format) {
        (Action::Pack, _) => code.hash(Some(&["core", "files"])),
        (Action::Parse | Action::Round, Some(format)) => code.hash(Some(&["core", format.visit(Crate)])),
        _ => code.hash(None),
    }
}

/// The folder of the crate of a kind of file.
struct Crate;

impl Visitor for Crate {
    type Output = &'static str;

    fn visit<K: meshwright::Kind>(self) -> &'static str {
        let path = std::any::type_name::<K>();
        let name = path.split("::").next().unwrap_or_default();
        name.strip_prefix("meshwright_").unwrap_or(name)
    }
}

/// A command of the nightly toolchain, whatever toolchain runs this.
fn nightly(root: &Path) -> Command {
    let mut command = Command::new("rustup");
    command.args(["run", "nightly"]).current_dir(root);
    for name in ["CARGO", "RUSTC", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS"] {
        command.env_remove(name);
    }
    command
}

/// Builds the program of all targets.
fn build(root: &Path, out: &Path, mode: &Mode) -> Result<PathBuf, String> {
    let out = out.join(mode.name);
    let mut command = nightly(root);
    command.args(["cargo", "fuzz", "build", "--fuzz-dir", "crates/fuzz", "--target-dir"]).arg(&out);
    // Dictionaries stand in for what comparisons would show, at a third of the time.
    command.args(["--sanitizer", mode.sanitizer, "--no-trace-compares"]);
    sh::run(&mut command)?;
    let about = sh::output(nightly(root).args(["rustc", "-vV"]))?;
    let about = String::from_utf8_lossy(&about);
    let host = about.lines().find_map(|l| l.strip_prefix("host: ")).ok_or("rustc names no host")?;
    Ok(out.join(host).join("release/target"))
}

/// Runs one target until it has run `runs` times (0: any number) or `seconds` have passed (0: any time), or until it
/// breaks a promise.
fn fuzz(
    root: &Path,
    out: &Path,
    program: &Path,
    mode: &Mode,
    target: Target,
    runs: u64,
    seconds: u64,
) -> Result<Runs, String> {
    let (name, extension) = (target.name(), target.input.name());
    let kind = Kind::of(extension);
    let files = matches!(target.action, Action::Parse | Action::Round);
    let longest = match target.action {
        Action::Scene => SCENE,
        Action::Model => MODEL,
        Action::Document | Action::Program | Action::Pack => SCENE,
        Action::Parse | Action::Round => kind.longest,
    };
    // What is good for parsing is good for parsing and writing.
    let seeds = out.join("corpus").join(if files { extension } else { &name });
    plant(target, &seeds, longest)?;
    let words = out.join(format!("{name}.dict"));
    fs::write(&words, kind.dictionary()).map_err(|e| format!("{}: {e}", words.display()))?;
    let artifacts = root.join("crates/fuzz/artifacts").join(&name);
    fs::create_dir_all(&artifacts).map_err(|e| format!("{}: {e}", artifacts.display()))?;

    let mut command = Command::new(program);
    command.env("MESHWRIGHT_TARGET", &name);
    command.arg(&seeds).args(Some(root.join("crates/fuzz/kept").join(&name)).filter(|d| d.is_dir()));
    command.arg(format!("-artifact_prefix={}/", artifacts.display())).arg(format!("-max_len={longest}"));
    if target.action != Action::Model {
        // Random numbers have no words.
        command.arg(format!("-dict={}", words.display()));
    }
    command.args(["-print_final_stats=1", "-reload=0", "-rss_limit_mb=1024", "-timeout=5"]).args(mode.run);
    command.args(if target.action == Action::Parse { FAST } else { &[] });
    // The program prints; what the fuzzer says comes through all the same.
    command.args((target.action == Action::Program).then_some("-close_fd_mask=3"));
    command.args((runs > 0).then(|| format!("-runs={runs}")));
    command.args((seconds > 0).then(|| format!("-max_total_time={seconds}")));
    command.env("ASAN_OPTIONS", ASAN_OPTIONS);
    watch(&mut command).map_err(|e| format!("{name}: {e}"))
}

/// Puts the files that a target starts from into a folder.
fn plant(target: Target, folder: &Path, longest: usize) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let sources: Vec<_> = std::iter::once(testdata()).chain(corpus()).collect();
    let seeds = seeds::seeds(target, &sources);
    for (i, seed) in seeds.iter().filter(|s| s.len() <= longest).enumerate() {
        let path = folder.join(format!("seed-{i}"));
        fs::write(&path, seed).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// Runs a target to its end, and reads its figures from what it prints.
fn watch(command: &mut Command) -> io::Result<Runs> {
    let start = std::time::Instant::now();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut said = Runs::default();
    let mut last = VecDeque::new();
    let lines = child.stderr.take().into_iter().flat_map(|e| BufReader::new(e).split(b'\n'));
    for line in lines.map_while(Result::ok) {
        let line = String::from_utf8_lossy(&line).into_owned();
        let number = |text: &str| text.split_whitespace().next()?.parse().ok();
        if let Some((_, rest)) = line.split_once(" cov: ") {
            said.coverage = number(rest).unwrap_or(said.coverage);
        }
        if let Some(rest) = line.strip_prefix("stat::number_of_executed_units:") {
            said.executions = number(rest).unwrap_or(0);
        }
        last.push_back(line);
        if last.len() > 80 {
            last.pop_front();
        }
    }
    let status = child.wait()?;
    said.seconds = start.elapsed().as_secs();
    if !status.success() {
        said.findings = 1;
        last.iter().for_each(|line| eprintln!("{line}"));
    }
    Ok(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_target_has_a_minute_in_the_workflows() {
        for file in ["ci.yml", "weekly.yml"] {
            let shards = xtask::workflows::matrix(&xtask::root(), file, "target").unwrap();
            for target in Target::all() {
                let shard = shards.iter().filter(|shard| target.name().starts_with(shard.as_str())).count();
                assert_eq!(shard, 1, "{file}: {}", target.name());
            }
            for shard in &shards {
                assert!(
                    Target::all().iter().any(|t| t.name().starts_with(shard.as_str())),
                    "{file}: {shard}"
                );
            }
        }
    }

    #[test]
    fn a_reader_is_hashed_with_its_own_crate() {
        let crates =
            [(Format::Dpm, "dpm"), (Format::CrucibleSkeleton, "crucible"), (Format::FrameGroups, "quake")];
        for (format, name) in crates {
            assert_eq!(format.visit(Crate), name);
        }
    }
}

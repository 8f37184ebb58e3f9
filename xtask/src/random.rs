//! `xtask random`: random inputs for every target of `crates/fuzz`, guided by what they reach.
//!
//! The engine is libFuzzer; half of the inputs are broken by the mutator that the tests use. The program has debug assertions
//! and overflow checks, with `--asan` the address sanitizer. All runs share one corpus below the target folder.

use crate::sh::{self, Given, target_dir};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::Instant;

/// A build of the program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Build {
    Plain,
    /// With the address sanitizer, which the nightly compiler brings.
    Asan,
    /// With counters of what was executed.
    Coverage,
}

/// The flags that count the edges that a run reaches. Dictionaries replace traced comparisons in a third of the time.
const EDGES: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
                     -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table";
/// Safe code returns no reference to its stack; long traces of allocations, and much memory that is withheld from reuse, would
/// cost more than they show.
const ASAN_OPTIONS: &str = "detect_stack_use_after_return=0:malloc_context_size=2:quarantine_size_mb=16";
/// The result of one target.
pub(crate) struct Ran {
    pub(crate) target: String,
    pub(crate) executions: u64,
    pub(crate) edges: u64,
    pub(crate) failed: bool,
}

/// The program of all targets and its folders.
pub(crate) struct Program {
    path: PathBuf,
    /// Seeds, dictionaries and options of each target.
    planted: PathBuf,
    corpus: PathBuf,
    root: PathBuf,
    pub(crate) targets: Vec<String>,
}

pub(crate) struct Options {
    pub(crate) seconds: u64,
    pub(crate) seed: u32,
    pub(crate) jobs: usize,
}

impl Options {
    pub(crate) fn new(given: &Given) -> Result<Self, String> {
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            seconds: given.value("seconds")?.unwrap_or(60),
            seed: given.value("seed")?.unwrap_or(1),
            jobs: given.value("jobs")?.unwrap_or(jobs).max(1),
        })
    }
}

pub(crate) fn run(root: &Path, given: &Given) -> Result<(), String> {
    let options = Options::new(given)?;
    let build = if given.has("asan") { Build::Asan } else { Build::Plain };
    if build == Build::Asan && sh::output(nightly(root).arg("--version")).is_err() {
        return sh::skipped("cargo of the nightly toolchain is not here, for the address sanitizer");
    }
    let mut program = Program::build(root, build)?;
    let prefixes: Vec<_> = given.all("target").map(|prefix| prefix.to_string_lossy()).collect();
    program.targets.retain(|t| prefixes.is_empty() || prefixes.iter().any(|prefix| t.starts_with(&**prefix)));
    if program.targets.is_empty() {
        return Err(format!("no such target: {}", prefixes.join(", ")));
    }
    if let Some(input) = given.files.first() {
        let target = program.targets.first().filter(|_| program.targets.len() == 1);
        let target = target.ok_or("--target must name the one target that the file is for")?;
        return sh::run(program.command(target).arg(input));
    }
    let ran = program.fuzz(&options)?;
    println!("{} executions of {} targets", ran.iter().map(|r| r.executions).sum::<u64>(), ran.len());
    verdict(&ran)
}

/// Fails with the targets that failed.
pub(crate) fn verdict(ran: &[Ran]) -> Result<(), String> {
    let broken: Vec<_> = ran.iter().filter(|r| r.failed).map(|r| r.target.as_str()).collect();
    if broken.is_empty() {
        Ok(())
    } else {
        Err(format!("see crates/fuzz/artifacts for {}", broken.join(", ")))
    }
}

/// Returns cargo of the nightly toolchain, without the variables of the toolchain that runs this program.
fn nightly(home: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    for name in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN", "CARGO_ENCODED_RUSTFLAGS"] {
        cargo.env_remove(name);
    }
    cargo.arg("+nightly").current_dir(home);
    cargo
}

/// By how much everything may take longer, as tests have it.
fn patience() -> u64 {
    std::env::var("MESHWRIGHT_PATIENCE").ok().and_then(|n| n.parse().ok()).unwrap_or(1)
}

impl Program {
    pub(crate) fn build(root: &Path, build: Build) -> Result<Self, String> {
        let (name, more) = match build {
            Build::Plain => ("plain", ""),
            Build::Asan => ("asan", " -Zsanitizer=address"),
            Build::Coverage => ("coverage", " -Cinstrument-coverage"),
        };
        let folder = target_dir(root).join("random");
        let (home, out) = (root.join("crates/fuzz"), folder.join(name));
        let host = sh::host()?;
        let mut cargo = if build == Build::Asan { nightly(&home) } else { sh::cargo_command(&home) };
        cargo
            .args(["build", "--quiet", "--locked", "--release", "--target", &host, "--target-dir"])
            .arg(&out);
        sh::run(cargo.env("RUSTFLAGS", format!("{EDGES}{more}")))?;
        let planted = folder.join("planted");
        let path = out.join(host).join("release/target");
        let _ = fs::remove_dir_all(&planted);
        sh::run(Command::new(&path).env("MESHWRIGHT_PLANT", &planted))?;
        let entries = fs::read_dir(&planted).map_err(|e| format!("{}: {e}", planted.display()))?;
        let folders = entries.filter_map(Result::ok).filter(|entry| entry.path().is_dir());
        let mut targets: Vec<_> =
            folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        targets.sort();
        Ok(Self { path, planted, corpus: folder.join("corpus"), root: root.to_owned(), targets })
    }

    /// Returns the program for one target, with its options.
    fn command(&self, target: &str) -> Command {
        let mut command = Command::new(&self.path);
        command.env("MESHWRIGHT_TARGET", target).env("ASAN_OPTIONS", ASAN_OPTIONS);
        let options = fs::read_to_string(self.planted.join(format!("{target}.options"))).unwrap_or_default();
        for (name, value) in options.lines().filter_map(|line| line.split_once(" = ")) {
            let patient =
                value.parse::<u64>().ok().filter(|_| name == "timeout").map(|seconds| seconds * patience());
            command.arg(format!("-{name}={}", patient.map_or_else(|| value.to_owned(), |n| n.to_string())));
        }
        command
    }

    /// Returns the folders of inputs of a target; new ones go into the first.
    fn inputs(&self, target: &str) -> Vec<PathBuf> {
        // `parse_*` and `round_*` share their inputs.
        let shared = target.replace("parse_", "round_");
        let kept = self.root.join("crates/fuzz/kept").join(&shared);
        let own = self.corpus.join(&shared);
        [own, self.planted.join(target)].into_iter().chain(Some(kept).filter(|dir| dir.is_dir())).collect()
    }

    /// Runs every target for its share of the time; prints what came of each.
    pub(crate) fn fuzz(&self, options: &Options) -> Result<Vec<Ran>, String> {
        let share = options.seconds * options.jobs as u64 / self.targets.len() as u64;
        let next = Mutex::new(self.targets.iter());
        // Each job takes the next target.
        let worker = || {
            let take = || next.lock().ok()?.next();
            std::iter::from_fn(take)
                .map(|target| {
                    let ran = self.one(target, share.max(1), options.seed)?;
                    println!("{target:<18} {:>11} executions {:>7} edges", ran.executions, ran.edges);
                    Ok(ran)
                })
                .collect::<Result<Vec<_>, String>>()
        };
        let mut done = Vec::new();
        std::thread::scope(|scope| -> Result<(), String> {
            let workers: Vec<_> = (0..options.jobs).map(|_| scope.spawn(worker)).collect();
            for worker in workers {
                done.extend(worker.join().map_err(|_| "a worker panicked")??);
            }
            Ok(())
        })?;
        done.sort_by(|a, b| a.target.cmp(&b.target));
        Ok(done)
    }

    fn one(&self, target: &str, seconds: u64, seed: u32) -> Result<Ran, String> {
        let told = |e: std::io::Error| format!("{target}: {e}");
        let artifacts = self.root.join("crates/fuzz/artifacts").join(target);
        fs::create_dir_all(&artifacts).map_err(told)?;
        let inputs = self.inputs(target);
        fs::create_dir_all(&inputs[0]).map_err(told)?;
        let words = self.planted.join(format!("{target}.dict"));
        let (start, mut ran) =
            (Instant::now(), Ran { target: target.to_owned(), executions: 0, edges: 0, failed: false });
        // The engine stops at an input that takes long by the clock, and goes on if it does not by processor time.
        for round in 0.. {
            let left = seconds.saturating_sub(start.elapsed().as_secs());
            if round > 0 && left == 0 {
                break;
            }
            // The program's own output is looked at by the target: both go to files.
            let file = |name: &str| {
                let path = self.planted.join(format!("{target}.{name}"));
                let _ = fs::remove_file(&path);
                File::options().create(true).append(true).open(path).map_err(told)
            };
            let mut command = self.command(target);
            command.args(&inputs);
            // Random numbers have no words, and an empty dictionary is an error.
            if fs::metadata(&words).is_ok_and(|file| file.len() > 0) {
                command.arg(format!("-dict={}", words.display()));
            }
            command.arg(format!("-artifact_prefix={}/", artifacts.display()));
            command.args([
                format!("-seed={}", seed.wrapping_add(round)),
                format!("-max_total_time={}", left.max(1)),
            ]);
            command.args(["-print_final_stats=1", "-reload=0"]);
            command.args((self.path.to_string_lossy().contains("/asan/")).then_some("-malloc_limit_mb=256"));
            command.stdin(Stdio::null()).stdout(file("out")?).stderr(file("err")?);
            let status = command.status().map_err(told)?;
            let said = fs::read(self.planted.join(format!("{target}.err"))).map_err(told)?;
            let said = String::from_utf8_lossy(&said);
            let number = |mark: &str| -> u64 {
                let text = said.rsplit_once(mark).map_or("", |(_, rest)| rest);
                text.split_whitespace().next().and_then(|word| word.parse().ok()).unwrap_or(0)
            };
            ran.executions = ran.executions.saturating_add(number("stat::number_of_executed_units:"));
            ran.edges = ran.edges.max(number(" cov: "));
            if status.success() {
                break;
            }
            if !self.waited_only(target, &said)? {
                let end: Vec<_> = said.lines().rev().take(60).collect();
                eprintln!("{}", end.into_iter().rev().collect::<Vec<_>>().join("\n"));
                ran.failed = true;
                break;
            }
        }
        Ok(ran)
    }

    /// Returns true if a run ended at an input that is slow by the clock but keeps its limit of processor time when run by
    /// itself. Removes the input's file.
    fn waited_only(&self, target: &str, said: &str) -> Result<bool, String> {
        let mark = "Test unit written to ";
        let slow =
            said.lines().filter_map(|line| line.split_once(mark)).map(|(_, path)| path.trim()).next_back();
        let Some(slow) = slow.filter(|path| path.contains("/timeout-")) else { return Ok(false) };
        let alone = self.command(target);
        let timeout =
            alone.get_args().find_map(|word| word.to_str()?.strip_prefix("-timeout=")?.parse::<u64>().ok());
        let (Some(seconds), true) = (timeout, cfg!(unix)) else { return Ok(false) };
        let mut shell = Command::new("sh");
        shell
            .args(["-c", "ulimit -t \"$1\"; shift; exec \"$@\"", "sh", &seconds.to_string()])
            .arg(alone.get_program());
        // The last of two options counts.
        shell.args(alone.get_args()).arg("-timeout=3600").arg(slow);
        for (name, value) in alone.get_envs() {
            shell.env(name, value.unwrap_or_default());
        }
        shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let is_quick = shell.status().map_err(|e| format!("{target}: {e}"))?.success();
        if is_quick {
            fs::remove_file(slow).map_err(|e| format!("{slow}: {e}"))?;
            eprintln!("{target}: an input took more than {seconds} s by the clock, not of processor time");
        }
        Ok(is_quick)
    }

    /// Runs every input of the corpus once, and leaves counters of what was executed in a folder.
    pub(crate) fn replay(&self, counters: &Path) -> Result<(), String> {
        let _ = fs::remove_dir_all(counters);
        for target in &self.targets {
            let inputs = self.inputs(target);
            fs::create_dir_all(&inputs[0]).map_err(|e| e.to_string())?;
            let mut command = self.command(target);
            // The last of two options counts: the limit of time is judged by the run that found the inputs.
            command
                .args(inputs)
                .args(["-runs=0", "-timeout=3600"])
                .env("LLVM_PROFILE_FILE", counters.join("%4m.profraw"));
            sh::output(command.stdout(Stdio::null()))?;
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

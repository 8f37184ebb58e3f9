//! `xtask commands`: broken models, with their companions and pictures broken too, through every command of the program.
//!
//! The program runs inside of workers, which are processes of this one: what ends a worker is charged to the mutant that it
//! had, and the next worker goes on behind it. A mutant has a number, from which it can be made again: `--from N --count
//! 1`. Set `TMPDIR` to a file system in memory: everything is written and flushed there.

#[path = "../../../cli/tests/support/drive.rs"]
#[allow(clippy::unwrap_used, reason = "shared with tests")]
pub(crate) mod drive;
#[path = "../../../cli/tests/support/judge.rs"]
#[allow(clippy::unwrap_used, reason = "shared with tests")]
pub(crate) mod judge;
mod worker;

use crate::mutants::exercise;
use crate::value;
use lexopt::{Arg, Parser};
use meshwright_testkit::{corpus, patience};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A mutant that takes longer hangs.
const HANG: Duration = Duration::from_secs(60);
/// What a command may take of a processor.
const TIME: Duration = Duration::from_secs(5);
/// What it may have resident under `--max-memory 64M`: a file, what is made of it, what is written, and the program.
const PEAK: u64 = 4 * drive::MEMORY;
/// How many of the most expensive runs are shown.
const SHOWN: usize = 10;

pub(crate) struct Options {
    pub(crate) from: u64,
    pub(crate) count: u64,
    pub(crate) jobs: u64,
    pub(crate) seconds: u64,
    pub(crate) keep: Option<PathBuf>,
    pub(crate) only: Option<String>,
    /// A worker: its number, and where its folder is.
    pub(crate) worker: Option<(u64, PathBuf)>,
}

impl Default for Options {
    fn default() -> Self {
        Self { from: 0, count: 10_000, jobs: 2, seconds: u64::MAX, keep: None, only: None, worker: None }
    }
}

impl Options {
    fn new(mut words: Parser) -> Result<Self, lexopt::Error> {
        let mut options = Self::default();
        while let Some(word) = words.next()? {
            match word {
                Arg::Long("from") => options.from = value(&mut words)?,
                Arg::Long("count") => options.count = value(&mut words)?,
                Arg::Long("jobs") => options.jobs = value::<u64>(&mut words)?.max(1),
                Arg::Long("seconds") => options.seconds = value(&mut words)?,
                Arg::Long("keep") => options.keep = Some(words.value()?.into()),
                Arg::Long("only") => options.only = Some(value(&mut words)?),
                Arg::Long("worker") => options.worker = Some((value(&mut words)?, words.value()?.into())),
                _ => return Err(word.unexpected()),
            }
        }
        Ok(options)
    }

    /// The words that a worker is started with: the numbers of `worker` that are not below `from`.
    fn of_worker(&self, worker: u64, from: u64, folder: &Path) -> Vec<std::ffi::OsString> {
        let end = self.from.saturating_add(self.count);
        let mut words: Vec<std::ffi::OsString> = vec!["commands".into(), "--worker".into()];
        words.extend([worker.to_string().into(), folder.into()]);
        let count = end.saturating_sub(from);
        for (option, number) in [("--from", from), ("--count", count), ("--jobs", self.jobs)] {
            words.extend([option.into(), number.to_string().into()]);
        }
        if let Some(only) = &self.only {
            words.extend(["--only".into(), only.into()]);
        }
        if let Some(keep) = &self.keep {
            words.extend(["--keep".into(), keep.into()]);
        }
        words
    }
}

/// The models that mutants are made of.
fn cases(root: &Path, only: Option<&str>) -> Result<Vec<drive::Case>, String> {
    let mut cases = drive::cases(&[root.join("testdata")]);
    if let Some(corpus) = corpus() {
        cases.extend(drive::cases(&[corpus]));
    }
    cases.retain(|c| only.is_none_or(|only| c.format.id().contains(only) || c.name().contains(only)));
    if cases.is_empty() { Err("no file to break".into()) } else { Ok(cases) }
}

pub(crate) fn run(root: &Path, words: Parser) -> Result<(), String> {
    let options = Options::new(words).map_err(|e| e.to_string())?;
    match &options.worker {
        Some((worker, folder)) => {
            worker::run(&cases(root, options.only.as_deref())?, &options, *worker, folder)
        }
        None => tried(&options).map(drop),
    }
}

/// What came of all mutants.
#[derive(Default)]
struct Tally {
    mutants: u64,
    commands: u64,
    codes: BTreeMap<String, u64>,
    /// By what was broken without numbers: the first, and how many.
    failures: BTreeMap<String, (String, u64)>,
    over: Vec<String>,
    slowest: Vec<(u64, String)>,
    largest: Vec<(u64, String)>,
}

#[expect(clippy::cast_precision_loss, reason = "shown with one decimal")]
fn seconds_of(millis: u64) -> f64 {
    millis as f64 / 1e3
}

/// What a run without failures came to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Figures {
    pub(crate) mutants: u64,
    pub(crate) commands: u64,
    /// Seconds of the slowest command.
    pub(crate) slowest: f64,
    /// Bytes that were resident in the largest.
    pub(crate) largest: u64,
}

fn keep_most(list: &mut Vec<(u64, String)>, figure: u64, what: impl FnOnce() -> String) {
    if list.len() < SHOWN || list.last().is_some_and(|last| last.0 < figure) {
        list.push((figure, what()));
        list.sort_by_key(|entry| std::cmp::Reverse(entry.0));
        list.truncate(SHOWN);
    }
}

impl Tally {
    fn broke(&mut self, mutant: &str, why: &str) {
        let key: String = why.chars().filter(|c| !c.is_ascii_digit()).take(160).collect();
        self.failures.entry(key).or_insert_with(|| (format!("{mutant}: {why}"), 0)).1 += 1;
    }

    /// A line that a worker wrote: what it is, then fields between tabs.
    fn line(&mut self, line: &str) {
        let fields: Vec<_> = line.split('\t').collect();
        match *fields.as_slice() {
            ["mutant", ..] => self.mutants += 1,
            ["broken", mutant, why] => self.broke(mutant, why),
            ["ran", mutant, code, millis, kib, words] => {
                self.commands += 1;
                let verb = words.split(' ').next().unwrap_or_default();
                *self.codes.entry(format!("{verb} exit {code}")).or_insert(0) += 1;
                let (millis, kib) = (millis.parse().unwrap_or(u64::MAX), kib.parse().unwrap_or(u64::MAX));
                let what = || format!("mutant {mutant}: {words}");
                if u128::from(millis) > (TIME * patience()).as_millis() || kib << 10 > PEAK {
                    self.over.push(format!("{:.1} s, {} MiB: {}", seconds_of(millis), kib >> 10, what()));
                }
                keep_most(&mut self.slowest, millis, what);
                keep_most(&mut self.largest, kib, what);
            }
            _ => self.broke("?", line),
        }
    }

    fn report(&self, options: &Options, start: Instant) -> Result<Figures, String> {
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{} mutants from {} on, {} commands, in {seconds:.1} s",
            self.mutants, options.from, self.commands
        );
        for (code, n) in &self.codes {
            println!("{n:9} {code}");
        }
        for (millis, what) in &self.slowest {
            println!("{:8.2} s    {what}", seconds_of(*millis));
        }
        for (kib, what) in &self.largest {
            println!("{:8} MiB  {what}", kib >> 10);
        }
        for (first, n) in self.failures.values() {
            println!("\n{n} times, first mutant {first}");
        }
        for over in &self.over {
            println!("over budget: {over}");
        }
        if self.mutants == 0 {
            return Err("no mutant was tried".into());
        }
        if self.failures.is_empty() && self.over.is_empty() {
            return Ok(Figures {
                mutants: self.mutants,
                commands: self.commands,
                slowest: self.slowest.first().map_or(0.0, |s| seconds_of(s.0)),
                largest: self.largest.first().map_or(0, |l| l.0 << 10),
            });
        }
        Err(format!("{} different failures, {} over budget", self.failures.len(), self.over.len()))
    }
}

/// One worker: a process, and what it says.
struct Worker {
    number: u64,
    folder: PathBuf,
    child: Child,
    /// How much of its results was read.
    read: usize,
    /// The mutant that it has, and since when.
    now: (String, Instant),
}

impl Worker {
    fn start(options: &Options, number: u64, from: u64, folder: &Path) -> io::Result<Self> {
        fs::create_dir_all(folder)?;
        let stream = |name: &str| -> io::Result<Stdio> {
            File::create(folder.join(name))?;
            Ok(OpenOptions::new().append(true).open(folder.join(name))?.into())
        };
        let child = Command::new(std::env::current_exe()?)
            .args(options.of_worker(number, from, folder))
            .stdin(Stdio::null())
            .stdout(stream("stdout")?)
            .stderr(stream("stderr")?)
            .spawn()?;
        Ok(Self { number, folder: folder.to_owned(), child, read: 0, now: (String::new(), Instant::now()) })
    }

    /// Takes what was written since the last time, whole lines.
    fn take(&mut self, tally: &mut Tally) {
        let text = fs::read(self.folder.join("results")).unwrap_or_default();
        let fresh = text.get(self.read..).unwrap_or_default();
        let whole = fresh.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
        String::from_utf8_lossy(&fresh[..whole]).lines().for_each(|line| tally.line(line));
        self.read += whole;
        let now = fs::read_to_string(self.folder.join("now")).unwrap_or_default();
        if now != self.now.0 {
            self.now = (now, Instant::now());
        }
    }

    /// The number of the mutant that it has.
    fn mutant(&self) -> Option<u64> {
        self.now.0.split(' ').next()?.parse().ok()
    }
}

/// Tries mutants, and says what they cost when none broke a promise.
pub(crate) fn tried(options: &Options) -> Result<Figures, String> {
    let base = std::env::temp_dir().join(format!("meshwright-commands-{}", std::process::id()));
    let (mut tally, start) = (Tally::default(), Instant::now());
    let watched = watch(options, &base, &mut tally, start);
    let _ = fs::remove_dir_all(&base);
    watched.map_err(|e| format!("a worker cannot be started: {e}"))?;
    tally.report(options, start)
}

fn watch(options: &Options, base: &Path, tally: &mut Tally, start: Instant) -> io::Result<()> {
    let folder = |number: u64| base.join(number.to_string());
    let mut workers = Vec::new();
    for number in 0..options.jobs {
        workers.push(Worker::start(options, number, options.from, &folder(number))?);
    }
    while !workers.is_empty() {
        std::thread::sleep(Duration::from_millis(100));
        let mut going = Vec::new();
        for mut worker in workers {
            let ended = worker.child.try_wait()?;
            worker.take(tally);
            let hangs = ended.is_none() && worker.now.1.elapsed() > HANG * patience();
            if start.elapsed().as_secs() >= options.seconds || hangs {
                let _ = worker.child.kill();
                worker.child.wait()?;
            }
            let failed = ended.is_some_and(|status| !status.success()) || hangs;
            match worker.mutant().filter(|_| failed) {
                Some(mutant) => {
                    let said = fs::read(worker.folder.join("stderr")).unwrap_or_default();
                    let end: Vec<_> =
                        said.split(|b| *b == b'\n').rev().take(4).map(String::from_utf8_lossy).collect();
                    let how = ended.map_or_else(|| "it hangs".to_owned(), |status| status.to_string());
                    tally.broke(&worker.now.0, &format!("{how}: {}", end.join(" / ")));
                    let _ = fs::remove_file(worker.folder.join("results"));
                    going.push(Worker::start(options, worker.number, mutant + 1, &worker.folder)?);
                }
                None if failed => tally.broke("?", "a worker cannot begin"),
                None if ended.is_some() || start.elapsed().as_secs() >= options.seconds => {}
                None => going.push(worker),
            }
        }
        workers = going;
    }
    Ok(())
}

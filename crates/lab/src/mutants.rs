//! `xtask mutants`: broken fixtures and broken models of the corpus through everything the facade can do.
//!
//! A mutant has a number, from which it can be made again: `--from N --count 1`. xtask builds it optimised, with every check.

#[path = "../../meshwright/tests/support/gauntlet.rs"]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a broken promise panics; the driver below catches it")]
pub(crate) mod gauntlet;

use crate::value;
use gauntlet::{Reached, Subject};
use lexopt::{Arg, Parser};
use meshwright_testkit::corpus;
use std::collections::BTreeMap;
use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A mutant that takes longer hangs.
const HANG: Duration = Duration::from_secs(60);

#[derive(Default)]
struct Tally {
    reached: BTreeMap<Reached, u64>,
    /// By place and message without numbers: the first mutant, and how many.
    failures: BTreeMap<String, (String, u64)>,
    /// The slowest, with what they are.
    slowest: Vec<(Duration, String)>,
}

pub(crate) struct Options {
    pub(crate) from: u64,
    pub(crate) count: u64,
    pub(crate) jobs: u64,
    pub(crate) seconds: u64,
    pub(crate) keep: Option<PathBuf>,
    pub(crate) only: Option<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { from: 0, count: 10_000, jobs: 1, seconds: u64::MAX, keep: None, only: None }
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
                _ => return Err(word.unexpected()),
            }
        }
        Ok(options)
    }
}

thread_local! {
    static LAST: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) };
}

/// How many files of a folder can be broken.
pub(crate) fn subjects(dir: &Path) -> usize {
    gauntlet::subjects(dir).len()
}

pub(crate) fn run(root: &Path, words: Parser) -> Result<(), String> {
    let options = Options::new(words).map_err(|e| e.to_string())?;
    tried(root, &options).map(drop)
}

/// Tries mutants, and returns how many when none broke a promise.
pub(crate) fn tried(root: &Path, options: &Options) -> Result<u64, String> {
    let mut subjects = gauntlet::subjects(&root.join("testdata"));
    subjects.extend(corpus().iter().flat_map(|dir| gauntlet::subjects(dir)));
    if let Some(only) = &options.only {
        subjects.retain(|s| s.format.id().contains(only.as_str()) || s.name.contains(only.as_str()));
    }
    if subjects.is_empty() {
        return Err("no file to break".into());
    }
    panic::set_hook(Box::new(|info| {
        let payload = info.payload();
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let message = text.or_else(|| payload.downcast_ref().copied()).unwrap_or("no message");
        LAST.set(format!("{}: {message}", info.location().map(ToString::to_string).unwrap_or_default()));
    }));
    let (next, tally, start) = (AtomicU64::new(0), Mutex::new(Tally::default()), Instant::now());
    let busy: Vec<_> = (0..options.jobs).map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        let mut workers = Vec::new();
        for busy in &busy {
            workers.push(scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed);
                    if i >= options.count || start.elapsed().as_secs() >= options.seconds {
                        // What is left is nobody's.
                        next.store(u64::MAX / 2, Ordering::Relaxed);
                        return;
                    }
                    let number = options.from + i;
                    let mutant = gauntlet::numbered(&subjects, number);
                    let name = format!("mutant {number} of {} ({})", mutant.name, mutant.format);
                    if let Ok(mut busy) = busy.lock() {
                        *busy = Some((Instant::now(), name.clone()));
                    }
                    one(number, &name, &mutant, options, &tally);
                    if let Ok(mut busy) = busy.lock() {
                        *busy = None;
                    }
                }
            }));
        }
        // A hang cannot be caught, but it can be named.
        while !workers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            std::thread::sleep(Duration::from_millis(200));
            for busy in &busy {
                if let Ok(busy) = busy.lock()
                    && let Some((since, name)) = &*busy
                    && since.elapsed() > HANG
                {
                    eprintln!("{name} hangs");
                    std::process::abort();
                }
            }
        }
    });
    let _ = panic::take_hook();
    report(&subjects, options, start, tally.into_inner().map_err(|e| e.to_string())?)
}

fn one(number: u64, name: &str, mutant: &Subject, options: &Options, tally: &Mutex<Tally>) {
    let start = Instant::now();
    let result = panic::catch_unwind(AssertUnwindSafe(|| gauntlet::run(mutant)));
    let took = start.elapsed();
    let Ok(mut tally) = tally.lock() else { return };
    tally.slowest.push((took, name.to_owned()));
    tally.slowest.sort_by_key(|s| std::cmp::Reverse(s.0));
    tally.slowest.truncate(5);
    match result {
        Ok(reached) => *tally.reached.entry(reached).or_insert(0) += 1,
        Err(_) => {
            let said = LAST.take();
            let first = said.lines().next().unwrap_or_default();
            let key = first.chars().filter(|c| !c.is_ascii_digit()).take(120).collect();
            let failure = tally.failures.entry(key).or_insert_with(|| (format!("{name}: {said}"), 0));
            failure.1 += 1;
            if let Some(dir) = &options.keep {
                let path = dir.join(format!("{number}-{}", mutant.name));
                if let Err(e) = fs::create_dir_all(dir).and_then(|()| fs::write(&path, &mutant.bytes)) {
                    eprintln!("{}: {e}", path.display());
                }
            }
        }
    }
}

fn report(subjects: &[Subject], options: &Options, start: Instant, tally: Tally) -> Result<u64, String> {
    let seconds = start.elapsed().as_secs_f64();
    let tried = tally.reached.values().sum::<u64>() + tally.failures.values().map(|f| f.1).sum::<u64>();
    println!("{tried} mutants from {} on, of {} files, in {seconds:.1} s", options.from, subjects.len());
    for (reached, n) in &tally.reached {
        println!("{reached:?}: {n}");
    }
    for (took, name) in &tally.slowest {
        println!("{took:8.3?} {name}");
    }
    if tally.failures.is_empty() {
        return Ok(tried);
    }
    for (first, n) in tally.failures.values() {
        println!("\n{n} times, first {first}");
    }
    Err(format!("{} different failures", tally.failures.len()))
}

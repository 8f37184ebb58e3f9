//! Breaks every fixture in every small way: each prefix, each bit, boundary values in each four bytes, each pair of
//! overlapping sections. Each result is read or refused, within limits of time and memory per byte, and within the
//! charged memory. A new file in `testdata/` is covered without being named.
//!
//! `cargo run -p xtask -- targets exhaustive` leaves nothing out; here large fixtures are sampled.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "fsomodel",
    feature = "gltf",
    feature = "tso"
))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a failing test panics")]

#[path = "support/layout.rs"]
mod layout;

use meshwright::{AnyModel, Format, Parsed, ReadError, ReadOptions, ReadSettings, Role, WriteError};
use meshwright_testkit::exhaust::{Layout, changes};
use meshwright_testkit::heap::{Cost, measured};
use meshwright_testkit::laws::{self, Opened};
use meshwright_testkit::{patience, testdata};
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// If this variable is set, every change of every fixture is tried.
const ALL: &str = "MESHWRIGHT_EXHAUSTIVE";
/// The approximate number of changes per fixture that are tried otherwise.
const MOST: usize = 8000;

/// The heap for reading twice, checking and writing twice, if nothing is compressed or shared.
const HEAP: usize = 64 << 10;
const HEAP_PER_BYTE: usize = 32;
/// The time of one file, and of all files on average; a machine with other work is several times slower.
const SLOWEST: Duration = Duration::from_secs(2);
const MEAN: Duration = Duration::from_millis(1);
const MEAN_PER_BYTE: Duration = Duration::from_micros(5);

/// A fixture and how it is read.
struct Subject {
    name: String,
    format: Format,
    bytes: Vec<u8>,
    /// The companion file of the read.
    companion: Option<(Role, Arc<[u8]>)>,
    /// The role of the companion under test, and its model.
    of_model: Option<(Role, Vec<u8>)>,
}

impl Subject {
    fn parse(&self, bytes: &[u8], read: &ReadOptions) -> Result<Parsed<AnyModel>, ReadError> {
        let settings = ReadSettings::from(*read);
        match &self.of_model {
            Some((role, model)) => {
                AnyModel::parse_with(model, self.format, &settings.with_companion(*role, bytes))
            }
            None => {
                let attached = self.companion.clone();
                AnyModel::parse_with(
                    bytes,
                    self.format,
                    &settings.attaching(self.format, attached.as_slice()),
                )
            }
        }
    }

    fn write(&self, model: &AnyModel) -> Result<Vec<u8>, WriteError> {
        match (model, &self.of_model) {
            (AnyModel::Fso(m), Some(_)) => m.metadata.as_ref().unwrap().to_bytes(),
            _ => model.to_bytes(),
        }
    }

    fn layout(&self) -> Layout {
        let format = if self.of_model.is_some() { Format::FsoMetadata } else { self.format };
        layout::layout_of(format, &self.bytes)
    }

    /// Decoded streams may be larger than the file, as may runs of keys.
    fn compressed(&self) -> bool {
        use Format::{Cfp, CrucibleMesh, CrucibleModel, CrucibleSkeleton};
        matches!(self.format, Cfp | CrucibleMesh | CrucibleModel | CrucibleSkeleton)
    }

    /// Checks all laws on one version of the file.
    fn obeys(&self, bytes: &[u8]) -> (Opened, Cost) {
        let len = self.of_model.as_ref().map_or(bytes.len(), |(_, model)| model.len());
        // Strictly and leniently, the file is opened under the law of memory. What was written from it is only opened.
        let parse = |b: &[u8], read: &ReadOptions| match std::ptr::eq(b, bytes) {
            true => laws::charged(b.len(), |limits| self.parse(b, &read.with_limits(limits))),
            false => self.parse(b, read),
        };
        let (answer, cost) =
            measured(|| laws::answer(bytes, len, parse, AnyModel::validate, |m| self.write(m)));
        let allowed = HEAP + HEAP_PER_BYTE * bytes.len();
        assert!(self.compressed() || cost.peak <= allowed, "{} bytes of heap", cost.peak);
        assert!(cost.time < SLOWEST * patience(), "{:?}", cost.time);
        (answer, cost)
    }
}

/// Returns all fixtures.
fn subjects() -> Vec<Subject> {
    fn walk(dir: &Path, found: &mut Vec<PathBuf>) {
        for path in fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()) {
            if path.is_dir() { walk(&path, found) } else { found.push(path) }
        }
    }
    let mut paths = Vec::new();
    walk(&testdata(), &mut paths);
    paths.sort();
    let mut subjects = Vec::new();
    let game = testdata().join("game");
    for path in paths.iter().filter(|p| p.extension().is_none_or(|e| e != "md") && !p.starts_with(&game)) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(path).unwrap();
        let format = Format::from_name(&name).unwrap_or_else(|| panic!("{name}: of no known kind"));
        let alone = Subject { name, format, bytes, companion: None, of_model: None };
        // A model with the companion file of its read, and that file with the model as companion.
        for companion in format.companions().iter().filter(|c| c.part_of_reading) {
            let names =
                companion.beside.iter().map(|b| String::from_utf8(b.name(alone.name.as_bytes())).unwrap());
            for (name, text) in
                names.filter_map(|n| Some((n.clone(), fs::read(path.with_file_name(n)).ok()?)))
            {
                let (role, bytes) = (companion.role, alone.bytes.clone());
                let name_of_model = alone.name.clone();
                let attached = Some((role, text.clone().into()));
                let with = Subject {
                    name: name_of_model,
                    format,
                    bytes: bytes.clone(),
                    companion: attached,
                    of_model: None,
                };
                subjects.push(with);
                subjects.push(Subject {
                    name,
                    format,
                    bytes: text,
                    companion: None,
                    of_model: Some((role, bytes)),
                });
            }
        }
        subjects.push(alone);
    }
    subjects
}

/// The result of a run.
#[derive(Default)]
struct Tally {
    outcomes: BTreeMap<Opened, usize>,
    tried: usize,
    left_out: usize,
    /// The largest heap use without compression, and its fixture.
    peak: (usize, String),
    failures: Vec<String>,
}

fn every_change(subject: &Subject, tally: &Mutex<Tally>) {
    let layout = subject.layout();
    let all = changes(&subject.bytes, &layout);
    let step = if std::env::var_os(ALL).is_some() { 1 } else { all.len().div_ceil(MOST) };
    let (mut time, mut outcomes, mut peak) = (Duration::ZERO, BTreeMap::new(), 0);
    let (mut failures, mut tried) = (Vec::new(), 0_u32);
    // A step that shares no factor with the eight values of a field leaves none of them out.
    for change in all.iter().step_by(step | 1) {
        let mutant = change.apply(&subject.bytes, &layout);
        match catch_unwind(AssertUnwindSafe(|| subject.obeys(&mutant))) {
            Ok((opened, cost)) => {
                *outcomes.entry(opened).or_insert(0) += 1;
                time += cost.time;
                peak = peak.max(cost.peak);
            }
            Err(why) => {
                let why = why.downcast_ref::<String>().map_or("no message", String::as_str);
                failures.push(format!("{}, {change}: {why:.600}", subject.name));
            }
        }
        tried += 1;
    }
    let len = u32::try_from(subject.bytes.len()).unwrap();
    let allowed = (MEAN + MEAN_PER_BYTE * len) * patience();
    if time > allowed * tried {
        failures.push(format!("{}: {:?} a file, {allowed:?} allowed", subject.name, time / tried));
    }
    let mut tally = tally.lock().unwrap();
    for (opened, n) in outcomes {
        *tally.outcomes.entry(opened).or_insert(0) += n;
    }
    tally.tried += tried as usize;
    tally.left_out += all.len() - tried as usize;
    tally.failures.extend(failures);
    if !subject.compressed() && peak > tally.peak.0 {
        tally.peak = (peak, subject.name.clone());
    }
}

#[test]
fn every_small_change_of_every_fixture_is_answered() {
    let (subjects, start) = (subjects(), Instant::now());
    for format in Format::ALL {
        let of = |s: &&Subject| s.of_model.is_none() && s.format == *format;
        let sections = subjects.iter().filter(of).map(|s| s.layout().sections.len()).max();
        assert!(sections.is_some_and(|n| n > 1), "{format}: no fixture with two sections");
    }
    let (next, tally) = (AtomicUsize::new(0), Mutex::new(Tally::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(subject) = subjects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    every_change(subject, &tally);
                }
            });
        }
    });
    let tally = tally.into_inner().unwrap();
    println!(
        "{} mutants of {} fixtures in {:.1?}, {} left out: {:?}; at most {} bytes of heap: {}",
        tally.tried,
        subjects.len(),
        start.elapsed(),
        tally.left_out,
        tally.outcomes,
        tally.peak.0,
        tally.peak.1,
    );
    let shown: Vec<_> = tally.failures.iter().take(20).collect();
    assert!(tally.failures.is_empty(), "{} failures, the first of them {shown:#?}", tally.failures.len());
    let opened: usize = tally.outcomes.iter().filter(|a| *a.0 != Opened::Refused).map(|a| a.1).sum();
    assert!(opened > tally.tried / 10, "mutants that are all refused would prove little");
}

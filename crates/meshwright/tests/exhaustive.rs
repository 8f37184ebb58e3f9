//! Every fixture broken in every small way there is: each prefix, each bit, boundary values in each four
//! bytes, each two sections over one another. Each is answered, within time and memory stated per byte, and
//! within what was charged. A new file in `testdata/` is covered without being named.
//!
//! `cargo run -p xtask -- exhaustive` leaves nothing out; here large fixtures are sampled.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "fsomodel",
    feature = "gltf",
    feature = "tso"
))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a failing test panics")]

#[path = "support/anatomy.rs"]
mod anatomy;

use meshwright::fsomodel::Metadata;
use meshwright::quake::FrameGroups;
use meshwright::{AnyModel, Format, OpenOptions, Parsed, ReadError, ReadOptions, Report, WriteError};
use meshwright_testkit::exhaust::{Anatomy, changes};
use meshwright_testkit::heap::{Cost, Counting, measured};
use meshwright_testkit::laws::{self, Answer};
use meshwright_testkit::{patience, testdata};
use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Set: every change of every fixture.
const ALL: &str = "MESHWRIGHT_EXHAUSTIVE";
/// Changes of one fixture that are tried otherwise, give or take.
const MOST: usize = 8000;

/// Reading twice, checking and writing twice: the heap it takes where nothing is compressed or shared.
const HEAP: usize = 64 << 10;
const HEAP_PER_BYTE: usize = 32;
/// The time of one answer, and of all answers on average; a machine with other work is several times slower.
const SLOWEST: Duration = Duration::from_secs(2);
const MEAN: Duration = Duration::from_millis(1);
const MEAN_PER_BYTE: Duration = Duration::from_micros(5);

/// A kind of file in `testdata/`.
enum Kind {
    /// A model, with its companion where that takes part in reading it.
    Model(Format, Option<Vec<u8>>),
    FrameGroups,
    Metadata,
    /// A companion with the model beside it.
    MetadataOf(Vec<u8>),
}

#[derive(Debug, PartialEq)]
enum Any {
    Model(AnyModel),
    FrameGroups(FrameGroups),
    Metadata(Metadata),
}

struct Subject {
    name: String,
    kind: Kind,
    bytes: Vec<u8>,
}

impl Subject {
    fn parse(&self, bytes: &[u8], read: &ReadOptions) -> Result<Parsed<Any>, ReadError> {
        let model = |file: &[u8], format, metadata| {
            let mut options = OpenOptions::from(*read);
            options.metadata = metadata;
            AnyModel::open(file, format, &options).map(|p| p.map(Any::Model))
        };
        match &self.kind {
            Kind::Model(format, metadata) => model(bytes, *format, metadata.as_deref()),
            Kind::FrameGroups => FrameGroups::parse_with(bytes, read).map(|p| p.map(Any::FrameGroups)),
            Kind::Metadata => Metadata::parse_with(bytes, read).map(|p| p.map(Any::Metadata)),
            Kind::MetadataOf(file) => model(file, Format::Fso, Some(bytes)),
        }
    }

    fn write(&self, model: &Any) -> Result<Vec<u8>, WriteError> {
        match (model, &self.kind) {
            (Any::Model(AnyModel::Fso(m)), Kind::MetadataOf(_)) => m.metadata.as_ref().unwrap().to_bytes(),
            (Any::Model(m), _) => m.to_bytes(),
            (Any::FrameGroups(m), _) => m.to_bytes(),
            (Any::Metadata(m), _) => m.to_bytes(),
        }
    }

    fn validate(model: &Any) -> Report {
        match model {
            Any::Model(m) => m.validate(),
            Any::FrameGroups(m) => m.validate(),
            Any::Metadata(m) => m.validate(),
        }
    }

    fn anatomy(&self) -> Anatomy {
        match self.kind {
            Kind::Model(format, _) => anatomy::of(format, &self.bytes),
            _ => anatomy::lines(&self.bytes),
        }
    }

    /// Decoded streams may be larger than the file.
    fn compressed(&self) -> bool {
        use Format::{CrucibleMesh, CrucibleModel, CrucibleSkeleton};
        matches!(self.kind, Kind::Model(CrucibleMesh | CrucibleModel | CrucibleSkeleton, _))
    }

    /// All laws on one version of the file.
    fn obeys(&self, bytes: &[u8]) -> (Answer, Cost) {
        let len = if let Kind::MetadataOf(file) = &self.kind { file.len() } else { bytes.len() };
        let (answer, cost) =
            measured(|| laws::answer(bytes, len, |b, o| self.parse(b, o), Self::validate, |m| self.write(m)));
        let allowed = HEAP + HEAP_PER_BYTE * bytes.len();
        assert!(self.compressed() || cost.peak <= allowed, "{} bytes of heap", cost.peak);
        assert!(cost.time < SLOWEST * patience(), "{:?}", cost.time);
        for read in [ReadOptions::default(), ReadOptions::lenient()] {
            laws::charged(bytes.len(), |limits| self.parse(bytes, &read.with_limits(limits)));
        }
        (answer, cost)
    }
}

/// All fixtures.
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
    for path in paths.iter().filter(|p| p.extension().is_none_or(|e| e != "md")) {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let bytes = fs::read(path).unwrap();
        let mut add = |kind| subjects.push(Subject { name: name.clone(), kind, bytes: bytes.clone() });
        match (Format::from_name(&name), path.extension().unwrap().to_str()) {
            (Some(format), _) => {
                let beside = format.companion_names(&name).into_iter();
                let mut beside = beside.filter_map(|(_, name)| fs::read(path.with_file_name(name)).ok());
                if let Some(text) = beside.next().filter(|_| format == Format::Fso) {
                    add(Kind::Model(format, Some(text)));
                }
                add(Kind::Model(format, None));
            }
            (None, Some("framegroups")) => add(Kind::FrameGroups),
            (None, Some("json")) => {
                if let Ok(model) = fs::read(path.with_extension("fom")) {
                    add(Kind::MetadataOf(model));
                }
                add(Kind::Metadata);
            }
            _ => panic!("{name}: of no known kind"),
        }
    }
    subjects
}

/// What a run came to.
#[derive(Default)]
struct Tally {
    answers: BTreeMap<Answer, usize>,
    tried: usize,
    left_out: usize,
    /// The most heap where nothing is compressed, and of which fixture.
    peak: (usize, String),
    failures: Vec<String>,
}

fn every_change(subject: &Subject, tally: &Mutex<Tally>) {
    let anatomy = subject.anatomy();
    let all = changes(&subject.bytes, &anatomy);
    let step = if std::env::var_os(ALL).is_some() { 1 } else { all.len().div_ceil(MOST) };
    let (mut time, mut answers, mut peak) = (Duration::ZERO, BTreeMap::new(), 0);
    let (mut failures, mut tried) = (Vec::new(), 0_u32);
    // A step that shares no factor with the eight values of a field leaves none of them out.
    for change in all.iter().step_by(step | 1) {
        let mutant = change.apply(&subject.bytes, &anatomy);
        match catch_unwind(AssertUnwindSafe(|| subject.obeys(&mutant))) {
            Ok((answer, cost)) => {
                *answers.entry(answer).or_insert(0) += 1;
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
        failures.push(format!("{}: {:?} an answer, {allowed:?} allowed", subject.name, time / tried));
    }
    let mut tally = tally.lock().unwrap();
    for (answer, n) in answers {
        *tally.answers.entry(answer).or_insert(0) += n;
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
        let of = |s: &&Subject| matches!(s.kind, Kind::Model(f, _) if f == *format);
        let sections = subjects.iter().filter(of).map(|s| s.anatomy().sections.len()).max();
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
        tally.answers,
        tally.peak.0,
        tally.peak.1,
    );
    let shown: Vec<_> = tally.failures.iter().take(20).collect();
    assert!(tally.failures.is_empty(), "{} failures, the first of them {shown:#?}", tally.failures.len());
    let opened: usize = tally.answers.iter().filter(|a| *a.0 != Answer::Refused).map(|a| a.1).sum();
    assert!(opened > tally.tried / 10, "mutants that are all refused would prove little");
}

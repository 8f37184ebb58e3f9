//! Targets that run the program: its commands over a folder that the bytes fill.

#[path = "../../cli/tests/support/drive.rs"]
#[allow(dead_code, reason = "shared with tests that use all of it")]
mod drive;
#[path = "../../meshwright/tests/support/exercise.rs"]
#[allow(dead_code, reason = "shared with tests that use all of it")]
mod exercise;
#[path = "../../cli/tests/support/judge.rs"]
#[allow(dead_code, reason = "shared with tests that use all of it")]
mod judge;
#[path = "../../cli/tests/support/outputs.rs"]
#[allow(dead_code, reason = "shared with tests that use all of it")]
mod names;

use drive::{Case, Ran};
use exercise::Subject;
use meshwright_fuzz::{Input, Target};
use meshwright_testkit::mutate::Rng;
use meshwright_testkit::patience;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// Processor time that a command may use.
const TIME: Duration = Duration::from_secs(5);
/// Memory by which a command may grow under `--max-memory 64M`: for a file, for the data made from it, and for its
/// output.
const GROWTH: u64 = 3 * drive::MEMORY;
/// Standard output and standard error are truncated above this size.
const PRINTED: u64 = 16 << 20;

/// Returns the folder of the test cases, in memory if possible.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let base = [PathBuf::from("/dev/shm"), std::env::temp_dir()].into_iter().find(|dir| dir.is_dir());
        base.unwrap_or_default().join(format!("meshwright-fuzz-{}", std::process::id()))
    })
}

/// Returns a number that depends on all bytes.
fn seed(bytes: &[u8]) -> u64 {
    bytes.iter().fold(bytes.len() as u64, |seed, b| seed.rotate_left(5) ^ u64::from(*b))
}

/// Panics if a command changes files that it does not announce, files outside its folder, or its inputs.
pub(crate) fn outputs(bytes: &[u8]) {
    static BASE: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let mut program = |words: &[OsString]| {
        let words: Vec<OsString> =
            [OsString::from("meshwright")].into_iter().chain(words.iter().cloned()).collect();
        let ran = program(&words);
        names::Ran { code: ran.code, out: ran.out }
    };
    let base = BASE.get_or_init(|| names::base(&folder().join("base"), &mut program));
    let broken = names::attempt(seed(bytes), &folder().join("case"), base, &mut program);
    // Announcements can be read only if standard output is a file.
    assert!(broken.is_empty() || length(1).is_none(), "{broken:#?}");
}

/// Panics if a command breaks a promise: about its exit code, its output, the files that it leaves, or its cost.
pub(crate) fn run(target: Target, bytes: &[u8]) {
    let Input::File(format) = target.input else { return };
    // The bytes choose the operation. Every second case also damages a texture or companion file.
    let mut rng = Rng::new(seed(bytes));
    let mut case = Case::new(&Subject::split(format, bytes));
    if rng.below(2) == 0 {
        case = case.mutant(&case, &mut rng);
    }
    let tried = drive::attempt(&case, &mut rng, folder(), &mut program).expect("a folder to write to");
    assert!(tried.broken.is_empty(), "{:#?}", tried.broken);
    let over = tried.costs.iter().find(|cost| cost.time > TIME * patience() || cost.peak > GROWTH);
    assert!(over.is_none(), "over budget: {over:?}");
}

/// Runs a command line in this process. Standard output and standard error are read back if they are files.
fn program(words: &[OsString]) -> Ran {
    let before = [1, 2].map(length);
    // Forgets what was resident until now, where the system can.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let (resident, start) = (status("VmRSS:"), worked());
    let status_of_run = meshwright_cli::run(words.iter().cloned());
    Ran {
        code: Some(status_of_run.code().into()),
        time: worked().saturating_sub(start),
        peak: status("VmHWM:").saturating_sub(resident),
        out: printed(1, before[0]),
        err: printed(2, before[1]),
        ..Ran::default()
    }
}

/// Returns the length of a standard stream that is a file.
fn length(stream: u8) -> Option<u64> {
    fs::metadata(format!("/proc/self/fd/{stream}")).ok().filter(fs::Metadata::is_file).map(|m| m.len())
}

/// Returns the output on a standard stream after a length.
fn printed(stream: u8, before: Option<u64>) -> Vec<u8> {
    // A pipe is not read: its end never comes.
    let Some(before) = before else { return Vec::new() };
    let path = format!("/proc/self/fd/{stream}");
    let Ok(bytes) = fs::read(&path) else { return Vec::new() };
    let start = usize::try_from(before).unwrap_or(usize::MAX).min(bytes.len());
    if bytes.len() as u64 > PRINTED {
        let _ = File::options().write(true).open(&path).and_then(|file| file.set_len(0));
    }
    bytes[start..].to_vec()
}

/// Returns a figure in bytes of this process.
fn status(field: &str) -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}

/// Returns the processor time of all threads of this process, in steps of a hundredth of a second.
fn worked() -> Duration {
    let text = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields).split_whitespace().skip(11).take(2);
    Duration::from_millis(fields.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10)
}

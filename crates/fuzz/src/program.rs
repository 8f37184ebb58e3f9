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

use drive::{Case, Ran};
use exercise::Subject;
use meshwright_fuzz::{Input, Target};
use meshwright_testkit::mutate::Rng;
use std::ffi::OsString;
use std::sync::OnceLock;

/// Panics when a command breaks a promise that shows in how it ends and in what it leaves behind. What it prints goes nowhere.
pub(crate) fn run(target: Target, bytes: &[u8]) {
    static FOLDER: OnceLock<std::path::PathBuf> = OnceLock::new();
    let Input::File(format) = target.input else { return };
    let folder = FOLDER.get_or_init(|| {
        // Where files cost no disk.
        let base = [std::path::PathBuf::from("/dev/shm"), std::env::temp_dir()].into_iter().find(|dir| dir.is_dir());
        base.unwrap_or_default().join(format!("meshwright-fuzz-{}", std::process::id()))
    });
    // The bytes decide what is done with them.
    let seed = bytes.iter().fold(bytes.len() as u64, |seed, b| seed.rotate_left(5) ^ u64::from(*b));
    let case = Case::of(&Subject::split(format, bytes));
    let mut program = |words: &[OsString]| {
        let status = meshwright_cli::run(words.iter().cloned());
        Ran { code: Some(status.code().into()), ..Ran::default() }
    };
    let tried = drive::attempt(&case, &mut Rng::new(seed), folder, &mut program).expect("a folder to write to");
    assert!(tried.broken.is_empty(), "{:#?}", tried.broken);
}

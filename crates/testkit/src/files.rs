//! The locations of test files.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The expected result for a fixture. The word before the extension of its name states it: `quad.ok.dpm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// It opens without findings, and is written again byte for byte.
    Ok,
    /// It opens with at least one finding, and is written again byte for byte.
    Warn,
    /// It is rejected.
    Reject,
}

impl Expect {
    /// Returns the expected result for a file name.
    pub fn of(name: &str) -> Option<Self> {
        let word = name.rsplit('.').nth(1)?;
        [Self::Ok, Self::Warn, Self::Reject].into_iter().find(|e| e.word() == word)
    }

    /// Returns the word in a file name.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Reject => "reject",
        }
    }
}

/// One file of `testdata/`.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// The file name.
    pub name: String,
    /// The expected result.
    pub expect: Expect,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Returns the folder `testdata/` of the workspace.
pub fn testdata() -> PathBuf {
    workspace().join("testdata")
}

fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("testkit is two folders below the workspace").to_owned()
}

/// Returns the corpus of real models, from `MESHWRIGHT_CORPUS` or, if that is not set, from next to the project. A test that
/// needs it uses the macro of the same name, which skips the test without a corpus.
pub fn corpus() -> Option<PathBuf> {
    let named = env::var_os("MESHWRIGHT_CORPUS").map(PathBuf::from);
    let dir = named.unwrap_or_else(|| workspace().join("../shared/corpus"));
    dir.join("manifest.json").is_file().then_some(dir)
}

/// Returns the corpus that `MESHWRIGHT_CORPUS` names. If it is set, as in `xtask conformance`, tests of
/// fixtures use its files too. Otherwise they test the same with and without a corpus next to the project.
pub fn given_corpus() -> Option<PathBuf> {
    env::var_os("MESHWRIGHT_CORPUS").filter(|name| !name.is_empty()).map(PathBuf::from)
}

/// Returns the valid fixtures of a format, and the files of its folder in the [given corpus](given_corpus),
/// with their names.
pub fn sound(format: &str, extension: &str) -> Vec<(String, Vec<u8>)> {
    let fixtures = fixtures(format, &[extension]).into_iter().filter(|f| f.expect != Expect::Reject);
    let mut all: Vec<_> = fixtures.map(|f| (f.name, f.bytes)).collect();
    let folder = given_corpus().map(|dir| dir.join(format));
    for path in folder.iter().flat_map(|dir| fs::read_dir(dir).unwrap()).map(|e| e.unwrap().path()) {
        if path.extension().is_some_and(|e| e == extension) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            all.push((name, fs::read(&path).unwrap()));
        }
    }
    all.sort();
    all
}

/// Reports that a test did not run, even if the test harness captures output: `skipped: corpus::poses: no
/// corpus`.
///
/// # Panics
/// If `MESHWRIGHT_REQUIRE` is set, as for runs in which every test must run.
pub fn skipped(test: &str, why: &str) {
    let name = test.trim_end_matches("::here").trim_end_matches("::{{closure}}");
    assert!(env::var_os("MESHWRIGHT_REQUIRE").is_none(), "{name} was skipped: {why}");
    // The handle itself is not captured, unlike the printing macros.
    let _ = writeln!(io::stderr().lock(), "skipped: {name}: {why}");
}

/// Returns the name of the function that contains the call.
#[macro_export]
macro_rules! test_name {
    () => {{
        fn here() {}
        ::std::any::type_name_of_val(&here)
    }};
}

/// Returns the folder of the corpus. Without a corpus the test reports that it is skipped and returns.
#[macro_export]
macro_rules! corpus {
    () => {
        match $crate::corpus() {
            Some(dir) => dir,
            None => return $crate::skipped($crate::test_name!(), "no corpus next to the project"),
        }
    };
}

/// Returns all fixtures in `testdata/<format>/` with one of the extensions, sorted by name.
///
/// # Panics
/// If no fixture exists, or if a name does not state the expected result.
pub fn fixtures(format: &str, extensions: &[&str]) -> Vec<Fixture> {
    let dir = testdata().join(format);
    let entries = fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut found = Vec::new();
    for path in entries.map(|e| e.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().expect("fixtures have plain names").to_owned();
        let extension = name.rsplit('.').next().unwrap_or_default();
        if !extensions.contains(&extension) {
            continue;
        }
        let expect = Expect::of(&name);
        let expect = expect
            .unwrap_or_else(|| panic!("{name}: the word before the extension must be ok, warn or reject"));
        found.push(Fixture { expect, bytes: fs::read(&path).unwrap(), name });
    }
    assert!(!found.is_empty(), "no fixture in {}: run `cargo run -p xtask -- fixtures`", dir.display());
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

//! Where test files are.

use std::fs;
use std::path::{Path, PathBuf};

/// What must become of a fixture; the word before the extension of its name says so: `quad.ok.dpm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expect {
    /// It parses, without any finding, and is written again byte for byte.
    Ok,
    /// It parses with at least one finding, and is written again byte for byte.
    Warn,
    /// It is refused.
    Reject,
}

/// One file of `testdata/`.
#[derive(Clone, Debug)]
pub struct Fixture {
    /// Its file name.
    pub name: String,
    /// What must become of it.
    pub expect: Expect,
    /// Its content.
    pub bytes: Vec<u8>,
}

/// The folder `testdata/` of the workspace.
pub fn testdata() -> PathBuf {
    workspace().join("testdata")
}

fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).expect("testkit lies two folders below the workspace").to_owned()
}

/// The corpus of real models, where it lies beside the project.
pub fn corpus() -> Option<PathBuf> {
    let dir = workspace().join("../shared/corpus");
    dir.join("manifest.json").is_file().then_some(dir)
}

/// All fixtures in `testdata/<format>/` with one of the extensions, by name.
///
/// # Panics
/// When there is none, or one whose name does not say what must become of it.
pub fn fixtures(format: &str, extensions: &[&str]) -> Vec<Fixture> {
    let dir = testdata().join(format);
    let entries = fs::read_dir(&dir).unwrap_or_else(|e| panic!("{}: {e}", dir.display()));
    let mut found = Vec::new();
    for path in entries.map(|e| e.unwrap().path()) {
        let name = path.file_name().unwrap().to_str().expect("fixtures have plain names").to_owned();
        let mut parts = name.rsplit('.');
        let extension = parts.next().unwrap_or_default();
        if !extensions.contains(&extension) {
            continue;
        }
        let expect = match parts.next() {
            Some("ok") => Expect::Ok,
            Some("warn") => Expect::Warn,
            Some("reject") => Expect::Reject,
            _ => panic!("{name}: the word before the extension must be ok, warn or reject"),
        };
        found.push(Fixture { expect, bytes: fs::read(&path).unwrap(), name });
    }
    assert!(!found.is_empty(), "no fixture in {}: run `cargo run -p xtask -- fixtures`", dir.display());
    found.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

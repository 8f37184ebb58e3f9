//! The corpus beside the project, for tests of packs and archives.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a failing test panics")]

use meshwright_core::{Budget, Limits};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> Option<PathBuf> {
    let root = meshwright_testkit::corpus();
    if root.is_none() {
        eprintln!("no corpus beside the project: nothing compared");
    }
    root
}

pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

pub(crate) fn budget() -> Budget {
    Budget::new(Limits::default())
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

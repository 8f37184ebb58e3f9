//! Expected results, and hashes of what was read.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::Path;

pub(crate) fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

pub(crate) fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

//! The header is what the crate exports.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use std::path::Path;
use std::{env, fs};

#[test]
fn the_header_is_current() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let made = cbindgen::Builder::new().with_crate(root).with_config(config).generate().unwrap();
    let mut text = Vec::new();
    made.write(&mut text);
    let path = root.join("include/meshwright.h");
    if env::var_os("MESHWRIGHT_BLESS").is_some() {
        fs::write(&path, &text).unwrap();
    }
    let there = fs::read(&path).unwrap_or_default();
    assert!(there == text, "include/meshwright.h is old: MESHWRIGHT_BLESS=1 cargo test --test header");
}

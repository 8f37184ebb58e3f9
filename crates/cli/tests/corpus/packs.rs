//! The tests of `tests/packs.rs`, on files of the corpus.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a failing test panics")]

use crate::common::ok;
use meshwright_testkit::corpus;
use std::fs;
use tempfile::TempDir;

#[test]
fn a_skin_can_be_chosen() {
    let root = corpus!();
    let dir = TempDir::new().unwrap();
    let pack = root.join("packs/small.pk3");
    let pack = pack.to_str().unwrap();
    let said = ok(dir.path(), &["convert", pack, "-o", "out", "--skin", "1", "--verbose"]);
    assert!(said.contains("tube.dpm_1.skin is shown") && said.contains("does not draw"), "{said}");
    let glb = fs::read(dir.path().join("out/models/test/tube.glb")).unwrap();
    let has = |word: &str| glb.windows(word.len()).any(|w| w == word.as_bytes());
    assert!(has("MASK") && has("body_blue") && !has("emissiveTexture") && !has("variants"));
    ok(dir.path(), &["convert", pack, "-o", "first"]);
    let glb = fs::read(dir.path().join("first/models/test/tube.glb")).unwrap();
    let has = |word: &str| glb.windows(word.len()).any(|w| w == word.as_bytes());
    // The picture of the second skin's glass.
    assert!(has("\"KHR_materials_variants\"") && has("skin 1") && has("\"a0\""));
    assert!(has("\"normalTexture\"") && has("\"emissiveTexture\"") && has("\"doubleSided\":true"));
}

//! Tests that repair repairs the stated faults, and changes nothing else.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::files::Tree;
use meshwright::{AnyModel, Budget, Format, Limits, ReadOptions, ReadSettings, Repaired, detect_met, repair};
use meshwright_testkit::testdata;
use std::collections::BTreeSet;
use std::fs;

fn settings() -> ReadSettings {
    ReadOptions::default().into()
}

fn fixture(name: &str) -> Vec<u8> {
    fs::read(testdata().join(name)).unwrap()
}

/// Checks the laws of a repair; returns the repaired codes.
fn laws(name: &str, bytes: &[u8], format: Format) -> Option<(Repaired, BTreeSet<&'static str>)> {
    let done = repair(bytes, format, &settings()).ok()?;
    let again = repair(&done.bytes, format, &settings()).unwrap();
    assert!(again.mended.is_empty() && again.bytes == done.bytes, "{name}: a repaired file is repaired");
    assert_eq!(again.left, done.left, "{name}");
    if done.mended.is_empty() {
        assert!(done.bytes == bytes && done.changed.is_empty(), "{name}: changed without a word");
        return Some((done, BTreeSet::new()));
    }
    let lenient = ReadSettings::from(ReadOptions::lenient());
    let parsed = AnyModel::parse_with(&done.bytes, format, &lenient).unwrap();
    let mut found = parsed.forgiven;
    found.append_new(parsed.model.validate());
    for mended in &done.mended {
        let left = found.iter().filter(|f| f.rule.code == mended.code).map(|f| f.path.to_string());
        for path in left {
            assert!(!mended.paths.contains(&path), "{name}: {} of {path} is there still", mended.code);
        }
        assert!(mended.count >= mended.paths.len() as u64 && mended.count > 0);
    }
    let sorted = done.mended.iter().any(|m| m.code == "bad-parent");
    if !sorted {
        assert_eq!(bytes.len(), done.bytes.len(), "{name}");
        // No field is wider.
        let count: u64 = done.mended.iter().map(|m| m.count).sum();
        let changed: usize = done.changed.iter().map(ExactSizeIterator::len).sum();
        assert!(changed as u64 <= 8 * count, "{name}: {changed} bytes for {count} faults");
    }
    for (at, (old, new)) in bytes.iter().zip(&done.bytes).enumerate() {
        assert!(old == new || done.changed.iter().any(|range| range.contains(&at)), "{name}: byte {at}");
    }
    let codes = done.mended.iter().map(|m| m.code).collect();
    Some((done, codes))
}

fn be(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
}

fn le(bytes: &mut [u8], at: usize, value: u32) {
    bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

/// Files that are broken in one place each.
fn broken() -> Vec<(&'static str, Format, Vec<u8>)> {
    let mut made = Vec::new();
    for (name, format, size_at, parent_at) in
        [("dpm/hopper.ok.dpm", Format::Dpm, 20, (68, 32)), ("dpm/pair.ok.zym", Format::Zym, 16, (84, 36))]
    {
        for size in [u32::MAX, 200] {
            let mut bytes = fixture(name);
            be(&mut bytes, size_at, size);
            made.push((name, format, bytes));
        }
        let mut bytes = fixture(name);
        let (table, parent) = parent_at;
        let bones = u32::from_be_bytes(bytes[table..table + 4].try_into().unwrap()) as usize;
        be(&mut bytes, bones + parent, u32::MAX - 6);
        made.push((name, format, bytes));
    }
    let iqm = "iqm/tube.ok.iqm";
    for size in [u32::MAX, 130] {
        let mut bytes = fixture(iqm);
        le(&mut bytes, 20, size);
        made.push(("iqm size", Format::Iqm, bytes));
    }
    let bytes = fixture(iqm);
    let (joints, poses, meshes) = (word(&bytes, 72), word(&bytes, 80), word(&bytes, 40));
    for (name, at, value) in [
        ("iqm name", joints, 0x7fff_0000),
        ("iqm parent", joints + 4, u32::MAX - 8),
        ("iqm material", meshes + 4, 0x7fff_0000),
    ] {
        let mut bytes = bytes.clone();
        le(&mut bytes, at, value);
        made.push((name, Format::Iqm, bytes));
    }
    let mut masked = bytes.clone();
    let mask = u32::try_from(word(&masked, poses + 4)).unwrap();
    le(&mut masked, poses + 4, mask | 0x8000_0000);
    made.push(("iqm mask", Format::Iqm, masked));
    made
}

#[test]
fn everything_that_can_be_mended_is() {
    let mut seen: BTreeSet<(&str, &str)> = BTreeSet::new();
    let tree = Tree::open(testdata()).unwrap();
    let mut files = 0;
    for file in tree.walk().files {
        let path = file.unwrap().to_string();
        let bytes = tree.read(&*path, &Budget::new(Limits::default())).unwrap().into_owned();
        let Some(found) = detect_met(&bytes, &path) else { continue };
        if let Some((done, codes)) = laws(&path, &bytes, found.format) {
            assert!(!path.contains(".ok.") || done.bytes == bytes, "{path}: a sound file is changed");
            seen.extend(codes.into_iter().map(|code| (found.format.family(), code)));
            files += 1;
        }
    }
    assert!(files > 200, "{files}");
    for (name, format, bytes) in broken() {
        let (_, codes) = laws(name, &bytes, format).unwrap_or_else(|| panic!("{name} does not open"));
        assert!(!codes.is_empty(), "{name}: nothing was repaired");
        seen.extend(codes.into_iter().map(|code| (format.family(), code)));
    }
    let all = Format::ALL.iter().flat_map(|f| f.mended().iter().map(|(code, _)| (f.family(), *code)));
    let unseen: Vec<_> = all.filter(|known| !seen.contains(known)).collect();
    assert!(unseen.is_empty(), "never mended: {unseen:?}");
}

/// Mending opens files that strict readers refuse.
#[test]
fn a_repaired_file_opens_strictly() {
    for (name, format, bytes) in broken() {
        let done = repair(&bytes, format, &settings()).unwrap();
        assert!(AnyModel::parse_with(&done.bytes, format, &settings()).is_ok(), "{name}: {:?}", done.left);
    }
    let cut = &fixture("dpm/hopper.ok.dpm")[..100];
    assert!(repair(cut, Format::Dpm, &settings()).is_err());
}

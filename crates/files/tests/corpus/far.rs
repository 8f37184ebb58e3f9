//! Applies the checks of `tests/far.rs` to the files of the corpus.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a failing test panics")]

use super::support::{hash, json};
use crate::common::budget;
use meshwright_files::{FilesError, Pack, PackBuilder, PackKind, Tree, TreePath};
use meshwright_testkit::corpus;
use serde_json::Value;
use std::fs;

fn repack(pack: &Pack, changes: &[(TreePath, Vec<u8>)]) -> Vec<u8> {
    let mut builder = PackBuilder::new(PackKind::Far).unwrap().based_on(pack).unwrap();
    for (path, bytes) in changes {
        let bytes = bytes.clone();
        builder.add(path.clone(), Box::new(move || Ok(bytes.clone()))).unwrap();
    }
    let mut out = Vec::new();
    builder.write(&mut out).unwrap();
    out
}

const ARCHIVES: [&str; 5] =
    ["avatardata.dat", "names_1b.far", "other_writer_1a.far", "skins_1a.far", "stored_3.dat"];

#[test]
fn archives_hold_what_their_writers_put_in() {
    let root = corpus!();
    for name in ARCHIVES {
        let path = root.join("archives").join(name);
        let dump = json(&root.join(format!("expected/archives/{name}.json")));
        let bytes = fs::read(&path).unwrap();
        let pack = Pack::open(bytes.clone(), name, &budget()).unwrap();
        assert_eq!(pack.kind(), PackKind::Far);
        let entries = dump["native"]["entries"].as_array().unwrap();
        assert_eq!(pack.members().len(), entries.len(), "{name}");
        for (member, want) in pack.members().iter().zip(entries) {
            let stored: String = meshwright_core::text::cp1252(member.stored_name());
            assert_eq!(stored, want["name"].as_str().unwrap(), "{name}");
            let content = pack.read(member, &budget()).unwrap();
            assert_eq!(hash(&content), want["sha256"].as_str().unwrap(), "{name}: {stored}");
            assert_eq!(member.size(), want["size"].as_u64().unwrap());
            assert_eq!(member.packed_size(), want["stored"].as_u64().unwrap());
            let shown = member.path().unwrap().to_string();
            if let Some(id) = want["file_id"].as_u64() {
                let tag = format!("{id:08x}{:08x}.", want["type_id"].as_u64().unwrap());
                assert!(shown.contains(&tag), "{shown}");
            } else {
                assert_eq!(shown, stored.replace('\\', "/"));
            }
        }
        let wanted: Vec<_> =
            dump["native"]["issues"].as_array().unwrap().iter().map(|i| i[1].as_str().unwrap()).collect();
        let report = pack.check(&budget());
        let found: Vec<_> = report.iter().map(|f| f.rule.native).collect();
        assert_eq!(found, wanted, "{name}");

        // Unchanged files give the same bytes. If one member changes, all others keep their stored bytes.
        assert!(repack(&pack, &[]) == bytes, "{name}");
        let (path, first) = pack.files().next().unwrap();
        let changed = repack(&pack, &[(path.clone(), b"changed".to_vec())]);
        let other = Pack::open(changed, name, &budget()).unwrap();
        assert_eq!(other.members().len(), pack.members().len());
        for (a, b) in pack.members().iter().zip(other.members()) {
            assert_eq!((a.stored_name(), a.path()), (b.stored_name(), b.path()), "{name}");
            let want = if a.stored_name() == first.stored_name() && a.path() == first.path() {
                b"changed".to_vec()
            } else {
                assert_eq!((a.packed_size(), a.coding()), (b.packed_size(), b.coding()));
                pack.read(a, &budget()).unwrap()
            };
            assert_eq!(other.read(b, &budget()).unwrap(), want, "{name}");
        }
        assert!(!other.check(&budget()).has_errors());
        // It opens as a folder.
        let tree = Tree::file(root.join("archives").join(name)).unwrap();
        assert_eq!(tree.walk().files.len(), entries.len(), "{name}");
    }
}

#[test]
fn broken_archives_fare_as_listed() {
    let root = corpus!();
    let mut checked = 0;
    for case in json(&root.join("malformed/cases.json")).as_array().unwrap() {
        if case["format"] != "far" {
            continue;
        }
        let file = case["file"].as_str().unwrap();
        let (code, offset) = (case["code"].as_str().unwrap(), case["offset"].as_u64());
        let bytes = fs::read(root.join(file)).unwrap();
        let length = bytes.len() as u64;
        match (case["expect"].as_str().unwrap(), Pack::open(bytes.clone(), file, &budget())) {
            ("reject", Err(FilesError::Pack { error, .. })) => {
                assert_eq!((error.rule().native, Some(error.offset())), (code, offset), "{file}: {error}");
            }
            ("reject", Ok(pack)) => {
                let report = pack.check(&budget());
                let found = report.iter().any(|f| f.rule.native == code && f.offset == offset);
                assert!(found && report.has_errors(), "{file}: {:?}", report.findings());
                // One bad member does not affect the others.
                let bad = case.get("member").and_then(Value::as_u64);
                for (i, member) in pack.members().iter().enumerate().filter(|(i, _)| Some(*i as u64) != bad) {
                    let read = pack.read(member, &budget());
                    assert!(read.is_ok() || bad.is_none(), "{file}: member {i}: {read:?}");
                }
            }
            ("warn", Ok(pack)) => {
                let report = pack.check(&budget());
                let found =
                    report.iter().any(|f| f.rule.native == code && f.offset.is_some_and(|at| at <= length));
                assert!(found && !report.has_errors(), "{file}: {:?}", report.findings());
            }
            ("accept", Ok(pack)) => {
                assert!(pack.check(&budget()).is_empty(), "{file}");
                assert!(repack(&pack, &[]) == bytes, "{file}");
            }
            (expect, other) => panic!("{file}: {expect} expected: {:?}", other.map(|_| ())),
        }
        checked += 1;
    }
    assert_eq!(checked, 36);
}

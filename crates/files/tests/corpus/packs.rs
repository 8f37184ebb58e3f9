//! Tests packs of an independent writer, from the corpus next to the project: their content, which files
//! hide others, and how broken packs are handled.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a failing test panics")]

use super::support::{hash, json};
use crate::common::budget;
use meshwright_files::{FilesError, Tree};
use meshwright_testkit::corpus;
use std::path::Path;

#[test]
fn packs_hold_what_their_writer_put_in() {
    let root = corpus!();
    let all = json(&root.join("packs/listing.json"));
    for (pack, files) in all.as_object().unwrap() {
        let tree = Tree::file(root.join("packs").join(pack)).unwrap();
        let walk = tree.walk();
        let found: Vec<_> = walk.files.iter().map(|f| f.as_ref().unwrap().to_string()).collect();
        let mut expected: Vec<_> = files.as_object().unwrap().keys().cloned().collect();
        let mut sorted = found.clone();
        sorted.sort();
        expected.sort();
        assert_eq!(sorted, expected, "{pack}");
        for (name, file) in files.as_object().unwrap() {
            let bytes = tree.read(&**name, &budget()).unwrap();
            assert_eq!(bytes.len() as u64, file["size"].as_u64().unwrap(), "{pack}/{name}");
            assert_eq!(hash(&bytes), file["sha256"].as_str().unwrap(), "{pack}/{name}");
            let head = tree.read_head(&**name, 7, &budget()).unwrap();
            assert_eq!(head, bytes[..bytes.len().min(7)], "{pack}/{name}");
        }
        let (_, pack) = tree.packs().next().unwrap();
        assert!(pack.unwrap().check(&budget()).is_empty());
    }
}

#[test]
fn packs_hide_each_other_as_in_the_engine() {
    let root = corpus!();
    let all = json(&root.join("packs/overrides.json"));
    for (folders, files) in all.as_object().unwrap() {
        let trees = folders.split(" + ").map(|folder| Tree::open(root.join("packs").join(folder)).unwrap());
        let tree = Tree::layered(trees);
        let files = files.as_object().unwrap();
        for (name, file) in files {
            let found = tree.find(&*name.to_lowercase()).unwrap().unwrap();
            assert_eq!(found, file["stored_as"].as_str().unwrap(), "{folders}: {name}");
            let from = tree.shown_path(&found).unwrap();
            let from = from.strip_prefix(root.join("packs")).unwrap().to_str().unwrap();
            let stored = file["stored_as"].as_str().unwrap();
            assert_eq!(from, format!("{}/{stored}", file["source"].as_str().unwrap()), "{folders}: {name}");
            assert_eq!(hash(&tree.read(&**name, &budget()).unwrap()), file["sha256"].as_str().unwrap());
        }
        let walk = tree.walk();
        let found: Vec<_> = walk.files.iter().map(|f| f.as_ref().unwrap().to_string()).collect();
        assert_eq!(found.len(), files.len(), "{folders}: {found:?}");
        assert!(walk.hidden > 0 && found.iter().all(|name| files.contains_key(name)));
    }
}

/// Opens a pack and reads a file in it. Returns its bytes, and the codes of all findings.
fn open(path: &Path, entry: &str) -> (Result<Vec<u8>, FilesError>, Vec<&'static str>) {
    let tree = match Tree::file(path) {
        Ok(tree) => tree,
        Err(e) => return (Err(e), Vec::new()),
    };
    let (_, pack) = tree.packs().next().unwrap();
    let pack = pack.unwrap();
    let mut codes: Vec<_> = pack.report().totals().map(|(code, ..)| code).collect();
    codes.extend(pack.check(&budget()).totals().map(|(code, ..)| code));
    (tree.read(entry, &budget()).map(std::borrow::Cow::into_owned), codes)
}

#[test]
fn broken_packs_get_their_answers() {
    let root = corpus!();
    let cases = json(&root.join("malformed/cases.json"));
    let cases: Vec<_> = cases.as_array().unwrap().iter().filter(|c| c["entry"].is_string()).collect();
    assert_eq!(cases.len(), 61);
    for case in cases {
        let text = |key: &str| case[key].as_str().unwrap();
        let (file, code) = (text("file"), text("code"));
        let (content, codes) = open(&root.join(file), text("entry"));
        match (text("expect"), content) {
            // The pack is valid, the model in it is not.
            ("reject", Ok(bytes)) if file.ends_with("bomb_64m.pk3") => assert_eq!(bytes.len(), 64 << 20),
            ("reject", Err(FilesError::Pack { error, .. })) => {
                assert_eq!(error.code(), code, "{file}: {error}");
            }
            ("reject", Err(e)) if code == "not-found" || codes.contains(&code) => {
                assert!(matches!(e, FilesError::NotFound { .. } | FilesError::BadPath { .. }), "{file}: {e}");
            }
            ("warn", Ok(bytes)) => {
                assert!(bytes.starts_with(b"DARKPLACESMODEL\0"), "{file}");
                assert!(codes.contains(&code), "{file}: {code} expected: {codes:?}");
            }
            ("accept", Ok(bytes)) => {
                assert!(bytes.starts_with(b"DARKPLACESMODEL\0"), "{file}");
                assert!(codes.is_empty(), "{file}: {codes:?}");
            }
            (expect, got) => panic!("{file}: {expect} {code}: {:?}", got.map(|b| b.len())),
        }
    }
}

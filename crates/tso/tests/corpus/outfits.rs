//! Compares outfits and their parts with reference dumps, and broken ones with their list.

use super::data::{files, int, json, name};
use meshwright_core::{Confidence, FileFormat, ReadOptions};
use meshwright_testkit::corpus;
use meshwright_tso::{Apr, Bnd, Col, FileRef, Hag, Oft, Po};
use serde_json::{Value, json as value};
use std::fs;
use std::path::Path;

fn each<F: FileFormat>(dir: &Path, extension: &str, native: impl Fn(&F) -> Value) {
    for path in files(&dir.join("archives/outfits"), extension) {
        let (name, bytes) = (name(&path), fs::read(&path).unwrap());
        let model =
            F::parse_with(&bytes, &F::Options::default()).unwrap_or_else(|e| panic!("{name}: {e}")).model;
        assert!(model.to_bytes().unwrap() == bytes, "{name}");
        assert!(model.validate().is_empty(), "{name}: {:?}", model.validate().findings());
        assert_eq!(F::sniff(&bytes), Confidence::Likely, "{name}");
        let dump = json(&dir.join(format!("expected/archives/outfits/{name}.json")));
        for (key, found) in native(&model).as_object().unwrap() {
            assert_eq!(*found, dump["native"][key], "{name}: {key}");
        }
        // No other kind of record takes it for its own.
        let others = [
            Apr::sniff(&bytes),
            Oft::sniff(&bytes),
            Hag::sniff(&bytes),
            Po::sniff(&bytes),
            Col::sniff(&bytes),
        ];
        let taken = others.iter().filter(|c| **c == Confidence::Likely).count();
        assert_eq!(taken, usize::from(F::ID != Bnd::ID), "{name}");
    }
}

fn refs(all: &[FileRef]) -> Value {
    all.iter().map(|r| value!([r.file, r.kind])).collect()
}

#[test]
fn outfits_are_read_and_written_as_they_are() {
    let dir = corpus!();
    each::<Apr>(
        &dir,
        "apr",
        |m| value!({ "thumbnail": [m.thumbnail.file, m.thumbnail.kind], "bindings": refs(&m.bindings) }),
    );
    each::<Oft>(&dir, "oft", |m| {
        let looks = refs(&m.appearances);
        value!({ "unknown": m.unknown, "appearances": looks, "hand_group": m.hands, "region": m.region.0 })
    });
    each::<Hag>(&dir, "hag", |m| value!({ "hands": refs(&m.appearances) }));
    each::<Po>(&dir, "po", |m| {
        let link = |id: &Option<meshwright_tso::ResourceId>| id.map(|id| [id.group, id.file, id.kind]);
        value!({ "gender": m.unknown, "outfit": link(&m.outfit), "collection": link(&m.collection) })
    });
    each::<Col>(&dir, "col", |m| {
        let items = m.items.iter().map(|i| value!([i.index, i.purchasable.file, i.purchasable.kind]));
        value!({ "items": items.collect::<Value>() })
    });
    each::<Bnd>(&dir, "bnd", |_| value!({}));
}

fn check<F: FileFormat>(file: &str, bytes: &[u8], case: &Value) {
    let (expect, code) = (case["expect"].as_str().unwrap(), case["code"].as_str().unwrap());
    let options = F::Options::from(ReadOptions::default());
    match F::parse_with(bytes, &options) {
        Ok(parsed) => {
            let report = parsed.model.validate();
            assert_eq!(
                (expect == "warn", expect == "reject"),
                (report.has(code) && !code.is_empty(), false),
                "{file}"
            );
            assert!(!report.has_errors() && parsed.model.to_bytes().unwrap() == bytes, "{file}");
        }
        Err(e) => {
            assert_eq!(
                (expect, e.rule().native, e.offset()),
                ("reject", code, u64::from(int(&case["offset"]))),
                "{file}: {e}"
            );
        }
    }
}

#[test]
fn broken_outfits_fare_as_listed() {
    let dir = corpus!();
    let mut checked = 0;
    for case in json(&dir.join("malformed/cases.json")).as_array().unwrap() {
        if case["format"] != "outfit" {
            continue;
        }
        let file = case["file"].as_str().unwrap();
        let bytes = fs::read(dir.join(file)).unwrap();
        match file.rsplit('.').next().unwrap() {
            "apr" => check::<Apr>(file, &bytes, case),
            "oft" => check::<Oft>(file, &bytes, case),
            "hag" => check::<Hag>(file, &bytes, case),
            "po" => check::<Po>(file, &bytes, case),
            "col" => check::<Col>(file, &bytes, case),
            other => panic!("{other}"),
        }
        checked += 1;
    }
    assert_eq!(checked, 21);
}

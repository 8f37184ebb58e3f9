//! Tests that broken files are refused or read as their list says.

use super::data::json;
use meshwright_core::{Parsed, ReadError, ReadOptions, Report, Strictness, WriteError};
use meshwright_scene::SceneOptions;
use meshwright_testkit::corpus;
use meshwright_tso::{Anim, Mesh, Skel};
use std::collections::BTreeSet;
use std::fs;

struct Kind<M> {
    parse: fn(&[u8], &ReadOptions) -> Result<Parsed<M>, ReadError>,
    validate: fn(&M) -> Report,
    write: fn(&M, Strictness) -> Result<Vec<u8>, WriteError>,
    convert: fn(&M),
}

impl<M> Kind<M> {
    fn check(&self, file: &str, bytes: &[u8], expect: &str, codes: &BTreeSet<&str>) {
        let strict = (self.parse)(bytes, &ReadOptions::default());
        match (expect, &strict) {
            ("reject", Err(e)) => {
                assert!(
                    codes.contains("any_error") || codes.contains(e.rule().native),
                    "{file}: {e:?}, not {codes:?}"
                );
                assert!(e.offset() <= bytes.len() as u64, "{file}");
            }
            ("warn" | "accept", Ok(parsed)) => {
                let report = (self.validate)(&parsed.model);
                let found: BTreeSet<_> = report.findings().iter().map(|f| f.rule.native).collect();
                assert_eq!(&found, codes, "{file}");
                assert!(!report.has_errors(), "{file}");
                assert!((self.write)(&parsed.model, Strictness::Strict).unwrap() == bytes, "{file}");
            }
            _ => panic!("{file}: expected {expect}, got {:?}", strict.map(|_| ())),
        }
        // A file that lenient reading accepts is written again unchanged. Its findings name the reasons for a strict refusal.
        if let Ok(lenient) = (self.parse)(bytes, &ReadOptions::lenient()) {
            assert_eq!(lenient.forgiven.has_errors(), expect == "reject", "{file}");
            if expect == "reject" {
                assert!((self.write)(&lenient.model, Strictness::Strict).is_err(), "{file}");
            }
            assert!((self.write)(&lenient.model, Strictness::Lenient).unwrap() == bytes, "{file}");
            (self.convert)(&lenient.model);
        }
    }
}

#[test]
fn broken_files_fare_as_listed() {
    let dir = corpus!();
    let mesh = Kind::<Mesh> {
        parse: Mesh::parse_with,
        validate: Mesh::validate,
        write: Mesh::to_bytes_with,
        convert: |m| m.to_scene(&SceneOptions::default(), None, &[]).unwrap().value.validate().unwrap(),
    };
    let anim = Kind::<Anim> {
        parse: Anim::parse_with,
        validate: Anim::validate,
        write: Anim::to_bytes_with,
        convert: |a| {
            let skel = Skel {
                bones: vec![meshwright_tso::Bone {
                    name: "PELVIS".into(),
                    parent: "NULL".into(),
                    ..Default::default()
                }],
                ..Skel::default()
            };
            a.to_scene(&SceneOptions::default(), &skel).unwrap().value.validate().unwrap();
        },
    };
    let skel = Kind::<Skel> {
        parse: Skel::parse_with,
        validate: Skel::validate,
        write: Skel::to_bytes_with,
        convert: |s| s.to_scene(&SceneOptions::default(), &[]).unwrap().value.validate().unwrap(),
    };
    let mut checked = 0;
    for case in json(&dir.join("malformed/cases.json")).as_array().unwrap() {
        if case["format"] != "tso" {
            continue;
        }
        let file = case["file"].as_str().unwrap();
        let bytes = fs::read(dir.join(file)).unwrap();
        let (expect, codes) = (case["expect"].as_str().unwrap(), case["code"].as_str().unwrap());
        let codes = codes.split(',').filter(|c| !c.is_empty()).collect();
        match file.rsplit('.').next().unwrap() {
            "mesh" => mesh.check(file, &bytes, expect, &codes),
            "anim" => anim.check(file, &bytes, expect, &codes),
            "skel" => skel.check(file, &bytes, expect, &codes),
            other => panic!("{other}"),
        }
        checked += 1;
    }
    assert!(checked >= 42, "{checked}");
}

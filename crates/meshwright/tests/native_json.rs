//! JSON of a file's own fields compiles to the same bytes, and an edit of it changes what was edited.

use crate::compiled::{compiled, json};
use meshwright::native_json::build;
use meshwright::{AnyModel, ErrorKind, Format, Limits, ReadOptions};
use meshwright_testkit::testdata;
use std::collections::BTreeSet;
use std::fs;

fn built(json: &str) -> Vec<u8> {
    build(json.as_bytes(), Limits::default()).unwrap().bytes
}

#[test]
fn every_fixture_is_compiled_to_its_own_bytes() {
    let seen = compiled(&testdata());
    let missing: Vec<_> = Format::ALL.iter().map(|f| f.id()).filter(|id| !seen.contains_key(id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The sound fixtures whose JSON is edited.
const EDITED: &[(&str, Format)] = &[
    ("dpm/hopper.ok.dpm", Format::Dpm),
    ("dpm/pair.ok.zym", Format::Zym),
    ("bmd/windmill.ok.bmd", Format::Bmd),
    ("iqm/tube.ok.iqm", Format::Iqm),
    ("tso/sway.ok.anim", Format::TsoAnimation),
];

/// Keys whose numbers state where or what other parts are, so that another number is another structure.
const STRUCTURAL: &[&str] = &[
    "at",
    "flag",
    "format",
    "index_size",
    "low",
    "first",
    "second_96",
    "second_128",
    "material",
    "name",
    "num_framechannels",
    "num_frames",
    "num_vertexes",
    "offset",
    "has_properties",
    "has_time_properties",
    "dialect",
    "vertex_size",
    "size",
    "start",
    "tag",
    "type",
    "version",
];

/// Returns the numbers of a JSON: the range of each and the key before it.
fn numbers(text: &str) -> Vec<(std::ops::Range<usize>, String)> {
    let (mut all, mut at, mut key) = (Vec::new(), 0, String::new());
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let end = at + 1 + text[at + 1..].find('"').unwrap();
                if bytes.get(end + 1) == Some(&b':') {
                    key = text[at + 1..end].to_owned();
                }
                at = end + 1;
            }
            b'-' | b'0'..=b'9' => {
                let len = text[at..].find(|c: char| !"+-.eE0123456789".contains(c)).unwrap();
                all.push((at..at + len, key.clone()));
                at += len;
            }
            _ => at += 1,
        }
    }
    all
}

#[test]
fn an_edited_number_changes_no_other() {
    for (name, format) in EDITED {
        let text = json(&fs::read(testdata().join(name)).unwrap(), *format);
        let numbers = numbers(&text);
        let step = numbers.len() / 150 + 1;
        let mut edited = 0;
        for (range, key) in numbers.into_iter().step_by(step) {
            if STRUCTURAL.contains(&key.as_str()) || key.starts_with("ofs") {
                continue;
            }
            let old = &text[range.clone()];
            let new = if old.contains('.') {
                "0.1875"
            } else if old == "1" {
                "2"
            } else {
                "1"
            };
            let changed = [&text[..range.start], new, &text[range.end..]].concat();
            let bytes = build(changed.as_bytes(), Limits::default());
            let bytes = bytes.unwrap_or_else(|e| panic!("{name}: {key} {old}: {e}")).bytes;
            // Lines may be broken elsewhere.
            let again = json(&bytes, *format);
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert!(words(&again) == words(&changed), "{name}: {key} {old}");
            edited += 1;
        }
        assert!(edited > 3, "{name}: {edited}");
    }
}

#[test]
fn lists_and_texts_may_become_longer() {
    let file = fs::read(testdata().join("iqm/tube.ok.iqm")).unwrap();
    let text = json(&file, Format::Iqm);
    let AnyModel::Iqm(old) = AnyModel::parse(&file, Format::Iqm, &ReadOptions::default()).unwrap().model
    else {
        panic!()
    };
    let name = String::from_utf8(old.str(old.joints[0].name).to_vec()).unwrap();
    let longer = text.replace(&format!("\"{name}\""), "\"a much longer name of a bone\"");
    assert_ne!(text, longer);
    let file = built(&longer);
    let AnyModel::Iqm(new) = AnyModel::parse(&file, Format::Iqm, &ReadOptions::default()).unwrap().model
    else {
        panic!()
    };
    assert_eq!(new.str(new.joints[0].name), b"a much longer name of a bone");
    let rest = |model: &meshwright::iqm::Iqm| {
        model.joints.iter().map(|j| (j.parent, j.translate, j.rotate, j.scale)).collect::<Vec<_>>()
    };
    assert_eq!(rest(&new), rest(&old));
    let names = |model: &meshwright::iqm::Iqm| {
        model.anims.iter().map(|a| model.str(a.name).to_vec()).collect::<Vec<_>>()
    };
    assert_eq!(names(&new), names(&old));
    assert_eq!(new.frames, old.frames);

    // One more bone, after the others.
    let file = fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap();
    let AnyModel::Dpm(old) = AnyModel::parse(&file, Format::Dpm, &ReadOptions::default()).unwrap().model
    else {
        panic!()
    };
    let text = json(&file, Format::Dpm);
    let vertices = text.find("\"groupids\": [").unwrap() + "\"groupids\": [".len();
    let more = [&text[..vertices], "7, ", &text[vertices..]].concat();
    let e = build(more.as_bytes(), Limits::default()).unwrap_err();
    assert_eq!((e.code(), e.path()), ("native-json", "file.meshes[0].groupids"), "{e}");
    let triangles = more.find("\"triangles\": [").unwrap() + "\"triangles\": [".len();
    let more = [&more[..triangles], "{\"v0\": 0, \"v1\": 1, \"v2\": 2}, ", &more[triangles..]].concat();
    let AnyModel::Dpm(new) =
        AnyModel::parse(&built(&more), Format::Dpm, &ReadOptions::default()).unwrap().model
    else {
        panic!()
    };
    assert_eq!(new.meshes[0].triangles.len(), old.meshes[0].triangles.len() + 1);
    assert_eq!((new.meshes[0].groupids[0], &new.meshes[0].vertices), (7, &old.meshes[0].vertices));
    assert_eq!((&new.poses, &new.frames.len()), (&old.poses, &old.frames.len()));
}

#[test]
fn floats_keep_their_bits() {
    let name = "dpm/hopper.ok.dpm";
    let file = fs::read(testdata().join(name)).unwrap();
    for bits in [0x7fc0_1234_u32, 0xff80_0000, 0x8000_0000, 1, 0x3e99_999a, 0x7f7f_ffff, 0x0080_0000] {
        let mut file = file.clone();
        file[24..28].copy_from_slice(&bits.to_be_bytes());
        assert_eq!(built(&json(&file, Format::Dpm)), file, "{bits:x}");
    }
}

#[test]
fn a_size_of_names_beyond_the_file_is_kept() {
    let file = fs::read(testdata().join("iqm/tube.ok.iqm")).unwrap();
    let size = |n: u32| [&file[..28], &n.to_le_bytes(), &file[32..]].concat();
    let names = u32::from_le_bytes(file[28..32].try_into().unwrap());
    let mut broken = vec![size(0), size(names - 1), size(names + 1), size(0x7fff_ffff), size(u32::MAX)];
    broken.extend((124..file.len()).step_by(5).map(|end| file[..end].to_vec()));
    for file in broken {
        assert_eq!(built(&json(&file, Format::Iqm)), file);
    }
}

#[test]
fn errors_name_the_path() {
    let text = json(&fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap(), Format::Dpm);
    let mut paths = BTreeSet::new();
    let mut fails = |old: &str, new: &str, path: &str| {
        let wrong = text.replacen(old, new, 1);
        assert_ne!(text, wrong, "{old}");
        let e = build(wrong.as_bytes(), Limits::default()).unwrap_err();
        assert_eq!((e.code(), e.path(), e.kind()), ("native-json", path, ErrorKind::Malformed), "{e}");
        paths.insert(path.to_owned());
    };
    fails("\"parent\": -1", "\"parent\": 7000000000", "file.bones[0].parent");
    fails("\"parent\": -1", "\"parent\": 0.5", "file.bones[0].parent");
    fails("\"parent\": -1", "\"parent\": \"0x100000000\"", "file.bones[0].parent");
    fails("\"parent\": -1", "\"aunt\": -1", "file.bones[0]");
    fails(
        "\"shadername\": \"",
        "\"shadername\": \"a name that has more than 32 bytes ",
        "file.meshes[0].mesh.shadername",
    );
    fails("\"bones\"", "\"bonez\"", "file");
    fails("\"format\": \"dpm\"", "\"format\": \"mpd\"", "format");
    fails("{\n", "{ 7\n", "");
    assert_eq!(paths.len(), 6);
    for limit in [100, 1000, 10_000] {
        let e = build(text.as_bytes(), Limits::default().with_memory(limit)).unwrap_err();
        assert!(["limit", "native-json"].contains(&e.code()), "{e}");
    }
}

#[test]
fn no_text_panics() {
    for (name, format) in EDITED {
        let text = json(&fs::read(testdata().join(name)).unwrap(), *format);
        for part in 1..40 {
            let cut = text.len() * part / 40;
            let _ = build(&text.as_bytes()[..cut], Limits::default());
            // A list or an object becomes another value.
            let Some(at) = text[cut..].find(['[', '{', '"']).map(|at| cut + at) else { continue };
            for other in ["null, ", "[], ", "{}, ", "-1, ", "\"same_as\": "] {
                let changed = [&text[..at], other, &text[at..]].concat();
                let _ = build(changed.as_bytes(), Limits::default());
            }
        }
    }
    let deep = "[".repeat(100_000);
    assert!(build(deep.as_bytes(), Limits::default()).is_err());
}

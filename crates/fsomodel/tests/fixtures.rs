//! Checks that every fixture is read as its name says, and that no prefix of one opens.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use meshwright_core::ReadOptions;
use meshwright_fsomodel::{ChunkId, Dialect, FsoModel, FsoOptions, Metadata};
use meshwright_scene::SceneOptions;
use meshwright_testkit::laws::laws;
use meshwright_testkit::{Expect, fixtures, testdata};
use std::fs;

#[test]
fn models() {
    for fixture in fixtures("fsomodel", &["fom"]) {
        laws::<FsoModel<'static>>().fixture(&fixture);
        // A file that is cut between two chunks is valid if the rest is not needed.
        let last = match fixture.name.as_str() {
            "unknown.ok.fom" => 17,
            "triangle.ok.fom" => 36,
            "nothing.ok.fom" => 12,
            "bases.ok.fom" => 84,
            _ => 0,
        };
        if last > 0 {
            for cut in 0..fixture.bytes.len() {
                let opens = FsoModel::parse(&fixture.bytes[..cut]).is_ok();
                assert_eq!(opens, cut == fixture.bytes.len() - last, "{} at {cut}", fixture.name);
            }
        }
    }
}

#[test]
fn companions() {
    for fixture in fixtures("fsomodel", &["json"]) {
        laws::<Metadata>().fixture(&fixture);
        if fixture.expect == Expect::Ok {
            laws::<Metadata>().prefixes(&fixture.name, &fixture.bytes, fixture.bytes.len());
        }
    }
}

#[test]
fn pairs() {
    let dir = testdata().join("fsomodel/pairs");
    let (file, text) =
        (fs::read(dir.join("fighter.ok.fom")).unwrap(), fs::read(dir.join("fighter.ok.json")).unwrap());
    let options = FsoOptions::default().with_metadata(&text[..]);
    let model = FsoModel::parse_with(&file, &options).unwrap().model;
    assert!(model.validate().is_empty(), "{:?}", model.validate());
    assert_eq!(model.dialect, Dialect::Gl3);
    assert_eq!(model.to_bytes().unwrap(), file);
    assert_eq!(model.metadata.as_ref().unwrap().to_bytes().unwrap(), text);
    // Without the companion file, sizes and normals identify the dialect.
    let alone = FsoModel::parse(&file).unwrap();
    assert_eq!(alone.dialect, Dialect::Gl3);
    assert_eq!(alone.ranges().len(), 1);
}

/// Tests the code with which each fixture is rejected.
#[test]
fn codes() {
    let codes = [
        ("empty.reject.fom", "truncated"),
        ("magic.reject.fom", "bad-magic"),
        ("version.reject.fom", "bad-version"),
        ("missing.reject.fom", "missing-chunk"),
        ("lower_case.reject.fom", "missing-chunk"),
        ("twice.reject.fom", "duplicate-chunk"),
        ("tail.reject.fom", "truncated"),
        ("wraps.reject.fom", "truncated"),
        ("vertex_size.reject.fom", "stream-size"),
        ("entry_size.reject.fom", "stream-size"),
        ("misaligned.reject.fom", "misaligned"),
        ("range.reject.fom", "mesh-range"),
        ("range_empty.reject.fom", "mesh-range"),
        ("index.reject.fom", "index-range"),
        ("base.reject.fom", "index-range"),
        ("gl3_index.reject.fom", "index-range"),
        ("material.reject.json", "metadata"),
        ("field.reject.json", "metadata"),
        ("node_mesh.reject.json", "metadata"),
        ("matrix.reject.json", "metadata"),
        ("cut.reject.json", "metadata"),
    ];
    let refused = fixtures("fsomodel", &["fom", "json"]);
    let refused: Vec<_> = refused.into_iter().filter(|f| f.expect == Expect::Reject).collect();
    assert_eq!(refused.len(), codes.len());
    for f in refused {
        let e = match f.name.ends_with("fom") {
            true => FsoModel::parse(&f.bytes).map(drop).unwrap_err(),
            false => Metadata::parse(&f.bytes).map(drop).unwrap_err(),
        };
        let expected = codes.iter().find(|c| c.0 == f.name).unwrap().1;
        assert_eq!(e.code(), expected, "{}: {e}", f.name);
    }
}

/// Tests the code of the warning for each unusual fixture.
#[test]
fn warnings() {
    let codes = [
        ("no_table.warn.fom", "no-mesh-table"),
        ("doc56.warn.fom", "no-mesh-table"),
        ("gl3.warn.fom", "no-mesh-table"),
        ("loose.warn.fom", "loose-min-max"),
        ("wrong.warn.fom", "wrong-min-max"),
        ("after_base.warn.fom", "min-max-after-base"),
        ("two_indices.warn.fom", "not-triangles"),
        ("two_indices.warn.fom", "unused-indices"),
        ("unused.warn.fom", "unused-indices"),
        ("normals.warn.fom", "normal-length"),
        ("nan.warn.fom", "non-finite"),
    ];
    for (name, code) in codes {
        let f = fixtures("fsomodel", &["fom"]).into_iter().find(|f| f.name == name).unwrap();
        let model = FsoModel::parse(&f.bytes).unwrap();
        assert!(model.validate().has(code), "{name}: {:?}", model.validate());
        assert!(!model.validate().has("ambiguous-dialect"), "{name}");
    }
}

/// A companion file that this crate reads but the engine's loader rejects gets a warning.
#[test]
fn what_the_loader_needs_is_missed() {
    let f = fixtures("fsomodel", &["json"]).into_iter().find(|f| f.name == "loader.warn.json").unwrap();
    let metadata = Metadata::parse(&f.bytes).unwrap();
    let paths: Vec<_> = metadata.validate().findings().iter().map(|f| f.path.to_string()).collect();
    assert_eq!(paths, ["materials[0].diffuse_texture", "nodes[0].meshes", "nodes[0].children"]);
    // In a new text, every node has both lists.
    let canonical = Metadata::parse(&metadata.to_canonical().unwrap()).unwrap();
    assert_eq!(canonical.validate().findings().len(), 1);
}

#[test]
fn an_error_says_where() {
    let at = |name: &str| {
        let f = fixtures("fsomodel", &["fom", "json"]).into_iter().find(|f| f.name == name).unwrap();
        match name.ends_with("fom") {
            true => FsoModel::parse(&f.bytes).map(drop).unwrap_err().to_string(),
            false => Metadata::parse(&f.bytes).map(drop).unwrap_err().to_string(),
        }
    };
    let places = [
        ("index.reject.fom", "indices[2]: index 3 of 3 vertices", "(offset 0xb0)"),
        ("base.reject.fom", "meshes[0].base_index: ", "(offset 0xcc)"),
        ("range.reject.fom", "meshes[0].count: 4 indices ", "(offset 0xc8)"),
        ("twice.reject.fom", "chunks[2]: ", "(offset 0xb4)"),
        ("missing.reject.fom", "chunks: no \"INDX\"", "(offset 0x9c)"),
        ("material.reject.json", "meshes[0].material_index: ", "(offset 0xa3 of metadata)"),
        ("cut.reject.json", "file: expected `,` or `}`", "(offset 0xd of metadata)"),
    ];
    for (name, path, offset) in places {
        let text = at(name);
        assert!(text.starts_with(path) && text.ends_with(offset), "{name}: {text}");
    }
}

/// Faults that a lenient reader accepts, and faults that it rejects.
#[test]
fn lenient_readers() {
    let forgiven = [
        "missing",
        "lower_case",
        "vertex_size",
        "entry_size",
        "misaligned",
        "range",
        "range_empty",
        "index",
        "gl3_index",
        "base",
    ];
    for f in fixtures("fsomodel", &["fom"]).into_iter().filter(|f| f.expect == Expect::Reject) {
        let strict = FsoModel::parse(&f.bytes).unwrap_err();
        let lenient = FsoModel::parse_with(&f.bytes, &ReadOptions::lenient().into());
        let stem = f.name.split('.').next().unwrap();
        if !forgiven.contains(&stem) {
            assert_eq!(lenient.map(drop).unwrap_err().code(), strict.code(), "{stem}");
            continue;
        }
        let parsed = lenient.unwrap();
        let gl3 = stem == "gl3_index";
        assert_eq!(parsed.model.dialect, if gl3 { Dialect::Gl3 } else { Dialect::Seed44 }, "{stem}");
        let finding = &parsed.forgiven.findings()[0];
        assert_eq!((finding.rule.code, finding.offset), (strict.code(), Some(strict.offset())), "{stem}");
        assert!(parsed.model.validate().has(strict.code()), "{stem}");
        assert!(parsed.model.to_bytes().is_err(), "{stem}: a writer never writes what a reader refuses");
        assert!(parsed.model.to_scene(&SceneOptions::default()).is_err(), "{stem}");
    }
}

#[test]
fn names_of_chunks_are_texts() {
    assert_eq!(ChunkId::try_from("VDAT"), Ok(ChunkId::VDAT));
    assert_eq!(ChunkId::VDAT, "VDAT");
    assert_eq!(ChunkId::from(*b"odd\xff").to_string(), "\"odd\\xff\"");
    for wrong in ["", "VDA", "VDATA", "\u{e9}\u{e9}"] {
        assert!(wrong.parse::<ChunkId>().is_err(), "{wrong}");
    }
    assert_eq!(FsoOptions::from(Dialect::Gl3).dialect, "gl3_60".parse().ok());
}

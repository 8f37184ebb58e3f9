//! Checks that every fixture is read or rejected as its name says, and that no prefix of one opens.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use meshwright_core::{Confidence, FileFormat, ReadOptions};
use meshwright_crucible::{CModel, Chunk, Dialect, SkeletonChunk};
use meshwright_testkit::laws::{laws, rules_are_stated};
use meshwright_testkit::{Expect, fixtures};

/// Checks the laws, and that every byte of a file without a tail is needed.
fn lawful<F: FileFormat>() {
    rules_are_stated::<F>();
    for fixture in fixtures("crucible", F::EXTENSIONS) {
        laws::<F>().fixture(&fixture);
        if fixture.expect == Expect::Ok {
            laws::<F>().prefixes(&fixture.name, &fixture.bytes, fixture.bytes.len());
        }
    }
}

#[test]
fn chunks() {
    lawful::<Chunk<'static>>();
}

#[test]
fn containers() {
    lawful::<CModel<'static>>();
}

#[test]
fn skeletons() {
    lawful::<SkeletonChunk>();
}

/// Tests the code with which each fixture is rejected.
#[test]
fn codes() {
    let codes = [
        ("two_gib.reject.cmesh", "impossible-ratio"),
        ("negative.reject.cmesh", "negative-size"),
        ("past_end.reject.cmesh", "truncated"),
        ("ratio.reject.cmesh", "impossible-ratio"),
        ("too_long.reject.cmesh", "lz4-too-long"),
        ("too_short.reject.cmesh", "lz4-too-short"),
        ("offset_zero.reject.cmesh", "lz4-block"),
        ("before.reject.cmesh", "lz4-block"),
        ("empty_block.reject.cmesh", "lz4-block"),
        ("index_range.reject.cmesh", "index-range"),
        ("half_index.reject.cmesh", "stream-size"),
        ("half_vertex.reject.cmesh", "stream-size"),
        ("two_bits.reject.cmesh", "attribute-flag"),
        ("no_bit.reject.cmesh", "attribute-flag"),
        ("reserved.reject.cmesh", "reserved-flag"),
        ("reserved_tangent.reject.cmesh", "reserved-flag"),
        ("twice.reject.cmesh", "duplicate-attribute"),
        ("counts.reject.cmesh", "vertex-count"),
        ("no_dialect.reject.cmesh", "vertex-count"),
        ("count.reject.cmodel", "truncated"),
        ("length.reject.cmodel", "truncated"),
        ("later.reject.cmodel", "bad-magic"),
        ("itself.reject.cskel", "bone-tree"),
        ("cycle.reject.cskel", "bone-tree"),
        ("two_roots.reject.cskel", "root-count"),
        ("unlisted.reject.cskel", "bone-tree"),
        ("stranger.reject.cskel", "bone-range"),
        ("number.reject.cskel", "bone-index"),
        ("longer.reject.cskel", "trailing-bytes"),
        ("shorter.reject.cskel", "truncated"),
    ];
    let refused = fixtures("crucible", &["cmesh", "cmodel", "cskel"]);
    let refused: Vec<_> = refused.into_iter().filter(|f| f.expect == Expect::Reject).collect();
    assert_eq!(refused.len(), codes.len());
    for f in refused {
        let e = match f.name.rsplit('.').next() {
            Some("cmesh") => Chunk::parse(&f.bytes).map(drop).unwrap_err(),
            Some("cmodel") => CModel::parse(&f.bytes).map(drop).unwrap_err(),
            _ => SkeletonChunk::parse(&f.bytes).map(drop).unwrap_err(),
        };
        let expected = codes.iter().find(|c| c.0 == f.name).unwrap().1;
        assert_eq!(e.code(), expected, "{}: {e}", f.name);
    }
}

#[test]
fn an_error_says_where() {
    let at = |name: &str| {
        let f = fixtures("crucible", &["cmesh", "cskel"]).into_iter().find(|f| f.name == name).unwrap();
        match name.ends_with("cskel") {
            true => SkeletonChunk::parse(&f.bytes).map(drop).unwrap_err().to_string(),
            false => Chunk::parse(&f.bytes).map(drop).unwrap_err().to_string(),
        }
    };
    let places = [
        ("index_range.reject.cmesh", "indices[2]: ", "(offset 0x4 of indices)"),
        ("twice.reject.cmesh", "streams[1].flag: ", "(offset 0x41)"),
        ("too_long.reject.cmesh", "streams[0]: ", "(offset 0x1b)"),
        ("cycle.reject.cskel", "bones[1].parent: ", "(offset 0x58 of bones)"),
    ];
    for (name, path, offset) in places {
        let text = at(name);
        assert!(text.starts_with(path) && text.ends_with(offset), "{name}: {text}");
    }
}

/// Faults that a lenient reader accepts, and faults that it rejects.
#[test]
fn leniency() {
    let forgiven = ["index_range", "half_index", "half_vertex", "reserved", "reserved_tangent", "too_short"];
    for f in fixtures("crucible", &["cmesh"]).into_iter().filter(|f| f.expect == Expect::Reject) {
        let strict = Chunk::parse(&f.bytes).unwrap_err();
        let lenient = Chunk::parse_with(&f.bytes, &ReadOptions::lenient());
        let stem = f.name.split('.').next().unwrap();
        if !forgiven.contains(&stem) {
            assert_eq!(lenient.map(drop).unwrap_err().code(), strict.code(), "{stem}");
            continue;
        }
        let parsed = lenient.unwrap();
        let tangent = stem == "reserved_tangent";
        assert_eq!(parsed.model.dialect, if tangent { Dialect::Tangent } else { Dialect::Seed }, "{stem}");
        let finding = &parsed.forgiven.findings()[0];
        assert_eq!((finding.rule.code, finding.offset), (strict.code(), Some(strict.offset())), "{stem}");
        if stem == "too_short" {
            // The engine fills up with zeros. So does the written file, which every reader accepts.
            assert_eq!(parsed.model.vertex_count(), 4);
            assert!(Chunk::parse(&parsed.model.to_bytes().unwrap()).is_ok());
        } else {
            assert!(parsed.model.validate().has(strict.code()), "{stem}");
            assert!(parsed.model.to_bytes().is_err(), "{stem}: a writer never writes what a reader refuses");
        }
    }
}

#[test]
fn kinds_are_distinguished() {
    for f in fixtures("crucible", &["cmesh", "cmodel", "cskel"]).iter().filter(|f| f.expect == Expect::Ok) {
        let sniffed = (Chunk::sniff(&f.bytes), CModel::sniff(&f.bytes), SkeletonChunk::sniff(&f.bytes));
        let (no, likely, certain) = (Confidence::No, Confidence::Likely, Confidence::Certain);
        let expected = match f.name.rsplit('.').next() {
            Some("cmesh") => (likely, no, no),
            Some("cmodel") => (no, certain, no),
            _ => (no, no, likely),
        };
        assert_eq!(sniffed, expected, "{}", f.name);
    }
    for other in [
        &b"FSOMODEL\x01\0\0\0"[..],
        b"DARKPLACESMODEL\0",
        b"BMD1",
        b"glTF\x02\0\0\0",
        b"",
        b"\0\0\0\0\0\0\0\0\0\0\0\0",
    ] {
        assert_eq!(Chunk::sniff(other), Confidence::No, "{other:?}");
        assert_eq!(SkeletonChunk::sniff(other), Confidence::No, "{other:?}");
    }
}

//! Tests that every fixture behaves as its name says, and their prefixes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::{Limits, ReadOptions};
use meshwright_iqm::{ArrayKind, Iqm};
use meshwright_testkit::laws::{Laws, laws, rules_are_stated};
use meshwright_testkit::{Expect, fixtures, testdata};

const IQM: Laws<Iqm, fn(ReadOptions) -> ReadOptions> = laws();

fn file(name: &str) -> Vec<u8> {
    std::fs::read(testdata().join("iqm").join(name)).unwrap()
}

#[test]
fn rules_say_what_they_mean() {
    rules_are_stated::<Iqm>();
}

#[test]
fn fixtures_do_what_their_names_say() {
    for fixture in fixtures("iqm", &["iqm"]) {
        IQM.fixture(&fixture);
        IQM.any_bytes(&fixture.bytes);
    }
}

#[test]
fn prefixes_are_refused() {
    for f in fixtures("iqm", &["iqm"]).iter().filter(|f| f.expect == Expect::Ok) {
        IQM.prefixes(&f.name, &f.bytes, f.bytes.len());
    }
}

#[test]
fn broken_and_odd_fixtures_have_their_codes() {
    let codes = [
        ("gap.warn", "unreferenced-bytes"),
        ("shared.warn", "unreferenced-bytes"),
        ("formats.warn", "unusual-format"),
        ("flags.warn", "unknown-flags"),
        ("array_flags.warn", "unknown-flags"),
        ("anim_flags.warn", "unknown-flags"),
        ("tail.warn", "trailing-bytes"),
        ("kind.warn", "unknown-array"),
        ("twice.warn", "duplicate-array"),
        ("order.warn", "array-order"),
        ("no_texcoord.warn", "missing-array"),
        ("unused.warn", "unused-triangles"),
        ("root.warn", "bad-parent"),
        ("not_unit.warn", "not-unit"),
        ("zero_rotation.warn", "zero-quaternion"),
        ("nan_texcoord.warn", "non-finite"),
        ("nan_bounds.warn", "non-finite"),
        ("idle_joint.warn", "bad-joint-index"),
        ("sum.warn", "weight-sum"),
        ("range.warn", "weight-range"),
        ("no_weights.warn", "no-weights"),
        ("mask.warn", "unknown-channels"),
        ("empty_anim.warn", "empty-anim"),
        ("no_rate.warn", "no-framerate"),
        ("event_size.warn", "extension-size"),
        ("event_anim.warn", "extension-anim"),
        ("event_text.warn", "extension-text"),
        ("counted.warn", "unused-vertices"),
        ("pose_parent.warn", "parent-differs"),
        ("misaligned.warn", "misaligned"),
        ("overlap.warn", "overlap"),
        ("neighbour.warn", "bad-adjacency"),
        ("latin.warn", "not-utf8"),
        ("magic.reject", "bad-magic"),
        ("version.reject", "bad-version"),
        ("size.reject", "truncated"),
        ("short_size.reject", "out-of-file"),
        ("far.reject", "out-of-file"),
        ("huge.reject", "out-of-file"),
        ("frames.reject", "limit-exceeded"),
        ("in_header.reject", "in-header"),
        ("text.reject", "bad-text"),
        ("name.reject", "bad-name"),
        ("format.reject", "bad-format"),
        ("components.reject", "bad-format"),
        ("no_position.reject", "missing-array"),
        ("vertex.reject", "bad-vertex-index"),
        ("mesh.reject", "bad-mesh-range"),
        ("parent.reject", "bad-parent"),
        ("nan.reject", "non-finite"),
        ("nan_joint.reject", "non-finite"),
        ("joint.reject", "bad-joint-index"),
        ("poses.reject", "pose-count"),
        ("channels.reject", "bad-channels"),
        ("anim.reject", "bad-anim"),
        ("rate.reject", "bad-anim"),
        ("loop.reject", "extension-loop"),
        ("extension.reject", "out-of-file"),
    ];
    let all = fixtures("iqm", &["iqm"]);
    for fixture in all.iter().filter(|f| f.expect != Expect::Ok) {
        let stem = fixture.name.trim_end_matches(".iqm");
        let code =
            codes.iter().find(|(name, _)| *name == stem).unwrap_or_else(|| panic!("{stem} has no code")).1;
        match Iqm::parse(&fixture.bytes) {
            Err(e) => assert_eq!(e.code(), code, "{stem}: {e}"),
            Ok(model) => {
                let report = model.validate();
                assert!(report.has(code), "{stem}: {:?}", report.findings());
                assert!(report.iter().all(|f| f.offset.is_some()), "{stem} without an offset");
            }
        }
    }
    assert_eq!(codes.len(), all.iter().filter(|f| f.expect != Expect::Ok).count());
}

#[test]
fn a_lenient_reader_passes_over_what_can_be_read() {
    for (name, code) in
        [("short_size.reject", "out-of-file"), ("text.reject", "bad-text"), ("name.reject", "bad-name")]
    {
        let parsed = Iqm::parse_with(&file(&format!("{name}.iqm")), &ReadOptions::lenient());
        let parsed = parsed.unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(parsed.forgiven.has(code), "{name}");
        assert!(parsed.model.to_bytes().is_err(), "{name}: a strict reader would refuse it");
    }
}

#[test]
fn errors_name_field_and_offset() {
    let message = |name: &str| Iqm::parse(&file(name)).unwrap_err().to_string();
    assert_eq!(
        message("vertex.reject.iqm"),
        "triangles[0].v0: vertex 6 does not exist, or belongs to another mesh (offset 0x218)"
    );
    assert_eq!(
        message("parent.reject.iqm"),
        "joints[1].parent: parent 1 of joint 1 is not before it (offset 0x27c)"
    );
}

#[test]
fn an_edit_that_fits_keeps_the_layout() {
    let bytes = file("gap.warn.iqm");
    let mut model = Iqm::parse(&bytes).unwrap();
    model.joints[0].translate[0] = 1.0.into();
    let written = model.to_bytes().unwrap();
    let differing = bytes.iter().zip(&written).filter(|(a, b)| a != b).count();
    assert!(written.len() == bytes.len() && (1..=4).contains(&differing), "{differing}");
    // If arrays overlap, an edit of one that the other does not share gives the model a new layout.
    let bytes = file("shared.warn.iqm");
    let mut model = Iqm::parse(&bytes).unwrap();
    let normals = model.arrays.iter_mut().find(|a| a.kind == ArrayKind::NORMAL).unwrap();
    normals.data[0] = 1;
    let again = Iqm::parse(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.arrays, model.arrays);
}

#[test]
fn arrays_over_one_another_are_charged_each() {
    // A table of 2,000 arrays over one megabyte of values.
    let mut bytes = file("tube.ok.iqm");
    let (count, size) = (2_000_u32, 1_u32 << 20);
    let table = u32::try_from(bytes.len()).unwrap().next_multiple_of(4);
    bytes.resize(table as usize, 0);
    let data = table + 20 * count;
    for kind in 0..count {
        for word in [if kind == 0 { 0 } else { 16 }, 0, 7, if kind == 0 { 3 } else { 1 }, data] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
    }
    bytes.resize((data + size) as usize, 0);
    let patches = [
        (20, data + size),
        (36, 0),
        (44, count),
        (48, size / 12),
        (52, table),
        (56, 0),
        (68, 0),
        (76, 0),
        (84, 0),
        (92, 0),
        (96, 0),
        (104, 0),
    ];
    for (at, word) in patches {
        bytes[at..at + 4].copy_from_slice(&u32::to_le_bytes(word));
    }
    let read = |memory| {
        Iqm::parse_with(&bytes, &ReadOptions::default().with_limits(Limits::default().with_memory(memory)))
    };
    assert_eq!(read(256 << 20).unwrap_err().code(), "limit-exceeded");
    let model = read(1 << 30).unwrap().model;
    assert!(model.to_bytes().unwrap() == bytes);
}

#[test]
fn limits_are_kept() {
    for memory in [0, 100, 500] {
        let options = ReadOptions::default().with_limits(Limits::default().with_memory(memory));
        assert_eq!(Iqm::parse_with(&file("tube.ok.iqm"), &options).unwrap_err().code(), "limit-exceeded");
    }
}

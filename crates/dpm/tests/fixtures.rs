//! The fixtures, each which does what its name says, and their prefixes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::{Budget, Limits, ReadOptions};
use meshwright_dpm::{Dpm, Zym};
use meshwright_quake::FrameGroups;
use meshwright_testkit::laws::{Laws, laws, rules_are_stated};
use meshwright_testkit::{Expect, fixtures, testdata};

type LawsOf<F> = Laws<F, fn(ReadOptions) -> ReadOptions>;
const DPM: LawsOf<Dpm> = laws();
const ZYM: LawsOf<Zym> = laws();

#[test]
fn rules_say_what_they_mean() {
    rules_are_stated::<Dpm>();
    rules_are_stated::<Zym>();
}

#[test]
fn dpm_fixtures() {
    for fixture in fixtures("dpm", &["dpm"]) {
        DPM.fixture(&fixture);
        DPM.any_bytes(&fixture.bytes);
    }
}

#[test]
fn zym_fixtures() {
    for fixture in fixtures("dpm", &["zym"]) {
        ZYM.fixture(&fixture);
        ZYM.any_bytes(&fixture.bytes);
    }
}

#[test]
fn broken_and_odd_fixtures_have_their_codes() {
    let codes = [
        ("gap.warn.dpm", "unreferenced-bytes"),
        ("misaligned.warn.dpm", "misaligned-offset"),
        ("in_header.warn.dpm", "table-in-header"),
        ("tail.warn.dpm", "trailing-bytes"),
        ("tail.warn.zym", "trailing-bytes"),
        ("unterminated.warn.dpm", "unterminated-name"),
        ("duplicate.warn.dpm", "duplicate-name"),
        ("flags.warn.dpm", "unknown-bone-flags"),
        ("sum.warn.dpm", "negative-influence"),
        ("sum.warn.dpm", "influence-sum"),
        ("crowded.warn.dpm", "more-influences-than-bones"),
        ("nan_bounds.warn.dpm", "non-finite-bounds"),
        ("nan_texcoord.warn.dpm", "non-finite-texcoord"),
        ("magic.reject.dpm", "bad-magic"),
        ("type.reject.dpm", "bad-type"),
        ("truncated.reject.dpm", "truncated"),
        ("short_size.reject.dpm", "out-of-file"),
        ("no_bones.reject.dpm", "no-bones"),
        ("huge.reject.dpm", "out-of-file"),
        ("far_pose.reject.dpm", "out-of-file"),
        ("parent.reject.dpm", "bad-parent"),
        ("no_influence.reject.dpm", "no-influence"),
        ("influences.reject.dpm", "out-of-file"),
        ("bonenum.reject.dpm", "bad-bone-index"),
        ("index.reject.dpm", "bad-vertex-index"),
        ("nan_pose.reject.dpm", "non-finite"),
        ("type.reject.zym", "bad-type"),
        ("counts.reject.zym", "bad-count"),
        ("lump.reject.zym", "out-of-file"),
        ("lump_size.reject.zym", "bad-lump-size"),
        ("scene.reject.zym", "bad-scene"),
        ("render.reject.zym", "bad-render"),
        ("several.reject.zym", "bad-lump-size"),
        ("nan.reject.zym", "non-finite"),
    ];
    let all = fixtures("dpm", &["dpm", "zym"]);
    for fixture in &all {
        let named = codes.iter().filter(|(name, _)| *name == fixture.name);
        assert!(fixture.expect == Expect::Ok || named.count() > 0, "{} has no code here", fixture.name);
    }
    for (name, code) in codes {
        let bytes = &all.iter().find(|f| f.name == name).unwrap_or_else(|| panic!("no {name}")).bytes;
        let report = |dpm: Result<_, _>| dpm.map_err(|e: meshwright_core::ReadError| e.code());
        let answer = if name.ends_with(".zym") {
            report(Zym::parse(bytes).map(|m| m.validate()))
        } else {
            report(Dpm::parse(bytes).map(|m| m.validate()))
        };
        match answer {
            Err(found) => assert_eq!(found, code, "{name}"),
            Ok(found) => {
                assert!(found.has(code), "{name}: {:?}", found.findings());
                assert!(found.findings().iter().all(|f| f.offset.is_some()), "{name} without an offset");
            }
        }
    }
}

#[test]
fn errors_name_field_and_offset() {
    let all = fixtures("dpm", &["dpm", "zym"]);
    let message = |name: &str| {
        let bytes = &all.iter().find(|f| f.name == name).unwrap().bytes;
        Dpm::parse(bytes).err().or(Zym::parse(bytes).err().filter(|_| name.ends_with("zym"))).unwrap()
    };
    assert_eq!(
        message("bonenum.reject.dpm").to_string(),
        "meshes[0].verts[2].bones[1].bonenum: bone 2 of 2 (offset 0x1e8)"
    );
    assert_eq!(
        message("index.reject.dpm").to_string(),
        "meshes[0].tris[0].v0: index 6 of 6 vertices (offset 0x2a8)"
    );
    assert_eq!(
        message("parent.reject.dpm").to_string(),
        "bones[1].parent: parent 1 of bone 1 is not before it (offset 0x98)"
    );
}

#[test]
fn prefixes_are_refused() {
    for f in fixtures("dpm", &["dpm"]).iter().filter(|f| f.expect == Expect::Ok) {
        DPM.prefixes(&f.name, &f.bytes, f.bytes.len());
    }
    for f in fixtures("dpm", &["zym"]).iter().filter(|f| f.expect == Expect::Ok) {
        ZYM.prefixes(&f.name, &f.bytes, f.bytes.len());
    }
}

#[test]
fn a_lenient_reader_passes_over_what_can_be_read() {
    for (name, code) in [
        ("truncated.reject.dpm", "out-of-file"),
        ("short_size.reject.dpm", "out-of-file"),
        ("no_influence.reject.dpm", "no-influence"),
        ("nan_pose.reject.dpm", "non-finite"),
    ] {
        let bytes = std::fs::read(testdata().join("dpm").join(name)).unwrap();
        match Dpm::parse_with(&bytes, &ReadOptions::lenient()) {
            Ok(parsed) => {
                assert!(parsed.forgiven.has(code) && parsed.forgiven.has_errors(), "{name}");
                assert!(parsed.model.to_bytes().is_err(), "{name}: a strict reader would refuse it");
            }
            // The last byte of a pose is missing: nothing can be made of that.
            Err(e) => assert_eq!((name, e.code()), ("truncated.reject.dpm", code)),
        }
    }
    // A file with a stored size that is too large opens, and is written with a new layout.
    let mut bytes = std::fs::read(testdata().join("dpm/quad.ok.dpm")).unwrap();
    bytes[22] = 0xff;
    let mut parsed = Dpm::parse_with(&bytes, &ReadOptions::lenient()).unwrap();
    assert!(parsed.forgiven.has("truncated"));
    assert!(parsed.model.to_bytes().is_err());
    parsed.model.discard_layout();
    assert_eq!(parsed.model.to_bytes().unwrap(), std::fs::read(testdata().join("dpm/quad.ok.dpm")).unwrap());
}

#[test]
fn the_demo_has_its_clips() {
    let model = Dpm::parse(&std::fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap()).unwrap();
    let text = std::fs::read(testdata().join("dpm/hopper.ok.dpm.framegroups")).unwrap();
    let groups = FrameGroups::parse(&text).unwrap();
    assert!(groups.validate().is_empty());
    let resolved = groups.resolve(model.frames.len(), &Budget::new(Limits::default())).unwrap();
    assert!(resolved.report.is_empty());
    let clips: Vec<_> = resolved.clips.iter().map(|c| (c.name.as_slice(), c.frames())).collect();
    assert_eq!(clips, [(b"idle".as_slice(), 1..7), (b"hop".as_slice(), 7..15)]);
    let by_name: Vec<_> =
        model.clips_from_names().into_iter().map(|c| (c.name.clone(), c.frames())).collect();
    assert_eq!(by_name[1..], [(b"idle".to_vec(), 1..7), (b"hop".to_vec(), 7..15)]);
    assert_eq!(groups.to_bytes().unwrap(), text);
}

#[test]
fn an_edit_that_fits_keeps_the_layout() {
    let bytes = std::fs::read(testdata().join("dpm/gap.warn.dpm")).unwrap();
    let mut model = Dpm::parse(&bytes).unwrap();
    model.bones[0].name = meshwright_dpm::Name::truncated(b"other");
    let written = model.to_bytes().unwrap();
    let differing = bytes.iter().zip(&written).filter(|(a, b)| a != b).count();
    assert!(written.len() == bytes.len() && (1..=5).contains(&differing), "{differing}");
    // If sections overlap, an edit of one that the other does not share gives the model a new layout.
    let bytes = std::fs::read(testdata().join("dpm/overlap.ok.dpm")).unwrap();
    let mut model = Dpm::parse(&bytes).unwrap();
    std::sync::Arc::make_mut(&mut model.meshes[0].groupids)[0] = 9;
    let written = model.to_bytes().unwrap();
    assert_eq!(written.len(), bytes.len() + 16);
    assert_eq!(Dpm::parse(&written).unwrap().meshes, model.meshes);
}

/// Returns a quad whose frame table is replaced by `n` frames over its second pose.
fn many_frames(n: u32) -> Vec<u8> {
    let quad = std::fs::read(testdata().join("dpm/quad.ok.dpm")).unwrap();
    let word = |at: usize| u32::from_be_bytes(quad[at..at + 4].try_into().unwrap());
    let frame = &quad[word(76) as usize + 68..word(76) as usize + 136];
    let mut bytes = quad.clone();
    bytes[64..68].copy_from_slice(&n.to_be_bytes());
    bytes[76..80].copy_from_slice(&u32::try_from(quad.len()).unwrap().to_be_bytes());
    bytes.extend(frame.repeat(n as usize));
    let size = u32::try_from(bytes.len()).unwrap();
    bytes[20..24].copy_from_slice(&size.to_be_bytes());
    bytes
}

#[test]
fn frames_over_one_pose_cost_one_pose() {
    let bytes = many_frames(20_000);
    // Frames take what they take in the file, twice over while reading; a pose each would take 2 MB more.
    let limits = Limits::default().with_memory(3 * bytes.len() as u64 / 2 + 200_000);
    let model = Dpm::parse_with(&bytes, &ReadOptions::default().with_limits(limits)).unwrap().model;
    assert_eq!((model.frames.len(), model.pose_count()), (20_000, 1));
    assert!(model.to_bytes().unwrap() == bytes);
}

#[test]
fn meshes_over_one_block_cost_one_block() {
    // 20,000 meshes over 10,000 vertices: 200 million vertices if each had its own.
    let (meshes, verts) = (20_000_u32, 10_000_u32);
    let quad = Dpm::parse(&std::fs::read(testdata().join("dpm/quad.ok.dpm")).unwrap()).unwrap();
    let mut model = quad.clone();
    let first = &mut model.meshes[0];
    let vertices = std::sync::Arc::make_mut(&mut first.vertices);
    let one = vertices.influences[..1].to_vec();
    (6..verts).for_each(|_| vertices.push(&one));
    std::sync::Arc::make_mut(&mut first.texcoords).resize(verts as usize, Default::default());
    let first = first.clone();
    model.meshes = vec![first; meshes as usize];
    let deadline = meshwright_testkit::Deadline::seconds(20);
    let bytes = model.to_bytes().unwrap();
    assert!(bytes.len() < 3_000_000);
    let mut again = Dpm::parse(&bytes).unwrap();
    assert!(!again.validate().has_errors());
    assert!(again.to_bytes().unwrap() == bytes);
    // Meshes over one block are compared by its place.
    assert!(again.meshes.iter().all(|mesh| *mesh == again.meshes[0]));
    let e = again.to_scene(&meshwright_scene::SceneOptions::default(), None).unwrap_err();
    assert!(matches!(e, meshwright_scene::ConvertError::Limit { .. }), "{e}");
    again.meshes.truncate(1);
    model.meshes.truncate(1);
    assert_eq!(again, model);
    deadline.met("all of it");
}

#[test]
fn limits_are_kept() {
    let bytes = std::fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap();
    for memory in [0, 100, 1000, 5000] {
        let options = ReadOptions::default().with_limits(Limits::default().with_memory(memory));
        let e = Dpm::parse_with(&bytes, &options).unwrap_err();
        assert_eq!(e.code(), "limit");
    }
}

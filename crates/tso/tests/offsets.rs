//! Tests that the offsets of findings point at the faulty bytes.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use meshwright_core::{F32, Report, Strictness, f32s};
use meshwright_tso::{
    Anim, Binding, Bmf, Bnd, Bone, Flag, Geometry, Mesh, Motion, Name, PropertyList, RealVertex, Skel, Skn,
    TimeProperty,
};

/// A number of a geometry.
type Place = fn(&mut Geometry) -> &mut u32;

/// A float that is not finite and occurs nowhere else.
const ODD: F32 = F32::from_bits(0x7f80_1234);

fn offset(report: &Report, code: &str) -> usize {
    let finding = report.findings().iter().find(|f| f.rule.code == code);
    let finding = finding.unwrap_or_else(|| panic!("no {code} in {:?}", report.findings()));
    usize::try_from(finding.offset.unwrap()).unwrap()
}

fn find(bytes: &[u8], what: &[u8]) -> usize {
    let mut places = bytes.windows(what.len()).enumerate().filter(|(_, w)| *w == what);
    let place = places.next().unwrap().0;
    assert!(places.next().is_none(), "the mark occurs twice");
    place
}

fn odd(bytes: &[u8]) -> usize {
    find(bytes, &ODD.to_bits().to_le_bytes())
}

fn lists() -> Vec<PropertyList> {
    vec![
        PropertyList(vec![("key".into(), "value".into()), ("k".into(), Name::default())]),
        PropertyList::default(),
    ]
}

fn skel() -> Skel {
    let bone = |name: &str, parent: &str, flag: Flag| Bone {
        name: name.into(),
        parent: parent.into(),
        has_properties: flag,
        properties: if flag.is_set() { lists() } else { Vec::new() },
        rotation: f32s([0.0, 0.0, 0.0, 1.0]),
        ..Bone::default()
    };
    let bones =
        vec![bone("ROOT", "NULL", Flag::YES), bone("ARM", "ROOT", Flag::NO), bone("HAND", "ARM", Flag::YES)];
    Skel { name: "figure".into(), bones, trailing: Vec::new() }
}

#[test]
fn in_skeletons() {
    let places: [fn(&mut Bone) -> &mut F32; 4] =
        [|b| &mut b.translation[1], |b| &mut b.rotation[3], |b| &mut b.wiggle_value, |b| &mut b.wiggle_power];
    for place in places {
        for bone in 0..3 {
            let mut skel = skel();
            *place(&mut skel.bones[bone]) = ODD;
            let bytes = skel.to_bytes_with(Strictness::Lenient).unwrap();
            assert_eq!(offset(&skel.validate(), "non-finite"), odd(&bytes));
            assert_eq!(Skel::parse(&bytes).unwrap_err().offset(), odd(&bytes) as u64);
        }
    }
    let mut skel = skel();
    skel.bones[2].parent = "NOWHERE".into();
    skel.trailing = b"!behind!".to_vec();
    skel.bones[2].name = "caf\u{e9}".into();
    skel.bones[1].rotation = f32s([0.5; 4].map(|c: f32| c * 1.5));
    let bytes = skel.to_bytes_with(Strictness::Lenient).unwrap();
    let report = skel.validate();
    assert_eq!(offset(&report, "bad-parent"), find(&bytes, b"\x07NOWHERE"));
    assert_eq!(offset(&report, "name-encoding"), find(&bytes, b"\x05caf"));
    assert_eq!(offset(&report, "trailing-bytes"), find(&bytes, b"!behind!"));
    assert_eq!(offset(&report, "rotation-length"), find(&bytes, &[0.75_f32.to_le_bytes(); 4].concat()));
}

fn anim() -> Anim {
    let motion = |bone: &str| Motion {
        bone: bone.into(),
        frames: 2,
        has_translation: Flag::YES,
        has_rotation: Flag::YES,
        has_properties: Flag::YES,
        properties: vec![lists(), Vec::new()],
        has_time_properties: Flag::YES,
        time_properties: vec![vec![TimeProperty { time: 5, lists: lists() }], Vec::new()],
        ..Motion::default()
    };
    Anim {
        name: "nod".into(),
        translations: vec![[F32::default(); 3]; 2],
        rotations: vec![f32s([0.0, 0.0, 0.0, 1.0]); 2],
        motions: vec![motion("ROOT"), motion("HAND"), motion("A")],
        ..Anim::default()
    }
}

#[test]
fn in_animations() {
    let places: [fn(&mut Anim) -> &mut F32; 6] = [
        |a| &mut a.duration,
        |a| &mut a.distance,
        |a| &mut a.translations[1][2],
        |a| &mut a.rotations[1][1],
        |a| &mut a.motions[0].duration,
        |a| &mut a.motions[2].duration,
    ];
    for place in places {
        let mut anim = anim();
        *place(&mut anim) = ODD;
        let bytes = anim.to_bytes_with(Strictness::Lenient).unwrap();
        assert_eq!(offset(&anim.validate(), "non-finite"), odd(&bytes));
        assert_eq!(Anim::parse(&bytes).unwrap_err().offset(), odd(&bytes) as u64);
    }
    for rotation in [false, true] {
        let mut anim = anim();
        let first = if rotation {
            &mut anim.motions[2].first_rotation
        } else {
            &mut anim.motions[2].first_translation
        };
        *first = 0x0102_0304;
        let bytes = anim.to_bytes_with(Strictness::Lenient).unwrap();
        assert_eq!(offset(&anim.validate(), "motion-range"), find(&bytes, &[1, 2, 3, 4]));
    }
    // One key too many is one too many.
    let mut anim = anim();
    anim.motions[1].first_rotation = 1;
    assert_eq!(anim.validate().findings().iter().filter(|f| f.rule.code == "motion-range").count(), 1);
    anim.motions[1].frames = 1;
    assert!(!anim.validate().has_errors());
    anim.trailing = b"!behind!".to_vec();
    anim.motions[2].bone = "\u{1}\u{2}\u{3}".into();
    let bytes = anim.to_bytes_with(Strictness::Lenient).unwrap();
    let report = anim.validate();
    assert_eq!(offset(&report, "trailing-bytes"), find(&bytes, b"!behind!"));
    assert_eq!(offset(&report, "name-encoding"), find(&bytes, b"\x03\x01\x02\x03"));
    assert_eq!(Anim::parse_with(&bytes, &meshwright_core::ReadOptions::lenient()).unwrap().model, anim);
}

fn geometry() -> Geometry {
    Geometry {
        bones: vec!["ROOT".into(), "HAND".into()],
        faces: vec![[0, 1, 1], [1, 0, 1]],
        bindings: vec![
            Binding { bone: 0, real_count: 1, ..Binding::default() },
            Binding { bone: 1, first_real: 1, real_count: 1, blend_count: 1, ..Binding::default() },
        ],
        real: vec![RealVertex::default(); 2],
        blends: vec![Default::default()],
        ..Geometry::default()
    }
}

#[test]
fn in_geometries() {
    let places: [fn(&mut Geometry) -> &mut F32; 5] = [
        |g| &mut g.real[1].uv[1],
        |g| &mut g.real[0].position[2],
        |g| &mut g.real[1].normal[1],
        |g| &mut g.blends[0].position[0],
        |g| &mut g.blends[0].normal[2],
    ];
    for place in places {
        let mut geometry = geometry();
        *place(&mut geometry) = ODD;
        let mesh = Mesh { geometry: geometry.clone(), trailing: Vec::new() };
        let bytes = mesh.to_bytes_with(Strictness::Lenient).unwrap();
        assert_eq!(offset(&mesh.validate(), "non-finite"), odd(&bytes));
        let bmf = Bmf::new("skin", "x", geometry);
        let bytes = bmf.to_bytes_with(Strictness::Lenient).unwrap();
        assert_eq!(offset(&bmf.validate(), "non-finite"), odd(&bytes));
    }
    let marks: [(Place, &str); 5] = [
        (|g| &mut g.faces[1][2], "face-index"),
        (|g| &mut g.bindings[1].bone, "binding-bone"),
        (|g| &mut g.bindings[1].first_real, "binding-range"),
        (|g| &mut g.bindings[1].first_blend, "blend-range"),
        (|g| &mut g.blends[0].target, "blend-vertex-index"),
    ];
    for (place, code) in marks {
        // The first value that is too much, and one that no sum survives.
        for value in [2, 0xfffe_fdfc] {
            let mut geometry = geometry();
            *place(&mut geometry) = value;
            let mesh = Mesh { geometry: geometry.clone(), trailing: Vec::new() };
            let at = offset(&mesh.validate(), code);
            let bytes = mesh.to_bytes_with(Strictness::Lenient).unwrap();
            assert_eq!(bytes[at..at + 4], value.to_be_bytes(), "{code}");
            if value > 2 {
                assert_eq!(at, find(&bytes, &value.to_be_bytes()), "{code}");
                let skn = Skn::new("", "", geometry);
                let text = skn.to_bytes_with(Strictness::Lenient).unwrap();
                let said = if text.windows(6).any(|w| w == b"-66052") { "-66052" } else { "4294901244" };
                assert_eq!(offset(&skn.validate(), code), find(&text, said.as_bytes()), "{code}");
                let e = Skn::parse(&text).unwrap_err();
                assert_eq!((e.code(), e.offset()), (code, find(&text, said.as_bytes()) as u64));
            }
        }
    }
    let names = Geometry { bones: vec!["ROOT".into(), "caf\u{e9}".into()], ..geometry() };
    let mesh = Mesh { geometry: names.clone(), trailing: b"!behind!".to_vec() };
    let bytes = mesh.to_bytes_with(Strictness::Lenient).unwrap();
    assert_eq!(offset(&mesh.validate(), "name-encoding"), find(&bytes, b"\x05caf"));
    assert_eq!(offset(&mesh.validate(), "trailing-bytes"), find(&bytes, b"!behind!"));
    let skn = Skn::new("", "", names);
    let text = skn.to_bytes().unwrap();
    assert_eq!(offset(&skn.validate(), "name-encoding"), find(&text, b"caf"));
    let bnd = Bnd { bone: "ROOT".into(), trailing: b"!behind!".to_vec(), ..Bnd::default() };
    let bytes = bnd.to_bytes_with(Strictness::Lenient).unwrap();
    assert_eq!(offset(&bnd.validate(), "trailing-bytes"), find(&bytes, b"!behind!"));
}

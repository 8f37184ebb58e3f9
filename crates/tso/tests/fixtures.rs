//! Tests that every fixture behaves as its name says, and that no prefix of one opens.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use meshwright_core::{FileFormat, Parsed, ReadError, ReadOptions, Report, Severity, Strictness, WriteError};
use meshwright_scene::{SceneOptions, Space};
use meshwright_testkit::laws::laws;
use meshwright_testkit::{Expect, fixtures};
use meshwright_tso::{
    Anim, Apr, Assembly, Bcf, Between, Bmf, Bnd, Cfp, CharacterSkeleton, Cmx, Col, Hag, Mesh, Oft, Part, Po,
    ResourceId, Skel, Skill, Skn,
};
use std::collections::BTreeSet;

fn walk<F: FileFormat>(extension: &str, at_least: usize) {
    let format = laws::<F>();
    let all = fixtures("tso", &[extension]);
    assert!(all.len() >= at_least, "{} fixtures of .{extension}", all.len());
    for fixture in all {
        format.fixture(&fixture);
        if fixture.expect != Expect::Reject {
            // A text ends where white space does, and keys end anywhere.
            let needed = fixture.bytes.trim_ascii_end().len();
            let needed = match extension {
                "skn" => needed - 8,
                "cmx" => needed,
                "cfp" => 0,
                _ => fixture.bytes.len(),
            };
            format.prefixes(&fixture.name, &fixture.bytes, needed);
        }
    }
}

#[test]
fn meshes() {
    walk::<Mesh>("mesh", 10);
}

#[test]
fn skeletons() {
    walk::<Skel>("skel", 6);
}

#[test]
fn animations() {
    walk::<Anim>("anim", 6);
}

#[test]
fn bindings() {
    walk::<Bnd>("bnd", 3);
}

#[test]
fn the_sims_1() {
    walk::<Bmf>("bmf", 2);
    walk::<Skn>("skn", 3);
    walk::<Cmx>("cmx", 8);
    walk::<Bcf>("bcf", 3);
    walk::<Cfp>("cfp", 4);
}

#[test]
fn outfits() {
    walk::<Apr>("apr", 3);
    walk::<Oft>("oft", 3);
    walk::<Hag>("hag", 2);
    walk::<Po>("po", 3);
    walk::<Col>("col", 3);
}

/// A character file and its keys become a skeleton and an animation, and these convert back to the same records.
#[test]
fn records_become_what_the_game_online_has() {
    let cmx = Cmx::parse(&bytes("flower.ok.cmx")).unwrap();
    assert_eq!(cmx.character, Bcf::parse(&bytes("flower.ok.bcf")).unwrap().character);
    assert_eq!(cmx.character, Cmx::parse(&bytes("plain.ok.cmx")).unwrap().character);
    assert_eq!(Bcf::from(cmx.clone()).to_bytes().unwrap(), bytes("flower.ok.bcf"));
    let skeleton = &cmx.character.skeletons[0];
    let skel = skeleton.to_skel();
    assert!(!skel.validate().has_errors());
    assert_eq!(CharacterSkeleton::from(&skel), *skeleton);
    let (skill, keys) = (&cmx.character.skills[0], Cfp::parse(&bytes("sway.ok.cfp")).unwrap());
    let anim = skill.to_anim(&keys).unwrap();
    assert!(
        !anim.validate().has_errors()
            && anim.frames() == 2
            && anim.rotations[1][2].get() > anim.rotations[0][2].get()
    );
    let (again, same_keys) = Skill::from_anim(&anim, skill.keys.clone());
    assert_eq!((&again, same_keys), (skill, keys));
    assert_eq!(cmx.character.suits[0].skins[0].part(), b"BODY");
    assert!(skill.to_anim(&Cfp::default()).is_none());
}

/// An edited file is written in the form of the game's own text.
#[test]
fn edited_texts_are_written_anew() {
    for name in ["plain.ok.cmx", "blank.ok.cmx", "flower.ok.cmx"] {
        let mut cmx = Cmx::parse(&bytes(name)).unwrap();
        assert_eq!(cmx.to_bytes().unwrap(), bytes(name));
        cmx.comments = vec!["// Flowers.".into()];
        cmx.character.skeletons[0].name = "rose".into();
        let text = String::from_utf8(cmx.to_bytes().unwrap()).unwrap();
        let want = String::from_utf8(bytes("flower.ok.cmx")).unwrap();
        assert_eq!(text, want.replacen("flower", "rose", 1), "{name}");
    }
    let mut cfp = Cfp::parse(&bytes("runs.ok.cfp")).unwrap();
    assert_eq!(cfp.to_bytes().unwrap(), bytes("runs.ok.cfp"));
    cfp.values.push(cfp.values[0]);
    assert_eq!(cfp.to_bytes().unwrap(), [0xff, 0, 0, 0, 0x3f, 0xfe, 2, 0]);
}

fn bytes(name: &str) -> Vec<u8> {
    let extension = name.rsplit('.').next().unwrap();
    let all = fixtures("tso", &[extension]);
    all.into_iter().find(|f| f.name == name).unwrap_or_else(|| panic!("{name}")).bytes
}

/// The code of each rejected fixture, and that lenient reading opens those that can be opened, says the same, and
/// writes them again as they were.
#[test]
fn refusals_name_their_rule() {
    fn check<M>(
        name: &str,
        code: &str,
        parse: fn(&[u8], &ReadOptions) -> Result<Parsed<M>, ReadError>,
        validate: fn(&M) -> Report,
        write: fn(&M, Strictness) -> Result<Vec<u8>, WriteError>,
    ) -> bool {
        let bytes = bytes(name);
        let Err(e) = parse(&bytes, &ReadOptions::default()) else { panic!("{name} opens") };
        assert_eq!(e.code(), code, "{name}: {e}");
        let Ok(lenient) = parse(&bytes, &ReadOptions::lenient()) else { return false };
        let first = &lenient.forgiven.findings()[0];
        assert_eq!((first.rule.code, first.offset), (code, Some(e.offset())), "{name}");
        assert_eq!(first.path, *e.path());
        let again = validate(&lenient.model);
        let errors: Vec<_> = again.findings().iter().filter(|f| f.severity == Severity::Error).collect();
        assert_eq!(errors, lenient.forgiven.findings().iter().collect::<Vec<_>>(), "{name}");
        assert!(matches!(write(&lenient.model, Strictness::Strict),
            Err(WriteError::InvalidModel(e)) if e.code == code));
        assert!(write(&lenient.model, Strictness::Lenient).unwrap() == bytes, "{name}");
        true
    }
    let mesh =
        |name: &str, code: &str| check(name, code, Mesh::parse_with, Mesh::validate, Mesh::to_bytes_with);
    for (name, code) in [
        ("face_index", "face-index"),
        ("binding_bone", "binding-bone"),
        ("binding_dup", "duplicate-binding"),
        ("binding_range", "binding-range"),
        ("binding_overlap", "binding-overlap"),
        ("binding_moved", "binding-overlap"),
        ("binding_gap", "binding-gap"),
        ("blend_target", "blend-vertex-index"),
        ("weight", "blend-weight"),
        ("total", "total-count"),
        ("not_finite", "non-finite"),
        ("trailing", "trailing-bytes"),
    ] {
        assert!(mesh(&format!("{name}.reject.mesh"), code));
    }
    assert!(!mesh("count.reject.mesh", "bad-count"));
    let skel =
        |name: &str, code: &str| check(name, code, Skel::parse_with, Skel::validate, Skel::to_bytes_with);
    assert!(skel("parent.reject.skel", "bad-parent"));
    assert!(skel("cycle.reject.skel", "parent-cycle"));
    assert!(skel("bone_dup.reject.skel", "duplicate-bone"));
    let anim =
        |name: &str, code: &str| check(name, code, Anim::parse_with, Anim::validate, Anim::to_bytes_with);
    assert!(anim("motion_range.reject.anim", "motion-range"));
    assert!(!anim("count.reject.anim", "bad-count"));
    assert!(!check("tag.reject.bnd", "bad-tag", Bnd::parse_with, Bnd::validate, Bnd::to_bytes_with));
    assert!(!check("count.reject.bmf", "bad-count", Bmf::parse_with, Bmf::validate, Bmf::to_bytes_with));
    let skn = |name: &str, code: &str| check(name, code, Skn::parse_with, Skn::validate, Skn::to_bytes_with);
    assert!(!skn("number.reject.skn", "bad-number"));
    assert!(skn("trailing.reject.skn", "trailing-bytes"));
}

#[test]
fn oddities_are_reported() {
    fn codes(report: &Report) -> BTreeSet<&'static str> {
        report.totals().map(|t| t.0).collect()
    }
    let mesh = |name: &str| codes(&Mesh::parse(&bytes(name)).unwrap().validate());
    let set = |codes: &[&'static str]| codes.iter().copied().collect::<BTreeSet<_>>();
    assert_eq!(
        mesh("exported.warn.mesh"),
        set(&["normal-length", "total-real-only", "unused-vertices", "zero-weight"])
    );
    assert_eq!(mesh("names.warn.mesh"), set(&["empty-name", "name-encoding"]));
    assert_eq!(
        mesh("order.warn.mesh"),
        set(&[
            "binding-count",
            "several-blends",
            "blend-same-bone",
            "duplicate-bone-name",
            "degenerate-triangle",
        ])
    );
    let anim = Anim::parse(&bytes("seconds.warn.anim")).unwrap();
    assert_eq!(codes(&anim.validate()), set(&["duration-seconds"]));
    let skel = Skel::parse(&bytes("roots.warn.skel")).unwrap();
    assert_eq!(codes(&skel.validate()), set(&["several-roots"]));
}

#[test]
fn the_same_flag_in_three_formats() {
    let mesh = Mesh::parse(&bytes("flag.ok.mesh")).unwrap();
    let bmf = Bmf::parse(&bytes("flag.ok.bmf")).unwrap();
    assert_eq!(mesh.geometry, bmf.geometry);
    for name in ["flag.ok.skn", "lines.ok.skn"] {
        let skn = Skn::parse(&bytes(name)).unwrap();
        assert_eq!((&skn.skin, &skn.texture, &skn.geometry), (&bmf.skin, &bmf.texture, &bmf.geometry));
        let mut edited = skn.clone();
        edited.geometry.faces.pop();
        let written = edited.to_bytes().unwrap();
        assert_eq!(Skn::parse(&written).unwrap(), edited, "an edit wins over the text that was read");
    }
    let scene = bmf.to_scene(&SceneOptions::default(), None, &[]).unwrap();
    assert_eq!(scene.value.materials[0].name, "flag");
    assert!(scene.losses.iter().any(|l| l.code == "skeleton-missing"));
}

#[test]
fn a_flower_sways() {
    let mesh = Mesh::parse(&bytes("flower.ok.mesh")).unwrap();
    let skel = Skel::parse(&bytes("flower.ok.skel")).unwrap();
    let anim = Anim::parse(&bytes("sway.ok.anim")).unwrap();
    let bnd = Bnd::parse(&bytes("flower.ok.bnd")).unwrap();
    let texture = bnd.texture.as_ref().map(ResourceId::tag);
    assert_eq!(texture.as_deref(), Some("00c0ffee00000014"));
    let part = Part::new("flower", &mesh.geometry).with_material("flower.00c0ffee00000014.png");
    let assembly = Assembly::new("flower").with_part(part).with_skeleton(&skel).with_animations([&anim]);
    for space in [Space::Gltf, Space::File] {
        let converted = assembly.to_scene(&SceneOptions::in_space(space)).unwrap();
        assert!(converted.losses.is_empty(), "{:?}", converted.losses);
        converted.value.validate().unwrap();
        assert_eq!((converted.value.clips[0].frames, converted.value.clips[0].rate), (61, 30.0));
    }
    // Between two keys the bud is between the two places.
    let top = |frame: f64| {
        let world = skel.world(&anim.pose(&skel, frame, Between::Slerp));
        let pose = mesh.geometry.pose(&skel.matrices_for(&mesh.geometry.bones, &world));
        pose.positions.last().copied().unwrap()
    };
    let (a, between, b) = (top(3.0), top(3.5), top(4.0));
    for i in 0..3 {
        let (low, high) = (a[i].min(b[i]), a[i].max(b[i]));
        assert!(high - low < 1e-6 || low < between[i] && between[i] < high, "{a:?} {between:?} {b:?}");
    }
    assert!(a != b);
    assert_eq!(top(60.0), top(1e9));
}

//! Files of The Sims: conversion from glTF for an existing skeleton, round trips of suits, duplicate files.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a failing test panics"
)]

use crate::common::{code, program, stderr, stdout};
use meshwright::files::Tree;
use meshwright::scene::{Local, Motion, Scene, Trs};
use meshwright::tso::{Anim, Cfp, Cmx, Skel, Skn};
use meshwright::{Opener, Target, WriteOptions, convert};
use meshwright_testkit::testdata;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

fn run(dir: &Path, words: &str) -> Output {
    let output = program().current_dir(dir).args(words.split(' ')).output().unwrap();
    assert_eq!(code(&output), 0, "{words}: {}", stderr(&output));
    output
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().unwrap();
    for (fixture, name) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(testdata().join("tso").join(fixture), path).unwrap();
    }
    dir
}

type Turn = [f32; 4];

fn product(a: Turn, b: Turn) -> Turn {
    let ([x, y, z, w], [i, j, k, r]) = (a, b);
    [
        w * i + x * r + y * k - z * j,
        w * j - x * k + y * r + z * i,
        w * k + x * j - y * i + z * r,
        w * r - x * i - y * j - z * k,
    ]
}

const fn back([x, y, z, w]: Turn) -> Turn {
    [-x, -y, -z, w]
}

fn rotate(q: Turn, [x, y, z]: [f32; 3]) -> [f32; 3] {
    let [x, y, z, _] = product(product(q, [x, y, z, 0.0]), back(q));
    [x, y, z]
}

/// Rotates the axes of every joint and renames the joints, as editors do.
fn rigged(scene: &mut Scene, names: impl Fn(&str) -> String) {
    let turns = [[0.5, 0.5, 0.5, 0.5], [0.6, 0.0, 0.0, 0.8], [0.0, -0.28, 0.0, 0.96]];
    let skeleton = &mut scene.skeletons[0];
    let parents: Vec<Option<usize>> = skeleton.joints.iter().map(|j| j.parent).collect();
    let own = |j: usize| turns[j % turns.len()];
    let above = |j: usize| back(parents[j].map_or([0.0, 0.0, 0.0, 1.0], own));
    for (j, joint) in skeleton.joints.iter_mut().enumerate() {
        joint.name = names(&joint.name);
        let Local::Trs(rest) = joint.rest else { panic!("a rest of parts") };
        joint.rest = Local::Trs(Trs {
            translation: rotate(above(j), rest.translation),
            rotation: product(product(above(j), rest.rotation), own(j)),
            ..rest
        });
        // The bind pose stays: from the model to the joint, then to its rotated axes.
        let bind = &mut joint.inverse_bind;
        for column in [&mut bind.x, &mut bind.y, &mut bind.z, &mut bind.w] {
            *column = rotate(back(own(j)), *column);
        }
    }
    for clip in &mut scene.clips {
        let Motion::Tracks(tracks) = &mut clip.motion else { panic!("tracks") };
        for track in tracks {
            let j = track.joint;
            track.translation.values.iter_mut().for_each(|t| *t = rotate(above(j), *t));
            for value in &mut track.rotation.values {
                *value = product(product(above(j), *value), own(j));
            }
        }
    }
}

/// Returns the flower on its skeleton with its clip, as another tool would hand it back.
fn handed_back(dir: &Path, names: impl Fn(&str) -> String) {
    run(dir, "convert flower.mesh flower.skel sway.anim -o plain.glb");
    let open = Opener::new();
    let asset = open.open_in(Tree::open(dir).unwrap(), "plain.glb").unwrap();
    let mut scene = asset.scene().unwrap().value;
    rigged(&mut scene, names);
    let files = convert(&scene, Target::Glb, &WriteOptions::default().with_stem("rig")).unwrap().value;
    files.iter().for_each(|file| fs::write(dir.join(&file.name), &file.bytes).unwrap());
}

/// Returns the largest difference between the keys of two animations, up to the sign of quaternions. The second may
/// have more bones, without motion.
fn largest_difference(a: &Anim, b: &Anim) -> f32 {
    let mut most = 0.0_f32;
    for m in &a.motions {
        let n = b.motions.iter().find(|n| n.bone.matches(&m.bone)).expect("a motion of the bone");
        assert_eq!(m.frames, n.frames);
        let keys = |of: &Anim, m: &meshwright::tso::Motion| {
            let at = m.first_rotation as usize;
            let all = &of.rotations[at..at + m.frames as usize];
            all.iter().map(|q| q.map(meshwright::crucible::F32::get)).collect::<Vec<_>>()
        };
        if m.has_rotation.is_set() {
            for (p, q) in keys(a, m).into_iter().zip(keys(b, n)) {
                let off = |s: f32| p.iter().zip(q).map(|(p, q)| (p - s * q).abs()).fold(0.0, f32::max);
                most = most.max(off(1.0).min(off(-1.0)));
            }
        }
    }
    most
}

/// A skeleton of The Sims 1 is a record of a file; converted back, the whole file is written.
#[test]
fn a_record_comes_back_as_the_file_that_holds_it() {
    let dir = folder(&[("flag.ok.skn", "flag.skn"), ("flower.ok.cmx", "flower.cmx")]);
    let dir = dir.path();
    let same =
        |name: &str| fs::read(dir.join("out").join(name)).unwrap() == fs::read(dir.join(name)).unwrap();
    fs::create_dir_all(dir.join("out")).unwrap();
    run(dir, "convert flag.skn --skeleton flower.cmx -o flag.glb");
    run(dir, "convert flag.glb --onto flag.skn --skeleton flower.cmx -o out/flag.skn");
    assert!(same("flag.skn") && same("flower.cmx"));
    // The embedded original is written back unchanged.
    fs::remove_file(dir.join("out/flower.cmx")).unwrap();
    run(dir, "convert flag.skn --skeleton flower.cmx --keep-native -o kept.glb");
    run(dir, "convert kept.glb -o out/flag.skn");
    assert!(same("flag.skn") && same("flower.cmx"));
    assert_eq!(crate::common::names(&dir.join("out")), ["flag.skn", "flower.cmx"]);
}

/// Skills of `--anim` are written back as their own file, with the file of their keys.
#[test]
fn skills_come_back_as_their_files() {
    let dir = folder(&[
        ("flag.ok.skn", "flag.skn"),
        ("flower.ok.cmx", "bones.cmx"),
        ("flower.ok.cmx", "moves.cmx"),
        ("sway.ok.cfp", "sway.cfp"),
        ("flower.ok.mesh", "flower.mesh"),
        ("flower.ok.skel", "flower.skel"),
        ("sway.ok.anim", "all/walk.anim"),
    ]);
    let dir = dir.path();
    for (options, name, wanted) in [
        (
            "flag.skn --skeleton bones.cmx --anim moves.cmx",
            "flag.skn",
            &["bones.cmx", "flag.skn", "moves.cmx", "sway.cfp"][..],
        ),
        ("flag.skn --skeleton bones.cmx --anim moves.cmx", "moves.cmx", &["moves.cmx", "sway.cfp"]),
        (
            "flower.mesh --skeleton flower.skel --anim all --anim-name *",
            "flower.mesh",
            &["flower.mesh", "flower.skel", "walk.anim"],
        ),
    ] {
        let out = dir.join("out");
        fs::create_dir(&out).unwrap();
        run(dir, &format!("convert {options} --keep-native -o kept.glb"));
        run(dir, &format!("convert kept.glb -o out/{name}"));
        assert_eq!(crate::common::names(&out), wanted, "{options}");
        for name in wanted {
            let original = if *name == "walk.anim" { dir.join("all").join(name) } else { dir.join(name) };
            assert!(fs::read(out.join(name)).unwrap() == fs::read(original).unwrap(), "{name}");
        }
        fs::remove_dir_all(out).unwrap();
    }
}

/// A suit without its meshes shows nothing, and is written back unchanged.
#[test]
fn a_suit_without_its_meshes_comes_back() {
    let dir = TempDir::new().unwrap();
    let dir = dir.path();
    let suit = "version 300\n0\n1\ncensor\n1\n0\n1\nPELVIS\nxskin-censor-PELVIS-BOX\n1\n0\n0\n";
    fs::write(dir.join("censor.cmx"), suit).unwrap();
    let refused =
        program().current_dir(dir).args(["convert", "censor.cmx", "-o", "plain.glb"]).output().unwrap();
    assert!(code(&refused) == 1 && stderr(&refused).contains("--skeleton"), "{}", stderr(&refused));
    let kept = run(dir, "convert censor.cmx --keep-native -o kept.glb");
    assert!(stderr(&kept).contains("lost[companion-missing]"), "{}", stderr(&kept));
    run(dir, "check kept.glb");
    run(dir, "convert kept.glb -o back.cmx");
    assert_eq!(fs::read_to_string(dir.join("back.cmx")).unwrap(), suit);
}

#[test]
fn a_turned_and_renamed_rig_comes_back_for_a_skeleton_that_is_there() {
    let dir = folder(&[
        ("flower.ok.mesh", "flower.mesh"),
        ("flower.ok.skel", "flower.skel"),
        ("flower.ok.cmx", "flower.cmx"),
        ("sway.ok.anim", "sway.anim"),
    ]);
    let dir = dir.path();
    let native = Anim::parse(&fs::read(dir.join("sway.anim")).unwrap()).unwrap();
    for (spelling, names) in [
        ("as an editor numbers them", (|name: &str| format!("{name}.001")) as fn(&str) -> String),
        ("otherwise altogether", |name: &str| format!("Armature {}", name.len())),
    ] {
        handed_back(dir, names);
        fs::create_dir_all(dir.join("out")).unwrap();
        run(dir, "convert rig.glb --onto flower.skel -o out/new.anim");
        let made = Anim::parse(&fs::read(dir.join("out/new.anim")).unwrap()).unwrap();
        let off = largest_difference(&native, &made);
        assert!(off < 2e-4, "{spelling}: keys are {off} apart");
        // The run writes no other file, because the skeleton exists.
        assert_eq!(crate::common::names(&dir.join("out")), ["new.anim"]);
        // Meshes use the bones of the game and keep their positions.
        run(dir, "convert rig.glb --onto flower.skel -o out/new.mesh");
        assert!(!dir.join("out/new.skel").exists());
        run(dir, "convert out/new.mesh flower.skel out/new.anim -o out/again.glb");
        let diff = ["diff", "plain.glb", "out/again.glb", "--format", "json"];
        let diff = stdout(&program().current_dir(dir).args(diff).output().unwrap());
        let diff: Value = serde_json::from_str(&diff).unwrap();
        let distance = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{diff}"));
        assert!(distance(&diff["rest"]) < 5e-4 && distance(&diff["clips"][0]["apart"]) < 5e-4, "{diff}");
        fs::remove_dir_all(dir.join("out")).unwrap();
    }
    // A .cfp file is written with the record that names its skill.
    run(dir, "convert rig.glb --onto flower.cmx -o keys.cfp");
    let record = Cmx::parse(&fs::read(dir.join("keys.cmx")).unwrap()).unwrap().character;
    assert!(record.skeletons.is_empty() && record.skills[0].keys == "keys");
    let keys = Cfp::parse(&fs::read(dir.join("keys.cfp")).unwrap()).unwrap();
    assert!(record.skills[0].to_anim(&keys).is_some_and(|anim| largest_difference(&native, &anim) < 2e-3));
    let skel = Skel::parse(&fs::read(dir.join("flower.skel")).unwrap()).unwrap();
    assert!(record.skills[0].motions.iter().all(|m| skel.bones.iter().any(|b| b.name == m.bone)));
    // A clip of another name is another animation, for the skeleton of the one that is named.
    run(dir, "convert rig.glb --onto sway.anim --skeleton flower.skel -o same.anim");
    let same = Anim::parse(&fs::read(dir.join("same.anim")).unwrap()).unwrap();
    assert!(largest_difference(&native, &same) < 2e-4);
}

#[test]
fn suits_go_out_and_come_back() {
    let dir = folder(&[("flower.ok.mesh", "flower.mesh"), ("flower.ok.skel", "flower.skel")]);
    let dir = dir.path();
    let text = fs::read_to_string(testdata().join("tso/flower.ok.cmx")).unwrap();
    for (extension, ending) in [("cmx", "skn"), ("bcf", "bmf")] {
        let at = |name: &str| dir.join(extension).join(name);
        fs::create_dir_all(at("out")).unwrap();
        fs::write(at("flower.cmx"), &text).unwrap();
        let skin = format!("xskin-flower-ROOT-BODY.{ending}");
        run(dir, &format!("convert flower.mesh --skeleton flower.skel -o {extension}/{skin}"));
        run(dir, &format!("convert {extension}/flower.cmx -o {extension}/f.glb --extras --verbose"));
        run(dir, &format!("convert {extension}/f.glb -o {extension}/out/flower.{extension}"));
        let suit = |path: &Path| {
            let bytes = fs::read(path).unwrap();
            let character = match meshwright::tso::Bcf::parse(&bytes) {
                Ok(bcf) => bcf.character,
                Err(_) => Cmx::parse(&bytes).unwrap().character,
            };
            character.suits[0].clone()
        };
        assert_eq!(suit(&at(&format!("out/flower.{extension}"))), suit(&at("flower.cmx")));
        let shape = |path: &Path| {
            let bytes = fs::read(path).unwrap();
            match meshwright::tso::Bmf::parse(&bytes) {
                Ok(bmf) => bmf.geometry,
                Err(_) => Skn::parse(&bytes).unwrap().geometry,
            }
        };
        let (was, is) = (shape(&at(&skin)), shape(&at(&format!("out/{skin}"))));
        assert_eq!((is.bones, is.faces.len(), is.real.len()), (was.bones, was.faces.len(), was.real.len()));
        let far = was.real.iter().zip(&is.real).flat_map(|(a, b)| {
            a.position.iter().zip(&b.position).map(|(a, b)| (a.get() - b.get()).abs()).collect::<Vec<_>>()
        });
        assert!(far.fold(0.0, f32::max) < 1e-4, "{extension}");
    }
}

#[test]
fn duplicate_files_are_reported_with_the_one_that_is_used() {
    let dir = folder(&[
        ("flower.ok.cmx", "flower.cmx"),
        ("sway.ok.cfp", "sway.cfp"),
        ("runs.ok.cfp", "other/SWAY.cfp"),
        ("flower.ok.apr", "flower.000000010000000c.apr"),
        ("flower.ok.bnd", "a/one.00c0ffee0000000b.bnd"),
        ("untextured.ok.bnd", "b/two.00c0ffee0000000b.bnd"),
    ]);
    let dir = dir.path();
    let said = |words: &str| {
        let output = program().current_dir(dir).args(words.split(' ')).output().unwrap();
        stdout(&output)
    };
    let text = said("check flower.cmx");
    assert!(
        text.contains("warning[duplicate-name]") && text.contains("sway.cfp is taken, not other/SWAY.cfp"),
        "{text}"
    );
    let text = said("check flower.000000010000000c.apr");
    assert!(
        text.contains("warning[duplicate-id]") && text.contains("a/one.00c0ffee0000000b.bnd is taken"),
        "{text}"
    );
    // Duplicates with the same content are not reported.
    fs::copy(dir.join("sway.cfp"), dir.join("other/SWAY.cfp")).unwrap();
    assert!(!said("check flower.cmx").contains("duplicate-name"));
    assert!(said("explain W_NAME_DUP").contains("Two files of the tree"));
}

/// Text becomes binary record by record: nothing else is written, and keys never replace other keys.
#[test]
fn records_are_spelled_otherwise() {
    let dir = folder(&[
        ("flower.ok.cmx", "in/flower.cmx"),
        ("sway.ok.cfp", "in/sway.cfp"),
        ("flag.ok.skn", "flag.skn"),
    ]);
    let (at, names) = (dir.path(), |folder: &str| {
        let mut names: Vec<_> =
            fs::read_dir(dir.path().join(folder)).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    });
    let read = |name: &str| fs::read(at.join(name)).unwrap();
    fs::create_dir(at.join("out")).unwrap();
    run(at, "convert in/flower.cmx -o out/flower.bcf");
    assert_eq!(names("out"), ["flower.bcf", "sway.cfp"]);
    assert!(read("out/flower.bcf") == fs::read(testdata().join("tso/flower.ok.bcf")).unwrap());
    assert!(read("out/sway.cfp") == read("in/sway.cfp"));
    // In the same folder the keys exist.
    run(at, "convert in/flower.cmx -o in/flower.bcf");
    assert_eq!(names("in"), ["flower.bcf", "flower.cmx", "sway.cfp"]);
    fs::write(at.join("out/sway.cfp"), b"others").unwrap();
    let again = run(at, "convert in/flower.cmx -o out/flower.bcf");
    assert!(stderr(&again).contains("companion-left") && read("out/sway.cfp") == b"others");
    let piped = run(at, "convert in/flower.cmx --to bcf -o -");
    assert!(piped.stdout == read("out/flower.bcf") && stderr(&piped).contains("companion-left"));
    run(at, "convert flag.skn -o flag.bmf");
    assert!(read("flag.bmf") == fs::read(testdata().join("tso/flag.ok.bmf")).unwrap());
    // A skeleton that is named says what a mesh is shown on, and is in no mesh.
    run(at, "convert flag.skn --skeleton in/flower.cmx -o on.bmf");
    assert!(read("on.bmf") == read("flag.bmf") && !at.join("on.skel").exists());
}

#[test]
fn a_skeleton_that_does_not_fit_is_named_with_the_reason() {
    let unfit = |dir: &TempDir| {
        let output = run(dir.path(), "convert flower.mesh -o flower.glb --force");
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let said = stderr(&output);
        said.lines()
            .filter(|line| line.contains("note[skeleton-unfit]"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mesh = ("flower.ok.mesh", "flower.mesh");
    // Bones are missing.
    let dir = folder(&[mesh, ("arm.ok.skel", "arm.skel")]);
    let said = unfit(&dir);
    assert_eq!(said.len(), 1, "{said:?}");
    let listed = run(dir.path(), "info flower.mesh").stdout;
    let found = run(dir.path(), "check flower.mesh").stdout;
    let (listed, found) = (String::from_utf8_lossy(&listed), String::from_utf8_lossy(&found));
    assert!(listed.contains("arm.skel (skeleton), ignored") && found.contains("info[skeleton-unfit]"));
    for part in ["does not fit", "2 of 2 bones", "\"ROOT\" \"BUD\""] {
        assert!(
            said[0].contains(part) && listed.contains(part) && found.contains(part),
            "{said:?} {listed} {found}"
        );
    }
    // The skeleton has all bones, but the game has no skeleton with this name.
    let said = unfit(&folder(&[mesh, ("flower.ok.skel", "flower.skel")]));
    assert!(said.len() == 1 && said[0].contains("only adult, child, dog, cat"), "{said:?}");
    // The file is not a skeleton.
    let dir = folder(&[mesh]);
    fs::write(dir.path().join("cut.skel"), [1, 2, 3]).unwrap();
    let said = unfit(&dir);
    assert!(said.len() == 1 && said[0].contains("cut.skel") && said[0].contains("no readable"), "{said:?}");
    // One in another folder is not next to the mesh, and a skeleton that is named is used.
    let dir = folder(&[mesh]);
    fs::create_dir(dir.path().join("other")).unwrap();
    fs::copy(testdata().join("tso/arm.ok.skel"), dir.path().join("other/arm.skel")).unwrap();
    assert_eq!(unfit(&dir), Vec::<String>::new());
    let dir = folder(&[mesh, ("flower.ok.skel", "flower.skel")]);
    let output = run(dir.path(), "convert flower.mesh --skeleton flower.skel -o flower.glb");
    assert!(!stderr(&output).contains("skeleton-unfit"), "{}", stderr(&output));
}

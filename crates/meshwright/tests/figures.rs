//! Tests the files of a character whose export was edited: edited and unedited files.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use crate::restoring::restored;
use meshwright::edit::{Recovery, State};
use meshwright::gltf::{ExportOptions, export_keeping};
use meshwright::scene::{Extra, SceneOptions};
use meshwright::tso::{Anim, Mesh, Name, Skel};
use meshwright::{
    ConvertOptions, Converted, Keeping, Model, NamedFile, Opener, Original, RecoverOptions, Role, Target,
};
use meshwright_testkit::testdata;
use std::collections::BTreeMap;
use std::fs;

pub(crate) type Files = BTreeMap<String, Vec<u8>>;

fn files(names: &[(&str, &str)]) -> Files {
    let read = |(from, to): &(&str, &str)| ((*to).to_owned(), fs::read(testdata().join(from)).unwrap());
    names.iter().map(read).collect()
}

fn flower() -> Files {
    files(&[
        ("tso/flower.ok.mesh", "flower.mesh"),
        ("tso/flag.ok.mesh", "flag.mesh"),
        ("tso/flower.ok.skel", "bones.skel"),
        ("tso/sway.ok.anim", "sway.anim"),
        ("tso/lists.ok.anim", "lists.anim"),
    ])
}

/// Joins files to a character; the first is the main one.
pub(crate) fn figure(files: &Files, names: &[&str]) -> Model {
    let skeleton = names.iter().find(|name| name.ends_with(".skel"));
    let one = |name: &&str| {
        let mut open = Opener::new();
        if let Some(skel) = skeleton.filter(|_| name.ends_with(".anim")) {
            open = open.named(NamedFile::new(Role::Skeleton, *skel, files[*skel].clone()));
        }
        open.open_bytes(name, files[*name].clone(), []).unwrap()
    };
    Model::figure(names.iter().map(one).collect()).unwrap()
}

/// Returns the document of a character, edited as text.
fn document(asset: &Model, edit: impl Fn(String) -> String) -> Model {
    let open = Opener::new();
    let record: Extra = asset.record(&Keeping::default()).unwrap();
    let scene = asset.scene_with(&SceneOptions::default().with_extras(true)).unwrap().value;
    let glb = export_keeping(&scene, &ExportOptions::default(), &record).unwrap().value.to_glb();
    let size = |at: usize| u32::from_le_bytes(glb[at..at + 4].try_into().unwrap()) as usize;
    let json = String::from_utf8(glb[20..20 + size(12)].to_vec()).unwrap();
    let rest = &glb[20 + size(12)..];
    let mut json = edit(json).into_bytes();
    while !json.len().is_multiple_of(4) {
        json.push(b' ');
    }
    let word = |n: usize| u32::try_from(n).unwrap().to_le_bytes();
    let parts = [b"glTF", &word(2)[..], &word(20 + json.len() + rest.len()), &word(json.len()), b"JSON"];
    let glb = [parts.concat(), json, rest.to_vec()].concat();
    open.open_bytes("x.glb", glb, []).unwrap()
}

/// Restores a character whose document was edited as text.
pub(crate) fn edited(asset: &Model, edit: impl Fn(String) -> String) -> Converted {
    let document = document(asset, edit);
    let name = String::from_utf8(asset.path().name().to_vec()).unwrap();
    let target = Target::Native(asset.format());
    restored(&document, None, target, &name, &RecoverOptions::default(), &ConvertOptions::default()).unwrap()
}

pub(crate) fn replaced(from: &'static str, to: &'static str) -> impl Fn(String) -> String {
    move |json| {
        assert!(json.contains(from), "{from}: {json}");
        json.replace(from, to)
    }
}

pub(crate) fn written_files(back: &Converted) -> Files {
    back.files().iter().map(|file| (file.name.clone(), file.bytes.clone())).collect()
}

fn edits(report: &Recovery) -> [usize; 3] {
    let count = |states: Vec<State>| states.into_iter().filter(|state| *state != State::Untouched).count();
    [
        count(report.meshes.iter().map(|p| p.state).collect()),
        count(report.joints.iter().map(|p| p.state).collect()),
        count(report.clips.iter().map(|p| p.state).collect()),
    ]
}

/// Everything but the name stays bit for bit: in the mesh, in the skeleton, and in the animations.
#[test]
fn a_bone_that_is_renamed_is_renamed_in_every_file() {
    let files = flower();
    let names = ["flower.mesh", "flag.mesh", "bones.skel", "sway.anim", "lists.anim"];
    let asset = figure(&files, &names);
    let old = "\"name\":\"BUD\"";
    // An object with another name and a material is still the mesh of the file.
    let other = |json: String| {
        let json = replaced(old, "\"name\":\"BUD_edit\"")(json);
        assert!(json.contains("\"name\":\"flower\""), "{json}");
        json.replace("\"name\":\"flower\"", "\"name\":\"rose\"")
    };
    let (bud, new) = (Name::from("BUD"), Name::from("BUD_edit"));
    for edit in [&replaced(old, "\"name\":\"BUD_edit\"") as &dyn Fn(String) -> String, &other] {
        let back = edited(&asset, edit);
        assert!(back.losses().iter().all(|loss| loss.code != "original-dropped"), "{:?}", back.losses());
        let mut wanted = files.clone();
        let mut mesh = Mesh::parse(&files["flower.mesh"]).unwrap();
        let renamed = mesh.geometry.bones.iter_mut().filter(|bone| **bone == bud);
        assert_eq!(renamed.map(|bone| *bone = new.clone()).count(), 1);
        wanted.insert("flower.mesh".into(), mesh.to_bytes().unwrap());
        let mut skel = Skel::parse(&files["bones.skel"]).unwrap();
        for bone in &mut skel.bones {
            for name in [&mut bone.name, &mut bone.parent] {
                if *name == bud {
                    name.clone_from(&new);
                }
            }
        }
        wanted.insert("bones.skel".into(), skel.to_bytes().unwrap());
        for name in ["sway.anim", "lists.anim"] {
            let mut anim = Anim::parse(&files[name]).unwrap();
            for motion in anim.motions.iter_mut().filter(|motion| motion.bone == bud) {
                motion.bone.clone_from(&new);
            }
            wanted.insert(name.into(), anim.to_bytes().unwrap());
        }
        assert!(wanted["sway.anim"] != files["sway.anim"] || wanted["lists.anim"] != files["lists.anim"]);
        let made = written_files(&back);
        assert_eq!(made.keys().collect::<Vec<_>>(), wanted.keys().collect::<Vec<_>>());
        for (name, bytes) in &wanted {
            assert!(made[name] == *bytes, "{name}");
        }
    }
}

/// If one file of a character is edited, all others are unchanged.
#[test]
fn what_was_not_edited_lies_beside_what_was() {
    let all = files(&[
        ("tso/flower.ok.mesh", "flower.mesh"),
        ("tso/flower.ok.skel", "bones.skel"),
        ("tso/sway.ok.anim", "sway.anim"),
    ]);
    let asset = figure(&all, &["flower.mesh", "bones.skel", "sway.anim"]);
    let differ = |back: &Converted| -> Vec<String> {
        let made = written_files(back);
        assert_eq!(made.keys().collect::<Vec<_>>(), all.keys().collect::<Vec<_>>(), "{:?}", back.losses());
        made.into_iter().filter(|(name, bytes)| all[name] != *bytes).map(|(name, _)| name).collect()
    };
    let back = edited(&asset, |json| json);
    assert!(differ(&back).is_empty());
    // An edit of only the clip.
    let back = edited(&asset, replaced("\"name\":\"sway\"", "\"name\":\"swing\""));
    assert_eq!(edits(back.edits().unwrap()), [0, 0, 1]);
    assert_eq!(differ(&back), ["sway.anim"]);
}

/// A character of a skeleton and its animations has no mesh; edits are still written into the right files.
#[test]
fn what_moves_a_skeleton_is_edited_in_its_file() {
    let all = files(&[("tso/flower.ok.skel", "bones.skel"), ("tso/sway.ok.anim", "sway.anim")]);
    let asset = figure(&all, &["bones.skel", "sway.anim"]);
    let back = edited(&asset, replaced("\"name\":\"sway\"", "\"name\":\"swing\""));
    assert_eq!(edits(back.edits().unwrap()), [0, 0, 1]);
    let made = written_files(&back);
    assert_eq!(made.keys().collect::<Vec<_>>(), all.keys().collect::<Vec<_>>());
    assert!(made["bones.skel"] == all["bones.skel"]);
    let mut anim = Anim::parse(&all["sway.anim"]).unwrap();
    anim.name = Name::from("swing");
    assert!(made["sway.anim"] == anim.to_bytes().unwrap());
}

/// The mesh of the main file may be deleted: its file has no vertices, and the others stay.
#[test]
fn the_mesh_of_the_main_file_may_be_gone() {
    let names = ["flower.mesh", "flag.mesh", "bones.skel", "sway.anim"];
    let files: Files = flower().into_iter().filter(|(name, _)| names.contains(&name.as_str())).collect();
    for names in [&names[..], &["flower.mesh", "bones.skel", "sway.anim"]] {
        let back = edited(&figure(&files, names), |json| {
            // The node no longer draws it.
            assert!(json.contains("\"mesh\":0,"), "{json}");
            json.replace("\"mesh\":0,", "")
        });
        assert_eq!(edits(back.edits().unwrap()), [1, 0, 0], "{:?}", back.losses());
        assert!(back.losses().iter().any(|loss| loss.code == "mesh-gone"), "{:?}", back.losses());
        let made = written_files(&back);
        let mesh = Mesh::parse(&made["flower.mesh"]).unwrap();
        assert!(mesh.geometry.real.is_empty() && mesh.geometry.faces.is_empty());
        assert_eq!(made.len(), names.len());
        assert!(names[1..].iter().all(|name| made[*name] == files[*name]));
    }
}

/// Deleting a clip does not delete a file that has other records.
#[test]
fn a_file_of_records_outlives_each_of_them() {
    let files = files(&[
        ("tso/flower.ok.mesh", "a.mesh"),
        ("tso/flower.ok.cmx", "folk.cmx"),
        ("tso/sway.ok.cfp", "sway.cfp"),
    ]);
    let open = Opener::new();
    let beside = [("sway.cfp".to_owned(), files["sway.cfp"].clone())];
    let asset = Model::figure(vec![
        open.open_bytes("a.mesh", files["a.mesh"].clone(), []).unwrap(),
        open.open_bytes("folk.cmx", files["folk.cmx"].clone(), beside).unwrap(),
    ]);
    let asset = asset.unwrap();
    assert_eq!(asset.scene().unwrap().value.clips.len(), 1);
    let back = edited(&asset, replaced("\"animations\":", "\"nothing\":"));
    assert_eq!(edits(back.edits().unwrap()), [0, 0, 1], "{:?}", back.losses());
    assert!(back.losses().iter().any(|loss| loss.code == "record-left"), "{:?}", back.losses());
    assert!(written_files(&back) == files, "{:?}", written_files(&back).keys());
}

/// Returns files with two moving bones, events in several lists, and properties.
fn busy() -> Files {
    let mut all = files(&[("tso/flower.ok.mesh", "flower.mesh"), ("tso/flower.ok.skel", "bones.skel")]);
    let mut anim = Anim::parse(&files(&[("tso/lists.ok.anim", "a")])["a"]).unwrap();
    let event = |time: u32, value: &str| {
        let mut event = anim.motions[0].time_properties[0][0].clone();
        event.time = time;
        event.lists[0].0[0].1 = Name::from(value);
        event
    };
    let lists =
        [vec![event(1, "a"), event(2, "b")], vec![], vec![event(3, "c"), event(3, "d"), event(33, "e")]];
    let root = vec![vec![event(1, "r")]];
    let mut other = anim.motions[0].clone();
    other.bone = Name::from("ROOT");
    (anim.motions[0].time_properties, other.time_properties) = (lists.to_vec(), root);
    anim.motions.push(other);
    all.insert("nod.anim".into(), anim.to_bytes().unwrap());
    all
}

/// An event that is edited in the document changes in the file, and no other byte does.
#[test]
fn an_edited_event_is_all_that_is_other_in_the_file() {
    let all = busy();
    let asset = figure(&all, &["flower.mesh", "bones.skel", "nod.anim"]);
    type Change = fn(&mut Anim);
    let cases: [(&str, &str, Change); 6] = [
        ("\"xevt\":\"d\"", "\"xevt\":\"other\"", |anim| {
            anim.motions[0].time_properties[2][1].lists[0].0[0].1 = Name::from("other");
        }),
        ("\"time_ms\":33", "\"time_ms\":32", |anim| anim.motions[0].time_properties[2][2].time = 32),
        ("\"xevt\":\"r\"", "\"xevt\":\"s\"", |anim| {
            anim.motions[1].time_properties[0][0].lists[0].0[0].1 = Name::from("s");
        }),
        ("{\"time_ms\":2,\"properties\":[{\"xevt\":\"b\"}]},", "", |anim| {
            anim.motions[0].time_properties[0].pop();
        }),
        ("{\"time_ms\":33,", "{\"time_ms\":9,\"properties\":[{\"xevt\":\"n\"}]},{\"time_ms\":33,", |anim| {
            let mut new = anim.motions[0].time_properties[2][1].clone();
            new.time = 9;
            new.lists[0].0[0].1 = Name::from("n");
            anim.motions[0].time_properties[2].insert(2, new);
        }),
        // A bone keeps its events under another name.
        ("\"name\":\"BUD\"", "\"name\":\"BUD_edit\"", |anim| {
            anim.motions[0].bone = Name::from("BUD_edit");
        }),
    ];
    for (from, to, change) in cases {
        let back = edited(&asset, replaced(from, to));
        let report = back.edits().unwrap();
        assert_eq!(edits(report).iter().sum::<usize>(), 1, "{from}: {report:?}");
        let made = written_files(&back);
        let mut anim = Anim::parse(&all["nod.anim"]).unwrap();
        change(&mut anim);
        assert_eq!(Anim::parse(&made["nod.anim"]).unwrap(), anim, "{from}: {:?}", back.losses());
        assert!(
            made["nod.anim"] == anim.to_bytes().unwrap() && made["nod.anim"] != all["nod.anim"],
            "{from}"
        );
        assert!(made["flower.mesh"] == all["flower.mesh"] || from.contains("BUD"));
    }
}

/// Restores one member of a character whose document was edited as text.
fn member(
    asset: &Model,
    target: meshwright::Format,
    name: &str,
    edit: impl Fn(String) -> String,
) -> Converted {
    let document = document(asset, edit);
    restored(&document, None, target, name, &RecoverOptions::default(), &ConvertOptions::default()).unwrap()
}

/// A requested skeleton or animation is the embedded one, with only its own edits.
#[test]
fn a_member_of_a_figure_is_written_as_it_was() {
    use meshwright::Format;
    let files = flower();
    let asset = figure(&files, &["flower.mesh", "bones.skel", "sway.anim", "lists.anim"]);
    let left = |back: &Converted| {
        let left = back.losses().iter().filter(|loss| loss.code == "member-left");
        left.map(|loss| (loss.path.clone(), loss.is_note())).collect::<BTreeMap<_, _>>()
    };
    for (format, name, own) in [
        (Format::TsoSkeleton, "x.skel", "bones.skel"),
        (Format::TsoAnimation, "y.anim", "sway.anim"),
        (Format::TsoAnimation, "lists.anim", "lists.anim"),
    ] {
        let back = member(&asset, format, name, |json| json);
        assert_eq!(written_files(&back), BTreeMap::from([(name.to_owned(), files[own].clone())]), "{name}");
        assert!(back.losses().len() == 3 && left(&back).values().all(|note| *note), "{:?}", back.losses());
    }
    let edit = replaced("\"name\":\"sway\"", "\"name\":\"swing\"");
    let back = member(&asset, Format::TsoAnimation, "y.anim", &edit);
    let mut anim = Anim::parse(&files["sway.anim"]).unwrap();
    anim.name = Name::from("swing");
    assert_eq!(written_files(&back)["y.anim"], anim.to_bytes().unwrap());
    let back = member(&asset, Format::TsoSkeleton, "x.skel", &edit);
    assert_eq!(written_files(&back)["x.skel"], files["bones.skel"]);
    assert!(!left(&back)["sway.anim"] && left(&back)["flower.mesh"], "{:?}", back.losses());
}

/// A mesh that a skeleton places is not written onto an original without one.
#[test]
fn a_mesh_is_not_written_without_the_skeleton_that_places_it() {
    let files = flower();
    let open = Opener::new();
    let alone = open.open_bytes("flower.mesh", files["flower.mesh"].clone(), []).unwrap();
    let placed = document(&figure(&files, &["flower.mesh", "bones.skel"]), |json| json);
    let back = |document: &Model, onto: Model| {
        let (how, options) = (RecoverOptions::default(), ConvertOptions::default());
        restored(document, Some(&Original::new(onto)), meshwright::Format::TsoMesh, "b.mesh", &how, &options)
    };
    let refused = back(&placed, alone.clone()).unwrap_err().to_string();
    for word in ["\"figure\"", "flower.mesh", "--skeleton"] {
        assert!(refused.contains(word), "{refused}");
    }
    let whole = back(&placed, figure(&files, &["flower.mesh", "bones.skel"])).unwrap();
    assert_eq!(written_files(&whole)["b.mesh"], files["flower.mesh"]);
    let same = back(&document(&alone, |json| json), alone).unwrap();
    assert_eq!(written_files(&same)["b.mesh"], files["flower.mesh"]);
}

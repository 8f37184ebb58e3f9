//! Data embedded in a document is hostile input: whatever it holds, the document itself stays valid.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

use crate::restoring::restored;
use meshwright::dpm::Dpm;
use meshwright::files::{PackBuilder, PackKind};
use meshwright::gltf::{ExportOptions, GltfFile, export_keeping};
use meshwright::scene::{Extra, Scene};
use meshwright::{
    ConvertOptions, Format, Keeping, Limits, Model, Opener, Original, ReadOptions, ReadSettings,
    RecoverOptions, Target, WriteOptions, recovery_lines,
};
use meshwright_testkit::{proptest, testdata};
use proptest::prelude::*;
use std::fs;

const HOPPER: &str = "hopper.ok.dpm";

fn asset(name: &str) -> Model {
    let path = testdata().join("dpm").join(name);
    let bytes = fs::read(&path).unwrap();
    let clips = fs::read(path.with_extension("dpm.framegroups")).unwrap();
    let open = Opener::new();
    open.open_bytes(name, bytes, [(format!("{name}.framegroups"), clips)]).unwrap()
}

fn record() -> (Scene, Extra) {
    let asset = asset(HOPPER);
    (asset.scene().unwrap().value, asset.record(&Keeping::default()).unwrap())
}

/// Returns the document of a scene with an embedded record.
fn document(scene: &Scene, record: &Extra) -> Model {
    let glb = export_keeping(scene, &ExportOptions::default(), record).unwrap().value.to_glb();
    Opener::new().open_bytes("x.glb", glb, []).unwrap()
}

/// Skins and shaders are files of their own: their effects on surfaces are not edits.
#[test]
fn a_model_in_its_skins_comes_back_unedited() {
    let path = testdata().join("game/base/pak0.pak/models/hopper.dpm");
    for skin in [None, Some(0), Some(1)] {
        let asset = Opener::new().textures(true).skin(skin).open(&path).unwrap();
        let record = asset.record(&Keeping::default()).unwrap();
        let options = WriteOptions::default().with_kept(record).into();
        let glb =
            asset.convert_with(Target::Glb, &options).unwrap().into_files().into_iter().next().unwrap().bytes;
        let edited = Opener::new().open_bytes("x.glb", glb, []).unwrap();
        assert!(edited.scene().unwrap().value.materials.len() > 1);
        let (how, target) = (RecoverOptions::default(), Target::Native(Format::Dpm));
        let back = restored(&edited, None, target, "hopper.dpm", &how, &ConvertOptions::default()).unwrap();
        let lines = recovery_lines(back.edits().unwrap(), usize::MAX);
        assert_eq!(
            (lines, back.losses().to_vec()),
            (vec!["nothing was edited".to_owned()], Vec::new()),
            "{skin:?}"
        );
        assert!(back.files().main().unwrap().bytes == asset.bytes());
    }
}

/// A file of keys does not state how many it has.
#[test]
fn keys_of_another_number_come_back_unedited() {
    let read = |name: &str| fs::read(testdata().join("tso").join(name)).unwrap();
    let (records, keys) = (read("flower.ok.cmx"), read("sway.ok.cfp"));
    for keys in [keys[..keys.len() - 1].to_vec(), [&*keys, b"x"].concat()] {
        let model = Opener::new().lenient(true).open_bytes(
            "flower.cmx",
            records.clone(),
            [("sway.cfp".into(), keys)],
        );
        let model = model.unwrap();
        assert_eq!(model.scene().unwrap().value.clips.len(), 1);
        let options = WriteOptions::default().with_kept(model.record(&Keeping::default()).unwrap()).into();
        let glb = model.convert_with(Target::Glb, &options).unwrap().into_files().into_iter().next().unwrap();
        let edited = Opener::new().open_bytes("x.glb", glb.bytes, []).unwrap();
        let (how, target) = (RecoverOptions::default(), Target::Native(Format::Cmx));
        let back = restored(&edited, None, target, "flower.cmx", &how, &ConvertOptions::default()).unwrap();
        assert_eq!(recovery_lines(back.edits().unwrap(), usize::MAX), ["nothing was edited"]);
        assert!(back.files().main().unwrap().bytes == records);
    }
}

fn field<'e>(record: &'e mut Extra, name: &str) -> &'e mut Extra {
    let Extra::Map(fields) = record else { panic!("no map") };
    &mut fields.iter_mut().find(|(key, _)| key == name).unwrap().1
}

/// Returns a field of the file of the model.
fn of_model<'e>(record: &'e mut Extra, name: &str) -> &'e mut Extra {
    let Extra::List(files) = field(record, "files") else { panic!("no list") };
    field(&mut files[0], name)
}

fn text(value: &mut Extra) -> &mut String {
    let Extra::Text(text) = value else { panic!("no text") };
    text
}

fn within(memory: u64) -> ReadSettings {
    ReadOptions::default().with_limits(Limits::default().with_memory(memory)).into()
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

fn base64(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, i| bits << 8 | u32::from(*chunk.get(i).unwrap_or(&0)));
        for i in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * i) & 63) as usize];
            out.push(if i <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

#[test]
fn what_is_wrong_is_said_and_passed_over() {
    let (scene, good) = record();
    let read = |record: &Extra| Original::kept_in(&document(&scene, record), &ReadSettings::default());
    assert!(read(&good).unwrap().is_some());
    type Edit = fn(&mut Extra);
    let edits: [(&str, Edit); 10] = [
        ("version", |r| *field(r, "v") = Extra::Int(3)),
        ("version that is none", |r| *field(r, "v") = Extra::Text("1".into())),
        ("format", |r| *text(field(r, "format")) = "gltf".into()),
        ("other format", |r| *text(field(r, "format")) = "zym".into()),
        ("unknown format", |r| *text(field(r, "format")) = "md7".into()),
        ("hash", |r| {
            text(of_model(r, "sha256")).replace_range(0..4, "0000");
        }),
        ("path", |r| {
            *text(of_model(r, "name")) = "../../etc/passwd".into();
        }),
        ("cut", |r| {
            let block = text(of_model(r, "lz4"));
            block.truncate(block.len() / 2);
        }),
        ("another size", |r| text(of_model(r, "lz4")).replace_range(0..4, "AAAA")),
        ("no files", |r| *field(r, "files") = Extra::List(Vec::new())),
    ];
    for (what, edit) in edits {
        let mut record = good.clone();
        edit(&mut record);
        let document = document(&scene, &record);
        let error = Original::kept_in(&document, &ReadSettings::default()).unwrap_err();
        match what {
            "version" => assert!(error.message().contains("version 3"), "{error}"),
            "hash" => assert!(error.message().contains("its hash differs"), "{error}"),
            _ => {}
        }
        assert_eq!(document.scene().unwrap().value.meshes.len(), scene.meshes.len());
    }
    for record in [Extra::Bool(true), Extra::List(vec![]), Extra::Text("{".into())] {
        assert!(read(&record).is_err());
    }
}

/// Returns the record as version 1 stores files: in a zip archive.
fn zipped(record: &Extra, bytes: &[u8]) -> Extra {
    let mut pack = PackBuilder::new(PackKind::Zip).unwrap();
    pack.add("0".parse().unwrap(), Box::new(|| Ok(bytes.to_vec()))).unwrap();
    let mut zip = Vec::new();
    pack.write(&mut zip).unwrap();
    let mut record = record.clone();
    *field(&mut record, "v") = Extra::Int(1);
    let Extra::Map(fields) = &mut record else { panic!("no map") };
    fields.push(("pack".into(), base64(&zip).into()));
    record
}

#[test]
fn a_record_of_version_1_is_read() {
    let (scene, mut record) = record();
    let Extra::List(files) = field(&mut record, "files") else { panic!("no list") };
    files.retain(
        |file| matches!(file, Extra::Map(fields) if fields.contains(&("role".into(), "model".into()))),
    );
    let hopper = asset(HOPPER);
    let document = document(&scene, &zipped(&record, hopper.bytes()));
    let original = Original::kept_in(&document, &ReadSettings::default()).unwrap().unwrap();
    assert!(original.asset().bytes() == hopper.bytes());
}

#[test]
fn a_bomb_is_charged() {
    let (scene, record) = record();
    let mut big = record.clone();
    // 3.9 GB are stated.
    text(of_model(&mut big, "lz4")).replace_range(0..8, "AAAA6AAA");
    for record in [zipped(&record, &vec![0; 64 << 20]), big] {
        let document = document(&scene, &record);
        let error = Original::kept_in(&document, &within(8 << 20)).unwrap_err();
        assert!(error.to_string().contains("limit"), "{error}");
        assert!(Original::kept_in(&document, &within(64)).is_err());
    }
}

#[test]
fn a_document_without_a_model_has_none() {
    let (scene, _) = record();
    let glb = meshwright::gltf::export(&scene, &ExportOptions::default()).unwrap().value.to_glb();
    let plain = Opener::new().open_bytes("x.glb", glb, []).unwrap();
    assert!(!plain.has_kept() && Original::kept_in(&plain, &ReadSettings::default()).unwrap().is_none());
    assert!(Original::kept_in(&asset(HOPPER), &ReadSettings::default()).unwrap().is_none());
}

/// One call returns the files of an edited document, whether its embedded original can be used or not.
#[test]
fn what_came_back_is_restored() {
    let (scene, mut record) = record();
    let (how, write) = (RecoverOptions::default(), ConvertOptions::default());
    let mut edited = scene.clone();
    edited.meshes[0].positions[0][1] += 1.0;
    let moved = document(&edited, &record);
    let own = asset(HOPPER);
    let made = restored(&document(&scene, &record), None, Format::Dpm, "a.dpm", &how, &write).unwrap();
    assert_eq!(recovery_lines(made.edits().unwrap(), 9), ["nothing was edited"]);
    assert_eq!(
        (made.files().main().unwrap().name.as_str(), &made.files().main().unwrap().bytes[..]),
        ("a.dpm", own.bytes())
    );

    let made = restored(&moved, None, Format::Dpm, "a.dpm", &how, &write).unwrap();
    assert!(recovery_lines(made.edits().unwrap(), 9)[0].contains("1 vertex moved by up to 1"));
    assert_ne!(made.files().main().unwrap().bytes, own.bytes());
    let known = restored(&moved, None, Format::Dpm, "a.dpm", &how.with_unedited(true), &write).unwrap();
    assert_eq!(known.files().main().unwrap().bytes, own.bytes());
    let onto = Original::new(asset(HOPPER));
    let added =
        restored(&moved, Some(&onto), Format::Dpm, "a.dpm", &how.with_unedited(true), &write).unwrap();
    assert_eq!(added.files(), made.files(), "what is only named may have been edited");
    let scaled = write.clone().with_scale(Some(2.0));
    let big = restored(&document(&scene, &record), None, Format::Dpm, "a.dpm", &how, &scaled).unwrap();
    assert_ne!(big.files().main().unwrap().bytes, own.bytes());

    *field(&mut record, "v") = Extra::Int(3);
    let made = restored(&document(&scene, &record), None, Format::Dpm, "a.dpm", &how, &write).unwrap();
    assert!(made.edits().is_none() && made.losses().iter().any(|loss| loss.code == "kept-ignored"));
    let made = restored(&moved, None, Target::Glb, "a.glb", &how, &write).unwrap();
    assert!(made.edits().is_none() && made.files().main().unwrap().name == "a.glb");
}

/// An edit of a model of any format is written into the embedded original.
#[test]
fn an_edit_of_any_format_reuses_the_original() {
    let names = [
        "bmd/windmill.ok.bmd",
        "bmd/lods.ok.bmd",
        "bmd/solid.ok.bmd",
        "bmd/pseudo.ok.bmd",
        "crucible/lighthouse.ok.cmesh",
        "crucible/two.ok.cmodel",
        "dpm/hopper.ok.dpm",
        "dpm/pair.ok.zym",
        "fsomodel/fighter.ok.fom",
        "iqm/tube.ok.iqm",
        "tso/flag.ok.mesh",
        "tso/flag.ok.skn",
    ];
    let (how, write) = (RecoverOptions::default(), ConvertOptions::default());
    for name in names {
        let own = Opener::new().open(testdata().join(name)).unwrap();
        let (mut scene, record) = (own.scene().unwrap().value, own.record(&Keeping::default()).unwrap());
        let mesh = &mut scene.meshes[0];
        mesh.positions[mesh.triangles[0][0] as usize][1] += 1.0;
        let back = restored(&document(&scene, &record), None, own.format(), "a", &how, &write).unwrap();
        assert!(
            back.losses().iter().all(|loss| loss.code != "original-dropped"),
            "{name}: {:?}",
            back.losses()
        );
        assert_ne!(back.files().main().unwrap().bytes, own.bytes(), "{name}");
    }
}

/// A model of one frame becomes a static mesh; converted back, it has its bones and weights again.
#[test]
fn a_static_mesh_comes_back_to_the_model_that_is_named() {
    let open = Opener::new();
    let mut model = Dpm::parse(asset(HOPPER).bytes()).unwrap();
    model.frames.truncate(1);
    model.poses.truncate(model.bones.len());
    let own = open.open_bytes("one.dpm", model.to_bytes().unwrap(), []).unwrap();
    let glb = own.convert(Target::Glb).unwrap().into_files().into_iter().next().unwrap().bytes;
    let edited = open.open_bytes("x.glb", glb, []).unwrap();
    let scene = edited.scene().unwrap().value;
    assert!(scene.skeletons.is_empty() && !scene.meshes.is_empty());
    let (how, write, onto) =
        (RecoverOptions::default(), ConvertOptions::default(), Original::new(own.clone()));
    let back = restored(&edited, Some(&onto), Format::Dpm, "one.dpm", &how, &write).unwrap();
    assert_eq!(recovery_lines(back.edits().unwrap(), 9), ["nothing was edited"]);
    assert!(back.files().main().unwrap().bytes == own.bytes());
}

/// Renamed parts are recognised by their marks.
#[test]
fn what_is_renamed_is_what_it_was() {
    let (scene, record) = record();
    let mut renamed = scene.clone();
    // Names change places, which no name can tell.
    let joints = &mut renamed.skeletons[0].joints;
    let (first, last) = (joints[0].name.clone(), joints[joints.len() - 1].name.clone());
    let document = document(&scene, &record);
    let file = GltfFile::parse(document.bytes()).unwrap();
    let import = file.import("x", None).unwrap().0.value;
    assert_eq!(import.marks.joints[0][0].as_ref().unwrap().name, first);
    let mut edited = import.scene;
    let count = edited.skeletons[0].joints.len();
    edited.skeletons[0].joints[0].name.clone_from(&last);
    edited.skeletons[0].joints[count - 1].name.clone_from(&first);
    edited.meshes[0].name = "other".into();
    use meshwright::edit::{Absent, Options, Original, Patch, Snap, State};
    let exported = meshwright::gltf::reread(&scene, &ExportOptions::default()).unwrap();
    let original = Original { native: &scene, exported: &exported };
    let options = Options { marks: Some(&import.marks), ..Options::new(Snap::Exact, Absent::Gone) };
    let budget = meshwright::Budget::new(Limits::default());
    let Patch { scene: back, report, .. } = Patch::find(&edited, &original, &options, &budget).unwrap();
    assert_eq!(report.joints[0].change.renamed.as_ref(), Some(&last));
    assert_eq!(back.skeletons[0].joints[count - 1].name, first);
    assert_eq!(report.meshes[0].change.renamed.as_deref(), Some("other"));
    assert!(report.meshes.iter().all(|part| part.state != State::New));
    assert_eq!(back.meshes[0].positions, scene.meshes[0].positions);
}

proptest! {
    /// Changes any byte of the text.
    #[test]
    fn mutants_give_a_model_or_a_reason(at in any::<prop::sample::Index>(), to in 0..64_usize, cut in any::<bool>()) {
        let (scene, mut record) = record();
        let block = text(of_model(&mut record, "lz4"));
        let at = at.index(block.len());
        if cut {
            block.truncate(at);
        } else {
            block.replace_range(at..=at, &char::from(DIGITS[to]).to_string());
        }
        let document = document(&scene, &record);
        if let Ok(Some(original)) = Original::kept_in(&document, &within(16 << 20)) {
            // Whatever of the block was changed, the files are those that were kept.
            let recovered = original.recover(&document, &RecoverOptions::default()).unwrap();
            prop_assert!(recovered.is_untouched());
            let hopper = asset(HOPPER);
            prop_assert_eq!(original.asset().bytes(), hopper.bytes());
        }
    }
}

/// A frame that no line of the text has is a clip of its own, and no edit.
#[test]
fn frames_without_a_clip_are_kept_as_clips() {
    let bytes = fs::read(testdata().join("dpm").join(HOPPER)).unwrap();
    let frames = u32::try_from(Dpm::parse(&bytes).unwrap().frames.len()).unwrap();
    let open = |all| {
        let lines = ("h.dpm.framegroups".to_owned(), b"2 3 20 0 hop\n".to_vec());
        Opener::new().all_frames(all).open_bytes("h.dpm", bytes.clone(), [lines]).unwrap()
    };
    assert_eq!(open(false).scene().unwrap().value.clips.len(), 1);
    let asset = open(true);
    let scene = asset.scene().unwrap();
    // Frame 0 is the rest pose.
    let single: Vec<_> = (1..frames).filter(|frame| !(2..5).contains(frame)).collect();
    let names: Vec<_> = scene.value.clips.iter().skip(1).map(|clip| clip.name.clone()).collect();
    assert_eq!(names, single.iter().map(|frame| format!("frame_{frame}")).collect::<Vec<_>>());
    assert!(scene.value.clips.iter().skip(1).all(|clip| clip.frames == 1));
    assert!(scene.losses.iter().all(|loss| loss.code != "frames-without-clip"));

    let mut edited = document(&scene.value, &asset.record(&Keeping::default()).unwrap());
    let (how, target) = (RecoverOptions::default(), Target::Native(Format::Dpm));
    let back = restored(&edited, None, target, "h.dpm", &how, &ConvertOptions::default()).unwrap();
    assert!(back.files().main().unwrap().bytes == asset.bytes());
    let text = |files: &meshwright::scene::OutputFiles| files.get("h.dpm.framegroups").map(<[u8]>::to_vec);
    assert!(text(back.files()).is_none_or(|text| text == b"2 3 20 0 hop\n"));

    // An edited frame gets a line.
    let mut renamed = scene.value.clone();
    renamed.clips[1].name = "still".to_owned();
    edited = document(&renamed, &asset.record(&Keeping::default()).unwrap());
    let back = restored(&edited, None, target, "h.dpm", &how, &ConvertOptions::default()).unwrap();
    let text = String::from_utf8(text(back.files()).unwrap()).unwrap();
    assert!(text.lines().count() == 2 && text.contains("still"), "{text}");
}

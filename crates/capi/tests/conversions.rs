//! The C example of conversions, compiled and run, held against the library itself: options, restored files, characters of
//! several files, lists.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a failing test panics")]

mod common;

use common::{program, testdata};
use facade::edit::Snap;
use facade::gltf::{ExportOptions, Influences};
use facade::{
    ConvertOptions, Format, Model, Opener, OriginalSource, RecoverOptions, Target, WriteOptions, models_in,
};
use std::num::NonZeroU16;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::{env, fs};

/// The example, compiled once.
fn example() -> &'static Path {
    static EXAMPLE: OnceLock<PathBuf> = OnceLock::new();
    EXAMPLE.get_or_init(|| program("convert"))
}

/// Runs the example: its exit code, standard output and standard error.
fn run(words: &[&str]) -> (Option<i32>, String, String) {
    let out = Command::new(example()).args(words).env("ASAN_OPTIONS", "detect_leaks=1").output().unwrap();
    let [said, errors] = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap());
    assert!(!errors.contains("Sanitizer") && !errors.contains("runtime error"), "{words:?}: {errors}");
    (out.status.code(), said, errors)
}

fn fine(words: &[&str]) -> String {
    let (code, said, errors) = run(words);
    assert_eq!((code, errors.as_str()), (Some(0), ""), "{words:?}");
    said
}

/// An empty folder for the files of a test.
fn folder(name: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    folder.to_str().unwrap().to_owned()
}

fn fixture(name: &str) -> String {
    testdata().join(name).to_str().unwrap().to_owned()
}

fn opened(name: &str) -> Model {
    Opener::new().open(testdata().join(name)).unwrap()
}

/// Asserts that a folder holds the files of a conversion, and that the example listed them with their losses.
fn same(folder: &str, said: &str, model: &Model, target: Target, options: &ConvertOptions) {
    let wanted = model.convert_with(target, options).unwrap();
    let mut lines: Vec<_> =
        wanted.files().iter().map(|file| format!("file {} {} bytes", file.name, file.bytes.len())).collect();
    lines.extend(wanted.losses().iter().map(|loss| {
        let kind = if loss.is_note() { "note" } else { "lost" };
        format!("{kind} {}", loss.code)
    }));
    let told: Vec<_> = said.lines().filter(|line| !line.starts_with("edits ")).collect();
    assert_eq!(told, lines);
    assert_eq!(fs::read_dir(folder).unwrap().count(), wanted.files().len());
    for file in wanted.files() {
        assert!(fs::read(Path::new(folder).join(&file.name)).unwrap() == file.bytes, "{}", file.name);
    }
}

#[test]
fn targets_formats_and_members_are_the_librarys() {
    let said = fine(&["list"]);
    let targets = Target::all().map(|target| format!("target {} .{}", target.id(), target.extension()));
    let formats = Format::ALL.iter().map(|format| {
        let extensions = format.extensions().iter().map(|name| format!(" .{name}"));
        let dialects = format.values("dialect").iter().map(|name| format!(" {name}"));
        format!("format {}{}", format.id(), extensions.chain(dialects).collect::<String>())
    });
    assert_eq!(said.lines().collect::<Vec<_>>(), targets.chain(formats).collect::<Vec<_>>());
    assert!(said.contains("\ntarget iqm .iqm\n") && said.contains(" doc56\n"), "{said}");

    for place in ["game/base", "game/online/avatardata.dat", "dpm"] {
        let path = testdata().join(place);
        let said = fine(&["members", path.to_str().unwrap()]);
        let found = models_in(&path).unwrap();
        let models = found.models.iter();
        let models = models.map(|m| format!("{} {} {}", m.format.id(), m.place, m.path.display()));
        let refused = found.refused.iter().map(|why| format!("refused {why}"));
        assert_eq!(said.lines().collect::<Vec<_>>(), models.chain(refused).collect::<Vec<_>>());
        assert!(!found.models.is_empty(), "{place}");
    }
    let (code, _, errors) = run(&["members", &fixture("none")]);
    assert!(code == Some(1) && errors.starts_with("[cannot-read]"), "{errors}");
}

#[test]
fn every_option_is_the_librarys() {
    let hopper = opened("dpm/hopper.ok.dpm");
    let export = || ExportOptions::default();
    let options = |export| ConvertOptions::from(WriteOptions::default().with_gltf(export));
    let plain = || options(export());
    let frames_at = export().with_frames_at(NonZeroU16::new(24));
    let cases: &[(&[&str], Target, ConvertOptions)] = &[
        (&[], Target::Glb, plain()),
        (&["embedded=1"], Target::Glb, plain().with_embedded(true)),
        (&["all_influences=1"], Target::Glb, options(export().with_influences(Influences::All))),
        (&["frames_at=24"], Target::Glb, options(frames_at)),
        (&["extras=1", "prune=1"], Target::Glb, plain().with_extras(true).with_pruning(true)),
        (&["scale=0.5", "name=half.glb"], Target::Glb, plain().with_scale(Some(0.5)).with_output("half.glb")),
        (&["pose=hop:2"], Target::Obj, plain().with_pose(Some("hop:2".into()))),
        (&[], Target::Native(Format::Iqm), plain()),
    ];
    let mut different = std::collections::BTreeSet::new();
    for (number, (words, target, options)) in cases.iter().enumerate() {
        let out = folder(&format!("options{number}"));
        let model = fixture("dpm/hopper.ok.dpm");
        let said = fine(&[&["to", target.id(), out.as_str()], *words, &[model.as_str()]].concat());
        same(&out, &said, &hopper, *target, options);
        different.insert(
            hopper.convert_with(*target, options).unwrap().into_files().main().unwrap().bytes.clone(),
        );
    }
    // If an option were ignored, two cases would give the same file.
    assert!(different.len() + 1 >= cases.len(), "{}", different.len());

    // A model with a texture.
    let (textured, bare) = (folder("textured"), folder("bare"));
    let member = models_in(testdata().join("game/base")).unwrap().models.into_iter().find(|found| {
        let scene = Opener::new().textures(true).open(&found.path).and_then(|model| model.scene());
        scene.is_ok_and(|scene| scene.value.materials.iter().any(|material| material.image.is_some()))
    });
    let member = member.unwrap().path.to_str().unwrap().to_owned();
    fine(&["to", "glb", &textured, "name=x.glb", &member]);
    fine(&["to", "glb", &bare, "name=x.glb", "no_textures=1", &member]);
    let holds_image = |folder: &str| {
        let bytes = fs::read(format!("{folder}/x.glb")).unwrap();
        bytes.windows(8).any(|word| word == b"\"images\"")
    };
    assert_eq!((holds_image(&textured), holds_image(&bare)), (true, false));

    let out = folder("dialect");
    let said = fine(&["to", "fso", &out, "dialect=doc56", &fixture("dpm/hopper.ok.dpm")]);
    let dialect = WriteOptions::default().with_dialect(Some("doc56".parse().unwrap())).into();
    same(&out, &said, &hopper, Target::Native(Format::Fso), &dialect);
    for word in ["dialect=none", "scale=-1", "scale=nan"] {
        let (code, _, errors) = run(&["to", "glb", &out, word, &fixture("dpm/hopper.ok.dpm")]);
        assert!(code == Some(1) && errors.starts_with("[argument]"), "{word}: {errors}");
    }
}

#[test]
fn an_edited_file_is_restored_from_what_is_embedded_or_named() {
    let out = folder("kept");
    fine(&["to", "glb", &out, "embedded=1", "frames_at=24", &fixture("dpm/hopper.ok.dpm")]);
    let glb = format!("{out}/hopper.ok.glb");
    let original = fs::read(fixture("dpm/hopper.ok.dpm")).unwrap();
    let onto = format!("onto={}", fixture("dpm/hopper.ok.dpm"));
    for words in [&["name=back.dpm"][..], &["name=back.dpm", &onto, "snap=exact"]] {
        let back = folder("back");
        let said = fine(&[&["back", "dpm", back.as_str()], words, &[glb.as_str()]].concat());
        assert!(fs::read(format!("{back}/back.dpm")).unwrap() == original, "{words:?}");
        assert!(said.contains("edits {") && said.contains("\"untouched\":true"), "{said}");
    }
    // Without an original it is a conversion.
    let (plain, back) = (folder("plain"), folder("plain_back"));
    fine(&["to", "glb", &plain, &fixture("dpm/hopper.ok.dpm")]);
    let said = fine(&["back", "dpm", &back, &format!("{plain}/hopper.ok.glb")]);
    assert!(!said.contains("edits "), "{said}");
    // Each tolerance gives the files of the library.
    let edited = Opener::new().open(&glb).unwrap();
    for (word, snap) in [("exact", Snap::Exact), ("default", Snap::Default), ("loose", Snap::Loose)] {
        let back = folder("snap");
        let said = fine(&["back", "dpm", &back, &format!("snap={word}"), "scale=2", &glb]);
        let options = ConvertOptions::from(WriteOptions::default())
            .with_scale(Some(2.0))
            .with_original(OriginalSource::Embedded)
            .with_recovery(RecoverOptions::default().with_snap(snap));
        same(&back, &said, &edited, Target::Native(Format::Dpm), &options);
    }
}

#[test]
fn several_files_are_one_character() {
    let names = ["tso/flower.ok.skel", "tso/flower.ok.mesh"];
    let [skeleton, mesh] = names.map(fixture);
    let figure = Model::figure(names.map(opened).to_vec()).unwrap();
    let (out, turned) = (folder("figure"), folder("figure_turned"));
    let said = fine(&["to", "glb", &out, &skeleton, &mesh]);
    same(&out, &said, &figure, Target::Glb, &ConvertOptions::default());
    fine(&["to", "glb", &turned, &mesh, &skeleton]);
    assert_eq!(
        fs::read(format!("{out}/flower.ok.glb")).ok(),
        fs::read(format!("{turned}/flower.ok.glb")).ok()
    );
    let (code, _, errors) = run(&["to", "glb", &out, &mesh, &fixture("dpm/hopper.ok.dpm")]);
    assert!(code == Some(1) && errors.starts_with("[usage]"), "{errors}");
}

#[test]
fn what_was_read_is_never_replaced() {
    let out = folder("inputs");
    fs::create_dir_all(&out).unwrap();
    let [own, other] = ["own.dpm", "other.dpm"].map(|name| format!("{out}/{name}"));
    fs::copy(fixture("dpm/hopper.ok.dpm"), &own).unwrap();
    fs::copy(fixture("dpm/hopper.ok.dpm"), &other).unwrap();
    fine(&["to", "glb", &out, "embedded=1", "name=own.glb", &own]);
    let before = fs::read(&own).unwrap();
    let onto = format!("onto={other}");
    for words in [
        &["to", "dpm", &out, "scale=2", "name=own.dpm", &own][..],
        &["back", "dpm", &out, "scale=2", "name=other.dpm", &onto, &format!("{out}/own.glb")],
    ] {
        let (code, _, errors) = run(words);
        assert!(code == Some(1) && errors.starts_with("[would-replace]"), "{words:?}: {errors}");
    }
    assert!(fs::read(&own).unwrap() == before && fs::read(&other).unwrap() == before);
}

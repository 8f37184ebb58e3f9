//! Tests DPM and ZYM with the clips of their companion files.
#![cfg(all(feature = "dpm", feature = "dump"))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::dpm::{Dpm, Name, Zym};
use meshwright::files::Tree;
use meshwright::scene::{ConvertError, Engine, SceneOptions};
use meshwright::{AnyModel, ClipNames, Model, Opener};
use meshwright_testkit::testdata;
use std::fs;

fn fixture(name: &str) -> Vec<u8> {
    fs::read(testdata().join("dpm").join(name)).unwrap()
}

/// Returns the fixture `hopper` of 15 frames, whose names give three clips, with this companion.
fn hopper(groups: &[u8], options: &Opener) -> Model {
    let files = [("h.dpm", fixture("hopper.ok.dpm")), ("h.dpm.framegroups", groups.to_vec())];
    options.open_in(Tree::memory(files).unwrap(), "h.dpm").unwrap()
}

fn names(asset: &Model) -> Vec<String> {
    let scene = asset.scene().unwrap().value;
    scene.clips.into_iter().map(|c| c.name).collect()
}

#[test]
fn a_summary_counts_the_clips_of_the_companion() {
    let clips = |groups: &[u8]| {
        let asset = hopper(groups, &Opener::new());
        let scene = asset.scene().unwrap().value;
        assert_eq!(asset.summary().clips, scene.clips.len());
        asset.summary().clips
    };
    assert_eq!(clips(b"1 6\n7 8\n"), 2);
    assert_eq!(clips(b"1 6\n7 8\n0 1\n3 3\n"), 4);
    assert_eq!(clips(b"// none\n"), 3, "the model's own list stays");
    let alone = hopper(b"1 6\n", &Opener::new().companions(false));
    assert_eq!(alone.summary().clips, 3);
    // A model that does not move has no clip when its companion says so.
    let still = [("s.dpm", fixture("weights.ok.dpm")), ("s.dpm.framegroups", b"// none".to_vec())];
    let still = Opener::new().open_in(Tree::memory(still).unwrap(), "s.dpm").unwrap();
    let frames = still.summary().frames;
    let scene = still.scene().unwrap().value;
    assert_eq!((still.summary().clips, frames), (scene.clips.len(), Some(2)));
    let files = [("z.zym", fixture("pair.ok.zym")), ("z.zym.framegroups", b"0 3 20 0 all".to_vec())];
    let zym = Opener::new().open_in(Tree::memory(files).unwrap(), "z.zym").unwrap();
    assert_eq!((zym.summary().clips, zym.model().summary().clips), (1, 2));
}

#[test]
fn clips_are_named_as_it_is_asked() {
    let groups = b"1 6 6 1 // sways\n7 8 12 1 jump // hops\n8 2\n";
    let with = |names| Opener::new().clip_names(names);
    assert_eq!(
        names(&hopper(groups, &with(ClipNames::Engine))),
        ["groupified_0_anim", "jump", "groupified_2_anim"]
    );
    assert_eq!(names(&hopper(groups, &Opener::new())), ["sways", "jump", "groupified_2_anim"]);
    assert_eq!(names(&hopper(groups, &with(ClipNames::Frames))), ["idle", "hop", "hop"]);
    // A ZYM's poses have the names of its scenes.
    let mut zym = Zym::parse(&fixture("pair.ok.zym")).unwrap();
    zym.scenes[1].name = Name::truncated(b"second");
    let files = [("z.zym", zym.to_bytes().unwrap()), ("z.zym.framegroups", b"2 1\n0 2 // x".to_vec())];
    let tree = Tree::memory(files).unwrap();
    let asset = with(ClipNames::Frames).open_in(&tree, "z.zym").unwrap();
    let first = String::from_utf8_lossy(zym.scenes[0].name.bytes()).into_owned();
    assert_eq!(names(&asset), ["second".to_owned(), first]);
}

#[test]
fn clips_know_where_they_begin() {
    let asset = hopper(b"1 6 6 1\n7 8 12 0\n", &Opener::new());
    let scene = asset.scene().unwrap().value;
    let clips: Vec<_> = scene.clips.iter().map(|c| (c.start, c.frames, c.rate, c.looping)).collect();
    assert_eq!(clips, [(1, 6, 6.0, true), (7, 8, 12.0, false)]);
}

#[test]
fn resolved_clips_are_charged() {
    // A few bytes of model, and clips beyond any model.
    let mut model = Dpm::parse(&fixture("quad.ok.dpm")).unwrap();
    model.frames.truncate(1);
    model.poses.truncate(model.bones.len());
    let lines = b"0 9\n".repeat(200_000);
    let files = [("q.dpm", model.to_bytes().unwrap()), ("q.dpm.framegroups", lines)];
    let asset = Opener::new().open_in(Tree::memory(files).unwrap(), "q.dpm").unwrap();
    assert_eq!(asset.summary().clips, 200_000);
    assert!(asset.check().has("length-clamped"));
    let e = asset.scene_with(&SceneOptions::default().with_memory(16 << 20)).unwrap_err();
    assert!(matches!(&e, ConvertError::Limit(e) if e.what().starts_with("clip")), "{e}");
}

#[test]
fn scales_that_the_engine_passes_over_are_findings() {
    let found = |model: &AnyModel, engine| {
        let report = model.validate_for(engine);
        let scales = report.findings().iter().filter(|f| f.rule.code == "engine-scale");
        scales.map(|f| f.path.to_string()).collect::<Vec<_>>()
    };
    let scaled = |factor: f32, is_scaled: &dyn Fn(usize, usize) -> bool| {
        let mut model = Dpm::parse(&fixture("hopper.ok.dpm")).unwrap();
        let bones = model.bones.len();
        for (_, pose) in model.poses.iter_mut().enumerate().filter(|(i, _)| is_scaled(i / bones, i % bones)) {
            let rows = pose.rows().map(|[x, y, z, place]| [x * factor, y * factor, z * factor, place]);
            *pose = rows.into();
        }
        AnyModel::from(model)
    };
    // The engine takes the scale of the first bone in the first frame.
    assert_eq!(found(&scaled(0.7, &|_, _| false), Engine::DarkPlaces), Vec::<String>::new());
    assert_eq!(found(&scaled(0.7, &|_, bone| bone == 0), Engine::DarkPlaces), Vec::<String>::new());
    assert_eq!(found(&scaled(0.7, &|_, bone| bone == 1), Engine::DarkPlaces), ["bones[1]"]);
    assert_eq!(found(&scaled(0.7, &|pose, bone| (pose, bone) == (3, 0)), Engine::DarkPlaces), ["bones[0]"]);
    assert_eq!(found(&scaled(0.7, &|_, bone| bone == 1), Engine::Fte), Vec::<String>::new());
    // Nothing follows the last bone.
    assert_eq!(found(&scaled(0.7, &|_, bone| bone == 4), Engine::DarkPlaces), Vec::<String>::new());
}

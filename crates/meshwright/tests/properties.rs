//! Runs every operation of the facade on random models of every format.
#![cfg(all(
    feature = "bmd",
    feature = "crucible",
    feature = "dpm",
    feature = "dump",
    feature = "fsomodel",
    feature = "gltf",
    feature = "tso"
))]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use crate::exercise::{self, MEMORY, Subject};
use meshwright::dump::{Dump, DumpOptions};
use meshwright::quake::{FrameGroup, FrameGroups};
use meshwright::scene::ConvertError;
use meshwright::{
    AnyModel, Companions, Format, Kind, Limits, ReadOptions, ReadSettings, Visitor, acts_on_terminal, detect,
};
use meshwright_testkit::proptest;
use proptest::prelude::*;
use proptest::strategy::BoxedStrategy;
use proptest::test_runner::{Config, TestRunner};
use serde_json::Value;
use std::error::Error as _;

/// The number of models of each strategy.
const CASES: u32 = 24;

/// Runs a check over the models of every strategy of a kind of file, with the setting that they are read by.
struct Each(fn(AnyModel, &ReadSettings), u32);

impl Visitor for Each {
    type Output = usize;

    fn visit<K: Kind>(self) -> usize {
        let read = ReadOptions::default().with_limits(Limits::default().with_memory(MEMORY));
        let mut runs = 0;
        for (dialect, strategy) in K::strategies() {
            let mut settings = ReadSettings::from(read);
            settings.dialect = dialect;
            let mut runner =
                TestRunner::new(Config { failure_persistence: None, ..Config::with_cases(self.1) });
            let strategy: BoxedStrategy<AnyModel> = strategy.prop_map(Into::into).boxed();
            let check = self.0;
            runner
                .run(&strategy, |model| {
                    check(model, &settings);
                    Ok(())
                })
                .unwrap_or_else(|e| panic!("{}: {e}", K::TITLE));
            runs += 1;
        }
        runs
    }
}

/// Runs a check on every kind of file; the list of clips has no strategy of its own.
fn each(cases: u32, check: fn(AnyModel, &ReadSettings)) {
    for format in Format::ALL {
        let runs = format.visit(Each(check, cases));
        assert_eq!(runs == 0, *format == Format::FrameGroups, "{format} has {runs} strategies");
    }
}

/// The detected format of a file is its own, or one that its bytes identify at least as surely.
#[test]
fn any_model_is_detected_and_read_again() {
    each(CASES, |model, settings| {
        let (format, bytes) = (model.format(), model.to_bytes().unwrap());
        for extension in format.extensions().iter().filter(|_| format.holds_model()) {
            let found = detect(&bytes, Some(&format!("model.{extension}"))).unwrap();
            assert!(
                found.format == format || found.confidence >= format.sniff(&bytes),
                "{format}: {found:?}"
            );
        }
        let again = AnyModel::parse_with(&bytes, format, settings).unwrap();
        assert_eq!((&again.model, again.forgiven.is_empty()), (&model, true));
    });
}

/// Opens, poses, exports, converts and dumps random models: every refusal has a reason.
#[test]
fn any_model_goes_through_every_conversion() {
    each(CASES / 4, |model, _| {
        let format = model.format();
        let name = format!("model.{}", format.extensions()[0]);
        let bytes = model.to_bytes().unwrap();
        exercise::run(&Subject { name, format, bytes, companions: Vec::new(), sound: true });
    });
}

/// The dump of a model is JSON with lists that match its counts, and without characters that act on a terminal.
#[test]
fn any_model_is_dumped() {
    each(CASES, |model, settings| {
        let bytes = model.to_bytes().unwrap();
        let Some(json) = dumped(&model, &bytes) else { return };
        assert_eq!(json["format"], model.format().family());
        for mesh in json["meshes"].as_array().unwrap() {
            let count = |list: &Value| list.as_array().map_or(0, Vec::len) as u64;
            let vertices = mesh["vertex_count"].as_u64().unwrap();
            assert_eq!(mesh["triangle_count"], count(&mesh["triangles"]));
            for list in
                [&mesh["uvs"], &mesh["colors"], &mesh["poses"][0]["positions"], &mesh["poses"][0]["normals"]]
            {
                assert!([0, vertices].contains(&count(list)), "{} of {vertices}", count(list));
            }
        }
        let read = AnyModel::parse_with(&bytes, model.format(), settings).unwrap().model;
        assert!(dumped(&read, &bytes).unwrap()["meshes"] == json["meshes"], "another dump of the same file");
    });
}

/// Returns the dump of a model, or `None` if its scene would break the rules of scenes or exceed the limit.
fn dumped(model: &AnyModel, bytes: &[u8]) -> Option<Value> {
    let beside = Companions::default();
    match Dump::new(model, &beside, "\u{9b}\u{202e}", bytes, &DumpOptions::default().with_memory(MEMORY)) {
        Ok(dump) => {
            let text = dump.to_json();
            assert!(!text.contains(acts_on_terminal), "{text}");
            Some(serde_json::from_str(&text).unwrap())
        }
        Err(e)
            if matches!(
                e.source().and_then(|e| e.downcast_ref()),
                Some(ConvertError::Invalid { .. } | ConvertError::Limit { .. })
            ) =>
        {
            None
        }
        Err(e) => panic!("{e}"),
    }
}

proptest! {
    #![proptest_config(Config::with_cases(CASES))]

    #[test]
    fn any_list_of_clips_is_dumped(
        groups in proptest::collection::vec((any::<i32>(), any::<i32>(), any::<bool>(), "[ -~]{0,9}"), 0..9),
    ) {
        let group = |(start, length, looping, name): (i32, i32, bool, String)| {
            let mut group = FrameGroup::new(start, length);
            (group.looping, group.name) = (looping, name.into_bytes());
            group
        };
        let model = AnyModel::from(FrameGroups::from_groups(groups.iter().cloned().map(group).collect()));
        let json = dumped(&model, &[]).unwrap();
        let listed = json["native"]["groups"].as_array().unwrap();
        prop_assert_eq!(listed.len(), groups.len());
        for (json, (start, length, looping, name)) in listed.iter().zip(groups) {
            prop_assert_eq!(json, &serde_json::json!({
                "start": start, "length": length, "fps": 20.0, "loop": looping, "name": name,
            }));
        }
    }
}

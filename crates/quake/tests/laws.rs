//! Tests the laws of every file type.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright_core::FileFormat;
use meshwright_quake::{FrameGroup, FrameGroups};
use meshwright_testkit::laws::{laws, rules_are_stated};
use meshwright_testkit::{proptest, testdata};
use proptest::prelude::*;

#[test]
fn rules_of_frame_groups_are_stated() {
    rules_are_stated::<FrameGroups>();
}

#[test]
fn the_demo_is_written_as_it_was() {
    let name = "hopper.ok.dpm.framegroups";
    let bytes = std::fs::read(testdata().join("dpm").join(name)).unwrap();
    laws::<FrameGroups>().byte_round_trip(name, &bytes);
    assert!(FrameGroups::parse(&bytes).unwrap().validate().is_empty());
    assert!(FrameGroups::sniff(&bytes) > meshwright_core::Confidence::No);
}

/// Checks that every reported code is that of a rule, with its kind and severity.
fn is_stated(groups: &FrameGroups, poses: usize) {
    let mut report = groups.validate();
    report.append(groups.validate_for(poses));
    for f in report.findings() {
        let stated = |r: &&&meshwright_core::Rule| {
            (r.code, r.kind, r.severity) == (f.rule.code, f.rule.kind, f.severity)
        };
        assert!(FrameGroups::RULES.iter().find(stated).is_some(), "{f}");
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read(bytes: Vec<u8>, text in "[0-9 \\t\\n/*\"a-]{0,40}", poses in 0_usize..9) {
        laws::<FrameGroups>().any_bytes(&bytes);
        laws::<FrameGroups>().any_bytes(text.as_bytes());
        is_stated(&FrameGroups::parse(text.as_bytes()).unwrap(), poses);
    }

    #[test]
    fn any_groups_are_written_or_refused(
        list in proptest::collection::vec((any::<i32>(), any::<i32>(), any::<u32>(), any::<Vec<u8>>()), 0..5),
    ) {
        let groups = list.into_iter().map(|(start, length, fps, name)| {
            let mut group = FrameGroup::new(start, length);
            (group.fps, group.name) = (meshwright_core::F32::from_bits(fps), name);
            group
        });
        match FrameGroups::from_groups(groups.collect()).to_bytes() {
            Ok(text) => laws::<FrameGroups>().byte_round_trip("written", &text),
            Err(meshwright_core::WriteError::InvalidModel(e)) => {
                prop_assert!(FrameGroups::RULES.iter().any(|r| r.code == e.code && r.kind == e.kind));
            }
            Err(e) => prop_assert!(false, "{e}"),
        }
    }
}

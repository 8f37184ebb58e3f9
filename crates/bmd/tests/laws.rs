//! The promises of a format crate as properties.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use meshwright_bmd::strategy::model;
use meshwright_bmd::{Arrangement, Bmd};
use meshwright_scene::{SceneOptions, Space};
use meshwright_testkit::laws::laws;
use meshwright_testkit::proptest;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn a_model_survives_writing_and_reading(model in model()) {
        laws::<Bmd>().model_round_trip(&model);
        let report = model.validate();
        prop_assert!(!report.has_errors(), "{:?}", report.findings());
    }

    #[test]
    fn every_arrangement_is_read_and_kept(model in model(), which in 0_usize..4) {
        let all = [Arrangement::P0, Arrangement::P1, Arrangement::P2, Arrangement::Compact];
        let bytes = model.to_bytes_as(all[which]).unwrap();
        prop_assert_eq!(&Bmd::parse(&bytes).unwrap(), &model);
        laws::<Bmd>().byte_round_trip("model", &bytes);
    }

    #[test]
    fn mutants_open_or_are_refused(
        model in model(),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
    ) {
        let mut bytes = model.to_bytes().unwrap();
        for (at, value) in edits {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        laws::<Bmd>().any_bytes(&bytes);
    }

    #[test]
    fn any_bytes_behind_the_magic_open_or_are_refused(tail in proptest::collection::vec(any::<u8>(), 0..300)) {
        laws::<Bmd>().any_bytes(&[b"BMD1".as_slice(), &tail].concat());
    }

    #[test]
    fn an_edited_model_is_written_anew(model in model(), extra in any::<u32>()) {
        let mut read = Bmd::parse(&model.to_bytes().unwrap()).unwrap();
        read.meshes.push(read.meshes[0].clone());
        read.reserved[0] = extra;
        laws::<Bmd>().model_round_trip(&read);
        // An edit that keeps all sizes keeps all offsets.
        let file = model.to_bytes().unwrap();
        let mut read = Bmd::parse(&file).unwrap();
        read.reserved[1] = !read.reserved[1];
        let written = read.to_bytes().unwrap();
        prop_assert_eq!(written.len(), file.len());
        prop_assert_eq!(Bmd::parse(&written).unwrap(), read);
    }

    #[test]
    fn scenes_are_sound(model in model(), file in any::<bool>(), extras in any::<bool>()) {
        let space = if file { Space::File } else { Space::Gltf };
        let scene = model.to_scene(&SceneOptions::in_space(space).with_extras(extras)).unwrap().value;
        prop_assert_eq!(scene.validate(), Ok(()));
        // A solid whose mesh is drawn differently gets its own mesh after the others.
        let joints: Vec<_> = scene.skeletons.iter().flat_map(|s| &s.joints).collect();
        let own = joints.iter().filter_map(|j| j.solid).filter(|m| m.0 >= model.meshes.len()).count();
        prop_assert_eq!(scene.meshes.len(), model.meshes.len() + own);
        prop_assert!(joints.len() >= model.normal_bones());
        for (bone, joint) in joints.iter().enumerate().take(model.normal_bones()) {
            prop_assert_eq!(joint.solid.is_some(), model.solid(bone).is_some());
        }
    }
}

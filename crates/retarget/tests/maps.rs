//! Tests bone maps: guessed, written and read.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use crate::figure::{MIXAMO, NEXUIZ, NUMBERS, Names, QUAKE, RIGIFY, SIMS, Shape, VRM, WORDS, figure};
use meshwright_retarget::{Basis, BoneMap, MapError, MapFile, RetargetOptions, retarget_scene};
use meshwright_scene::{Joint, Local, Skeleton};
use meshwright_testkit::proptest;
use proptest::prelude::*;

fn skeleton(names: &Names) -> Skeleton {
    figure(names, &Shape::default()).skeletons.remove(0)
}

/// Both characters have the same bones in the same order, so each bone must be mapped to its counterpart.
fn assert_counterparts(map: &BoneMap, count: usize) {
    let pairs: Vec<_> = map.pairs().collect();
    assert!(pairs.iter().all(|(target, source)| target == source), "{pairs:?}");
    assert!(pairs.len() >= count, "{} of {count}", pairs.len());
}

#[test]
fn known_names_are_mapped_to_each_other() {
    let families = [&SIMS, &MIXAMO, &RIGIFY, &VRM, &NEXUIZ, &QUAKE];
    for from in families {
        for to in families {
            let (source, target) = (skeleton(from), skeleton(to));
            let map = BoneMap::guess(&source, &target).unwrap();
            // The Quake-style figure has no fingers.
            assert_counterparts(&map, 22);
        }
    }
    let map = BoneMap::guess(&skeleton(&MIXAMO), &skeleton(&SIMS)).unwrap();
    assert!(map.pairs().all(|(target, _)| map.get(target).unwrap().basis == Basis::KnownNames));
}

#[test]
fn numbered_characters_of_mixamo_are_known() {
    let mut source = skeleton(&MIXAMO);
    let plain = BoneMap::guess(&source, &skeleton(&SIMS)).unwrap();
    for joint in &mut source.joints {
        joint.name = joint.name.replace("mixamorig:", "mixamorig9:");
    }
    assert_eq!(BoneMap::guess(&source, &skeleton(&SIMS)).unwrap(), plain);
}

#[test]
fn a_map_of_bones_with_the_same_name_can_be_read() {
    let source = skeleton(&MIXAMO);
    let mut target = skeleton(&SIMS);
    let hand = target.joints.iter().position(|j| j.name == "L_HAND").unwrap();
    for _ in 0..2 {
        target.joints.push(Joint::new("L_HAND", Some(hand), Local::default()));
    }
    let map = BoneMap::guess(&source, &target).unwrap();
    let text = map.to_file(&source, &target).to_string();
    let read = BoneMap::from_file(&MapFile::parse(&text).unwrap(), &source, &target).unwrap();
    assert_eq!(read.source(hand), map.source(hand));
    assert_eq!(text.matches("# only the first bone of this name can be mapped: L_HAND").count(), 2, "{text}");
}

#[test]
fn a_written_map_does_not_act_on_a_terminal() {
    let name = |i: usize| format!("{i} \u{202e}\u{2028}\u{e0041}\n\u{9b}\u{3164}\u{e9}");
    let [mut source, mut target] = [skeleton(&MIXAMO), skeleton(&SIMS)];
    for skeleton in [&mut source, &mut target] {
        for (i, joint) in skeleton.joints.iter_mut().enumerate() {
            joint.name = name(i);
        }
    }
    let mut map = BoneMap::guess(&source, &target).unwrap();
    map.set(3, None);
    let text = map.to_file(&source, &target).to_string();
    assert!(text.lines().all(|line| !line.contains(meshwright_scene::text::acts_on_terminal)), "{text}");
    let read = BoneMap::from_file(&MapFile::parse(&text).unwrap(), &source, &target).unwrap();
    assert!(map.pairs().eq(read.pairs()));
}

#[test]
fn other_names_are_matched_by_words_and_by_place() {
    let map = BoneMap::guess(&skeleton(&WORDS), &skeleton(&SIMS)).unwrap();
    assert_counterparts(&map, 24);
    assert_eq!(map.get(0).unwrap().basis, Basis::Words);
    for droop in [0.0, 45.0, 80.0] {
        let shape = Shape { droop, ..Shape::default() };
        let numbered = figure(&NUMBERS, &shape).skeletons.remove(0);
        let map = BoneMap::guess(&numbered, &skeleton(&SIMS)).unwrap();
        assert_counterparts(&map, 20);
        assert_eq!(map.get(0).unwrap().basis, Basis::Place);
    }
}

#[test]
fn equal_names_come_first() {
    let map = BoneMap::guess(&skeleton(&NUMBERS), &skeleton(&NUMBERS)).unwrap();
    assert_counterparts(&map, 24);
    assert_eq!(map.get(3).unwrap().basis, Basis::SameName);
}

#[test]
fn a_written_map_is_read_as_the_same_map() {
    let (source, target) = (skeleton(&MIXAMO), skeleton(&NEXUIZ));
    let map = BoneMap::guess(&source, &target).unwrap();
    let text = map.to_file(&source, &target).to_string();
    let read = BoneMap::from_file(&MapFile::parse(&text).unwrap(), &source, &target).unwrap();
    assert!(map.pairs().eq(read.pairs()));
    assert!(text.contains("\"bip01 l thigh\" = \"mixamorig:LeftUpLeg\"  # known names"), "{text}");
}

#[test]
fn a_map_that_is_given_is_the_only_one() {
    let (source, target) = (figure(&MIXAMO, &Shape::default()), figure(&SIMS, &Shape::default()));
    let file =
        MapFile::parse("[bones]\nPELVIS = 'mixamorig:hips' # case does not matter\nHEAD = \"\"\n").unwrap();
    let options = RetargetOptions::default().with_map(file);
    let done = retarget_scene(&source, &target, &options).unwrap();
    let mapped = done.value.report.bones.iter().filter(|b| b.source.is_some()).count();
    assert_eq!(mapped, 1);
    let dropped = done.losses.iter().filter(|l| l.code == "retarget-bone-dropped").count();
    assert!(dropped > 10, "{:?}", done.losses);
    let codes = ["retarget-bone", "retarget-bone-at-rest"];
    assert!(codes.iter().all(|code| done.losses.iter().any(|l| l.code == *code)));
}

#[test]
fn faults_of_maps_have_a_line() {
    let parse = |text: &str| MapFile::parse(text).unwrap_err();
    for (text, line, part) in [
        ("[bones]\nA = B", 2, "quotes"),
        ("[bons]\n", 1, "bons"),
        ("\n\nA 'x'", 3, "="),
        ("A = 'x", 1, "closed"),
        ("A = \"\\q\"", 1, "escape"),
        ("A = 'x' y", 1, "after"),
        ("A = ''\nA = ''", 2, "twice"),
        ("= 'x'", 1, "name"),
    ] {
        let MapError::Syntax { line: found, message } = parse(text) else { panic!("{text}") };
        assert!(found == line && message.contains(part), "{text}: {found} {message}");
    }
    let (source, target) = (skeleton(&MIXAMO), skeleton(&SIMS));
    let build =
        |text: &str| BoneMap::from_file(&MapFile::parse(text).unwrap(), &source, &target).unwrap_err();
    assert!(matches!(build("\nTAIL = ''"), MapError::UnknownBone { line: 2, skeleton: "target", .. }));
    assert!(matches!(build("HEAD = 'tail'"), MapError::UnknownBone { line: 1, skeleton: "source", .. }));
    assert_eq!(build("HEAD = ''"), MapError::Empty);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn any_text_is_a_map_or_an_error(text in any::<String>()) {
        let _ = MapFile::parse(&text);
    }

    #[test]
    fn any_name_survives(names in proptest::collection::btree_set(any::<String>(), 1..8)) {
        let joints = |(i, name): (usize, &String)| {
            Joint::new(name.clone(), i.checked_sub(1), Local::default())
        };
        let skeleton = Skeleton { name: String::new(), joints: names.iter().enumerate().map(joints).collect() };
        let mut map = BoneMap::guess(&skeleton, &skeleton);
        if let Ok(map) = &mut map {
            map.set(0, None);
            let file = map.to_file(&skeleton, &skeleton);
            let read = MapFile::parse(&file.to_string()).unwrap();
            let plain = |f: &MapFile| {
                f.entries().iter().map(|e| (e.target.clone(), e.source.clone())).collect::<Vec<_>>()
            };
            prop_assert_eq!(plain(&read), plain(&file));
        }
    }
}

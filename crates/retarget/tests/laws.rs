//! Tests the rules for any pair of characters.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use crate::figure::{MIXAMO, NEXUIZ, Names, SIMS, Shape, figure};
use meshwright_retarget::{Hold, RetargetOptions, Retargeted, retarget_scene};
use meshwright_rig::glam::{DAffine3, DVec3};
use meshwright_rig::{Evaluator, Precision};
use meshwright_scene::strategy::wild_scene;
use meshwright_scene::{Converted, Joint, Local, MeshId, Motion, Scene, Track, Trs};
use meshwright_testkit::proptest;
use proptest::prelude::*;

fn retargeted(source: &Scene, target: &Scene) -> Converted<Retargeted> {
    retarget_scene(source, target, &RetargetOptions::default()).unwrap()
}

/// Returns the model-space matrices of all joints at every half frame.
fn motion(scene: &Scene) -> Vec<Vec<DAffine3>> {
    let mut evaluator = Evaluator::new(scene).unwrap().with_precision(Precision::Double);
    let frames = f64::from(scene.clips[0].frames);
    let mut poses = Vec::new();
    let mut frame = 0.0;
    while frame < frames {
        evaluator.pose(Some((0, frame))).unwrap();
        poses.push(evaluator.skeleton(0).unwrap().1.model_matrices().to_vec());
        frame += 0.5;
    }
    poses
}

fn joint(scene: &Scene, name: &str) -> usize {
    scene.skeletons[0].joints.iter().position(|j| j.name == name).unwrap()
}

/// Returns the largest distance between joints of two motions.
fn distance_of(a: &[Vec<DAffine3>], b: &[Vec<DAffine3>]) -> f64 {
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    let far = |(a, b): (&DAffine3, &DAffine3)| {
        let turned = (a.matrix3 - b.matrix3).to_cols_array().iter().fold(0.0_f64, |m, c| m.max(c.abs()));
        turned.max(a.translation.distance(b.translation))
    };
    pairs.map(far).fold(0.0, f64::max)
}

fn shapes() -> [Shape; 4] {
    let plain = Shape::default();
    [
        plain,
        Shape { droop: 80.0, along: true, leg: 0.7, shin: 0.55, arm: 0.6, hips: 0.08, ..plain },
        Shape { droop: 40.0, stance: 35.0, knees: 40.0, arm: 0.4, ..plain },
        Shape { along: true, size: 30.0, leg: 1.0, shin: 0.45, ..plain },
    ]
}

#[test]
fn a_figure_onto_itself_moves_as_before() {
    for shape in shapes() {
        let scene = figure(&SIMS, &shape);
        let done = retargeted(&scene, &scene).value.scene;
        assert!(distance_of(&motion(&scene), &motion(&done)) < 2e-6 * shape.size.max(1.0));
        let [before, after] = [&scene, &done].map(|s| {
            let mut evaluator = Evaluator::new(s).unwrap();
            evaluator.pose(Some((0, 7.0))).unwrap();
            evaluator.mesh(MeshId(0)).unwrap().positions
        });
        for (a, b) in before.iter().zip(&after) {
            assert!(
                DVec3::from(a.map(f64::from)).distance(DVec3::from(b.map(f64::from))) < 1e-5 * shape.size
            );
        }
    }
}

#[test]
fn there_and_back_is_the_same_motion() {
    let names: [&Names; 3] = [&MIXAMO, &SIMS, &NEXUIZ];
    for (i, from) in shapes().iter().enumerate() {
        for (j, to) in shapes().iter().enumerate() {
            let source = figure(names[i % 3], from);
            let target = figure(names[j % 3], to);
            let there = retargeted(&source, &target).value.scene;
            let back = retargeted(&there, &source).value.scene;
            let off = distance_of(&motion(&source), &motion(&back)) / from.size;
            // Between keys, the hips move on a chord of the curve.
            assert!(off < 1e-4, "{i} {j}: {off}");
        }
    }
}

#[test]
fn a_larger_target_moves_as_much_more() {
    let source = figure(&MIXAMO, &Shape::default());
    for size in [0.01, 0.5, 40.0] {
        let target = figure(&SIMS, &Shape { size, ..Shape::default() });
        let done = retargeted(&source, &target);
        assert!((done.value.report.scale - size).abs() < 1e-6 * size);
        for (a, b) in motion(&source).iter().flatten().zip(motion(&done.value.scene).iter().flatten()) {
            assert!((a.translation * size).distance(b.translation) < 2e-5 * size);
        }
    }
}

/// Limbs have the directions of the source's limbs, whatever the rest poses are.
#[test]
fn limbs_have_the_directions_of_the_source() {
    let bones = [("Arm", "ForeArm"), ("ForeArm", "Hand"), ("UpLeg", "Leg"), ("Leg", "Foot")];
    let twins = [("_ARM1", "_ARM2"), ("_ARM2", "_HAND"), ("_LEG", "_LEG1"), ("_LEG1", "_FOOT")];
    for from in shapes() {
        for to in shapes() {
            let source = figure(&MIXAMO, &from);
            let done = retargeted(&source, &figure(&SIMS, &to)).value.scene;
            let (a, b) = (motion(&source), motion(&done));
            for ((upper, lower), (other_upper, other_lower)) in bones.into_iter().zip(twins) {
                for (side, other_side) in [("Left", "L"), ("Right", "R")] {
                    let own = |name: &str| joint(&source, &format!("mixamorig:{side}{name}"));
                    let other = |name: &str| joint(&done, &format!("{other_side}{name}"));
                    for (a, b) in a.iter().zip(&b) {
                        let bone = |pose: &[DAffine3], from: usize, to: usize| {
                            (pose[to].translation - pose[from].translation).normalize()
                        };
                        let off = bone(a, own(upper), own(lower)).distance(bone(
                            b,
                            other(other_upper),
                            other(other_lower),
                        ));
                        assert!(off < 2e-3, "{side}{upper}: {off}, {from:?} {to:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn held_feet_and_hands_stay_on_their_paths() {
    for from in shapes() {
        for to in shapes() {
            let (source, target) = (figure(&MIXAMO, &from), figure(&NEXUIZ, &to));
            let free = retargeted(&source, &target).value.report;
            let hold = Hold::NOTHING.with_feet(true).with_hands(true);
            let options = RetargetOptions::default().with_hold(hold);
            let held = retarget_scene(&source, &target, &options).unwrap().value.report;
            assert_eq!(free.ends.len(), 5, "feet, hands and head");
            for (free, held) in free.ends.iter().zip(&held.ends) {
                assert!(held.largest <= free.largest + 1e-9, "{held:?} {free:?}");
                if held.bone.contains("foot") {
                    // Legs with other proportions reach as far as their length allows.
                    assert!(held.largest < 0.02, "{held:?}, free {}", free.largest);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn any_two_scenes_give_a_result_or_an_error(source in wild_scene(), target in wild_scene()) {
        if let Ok(done) = retarget_scene(&source, &target, &RetargetOptions::default()) {
            done.value.scene.validate().unwrap();
            prop_assert_eq!(done.value.scene.skeletons.len(), 1);
        }
        // All names are equal, so every bone has a source.
        if let Ok(done) = retarget_scene(&source, &source, &RetargetOptions::default()) {
            done.value.scene.validate().unwrap();
        }
    }

    #[test]
    fn proportions_change_no_direction(leg in 0.4_f64..1.4, shin in 0.35_f64..0.6, arm in 0.3_f64..0.8, droop in 0.0_f64..85.0) {
        let shape = Shape { leg, shin, arm, droop, ..Shape::default() };
        let source = figure(&MIXAMO, &Shape::default());
        let done = retargeted(&source, &figure(&SIMS, &shape)).value.scene;
        let feet = [joint(&source, "mixamorig:LeftLeg"), joint(&source, "mixamorig:LeftFoot")];
        let others = [joint(&done, "L_LEG1"), joint(&done, "L_FOOT")];
        for (a, b) in motion(&source).iter().zip(motion(&done)) {
            let a = (a[feet[1]].translation - a[feet[0]].translation).normalize();
            let b = (b[others[1]].translation - b[others[0]].translation).normalize();
            prop_assert!(a.distance(b) < 2e-3, "{a} {b}");
        }
    }
}

#[test]
fn a_joint_above_the_hips_is_carried_along() {
    let source = figure(&MIXAMO, &Shape::default());
    let mut target = figure(&SIMS, &Shape::default());
    let joints = &mut target.skeletons[0].joints;
    joints.push(Joint::new("ROOT", None, Local::default()));
    let root = joints.len() - 1;
    joints[0].parent = Some(root);
    target.meshes.clear();
    target.nodes.clear();
    target.clips.clear();
    let done = retargeted(&source, &target).value.scene;
    let poses = motion(&done);
    let (first, last) = (&poses[0], &poses[poses.len() - 1]);
    let from_root = |pose: &[DAffine3]| pose[0].translation - pose[root].translation;
    assert!((from_root(first) - from_root(last)).length() < 1e-5);
    assert!(last[root].translation.z > 1.0, "{}", last[root].translation);
    for (a, b) in motion(&source).iter().zip(&poses) {
        assert!(a[0].translation.distance(b[0].translation) < 1e-5);
    }
}

/// Mirrors a joint, and its children back.
fn mirror(scene: &mut Scene, name: &str) {
    let mirrored = joint(scene, name);
    let skeleton = &mut scene.skeletons[0];
    for (i, joint) in skeleton.joints.iter_mut().enumerate() {
        let Local::Trs(rest) = &mut joint.rest else { panic!("a figure has no other joints") };
        if joint.parent == Some(mirrored) {
            rest.translation[0] *= -1.0;
            rest.rotation = [rest.rotation[0], -rest.rotation[1], -rest.rotation[2], rest.rotation[3]];
        }
        if i == mirrored || joint.parent == Some(mirrored) {
            rest.scale[0] *= -1.0;
        }
    }
    skeleton.bind_rest().unwrap();
}

/// Returns the keys of a figure.
fn tracks(figure: &mut Scene) -> &mut Vec<Track> {
    let Motion::Tracks(tracks) = &mut figure.clips[0].motion else { panic!("a figure has keys") };
    tracks
}

#[test]
fn a_mirrored_bone_of_the_target_changes_no_motion() {
    let source = figure(&MIXAMO, &Shape::default());
    for shape in shapes() {
        let target = figure(&SIMS, &shape);
        let mut mirrored = target.clone();
        mirror(&mut mirrored, "R_ARM1");
        mirror(&mut mirrored, "L_LEG");
        let [plain, mirrored] =
            [target, mirrored].map(|target| motion(&retargeted(&source, &target).value.scene));
        for (a, b) in plain.iter().flatten().zip(mirrored.iter().flatten()) {
            assert!(a.translation.distance(b.translation) < 1e-5 * shape.size, "{a} {b}");
        }
    }
}

#[test]
fn a_scaled_root_of_the_target_changes_no_motion() {
    let source = figure(&MIXAMO, &Shape::default());
    for shape in shapes() {
        let target = figure(&SIMS, &shape);
        let mut small = target.clone();
        let joints = &mut small.skeletons[0].joints;
        for joint in joints.iter_mut() {
            let Local::Trs(rest) = &mut joint.rest else { panic!("a figure has no other joints") };
            rest.translation = rest.translation.map(|c| c * 100.0);
        }
        let rest = Trs { scale: [0.01; 3], ..Trs::IDENTITY };
        joints.push(Joint::new("Armature", None, Local::Trs(rest)));
        joints[0].parent = Some(joints.len() - 1);
        small.skeletons[0].bind_rest().unwrap();
        let [plain, small] = [target, small].map(|target| motion(&retargeted(&source, &target).value.scene));
        for (a, b) in plain.iter().zip(&small) {
            for (i, (a, b)) in a.iter().zip(b).enumerate() {
                assert!(a.translation.distance(b.translation) < 1e-4 * shape.size, "{i} {a} {b}");
            }
        }
    }
}

#[test]
fn scale_keys_are_lost_even_if_they_keep_the_volume() {
    let mut source = figure(&MIXAMO, &Shape::default());
    let arm = joint(&source, "mixamorig:LeftArm");
    tracks(&mut source)[arm].scale.push(0.0, [2.0, 0.5, 1.0]);
    let losses = retargeted(&source, &figure(&SIMS, &Shape::default())).losses;
    assert!(losses.iter().any(|loss| loss.code == "retarget-scale-dropped"), "{losses:?}");
}

#[test]
fn keys_after_the_last_frame_of_a_loop_count() {
    let mut source = figure(&MIXAMO, &Shape::default());
    let arm = joint(&source, "mixamorig:LeftArm");
    let last = source.clips[0].frames as f32 - 1.0;
    tracks(&mut source)[arm].rotation.push(last + 0.5, [0.0, 0.0, 0.0, 1.0]);
    source.clips[0].looping = true;
    let done = retargeted(&source, &source).value.scene;
    assert!(distance_of(&motion(&source), &motion(&done)) < 1e-5);
}

#[test]
fn a_bone_that_only_scales_is_reported_if_nothing_follows_it() {
    let mut source = figure(&MIXAMO, &Shape::default());
    let joints = &mut source.skeletons[0].joints;
    joints.push(Joint::new("prop", Some(0), Local::default()));
    let mut track = Track { joint: joints.len() - 1, ..Track::default() };
    track.scale.push(0.0, [0.0; 3]);
    tracks(&mut source).push(track);
    let report = retargeted(&source, &figure(&SIMS, &Shape::default())).value.report;
    assert_eq!(report.unused, ["prop"]);
}

#[test]
fn a_bone_above_all_mapped_ones_moves_the_character() {
    let mut source = figure(&MIXAMO, &Shape::default());
    let joints = &mut source.skeletons[0].joints;
    let mover = joints.len();
    joints.push(Joint::new("mover", None, Local::default()));
    joints[0].parent = Some(mover);
    let mut track = Track { joint: mover, ..Track::default() };
    track.translation.push(0.0, [0.0; 3]);
    track.translation.push(24.0, [5.0, 0.0, 2.0]);
    tracks(&mut source).push(track);
    let done = retargeted(&source, &figure(&SIMS, &Shape::default())).value;
    for (a, b) in motion(&source).iter().zip(motion(&done.scene)) {
        assert!(a[0].translation.distance(b[0].translation) < 1e-4, "{} {}", a[0], b[0]);
    }
    assert!(done.report.unused.is_empty(), "{:?}", done.report.unused);
    assert!(!done.map.to_string().contains("moves nothing"), "{}", done.map);
}

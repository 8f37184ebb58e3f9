//! The promises that hold for every model and every input.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright_core::ReadOptions;
use meshwright_dpm::{Dpm, FrameClip, Zym, strategy, write_scene};
use meshwright_scene::posed::{Moment, Triangle, largest_distance, triangles};
use meshwright_scene::strategy::{clean_scene, foreign_scene, wild_scene};
use meshwright_scene::{
    BindPose, Budget, ConvertError, FromSceneOptions, Influence as SceneInfluence, Levels, Limits, Scene,
    SceneOptions, SkeletonId, Skin, Space,
};
use meshwright_testkit::laws::{Laws, laws};
use meshwright_testkit::proptest;
use proptest::prelude::*;

type LawsOf<F> = Laws<F, fn(ReadOptions) -> ReadOptions>;
const DPM: LawsOf<Dpm> = laws();
const ZYM: LawsOf<Zym> = laws();

proptest! {
    #[test]
    fn dpm_models_survive_a_file(model in strategy::dpm()) {
        DPM.model_round_trip(&model);
        DPM.byte_round_trip("generated", &model.to_bytes().unwrap());
        prop_assert!(!model.validate().has_errors());
    }

    #[test]
    fn zym_models_survive_a_file(model in strategy::zym()) {
        ZYM.model_round_trip(&model);
        ZYM.byte_round_trip("generated", &model.to_bytes().unwrap());
        prop_assert!(!model.validate().has_errors());
    }

    #[test]
    fn a_file_of_own_layout_is_written_in_the_canonical_one_on_request(mut model in strategy::dpm()) {
        model.discard_layout();
        DPM.model_round_trip(&model);
        let again = Dpm::parse(&model.to_bytes().unwrap()).unwrap();
        prop_assert!(!again.has_own_layout());
    }

    #[test]
    fn an_edit_that_breaks_the_layout_is_written_anew(mut model in strategy::dpm(), same_size: bool) {
        let mesh = &mut model.meshes[0];
        if same_size {
            // Another mesh may share the block on disk: the shared bytes cannot serve both any more.
            std::sync::Arc::make_mut(&mut mesh.groupids).iter_mut().for_each(|g| *g = !*g);
        } else {
            let vertices = std::sync::Arc::make_mut(&mut mesh.vertices);
            vertices.push(&[Default::default(), Default::default()]);
            std::sync::Arc::make_mut(&mut mesh.texcoords).push(Default::default());
        }
        let written = model.to_bytes().unwrap();
        let mut again = Dpm::parse(&written).unwrap();
        again.discard_layout();
        model.discard_layout();
        prop_assert_eq!(again, model);
    }

    #[test]
    fn mutants_of_dpm_open_or_are_refused(model in strategy::dpm(), edits in edits()) {
        DPM.any_bytes(&mutant(model.to_bytes().unwrap(), &edits));
    }

    #[test]
    fn mutants_of_zym_open_or_are_refused(model in strategy::zym(), edits in edits()) {
        ZYM.any_bytes(&mutant(model.to_bytes().unwrap(), &edits));
    }

    #[test]
    fn any_bytes_behind_a_magic_open_or_are_refused(bytes: Vec<u8>, zym: bool) {
        let magic: &[u8] = if zym { b"ZYMOTICMODEL\0\0\0\x01" } else { b"DARKPLACESMODEL\0\0\0\0\x02" };
        let bytes = [magic, &bytes].concat();
        DPM.any_bytes(&bytes);
        ZYM.any_bytes(&bytes);
    }

    #[test]
    fn whatever_opens_is_converted_or_refused(model in strategy::dpm(), edits in edits(), list: Vec<(u8, u8, f32)>) {
        let bytes = mutant(model.to_bytes().unwrap(), &edits);
        let Ok(parsed) = Dpm::parse_with(&bytes, &ReadOptions::lenient()) else { return Ok(()) };
        let clip = |(start, length, fps): (u8, u8, f32)| FrameClip {
            fps, ..FrameClip::new(*b"", start.into(), length.into())
        };
        let clips: Vec<_> = list.into_iter().map(clip).collect();
        for space in [Space::Gltf, Space::File] {
            let options = SceneOptions::in_space(space).with_memory(1 << 22).with_extras(true);
            let target = FromSceneOptions::default().with_memory(1 << 22);
            // A refusal is fine; a scene that breaks its rules would be refused by `to_scene` itself.
            if let Ok(scene) = parsed.model.to_scene(&options, Some(&clips)) {
                prop_assert_eq!(scene.value.validate(), Ok(()));
                if let Ok(back) = Dpm::from_scene(&scene.value, &target) {
                    DPM.model_round_trip(&back.value);
                }
            }
        }
    }

    #[test]
    fn any_zym_is_converted_or_refused(model in strategy::zym(), edits in edits()) {
        let bytes = mutant(model.to_bytes().unwrap(), &edits);
        let Ok(parsed) = Zym::parse_with(&bytes, &ReadOptions::lenient()) else { return Ok(()) };
        for space in [Space::Gltf, Space::File] {
            let options = SceneOptions::in_space(space).with_memory(1 << 22).with_extras(true);
            let Ok(scene) = parsed.model.to_scene(&options, None) else { continue };
            if let Ok(back) = Zym::from_scene(&scene.value, &FromSceneOptions::default().with_memory(1 << 22)) {
                ZYM.model_round_trip(&back.value);
            }
        }
    }
}

proptest! {
    #[test]
    fn any_scene_is_written_or_refused(scene in wild_scene()) {
        let options = FromSceneOptions::default().with_memory(1 << 22);
        match Dpm::from_scene(&scene, &options) {
            Ok(made) => DPM.model_round_trip(&made.value),
            Err(e) => prop_assert!(!matches!(e, ConvertError::Invalid { .. }), "{e}"),
        }
        match Zym::from_scene(&scene, &options) {
            Ok(made) => ZYM.model_round_trip(&made.value),
            Err(e) => prop_assert!(!matches!(e, ConvertError::Invalid { .. }), "{e}"),
        }
    }

    #[test]
    fn a_clean_scene_is_drawn_the_same(scene in clean_scene()) {
        let options = FromSceneOptions::default().with_levels(Levels::Merged);
        let Ok(dpm) = Dpm::from_scene(&scene, &options) else { return Ok(()) };
        let again = dpm.value.to_scene(&SceneOptions::default(), None).unwrap().value;
        let instances = scene.drawn_meshes().unwrap();
        prop_assert_eq!(again.meshes.len(), instances.len());
        for (mesh, (_, id, world)) in again.meshes.iter().zip(instances) {
            let source = &scene.meshes[id.0];
            prop_assert_eq!(mesh.triangles.len(), source.triangles.len());
            let scale = source.positions.iter().flatten().fold(1.0_f32, |m, c| m.max(c.abs()));
            for (a, b) in mesh.positions.iter().zip(&source.positions) {
                // Skins that bind elsewhere than they rest are compared by the tests of scenes.
                let b = world.point(*b);
                let bound = source.skin.as_ref().is_none_or(|s| s.local.is_empty());
                let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                prop_assert!(!bound || off <= 1e-3 * scale, "{:?} for {:?}", a, b);
            }
        }
    }
}

fn budget() -> Budget {
    Budget::new(Limits::default())
}

/// Returns the scene with weights that sum to 1, or with one joint for each vertex.
fn with_weights(mut scene: Scene, one: bool) -> Scene {
    for skin in scene.meshes.iter_mut().filter_map(|m| m.skin.as_mut()) {
        let mut made = Skin::new(skin.skeleton);
        for v in 0..skin.vertex_count() {
            let row = &skin.influences(v)
                [..if one { skin.influences(v).len().min(1) } else { skin.influences(v).len() }];
            let sum: f32 = row.iter().map(|i| i.weight).sum();
            made.influences.extend(row.iter().map(|i| SceneInfluence { weight: i.weight / sum, ..*i }));
            made.end_vertex();
        }
        *skin = made;
    }
    scene
}

/// A scene and the one that a model is are drawn alike at the whole frames of all clips, and at rest where that is the
/// bind pose.
fn moves_alike(source: &Scene, again: &Scene) -> Result<(), TestCaseError> {
    let size = |t: &[Triangle]| t.iter().flatten().flatten().fold(1.0_f64, |m, c| m.max(c.abs()));
    let bound = |i| BindPose::solve(source, SkeletonId(i), &budget()).is_ok_and(|b| !b.differs_from_rest);
    if (0..source.skeletons.len()).all(bound) {
        let [a, b] = [source, again].map(|s| triangles(s, None, &budget()).unwrap());
        let off = largest_distance(&a, &b);
        prop_assert!(off <= 2e-4 * size(&a), "at rest: {off} of {}", size(&a));
    }
    // A motion of several skeletons is one clip.
    let clips = if again.clips.len() == source.clips.len() { 0..source.clips.len() } else { 0..0 };
    for clip in clips {
        let own = &source.clips[clip];
        prop_assert_eq!((own.frames, own.looping), (again.clips[clip].frames, again.clips[clip].looping));
        for frame in [0, 1, own.frames / 2, own.frames - 1].into_iter().filter(|f| *f < own.frames) {
            let at = |s: &Scene| Moment { clip, seconds: s.clips[clip].seconds(f64::from(frame)) };
            // Skeletons that the clip does not move are bound in the model, not at rest.
            let others = source.skeletons.iter().filter(|s| !s.joints.is_empty()).count() > 1;
            if others && !(0..source.skeletons.len()).all(bound) {
                continue;
            }
            let [a, b] = [source, again].map(|s| triangles(s, Some(at(s)), &budget()).unwrap());
            let off = largest_distance(&a, &b);
            prop_assert!(off <= 2e-4 * size(&a), "clip {clip}, frame {frame}: {off} of {}", size(&a));
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn foreign_scenes_move_as_before(scene in foreign_scene(), saver: bool) {
        let scene = with_weights(scene, false).with_format(if saver { "gltf" } else { "" });
        let Ok(made) = write_scene(&scene, &FromSceneOptions::default()) else { return Ok(()) };
        DPM.model_round_trip(&made.value.model);
        let read = made.value.model.to_scene(&SceneOptions::default(), Some(&made.value.clips)).unwrap();
        moves_alike(&scene, &read.value)?;
        let names: std::collections::BTreeSet<_> = made.value.model.bones.iter().map(|b| b.name.bytes().to_ascii_lowercase()).collect();
        let named = made.value.model.bones.iter().filter(|b| !b.name.bytes().is_empty()).count();
        prop_assert_eq!(names.iter().filter(|n| !n.is_empty()).count(), named, "bones have names of their own");
    }

    #[test]
    fn foreign_scenes_of_one_joint_move_as_before_in_a_zym(scene in foreign_scene(), saver: bool) {
        let scene = with_weights(scene, true).with_format(if saver { "gltf" } else { "" });
        let Ok(made) = Zym::from_scene(&scene, &FromSceneOptions::default()) else { return Ok(()) };
        ZYM.model_round_trip(&made.value);
        let read = made.value.to_scene(&SceneOptions::default(), None).unwrap();
        if !scene.clips.is_empty() {
            moves_alike(&scene, &read.value)?;
        }
    }
}

/// Words to overwrite: where, and with what.
fn edits() -> impl Strategy<Value = Vec<(usize, u32)>> {
    let odd = prop_oneof![
        any::<u32>(),
        0_u32..200,
        Just(u32::MAX),
        Just(0x7fc0_0000),
        Just(0x1555_5556),
        Just(0x8000_0000),
    ];
    proptest::collection::vec((any::<usize>(), odd), 0..4)
}

fn mutant(mut bytes: Vec<u8>, edits: &[(usize, u32)]) -> Vec<u8> {
    for &(at, value) in edits {
        let at = at % (bytes.len() / 4) * 4;
        bytes[at..at + 4].copy_from_slice(&value.to_be_bytes());
    }
    bytes
}

//! Models made of scenes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use meshwright_bmd::{Bmd, BmdSceneOptions, Bone, VertexForm, VertexKind};
use meshwright_scene::strategy::{clean_scene, wild_scene};
use meshwright_scene::{ConvertError, FromSceneOptions, Level, NodeId, SceneOptions, Space};
use meshwright_testkit::{Expect, corpus, fixtures};
use proptest::prelude::*;
use std::fs;

fn models() -> Vec<(String, Bmd)> {
    let sound = fixtures("bmd", &["bmd"]).into_iter().filter(|f| f.expect != Expect::Reject);
    let mut all: Vec<_> = sound.map(|f| (f.name, f.bytes)).collect();
    if let Some(dir) = corpus() {
        for entry in fs::read_dir(dir.join("bmd")).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|e| e == "bmd") {
                all.push((path.file_name().unwrap().to_str().unwrap().into(), fs::read(&path).unwrap()));
            }
        }
    }
    all.into_iter().map(|(name, bytes)| (name, Bmd::parse(&bytes).unwrap())).collect()
}

fn with_vertices(form: VertexForm) -> FromSceneOptions<BmdSceneOptions> {
    FromSceneOptions::of(BmdSceneOptions::default().with_vertices(form))
}

/// Corners of all drawn triangles of the finest level in model space at one moment, in the order of drawing.
fn corners(model: &Bmd, at: Option<(usize, u32)>) -> Vec<[f32; 3]> {
    let motion = at.map_or_else(|| model.rest(), |(clip, _)| model.motion(clip)).unwrap();
    let pose = motion.pose(at.map_or(0.0, |(_, f)| f64::from(f)));
    let meshes = model.drawn_meshes(0).map(|m| &model.meshes[m]);
    meshes
        .flat_map(|m| {
            m.triangles().flatten().map(|i| pose.position(m.vertices[i as usize])).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn models_come_back_from_their_scenes() {
    for (name, model) in models() {
        for space in [Space::File, Space::Gltf] {
            let scene = model.to_scene(&SceneOptions::in_space(space)).unwrap().value;
            for vertices in [VertexForm::Engine, VertexForm::Smallest, VertexForm::Widest] {
                // Choosing keys takes its time, and does not depend on the vertices.
                if vertices != VertexForm::Engine && !model.clips.is_empty() {
                    continue;
                }
                let options = with_vertices(vertices);
                let made = Bmd::from_scene(&scene, &options).unwrap();
                let read = Bmd::parse(&made.value.to_bytes().unwrap()).unwrap();
                assert!(!read.validate().has_errors(), "{name}");
                assert_eq!(read, made.value, "{name}");
                let (old, new) = (corners(&model, None), corners(&read, None));
                let extent = old.iter().flatten().fold(0.0_f32, |m, c| m.max(c.abs()));
                let away = |a: &[[f32; 3]], b: &[[f32; 3]]| {
                    assert_eq!(a.len(), b.len(), "{name}");
                    a.iter().flatten().zip(b.iter().flatten()).fold(0.0_f32, |m, (a, b)| m.max((a - b).abs()))
                };
                let worst = away(&old, &new);
                assert!(worst <= 0.003 * extent, "{name} {space:?} {vertices:?}: {worst} of {extent}");
                // Helper joints are bones like others: their vertices keep the heaviest only.
                let helpers = space == Space::Gltf && model.bones.iter().any(Bone::is_pseudo);
                if model.bones.is_empty() || helpers {
                    continue;
                }
                assert_eq!(read.clips.len(), model.clips.len());
                for (c, clip) in model.clips.iter().enumerate() {
                    assert_eq!(
                        (read.clips[c].frames, read.clips[c].rate.is_looping()),
                        (clip.frames, clip.rate.is_looping())
                    );
                    for f in (0..u32::from(clip.frames)).step_by(3) {
                        let at = Some((c, f));
                        let worst = away(&corners(&model, at), &corners(&read, at));
                        assert!(worst <= 0.1 * extent, "{name} {space:?} {at:?}: {worst} of {extent}");
                    }
                }
            }
        }
    }
}

#[test]
fn kinds_of_vertices_follow_the_options() {
    let model = models().into_iter().find(|m| m.0 == "windmill.ok.bmd").unwrap().1;
    let scene = model.to_scene(&SceneOptions::default()).unwrap().value;
    for (form, kind) in [(VertexForm::Engine, VertexKind::Bits64), (VertexForm::Widest, VertexKind::Bits128)]
    {
        let made = Bmd::from_scene(&scene, &with_vertices(form)).unwrap().value;
        assert!(made.meshes.iter().flat_map(|m| m.vertices.iter()).all(|v| v.kind() == kind));
        let names = |m: &Bmd| m.meshes.iter().map(|m| m.material.clone()).collect::<Vec<_>>();
        assert_eq!(names(&made), names(&model), "flat colours keep their names");
        assert_eq!(made.bones[1].transform.origin(), model.bones[1].transform.origin());
    }
}

#[test]
fn pseudo_bones_come_back_in_file_space() {
    let model = models().into_iter().find(|m| m.0 == "pseudo.ok.bmd").unwrap().1;
    let scene = model.to_scene(&SceneOptions::in_space(Space::File)).unwrap().value;
    let made = Bmd::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert_eq!(made.bones.len(), 4);
    assert!(made.bones[3].is_pseudo());
    assert_eq!(made.meshes[0].vertices[0].bone(), 3);
}

#[test]
fn what_does_not_fit_is_reported() {
    let model = models().into_iter().find(|m| m.0 == "windmill.ok.bmd").unwrap().1;
    let mut scene = model.to_scene(&SceneOptions::default()).unwrap().value;
    scene.materials[0].name = "\u{6728}".into();
    scene.clips[0].name = "turn\0".into();
    scene.skeletons[0].joints[1].name = "\u{3b1}".into();
    scene.meshes[1].triangles.clear();
    scene.meshes[2].positions[0] = [0.0, 3000.0, 0.0];
    scene.levels = vec![Level { nodes: (0..3).map(NodeId).collect(), ..Level::default() }];
    let made = Bmd::from_scene(&scene, &with_vertices(VertexForm::Widest)).unwrap();
    let reported =
        |code| made.losses.iter().filter(|l| l.code == code).map(|l| l.path.as_str()).collect::<Vec<_>>();
    assert_eq!(reported("name-changed"), ["skeletons[0].joints[1]", "materials[0]", "clips[0]"]);
    assert_eq!(reported("node-not-drawn"), ["nodes[3]"]);
    assert_eq!(reported("empty-mesh"), ["meshes[1]"]);
    assert_eq!(reported("positions-clamped"), ["meshes[2]"]);
    // The mesh that no level draws is there, and not drawn.
    let drawn: Vec<_> = made.value.meshes.iter().map(|m| m.material.is_some()).collect();
    assert_eq!(drawn, [true, true, false]);
}

fn survives(scene: &meshwright_scene::Scene, form: VertexForm) -> Result<(), TestCaseError> {
    match Bmd::from_scene(scene, &with_vertices(form)) {
        Ok(made) => {
            let read = Bmd::parse(&made.value.to_bytes().unwrap()).unwrap();
            prop_assert_eq!(&read, &made.value);
            prop_assert!(made.losses.iter().all(|l| l.amount.is_none_or(f64::is_finite)));
            let again = read.to_scene(&SceneOptions::default()).unwrap().value;
            prop_assert_eq!(again.validate(), Ok(()));
        }
        Err(ConvertError::Invalid { .. } | ConvertError::Unsupported { .. } | ConvertError::Limit { .. }) => {
        }
        Err(other) => return Err(TestCaseError::fail(other.to_string())),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn any_clean_scene_makes_a_readable_file(scene in clean_scene(), which in 0_usize..3) {
        survives(&scene, [VertexForm::Engine, VertexForm::Smallest, VertexForm::Widest][which])?;
    }

    #[test]
    fn any_wild_scene_makes_a_readable_file(scene in wild_scene(), which in 0_usize..3) {
        survives(&scene, [VertexForm::Engine, VertexForm::Smallest, VertexForm::Widest][which])?;
    }
}

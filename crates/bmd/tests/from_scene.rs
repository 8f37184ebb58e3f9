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
use meshwright_scene::{
    Affine, Clip, ConvertError, FromSceneOptions, Influence, Joint, Level, Levels, Local, Mesh, MeshId,
    Motion, Node, NodeId, Scene, SceneOptions, Skeleton, SkeletonId, Skin, Space, Track, Trs,
};
use meshwright_testkit::sound;
use proptest::prelude::*;

fn models() -> Vec<(String, Bmd)> {
    sound("bmd", "bmd").into_iter().map(|(name, bytes)| (name, Bmd::parse(&bytes).unwrap())).collect()
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

fn survives(scene: &Scene, form: VertexForm) -> Result<(), TestCaseError> {
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

/// One triangle on an arm that is bound upright five units up, and rests ten units to the side, turned a quarter.
fn bound_elsewhere() -> Scene {
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let rest = Trs { translation: [10.0, 0.0, 0.0], rotation: [0.0, 0.0, half, half], ..Trs::IDENTITY };
    let mut arm = Joint::new("arm", Some(0), Local::Trs(rest));
    arm.inverse_bind = Affine { w: [0.0, 0.0, -5.0], ..Affine::IDENTITY };
    let root = Joint::new("root", None, Local::default());
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..3 {
        skin.influences.push(Influence { joint: 1, weight: 1.0 });
        skin.end_vertex();
    }
    let corners = vec![[1.0, 0.0, 5.0], [2.0, 0.0, 5.0], [1.0, 4.0, 5.0]];
    let mut mesh = Mesh::new("hand", corners, vec![[0, 1, 2]]);
    mesh.normals = vec![[1.0, 0.0, 0.0]; 3];
    mesh.skin = Some(skin);
    let mut scene = Scene::new("arm");
    scene.space = Space::File;
    scene.nodes.push(Node::of_mesh("hand", MeshId(0)));
    scene.meshes.push(mesh);
    scene.skeletons.push(Skeleton { name: "bones".into(), joints: vec![root, arm] });
    scene
}

#[test]
fn vertices_bound_in_another_pose_stand_where_their_joints_rest() {
    let mut scene = bound_elsewhere();
    let mut track = Track { joint: 1, ..Track::default() };
    track.translation.push(0.0, [0.0, 0.0, 20.0]);
    track.rotation.push(0.0, [0.0, 0.0, 0.0, 1.0]);
    scene.clips.push(Clip::new("lift", SkeletonId(0), 10.0, Motion::Tracks(vec![track])));
    let made = Bmd::from_scene(&scene, &with_vertices(VertexForm::Widest)).unwrap();
    assert!(made.losses.iter().any(|l| l.code == "bind-pose" && l.is_note()), "{:?}", made.losses);
    let model = made.value;
    let near = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5);
    let vertices = &model.meshes[0].vertices;
    assert_eq!(vertices.iter().map(|v| v.bone()).collect::<Vec<_>>(), [1; 3]);
    let own = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 4.0, 0.0]];
    let resting = [[10.0, 1.0, 0.0], [10.0, 2.0, 0.0], [6.0, 1.0, 0.0]];
    let lifted = [[1.0, 0.0, 20.0], [2.0, 0.0, 20.0], [1.0, 4.0, 20.0]];
    let (rest, lift) = (model.rest().unwrap().pose(0.0), model.motion(0).unwrap().pose(0.0));
    for (i, v) in vertices.iter().enumerate() {
        assert!(near(v.position(), own[i]), "{:?}", v.position());
        assert!(near(rest.position(*v), resting[i]), "{:?}", rest.position(*v));
        assert!(near(rest.normal(*v, false), [0.0, 1.0, 0.0]), "{:?}", rest.normal(*v, false));
        assert!(near(lift.position(*v), lifted[i]), "{:?}", lift.position(*v));
    }
}

/// As glTF has it: metres, Y up, front to +Z; the file has (-40 x, 40 z, 40 y).
#[test]
fn bind_matrices_count_in_gltf_space_too() {
    let mut scene = bound_elsewhere();
    scene.space = Space::Gltf;
    let model = Bmd::from_scene(&scene, &with_vertices(VertexForm::Widest)).unwrap().value;
    let rest = model.rest().unwrap().pose(0.0);
    let got: Vec<_> = model.meshes[0].vertices.iter().map(|v| rest.position(*v)).collect();
    let want = [[-400.0, 0.0, 40.0], [-400.0, 0.0, 80.0], [-240.0, 0.0, 40.0]];
    for (got, want) in got.iter().zip(want) {
        assert!(got.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-3), "{got:?} {want:?}");
    }
}

/// A scaled joint has no place in the format; its vertices still stand where it takes them.
#[test]
fn scaled_joints_leave_their_vertices_in_place() {
    let mut scene = bound_elsewhere();
    let joint = &mut scene.skeletons[0].joints[1];
    joint.rest = Local::Trs(Trs { scale: [2.0; 3], ..Trs::IDENTITY });
    let model = Bmd::from_scene(&scene, &with_vertices(VertexForm::Widest)).unwrap().value;
    let got: Vec<_> = model.meshes[0].vertices.iter().map(|v| v.position()).collect();
    assert_eq!(got, [[2.0, 0.0, 0.0], [4.0, 0.0, 0.0], [2.0, 8.0, 0.0]]);
}

#[test]
fn a_budget_that_does_not_suffice_is_an_error() {
    let scene = bound_elsewhere();
    for memory in [0, 300, 1000, 3000] {
        let options = with_vertices(VertexForm::Engine).with_memory(memory);
        assert!(matches!(Bmd::from_scene(&scene, &options), Err(ConvertError::Limit(_))), "{memory}");
    }
}

#[test]
fn levels_and_undrawn_meshes_follow_the_options() {
    let mut scene = bound_elsewhere();
    scene.meshes.push(scene.meshes[0].clone().with_skin(None));
    scene.meshes.push(scene.meshes[1].clone());
    scene.nodes.push(Node::of_mesh("far", MeshId(1)));
    let level = |node, max_distance| Level { nodes: vec![NodeId(node)], max_distance, ..Level::default() };
    scene.levels = vec![level(0, Some(9.0)), level(1, None)];
    let made = |options: FromSceneOptions<BmdSceneOptions>| {
        let model = Bmd::from_scene(&scene, &options).unwrap().value;
        let lods = model.lods.iter().map(|l| (l.first, l.count, l.max_distance().map(f64::round)));
        (model.meshes.iter().map(|m| m.material.is_some()).collect::<Vec<_>>(), lods.collect::<Vec<_>>())
    };
    let options = FromSceneOptions::default();
    let far = Some(119.0);
    assert_eq!(
        made(options.clone()),
        (vec![true, true, false], vec![(0, 1, Some(9.0)), (1, 1, None)]),
        "the mesh that nothing draws comes last"
    );
    assert_eq!(made(options.clone().with_prune(true)).0, [true, true]);
    let finest = made(options.clone().with_levels(Levels::Finest).with_prune(true));
    assert_eq!(finest, (vec![true], vec![(0, 1, far)]));
    let merged = made(options.with_levels(Levels::Merged).with_prune(true));
    assert_eq!(merged, (vec![true, true], vec![(0, 2, far)]));
}

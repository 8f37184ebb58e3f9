//! Tests models converted from scenes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use meshwright_bmd::{Bmd, BmdSceneOptions, Bone, MaterialKind, VertexForm, VertexKind};
use meshwright_scene::posed::{Moment, Triangle, largest_distance, triangles};
use meshwright_scene::strategy::{clean_scene, foreign_scene, wild_scene};
use meshwright_scene::{
    Affine, Budget, Clip, ConvertError, Engine, FromSceneOptions, Influence, Interpolation, Joint, Level,
    Levels, Limits, Local, Loss, Material, MaterialId, Mesh, MeshId, Motion, Node, NodeId, Scene,
    SceneOptions, Skeleton, SkeletonId, Skin, Space, Track, Trs,
};
use meshwright_testkit::{proptest, sound};
use proptest::prelude::*;

fn models() -> Vec<(String, Bmd)> {
    sound("bmd", "bmd").into_iter().map(|(name, bytes)| (name, Bmd::parse(&bytes).unwrap())).collect()
}

fn with_vertices(form: VertexForm) -> FromSceneOptions<BmdSceneOptions> {
    FromSceneOptions::for_format(BmdSceneOptions::default().with_vertices(form))
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
                // Choosing keys is slow and does not depend on the vertices.
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
                // Helper joints are ordinary bones: their vertices keep only the bone with the largest
                // weight.
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
    // The mesh that no level draws is kept, and not drawn.
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

/// Returns the maximum depth of the joints.
fn depth(scene: &Scene) -> f64 {
    let above = |s: &Skeleton, mut j: usize| {
        let mut n = 1.0;
        while let Some(p) = s.joints[j].parent {
            (n, j) = (n + 1.0, p);
        }
        n
    };
    scene.skeletons.iter().flat_map(|s| (0..s.joints.len()).map(move |j| above(s, j))).fold(0.0, f64::max)
}

/// Returns the scene with one joint for each vertex.
fn on_one_joint(mut scene: Scene) -> Scene {
    for skin in scene.meshes.iter_mut().filter_map(|m| m.skin.as_mut()) {
        let mut one = Skin::new(skin.skeleton);
        for v in 0..skin.vertex_count() {
            one.influences.extend(skin.influences(v).first().map(|i| Influence { weight: 1.0, ..*i }));
            one.end_vertex();
        }
        *skin = one;
    }
    scene
}

/// Checks that a scene and its model have the same poses within the stated errors.
fn stands_alike(scene: &Scene) -> Result<(), TestCaseError> {
    let budget = Budget::new(Limits::default());
    let Ok(made) = Bmd::from_scene(scene, &with_vertices(VertexForm::Widest)) else {
        return Err(TestCaseError::reject("refused"));
    };
    prop_assert!(!made.value.validate().has_errors());
    let stated = |code: &str| {
        let found = made.losses.iter().filter(|l| l.code == code).filter_map(|l| l.amount);
        found.fold(0.0, f64::max)
    };
    let lost = |code: &str| made.losses.iter().any(|l| l.code == code);
    // A vertex keeps one of several bones, so it moves elsewhere once they move.
    if lost("influences-dropped") || lost("positions-clamped") || lost("weights-normalized") {
        return Ok(());
    }
    let again = made.value.to_scene(&SceneOptions::default()).unwrap().value;
    let size = |t: &[Triangle]| t.iter().flatten().flatten().fold(0.1_f64, |m, c| m.max(c.abs()));
    let [a, b] = [scene, &again].map(|s| triangles(s, None, &budget).unwrap());
    if a.is_empty() {
        return Ok(());
    }
    let rounded = stated("positions-rounded") / 40.0;
    let off = largest_distance(&a, &b);
    prop_assert!(off <= 2.0 * rounded + 1e-4 * size(&a), "rest: {off}, stated {rounded}");
    for (c, clip) in made.value.clips.iter().enumerate() {
        let source = scene.clips.iter().position(|s| clip.name.as_ref().is_some_and(|n| n.text() == s.name));
        let Some(source) = source.filter(|_| made.value.clips.len() == scene.clips.len()) else { continue };
        let spans =
            |frames: u32, looping: bool| f64::from(if looping { frames } else { frames - 1 }).max(1.0);
        let own = &scene.clips[source];
        let step = spans(own.frames, own.looping) / spans(u32::from(clip.frames), own.looping);
        for frame in [0, 1, clip.frames / 2].into_iter().filter(|f| *f < clip.frames) {
            let frame = f64::from(frame);
            let at = |clip, seconds| Some(Moment { clip, seconds });
            let a = triangles(scene, at(source, own.seconds(frame * step)), &budget).unwrap();
            let b = triangles(&again, at(c, again.clips[c].seconds(frame)), &budget).unwrap();
            prop_assert!(
                stated("keys-turned") < 4.0,
                "a key for every frame errs less: {}",
                stated("keys-turned")
            );
            let turned = stated("keys-turned") + stated("bones-turned");
            let local = turned.to_radians() + stated("keys-scaled") + stated("joint-shear");
            let moved = (stated("keys-moved") + stated("bones-moved")) / 40.0;
            let bound = rounded + depth(scene) * (local * 3.0 * size(&a) + moved * 2.0);
            let off = largest_distance(&a, &b);
            prop_assert!(
                off <= bound + 0.01 * size(&a),
                "{}: {off} of {}, stated {bound}",
                clip.frames,
                size(&a)
            );
        }
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
    fn any_foreign_scene_makes_a_readable_file(scene in foreign_scene(), which in 0_usize..3) {
        survives(&scene, [VertexForm::Engine, VertexForm::Smallest, VertexForm::Widest][which])?;
    }

    #[test]
    fn any_foreign_scene_stands_alike(scene in foreign_scene()) {
        stands_alike(&scene)?;
        stands_alike(&on_one_joint(scene))?;
    }

    #[test]
    fn any_wild_scene_makes_a_readable_file(scene in wild_scene(), which in 0_usize..3) {
        survives(&scene, [VertexForm::Engine, VertexForm::Smallest, VertexForm::Widest][which])?;
    }
}

/// Returns one triangle on an arm that is bound upright five units up. It rests ten units to the side,
/// rotated by a quarter turn.
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
        assert!(
            near(rest.normal(*v, MaterialKind::Texture), [0.0, 1.0, 0.0]),
            "{:?}",
            rest.normal(*v, MaterialKind::Texture)
        );
        assert!(near(lift.position(*v), lifted[i]), "{:?}", lift.position(*v));
    }
}

/// The scene has metres, Y up and front +Z; the file has (-40 x, 40 z, 40 y).
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

/// The format cannot store a scaled joint; its vertices still get their scaled positions.
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

/// Tests two characters, each with its own skeleton, in one clip.
#[test]
fn several_skeletons_are_one() {
    let mut scene = bound_elsewhere();
    let mut other = scene.meshes[0].clone().with_name("other");
    other.skin.as_mut().unwrap().skeleton = SkeletonId(1);
    scene.meshes.push(other);
    scene.nodes.push(Node::of_mesh("other", MeshId(1)));
    let again = scene.skeletons[0].clone();
    scene.skeletons.push(again);
    for skeleton in 0..2 {
        let mut track = Track { joint: 1, ..Track::default() };
        track.translation.push(0.0, [0.0, 0.0, if skeleton == 0 { 20.0 } else { 40.0 }]);
        scene.clips.push(Clip::new("lift", SkeletonId(skeleton), 10.0, Motion::Tracks(vec![track])));
    }
    let made = Bmd::from_scene(&scene, &with_vertices(VertexForm::Widest)).unwrap();
    let names: Vec<_> = made.value.bones.iter().map(|b| b.name.as_ref().unwrap().text()).collect();
    assert_eq!(names, ["root", "arm", "root_2", "arm_2"]);
    assert_eq!((made.value.clips.len(), made.value.meshes[1].vertices[0].bone()), (1, 3));
    let pose = made.value.motion(0).unwrap().pose(0.0);
    let z = |mesh: usize| pose.position(made.value.meshes[mesh].vertices[0])[2];
    assert!((z(0) - 20.0).abs() < 1e-3 && (z(1) - 40.0).abs() < 1e-3, "{} {}", z(0), z(1));
    assert!(made.losses.iter().any(|l| l.code == "skeletons-joined"));
}

/// Returns a scene with `count` joints below the root, the first of which moves the mesh.
fn with_joints(count: usize) -> Scene {
    let mut scene = bound_elsewhere();
    for i in 0..count {
        let joint = Joint::new(format!("more {i}"), Some(1), Local::default());
        scene.skeletons[0].joints.push(joint);
    }
    scene
}

#[test]
fn bones_that_move_nothing_go_before_there_are_too_many() {
    let made = Bmd::from_scene(&with_joints(253), &FromSceneOptions::default()).unwrap();
    assert_eq!((made.value.bones.len(), made.losses.iter().any(|l| l.code == "bones-dropped")), (255, false));
    let made = Bmd::from_scene(&with_joints(300), &FromSceneOptions::default()).unwrap();
    let dropped = made.losses.iter().find(|l| l.code == "bones-dropped").unwrap();
    assert_eq!((made.value.bones.len(), dropped.count), (255, 47));
    let mut busy = with_joints(300);
    let skin = busy.meshes[0].skin.as_mut().unwrap();
    (skin.starts, skin.influences) = (vec![0], Vec::new());
    for v in 0..3 {
        let joints = v * 100..(v + 1) * 100;
        skin.influences.extend(joints.map(|j| Influence { joint: j + 2, weight: 0.01 }));
        skin.end_vertex();
    }
    let e = Bmd::from_scene(&busy, &FromSceneOptions::default()).unwrap_err().to_string();
    assert!(e.contains("302 of them used; the format accepts 255"), "{e}");
}

/// Returns a strip of `vertices` vertices.
fn strip(vertices: u32) -> Mesh {
    let at = |i: u32| [f32::from(u16::try_from(i / 2 % 256).unwrap()), (i % 2) as f32, (i / 512) as f32];
    let triangles = (0..vertices - 2).map(|i| [i, i + 1 + i % 2, i + 2 - i % 2]).collect();
    Mesh::new("strip", (0..vertices).map(at).collect(), triangles)
}

#[test]
fn what_a_flat_colour_has_no_place_for_is_reported() {
    let of = |name: &str, base_color, colors: Vec<[u8; 4]>| {
        let mut scene = Scene::new("flat");
        let mesh = strip(3).with_uvs(vec![[0.25, 0.5], [1.0, 0.0], [0.0; 2]]).with_colors(colors);
        scene.materials.push(Material::named(name).with_base_color(base_color));
        scene.meshes.push(mesh.with_material(MaterialId(0)));
        scene.nodes.push(Node::of_mesh("n", MeshId(0)));
        let made = Bmd::from_scene(&scene, &FromSceneOptions::default()).unwrap();
        let kind = made.value.meshes[0].vertices[0].kind();
        let report =
            |l: &Loss| (l.code == "alpha-dropped" || l.code == "uvs-dropped").then_some((l.code, l.count));
        (kind, made.losses.iter().filter_map(report).collect::<Vec<_>>())
    };
    assert_eq!(of("", [1.0; 4], Vec::new()), (VertexKind::Bits96, vec![]), "no texture was found");
    assert_eq!(
        of("#00FF00", [0.0, 1.0, 0.0, 1.0], Vec::new()),
        (VertexKind::Bits64, vec![("uvs-dropped", 2)])
    );
    let glass = vec![[255, 255, 255, 255], [255, 255, 255, 64], [255; 4]];
    assert_eq!(of("glass", [1.0; 4], glass), (VertexKind::Bits96, vec![("alpha-dropped", 1)]));
    assert_eq!(of("glass", [1.0, 1.0, 1.0, 0.5], Vec::new()).1, [("alpha-dropped", 1)]);
}

#[test]
fn meshes_are_split_where_the_format_or_the_engine_counts_no_further() {
    let mut scene = Scene::new("large").in_space(Space::File);
    scene.meshes.push(strip(70_000));
    scene.nodes.push(Node::of_mesh("n", MeshId(0)));
    let made = |options: FromSceneOptions<BmdSceneOptions>| {
        let model = Bmd::from_scene(&scene, &options.with_memory(1 << 30)).unwrap().value;
        let triangles: usize = model.meshes.iter().map(|m| m.primitives.len()).sum();
        (model.meshes.iter().map(|m| m.vertices.len()).max().unwrap(), model.meshes.len(), triangles)
    };
    let options = FromSceneOptions::<BmdSceneOptions>::default();
    let (most, meshes, triangles) = made(options.clone());
    assert!(most > 1024 && most <= 65_535 && meshes == 2, "{most} {meshes}");
    let (most, meshes, same) = made(options.for_engine(Engine::BgbTech));
    assert!(most <= 1024 && meshes > 60, "{most} {meshes}");
    assert_eq!(triangles, same);
}

#[test]
fn more_meshes_than_a_level_counts_become_one_for_each_material() {
    let mut scene = Scene::new("many").in_space(Space::File);
    scene.meshes.push(strip(3));
    scene.nodes = (0..300)
        .map(|i| {
            let at = Trs { translation: [i as f32, 0.0, 0.0], ..Trs::IDENTITY };
            Node { local: Local::Trs(at), ..Node::of_mesh("n", MeshId(0)) }
        })
        .collect();
    let made = Bmd::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert_eq!((made.value.meshes.len(), made.value.meshes[0].primitives.len()), (1, 300));
    assert_eq!(made.value.lods.iter().map(|l| (l.first, l.count)).collect::<Vec<_>>(), [(0, 1)]);
    assert!(made.losses.iter().any(|l| l.code == "meshes-merged" && l.count == 300));
}

#[test]
fn long_fast_clips_are_sampled_and_the_error_is_stated() {
    let mut scene = bound_elsewhere();
    let mut track = Track { joint: 1, ..Track::default() };
    for f in 0..=600_u16 {
        track.translation.push(f32::from(f), [if f % 2 == 0 { 0.0 } else { 1.0 }, 0.0, 0.0]);
    }
    scene.clips.push(Clip::new("shake", SkeletonId(0), 60.0, Motion::Tracks(vec![track])));
    let made = Bmd::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    let clip = &made.value.clips[0];
    assert!(clip.rate.frames_per_second() <= 31.75 && clip.frames > 200);
    let moved = made.losses.iter().find(|l| l.code == "resampled-moved").unwrap();
    assert!(moved.amount.unwrap() > 0.4 && moved.amount.unwrap() <= 1.0, "{moved}");
    assert!(made.losses.iter().any(|l| l.code == "rate-changed"));
}

#[test]
fn shear_between_keys_is_stated() {
    let shears = |turned: [f32; 4]| {
        let mut scene = bound_elsewhere();
        let mut track = Track { joint: 1, ..Track::default() };
        track.rotation.push(0.0, [0.0, 0.0, 0.0, 1.0]);
        track.rotation.push(2.0, turned);
        let mut clip = Clip::new("turn", SkeletonId(0), 10.0, Motion::Tracks(vec![track]));
        clip.interpolation = Interpolation::Matrix;
        scene.clips.push(clip);
        let made = Bmd::from_scene(&scene, &FromSceneOptions::default()).unwrap();
        made.losses.iter().any(|l| l.code == "joint-shear" && !l.is_note())
    };
    // Halfway to the third of a turn about the diagonal, the axes of the blended matrix are 60 degrees apart.
    assert!(shears([0.5; 4]));
    assert!(!shears([0.0, 0.0, 0.0, 1.0]));
}

#[test]
fn no_frame_lies_between_opposite_keys() {
    let mut scene = bound_elsewhere();
    let mut track = Track { joint: 1, ..Track::default() };
    // Thirds of a turn. After three of them the signs are opposite; the last frame is the second one.
    for (frame, third) in [0, 1, 2, 3, 1].into_iter().enumerate() {
        let half = third as f32 * std::f32::consts::FRAC_PI_3;
        track.rotation.push(frame as f32, [half.sin(), 0.0, 0.0, half.cos()]);
    }
    let clip = Clip::new("spin", SkeletonId(0), 10.0, Motion::Tracks(vec![track]));
    scene.clips.push(clip.with_frames(5).with_looping(true));
    let losses = Bmd::from_scene(&scene, &FromSceneOptions::default()).unwrap().losses;
    let turned = losses.iter().find(|l| l.code == "keys-turned").and_then(|l| l.amount);
    assert!(turned.is_none_or(|degrees| degrees < 1.0), "{turned:?}");
}

#[test]
fn the_rounding_of_bones_is_stated() {
    let mut scene = bound_elsewhere();
    let stated = |scene: &Scene| {
        let losses = Bmd::from_scene(scene, &FromSceneOptions::default()).unwrap().losses;
        let amount = |code: &str| losses.iter().find(|l| l.code == code).and_then(|l| l.amount);
        [amount("bones-turned"), amount("bones-moved")]
    };
    // The format stores the identity and whole units exactly.
    scene.skeletons[0].joints[1].rest = Local::Trs(Trs { translation: [10.0, 0.0, 0.0], ..Trs::IDENTITY });
    assert_eq!(stated(&scene), [None, None]);
    let turned = Trs { rotation: [0.2474, 0.0, 0.0, 0.9689], ..Trs::IDENTITY };
    scene.skeletons[0].joints[1].rest = Local::Trs(Trs { translation: [10.01, 0.0, 0.0], ..turned });
    let [turned, moved] = stated(&scene);
    assert!(turned.is_some_and(|degrees| (0.01..4.0).contains(&degrees)), "{turned:?}");
    assert!(moved.is_some_and(|units| (units - 0.01).abs() < 1e-4), "{moved:?}");
}

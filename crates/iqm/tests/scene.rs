//! Tests conversions to scenes and back.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, reason = "a failing test panics")]

use meshwright_core::ReadOptions;
use meshwright_core::math::distance;
use meshwright_iqm::{ArrayKind, Iqm, IqmOptions, Scales, strategy};
use meshwright_scene::strategy::{clean_scene, foreign_scene, wild_scene};
use meshwright_scene::{
    ConvertError, FromSceneOptions, Influence, Joint, Levels, Local, Mesh, Motion, Node, Scene, SceneOptions,
    Skeleton, SkeletonId, Skin, Space, Trs,
};
use meshwright_testkit::laws::{Laws, laws};
use meshwright_testkit::{proptest, testdata};
use proptest::prelude::*;

const IQM: Laws<Iqm, fn(ReadOptions) -> ReadOptions> = laws();

pub(crate) fn fixture(name: &str) -> Iqm {
    Iqm::parse(&std::fs::read(testdata().join("iqm").join(name)).unwrap()).unwrap()
}

pub(crate) fn options(scales: Scales) -> FromSceneOptions<IqmOptions> {
    FromSceneOptions::for_format(IqmOptions::default().with_scales(scales))
}

pub(crate) fn convert_again(model: &Iqm, scales: Scales) -> Iqm {
    let scene = model.to_scene(&SceneOptions::default().with_extras(true)).unwrap();
    Iqm::from_scene(&scene.value, &options(scales)).unwrap().value
}

fn extent(points: &[[f32; 3]]) -> f64 {
    let side = |i: usize| {
        let of = |f: fn(f32, f32) -> f32, from| points.iter().map(|p| p[i]).fold(from, f);
        f64::from(of(f32::max, f32::MIN) - of(f32::min, f32::MAX))
    };
    (0..3).map(side).fold(0.0, f64::max)
}

/// Returns the largest distance of equal vertices of two models at any frame, relative to the extent.
pub(crate) fn largest_difference(a: &Iqm, b: &Iqm) -> f64 {
    assert_eq!((a.meshes.len(), a.frame_count), (b.meshes.len(), b.frame_count));
    let mut worst = 0.0_f64;
    for (m, n) in a.meshes.iter().zip(&b.meshes) {
        let size = extent(&a.evaluate(m, None).unwrap().positions);
        for frame in std::iter::once(None).chain((0..a.frame_count).map(Some)) {
            let [p, q] = [a.evaluate(m, frame).unwrap(), b.evaluate(n, frame).unwrap()];
            for (p, q) in p.positions.iter().zip(&q.positions) {
                worst = worst.max(distance(p.map(f64::from), q.map(f64::from)) / size);
            }
        }
    }
    worst
}

#[test]
fn a_model_comes_back_from_a_scene() {
    let model = fixture("tube.ok.iqm");
    let back = convert_again(&model, Scales::Baked);
    assert!(largest_difference(&model, &back) < 2e-5, "{}", largest_difference(&model, &back));
    let names = |m: &Iqm| {
        let anims = m.anims.iter().map(|a| (m.str(a.name).to_vec(), a.first_frame, a.frame_count, a.flags));
        let joints = m.joints.iter().map(|j| (m.str(j.name).to_vec(), j.parent));
        let meshes = m.meshes.iter().map(|x| (m.str(x.name).to_vec(), m.str(x.material).to_vec()));
        (anims.collect::<Vec<_>>(), joints.collect::<Vec<_>>(), meshes.collect::<Vec<_>>())
    };
    assert_eq!(names(&model), names(&back));
    assert_eq!(model.triangles, back.triangles);
    let bounds = &back.bounds.as_ref().unwrap()[2];
    let posed = back.evaluate(&back.meshes[0], Some(2)).unwrap();
    for p in &posed.positions {
        for (i, c) in p.iter().enumerate() {
            assert!((bounds.mins[i].get()..=bounds.maxs[i].get()).contains(c));
        }
    }
    assert!(back.validate().findings().is_empty(), "{:?}", back.validate().findings());
}

#[test]
fn motions_alone_come_back() {
    let model = fixture("motion.ok.iqm");
    let scene = model.to_scene(&SceneOptions::default()).unwrap().value;
    assert_eq!((scene.meshes.len(), scene.skeletons[0].joints.len(), scene.clips.len()), (0, 2, 2));
    let back = Iqm::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert!(back.joints.is_empty() && back.arrays.is_empty());
    assert_eq!((back.poses.len(), back.frame_count), (2, 3));
    for frame in 0..3 {
        let [a, b] = [&model, &back].map(|m| m.frame_matrices(frame).unwrap());
        for (a, b) in a.iter().zip(&b) {
            let off = a.to_array().iter().zip(b.to_array()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < 2e-5, "{off}");
        }
    }
}

#[test]
fn what_fte_adds_travels_in_extras() {
    let model = fixture("events.ok.iqm");
    let back = convert_again(&model, Scales::Baked);
    let data = |m: &Iqm, name: &[u8]| {
        let found = m.extensions.iter().find(|e| m.str(e.name) == name).unwrap();
        let words: Vec<u32> = found.data.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
        words
    };
    let events = |m: &Iqm| -> Vec<_> {
        let text = |id: u32| m.str(meshwright_iqm::TextId(id)).to_vec();
        data(m, b"FTE_EVENT").chunks(4).map(|e| (e[0], e[1], e[2], text(e[3]))).collect()
    };
    assert_eq!(events(&model), events(&back));
    let model = fixture("sheet.ok.iqm");
    assert_eq!(data(&model, b"FTE_MESH"), data(&convert_again(&model, Scales::Baked), b"FTE_MESH"));
    let losses = model.to_scene(&SceneOptions::default()).unwrap().losses;
    assert!(losses.iter().any(|l| l.code == "extensions-dropped" && l.in_extras));
}

#[test]
fn neighbours_are_those_that_the_tool_finds() {
    let model = fixture("sheet.ok.iqm");
    let scene = model.to_scene(&SceneOptions::default()).unwrap().value;
    let options = FromSceneOptions::for_format(IqmOptions::default().with_adjacency(true));
    let back = Iqm::from_scene(&scene, &options).unwrap().value;
    let adjacency = back.adjacency.as_ref().unwrap();
    // Edges by the places of their corners: each meets at most one other.
    let at = |v: u32| back.array(ArrayKind::POSITION).unwrap().floats::<3>(v as usize, [0.0; 3]);
    for (t, row) in adjacency.iter().enumerate() {
        let [a, b, c] = back.triangles[t];
        for ((p, q), n) in [(a, b), (b, c), (c, a)].into_iter().zip(row) {
            let edges = |t: &[u32; 3]| [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])];
            let facing = |t: &[u32; 3]| edges(t).iter().any(|(x, y)| at(*x) == at(q) && at(*y) == at(p));
            let others: Vec<_> =
                (0..).zip(&back.triangles).filter(|(_, t)| facing(t)).map(|(i, _)| i).collect();
            let expected = if let [one] = others[..] { one } else { Iqm::NO_NEIGHBOUR };
            assert_eq!(*n, expected, "triangle {t}");
        }
    }
    assert!(adjacency.iter().flatten().any(|n| *n != Iqm::NO_NEIGHBOUR));
    assert!(
        Iqm::from_scene(&scene, &options.with_format(IqmOptions::default()))
            .unwrap()
            .value
            .adjacency
            .is_none()
    );
}

/// Returns a triangle on the second of two joints, the first of which has a scale; two frames.
fn scaled(root: [f32; 3], animated: [f32; 3]) -> Scene {
    let at = |x: f32, scale: [f32; 3]| Trs { translation: [x, 0.0, 0.0], scale, ..Trs::IDENTITY };
    let joints = vec![
        Joint::new("root", None, Local::Trs(at(0.0, root))),
        Joint::new("tip", Some(0), Local::Trs(at(2.0, [1.0; 3]))),
    ];
    let mut skeleton = Skeleton { name: String::new(), joints };
    skeleton.bind_rest().unwrap();
    let mut skin = Skin::new(SkeletonId(0));
    for joint in [0, 1, 1] {
        skin.influences.push(Influence { joint, weight: 1.0 });
        skin.end_vertex();
    }
    let mesh =
        Mesh::new("m", vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], vec![[0, 1, 2]]).with_skin(skin);
    let mut track = meshwright_scene::Track { joint: 0, ..Default::default() };
    track.scale.push(0.0, root);
    track.scale.push(1.0, animated);
    let mut tip = meshwright_scene::Track { joint: 1, ..Default::default() };
    tip.translation.push(0.0, [2.0, 0.0, 0.0]);
    tip.translation.push(1.0, [3.0, 0.0, 0.0]);
    let motion = Motion::Tracks(vec![track, tip]);
    let mut clip = meshwright_scene::Clip::new("c", SkeletonId(0), 10.0, motion);
    clip = clip.with_frames(2);
    Scene::new("s")
        .with_meshes(vec![mesh])
        .with_nodes(vec![Node::of_mesh("m", meshwright_scene::MeshId(0))])
        .with_skeletons(vec![skeleton])
        .with_clips(vec![clip])
}

#[test]
fn a_scale_of_the_root_is_baked() {
    let scene = scaled([0.5; 3], [0.5; 3]);
    let made = Iqm::from_scene(&scene, &options(Scales::Baked)).unwrap();
    assert!(made.lost().next().is_none(), "{:?}", made.losses);
    let [baked, kept] = [made.value, Iqm::from_scene(&scene, &options(Scales::Kept)).unwrap().value];
    let ones = |m: &Iqm| m.joints.iter().flat_map(|j| j.scale).all(|s| s == 1.0);
    assert!(ones(&baked) && !ones(&kept));
    assert!(largest_difference(&baked, &kept) < 1e-6);
    // Half a unit further, because the root halves its children.
    let [rest, moved] = [None, Some(1)].map(|f| baked.evaluate(&baked.meshes[0], f).unwrap().positions[1]);
    let off = distance(rest.map(f64::from), moved.map(f64::from));
    assert!((off - 0.5).abs() < 1e-4, "{off}");
}

#[test]
fn a_scale_that_moves_is_a_measured_loss() {
    let scene = scaled([1.0; 3], [1.5; 3]);
    let made = Iqm::from_scene(&scene, &options(Scales::Baked)).unwrap();
    let loss = |code: &str| made.lost().find(|l| l.code == code).and_then(|l| l.amount);
    assert!((loss("scale-dropped").unwrap() - 0.5).abs() < 1e-3, "{:?}", made.losses);
    assert!(loss("pose-error").unwrap() > 0.1, "{:?}", made.losses);
    assert!(made.lost().any(|l| l.code == "scale-dropped" && l.message.contains("--for fte")));
    let kept = Iqm::from_scene(&scene, &options(Scales::Kept)).unwrap();
    assert!(kept.lost().next().is_none(), "{:?}", kept.losses);
}

#[test]
fn shear_is_a_measured_loss() {
    let mut scene = scaled([1.0; 3], [1.0; 3]);
    let sheared = meshwright_scene::Affine { y: [0.25, 1.0, 0.0], ..Default::default() };
    scene.skeletons[0].joints[0].rest = Local::Affine(sheared);
    scene.skeletons[0].bind_rest().unwrap();
    scene.clips.clear();
    let made = Iqm::from_scene(&scene, &options(Scales::Kept)).unwrap();
    let shear = made.lost().find(|l| l.code == "shear-dropped").unwrap();
    assert!((0.05..0.3).contains(&shear.amount.unwrap()), "{shear}");
    assert_eq!((made.value.anims.len(), made.value.frame_count), (1, 1));
    assert!(made.notes().any(|l| l.code == "clip-added"));
}

#[test]
fn a_fifth_joint_of_a_vertex_is_a_measured_loss() {
    let mut scene = scaled([1.0; 3], [1.0; 3]);
    let still = |i: f32| {
        let at = Trs { translation: [0.0, i, 0.0], ..Trs::IDENTITY };
        Joint::new(format!("still {i}"), Some(0), Local::Trs(at))
    };
    scene.skeletons[0].joints.extend([1.0, 2.0, 3.0, 4.0].map(still));
    scene.skeletons[0].bind_rest().unwrap();
    let mut skin = Skin::new(SkeletonId(0));
    for v in 0..3 {
        // The joint that moves by 1 is the lightest of five, of one vertex.
        let moving = (v == 0).then_some(Influence { joint: 1, weight: 0.1 });
        let others = (2..6).map(|joint| Influence { joint, weight: if v == 0 { 0.225 } else { 0.25 } });
        skin.influences.extend(moving.into_iter().chain(others));
        skin.end_vertex();
    }
    scene.meshes[0].skin = Some(skin);
    let made = Iqm::from_scene(&scene, &options(Scales::Baked)).unwrap();
    let loss = |code: &str| made.lost().find(|l| l.code == code).unwrap();
    let cut = loss("influences-dropped");
    assert!((cut.amount.unwrap() - 0.1).abs() < 1e-6 && cut.message.contains("4 heaviest"), "{cut}");
    // A tenth of the way of the joint.
    let off = loss("pose-error").amount.unwrap();
    assert!((off - 0.1).abs() < 1e-3, "{off}");
    assert!(!made.value.influences(0).iter().any(|(joint, weight)| *joint == 1 && *weight > 0.0));
}

/// Tangents are stored if something uses them. Without them no vertex is split.
#[test]
fn tangents_are_stored_if_something_uses_them() {
    use meshwright_scene::{Engine, Image, Material, MaterialId};
    let has = |scene: &Scene, options: &FromSceneOptions<IqmOptions>| {
        let made = Iqm::from_scene(scene, options).unwrap();
        assert_eq!(
            made.losses.iter().any(|l| l.code == "tangents-computed"),
            made.value.array(ArrayKind::TANGENT).is_some()
        );
        made.value.array(ArrayKind::TANGENT).is_some()
    };
    let plain = options(Scales::Baked);
    let mut scene = scaled([1.0; 3], [1.0; 3]);
    assert!(!has(&scene, &plain));
    assert!(!has(&scene, &plain.clone().for_engine(Engine::DarkPlaces)));
    assert!(has(&scene, &plain.clone().for_engine(Engine::Daemon)));
    assert!(has(&scene, &FromSceneOptions::for_format(IqmOptions::default().with_tangents(true))));
    scene.materials.push(Material::named("flat"));
    scene.materials.push(Material::named("bumpy").with_normal(Image::new("n", "image/png", Vec::new())));
    scene.meshes[0].material = Some(MaterialId(0));
    assert!(!has(&scene, &plain));
    scene.meshes[0].material = Some(MaterialId(1));
    assert!(has(&scene, &plain));
    scene.meshes[0].material = None;
    scene.meshes[0].normals = vec![[0.0, 0.0, 1.0]; 3];
    scene.meshes[0].tangents = vec![[1.0, 0.0, 0.0, -1.0]; 3];
    let made = Iqm::from_scene(&scene, &plain).unwrap().value;
    let stored = made.array(ArrayKind::TANGENT).unwrap().floats::<4>(0, [0.0; 4]);
    assert_eq!(stored[3], -1.0);
}

/// Vertices are posed in blocks: the bounds are those of all meshes, and memory is that of the result.
#[test]
fn bounds_and_errors_are_of_all_blocks() {
    const SIDE: u16 = 120;
    let mut scene = scaled([1.0; 3], [1.0; 3]);
    let place = |i: u16| [f32::from(i % SIDE) * 0.01, f32::from(i / SIDE) * 0.01, 0.0];
    let positions: Vec<_> = (0..SIDE * SIDE).map(place).collect();
    let mut skin = Skin::new(SkeletonId(0));
    for i in 0..SIDE * SIDE {
        let share = f32::from(i % SIDE + 1) / 128.0;
        for (joint, weight) in [(0, 1.0 - share), (1, share)] {
            skin.influences.push(Influence { joint, weight });
        }
        skin.end_vertex();
    }
    let mut mesh = Mesh::new("m", positions, vec![[0, 1, 120], [14_398, 14_399, 14_279]]).with_skin(skin);
    mesh.normals = vec![[0.0, 0.0, 1.0]; mesh.positions.len()];
    // Six meshes of 28,800 parts: blocks end within meshes, and the last is not full.
    scene.meshes = (0..6_u16)
        .map(|n| {
            let mut mesh = mesh.clone();
            mesh.positions.iter_mut().for_each(|p| p[2] = f32::from(n) * if n == 3 { -1.0 } else { 0.1 });
            mesh
        })
        .collect();
    scene.nodes = (0..6).map(|n| Node::of_mesh("m", meshwright_scene::MeshId(n))).collect();
    let size = Iqm::from_scene(&scene, &options(Scales::Baked)).unwrap().value.to_bytes().unwrap().len();
    // The model, and twice a block.
    let limits = meshwright_core::Limits::default().with_memory(size as u64 + (10 << 20));
    let made = Iqm::from_scene(&scene, &options(Scales::Baked).with_limits(limits)).unwrap();
    let model = made.value;
    for (frame, bounds) in (0..).zip(model.bounds.as_ref().unwrap()) {
        let posed: Vec<_> =
            model.meshes.iter().flat_map(|m| model.evaluate(m, Some(frame)).unwrap().positions).collect();
        for i in 0..3 {
            let least = posed.iter().map(|p| p[i]).fold(f32::MAX, f32::min);
            let most = posed.iter().map(|p| p[i]).fold(f32::MIN, f32::max);
            assert!(
                (bounds.mins[i].get() - least).abs() < 1e-4 && (bounds.maxs[i].get() - most).abs() < 1e-4
            );
        }
        let far = posed.iter().map(|p| p.iter().map(|c| c * c).sum::<f32>().sqrt()).fold(0.0, f32::max);
        assert!((bounds.radius.get() - far).abs() < 1e-4);
    }
    assert!(
        made.losses.iter().any(|l| l.code == "pose-error" && l.amount.unwrap() < 0.01),
        "{:?}",
        made.losses
    );
}

proptest! {
    #[test]
    fn whatever_opens_is_converted_or_refused(model in strategy::iqm()) {
        for space in [Space::Gltf, Space::File] {
            for still in [false, true] {
                let options = SceneOptions::in_space(space).with_memory(1 << 22).with_extras(true).with_static_meshes(still);
                let Ok(scene) = model.to_scene(&options) else { continue };
                prop_assert_eq!(scene.value.validate(), Ok(()));
                for scales in [Scales::Baked, Scales::Kept] {
                    if let Ok(back) = Iqm::from_scene(&scene.value, &self::options(scales).with_memory(1 << 22)) {
                        IQM.model_round_trip(&back.value);
                    }
                }
            }
        }
    }

    #[test]
    fn any_scene_is_written_or_refused(scene in prop_oneof![wild_scene(), foreign_scene()]) {
        let options = FromSceneOptions::for_format(IqmOptions::default().with_adjacency(true)).with_memory(1 << 22);
        match Iqm::from_scene(&scene, &options) {
            Ok(made) => {
                IQM.model_round_trip(&made.value);
                prop_assert!(!made.value.validate().has_errors());
            }
            Err(e) => prop_assert!(!matches!(e, ConvertError::Invalid { .. }), "{e}"),
        }
    }

    #[test]
    fn a_clean_scene_is_drawn_the_same(scene in clean_scene()) {
        let options = FromSceneOptions::for_format(IqmOptions::default()).with_levels(Levels::Merged);
        let Ok(made) = Iqm::from_scene(&scene, &options) else { return Ok(()) };
        let again = made.value.to_scene(&SceneOptions::default()).unwrap().value;
        let instances = scene.drawn_meshes().unwrap();
        prop_assert_eq!(again.meshes.len(), instances.len());
        for (mesh, (_, id, world)) in again.meshes.iter().zip(instances) {
            let source = &scene.meshes[id.0];
            prop_assert_eq!(mesh.triangles.len(), source.triangles.len());
            let scale = source.positions.iter().flatten().fold(1.0_f32, |m, c| m.max(c.abs()));
            for (t, s) in mesh.triangles.iter().zip(&source.triangles) {
                for (a, b) in t.iter().zip(s) {
                    let (a, b) = (mesh.positions[*a as usize], source.positions[*b as usize]);
                    let b = if source.is_skinned() { b } else { world.point(b) };
                    let off = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
                    prop_assert!(off <= 1e-3 * scale || world.determinant() < 0.0, "{:?} for {:?}", a, b);
                }
            }
        }
    }
}

/// A material without a name has none; a mesh without a material gets one, which is reported.
#[test]
fn names_of_materials_are_not_made_up_in_silence() {
    let mut scene = scaled([1.0; 3], [1.0; 3]);
    let of = |scene: &Scene| {
        let made = Iqm::from_scene(scene, &options(Scales::Baked)).unwrap();
        let named = made.notes().any(|l| l.code == "material-named");
        (made.value.str(made.value.meshes[0].material).to_vec(), named)
    };
    assert_eq!(of(&scene), (b"m".to_vec(), true));
    scene.materials = vec![meshwright_scene::Material::named("")];
    scene.meshes[0].material = Some(meshwright_scene::MaterialId(0));
    assert_eq!(of(&scene), (Vec::new(), false));
}

/// The extras of a scene are written to the file; events of other games are not part of this format.
#[test]
fn the_comment_is_read_back() {
    use meshwright_scene::Extra;
    let mut model = fixture("tube.ok.iqm");
    model.comment = b"made by hand\0".to_vec();
    assert_eq!(convert_again(&model, Scales::Baked).comment, model.comment);
    let mut scene = model.to_scene(&SceneOptions::default()).unwrap().value;
    let group = Extra::Map(vec![("times".into(), Extra::List(vec![Extra::Map(Vec::new())]))]);
    let Some(clip) = scene.clips.first_mut() else { panic!("a clip") };
    clip.extras = Some(Extra::Map(vec![("events".into(), Extra::List(vec![group]))]));
    let made = Iqm::from_scene(&scene, &options(Scales::Baked)).unwrap().value;
    assert!(made.extensions.is_empty() && made.comment.is_empty());
}

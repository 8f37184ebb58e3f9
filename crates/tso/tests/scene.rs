//! Conversions: what is missing, what is odd, what is reported.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_possible_truncation, reason = "tests")]

use meshwright_core::{F32, f32s};
use meshwright_scene::{
    Affine, Channel, Clip, ConvertError, Extra, FromSceneOptions, Influence, Interpolation, Joint, Local,
    Loss, Material, MaterialId, Mesh as SceneMesh, MeshId, Motion as ClipMotion, Naming, Node, PoseSet,
    PoseSetId, Scene, SceneOptions, Skeleton, SkeletonId, Skin, Space, Track, Trs,
};
use meshwright_tso::{
    Anim, Assembly, Between, Binding, BlendVertex, Bmf, Bnd, Bone, Flag, Geometry, KEYS_UNUSED, Mesh,
    MeshForm, Motion, Name, Part, PropertyList, Q1_15, RealVertex, Skel, Skn, TimeProperty, Total,
    TsoSceneOptions, write_scene,
};

const HALF: Q1_15 = Q1_15::from_bits(0x4000);

fn real(position: [f32; 3], normal: [f32; 3]) -> RealVertex {
    RealVertex { uv: f32s([0.25, 0.75]), position: f32s(position), normal: f32s(normal) }
}

fn blend(weight: Q1_15, target: u32, position: [f32; 3]) -> BlendVertex {
    BlendVertex { weight, target, position: f32s(position), normal: f32s([0.0, 1.0, 0.0]) }
}

/// A triangle on ROOT, its first corner pulled by HAND and then by TAIL.
fn mesh() -> Mesh {
    let up = [0.0, 1.0, 0.0];
    let geometry = Geometry {
        bones: vec!["root".into(), "HAND".into(), "TAIL".into()],
        faces: vec![[0, 1, 2]],
        bindings: vec![
            Binding { bone: 0, real_count: 3, ..Binding::default() },
            Binding { bone: 1, first_blend: 0, blend_count: 1, first_real: 3, ..Binding::default() },
            Binding { bone: 2, first_blend: 1, blend_count: 1, first_real: 3, ..Binding::default() },
        ],
        real: vec![
            real([4.0, 0.0, 0.0], up),
            real([0.0, 0.0, 1.0], [0.0, 3.0, 0.0]),
            real([1.0, 0.0, 0.0], [0.0; 3]),
        ],
        blends: vec![blend(HALF, 0, [1.0, 0.0, 0.0]), blend(HALF, 0, [0.0, 0.0, 2.0])],
        total: Total::All,
    };
    Mesh { geometry, trailing: Vec::new() }
}

fn bone(name: &str, parent: &str, x: f32) -> Bone {
    Bone {
        name: name.into(),
        parent: parent.into(),
        translation: f32s([x, 0.0, 0.0]),
        rotation: f32s([0.0, 0.0, 0.0, 1.0]),
        ..Bone::default()
    }
}

fn skel() -> Skel {
    Skel { bones: vec![bone("Hand", "ROOT", 3.0), bone("ROOT", "NULL", 0.0)], ..Skel::default() }
}

fn motion(bone: &str, frames: u32) -> Motion {
    Motion {
        bone: bone.into(),
        frames,
        has_translation: Flag::YES,
        first_rotation: KEYS_UNUSED,
        ..Motion::default()
    }
}

fn anim() -> Anim {
    let keys = [0.0_f32, 3.0, 6.0].map(|y| f32s([3.0, y, 0.0]));
    Anim {
        name: "lift".into(),
        translations: keys.to_vec(),
        motions: vec![motion("HAND", 3), motion("WING", 2), motion("TAIL", 1)],
        ..Anim::default()
    }
}

fn codes(losses: &[Loss]) -> Vec<&'static str> {
    let mut codes: Vec<_> = losses.iter().map(|l| l.code).collect();
    codes.sort_unstable();
    codes
}

#[test]
fn blends_apply_in_order_and_missing_bones_stay_at_the_origin() {
    let converted = mesh().to_scene(&SceneOptions::in_space(Space::File), Some(&skel()), &[anim()]).unwrap();
    let scene = converted.value;
    scene.validate().unwrap();
    assert_eq!(codes(&converted.losses), ["bone-missing", "motion-ignored"]);
    let ignored = converted.losses.iter().find(|l| l.code == "motion-ignored").unwrap();
    assert!(
        ignored.message.starts_with("2 ") && ignored.message.contains("\"WING\" \"TAIL\""),
        "{ignored:?}"
    );
    let names: Vec<_> = scene.skeletons[0].joints.iter().map(|j| (j.name.as_str(), j.parent)).collect();
    assert_eq!(names, [("Hand", Some(1)), ("ROOT", None), ("TAIL", None)]);
    let drawn = &scene.meshes[0];
    // Half way to the hand, then half way from there to the tail.
    assert_eq!(drawn.positions[0], [2.0, 0.0, 1.0]);
    let skin = drawn.skin.as_ref().unwrap();
    let first: Vec<_> = skin.of(0).iter().map(|i| (i.joint, i.weight)).collect();
    assert_eq!(first, [(1, 0.25), (0, 0.25), (2, 0.5)], "the owner first, then blends in file order");
    assert_eq!(skin.local[0].position, [1.0, 0.0, 0.0]);
    assert_eq!(drawn.normals, [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0; 3]]);
    assert_eq!(skin.local[3].normal, [0.0, 1.0, 0.0], "of length 1 in the rest pose");
    let clip = &scene.clips[0];
    assert_eq!((clip.frames, clip.rate, clip.looping), (3, 30.0, false));
    let ClipMotion::Tracks(tracks) = &clip.motion else { panic!() };
    assert_eq!((tracks.len(), tracks[0].joint), (1, 0));
    assert_eq!(tracks[0].translation.values[2], [3.0, 6.0, 0.0]);
}

#[test]
fn gltf_space_is_mirrored_and_in_metres() {
    let converted = mesh().to_scene(&SceneOptions::default(), Some(&skel()), &[anim()]).unwrap();
    let scene = converted.value;
    assert_eq!(codes(&converted.losses), ["bone-missing", "motion-ignored", "normals-replaced"]);
    let drawn = &scene.meshes[0];
    assert_eq!(drawn.positions[1], [0.0, 0.0, 1.0 / 3.0]);
    assert_eq!(drawn.positions[2], [-1.0 / 3.0, 0.0, 0.0]);
    assert_eq!(drawn.triangles, [[2, 1, 0]]);
    assert_eq!(drawn.uvs[0], [0.25, 0.75]);
    assert_eq!(drawn.normals[2], [0.0, 1.0, 0.0]);
    let ClipMotion::Tracks(tracks) = &scene.clips[0].motion else { panic!() };
    assert_eq!(tracks[0].translation.values[1], [-1.0, 1.0, 0.0]);
    let Local::Trs(rest) = scene.skeletons[0].joints[0].rest else { panic!() };
    assert_eq!(rest.translation, [-1.0, 0.0, 0.0]);
    assert_eq!(scene.skeletons[0].joints[0].inverse_bind.w, [1.0, 0.0, 0.0]);
}

#[test]
fn without_a_skeleton_bones_are_named_and_clips_left_out() {
    let converted = mesh().to_scene(&SceneOptions::default(), None, &[anim()]).unwrap();
    let scene = converted.value;
    scene.validate().unwrap();
    assert_eq!(codes(&converted.losses), ["clip-without-skeleton", "normals-replaced", "skeleton-missing"]);
    let joints = &scene.skeletons[0].joints;
    assert_eq!(joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["root", "HAND", "TAIL"]);
    assert!(joints.iter().all(|j| j.rest == Local::default() && j.parent.is_none()));
    assert!(scene.clips.is_empty());
    // On one bone nothing is missing.
    let mut single = mesh();
    single.geometry.blends.clear();
    single.geometry.bindings.truncate(1);
    single.geometry.real[2].normal = f32s([1.0, 0.0, 0.0]);
    assert!(single.to_scene(&SceneOptions::default(), None, &[]).unwrap().losses.is_empty());
    // Nor is a mesh of nothing a failure.
    let empty = Mesh::default().to_scene(&SceneOptions::default(), None, &[]).unwrap().value;
    assert!(empty.validate().is_ok() && empty.skeletons.is_empty() && empty.meshes[0].skin.is_none());
}

#[test]
fn several_meshes_share_joints_and_materials() {
    let (a, b) = (mesh(), mesh());
    let mut other = mesh();
    other.geometry.bones[2] = "HEAD".into();
    let assembly = Assembly::new("all")
        .with_part(Part::new("a", &a.geometry).with_material("x.png"))
        .with_part(Part::new("b", &b.geometry).with_material("x.png"))
        .with_part(Part::new("c", &other.geometry).with_material("y.png"));
    let scene = assembly.to_scene(&SceneOptions::default()).unwrap().value;
    scene.validate().unwrap();
    assert_eq!((scene.meshes.len(), scene.nodes.len(), scene.materials.len()), (3, 3, 2));
    assert_eq!(scene.skeletons[0].joints.len(), 4);
    assert_eq!(scene.meshes[1].material, scene.meshes[0].material);
    assert_ne!(scene.meshes[2].material, scene.meshes[0].material);
}

#[test]
fn a_skeleton_that_does_not_fit_is_reported() {
    let mut mesh = mesh();
    mesh.geometry.bones.truncate(2);
    mesh.geometry.bindings.truncate(2);
    mesh.geometry.blends.truncate(1);
    mesh.geometry.real[2].normal = f32s([1.0, 0.0, 0.0]);
    let skel = skel();
    // The blend vertex lies where the real one does.
    assert!(mesh.to_scene(&SceneOptions::default(), Some(&skel), &[]).unwrap().losses.is_empty());
    mesh.geometry.blends[0].position = f32s([1.0, 0.5, 0.0]);
    let losses = mesh.to_scene(&SceneOptions::default(), Some(&skel), &[]).unwrap().losses;
    assert_eq!((losses[0].code, losses[0].amount), ("blend-residual", Some(0.5)));
    assert!(losses[0].message.starts_with("the skeleton does not fit"), "{}", losses[0].message);
}

#[test]
fn broken_rules_are_made_do_with_and_reported() {
    let mut m = mesh();
    m.geometry.bindings[2].bone = 7;
    m.geometry.faces.push([0, 1, 3]);
    m.geometry.blends[0].weight = Q1_15::from_bits(0x9000);
    m.geometry.blends[1].target = 99;
    m.geometry.real[1].position[0] = F32::new(f32::NAN);
    m.geometry.bindings[0].real_count = 2;
    let converted = m.to_scene(&SceneOptions::in_space(Space::File), None, &[]).unwrap();
    converted.value.validate().unwrap();
    let wanted = [
        "blend-skipped",
        "bone-index-clamped",
        "face-dropped",
        "not-finite",
        "skeleton-missing",
        "vertices-unbound",
        "weight-clamped",
    ];
    assert_eq!(codes(&converted.losses), wanted);
    let drawn = &converted.value.meshes[0];
    assert_eq!(drawn.triangles.len(), 1);
    assert_eq!(drawn.positions[0], [1.0, 0.0, 0.0], "a weight above 1 is 1");
}

#[test]
fn normals_are_computed_on_request_only() {
    let mesh = mesh();
    let build = |recompute| {
        let assembly = Assembly::new("x").with_part(Part::new("x", &mesh.geometry));
        assembly.with_recomputed_normals(recompute).to_scene(&SceneOptions::in_space(Space::File)).unwrap()
    };
    assert!(!codes(&build(false).losses).contains(&"normals-recomputed"));
    let converted = build(true);
    assert!(codes(&converted.losses).contains(&"normals-recomputed"));
    let drawn = &converted.value.meshes[0];
    let [a, b, c] = [0, 1, 2].map(|v| drawn.positions[v].map(f64::from));
    let (u, v) = ([0, 1, 2].map(|i| b[i] - a[i]), [0, 1, 2].map(|i| c[i] - a[i]));
    let cross = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    let skin = drawn.skin.as_ref().unwrap();
    for (i, n) in drawn.normals.iter().enumerate() {
        let along = (0..3).map(|k| cross[k] * f64::from(n[k])).sum::<f64>();
        assert!((along - cross.iter().map(|c| c * c).sum::<f64>().sqrt()).abs() < 1e-5);
        let sum =
            skin.range(i).fold([0.0; 3], |s: [f32; 3], k| [0, 1, 2].map(|c| s[c] + skin.local[k].normal[c]));
        assert!((0..3).all(|c| (sum[c] - n[c]).abs() < 1e-6), "joints see the new normal");
    }
}

#[test]
fn memory_is_limited() {
    let options = SceneOptions::default().with_memory(2000);
    let e = mesh().to_scene(&options, Some(&skel()), &[anim()]).unwrap_err();
    assert!(matches!(e, ConvertError::Limit { .. }), "{e}");
    // Many motions that share one run of keys are not many copies of it.
    let mut anim = anim();
    anim.translations = vec![f32s([0.0; 3]); 100_000];
    anim.motions = vec![motion("HAND", 100_000); 10_000];
    let scene = skel().to_scene(&SceneOptions::default(), &[anim]).unwrap().value;
    let ClipMotion::Tracks(tracks) = &scene.clips[0].motion else { panic!() };
    assert_eq!(tracks.len(), 1);
}

fn event(time: u32, value: &str) -> TimeProperty {
    TimeProperty { time, lists: vec![PropertyList(vec![("xevt".into(), value.into())])] }
}

#[test]
fn events_go_there_and_back() {
    let mut anim = anim();
    anim.motions = vec![motion("HAND", 3), motion("ROOT", 3)];
    for (per_bone, bones_named) in [(false, false), (true, true)] {
        for (i, m) in anim.motions.iter_mut().enumerate() {
            m.has_time_properties = Flag::YES;
            let own = if per_bone && i == 1 { "own" } else { "1" };
            m.time_properties = vec![vec![event(33, own), event(66, "é")]];
        }
        let scene = anim.to_scene(&SceneOptions::default(), &skel()).unwrap().value;
        let Some(Extra::Map(extras)) = &scene.clips[0].extras else { panic!("events are kept always") };
        assert_eq!(extras.len(), 1);
        let Extra::List(groups) = &extras[0].1 else { panic!() };
        let Extra::Map(group) = &groups[0] else { panic!() };
        assert_eq!(group.iter().any(|(k, _)| k == "bones"), bones_named);
        let back = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap();
        assert!(back.losses.is_empty(), "{:?}", back.losses);
        let events = |a: &Anim| {
            let mut events: Vec<_> = a
                .motions
                .iter()
                .map(|m| (m.bone.bytes().to_ascii_uppercase(), m.events().cloned().collect::<Vec<_>>()))
                .collect();
            events.sort();
            events
        };
        assert_eq!(events(&back.value), events(&anim));
    }
}

#[test]
fn a_key_may_stand_twice_in_a_list() {
    let mut anim = anim();
    anim.motions = vec![motion("HAND", 3)];
    anim.motions[0].has_time_properties = Flag::YES;
    let twice = PropertyList(vec![("xevt".into(), "1".into()), ("xevt".into(), "2".into())]);
    let event = TimeProperty { time: 33, lists: vec![twice, PropertyList::default()] };
    anim.motions[0].time_properties = vec![vec![event]];
    let scene = anim.to_scene(&SceneOptions::default(), &skel()).unwrap().value;
    fn keys_differ(extra: &Extra) -> bool {
        match extra {
            Extra::Map(map) => {
                let mut keys: Vec<_> = map.iter().map(|(k, _)| k).collect();
                keys.sort();
                keys.windows(2).all(|w| w[0] != w[1]) && map.iter().all(|(_, v)| keys_differ(v))
            }
            Extra::List(list) => list.iter().all(keys_differ),
            _ => true,
        }
    }
    assert!(keys_differ(scene.clips[0].extras.as_ref().unwrap()), "JSON would keep one of them");
    let back = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert!(back.losses.is_empty(), "{:?}", back.losses);
    assert_eq!(back.value.motions[0].time_properties, anim.motions[0].time_properties);
}

#[test]
fn events_of_bones_that_do_not_move_are_reported() {
    let mut anim = anim();
    anim.motions = vec![motion("HAND", 3), motion("ROOT", 3), motion("WING", 3)];
    for m in &mut anim.motions {
        m.has_time_properties = Flag::YES;
        m.time_properties = vec![vec![event(33, "1"), event(66, "2")]];
    }
    anim.motions[1].time_properties.clear();
    let scene = anim.to_scene(&SceneOptions::default(), &skel()).unwrap().value;
    let back = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    let lost: Vec<_> = back.losses.iter().map(|l| (l.code, l.count)).collect();
    assert_eq!(lost, [("event-dropped", 2)]);
}

fn skinned(parts: &[(u32, f32)]) -> Scene {
    let mut skin = Skin::new(SkeletonId(0));
    for _ in 0..3 {
        skin.influences.extend(parts.iter().map(|&(joint, weight)| Influence { joint, weight }));
        skin.end_vertex();
    }
    let positions = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = SceneMesh::new("", positions, vec![[0, 1, 2]]).with_skin(skin);
    let joint = |i: usize| Joint::new(format!("b{i}"), None, Local::default());
    let skeleton = Skeleton { name: "s".into(), joints: (0..4).map(joint).collect() };
    let nodes = vec![Node::of_mesh("n", MeshId(0))];
    Scene::default().with_nodes(nodes).with_meshes(vec![mesh]).with_skeletons(vec![skeleton])
}

#[test]
fn the_two_largest_weights_are_kept() {
    let export =
        |parts: &[(u32, f32)]| Mesh::from_scene(&skinned(parts), &FromSceneOptions::default()).unwrap();
    let converted = export(&[(0, 0.1), (1, 0.5), (2, 0.2), (1, 0.1), (3, 0.1)]);
    assert_eq!(codes(&converted.losses), ["influences-dropped", "normals-computed", "uvs-missing"]);
    let lost = converted.losses.iter().find(|l| l.code == "influences-dropped").unwrap();
    // Joints 0 and 3 go, with a fifth of the weight.
    assert!((lost.amount.unwrap() - 0.2).abs() < 1e-6 && lost.count == 3, "{lost:?}");
    let g = &converted.value.geometry;
    assert_eq!(g.bones, [Name::from("b1"), Name::from("b2")]);
    let wanted = [
        Binding { bone: 0, first_real: 0, real_count: 3, first_blend: u32::MAX, blend_count: 0 },
        Binding { bone: 1, first_real: 3, real_count: 0, first_blend: 0, blend_count: 3 },
    ];
    assert_eq!(g.bindings, wanted);
    // 0.2 of 0.8 of 32768.
    assert!(g.blends.iter().all(|b| b.weight == Q1_15::from_bits(0x2000)));
    assert_eq!(g.faces, [[2, 1, 0]]);
    assert!(!converted.value.validate().has_errors());
    // Of equal weights the lower joint owns the vertex.
    let g = export(&[(3, 0.5), (2, 0.5)]).value.geometry;
    assert_eq!((g.bones[0].clone(), g.bindings[0].real_count), ("b2".into(), 3));
    // A weight is rounded, not cut; one that rounds to nothing is no blend.
    let weight =
        |w: f32| export(&[(0, 1.0 - w), (1, w)]).value.geometry.blends.first().map(|b| b.weight.to_bits());
    assert_eq!(weight(2.75 / 32768.0), Some(3));
    assert_eq!(weight(0.25 / 32768.0), None);
}

#[test]
fn a_mesh_without_skin_hangs_on_the_root() {
    let mut scene = skinned(&[]);
    scene.meshes[0].skin = None;
    scene.meshes[0].material = Some(MaterialId(0));
    scene.materials.push(Material::default());
    scene.nodes[0].local = Local::Trs(Trs { translation: [0.0, 0.0, 2.0], ..Trs::IDENTITY });
    let skel = Skel { bones: vec![bone("ROOT", "NULL", 3.0)], ..Skel::default() };
    let converted = Mesh::from_scene(&scene, &FromSceneOptions::of(TsoSceneOptions::made_for(skel))).unwrap();
    assert_eq!(
        codes(&converted.losses),
        ["materials-dropped", "nodes-applied", "normals-computed", "unskinned", "uvs-missing"]
    );
    let g = converted.value.geometry;
    assert_eq!(g.bones, [Name::from("ROOT")]);
    let first = g.real[0].position.map(F32::get);
    assert!((0..3).all(|c| (first[c] - [-3.0, 0.0, 6.0][c]).abs() < 1e-5), "{first:?}");
}

#[test]
fn other_rates_are_resampled() {
    let mut scene = skinned(&[(0, 1.0)]);
    let half = core::f32::consts::FRAC_1_SQRT_2;
    let rotation =
        Channel { frames: vec![0.0, 1.0], values: vec![[0.0, 0.0, 0.0, 1.0], [half, 0.0, 0.0, half]] };
    scene.clips.push(
        Clip::new(
            "turn",
            SkeletonId(0),
            15.0,
            ClipMotion::Tracks(vec![Track { joint: 1, rotation, ..Track::default() }]),
        )
        .with_frames(2, false)
        .with_interpolation(Interpolation::Spherical),
    );
    let converted = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert_eq!(codes(&converted.losses), ["resampled"]);
    let anim = converted.value;
    assert_eq!((anim.frames(), anim.motions.len(), anim.translations.len()), (3, 1, 0));
    let middle = anim.rotations[1].map(F32::get);
    assert!((middle[0] + (core::f32::consts::PI / 8.0).sin()).abs() < 1e-6, "{middle:?}");
    assert!(!anim.validate().has_errors());

    scene.clips[0].rate = 1e-30;
    assert!(matches!(
        Anim::from_scene(&scene, &FromSceneOptions::default()),
        Err(ConvertError::Unsupported { .. })
    ));
}

#[test]
fn a_clip_that_loops_closes() {
    let mut scene = skinned(&[(0, 1.0)]);
    let translation = Channel {
        frames: vec![1.0, 2.0, 3.0],
        values: vec![[3.0, 0.0, 0.0], [6.0, 0.0, 0.0], [9.0, 0.0, 0.0]],
    };
    scene.clips.push(
        Clip::new(
            "walk",
            SkeletonId(0),
            15.0,
            ClipMotion::Tracks(vec![Track { joint: 1, translation, ..Track::default() }]),
        )
        .with_frames(4, true)
        .with_interpolation(Interpolation::Spherical),
    );
    let anim = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    let x: Vec<_> = anim.translations.iter().map(|k| k[0].get() / -3.0).collect();
    // Between its last and its first key the clip goes back, and it ends where it began.
    assert_eq!(x, [6.0, 4.5, 3.0, 4.5, 6.0, 7.5, 9.0, 7.5, 6.0]);
    // A frame that falls behind the end is the first.
    scene.clips[0].rate = 25.0;
    let anim = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert_eq!((anim.frames(), anim.translations[5][0].get()), (6, -18.0));
}

#[test]
fn scales_of_poses_are_reported() {
    let mut scene = skinned(&[(0, 1.0)]);
    let mut locals = vec![Affine::IDENTITY; 8];
    locals[5].y = [0.0, 2.0, 0.0];
    locals[6].x = [1.0, 0.5, 0.0];
    scene.pose_sets.push(PoseSet { joints: 4, locals });
    scene.clips.push(
        Clip::new(
            "\u{e9}".repeat(70_000),
            SkeletonId(0),
            30.0,
            ClipMotion::Poses { set: PoseSetId(0), frames: vec![0, 1] },
        )
        .with_frames(2, false)
        .with_interpolation(Interpolation::Matrix),
    );
    let converted = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert_eq!(codes(&converted.losses), ["name-cut", "scale-dropped"]);
    assert_eq!(converted.losses.iter().find(|l| l.code == "scale-dropped").unwrap().count, 2);
    assert!(Anim::parse(&converted.value.to_bytes().unwrap()).is_ok());
}

#[test]
fn what_a_skeleton_cannot_hold_is_reported_or_refused() {
    let mut scene = skinned(&[(0, 1.0)]);
    scene.skeletons[0].joints[1].rest = Local::Trs(Trs { scale: [2.0, 1.0, 1.0], ..Trs::IDENTITY });
    scene.skeletons[0].joints[2].rest = Local::Affine(Affine { y: [0.5, 1.0, 0.0], ..Affine::IDENTITY });
    scene.skeletons[0].joints[3].name = "z\u{4e00}".repeat(200);
    let converted = Skel::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert_eq!(codes(&converted.losses), ["joint-scale", "name-changed", "name-cut"]);
    assert_eq!(converted.losses.iter().find(|l| l.code == "joint-scale").unwrap().count, 2);
    assert!(Skel::parse(&converted.value.to_bytes().unwrap()).is_ok());
    // Files find bones by name.
    scene.skeletons[0].joints[1].name = "b0".into();
    let converted = Skel::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert!(codes(&converted.losses).contains(&"name-renamed"));
    assert_eq!(converted.value.bones[1].name, "b0_2");
    let strict = FromSceneOptions::default().with_names(Naming::Refuse);
    assert!(matches!(Skel::from_scene(&scene, &strict), Err(ConvertError::Unsupported { .. })));
    let missing = FromSceneOptions::of(TsoSceneOptions::default().with_skeleton(9).with_clip(9));
    assert!(Skel::from_scene(&scene, &missing).is_err() && Anim::from_scene(&scene, &missing).is_err());
}

#[test]
fn successive_keys_take_the_short_way() {
    let keys = [[0.0, 0.0, 0.6, 0.8], [0.0, 0.0, -0.6, -0.8], [0.0, 0.0, 0.28, 0.96]];
    let anim = Anim {
        rotations: keys.iter().map(|k| f32s(*k)).collect(),
        motions: vec![Motion {
            has_translation: Flag::NO,
            has_rotation: Flag::YES,
            first_rotation: 0,
            ..motion("ROOT", 3)
        }],
        ..Anim::default()
    };
    let rotations = |space| {
        let scene = anim.to_scene(&SceneOptions::in_space(space), &skel()).unwrap().value;
        let ClipMotion::Tracks(tracks) = &scene.clips[0].motion else { panic!() };
        tracks[0].rotation.values.clone()
    };
    for pair in rotations(Space::Gltf).windows(2) {
        assert!(pair[0].iter().zip(pair[1]).map(|(a, b)| a * b).sum::<f32>() > 0.0);
    }
    // In the file's space they keep their signs, conjugated.
    assert_eq!(rotations(Space::File)[1], [0.0, 0.0, 0.6, -0.8]);
}

#[test]
fn computed_normals_keep_edges_and_bridge_seams() {
    // Two faces at a right angle over one edge, its corners stored once per face.
    let fold = |left: [f32; 3], right: [f32; 3]| {
        let corners = [
            ([0.0, 0.0, 0.0], left),
            ([0.0, 0.0, 1.0], left),
            ([1.0, 0.0, 0.0], left),
            ([0.0, 0.0, 0.0], right),
            ([0.0, 0.0, 1.0], right),
            ([0.0, 1.0, 0.0], right),
        ];
        let geometry = Geometry {
            bones: vec!["ROOT".into()],
            faces: vec![[0, 1, 2], [3, 5, 4]],
            bindings: vec![Binding { real_count: 6, ..Binding::default() }],
            real: corners.iter().map(|(p, n)| real(*p, *n)).collect(),
            ..Geometry::default()
        };
        let assembly = Assembly::new("x").with_part(Part::new("x", &geometry)).with_recomputed_normals(true);
        assembly.to_scene(&SceneOptions::in_space(Space::File)).unwrap().value.meshes[0].normals.clone()
    };
    let edge = fold([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
    assert_eq!((edge[0], edge[3]), ([0.0, 1.0, 0.0], [1.0, 0.0, 0.0]));
    let seam = fold([0.0, 3.0, 0.0], [0.0, 3.0, 0.0]);
    assert_eq!(seam[0], seam[3]);
    assert!((seam[0][0] - core::f32::consts::FRAC_1_SQRT_2).abs() < 1e-6);
}

#[test]
fn a_skeleton_without_joints_counts_as_none() {
    let mut scene = skinned(&[]);
    scene.skeletons[0].joints.clear();
    let skin = scene.meshes[0].skin.as_mut().unwrap();
    skin.starts.fill(0);
    skin.influences.clear();
    skin.local.clear();
    assert_eq!(scene.validate(), Ok(()));
    let converted = Mesh::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert!(codes(&converted.losses).contains(&"unskinned"));
    assert_eq!(converted.value.geometry.bones, [Name::from("ROOT")]);
    assert!(Mesh::parse(&converted.value.to_bytes().unwrap()).is_ok());
}

#[test]
fn what_lies_beyond_the_numbers_of_a_bone_is_reported() {
    let mut scene = skinned(&[(0, 0.5), (1, 0.5)]);
    scene.meshes[0].positions[1] = [3.0e38, 0.0, 0.0];
    // Bones away from the origin, so that the space of one is farther away still.
    for joint in &mut scene.skeletons[0].joints {
        joint.inverse_bind = Affine { w: [3.0e38, 0.0, 0.0], ..Affine::IDENTITY };
        joint.rest = Local::Trs(Trs { translation: [3.0e38, 0.0, 0.0], ..Trs::IDENTITY });
    }
    let track = Track {
        joint: 1,
        translation: Channel { frames: vec![0.0], values: vec![[3.0e38; 3]] },
        ..Track::default()
    };
    scene.clips.push(
        Clip::new("away", SkeletonId(0), 30.0, ClipMotion::Tracks(vec![track]))
            .with_frames(1, false)
            .with_interpolation(Interpolation::Spherical),
    );
    assert_eq!(scene.validate(), Ok(()));
    let made = Mesh::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert!(codes(&made.losses).contains(&"not-finite"), "{:?}", made.losses);
    assert!(Mesh::parse(&made.value.to_bytes().unwrap()).is_ok());
    let made = Skel::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert!(codes(&made.losses).contains(&"not-finite"), "{:?}", made.losses);
    assert!(Skel::parse(&made.value.to_bytes().unwrap()).is_ok());
    let made = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert!(codes(&made.losses).contains(&"not-finite"), "{:?}", made.losses);
    assert!(Anim::parse(&made.value.to_bytes().unwrap()).is_ok());
}

#[test]
fn meshes_of_the_sims_1_come_back() {
    let mut bmf = Bmf::new("body", "skin", mesh().geometry);
    // One pull per vertex, and normals that need no repair.
    bmf.geometry.bones.truncate(2);
    bmf.geometry.bindings.truncate(2);
    bmf.geometry.blends.truncate(1);
    bmf.geometry.real.iter_mut().for_each(|v| v.normal = f32s([0.0, 1.0, 0.0]));
    bmf.geometry.bindings[0].first_blend = u32::MAX;
    let skn = Skn::from(bmf.clone());
    for space in [Space::Gltf, Space::File] {
        let options = SceneOptions::in_space(space);
        let scene = bmf.to_scene(&options, Some(&skel()), &[]).unwrap().value;
        let back = Bmf::from_scene(&scene, &FromSceneOptions::default()).unwrap();
        assert!(back.losses.is_empty(), "{:?}", back.losses);
        assert_eq!(back.value.texture, "skin");
        assert_eq!(back.value.geometry.blends.len(), 1);
        Bmf::parse(&back.value.to_bytes().unwrap()).unwrap();
        let again = Skn::from_scene(
            &skn.to_scene(&options, Some(&skel()), &[]).unwrap().value,
            &FromSceneOptions::default(),
        );
        assert_eq!(again.unwrap().value, Skn::from(back.value));
    }
}

#[test]
fn names_fit_lines() {
    let mut scene = skinned(&[(0, 0.5), (1, 0.5)]);
    scene.name = " two\nlines ".into();
    scene.skeletons[0].joints[0].name = format!("{} tail", "x".repeat(254));
    scene.skeletons[0].joints[1].name = " b ".into();
    let skn = Skn::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert_eq!(skn.skin, "two?lines");
    assert_eq!(skn.geometry.bones[1], "b");
    assert_eq!(Skn::parse(&skn.to_bytes().unwrap()).unwrap(), skn);
}

#[test]
fn a_figure_becomes_files() {
    let (a, b, skel, mut anim) = (mesh(), mesh(), skel(), anim());
    anim.motions.truncate(1);
    let name = "body.c02bdebf00000009";
    let scene = Assembly::new("figure")
        .with_part(Part::new(name, &a.geometry).with_material("00c0ffee00000014"))
        .with_part(Part::new("a/b", &b.geometry).with_material("x.png"))
        .with_skeleton(&skel)
        .with_animations([&anim, &anim])
        .to_scene(&SceneOptions::default())
        .unwrap()
        .value;
    let converted = write_scene(&scene, "figure", &FromSceneOptions::default()).unwrap();
    let files = &converted.value;
    let names: Vec<_> = files.iter().map(|f| f.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "figure.mesh",
            "figure.bnd",
            "figure-a_b.mesh",
            "figure.skel",
            "figure-lift.anim",
            "figure-lift_2.anim",
        ]
    );
    let bnd = Bnd::parse(files.get("figure.bnd").unwrap()).unwrap();
    assert_eq!(
        (bnd.mesh.unwrap().tag(), bnd.texture.unwrap().tag()),
        (name[5..].into(), "00c0ffee00000014".into())
    );
    assert_eq!(bnd.bone, "ROOT");
    let lost: Vec<_> = converted.losses.iter().map(|l| (l.code, l.count)).collect();
    assert!(lost.contains(&("materials-dropped", 1)), "{lost:?}");
    // What was written is one figure again.
    let skel = Skel::parse(files.get("figure.skel").unwrap()).unwrap();
    let mesh = Mesh::parse(files.get("figure.mesh").unwrap()).unwrap();
    let anim = Anim::parse(files.get("figure-lift.anim").unwrap()).unwrap();
    let again = mesh.to_scene(&SceneOptions::default(), Some(&skel), &[anim]).unwrap().value;
    let close = |a: &[f32; 3], b: &[f32; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-5);
    let corner = |s: &Scene, c: usize| s.meshes[0].positions[s.meshes[0].triangles[0][c] as usize];
    assert!((0..3).all(|c| close(&corner(&again, c), &corner(&scene, c))));
    assert_eq!(again.clips[0].frames, scene.clips[0].frames);

    let text = FromSceneOptions::of(TsoSceneOptions::made_for(skel).with_meshes(MeshForm::Skn));
    let files = write_scene(&scene, "figure", &text).unwrap().value;
    assert_eq!(files.main().unwrap().name, "figure.skn");
    assert!(files.get("figure.skel").is_none() && files.get("figure.bnd").is_none());
    assert_eq!(Skn::parse(&files.main().unwrap().bytes).unwrap().skin, name);

    let few = FromSceneOptions::default().with_memory(3000);
    assert!(matches!(write_scene(&scene, "figure", &few), Err(ConvertError::Limit(_))));
    assert!(write_scene(&Scene::default(), "x", &FromSceneOptions::default()).is_err());
    // A mesh without a skeleton needs no file that says nothing.
    let scene = a.to_scene(&SceneOptions::default(), None, &[]).unwrap().value;
    assert_eq!(write_scene(&scene, "x", &FromSceneOptions::default()).unwrap().value.len(), 1);
}

#[test]
fn scaled_joints_keep_what_hangs_from_them_in_place() {
    let mut scene = skinned(&[(1, 1.0)]);
    let joints = &mut scene.skeletons[0].joints;
    joints[0].rest = Local::Trs(Trs { scale: [2.0; 3], ..Trs::IDENTITY });
    joints[1].parent = Some(0);
    joints[1].rest = Local::Trs(Trs { translation: [1.0, 0.0, 0.0], ..Trs::IDENTITY });
    scene.skeletons[0].bind_rest().unwrap();
    scene.clips.push(Clip::new(
        "move",
        SkeletonId(0),
        30.0,
        ClipMotion::Tracks(vec![Track {
            joint: 1,
            translation: Channel { frames: vec![0.0], values: vec![[0.0, 3.0, 0.0]] },
            ..Track::default()
        }]),
    ));
    let options = FromSceneOptions::default();
    let skel = Skel::from_scene(&scene, &options).unwrap().value;
    assert_eq!(skel.world(&skel.rest())[1].w, [-6.0, 0.0, 0.0]);
    let mesh = Mesh::from_scene(&scene, &options).unwrap().value;
    let pose = |anim: Option<&Anim>| {
        let pose = anim.map_or_else(|| skel.rest(), |a| a.pose(&skel, 0.0, Between::Slerp));
        mesh.geometry.pose(&skel.matrices_for(&mesh.geometry.bones, &skel.world(&pose))).positions
    };
    let close = |a: [f32; 3], b: [f32; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-5);
    assert!(close(pose(None)[1], [-3.0, 0.0, 0.0]), "{:?}", pose(None));
    let anim = Anim::from_scene(&scene, &options).unwrap().value;
    assert!(close(pose(Some(&anim))[1], [3.0, 18.0, 0.0]), "{:?}", pose(Some(&anim)));
}

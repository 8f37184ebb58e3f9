//! Files converted from scenes: the values after a round trip, and the losses.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_possible_truncation, reason = "tests")]

use crate::support::*;
use meshwright_core::{F32, f32s};
use meshwright_scene::{
    Affine, Channel, Clip, ConvertError, Extra, FromSceneOptions, Influence, Interpolation, Joint, Local,
    Material, MaterialId, Mesh as SceneMesh, MeshId, Motion as ClipMotion, Naming, Node, PoseSet, PoseSetId,
    Scene, SceneOptions, Skeleton, SkeletonId, Skin, Space, Track, Trs,
};
use meshwright_tso::{
    Anim, Assembly, Between, Binding, Bmf, Bnd, Bone, Flag, Mesh, MeshForm, Motion, Name, Part, PropertyList,
    Q1_15, Skel, Skn, TimeProperty, TsoSceneOptions, write_scene,
};

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
    // If weights are equal, the lower joint owns the vertex.
    let g = export(&[(3, 0.5), (2, 0.5)]).value.geometry;
    assert_eq!((g.bones[0].clone(), g.bindings[0].real_count), ("b2".into(), 3));
    // The writer rounds a weight, it does not truncate it. A weight that rounds to 0 gives no blend.
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
    let converted =
        Mesh::from_scene(&scene, &FromSceneOptions::for_format(TsoSceneOptions::made_for(skel))).unwrap();
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
        .with_frames(2)
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
        .with_frames(4)
        .with_looping(true)
        .with_interpolation(Interpolation::Spherical),
    );
    let anim = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    let x: Vec<_> = anim.translations.iter().map(|k| k[0].get() / -3.0).collect();
    // Between its last and its first key the clip goes back, and it ends where it began.
    assert_eq!(x, [6.0, 4.5, 3.0, 4.5, 6.0, 7.5, 9.0, 7.5, 6.0]);
    // A frame after the end is the first one.
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
        .with_frames(2)
        .with_interpolation(Interpolation::Matrix),
    );
    let converted = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    assert_eq!(codes(&converted.losses), ["name-cut", "scale-dropped"]);
    assert_eq!(converted.losses.iter().find(|l| l.code == "scale-dropped").unwrap().count, 2);
    assert!(Anim::parse(&converted.value.to_bytes().unwrap()).is_ok());
}

#[test]
fn scales_of_blended_matrices_are_reported() {
    let mut scene = skinned(&[(0, 1.0)]);
    let mut track = Track { joint: 1, ..Track::default() };
    track.rotation.push(0.0, [0.0, 0.0, 0.0, 1.0]);
    // A third of a turn.
    track.rotation.push(2.0, [0.0, 0.0, 0.75_f32.sqrt(), 0.5]);
    scene.clips.push(Clip::new("turn", SkeletonId(0), 30.0, ClipMotion::Tracks(vec![track])).with_frames(3));
    for (interpolation, lost) in [(Interpolation::Matrix, true), (Interpolation::Spherical, false)] {
        scene.clips[0].interpolation = interpolation;
        let losses = Anim::from_scene(&scene, &FromSceneOptions::default()).unwrap().losses;
        let loss = losses.iter().find(|l| l.code == "scale-dropped");
        assert_eq!(loss.is_some_and(|l| !l.is_note()), lost, "{losses:?}");
    }
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
    let missing = FromSceneOptions::for_format(TsoSceneOptions::default().with_skeleton(9).with_clip(9));
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
            .with_frames(1)
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

/// mixiate's add-ons expect more than the format asks for: a bone after its parent, 1 before each bone, vertices in the order of
/// their bindings, blends in the same order, no second binding of a bone, bones within the list, nothing after the end.
#[test]
fn files_fit_readers_that_expect_an_order() {
    let mut scene = skinned(&[]);
    let mut skin = Skin::new(SkeletonId(0));
    for parts in [[(3, 0.6), (1, 0.4)], [(1, 0.7), (0, 0.3)], [(0, 0.8), (3, 0.2)]] {
        skin.influences.extend(parts.map(|(joint, weight)| Influence { joint, weight }));
        skin.end_vertex();
    }
    let mesh = scene.meshes.remove(0);
    scene.meshes.push(mesh.with_skin(skin));
    for (i, joint) in scene.skeletons[0].joints.iter_mut().enumerate() {
        joint.parent = Some(i + 1).filter(|parent| *parent < 4);
    }
    let skel = Skel::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    for (i, bone) in skel.bones.iter().enumerate() {
        let before = skel.bones[..i].iter().map(|b| &b.name);
        assert!(
            bone.parent_name().is_none_or(|parent| before.clone().any(|name| name == parent)),
            "{bone:?}"
        );
        assert_eq!(bone.unknown, 1);
    }
    let mesh = Mesh::from_scene(&scene, &FromSceneOptions::default()).unwrap().value.geometry;
    let (mut real, mut blends) = (0, 0);
    for (i, binding) in mesh.bindings.iter().enumerate() {
        assert_eq!(binding.bone as usize, i);
        assert_eq!((binding.first_real, binding.real_count > 0 || binding.blend_count > 0), (real, true));
        assert!(binding.blend_count == 0 || binding.first_blend == blends, "{binding:?}");
        real += binding.real_count;
        blends += binding.blend_count;
    }
    assert_eq!((mesh.bones.len(), mesh.real.len(), mesh.blends.len()), (3, 3, 3));
    assert_eq!((mesh.bindings.len(), real, blends), (3, 3, 3));
    let files = write_scene(&scene, "x", &FromSceneOptions::default()).unwrap().value;
    let bytes = files.get("x.mesh").unwrap();
    // Its version, and the last value of the last blend as its end.
    assert_eq!(bytes[..4], 2_u32.to_be_bytes());
    assert_eq!(bytes[bytes.len() - 4..], mesh.blends[2].normal[2].get().to_le_bytes());
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
    assert!(lost.contains(&("no-binding", 1)), "{lost:?}");
    // The written files form one character again.
    let skel = Skel::parse(files.get("figure.skel").unwrap()).unwrap();
    let mesh = Mesh::parse(files.get("figure.mesh").unwrap()).unwrap();
    let anim = Anim::parse(files.get("figure-lift.anim").unwrap()).unwrap();
    let again = mesh.to_scene(&SceneOptions::default(), Some(&skel), &[anim]).unwrap().value;
    let close = |a: &[f32; 3], b: &[f32; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-5);
    let corner = |s: &Scene, c: usize| s.meshes[0].positions[s.meshes[0].triangles[0][c] as usize];
    assert!((0..3).all(|c| close(&corner(&again, c), &corner(&scene, c))));
    assert_eq!(again.clips[0].frames, scene.clips[0].frames);

    let text = FromSceneOptions::for_format(TsoSceneOptions::made_for(skel).with_meshes(MeshForm::Skn));
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

#[test]
fn skeletons_become_one_with_one_root() {
    let walking = |names: [&str; 2], parents: [Option<usize>; 2]| {
        let joint = |(name, parent): (&str, _)| Joint::new(name, parent, Local::default());
        Skeleton { joints: names.into_iter().zip(parents).map(joint).collect(), ..Skeleton::default() }
    };
    let walk = |skeleton| {
        let mut track = Track { joint: 1, ..Track::default() };
        track.translation.push(0.0, [0.0, 1.0, 0.0]);
        track.translation.push(1.0, [0.0, 2.0, 0.0]);
        Clip::new("walk", SkeletonId(skeleton), 30.0, ClipMotion::Tracks(vec![track]))
    };
    let mut scene = Scene::new("figures").with_format("foreign");
    scene.skeletons.push(walking(["hip", "knee"], [None, Some(0)]));
    // The same character in another skin, and something else.
    scene.skeletons.push(walking(["HIP", "knee"], [None, Some(0)]));
    scene.skeletons.push(walking(["lid", "hinge"], [None, None]));
    scene.clips.extend((0..3).map(walk));
    let made = write_scene(&scene, "figure", &FromSceneOptions::default()).unwrap();
    let of = |extension: &'static str| made.value.iter().filter(move |f| f.name.ends_with(extension));
    assert_eq!((of(".skel").count(), of(".anim").count()), (1, 1));
    let skel = Skel::parse(&of(".skel").next().unwrap().bytes).unwrap();
    let names: Vec<_> = skel.bones.iter().map(|b| b.name.text()).collect();
    assert_eq!(names, ["ROOT", "hip", "knee", "lid", "hinge"]);
    assert_eq!(skel.parents(), [None, Some(0), Some(1), Some(0), Some(0)]);
    let anim = Anim::parse(&of(".anim").next().unwrap().bytes).unwrap();
    let moved: Vec<_> = anim.motions.iter().map(|m| m.bone.text()).collect();
    assert_eq!(moved, ["knee", "hinge"]);
    for code in ["skeletons-joined", "clips-merged", "root-added"] {
        assert!(made.losses.iter().any(|l| l.code == code && l.is_note()), "{code}: {:?}", made.losses);
    }
}

/// Fields of bones and clips in the extras of a scene are written to its files.
#[test]
fn fields_of_bones_and_clips_are_read_back() {
    let list = || PropertyList(vec![("canblend".into(), "1".into())]);
    let mut skel = skel();
    skel.bones[1] = Bone {
        unknown: 1,
        can_rotate: 1,
        wiggle_power: 0.05.into(),
        has_properties: Flag::YES,
        properties: vec![list()],
        ..skel.bones[1].clone()
    };
    let mut anim = anim();
    anim.motions.truncate(1);
    (anim.duration, anim.distance) = (100.0.into(), 8.5.into());
    anim.motions[0].duration = anim.duration;
    (anim.motions[0].has_properties, anim.motions[0].properties) = (Flag::YES, vec![vec![list()]]);
    let figure = |options: &SceneOptions| {
        Assembly::new("f").with_skeleton(&skel).with_animations([&anim]).to_scene(options).unwrap()
    };
    let options = FromSceneOptions::default();
    let scene = figure(&SceneOptions::default().with_extras(true)).value;
    let fields = |bone: &Bone| {
        let words = [bone.unknown, bone.can_translate, bone.can_rotate, bone.can_blend];
        (words, bone.wiggle_power, bone.properties.clone())
    };
    let back = Skel::from_scene(&scene, &options).unwrap().value;
    let named = |name: &str| back.bones.iter().find(|bone| bone.name == *name).map(fields);
    assert_eq!((named("ROOT"), named("Hand")), (Some(fields(&skel.bones[1])), Some(fields(&skel.bones[0]))));
    let said = |anim: &Anim| (anim.duration, anim.distance, anim.moving, anim.motions[0].properties.clone());
    let made = Anim::from_scene(&scene, &options).unwrap().value;
    assert_eq!(said(&made), said(&anim));
    // A clip that became longer has a duration of its own.
    let mut longer = scene.clone();
    longer.clips[0].frames = 9;
    let made = Anim::from_scene(&longer, &options).unwrap().value;
    assert_eq!((made.duration, made.distance), (300.0.into(), anim.distance));
    // Without extras bones may do everything, and the conversion reports the losses.
    let plain = figure(&SceneOptions::default());
    let lost =
        |code| plain.losses.iter().find(|loss| loss.code == code).map(|loss| (loss.count, loss.in_extras));
    assert_eq!((lost("bone-fields"), lost("clip-fields")), (Some((2, true)), Some((1, true))));
    let back = Skel::from_scene(&plain.value, &options).unwrap().value;
    assert!(back.bones.iter().all(|bone| fields(bone) == ([1; 4], 0.0.into(), Vec::new())));
}

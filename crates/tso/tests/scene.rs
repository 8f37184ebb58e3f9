//! Tests conversions of incomplete and unusual models, and their losses.
#![allow(clippy::unwrap_used, clippy::panic, clippy::cast_possible_truncation, reason = "tests")]

use crate::support::*;
use meshwright_core::{F32, f32s};
use meshwright_scene::{ConvertError, Local, Loss, Motion as ClipMotion, SceneOptions, Space};
use meshwright_tso::{Assembly, BLEND_UNUSED, Binding, Geometry, Mesh, Part, Q1_15};

#[test]
fn blends_apply_in_order_and_missing_bones_stay_at_the_origin() {
    let converted = mesh().to_scene(&SceneOptions::in_space(Space::File), Some(&skel()), &[anim()]).unwrap();
    let scene = converted.value;
    scene.validate().unwrap();
    let expected = ["bone-fields", "bone-missing", "clip-fields", "motion-ignored", "normals-askew"];
    assert_eq!(codes(&converted.losses), expected);
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
    let first: Vec<_> = skin.influences(0).iter().map(|i| (i.joint, i.weight)).collect();
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
    assert_eq!(
        codes(&converted.losses),
        ["bone-fields", "bone-missing", "clip-fields", "motion-ignored", "normals-askew", "normals-replaced"]
    );
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
    assert_eq!(
        codes(&converted.losses),
        ["clip-without-skeleton", "normals-askew", "normals-replaced", "skeleton-missing"]
    );
    let joints = &scene.skeletons[0].joints;
    assert_eq!(joints.iter().map(|j| j.name.as_str()).collect::<Vec<_>>(), ["root", "HAND", "TAIL"]);
    assert!(joints.iter().all(|j| j.rest == Local::default() && j.parent.is_none()));
    assert!(scene.clips.is_empty());
    // On one bone nothing is missing.
    let mut single = mesh();
    single.geometry.blends.clear();
    single.geometry.bindings.truncate(1);
    single.geometry.real[2].normal = f32s([1.0, 0.0, 0.0]);
    assert_eq!(single.to_scene(&SceneOptions::default(), None, &[]).unwrap().lost().next(), None);
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
    let (skel, options) = (skel(), SceneOptions::default().with_extras(true));
    // The blend vertex has the position of the real one.
    assert_eq!(mesh.to_scene(&options, Some(&skel), &[]).unwrap().lost().next(), None);
    mesh.geometry.blends[0].position = f32s([1.0, 0.5, 0.0]);
    let losses = mesh.to_scene(&options, Some(&skel), &[]).unwrap();
    let losses: Vec<_> = losses.lost().collect();
    assert_eq!((losses[0].code, losses[0].amount), ("blend-residual", Some(0.5)));
    assert!(losses[0].message.starts_with("the skeleton does not fit"), "{}", losses[0].message);
}

#[test]
fn what_exporters_round_is_no_loss() {
    let mut mesh = mesh();
    mesh.geometry.bones.truncate(2);
    mesh.geometry.bindings.truncate(2);
    mesh.geometry.blends.truncate(1);
    // A tenth of a millimetre, and a metre.
    for (off, is_note) in [(0.0003, true), (3.0, false)] {
        mesh.geometry.blends[0].position = f32s([1.0, off, 0.0]);
        let losses = mesh.to_scene(&SceneOptions::default(), Some(&skel()), &[]).unwrap().losses;
        let residual = losses.iter().find(|loss| loss.code == "blend-residual").unwrap();
        assert_eq!(residual.is_note(), is_note, "{residual}");
    }
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

/// Returns a geometry with everything on one bone.
fn on_one_bone(corners: &[([f32; 3], [f32; 3])], faces: &[[u32; 3]]) -> Geometry {
    Geometry {
        bones: vec!["ROOT".into()],
        faces: faces.to_vec(),
        bindings: vec![Binding {
            real_count: u32::try_from(corners.len()).unwrap(),
            first_blend: BLEND_UNUSED,
            ..Binding::default()
        }],
        real: corners.iter().map(|(p, n)| real(*p, *n)).collect(),
        ..Geometry::default()
    }
}

fn convert_normals(geometry: &Geometry, recompute: bool) -> (Vec<[f32; 3]>, Vec<Loss>) {
    let assembly = Assembly::new("x").with_part(Part::new("x", geometry)).with_recomputed_normals(recompute);
    let made = assembly.to_scene(&SceneOptions::in_space(Space::File)).unwrap();
    (made.value.meshes[0].normals.clone(), made.losses)
}

/// The corner of a box; one of its sides consists of two triangles of different size.
#[test]
fn computed_normals_do_not_depend_on_how_sides_are_parted() {
    let wrong = [0.0, 1.0, 0.0];
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [4.0, 1.0, 0.0]];
    let corners = points.map(|p| (p, wrong));
    // Outward is where the cross product points: against each axis.
    let faces = [[0, 4, 1], [0, 2, 4], [0, 3, 2], [0, 1, 3]];
    let (normals, losses) = convert_normals(&on_one_bone(&corners, &faces), true);
    let third = -(1.0_f32 / 3.0).sqrt();
    assert!(normals[0].iter().all(|c| (c - third).abs() < 1e-6), "{:?}", normals[0]);
    assert!(codes(&losses).contains(&"normals-recomputed"));
}

/// If the stored normal of a sharp tip faces all sides, a computed one must not be worse.
#[test]
fn a_stored_normal_that_is_no_worse_stays() {
    let tip = |normal| {
        let corners = [
            ([0.0, 0.0, 0.0], normal),
            ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]),
            ([0.0, 1.0, 0.0], [0.0, 0.0, 1.0]),
            ([-1.0, 0.1, 0.0], [0.0, 0.0, 1.0]),
            ([0.1, 0.0, 1.0], [0.0, 0.0, 1.0]),
        ];
        convert_normals(&on_one_bone(&corners, &[[0, 1, 2], [0, 2, 3], [0, 4, 1]]), true).0[0]
    };
    let computed = tip([0.0, 0.0, -1.0]);
    let stored = [0.0, 0.6, 0.8];
    let (flat, steep) = ([0.0, 0.0, 1.0], [0.0, 1.0, 0.0]);
    let worst = |n: [f32; 3]| {
        let along = |m: [f32; 3]| n.iter().zip(m).map(|(a, b)| a * b).sum::<f32>();
        along(flat).min(along(steep))
    };
    assert!(worst(computed) > 0.0 && worst(computed) < worst(stored), "{computed:?}");
    assert_eq!(tip(stored), stored);
}

#[test]
fn normals_that_are_not_those_of_the_faces_are_told() {
    let (up, down) = ([0.0, 0.0, 3.0], [0.0, 0.0, -3.0]);
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    for (normal, wrong) in [(up, false), (down, true)] {
        let geometry = on_one_bone(&points.map(|p| (p, normal)), &[[0, 1, 2]]);
        let told = |losses: &[Loss]| losses.iter().find(|l| l.code == "normals-askew").cloned();
        let note = told(&convert_normals(&geometry, false).1);
        assert_eq!(note.is_some(), wrong);
        if let Some(note) = note {
            assert!(note.is_note() && note.message.contains("--recompute-normals"), "{note}");
            assert!(note.message.starts_with("1 of 1 faces (100.0 %)"), "{note}");
        }
        let (normals, losses) = convert_normals(&geometry, true);
        assert_eq!(told(&losses), None);
        assert_eq!(normals, [[0.0, 0.0, 1.0]; 3]);
        let report = Mesh::from(geometry).validate();
        let found = report.findings().iter().filter(|f| f.rule.code == "normals-against-faces");
        assert_eq!(found.count(), usize::from(wrong));
    }
}

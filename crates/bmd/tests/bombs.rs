//! Files that share sections many times over, or claim more than they hold.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use meshwright_bmd::Bmd;
use meshwright_core::{ErrorClass, Limits, ReadOptions};
use meshwright_scene::{
    Affine, Clip, ConvertError, FromSceneOptions, Influence, Joint, Local, Mesh, MeshId, Motion, Node,
    PoseSet, PoseSetId, Scene, SceneOptions, Skeleton, SkeletonId, Skin,
};
use meshwright_testkit::heap::measured;
use meshwright_testkit::{Builder, Deadline};

fn header(meshes: u32, bones: u32, anims: u32) -> Builder {
    let mut b = Builder::new().bytes(b"BMD1").le_u32(&[0; 3]);
    for (name, size) in [("meshes", meshes * 32), ("lods", 0), ("bones", bones * 16), ("anims", anims * 16)] {
        b = b.label(name).le_u32(&[0, size]);
    }
    b
}

/// The time limit in seconds, for a debug build.
const SECONDS: u64 = 5;

#[test]
fn meshes_that_share_their_lists() {
    const MESHES: u32 = 60_000;
    const VERTICES: u16 = 65_535;
    let b = header(MESHES, 0, 0);
    let table = b.len() as u32;
    let vertices = table + MESHES * 32;
    let triangles = vertices + u32::from(VERTICES) * 8;
    let count: u16 = 65_000;
    let file = b
        .patch_le_u32("meshes", table)
        .each(0..MESHES, |b, _| {
            b.le_u32(&[vertices, triangles, 0]).le_u16(&[VERTICES, count]).le_u32(&[
                u32::from(VERTICES) * 8,
                u32::from(count) * 4,
                0,
                0,
            ])
        })
        .zeros(usize::from(VERTICES) * 8)
        .each(0..count, |b, i| b.le_u32(&[(u32::from(i) % 1000) << 2]))
        .build();
    let deadline = Deadline::seconds(SECONDS);
    let model = Bmd::parse(&file).unwrap();
    assert_eq!(model.meshes.len(), 60_000);
    assert!(model.validate().has("degenerate-triangle"));
    assert!(model.to_bytes().unwrap() == file);
    assert!(model.to_bytes_as(meshwright_bmd::Arrangement::P2).unwrap().len() < file.len() + 100);
    // A scene has a copy of every mesh, so the conversion is rejected before it starts.
    assert!(matches!(model.to_scene(&SceneOptions::default()), Err(ConvertError::Limit { .. })));
    deadline.met("all of it");
}

#[test]
fn clips_that_share_a_stream_of_many_bones() {
    const CLIPS: u32 = 60_000;
    const BONES: u32 = 60_000;
    let b = header(0, BONES, CLIPS);
    let bones = b.len() as u32;
    let (anims, stream) = (bones + BONES * 16, bones + BONES * 16 + CLIPS * 16);
    let file = b
        .patch_le_u32("bones", bones)
        .patch_le_u32("anims", anims)
        .zeros(BONES as usize * 16)
        .each(0..CLIPS, |b, _| b.le_u32(&[0]).bytes(&[255, 40, 0, 0]).le_u32(&[stream, BONES]))
        .zeros(BONES as usize)
        .build();
    let deadline = Deadline::seconds(SECONDS);
    let model = Bmd::parse(&file).unwrap();
    let _ = model.validate();
    assert!(model.to_bytes().unwrap() == file);
    let scene = model.to_scene(&SceneOptions::default()).unwrap().value;
    assert_eq!(scene.clips.len(), 60_000);
    assert_eq!(model.motion(59_999).unwrap().pose(254.0).matrices().len(), 60_000);
    deadline.met("all of it");
}

#[test]
fn lists_that_differ_a_little_meet_the_limit() {
    // Every mesh states one vertex fewer, so that all lists differ.
    const MESHES: u32 = 20_000;
    let b = header(MESHES, 0, 0);
    let table = b.len() as u32;
    let vertices = table + MESHES * 32;
    let file = b
        .patch_le_u32("meshes", table)
        .each(0..MESHES, |b, i| {
            b.le_u32(&[vertices, 0, 0]).le_u16(&[65_535 - u16::try_from(i).unwrap(), 0]).le_u32(&[
                65_535 * 8,
                0,
                0,
                0,
            ])
        })
        .zeros(65_535 * 8)
        .build();
    let deadline = Deadline::seconds(SECONDS);
    let e = Bmd::parse(&file).unwrap_err();
    assert!(matches!(e.class(), ErrorClass::Limit { .. }), "{e}");
    deadline.met("all of it");
}

#[test]
fn names_within_one_another_are_searched_once() {
    const MESHES: u32 = 60_000;
    let b = header(MESHES, 0, 0);
    let table = b.len() as u32;
    let names = table + MESHES * 32;
    let file = b
        .patch_le_u32("meshes", table)
        .each(0..MESHES, |b, i| b.le_u32(&[0, 0, names + MESHES - i]).le_u32(&[0; 5]))
        .bytes(&vec![b'x'; MESHES as usize + 1_000_000])
        .bytes(&[0])
        .build();
    let deadline = Deadline::seconds(SECONDS);
    let e = Bmd::parse(&file).unwrap_err();
    assert_eq!(e.code(), "limit-exceeded");
    deadline.met("all of it");
}

/// Tests a name of a million bytes that every record shares.
#[test]
fn a_long_name_that_many_share() {
    const EACH: u32 = 30_000;
    let b = header(EACH, EACH, EACH);
    let meshes = b.len() as u32;
    let (bones, anims) = (meshes + EACH * 32, meshes + EACH * 48);
    let (stream, name) = (anims + EACH * 16, anims + EACH * 17);
    let file = b
        .patch_le_u32("meshes", meshes)
        .patch_le_u32("bones", bones)
        .patch_le_u32("anims", anims)
        .each(0..EACH, |b, _| b.le_u32(&[0, 0, name, 0, 0, 0, 0, 0]))
        .each(0..EACH, |b, _| b.le_u32(&[0, 0, name, 0]))
        .each(0..EACH, |b, _| b.le_u32(&[name]).bytes(&[1, 40, 0, 0]).le_u32(&[stream, EACH]))
        .zeros(EACH as usize)
        .bytes(&vec![b'x'; 1_000_000])
        .bytes(&[0])
        .build();
    let deadline = Deadline::seconds(SECONDS);
    let model = Bmd::parse(&file).unwrap();
    assert!(model.validate().has("material-name"));
    assert!(model.to_bytes().unwrap() == file);
    assert!(model.to_bytes_as(meshwright_bmd::Arrangement::P2).unwrap().len() < file.len() + 1_000_000);
    let little = SceneOptions::default().with_memory(32 << 20);
    assert!(matches!(model.to_scene(&little), Err(ConvertError::Limit { .. })));
    let meshes = Bmd::new(model.meshes);
    assert_eq!(meshes.to_scene(&little).unwrap().value.materials.len(), 1);
    deadline.met("all of it");
}

/// Tests that only the last of many meshes has vertices that show the old form of texture coordinates.
#[test]
fn shared_lists_before_the_one_that_tells_the_old_form() {
    const MESHES: u32 = 60_000;
    let b = header(MESHES, 0, 0);
    let table = b.len() as u32;
    let vertices = table + MESHES * 32;
    let last = vertices + 65_535 * 8;
    let file = b
        .patch_le_u32("meshes", table)
        .each(1..MESHES, |b, _| {
            b.le_u32(&[vertices, 0, 0]).le_u16(&[65_535, 0]).le_u32(&[65_535 * 8, 0, 0, 0])
        })
        .le_u32(&[last, 0, 0])
        .le_u16(&[1, 0])
        .le_u32(&[16, 0, 2, 0])
        .zeros(65_535 * 8)
        .le_u32(&[0, 0xfd00_0000, 0x1a00_2100, 0])
        .build();
    let deadline = Deadline::seconds(SECONDS);
    assert!(Bmd::parse(&file).unwrap().validate().has("legacy-texcoords"));
    deadline.met("all of it");
}

/// Tests solids of all bones that overlap in the same bytes.
#[test]
fn solids_of_many_overlapping_lists() {
    const MESHES: u32 = 255;
    const TRIANGLES: u32 = 30_000;
    let b = header(MESHES, MESHES, 0);
    let meshes = b.len() as u32;
    let bones = meshes + MESHES * 32;
    let vertices = bones + MESHES * 16;
    let triangles = vertices + 65_535 * 8;
    let file = b
        .patch_le_u32("meshes", meshes)
        .patch_le_u32("bones", bones)
        .each(0..MESHES, |b, i| {
            let count = TRIANGLES - i;
            let number = u16::try_from(count).unwrap();
            b.le_u32(&[vertices, triangles, 0]).le_u16(&[65_535, number]).le_u32(&[
                65_535 * 8,
                count * 8,
                8,
                0,
            ])
        })
        .each(0..MESHES, |b, i| b.le_u32(&[0, 0, 0]).bytes(&[0, i as u8, 0, 0]))
        .zeros(65_535 * 8)
        // No two triangles touch, so no edges are shared.
        .each(0..TRIANGLES, |b, i| {
            let v = u64::from(i) % 20_000 * 3;
            let word = 2 | v << 2 | (v + 1) << 22 | (v + 2) << 42;
            b.bytes(&word.to_le_bytes())
        })
        .build();
    let deadline = Deadline::seconds(SECONDS);
    assert!(Bmd::parse(&file).unwrap().validate().has("solid-unchecked"));
    deadline.met("all of it");
}

#[test]
fn limits_are_the_callers() {
    let file = meshwright_testkit::fixtures("bmd", &["bmd"]);
    let windmill = &file.iter().find(|f| f.name == "windmill.ok.bmd").unwrap().bytes;
    let tight = ReadOptions::default().with_limits(Limits::default().with_memory(1000));
    let e = Bmd::parse_with(windmill, &tight).unwrap_err();
    assert!(matches!(e.class(), ErrorClass::Limit { .. }), "{e}");
    let tight = SceneOptions::default().with_memory(1000);
    assert!(matches!(Bmd::parse(windmill).unwrap().to_scene(&tight), Err(ConvertError::Limit { .. })));
}

#[test]
fn an_empty_list_that_claims_to_lie_behind_the_file() {
    let b = header(0, 1, 1);
    let bones = b.len() as u32;
    let file = b
        .patch_le_u32("bones", bones)
        .patch_le_u32("anims", bones + 16)
        .le_u32(&[u32::MAX, 0, 0, 0])
        .le_u32(&[0])
        .bytes(&[1, 40, 0, 0])
        .le_u32(&[0x003f_8000, 0])
        .build();
    let e = Bmd::parse(&file).unwrap_err();
    assert_eq!(e.code(), "truncated-keys", "{e}");
    assert_eq!(e.offset(), u64::from(bones) + 24, "{e}");
    let b = header(1, 0, 0);
    let table = b.len() as u32;
    let file = b
        .patch_le_u32("meshes", table)
        .le_u32(&[0x003f_8000, 0, 0])
        .le_u16(&[3, 0])
        .le_u32(&[0, 0, 0, 0])
        .build();
    let e = Bmd::parse(&file).unwrap_err();
    assert_eq!(e.offset(), u64::from(table) + 12, "{e}");
}

/// Returns a grid of vertices, each on three of many joints, all of which move in every frame.
fn crowd() -> Scene {
    const SIDE: u32 = 150;
    const JOINTS: u32 = 60;
    let mut skin = Skin::new(SkeletonId(0));
    let mut mesh = Mesh::default();
    for i in 0..SIDE * SIDE {
        mesh.positions.push([(i % SIDE) as f32, (i / SIDE) as f32, (i % 7) as f32]);
        for k in 0..3 {
            skin.influences.push(Influence { joint: (i + k) % JOINTS, weight: [0.5, 0.3, 0.2][k as usize] });
        }
        skin.end_vertex();
        if i % SIDE + 1 < SIDE && i + SIDE < SIDE * SIDE {
            mesh.triangles.extend([[i, i + 1, i + SIDE], [i + 1, i + SIDE + 1, i + SIDE]]);
        }
    }
    mesh.colors = (0..SIDE * SIDE).map(|i| (i.wrapping_mul(2_654_435_761) | 0xff).to_be_bytes()).collect();
    mesh.skin = Some(skin);
    let parent = |j: u32| j.checked_sub(1).map(|p| p as usize);
    let joints = (0..JOINTS).map(|j| Joint::new(format!("joint {j}"), parent(j), Local::default())).collect();
    let locals = (0..64 * JOINTS).map(|i| Affine { w: [(i % 97) as f32, 1.0, 0.0], ..Affine::IDENTITY });
    let set = PoseSet { joints: JOINTS as usize, locals: locals.collect() };
    let motion = Motion::Poses { set: PoseSetId(0), frames: (0..64).collect() };
    let mut scene = Scene::new("crowd");
    scene.nodes.push(Node::of_mesh("crowd", MeshId(0)));
    scene.meshes.push(mesh);
    scene.skeletons.push(Skeleton { name: String::new(), joints });
    scene.pose_sets.push(set);
    scene.clips.push(Clip::new("all", SkeletonId(0), 10.0, motion));
    scene
}

#[test]
fn a_conversion_takes_no_more_than_was_charged() {
    let file = meshwright_testkit::fixtures("bmd", &["bmd"]);
    let windmill = &file.iter().find(|f| f.name == "windmill.ok.bmd").unwrap().bytes;
    let windmill = Bmd::parse(windmill).unwrap().to_scene(&SceneOptions::default()).unwrap().value;
    for scene in [crowd(), windmill] {
        let mut memory = 64 << 20;
        loop {
            let options = FromSceneOptions::default().with_memory(memory);
            let (made, cost) = measured(|| Bmd::from_scene(&scene, &options));
            assert!(cost.peak as u64 <= memory + (64 << 10), "{} of {memory}", cost.peak);
            if made.is_err() {
                assert!(matches!(made, Err(ConvertError::Limit(_))));
                break;
            }
            memory = memory * 7 / 8;
        }
    }
}

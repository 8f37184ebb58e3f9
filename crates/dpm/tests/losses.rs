//! Tests that a conversion reports dropped data.
#![allow(
    clippy::unwrap_used,
    clippy::cast_possible_truncation,
    reason = "a failing test panics; small numbers"
)]

use meshwright_core::F32;
use meshwright_dpm::{Dpm, FrameClip, SceneFlags, Zym, write_scene};
use meshwright_scene::{FromSceneOptions, Image, Loss, SceneOptions, Space};
use meshwright_testkit::testdata;

fn pair() -> Zym {
    Zym::parse(&std::fs::read(testdata().join("dpm/pair.ok.zym")).unwrap()).unwrap()
}

fn count_of(losses: &[Loss], code: &str) -> Option<u64> {
    losses.iter().find(|l| l.code == code).map(|l| l.count)
}

#[test]
fn poses_of_a_zym_that_no_clip_has() {
    let zym = pair();
    assert_eq!(zym.pose_count(), 3);
    let losses = |clips| zym.to_scene(&SceneOptions::default(), clips).unwrap().losses;
    assert_eq!(count_of(&losses(None), "frames-without-clip"), None);
    let last = [FrameClip { name: Vec::new(), start: 2, length: 1, fps: 20.0, looping: true }];
    assert_eq!(count_of(&losses(Some(&last)), "frames-without-clip"), Some(1), "pose 0 is the bind pose");
    let mut zym = pair();
    zym.scenes.truncate(1);
    let losses = zym.to_scene(&SceneOptions::default(), None).unwrap().losses;
    assert_eq!(count_of(&losses, "frames-without-clip"), Some(1));
}

#[test]
fn vertices_and_flags_of_a_zym_that_nothing_uses() {
    let mut zym = pair();
    zym.counts.push(1);
    zym.influences.push(zym.influences[0]);
    zym.texcoords.push([F32::new(0.0); 2]);
    zym.scenes[1].flags = SceneFlags(6);
    let losses = zym.to_scene(&SceneOptions::default(), None).unwrap().losses;
    assert_eq!((count_of(&losses, "vertices-unused"), count_of(&losses, "scene-flags")), (Some(1), Some(1)));
    let kept = SceneOptions::in_space(Space::File).with_extras(true);
    let kept = zym.to_scene(&kept, None).unwrap().losses;
    assert_eq!((count_of(&kept, "vertices-unused"), count_of(&kept, "scene-flags")), (None, None));
}

#[test]
fn a_material_that_is_more_than_a_name() {
    let bytes = std::fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap();
    let options = SceneOptions::default();
    let mut scene = Dpm::parse(&bytes).unwrap().to_scene(&options, None).unwrap().value;
    scene.materials[0].image = Some(Image::new("i", "image/png", vec![1]));
    scene.materials[1].base_color[0] = 0.5;
    let made = write_scene(&scene, &FromSceneOptions::default()).unwrap();
    let codes: Vec<_> = made.losses.iter().map(|l| (l.code, l.path.as_str(), l.count)).collect();
    assert_eq!(codes, [("image-dropped", "materials", 1), ("material", "materials", 1)]);
}

#[test]
fn normals_that_cancel_are_replaced() {
    use meshwright_dpm::{Influence, ZymInfluence};
    // Two influences whose normals cancel but for what 32 bits leave of them, and one that is zero.
    let mut dpm = Dpm::parse(&std::fs::read(testdata().join("dpm/quad.ok.dpm")).unwrap()).unwrap();
    let mesh = &mut dpm.meshes[0];
    let vertices = std::sync::Arc::make_mut(&mut mesh.vertices);
    let f = |v: [f32; 3]| v.map(F32::new);
    // Vertices 2 and 3 have two influences.
    let noise: &mut [Influence] = &mut vertices.influences[2..4];
    (noise[0].normal, noise[1].normal) = (f([0.3, 0.4, 0.5]), f([-0.3, -0.400_000_04, -0.499_999_97]));
    vertices.influences[0].normal = f([0.0; 3]);
    let scene = dpm.to_scene(&SceneOptions::default(), None).unwrap();
    assert_eq!(count_of(&scene.losses, "normals-replaced"), Some(2));
    let normals = &scene.value.meshes[0].normals;
    assert_eq!((normals[0], normals[2]), ([0.0, 1.0, 0.0], [0.0, 1.0, 0.0]), "up");
    // A sheet of two sides over its own vertices: none of them knows where it faces.
    let mut zym = pair();
    let triangle = zym.runs[0].triangles[0];
    let [a, b, c] = triangle;
    zym.runs.truncate(1);
    zym.runs[0].triangles = vec![triangle, [a, c, b]];
    zym.trizone = vec![0; 2];
    let replaced = |zym: &Zym| {
        let scene = zym.to_scene(&SceneOptions::default(), None).unwrap();
        count_of(&scene.losses, "normals-replaced")
    };
    assert_eq!(replaced(&zym), Some(3));
    // The other side has a vertex of its own, which 32 bits put a little aside.
    let mut own: ZymInfluence = zym.influences[c as usize];
    own.origin = own.origin.map(|v| F32::new(v.get().next_up()));
    zym.influences.push(own);
    zym.counts.push(1);
    zym.texcoords.push(zym.texcoords[c as usize]);
    zym.runs[0].triangles[1] = [a, zym.counts.len() as u32 - 1, b];
    assert_eq!(replaced(&zym), Some(2), "both vertices that the sides share");
    assert!(zym.evaluate(0).unwrap().normals[a as usize] == [0.0; 3]);
}

/// Bones, frames and matrices go from one format into the other bit by bit, also those that no clip has.
#[test]
fn frames_are_copied_between_the_formats() {
    let mut dpm = Dpm::parse(&std::fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap()).unwrap();
    // Matrices of other tools are scaled a little, and names may be used twice.
    for number in dpm.poses.iter_mut().flat_map(|pose| pose.0.as_flattened_mut()) {
        *number = F32::new(number.get() * 1.000_02);
    }
    dpm.bones[1].name = dpm.bones[0].name;
    let last = u32::try_from(dpm.frames.len() - 1).unwrap();
    let clips = [FrameClip { name: b"end".to_vec(), start: last, length: 1, fps: 20.0, looping: false }];
    let made = dpm.to_zym(Some(&clips), &FromSceneOptions::default()).unwrap();
    let zym = &made.value;
    assert_eq!((&zym.bones, zym.pose_count()), (&dpm.bones, dpm.frames.len()));
    for frame in 0..dpm.frames.len() {
        assert_eq!(zym.pose(frame), dpm.frame_pose(frame), "{frame}");
    }
    let scenes: Vec<_> = zym.scenes.iter().map(|s| (s.name.bytes(), s.start, s.length, s.flags)).collect();
    assert_eq!(scenes, [(&b"end"[..], last, 1, SceneFlags::NO_LOOP)]);
    let named = dpm.frames.len() - usize::from(dpm.frames[last as usize].name.bytes() == b"end_0");
    assert_eq!(count_of(&made.losses, "frame-names-dropped"), Some(named as u64));
    assert_eq!(count_of(&made.losses, "frames-without-clip"), None);
    assert!(Zym::parse(&zym.to_bytes().unwrap()).is_ok());

    let back = zym.to_dpm(None, &FromSceneOptions::default()).unwrap().value;
    assert_eq!((&back.model.bones, &back.clips[..]), (&dpm.bones, &clips[..]));
    for frame in 0..dpm.frames.len() {
        assert_eq!(back.model.frame_pose(frame), dpm.frame_pose(frame), "{frame}");
    }
    assert_eq!(back.model.frames[last as usize].name.bytes(), b"end_0");
    assert!(Dpm::parse(&back.model.to_bytes().unwrap()).is_ok());
}

#[test]
fn numbers_of_triangles_stay_in_their_format() {
    let mut zym = pair();
    zym.scenes[1].flags = SceneFlags(6);
    let made = zym.to_dpm(None, &FromSceneOptions::default()).unwrap();
    assert_eq!(
        (count_of(&made.losses, "trizone"), count_of(&made.losses, "scene-flags")),
        (Some(2), Some(1))
    );
    assert_eq!(count_of(&made.losses, "bone-flags"), None, "both have them");
    let mut dpm = made.value.model;
    assert_eq!((&dpm.bones, dpm.frames.len()), (&zym.bones, zym.pose_count()));
    std::sync::Arc::make_mut(&mut dpm.meshes[0].groupids)[0] = 5;
    let made = dpm.to_zym(None, &FromSceneOptions::default()).unwrap();
    assert_eq!(count_of(&made.losses, "groupids"), Some(1));
    assert_eq!(count_of(&made.losses, "frame-names-dropped"), None, "they follow from their clips");
}

/// Native fields of frames and scenes are written again when a scene with extras is converted.
#[test]
fn fields_of_frames_and_scenes_are_read_back() {
    let mut zym = pair();
    zym.scenes[1].flags = SceneFlags(6);
    let extras = SceneOptions::default().with_extras(true);
    let scene = zym.to_scene(&extras, None).unwrap().value;
    let back = Zym::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert_eq!(back.scenes[1].flags.unknown(), 6);
    let dpm = Dpm::parse(&std::fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap()).unwrap();
    let names = |dpm: &Dpm| dpm.frames.iter().map(|frame| frame.name).collect::<Vec<_>>();
    let scene = dpm.to_scene(&extras, None).unwrap().value;
    let back = Dpm::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
    assert_eq!(names(&back), names(&dpm));
}

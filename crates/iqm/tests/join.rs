//! Tests clips in separate files.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use crate::scene::{fixture, largest_difference, options};
use meshwright_iqm::{Iqm, Scales, join_clips};
use meshwright_scene::SceneOptions;

/// Splits a model like games: a file of meshes and joints, and one of poses. `named`: the poses have joints too.
fn split(model: &Iqm, named: bool) -> (Iqm, Iqm) {
    let (mut body, mut clips) = (model.clone(), model.clone());
    body.discard_layout();
    (body.poses, body.anims, body.frames) = Default::default();
    (body.frame_count, body.bounds) = (0, None);
    clips.discard_layout();
    (clips.meshes, clips.arrays, clips.triangles) = Default::default();
    (clips.vertex_count, clips.adjacency) = (0, None);
    if !named {
        clips.joints.clear();
    }
    let parsed = |model: Iqm| Iqm::parse(&model.to_bytes().unwrap()).unwrap();
    (parsed(body), parsed(clips))
}

#[test]
fn clips_of_other_files_move_a_model() {
    let model = fixture("tube.ok.iqm");
    assert!(!model.anims.is_empty());
    for named in [false, true] {
        let (body, clips) = split(&model, named);
        let still = SceneOptions::default().with_static_meshes(true);
        let mut scene = body.to_scene(&still).unwrap().value;
        assert!(scene.skeletons.len() == 1 && scene.meshes[0].skin.is_some(), "no static mesh");
        let other = clips.to_scene(&SceneOptions::default()).unwrap().value;
        assert!(join_clips(&mut scene, other.clone(), "walk.md5anim.iqm").unwrap().is_empty());
        scene.validate().unwrap();
        let again = Iqm::from_scene(&scene, &options(Scales::Baked)).unwrap().value;
        assert!(largest_difference(&model, &again) < 2e-5, "{}", largest_difference(&model, &again));
        // The same clips again have the name of their file, and frames of their own.
        let count = scene.clips.len();
        let end = scene.clips.iter().map(|c| c.start + c.frames).max().unwrap();
        join_clips(&mut scene, other, "walk.md5anim.iqm").unwrap();
        assert_eq!(scene.clips[count].name, "walk");
        assert_eq!(scene.clips[count].start, end + scene.clips[0].start);
    }
}

#[test]
fn clips_of_another_skeleton_are_refused() {
    let model = fixture("tube.ok.iqm");
    let (body, mut clips) = split(&model, true);
    let scene = body.to_scene(&SceneOptions::default()).unwrap().value;
    let all = clips.to_scene(&SceneOptions::default()).unwrap().value;
    // Without names the numbers must agree.
    let mut fewer = all.clone();
    fewer.skeletons[0].joints.truncate(1);
    fewer.skeletons[0].joints[0].name.clear();
    fewer.clips.clear();
    assert!(join_clips(&mut scene.clone(), fewer, "x.iqm").is_err());
    // With names some joint must be known; others are reported.
    clips.text.iter_mut().for_each(|b| *b = if b.is_ascii_alphabetic() { b'q' } else { *b });
    let strange = clips.to_scene(&SceneOptions::default()).unwrap().value;
    assert!(join_clips(&mut scene.clone(), strange, "x.iqm").is_err());
    let mut one = all;
    one.skeletons[0].joints[0].name = "stranger".into();
    let losses = join_clips(&mut scene.clone(), one, "x.iqm").unwrap();
    assert_eq!((losses[0].code, losses[0].count), ("motion-dropped", 1));
}

//! What a conversion leaves behind is reported.
#![allow(clippy::unwrap_used, reason = "a failing test panics")]

use meshwright_core::F32;
use meshwright_dpm::{Dpm, FrameClip, SceneFlags, Zym, write_scene};
use meshwright_scene::{FromSceneOptions, Image, Loss, SceneOptions, Space};
use meshwright_testkit::testdata;

fn pair() -> Zym {
    Zym::parse(&std::fs::read(testdata().join("dpm/pair.ok.zym")).unwrap()).unwrap()
}

fn amount_of(losses: &[Loss], code: &str) -> Option<f64> {
    losses.iter().find(|l| l.code == code).map(|l| l.amount.unwrap_or(0.0))
}

#[test]
fn poses_of_a_zym_that_no_clip_has() {
    let zym = pair();
    assert_eq!(zym.pose_count(), 3);
    let losses = |clips| zym.to_scene(&SceneOptions::default(), clips).unwrap().losses;
    assert_eq!(amount_of(&losses(None), "frames-without-clip"), None);
    let last = [FrameClip { name: Vec::new(), start: 2, length: 1, fps: 20.0, looping: true }];
    assert_eq!(amount_of(&losses(Some(&last)), "frames-without-clip"), Some(1.0), "pose 0 is the bind pose");
    let mut zym = pair();
    zym.scenes.truncate(1);
    let losses = zym.to_scene(&SceneOptions::default(), None).unwrap().losses;
    assert_eq!(amount_of(&losses, "frames-without-clip"), Some(1.0));
}

#[test]
fn vertices_and_flags_of_a_zym_that_nothing_uses() {
    let mut zym = pair();
    zym.counts.push(1);
    zym.influences.push(zym.influences[0]);
    zym.texcoords.push([F32::new(0.0); 2]);
    zym.scenes[1].flags = SceneFlags(6);
    let losses = zym.to_scene(&SceneOptions::default(), None).unwrap().losses;
    assert_eq!(
        (amount_of(&losses, "vertices-unused"), amount_of(&losses, "scene-flags")),
        (Some(1.0), Some(1.0))
    );
    let kept = SceneOptions::in_space(Space::File).with_extras(true);
    let kept = zym.to_scene(&kept, None).unwrap().losses;
    assert_eq!((amount_of(&kept, "vertices-unused"), amount_of(&kept, "scene-flags")), (None, None));
}

#[test]
fn a_material_that_is_more_than_a_name() {
    let bytes = std::fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap();
    let options = SceneOptions::default();
    let mut scene = Dpm::parse(&bytes).unwrap().to_scene(&options, None).unwrap().value;
    scene.materials[0].image = Some(Image { name: "i".into(), mime: "image/png", bytes: vec![1] });
    scene.materials[1].base_color[0] = 0.5;
    let made = write_scene(&scene, &FromSceneOptions::default()).unwrap();
    let codes: Vec<_> = made.losses.iter().map(|l| (l.code, l.path.as_str(), l.count)).collect();
    assert_eq!(codes, [("image-dropped", "materials", 1), ("material", "materials", 1)]);
}

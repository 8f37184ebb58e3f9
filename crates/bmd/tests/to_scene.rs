//! Checks that scenes have the values that the models evaluate to.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "a failing test panics, and tests use small numbers"
)]

use crate::support::{Player, pose, positions};
use meshwright_bmd::Bmd;
use meshwright_scene::{MeshId, SceneOptions, Space};
use meshwright_testkit::sound;

/// Evaluates the model itself in the scene's space. `bounded` is the bone that the mesh bounds.
fn expected(
    model: &Bmd,
    mesh: usize,
    bounded: Option<usize>,
    at: Option<(usize, u32)>,
    space: Space,
) -> Vec<[f32; 3]> {
    let motion = at.map_or_else(|| model.rest(), |(clip, _)| model.motion(clip)).unwrap();
    let bones = motion.pose(at.map_or(0.0, |(_, f)| f64::from(f)));
    let turn = |p: [f32; 3]| match space {
        Space::File => p,
        Space::Gltf => [-p[0] / 40.0, p[2] / 40.0, p[1] / 40.0],
    };
    let solid = bounded.and_then(|b| Some((u8::try_from(b).ok()?, model.solid(b)?)));
    match solid {
        Some((b, solid)) => solid.vertices.iter().map(|v| turn(bones.solid_position(b, *v))).collect(),
        None => model.meshes[mesh].vertices.iter().map(|v| turn(bones.position(*v))).collect(),
    }
}

#[test]
fn every_whole_frame_has_the_right_vertices() {
    for (name, bytes) in sound("bmd", "bmd") {
        let model = Bmd::parse(&bytes).unwrap();
        for (space, player) in [(Space::File, Player::Format), (Space::Gltf, Player::Gltf)] {
            let converted = model.to_scene(&SceneOptions::in_space(space)).unwrap();
            let scene = converted.value;
            scene.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
            let mut moments = vec![None];
            for (c, clip) in model.clips.iter().enumerate() {
                if !model.bones.is_empty() {
                    moments.extend((0..u32::from(clip.frames)).map(|f| Some((c, f))));
                }
            }
            for at in moments {
                let matrices = scene.skeletons.first().map(|s| {
                    let clip = at.map(|(c, f)| (&scene.clips[c], f64::from(f)));
                    pose(s, clip, player)
                });
                for (i, mesh) in scene.meshes.iter().enumerate() {
                    let mut joints = scene.skeletons.iter().flat_map(|s| &s.joints);
                    let bounded = joints.position(|j| j.solid == Some(MeshId(i)));
                    let want = expected(&model, i, bounded, at, space);
                    let got = positions(&scene, mesh, matrices.as_deref().unwrap_or_default(), player);
                    let extent = want.iter().flatten().fold(0.0_f32, |m, c| m.max(c.abs()));
                    let worst = got.iter().flatten().zip(want.iter().flatten());
                    let worst = worst.fold(0.0_f32, |m, (a, b)| m.max((a - b).abs()));
                    assert!(worst <= 1e-5 * extent, "{name} {space:?} {at:?} mesh {i}: {worst} of {extent}");
                    if at.is_none() && space == Space::File {
                        assert_eq!(mesh.positions, want, "{name}");
                    }
                }
            }
        }
    }
}

#[test]
fn gltf_scenes_have_unit_normals() {
    for (name, bytes) in sound("bmd", "bmd") {
        let scene = Bmd::parse(&bytes).unwrap().to_scene(&SceneOptions::default()).unwrap().value;
        for n in scene.meshes.iter().flat_map(|m| &m.normals) {
            let length: f32 = n.iter().map(|c| c * c).sum();
            assert!((length - 1.0).abs() < 1e-5, "{name}");
        }
    }
}

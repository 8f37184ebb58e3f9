//! ZYM models as scenes, and made of scenes.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare small numbers, and fail by a panic"
)]

use crate::support::assert_near;
use crate::support::scenes::*;
use meshwright_core::F32;
use meshwright_dpm::{FrameClip, Influence, Name, Vertices, Zym, strategy};
use meshwright_scene::{AxisMap, FromSceneOptions, SceneOptions, Space};
use meshwright_testkit::{proptest, testdata};
use proptest::prelude::*;
use std::fs;
use std::sync::Arc;

#[test]
fn zym_of_several_shaders_is_split() {
    let zym = Zym::parse(&fs::read(testdata().join("dpm/pair.ok.zym")).unwrap()).unwrap();
    let made = zym.to_scene(&SceneOptions::default(), None).unwrap();
    assert_eq!(codes(&made.losses), ["normals-computed", "bone-flags", "trizone"]);
    let scene = made.value;
    let counts: Vec<_> = scene.meshes.iter().map(|m| m.positions.len()).collect();
    assert_eq!(counts, [4, 3], "of 5 vertices");
    assert_eq!(scene.meshes[1].triangles, [[0, 1, 2]]);
    let clips: Vec<_> = scene.clips.iter().map(|c| (c.frames, c.rate, c.looping)).collect();
    assert_eq!(clips, [(2, 8.0, true), (1, 0.5, false)]);
    let whole = zym.to_scene(&SceneOptions::in_space(Space::File), None).unwrap().value;
    assert_eq!(whole.meshes.iter().map(|m| m.positions.len()).collect::<Vec<_>>(), [5, 5]);
    let native = zym.evaluate(2).unwrap();
    let (p, n) = by_local(&whole, 1, &posed(&whole, Some((1, 0))));
    assert_near("positions", &p, &wide(&native.positions), 1e-6, &[]);
    assert_near("normals", &n, &wide(&native.normals), 1e-6, &[]);
    // A companion takes the place of the scenes.
    let given = [FrameClip { looping: false, ..clip("all", 0, 3) }];
    let scene = zym.to_scene(&SceneOptions::default(), Some(&given)).unwrap().value;
    assert_eq!(scene.clips.len(), 1);
    assert_eq!((scene.clips[0].frames, scene.clips[0].looping), (3, false));
}

/// Returns a ZYM without what its own scene does not hold: stored bounds.
pub(crate) fn bare(mut model: Zym) -> Zym {
    model.discard_layout();
    model.recompute_bounds();
    model
}

#[test]
fn zym_comes_back() {
    let zym = Zym::parse(&fs::read(testdata().join("dpm/pair.ok.zym")).unwrap()).unwrap();
    for space in [Space::File, Space::Gltf] {
        let options = SceneOptions::in_space(space).with_extras(true);
        let scene = zym.to_scene(&options, None).unwrap().value;
        let back = Zym::from_scene(&scene, &FromSceneOptions::default()).unwrap();
        assert_eq!(codes(&back.losses), ["normals-dropped", "normals-dropped"]);
        let back = back.value;
        assert_eq!((&back.bones, &back.poses, &back.scenes.len()), (&zym.bones, &zym.poses, &2));
        assert_eq!(back.vertex_count(), zym.vertex_count(), "vertices that shaders share are one");
        assert_eq!(back.trizone, zym.trizone);
        if space == Space::File {
            let (mut own, mut got) = (bare(zym.clone()), back.clone());
            // 1 - v and back is within a rounding.
            for (a, b) in own.texcoords.iter_mut().zip(&mut got.texcoords) {
                assert!((a[1].get() - b[1].get()).abs() < 1e-7);
                b[1] = a[1];
            }
            assert_eq!(own, got);
        }
    }
}

#[test]
fn a_foreign_scene_becomes_a_zym() {
    let scene = foreign();
    let made = Zym::from_scene(&scene, &FromSceneOptions::default()).unwrap();
    let reported = codes(&made.losses);
    for code in ["influences-dropped", "interpolation", "nodes-applied", "rest-pose-dropped"] {
        assert!(reported.contains(&code), "{code} in {reported:?}");
    }
    let model = &made.value;
    assert_eq!(Zym::parse(&model.to_bytes().unwrap()).unwrap(), *model);
    let scenes: Vec<_> = model.scenes.iter().map(|s| (s.name.text(), s.start, s.length)).collect();
    assert_eq!(scenes, [("a \"clip\"".into(), 1, 3)]);
    let back = AxisMap::new([1, 2, 0], [1.0; 3], 1.0).inverse();
    let skinned = &scene.meshes[0].positions;
    let bind: Vec<_> = skinned.iter().map(|p| back.point(*p).map(f64::from)).collect();
    assert_near("bind", &model.evaluate(0).unwrap().positions[..bind.len()], &bind, 1e-5, &[]);
}

#[test]
fn a_vertex_without_weight_is_at_its_bone() {
    let (mut model, clips) = hopper();
    for mesh in &mut model.meshes {
        let mut vertices = Vertices::default();
        mesh.texcoords.iter().for_each(|_| vertices.push(&[Influence { bone: 1, ..Influence::default() }]));
        mesh.vertices = Arc::new(vertices);
    }
    let made = model.to_zym(Some(&clips), &FromSceneOptions::default()).unwrap();
    assert!(codes(&made.losses).contains(&"influence-sum"));
    assert!(made.value.influences.iter().all(|i| i.origin == [F32::default(); 3]));
    assert_eq!(Zym::parse(&made.value.to_bytes().unwrap()).unwrap(), made.value);
}

proptest! {
    #[test]
    fn every_tame_zym_is_a_scene_and_comes_back(mut model in strategy::zym()) {
        for pose in &mut model.poses {
            pose.0.as_flattened_mut().iter_mut().for_each(tame);
        }
        for influence in &mut model.influences {
            influence.origin.iter_mut().for_each(tame);
        }
        for (i, scene) in model.scenes.iter_mut().enumerate() {
            scene.name = Name::truncated(format!("s{i}").as_bytes());
        }
        for space in [Space::File, Space::Gltf] {
            let scene = model.to_scene(&SceneOptions::in_space(space), None).unwrap().value;
            let back = Zym::from_scene(&scene, &FromSceneOptions::default()).unwrap().value;
            prop_assert_eq!(model.triangle_count(), back.triangle_count());
            prop_assert_eq!(model.scenes.len(), back.scenes.len());
            for (a, b) in model.scenes.iter().zip(&back.scenes) {
                prop_assert_eq!((a.name, a.length), (b.name, b.length));
                for frame in 0..a.length {
                    let own = model.evaluate((a.start + frame) as usize).unwrap().positions;
                    let got = back.evaluate((b.start + frame) as usize).unwrap().positions;
                    for (own_run, run) in model.runs.iter().zip(&back.runs) {
                        prop_assert_eq!(own_run.shader.bytes().len().min(31), run.shader.bytes().len());
                        let corners = |run: &meshwright_dpm::ZymRun, all: &[[f32; 3]]| -> Vec<[f32; 3]> {
                            run.triangles.iter().flatten().map(|v| all[*v as usize]).collect()
                        };
                        prop_assert_eq!(corners(own_run, &own), corners(run, &got));
                    }
                }
            }
        }
    }
}

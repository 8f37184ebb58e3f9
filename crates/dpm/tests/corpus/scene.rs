//! Applies the checks of `tests/scene.rs` to the files of the corpus.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::unwrap_used,
    clippy::panic,
    reason = "tests compare small numbers, and fail by a panic"
)]

use crate::scene::compare_models;
use crate::support::scenes::*;
use crate::support::{assert_near, extent};
use meshwright_dpm::{Dpm, Zym, write_scene};
use meshwright_quake::FrameGroups;
use meshwright_scene::{FromSceneOptions, SceneOptions, Space};
use meshwright_testkit::corpus;
use serde_json::Value;
use std::fs;

#[test]
fn scenes_of_the_corpus_equal_the_reference_dumps() {
    let root = corpus!();
    let json = |p: &str| serde_json::from_slice::<Value>(&fs::read(root.join(p)).unwrap()).unwrap();
    let manifest = json("manifest.json");
    let mut seen = 0;
    for e in manifest.as_array().unwrap().iter().filter(|e| e["format"] == "dpm" || e["format"] == "zym") {
        let file = e["file"].as_str().unwrap();
        let bytes = fs::read(root.join(file)).unwrap();
        let groups = e["companions"]
            .as_array()
            .and_then(|c| c.first())
            .map(|c| FrameGroups::parse(&fs::read(root.join(c.as_str().unwrap())).unwrap()).unwrap());
        let dump = json(e["expected"].as_str().unwrap());
        let scene_in = |space| {
            let options = SceneOptions::in_space(space);
            if file.ends_with(".zym") {
                let model = Zym::parse(&bytes).unwrap();
                let clips = groups.as_ref().map(|g| crate::support::clips(g, model.pose_count()));
                model.to_scene(&options, clips.as_deref())
            } else {
                let model = Dpm::parse(&bytes).unwrap();
                let clips = groups.as_ref().map(|g| crate::support::clips(g, model.frames.len()));
                model.to_scene(&options, clips.as_deref())
            }
        };
        let scene = scene_in(Space::File).unwrap().value;
        let clips: Vec<_> =
            scene.clips.iter().map(|c| (c.name.clone(), c.frames, f64::from(c.rate))).collect();
        let expected = dump["clips"].as_array().unwrap().iter().map(|c| {
            let frames = c["frames"].as_u64().unwrap() as u32;
            (c["name"].as_str().unwrap().to_owned(), frames, c["fps"].as_f64().unwrap())
        });
        assert_eq!(clips, expected.collect::<Vec<_>>(), "{file}");
        let unreliable: Vec<u64> = dump["native"]["unreliable_normals"]
            .as_array()
            .map(|l| l.iter().map(|v| v.as_u64().unwrap()).collect())
            .unwrap_or_default();
        let gltf = scene_in(Space::Gltf).unwrap();
        let flat = gltf.losses.iter().any(|l| l.code == "bind-singular");
        for (m, mesh) in dump["meshes"].as_array().unwrap().iter().enumerate() {
            assert_eq!(scene.meshes[m].positions.len() as u64, mesh["vertex_count"], "{file}");
            let material = scene.meshes[m].material.map(|id| scene.materials[id.0].name.clone());
            assert_eq!(material.as_deref(), mesh["material"].as_str(), "{file}");
            for pose in mesh["poses"].as_array().into_iter().flatten() {
                let clip = pose["clip"].as_u64().map(|c| c as usize);
                let at = match (clip, pose["frame"].as_u64()) {
                    (Some(clip), Some(frame)) => Some((clip, frame as usize)),
                    (None, None) => None,
                    // A frame of the file that no clip has.
                    _ => continue,
                };
                let name = format!("{file} mesh {m} {at:?}");
                let rows = |k: &str| -> Vec<[f64; 3]> {
                    let row = |r: &Value| super::support::numbers(r);
                    pose[k].as_array().unwrap().iter().map(row).collect()
                };
                let positions = rows("positions");
                let tolerance = 1e-6 * extent(&positions) + 1e-6;
                let (p, n) = by_local(&scene, m, &posed(&scene, at));
                assert_near(&format!("{name} positions"), &p, &positions, tolerance, &[]);
                assert_near(&format!("{name} normals"), &n, &rows("normals"), 1e-5, &unreliable);
                seen += 1;
                if file.ends_with(".dpm") && !flat {
                    let mapped: Vec<_> =
                        positions.iter().map(|p| TO_GLTF.point(p.map(|c| c as f32)).map(f64::from)).collect();
                    let bound = by_bind(&gltf.value, m, &posed(&gltf.value, at));
                    assert_near(&format!("{name} bound"), &bound, &mapped, 1e-5 * extent(&mapped), &[]);
                }
            }
        }
        // Splitting by shader drops what no triangle uses and changes no corner.
        for (whole, split) in scene.meshes.iter().zip(&gltf.value.meshes) {
            assert_eq!(whole.triangles.len(), split.triangles.len());
            let mut used = vec![false; split.positions.len()];
            for (a, b) in whole.triangles.iter().flatten().zip(split.triangles.iter().flatten()) {
                let (a, b) = (*a as usize, *b as usize);
                assert_eq!(TO_GLTF.point(whole.positions[a]), split.positions[b], "{file}");
                assert_eq!(whole.uvs[a], split.uvs[b], "{file}");
                used[b] = true;
            }
            assert!(used.iter().all(|u| *u) || file.ends_with(".dpm"), "{file}");
        }
        if file.ends_with(".dpm") {
            let model = Dpm::parse(&bytes).unwrap();
            let back = write_scene(&gltf.value, &FromSceneOptions::default()).unwrap().value;
            let clips = groups.as_ref().map(|g| crate::support::clips(g, model.frames.len()));
            if clips.as_ref().is_none_or(|c| !c.is_empty()) {
                compare_models(file, &model, clips.as_deref(), &back);
            }
        }
    }
    assert!(seen > 40, "{seen} poses compared");
}

//! Compares the results of real tools, and edits made in Blender, with the exported scene; uses the corpus next to
//! the project.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a failing test panics, and says what it could not do"
)]

use meshwright_edit::{Absent, Options, Original, Part, Patch, Recovery, Snap, State};
use meshwright_gltf::GltfFile;
use meshwright_scene::{Budget, Limits, Mesh, Motion, Scene};
use meshwright_testkit::corpus;
use serde_json::Value;
use std::fs;
use std::path::Path;

fn json(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn scene(path: &Path) -> Scene {
    let mut file = GltfFile::parse(&fs::read(path).unwrap()).unwrap();
    for name in file.references().to_vec() {
        file.supply(&name, fs::read(path.with_file_name(&name)).unwrap());
    }
    file.import("model", None).unwrap().0.value.scene
}

fn back(before: &Scene, after: &Scene, snap: Snap) -> (Scene, Recovery) {
    let original = Original { native: before, exported: before };
    let budget = Budget::new(Limits::default());
    let patch = Patch::find(after, &original, &Options::new(snap, Absent::Gone), &budget).unwrap();
    (patch.scene, patch.report)
}

/// Returns the parts that were edited.
fn touched<T: Clone>(parts: &[Part<T>]) -> Vec<Part<T>> {
    parts.iter().filter(|part| part.state != State::Untouched).cloned().collect()
}

/// Returns true if joints rest with different scales along their axes. Blender's bones have no rest scale, so that it
/// shows other positions and normals for their vertices.
fn is_uneven(scene: &Scene) -> bool {
    scene.skeletons.iter().flat_map(|s| &s.joints).any(|j| {
        let [x, y, z] = j.rest.to_trs64().scale;
        (x - y).abs().max((y - z).abs()) > 1e-3
    })
}

/// Returns true for changes of a tool that cannot be undone.
fn is_left(tool: &str, before: &Scene, report: &Recovery) -> bool {
    if tool.contains("Blender") && is_uneven(before) {
        let mut only = report.clone();
        only.meshes.iter_mut().for_each(|part| {
            part.change.normals = 0;
            if part.change == Default::default() {
                part.state = State::Untouched;
            }
        });
        return only.is_untouched();
    }
    report.is_untouched()
}

#[test]
fn what_tools_made_of_exports_is_untouched() {
    let root = corpus!();
    let mut seen = 0;
    for entry in json(&root.join("manifest.json")).as_array().unwrap() {
        let (file, origin) = (text(entry, "file"), text(entry, "origin"));
        let Some((base, tool)) = origin.split_once(" through ") else { continue };
        // Draco compression is not supported.
        if !file.starts_with("gltf/tools/") || tool.contains("draco") {
            continue;
        }
        let packs = ["gltfpack", "gltf-transform"].iter().any(|packer| tool.contains(packer));
        let snap = if packs { Snap::Loose } else { Snap::Default };
        let before = scene(&root.join("gltf").join(base));
        let (made, report) = back(&before, &scene(&root.join(file)), snap);
        assert!(is_left(tool, &before, &report), "{file}: {report:?}");
        if report.is_untouched() {
            assert_eq!(made, before, "{file}");
        }
        seen += 1;
    }
    assert!(seen > 20, "{seen}");
}

/// Returns the distance between a vertex of the edited part and the nearest vertex of a mesh.
fn nearest(mesh: &Mesh, point: [f32; 3]) -> f32 {
    let far = |p: &[f32; 3]| p.iter().zip(point).map(|(a, b)| (a - b).powi(2)).sum::<f32>().sqrt();
    mesh.positions.iter().map(far).fold(f32::INFINITY, f32::min)
}

fn check_moved_part(edit: &Value, before: &Scene, made: &Scene, report: &Recovery) {
    let change = &edit["changed"];
    let places = |key: &str| -> Vec<[f32; 3]> { serde_json::from_value(change[key].clone()).unwrap() };
    let (was, is) = (places("before"), places("after"));
    let [part] = &touched(&report.meshes)[..] else { panic!("{:?}", touched(&report.meshes)) };
    assert!(touched(&report.joints).is_empty() && touched(&report.clips).is_empty());
    if is_uneven(before) {
        assert!(part.change.moved >= was.len() && part.change.added + part.change.removed == 0, "{part:?}");
        return;
    }
    let m = report.meshes.iter().position(|p| p.name == part.name && p.state == part.state).unwrap();
    let delta: Vec<f32> = serde_json::from_value(change["delta"].clone()).unwrap();
    let length = delta.iter().map(|c| c * c).sum::<f32>().sqrt();
    assert!((part.change.furthest - f64::from(length)).abs() < 1e-4 * f64::from(length), "{part:?}");
    let (was_at, is_at) = (&before.meshes[m], &made.meshes[m]);
    for (was, is) in was.into_iter().zip(is) {
        let off = nearest(is_at, is).max(nearest(was_at, was));
        assert!(off < 1e-4 * length, "{is:?}: {off}");
    }
    // Parts that were not moved are unchanged.
    if part.change.added == 0 {
        let pairs = was_at.positions.iter().zip(&is_at.positions);
        assert_eq!(pairs.filter(|(a, b)| a != b).count(), part.change.moved);
        assert_eq!(
            (&was_at.uvs, &was_at.triangles, &was_at.skin),
            (&is_at.uvs, &is_at.triangles, &is_at.skin)
        );
    }
    for (n, (a, b)) in before.meshes.iter().zip(&made.meshes).enumerate() {
        assert!(n == m || a == b, "mesh {n}");
    }
    assert_eq!((&before.skeletons, &before.clips), (&made.skeletons, &made.clips));
}

fn wave(edit: &Value, before: &Scene, made: &Scene, report: &Recovery) {
    let change = &edit["changed"];
    let [part] = &touched(&report.clips)[..] else { panic!("{:?}", touched(&report.clips)) };
    assert_eq!((part.name.as_str(), part.state), (text(change, "action"), State::New));
    let clip = made.clips.last().unwrap();
    let last = f64::from(clip.frames - 1);
    assert!((clip.seconds(last) - change["seconds"].as_f64().unwrap()).abs() < 1e-4);
    let joints = &before.skeletons[clip.skeleton.0].joints;
    let bone = joints.iter().position(|j| j.name == text(change, "bone")).unwrap();
    let Motion::Poses { set, frames } = &clip.motion else { panic!("no poses") };
    let pose = |frame: f64| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a frame")]
        let at = frames[frame as usize] as usize;
        made.pose_sets[set.0].pose(at).unwrap()[bone].wide()
    };
    // Keys are seconds and degrees from the first.
    let first = meshwright_scene::math::Trs64::from_affine(&pose(0.0));
    for key in change["keys"].as_array().unwrap() {
        let (seconds, degrees) = (key[0].as_f64().unwrap(), key[1].as_f64().unwrap());
        let frame = (seconds * f64::from(clip.rate)).round();
        let here = meshwright_scene::math::Trs64::from_affine(&pose(frame));
        let dot: f64 = first.rotation.iter().zip(here.rotation).map(|(a, b)| a * b).sum();
        let turned = (2.0 * dot.abs().min(1.0).acos()).to_degrees();
        assert!((turned - degrees).abs() < 0.01, "{turned} of {degrees}");
    }
    same_but(before, made, &["clips"]);
    assert_eq!(before.clips[..], made.clips[..before.clips.len()]);
}

/// Checks that two scenes are equal except for some lists.
fn same_but(before: &Scene, made: &Scene, others: &[&str]) {
    let lists = [
        ("meshes", before.meshes == made.meshes),
        ("skeletons", before.skeletons == made.skeletons),
        ("clips", before.clips == made.clips),
        ("materials", before.materials == made.materials),
    ];
    let odd: Vec<_> = lists.iter().filter(|(list, same)| !same && !others.contains(list)).collect();
    assert!(odd.is_empty(), "{odd:?}");
}

#[test]
fn what_was_edited_in_blender_is_all_that_was() {
    let root = corpus!();
    let mut seen = Vec::new();
    for entry in json(&root.join("manifest.json")).as_array().unwrap() {
        let file = text(entry, "file");
        if !file.starts_with("gltf/edits/") {
            continue;
        }
        let edit = json(&root.join(file).with_extension("edit.json"));
        let before = scene(&root.join(text(&edit, "before")));
        let (made, report) = back(&before, &scene(&root.join(file)), Snap::Default);
        made.validate().unwrap();
        let change = &edit["changed"];
        match text(&edit, "op") {
            "move" => check_moved_part(&edit, &before, &made, &report),
            "newaction" => wave(&edit, &before, &made, &report),
            "addmesh" => {
                let [part] = &touched(&report.meshes)[..] else { panic!("{report:?}") };
                assert_eq!((part.name.as_str(), part.state), (text(change, "mesh"), State::New), "{file}");
                let [part] = &touched(&report.materials)[..] else { panic!("{report:?}") };
                assert_eq!((part.name.as_str(), part.state), (text(change, "material"), State::New));
                let ball = made.meshes.last().unwrap();
                assert_eq!(Some(ball.triangles.len() as u64), change["triangles"].as_u64());
                same_but(&before, &made, &["meshes", "materials"]);
                assert_eq!(before.meshes[..], made.meshes[..before.meshes.len()]);
            }
            "rename" => {
                let names =
                    |key: &str| -> [String; 2] { serde_json::from_value(change[key].clone()).unwrap() };
                let [was, is] = names("bone");
                let [part] = &touched(&report.joints)[..] else { panic!("{:?}", report.joints) };
                assert_eq!((&part.name, part.change.renamed.as_ref()), (&was, Some(&is)));
                let [was, is] = names("track");
                let [part] = &touched(&report.clips)[..] else { panic!("{:?}", report.clips) };
                assert_eq!((&part.name, part.change.renamed.as_ref()), (&was, Some(&is)));
                let [was, is] = names("mesh");
                let [part] = &touched(&report.meshes)[..] else { panic!("{:?}", report.meshes) };
                assert_eq!((&part.name, part.change.renamed.as_ref()), (&was, Some(&is)));
                assert_eq!(made.meshes[0].name, is);
                let [_, is] = names("material");
                assert!(made.materials.iter().any(|m| m.name == is));
                assert_eq!(before.meshes[0].positions, made.meshes[0].positions);
            }
            "deletebone" => {
                let [part] = &touched(&report.joints)[..] else { panic!("{:?}", report.joints) };
                assert_eq!((part.name.as_str(), part.state), (text(change, "bone"), State::Gone));
                assert_eq!(Some(made.skeletons[0].joints.len() as u64), change["bones_left"].as_u64());
                let weights: usize = report.meshes.iter().map(|part| part.change.weights).sum();
                assert_eq!(Some(weights as u64), change["vertices_moved_to_parent"].as_u64());
                assert!(touched(&report.clips).is_empty());
            }
            "retime" => {
                let [part] = &touched(&report.clips)[..] else { panic!("{:?}", report.clips) };
                assert_eq!(part.name, text(change, "clip"));
                let clip = made.clips.iter().find(|clip| clip.name == part.name).unwrap();
                let seconds = clip.seconds(f64::from(clip.frames - 1));
                assert!((seconds - change["seconds_after"].as_f64().unwrap()).abs() < 1e-4, "{seconds}");
                same_but(&before, &made, &["clips"]);
            }
            other => panic!("{file}: no test reads {other}"),
        }
        seen.push(text(&edit, "op").to_owned());
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.join(" "), "addmesh deletebone move newaction rename retime");
}

//! Compares the description of a model with the content of its file.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::files::Tree;
use meshwright::scene::{SceneOptions, Space};
use meshwright::{Bounds, Description, Model, NameSource, Opener};
use meshwright_testkit::testdata;
use std::fs;
use std::path::PathBuf;

fn open(path: &str) -> Model {
    let tree = Tree::open(testdata()).unwrap();
    Opener::new().open_in(&tree, path).unwrap()
}

fn described(asset: &Model, space: Space) -> Option<Description> {
    let scene = asset.scene_with(&SceneOptions::in_space(space)).ok()?.value;
    let mut described = asset.describe();
    described.add_scene(asset, &scene);
    Some(described)
}

fn sound() -> Vec<String> {
    let folders = fs::read_dir(testdata()).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()));
    let below = |path: PathBuf| path.strip_prefix(testdata()).unwrap().to_str().unwrap().to_owned();
    let mut names: Vec<String> = files.map(below).filter(|name| name.contains(".ok.")).collect();
    names.sort();
    names
}

/// The height in the file's unit equals that of the scene in metres.
#[test]
fn heights_are_told_along_the_axis_that_points_up() {
    let mut told = 0;
    let tree = Tree::open(testdata()).unwrap();
    for name in sound() {
        let Ok(asset) = Opener::new().open_in(&tree, &name) else { continue };
        let (Some(own), Some(gltf)) = (described(&asset, Space::File), described(&asset, Space::Gltf)) else {
            continue;
        };
        let (Some(height), Some(bounds)) = (own.height(), gltf.bounds) else { continue };
        let metres = height * own.metres.unwrap_or(1.0);
        let expected = Bounds::extent(&bounds, 1);
        assert!((metres - expected).abs() <= 1e-5 * expected.max(1.0), "{name}: {metres} and {expected}");
        told += 1;
    }
    assert!(told > 40, "{told}");
}

#[test]
fn a_model_is_told_with_all_that_belongs_to_it() {
    let asset = open("dpm/hopper.ok.dpm");
    let told = described(&asset, Space::File).unwrap();
    assert_eq!(told.bytes, asset.bytes().len());
    assert_eq!(told.meshes.iter().map(|m| m.vertices).sum::<usize>(), told.summary.vertices);
    assert_eq!(told.meshes.iter().map(|m| m.triangles).sum::<usize>(), told.summary.triangles);
    assert_eq!((told.bones.len(), told.clips.len()), (told.summary.bones, told.summary.clips));
    assert!(told.bones.iter().enumerate().all(|(i, bone)| bone.parent.is_none_or(|parent| parent < i)));
    assert_eq!(told.parts.len(), 1);
    assert!(told.memory.meshes > 0 && told.memory.motion > 0 && told.memory.total() > 0);
    assert!(told.materials.iter().all(|m| m.texture.as_ref() == Some(&m.name) && m.found.is_none()));
    // Without a scene what the file says is known.
    let bare = asset.describe();
    assert_eq!((bare.summary, bare.bounds, bare.meshes.len()), (told.summary, None, 0));
    let dialect = open("crucible/triangle.ok.cmesh").describe();
    assert!(dialect.dialect.is_some() && dialect.summary.notes.is_empty());
}

#[test]
fn names_of_clips_have_a_source() {
    let model = fs::read(testdata().join("dpm/hopper.ok.dpm")).unwrap();
    let text = b"1 4 6 1 run\n5 2 // some\n7 2\n".to_vec();
    let tree = Tree::memory([("m.dpm", model), ("m.dpm.framegroups", text)]).unwrap();
    let sources = |names| {
        let options = Opener::new().clip_names(names);
        let asset = options.open_in(&tree, "m.dpm").unwrap();
        described(&asset, Space::File).unwrap().clips.iter().map(|clip| clip.source).collect::<Vec<_>>()
    };
    use NameSource::{Comment, Engine, Frames, Line};
    assert_eq!(sources(meshwright::ClipNames::Engine), [Line, Engine, Engine]);
    assert_eq!(sources(meshwright::ClipNames::Comments), [Line, Comment, Engine]);
    assert_eq!(sources(meshwright::ClipNames::Frames), [Frames; 3]);
    let alone = Opener::new().companions(false).open_in(&tree, "m.dpm").unwrap();
    assert!(described(&alone, Space::File).unwrap().clips.iter().all(|clip| clip.source == Frames));
    let own = described(&open("bmd/windmill.ok.bmd"), Space::File).unwrap();
    assert!(own.clips.iter().all(|clip| clip.source == NameSource::File) && !own.clips.is_empty());
}

//! Compares models of different formats.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failing test panics")]

use meshwright::files::Tree;
use meshwright::scene::Scene;
use meshwright::{DiffOptions, Format, Opener, Target, WriteOptions, convert, diff};
use meshwright_testkit::testdata;

fn scene(path: &str) -> Scene {
    let tree = Tree::open(testdata()).unwrap();
    let asset = Opener::new().open_in(&tree, path).unwrap();
    asset.scene().unwrap().value
}

/// Converts a scene to another format and back.
fn by_way_of(scene: &Scene, to: Target) -> Scene {
    let options = WriteOptions::default().with_stem("m");
    let files = convert(scene, to, &options).unwrap().value;
    let files: Vec<_> = files.into_iter().map(|file| (file.name, file.bytes)).collect();
    let name = files[0].0.clone();
    let tree = Tree::memory(files.iter().map(|(name, bytes)| (name.as_str(), bytes.clone()))).unwrap();
    let asset = Opener::new().open_in(&tree, &name).unwrap();
    asset.scene().unwrap().value
}

fn codes(a: &Scene, b: &Scene) -> Vec<&'static str> {
    let found = diff(a, b, &DiffOptions::default()).unwrap();
    let mut codes: Vec<_> = found.differences.iter().map(|d| d.code).collect();
    codes.dedup();
    codes
}

#[test]
fn a_model_is_the_same_as_itself_and_by_way_of_gltf() {
    for path in ["dpm/hopper.ok.dpm", "dpm/pair.ok.zym", "bmd/windmill.ok.bmd", "tso/flower.ok.mesh"] {
        let own = scene(path);
        let found = diff(&own, &own, &DiffOptions::default()).unwrap();
        assert!(
            found.is_empty() && found.rest == 0.0 && found.clips.len() == own.clips.len(),
            "{path}: {found:?}"
        );
    }
    let own = scene("dpm/hopper.ok.dpm");
    let found = diff(&own, &by_way_of(&own, Target::Glb), &DiffOptions::default()).unwrap();
    let geometry =
        found.differences.iter().filter(|d| d.code.ends_with("vertices") || d.code.starts_with("clip"));
    assert_eq!(geometry.count(), 0, "{:?}", found.differences);
    assert_eq!(found.clips.len(), own.clips.len());
}

/// glTF has a material for every mesh, and ZYM no vertices without triangles.
#[test]
fn what_only_a_format_needs_is_no_difference() {
    let own = scene("crucible/normals.ok.cmesh");
    assert_eq!(codes(&own, &by_way_of(&own, Target::Glb)), [""; 0]);
    let (mut more, mut moved) = (own.clone(), own.clone());
    more.meshes[0].positions.push([1.0e3; 3]);
    more.meshes[0].normals.push([1.0, 0.0, 0.0]);
    assert_eq!(codes(&own, &more), [""; 0]);
    let corner = moved.meshes[0].triangles[0][0] as usize;
    moved.meshes[0].positions[corner] = [1.0e3; 3];
    assert!(codes(&own, &moved).contains(&"rest-vertices"));
}

/// Vertices are matched although their order and number differ.
#[test]
fn another_format_moves_as_the_first_does() {
    let own = scene("dpm/hopper.ok.dpm");
    for format in [Format::Iqm, Format::Dpm] {
        let other = by_way_of(&own, Target::Native(format));
        let options = DiffOptions::default().with_length(Some(0.02));
        let found = diff(&own, &other, &options).unwrap();
        let moved = found.differences.iter().filter(|d| d.code.ends_with("-vertices"));
        assert_eq!(moved.count(), 0, "{format}: {:?} {:?}", found.rest, found.clips);
        assert_eq!(found.clips.len(), own.clips.len(), "{format}");
    }
}

#[test]
fn what_is_changed_is_named() {
    let own = scene("dpm/hopper.ok.dpm");
    let changed = |change: &dyn Fn(&mut Scene)| {
        let mut other = own.clone();
        change(&mut other);
        codes(&own, &other)
    };
    assert_eq!(changed(&|s| s.clips[0].frames -= 1)[0], "clip-frames");
    assert_eq!(changed(&|s| s.clips[0].rate *= 2.0), ["clip-rate"]);
    assert_eq!(changed(&|s| s.clips[0].looping = !s.clips[0].looping), ["clip-loop"]);
    assert_eq!(changed(&|s| s.clips[0].name = "other".into()), ["clip-name"]);
    assert_eq!(changed(&|s| s.clips.truncate(1)), ["clip-missing"]);
    assert_eq!(changed(&|s| s.materials[0].name = "other".into())[..], ["mesh-material", "material-name"]);
    assert_eq!(changed(&|s| s.materials[0].base_color[1] = 0.25), ["material-color"]);
    assert_eq!(changed(&|s| s.skeletons[0].joints[1].parent = None)[..1], ["bone-parent"]);
    assert!(changed(&|s| s.meshes[0].triangles.truncate(1)).contains(&"triangle-count"));
    let moved = |s: &mut Scene| {
        let skin = s.meshes[0].skin.as_mut().unwrap();
        for local in &mut skin.local {
            local.position[0] += 5.0;
        }
        for position in &mut s.meshes[0].positions {
            position[0] += 5.0;
        }
    };
    let codes = changed(&moved);
    assert!(codes.contains(&"rest-vertices") && codes.contains(&"posed-vertices"), "{codes:?}");
    // Within the tolerance nothing has changed.
    let mut other = own.clone();
    moved(&mut other);
    let far = DiffOptions::default().with_length(Some(1000.0));
    assert!(diff(&own, &other, &far).unwrap().is_empty());
    let little = DiffOptions::default().with_memory(64);
    assert!(diff(&own, &other, &little).is_err());
}

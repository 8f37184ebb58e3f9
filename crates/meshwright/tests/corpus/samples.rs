//! Vertices of glTF documents of other tools, in every pose of an independent reader.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing,
    reason = "a failing test panics"
)]

use super::played::{json, models};
use meshwright::AnyModel;
use meshwright::gltf::import::Import;
use meshwright::rig::{Evaluator, Precision, world_transforms};
use meshwright::scene::MeshId;
use meshwright_testkit::corpus;
use serde_json::Value;

/// The tolerance of a vertex, relative to the extent.
const TOLERANCE: f64 = 1e-5;

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn index(value: &Value) -> usize {
    value.as_u64().map_or(0, |n| usize::try_from(n).unwrap())
}

fn corner(value: &Value) -> [f64; 3] {
    std::array::from_fn(|i| value[i].as_f64().unwrap_or(f64::NAN))
}

#[test]
fn vertices_are_where_an_independent_reader_has_them() {
    let root = corpus!();
    let mut seen = 0;
    for (entry, model) in models(&root) {
        let Ok(model) = model else { continue };
        let AnyModel::Gltf(file) = model.model() else { continue };
        let name = entry["file"].as_str().unwrap();
        let expected = json(&root.join(entry["expected"].as_str().unwrap()));
        let import = file.import("model", None).unwrap_or_else(|e| panic!("{name}: {e}")).0.value;
        import.scene.validate().unwrap();
        for pose in list(&expected, "poses") {
            let at = pose["clip"].as_u64().zip(pose["time"].as_f64()).map(|_| index(&pose["clip"]));
            let clip = at.map(|clip| &expected["clips"][clip]);
            // Animated morph targets are a loss.
            if clip.is_some_and(|clip| list(clip, "paths").iter().any(|path| path == "weights")) {
                continue;
            }
            let at = at.zip(pose["time"].as_f64());
            for instance in list(pose, "instances") {
                let keys = ["node", "mesh", "primitive"];
                let same = |e: &&Value| keys.iter().all(|key| e[*key] == instance[*key]);
                let listed = list(&expected, "instances").iter().find(same).unwrap();
                // Points and lines are a loss.
                if listed["mode"].as_u64().is_none_or(|mode| mode >= 4) {
                    let off = distance(&import, instance, index(&listed["vertices"]), at);
                    assert!(off <= TOLERANCE, "{name} at {at:?}: {instance}: off by {off:.1e} of the extent");
                    seen += 1;
                }
            }
        }
    }
    assert!(seen > 300, "{seen} instances");
}

/// Returns how far the nearest drawing of a primitive is from an expected one of `vertices` vertices, as a part of its
/// extent.
fn distance(import: &Import, instance: &Value, vertices: usize, at: Option<(usize, f64)>) -> f64 {
    let (low, high) = (corner(&instance["bbox"][0]), corner(&instance["bbox"][1]));
    let extent = low.iter().zip(high).map(|(a, b)| b - a).fold(1e-3, f64::max);
    let away = |positions: &Vec<[f64; 3]>| {
        // Vertices of primitives that share accessors have new numbers: then all must be in the box.
        if positions.len() != vertices {
            let outside =
                |p: &[f64; 3]| (0..3).map(|i| (low[i] - p[i]).max(p[i] - high[i])).fold(0.0, f64::max);
            return positions.iter().map(outside).fold(0.0, f64::max);
        }
        let pairs = list(instance, "positions").iter().map(corner).zip(list(instance, "at"));
        let off = pairs.flat_map(|(p, v)| (0..3).map(move |i| (p[i] - positions[index(v)][i]).abs()));
        off.fold(0.0, f64::max)
    };
    drawings(import, instance, at).iter().map(away).fold(f64::INFINITY, f64::min) / extent
}

/// Returns the positions of all instances of a primitive, in the pose of an animation.
fn drawings(import: &Import, instance: &Value, at: Option<(usize, f64)>) -> Vec<Vec<[f64; 3]>> {
    let scene = &import.scene;
    let worlds = world_transforms(scene).unwrap();
    let mut found = Vec::new();
    for (node, world) in scene.nodes.iter().zip(&worlds) {
        for &MeshId(m) in &node.meshes {
            let origin = import.origins[m];
            if (origin.mesh, origin.primitive) != (index(&instance["mesh"]), index(&instance["primitive"])) {
                continue;
            }
            let skin = scene.meshes[m].skin.as_ref();
            let mut evaluator = Evaluator::new(scene).unwrap().with_precision(Precision::Double);
            if let Some((animation, seconds)) = at {
                let moves = |c: &usize| {
                    import.animations[*c] == animation
                        && skin.is_none_or(|skin| scene.clips[*c].skeleton == skin.skeleton)
                };
                if let Some(clip) = (0..scene.clips.len()).find(moves) {
                    evaluator.pose_seconds(clip, seconds).unwrap();
                }
            }
            let place = |p: &[f32; 3]| {
                let p = p.map(f64::from);
                if skin.is_some() { p } else { world.transform_point3(p.into()).to_array() }
            };
            found.push(evaluator.mesh(MeshId(m)).unwrap().positions.iter().map(place).collect());
        }
    }
    found
}

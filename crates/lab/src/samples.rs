//! glTF documents of other tools against where an independent reader puts their vertices.

use crate::json::{array, read};
use meshwright::gltf::GltfFile;
use meshwright::gltf::import::Import;
use meshwright::rig::{Evaluator, Precision, world_transforms};
use meshwright::scene::MeshId;
use serde_json::Value;
use std::path::Path;

/// An extension that documents of the corpus require, and that is not read.
const DRACO: &[u8] = b"\"KHR_draco_mesh_compression\"";

/// The tolerance of a vertex, relative to the extent.
const TOLERANCE: f64 = 1e-5;

/// A primitive as a node draws it, in a pose.
struct Instance<'v> {
    value: &'v Value,
    mesh: usize,
    primitive: usize,
    /// The number of vertices in the file.
    vertices: usize,
}

/// Returns true for a document that cannot be opened without support for its extension.
pub(crate) fn unreadable(path: &Path) -> bool {
    let names = |bytes: Vec<u8>| bytes.windows(DRACO.len()).any(|part| part == DRACO);
    read(path).is_ok_and(|bytes| GltfFile::sniff(&bytes) > meshwright::Confidence::No && names(bytes))
}

/// Every instance in every pose of a reference.
pub(crate) fn check(file: &GltfFile, expected: &Value) -> Result<(), String> {
    let (made, _) = file.import("model", None).map_err(|e| format!("{e} [{}]", e.code()))?;
    let import = made.value;
    import.scene.validate().map_err(|e| format!("the scene is broken: {e}"))?;
    for pose in array(expected, "poses") {
        let at = match (pose["clip"].as_u64(), pose["time"].as_f64()) {
            // Animated morph targets are a loss.
            (Some(clip), _) if morphs(expected, clip) => continue,
            (Some(clip), Some(time)) => Some((index(clip), time)),
            _ => None,
        };
        for value in array(pose, "instances") {
            let same = |e: &&Value| ["node", "mesh", "primitive"].iter().all(|key| e[*key] == value[*key]);
            let listed = array(expected, "instances").iter().find(same).ok_or("an instance is not listed")?;
            // Points and lines are a loss.
            if listed["mode"].as_u64().is_some_and(|mode| mode < 4) {
                continue;
            }
            let number = |value: &Value, key: &str| index(value[key].as_u64().unwrap_or(0));
            let (mesh, primitive) = (number(value, "mesh"), number(value, "primitive"));
            let instance = Instance { value, mesh, primitive, vertices: number(listed, "vertices") };
            compare(&import, &instance, at)
                .map_err(|e| format!("at {at:?}: mesh {mesh}.{primitive}: {e}"))?;
        }
    }
    Ok(())
}

fn index(n: u64) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX)
}

fn morphs(expected: &Value, clip: u64) -> bool {
    array(expected, "clips")
        .get(index(clip))
        .is_some_and(|c| array(c, "paths").iter().any(|p| p == "weights"))
}

fn corner(value: &Value) -> [f64; 3] {
    std::array::from_fn(|i| value[i].as_f64().unwrap_or(f64::NAN))
}

/// One of the places where the primitive is drawn is the one that is expected.
fn compare(import: &Import, instance: &Instance<'_>, at: Option<(usize, f64)>) -> Result<(), String> {
    let (low, high) = (corner(&instance.value["bbox"][0]), corner(&instance.value["bbox"][1]));
    let extent = low.iter().zip(high).map(|(a, b)| b - a).fold(1e-3, f64::max);
    let wanted: Vec<_> = array(instance.value, "positions").iter().map(corner).collect();
    let numbers = array(instance.value, "at").iter().filter_map(Value::as_u64).map(index);
    let numbers: Vec<usize> = numbers.collect();
    let away = |positions: &Vec<[f64; 3]>| {
        // Vertices of primitives that share accessors have new numbers: then all must be in the box.
        if positions.len() != instance.vertices {
            let outside =
                |p: &[f64; 3]| (0..3).map(|i| (low[i] - p[i]).max(p[i] - high[i])).fold(0.0, f64::max);
            return positions.iter().map(outside).fold(0.0, f64::max);
        }
        let pairs = wanted.iter().zip(&numbers);
        let differences = pairs.flat_map(|(w, v)| w.iter().zip(positions[*v]).map(|(a, b)| (a - b).abs()));
        differences.fold(0.0, f64::max)
    };
    let best = drawn_positions(import, instance, at)?.iter().map(away).fold(f64::INFINITY, f64::min) / extent;
    if best <= TOLERANCE { Ok(()) } else { Err(format!("off by {best:.1e} of the extent")) }
}

/// Returns the positions of all instances of a primitive, in the pose of an animation.
fn drawn_positions(
    import: &Import,
    instance: &Instance<'_>,
    at: Option<(usize, f64)>,
) -> Result<Vec<Vec<[f64; 3]>>, String> {
    let scene = &import.scene;
    let worlds = world_transforms(scene).map_err(|e| e.to_string())?;
    let mut found = Vec::new();
    for (node, world) in scene.nodes.iter().zip(&worlds) {
        for &MeshId(m) in &node.meshes {
            let origin = import.origins[m];
            if (origin.mesh, origin.primitive) != (instance.mesh, instance.primitive) {
                continue;
            }
            let skin = scene.meshes[m].skin.as_ref();
            let new = Evaluator::new(scene).map_err(|e| e.to_string())?;
            let mut evaluator = new.with_precision(Precision::Double);
            if let Some((animation, seconds)) = at {
                let moves = |c: &usize| {
                    import.animations[*c] == animation
                        && skin.is_none_or(|skin| scene.clips[*c].skeleton == skin.skeleton)
                };
                if let Some(clip) = (0..scene.clips.len()).find(moves) {
                    evaluator.pose_seconds(clip, seconds).map_err(|e| e.to_string())?;
                }
            }
            let posed = evaluator.mesh(MeshId(m)).map_err(|e| e.to_string())?;
            let place = |p: &[f32; 3]| {
                let p = p.map(f64::from);
                if skin.is_some() { p } else { world.transform_point3(p.into()).to_array() }
            };
            found.push(posed.positions.iter().map(place).collect());
        }
    }
    Ok(found)
}

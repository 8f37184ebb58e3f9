//! Dumps and played GLBs against what they should be.

use crate::json::{array, text};
use crate::kinds::{Kind, Tolerance};
use meshwright::Format;
use meshwright::dump::PoseRef;
use meshwright::gltf::Gltf;
use meshwright::gltf::playback::PrimitivePose;
use meshwright::rig::Evaluator;
use meshwright::scene::{MeshPose, Scene};
use serde::Deserialize;
use serde_json::Value;

/// What is compared of a dump.
#[derive(Debug, Deserialize)]
pub(crate) struct Dump {
    format: String,
    sha256: String,
    bones: Vec<Bone>,
    clips: Vec<Clip>,
    meshes: Vec<Mesh>,
}

#[derive(Debug, Deserialize)]
struct Bone {
    name: String,
    parent: i64,
}

#[derive(Debug, Deserialize)]
struct Clip {
    name: String,
    frames: u32,
    fps: f32,
    #[serde(rename = "loop")]
    looping: bool,
}

#[derive(Debug, Deserialize)]
struct Mesh {
    material: Option<String>,
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
    uvs: Option<Vec<[Float; 2]>>,
    colors: Option<Vec<[u8; 4]>>,
    poses: Vec<Pose>,
}

#[derive(Debug, Deserialize)]
struct Pose {
    clip: Option<u64>,
    frame: Option<u64>,
    positions: Vec<[Float; 3]>,
    normals: Option<Vec<[Float; 3]>>,
}

/// A number, or text for what JSON has no number for.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(from = "Value")]
struct Float(f32);

impl From<Value> for Float {
    #[expect(clippy::cast_possible_truncation, reason = "a 32-bit float in decimal")]
    fn from(value: Value) -> Self {
        Self(number(&value) as f32)
    }
}

/// How far positions of a model of this extent may be off, at rest and posed.
fn allowed(family: &str, extent: f64) -> Result<(f64, f64), String> {
    let format = Format::ALL.iter().find(|f| f.family() == family).ok_or("no such family")?;
    let Tolerance { rest, posed, added } = Kind::of_format(*format).tolerance;
    Ok((rest * extent + added, posed * extent + added))
}

/// The longest side of the box around some points.
pub(crate) fn extent<'a>(points: impl Iterator<Item = &'a [f32; 3]>) -> f64 {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    for p in points {
        for i in 0..3 {
            low[i] = low[i].min(f64::from(p[i]));
            high[i] = high[i].max(f64::from(p[i]));
        }
    }
    (0..3).map(|i| high[i] - low[i]).fold(0.0, f64::max)
}

/// The poses that a reference dump lists, the rest pose aside.
pub(crate) fn poses(expected: &Value) -> Vec<PoseRef> {
    let mut found = Vec::new();
    for pose in array(expected, "meshes").iter().flat_map(|m| array(m, "poses")) {
        let number = |key: &str| pose.get(key).and_then(Value::as_u64);
        let frame = number("frame").and_then(|f| u32::try_from(f).ok());
        let clip = number("clip").and_then(|c| usize::try_from(c).ok());
        let wanted = match (clip, frame) {
            (Some(clip), Some(frame)) => PoseRef::Clip { clip, frame },
            (None, Some(frame)) => PoseRef::File { frame },
            _ => continue,
        };
        if !found.contains(&wanted) {
            found.push(wanted);
        }
    }
    found
}

fn same<T: PartialEq + std::fmt::Debug>(what: impl Fn() -> String, ours: T, theirs: T) -> Result<(), String> {
    if ours == theirs { Ok(()) } else { Err(format!("{}: {ours:?}, expected {theirs:?}", what())) }
}

/// Takes the clips that are not `kept` out of a reference dump, and the poses in them.
pub(crate) fn keep_clips(expected: &mut Value, kept: &[bool]) {
    let number = |clip: u64| {
        let clip = usize::try_from(clip).ok()?;
        kept.get(clip)?.then(|| kept[..clip].iter().filter(|k| **k).count())
    };
    if let Some(clips) = expected["clips"].as_array_mut() {
        let mut kept = kept.iter();
        clips.retain(|_| kept.next().is_some_and(|k| *k));
    }
    for mesh in expected["meshes"].as_array_mut().into_iter().flatten() {
        let Some(poses) = mesh["poses"].as_array_mut() else { continue };
        poses.retain_mut(|pose| {
            let Some(clip) = pose["clip"].as_u64() else { return true };
            let new = number(clip);
            pose["clip"] = new.into();
            new.is_some()
        });
    }
}

/// Compares a dump with a reference dump.
pub(crate) fn dumps(ours: &Dump, theirs: &Value) -> Result<(), String> {
    same(|| "format".into(), &ours.format, &text(theirs, "format"))?;
    same(|| "sha256".into(), &ours.sha256, &text(theirs, "sha256"))?;
    let bones = array(theirs, "bones");
    same(|| "bones".into(), ours.bones.len(), bones.len())?;
    for (i, (bone, theirs)) in ours.bones.iter().zip(bones).enumerate() {
        same(|| format!("bones[{i}].name"), bone.name.as_str(), &text(theirs, "name"))?;
        same(
            || format!("bones[{i}].parent"),
            Some(bone.parent),
            theirs.get("parent").and_then(Value::as_i64),
        )?;
    }
    let clips = array(theirs, "clips");
    same(|| "clips".into(), ours.clips.len(), clips.len())?;
    for (i, (clip, theirs)) in ours.clips.iter().zip(clips).enumerate() {
        same(|| format!("clips[{i}].name"), clip.name.as_str(), &text(theirs, "name"))?;
        let frames = theirs.get("frames").and_then(Value::as_u64);
        same(|| format!("clips[{i}].frames"), Some(u64::from(clip.frames)), frames)?;
        if let Some(fps) = theirs.get("fps").and_then(Value::as_f64) {
            near(|| format!("clips[{i}].fps"), f64::from(clip.fps), fps, 1e-6 * fps)?;
        }
        if let Some(looping) = theirs.get("loop").and_then(Value::as_bool) {
            same(|| format!("clips[{i}].loop"), clip.looping, looping)?;
        }
    }
    meshes(ours, theirs)
}

fn near(what: impl Fn() -> String, ours: f64, theirs: f64, tolerance: f64) -> Result<(), String> {
    // Values that are not numbers must be the same kind of no number.
    let equal = ours == theirs || (ours.is_nan() && theirs.is_nan());
    if equal || (ours - theirs).abs() <= tolerance {
        Ok(())
    } else {
        Err(format!("{}: {ours}, expected {theirs} within {tolerance:.2e}", what()))
    }
}

fn number(value: &Value) -> f64 {
    match value {
        #[expect(clippy::cast_possible_truncation, reason = "a reference value is a 32-bit float in decimal")]
        Value::Number(n) => n.as_f64().map_or(f64::NAN, |v| f64::from(v as f32)),
        Value::String(s) => s.parse().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

fn rows<const N: usize>(
    what: impl Fn() -> String,
    ours: Option<&Vec<[Float; N]>>,
    theirs: Option<&Value>,
    tolerance: f64,
    skip: &[u64],
) -> Result<(), String> {
    let theirs = theirs.and_then(Value::as_array);
    let empty = Vec::new();
    same(
        || format!("{} present", what()),
        ours.is_some_and(|o| !o.is_empty()),
        theirs.is_some_and(|t| !t.is_empty()),
    )?;
    let (ours, theirs) = (ours.unwrap_or(&empty), theirs.map_or(&[][..], Vec::as_slice));
    same(|| format!("{} length", what()), ours.len(), theirs.len())?;
    for (i, (row, theirs)) in ours.iter().zip(theirs).enumerate() {
        if skip.contains(&(i as u64)) {
            continue;
        }
        for (c, ours) in row.iter().enumerate() {
            let value = theirs.get(c).map_or(f64::NAN, number);
            near(|| format!("{}[{i}][{c}]", what()), f64::from(ours.0), value, tolerance)?;
        }
    }
    Ok(())
}

fn meshes(ours: &Dump, theirs: &Value) -> Result<(), String> {
    let list = array(theirs, "meshes");
    same(|| "meshes".into(), ours.meshes.len(), list.len())?;
    let points: Vec<[f32; 3]> = ours
        .meshes
        .iter()
        .filter_map(|m| m.poses.first())
        .flat_map(|p| &p.positions)
        .map(|p| p.map(|c| c.0))
        .collect();
    let (rest, posed) = allowed(&ours.format, extent(points.iter()))?;
    let unreliable: Vec<u64> = theirs
        .get("native")
        .and_then(|n| n.get("unreliable_normals"))
        .and_then(Value::as_array)
        .map_or_else(Vec::new, |l| l.iter().filter_map(Value::as_u64).collect());
    for (i, (mesh, theirs)) in ours.meshes.iter().zip(list).enumerate() {
        let at = |field: &str| format!("meshes[{i}].{field}");
        // Which texture goes with a TSO mesh is in another file than the mesh.
        if ours.format != "tso" {
            let material = theirs.get("material").and_then(Value::as_str);
            same(|| at("material"), mesh.material.as_deref(), material)?;
        }
        same(
            || at("vertex_count"),
            Some(mesh.vertex_count as u64),
            theirs.get("vertex_count").and_then(Value::as_u64),
        )?;
        let triangles: Vec<[u32; 3]> =
            serde_json::from_value(theirs.get("triangles").cloned().unwrap_or_default())
                .map_err(|e| e.to_string())?;
        if mesh.triangles != triangles {
            return Err(at("triangles"));
        }
        let colors: Option<Vec<[u8; 4]>> =
            serde_json::from_value(theirs.get("colors").cloned().unwrap_or_default())
                .map_err(|e| e.to_string())?;
        same(|| at("colors"), mesh.colors.clone(), colors.filter(|c| !c.is_empty()))?;
        // Runs of a ZYM file share one vertex array, which its dump lists with the first of them only.
        let shared =
            theirs.get("native").and_then(|n| n.get("vertices_shared_with")).is_some_and(|v| !v.is_null());
        if !shared {
            rows(|| at("uvs"), mesh.uvs.as_ref(), theirs.get("uvs"), 0.0, &[])?;
        }
        for pose in array(theirs, "poses") {
            let clip = pose.get("clip").and_then(Value::as_u64);
            let frame = pose.get("frame").and_then(Value::as_u64);
            let found = mesh.poses.iter().find(|p| (p.clip, p.frame) == (clip, frame));
            let found = found.ok_or_else(|| format!("{}: no pose {clip:?}:{frame:?}", at("poses")))?;
            let tolerance = if clip.is_none() && frame.is_none() { rest } else { posed };
            let at = |field: &str| format!("meshes[{i}] at {clip:?}:{frame:?} {field}");
            rows(|| at("positions"), Some(&found.positions), pose.get("positions"), tolerance, &[])?;
            rows(|| at("normals"), found.normals.as_ref(), pose.get("normals"), tolerance, &unreliable)?;
        }
    }
    Ok(())
}

/// Compares meshes with a list of positions for each.
pub(crate) fn blended(ours: &[MeshPose], theirs: &Value) -> Result<(), String> {
    let list = theirs.as_array().map_or(&[][..], Vec::as_slice);
    same(|| "lerp".into(), ours.len(), list.len())?;
    let (_, tolerance) = allowed("dpm", extent(ours.iter().flat_map(|m| &m.positions)))?;
    for (i, (mesh, theirs)) in ours.iter().zip(list).enumerate() {
        let positions: Vec<_> = mesh.positions.iter().map(|p| p.map(Float)).collect();
        rows(|| format!("lerp: meshes[{i}]"), Some(&positions), Some(theirs), tolerance, &[])?;
    }
    Ok(())
}

/// Every mesh that the scene draws, played from a GLB, lies where the native evaluation has it.
pub(crate) fn playback(
    scene: &Scene,
    gltf: &Gltf<'_>,
    native: &Evaluator<&Scene>,
    played: &[PrimitivePose],
    tolerance: f64,
) -> Result<(), String> {
    let drawn = scene.drawn().ok_or("the nodes form a cycle")?;
    let drawn: Vec<_> = drawn
        .iter()
        .filter_map(|(_, mesh, place)| {
            Some((gltf.mesh_sources().iter().position(|m| m == mesh)?, *mesh, place))
        })
        .collect();
    same(|| "drawn primitives".into(), played.len(), drawn.len())?;
    for (index, mesh, place) in drawn {
        let pose = native.mesh(mesh).map_err(|e| e.to_string())?;
        let positions: Vec<_> = pose.positions.iter().map(|p| place.point(*p)).collect();
        // A mesh may hang from several nodes; each drawing has its own place.
        let error = played
            .iter()
            .filter(|p| p.mesh == index && p.positions.len() == positions.len())
            .map(|p| {
                positions.iter().zip(&p.positions).fold(0.0, |worst: f64, (a, b)| {
                    (0..3).fold(worst, |worst, i| worst.max((f64::from(a[i]) - b[i]).abs()))
                })
            })
            .fold(f64::INFINITY, f64::min);
        if error > tolerance {
            return Err(format!("meshes[{}] is {error:.3e} away, {tolerance:.3e} allowed", mesh.0));
        }
    }
    Ok(())
}

//! A model as JSON, in the schema of the reference dumps that independent readers of these formats write.
//!
//! Positions, normals and texture coordinates are in the file's own space and units; colours are bytes.

mod json;

pub use json::write_json;

use crate::{AnyModel, Companions};
use meshwright_rig::{Evaluator, Precision, RigError};
use meshwright_scene::{Budget, Clip, ConvertError, Extra, Mesh, MeshPose, Scene, SceneOptions, Space};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// A pose to dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PoseRef {
    /// A frame of a clip, by index.
    Clip {
        /// The clip.
        clip: usize,
        /// Its frame, from 0.
        frame: u32,
    },
    /// A frame of the file, for formats that have a frame table.
    File {
        /// The frame, from 0.
        frame: u32,
    },
}

/// What to dump, and how.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct DumpOptions {
    /// The poses that follow the rest pose. None unless said otherwise.
    pub poses: Vec<PoseRef>,
    /// In how many bits the poses are computed. 64 unless said otherwise, since a dump is a reference.
    pub precision: Precision,
    /// Bytes that the scene may take. 256 MiB unless said otherwise.
    pub memory: u64,
}

impl Default for DumpOptions {
    fn default() -> Self {
        Self { poses: Vec::new(), precision: Precision::Double, memory: 256 << 20 }
    }
}

impl DumpOptions {
    /// The same options with these poses.
    #[must_use]
    pub fn with_poses(mut self, poses: Vec<PoseRef>) -> Self {
        self.poses = poses;
        self
    }

    /// The same options with poses in another precision.
    #[must_use]
    pub const fn with_precision(mut self, precision: Precision) -> Self {
        self.precision = precision;
        self
    }

    /// The same options with another limit of bytes.
    #[must_use]
    pub const fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }
}

/// Why a model cannot be dumped.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DumpError {
    /// The model cannot be turned into a scene.
    #[error(transparent)]
    Convert(#[from] ConvertError),
    /// The scene cannot be posed.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A pose was asked for that the model does not have.
    #[error("there is no {0}")]
    NoPose(String),
}

/// A model's dump.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Dump {
    /// The format's family.
    pub format: &'static str,
    /// Where the file came from.
    pub source: String,
    /// The SHA-256 of the file.
    pub sha256: String,
    /// All bones.
    pub bones: Vec<DumpBone>,
    /// All clips.
    pub clips: Vec<DumpClip>,
    /// All meshes.
    pub meshes: Vec<DumpMesh>,
    native: Value,
}

/// A bone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DumpBone {
    /// Its name.
    pub name: String,
    /// The parent's index, -1 at a root.
    pub parent: i64,
}

/// A clip.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DumpClip {
    /// Its name.
    pub name: String,
    /// How many frames it has.
    pub frames: u32,
    /// Frames per second; 0 where the file leaves it open.
    pub fps: f32,
    /// Whether it loops.
    #[serde(rename = "loop")]
    pub looping: bool,
}

/// A mesh.
#[derive(Clone, Debug, Serialize)]
pub struct DumpMesh {
    /// The material's name.
    pub material: Option<String>,
    /// How many vertices there are.
    pub vertex_count: usize,
    /// How many triangles there are.
    pub triangle_count: usize,
    /// Triangles in file order.
    pub triangles: Vec<[u32; 3]>,
    /// Texture coordinates.
    pub uvs: Option<Vec<[Float; 2]>>,
    /// Vertex colours.
    pub colors: Option<Vec<[u8; 4]>>,
    /// The rest pose and those asked for.
    pub poses: Vec<DumpPose>,
}

/// A posed mesh.
#[derive(Clone, Debug, Serialize)]
pub struct DumpPose {
    /// The clip; absent for the rest pose and for a frame of the file.
    pub clip: Option<usize>,
    /// The frame of the clip, or of the file.
    pub frame: Option<u32>,
    /// Positions in model space.
    pub positions: Vec<[Float; 3]>,
    /// Normals in model space as the format's evaluation gives them, of length 1 only where it makes them so.
    pub normals: Option<Vec<[Float; 3]>>,
}

/// A float that JSON may have no number for; then it is written as text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Float(pub f32);

impl Serialize for Float {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_finite() {
            serializer.serialize_f32(self.0)
        } else {
            serializer.serialize_str(no_number(self.0.into()))
        }
    }
}

/// The text for a float that JSON has no number for.
const fn no_number(v: f64) -> &'static str {
    if v.is_nan() {
        "NaN"
    } else if v > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}

impl Dump {
    /// Dumps a model: the rest pose, then the poses asked for.
    ///
    /// `source` says where the file came from, `bytes` are its content.
    ///
    /// # Errors
    /// When the model cannot be turned into a scene, when the scene cannot be posed, or when it has no such pose.
    pub fn new(
        model: &AnyModel,
        companions: &Companions,
        source: &str,
        bytes: &[u8],
        options: &DumpOptions,
    ) -> Result<Self, DumpError> {
        let file = SceneOptions::in_space(Space::File).with_extras(true).with_memory(options.memory);
        let mut scene = match model.to_scene("", companions, &file) {
            Ok(converted) => converted.value,
            Err(e @ ConvertError::Unsupported { .. }) => {
                return Self::without_scene(model, companions, source, bytes).ok_or(e.into());
            }
            Err(e) => return Err(e.into()),
        };
        let budget = file.budget();
        let clips = clips(model, companions, &scene, &budget)?;
        // Any number of meshes can share a long name.
        let shared = scene.meshes.iter().filter_map(|m| scene.materials.get(m.material?.0));
        shared.map(|m| m.name.len()).try_for_each(|n| charge_name(&budget, n, 1))?;
        let own_clips = scene.clips.len();
        scene.clips.extend(model.file_clip());
        let mut meshes: Vec<_> = scene.meshes.iter().map(|mesh| DumpMesh::new(&scene, mesh)).collect();
        pose(model, &scene, own_clips, options, &mut meshes)?;
        Ok(Self {
            format: model.format().family(),
            source: source.to_owned(),
            sha256: hex(&Sha256::digest(bytes)),
            bones: bones(model, companions, &scene),
            clips,
            meshes: stored(model, meshes),
            native: native(&scene),
        })
    }

    /// The dump of a file that holds nothing to draw: a chunk without positions, an animation, a binding.
    fn without_scene(model: &AnyModel, companions: &Companions, source: &str, bytes: &[u8]) -> Option<Self> {
        let meshes = match model {
            #[cfg(feature = "crucible")]
            AnyModel::CrucibleMesh(m) => vec![DumpMesh::of_chunk(m)],
            #[cfg(feature = "crucible")]
            AnyModel::CrucibleModel(m) => m.meshes.iter().map(DumpMesh::of_chunk).collect(),
            #[cfg(feature = "tso")]
            AnyModel::TsoAnimation(_) | AnyModel::TsoBinding(_) => Vec::new(),
            #[cfg(feature = "dpm")]
            AnyModel::FrameGroups(_) => Vec::new(),
            #[cfg(feature = "fsomodel")]
            AnyModel::FsoMetadata(_) => Vec::new(),
            _ => return None,
        };
        let clips = match model {
            #[cfg(feature = "tso")]
            AnyModel::TsoAnimation(a) => vec![DumpClip::of_animation(a)],
            _ => Vec::new(),
        };
        Some(Self {
            format: model.format().family(),
            source: source.to_owned(),
            sha256: hex(&Sha256::digest(bytes)),
            bones: bones(model, companions, &Scene::default()),
            clips,
            meshes,
            native: fields(model),
        })
    }

    /// The dump as one JSON document, safe on a terminal.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        // Every value has a JSON form by construction.
        let _ = write_json(&mut out, self);
        String::from_utf8(out).unwrap_or_default()
    }
}

/// The clips as the file has them.
fn clips(
    model: &AnyModel,
    companions: &Companions,
    scene: &Scene,
    budget: &Budget,
) -> Result<Vec<DumpClip>, ConvertError> {
    // A scene has a rate for every clip, and no clips without bones; the file need not.
    #[cfg(feature = "bmd")]
    if let AnyModel::Bmd(m) = model {
        let names = m.clips.iter().flat_map(|c| &c.name);
        // A byte beyond ASCII takes two in UTF-8.
        names.map(|n| n.bytes().len()).try_for_each(|n| charge_name(budget, n, 2))?;
        return Ok(m.clips.iter().map(DumpClip::from).collect());
    }
    let _ = budget;
    let clip = |(i, clip): (usize, &Clip)| DumpClip {
        fps: model.stored_rate(i, companions).unwrap_or(clip.rate),
        ..DumpClip::from(clip)
    };
    Ok(scene.clips.iter().enumerate().map(clip).collect())
}

fn charge_name(budget: &Budget, bytes: usize, each: usize) -> Result<(), ConvertError> {
    Ok(budget.charge_items("names", bytes as u64, each)?)
}

/// Adds the rest pose and those asked for. Behind the scene's `own_clips` there is one of all frames of the file.
fn pose(
    model: &AnyModel,
    scene: &Scene,
    own_clips: usize,
    options: &DumpOptions,
    meshes: &mut [DumpMesh],
) -> Result<(), DumpError> {
    let evaluator = Evaluator::new(scene)?.with_precision(options.precision);
    let mut evaluator = evaluator.with_normals(model.normals());
    let mut add = |clip, frame, posed: Vec<MeshPose>| {
        meshes.iter_mut().zip(posed).for_each(|(mesh, posed)| mesh.push(clip, frame, posed));
    };
    // The rest pose is what the conversion itself worked out.
    add(None, None, scene.meshes.iter().map(rest).collect());
    for asked in &options.poses {
        let (clip, frame, index) = match *asked {
            PoseRef::Clip { clip, frame } => (Some(clip), frame, clip),
            PoseRef::File { frame } => (None, frame, own_clips),
        };
        let own = clip.is_none_or(|clip| clip < own_clips);
        if !own || scene.clips.get(index).is_none_or(|c| frame >= c.frames) {
            let what = clip.map_or("file".into(), |c| format!("clip {c}"));
            return Err(DumpError::NoPose(format!("frame {frame} of {what}")));
        }
        let posed = match exact(model, index, frame, options.precision) {
            Some(posed) => posed,
            None => {
                evaluator.pose(Some((index, f64::from(frame))))?;
                evaluator.meshes()?
            }
        };
        add(clip, Some(frame), posed);
    }
    Ok(())
}

/// Without motion a dump holds what is stored, floats that no scene may hold included.
fn stored(model: &AnyModel, mut meshes: Vec<DumpMesh>) -> Vec<DumpMesh> {
    match model {
        #[cfg(feature = "crucible")]
        AnyModel::CrucibleMesh(m) => vec![DumpMesh::of_chunk(m)],
        #[cfg(feature = "crucible")]
        AnyModel::CrucibleModel(m) => m.meshes.iter().map(DumpMesh::of_chunk).collect(),
        #[cfg(feature = "fsomodel")]
        AnyModel::Fso(m) => {
            meshes.iter_mut().zip(m.spans()).for_each(|(mesh, span)| mesh.set_stored(&span));
            meshes
        }
        _ => meshes,
    }
}

impl From<&Clip> for DumpClip {
    fn from(clip: &Clip) -> Self {
        Self { name: clip.name.clone(), frames: clip.frames, fps: clip.rate, looping: clip.looping }
    }
}

impl DumpClip {
    /// As its clip would be on a skeleton.
    #[cfg(feature = "tso")]
    fn of_animation(a: &meshwright_tso::Anim) -> Self {
        #[expect(clippy::cast_precision_loss, reason = "30 is exact")]
        let fps = meshwright_tso::FRAME_RATE as f32;
        Self { name: a.name.text(), frames: a.frames().max(1), fps, looping: false }
    }
}

#[cfg(feature = "bmd")]
impl From<&meshwright_bmd::Clip> for DumpClip {
    fn from(clip: &meshwright_bmd::Clip) -> Self {
        Self {
            name: clip.name.as_ref().map(meshwright_bmd::Name::text).unwrap_or_default(),
            frames: clip.frames.into(),
            fps: clip.rate.frames_per_second(),
            looping: clip.rate.is_looping(),
        }
    }
}

impl DumpMesh {
    /// A Crucible chunk by its streams, whichever it has.
    #[cfg(feature = "crucible")]
    fn of_chunk(chunk: &meshwright_crucible::Chunk<'_>) -> Self {
        let floats =
            |f: meshwright_crucible::Floats<'_, 3>| f.iter().map(|p| p.map(|c| Float(c.get()))).collect();
        let plane = chunk.positions_2d().into_iter().flat_map(|p| p.iter().collect::<Vec<_>>());
        let plane = plane.map(|[x, y]| [Float(x.get()), Float(y.get()), Float(0.0)]);
        let triangles: Vec<_> = chunk.triangles().collect();
        Self {
            material: None,
            vertex_count: chunk.vertex_count(),
            triangle_count: triangles.len(),
            triangles,
            uvs: chunk.uvs().map(|uvs| uvs.iter().map(|uv| uv.map(|c| Float(c.get()))).collect()),
            colors: chunk.colors().map(<[_]>::to_vec),
            poses: vec![DumpPose {
                clip: None,
                frame: None,
                positions: chunk.positions().map_or_else(|| plane.collect(), floats),
                normals: chunk.normals().map(floats),
            }],
        }
    }

    /// The vertices that an FSOMODEL mesh spans, as they are stored.
    #[cfg(feature = "fsomodel")]
    fn set_stored(&mut self, span: &meshwright_fsomodel::Vertices<'_>) {
        let float = |c: meshwright_core::F32| Float(c.get());
        self.uvs = Some(span.iter().map(|v| [float(v.uv[0]), float(v.uv[1])]).collect());
        self.poses = vec![DumpPose {
            clip: None,
            frame: None,
            positions: span.iter().map(|v| v.position.map(float)).collect(),
            normals: Some(span.iter().map(|v| v.normal.map(float)).collect()),
        }];
    }

    fn new(scene: &Scene, mesh: &Mesh) -> Self {
        let material = mesh.material.and_then(|m| scene.materials.get(m.0));
        let uvs = || mesh.uvs.iter().map(|uv| uv.map(Float)).collect();
        Self {
            material: material.map(|m| m.name.clone()),
            vertex_count: mesh.positions.len(),
            triangle_count: mesh.triangles.len(),
            triangles: mesh.triangles.clone(),
            uvs: (!mesh.uvs.is_empty()).then(uvs),
            colors: (!mesh.colors.is_empty()).then(|| mesh.colors.clone()),
            poses: Vec::new(),
        }
    }

    fn push(&mut self, clip: Option<usize>, frame: Option<u32>, posed: MeshPose) {
        let floats = |v: Vec<[f32; 3]>| v.into_iter().map(|p| p.map(Float)).collect();
        let normals = (!posed.normals.is_empty()).then(|| floats(posed.normals));
        self.poses.push(DumpPose { clip, frame, positions: floats(posed.positions), normals });
    }
}

/// The bones that are stored somewhere: in the model's scene, or in a Crucible skeleton, whose scene hangs a bone from
/// none where the parent is flat.
fn bones(model: &AnyModel, companions: &Companions, scene: &Scene) -> Vec<DumpBone> {
    let parent = |p: Option<i64>| p.unwrap_or(-1);
    #[cfg(feature = "crucible")]
    {
        let skeleton = match model {
            AnyModel::CrucibleSkeleton(s) => Some(Some(&**s)),
            AnyModel::CrucibleMesh(_) | AnyModel::CrucibleModel(_) => {
                Some(companions.one::<meshwright_crucible::SkeletonChunk>())
            }
            _ => None,
        };
        if let Some(skeleton) = skeleton {
            let bones = skeleton.map_or(&[][..], |s| &s.bones).iter().enumerate();
            let bone = |(i, b): (usize, &meshwright_crucible::Bone)| DumpBone {
                name: format!("bone{i}"),
                parent: parent(b.parent.map(i64::from)),
            };
            return bones.map(bone).collect();
        }
    }
    let _ = (model, companions);
    let bone = |j: &meshwright_scene::Joint| DumpBone {
        name: j.name.clone(),
        parent: parent(j.parent.and_then(|p| i64::try_from(p).ok())),
    };
    scene.skeletons.iter().flat_map(|s| s.joints.iter().map(bone)).collect()
}

fn rest(mesh: &Mesh) -> MeshPose {
    MeshPose { positions: mesh.positions.clone(), normals: mesh.normals.clone() }
}

/// The pose of a BMD by its own evaluation. The keys of its scene are rounded to 32 bits, which shows where a
/// blend of nearly opposite rotations is nearly zero.
#[cfg(feature = "bmd")]
fn exact(model: &AnyModel, clip: usize, frame: u32, precision: Precision) -> Option<Vec<MeshPose>> {
    let AnyModel::Bmd(model) = model else { return None };
    let pose = model.motion(clip).filter(|_| precision == Precision::Double)?.pose(f64::from(frame));
    let posed = |mesh: &meshwright_bmd::Mesh| {
        let flat = mesh.flat_color().is_some();
        MeshPose {
            positions: mesh.vertices.iter().map(|v| pose.position(*v)).collect(),
            normals: mesh.vertices.iter().map(|v| pose.normal(*v, flat)).collect(),
        }
    };
    Some(model.meshes.iter().map(posed).collect())
}

#[cfg(not(feature = "bmd"))]
const fn exact(_: &AnyModel, _: usize, _: u32, _: Precision) -> Option<Vec<MeshPose>> {
    None
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, b| {
        let _ = write!(text, "{b:02x}");
        text
    })
}

/// Native fields of the file and of its parts, where the format has any.
fn native(scene: &Scene) -> Value {
    let mut out = match scene.extras.as_ref().map(value) {
        Some(Value::Object(map)) => map,
        Some(other) => Map::from_iter([("file".to_owned(), other)]),
        None => Map::new(),
    };
    let parts = |list: Vec<Option<&Extra>>| -> Option<Value> {
        list.iter()
            .any(Option::is_some)
            .then(|| list.into_iter().map(|e| e.map_or(Value::Null, value)).collect())
    };
    let lists = [
        ("meshes", parts(scene.meshes.iter().map(|m| m.extras.as_ref()).collect())),
        ("materials", parts(scene.materials.iter().map(|m| m.extras.as_ref()).collect())),
        ("clips", parts(scene.clips.iter().map(|c| c.extras.as_ref()).collect())),
        ("bones", parts(scene.skeletons.iter().flat_map(|s| &s.joints).map(|j| j.extras.as_ref()).collect())),
    ];
    for (name, list) in lists {
        if let Some(list) = list {
            out.entry(name).or_insert(list);
        }
    }
    Value::Object(out)
}

/// What a file without anything to draw says all the same.
fn fields(model: &AnyModel) -> Value {
    match model {
        #[cfg(feature = "tso")]
        AnyModel::TsoBinding(b) => {
            let id = |r: meshwright_tso::ResourceId| serde_json::json!({ "group": r.group, "file": r.file, "type": r.kind });
            serde_json::json!({
                "bone": b.bone.text(),
                "mesh": b.mesh.map(id),
                "texture": b.texture.map(id),
            })
        }
        #[cfg(feature = "tso")]
        AnyModel::TsoAnimation(a) => {
            let motion = |m: &meshwright_tso::Motion| {
                serde_json::json!({
                    "bone": m.bone.text(),
                    "frames": m.frames,
                    "has_translation": m.has_translation.0,
                    "has_rotation": m.has_rotation.0,
                })
            };
            serde_json::json!({
                "duration": Float(a.duration.get()),
                "distance": Float(a.distance.get()),
                "moving": a.moving.0,
                "motions": a.motions.iter().map(motion).collect::<Vec<_>>(),
            })
        }
        _ => Value::Object(Map::new()),
    }
}

fn value(extra: &Extra) -> Value {
    match extra {
        Extra::Bool(v) => Value::Bool(*v),
        Extra::Int(v) => Value::from(*v),
        Extra::Float(v) if v.is_finite() => Value::from(*v),
        Extra::Float(v) => Value::from(no_number(*v)),
        Extra::Text(v) => Value::from(v.as_str()),
        Extra::List(v) => v.iter().map(value).collect(),
        Extra::Map(v) => v.iter().map(|(k, v)| (k.clone(), value(v))).collect(),
    }
}

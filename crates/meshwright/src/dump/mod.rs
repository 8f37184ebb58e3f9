//! A model as JSON, in the schema of the reference dumps that independent readers of these formats write.
//!
//! Positions, normals and texture coordinates are in the file's own space and units; colours are bytes. Bones, clips and
//! meshes are the same for every format; `native` shows all that the file holds beyond them, under names of the format's
//! own. Lists are made while they are written, so that a dump takes no more memory than the model and its scene.

#[cfg(feature = "bmd")]
mod bmd;
#[cfg(feature = "crucible")]
mod crucible;
#[cfg(feature = "dpm")]
mod darkplaces;
#[cfg(feature = "fsomodel")]
mod fsomodel;
#[cfg(feature = "gltf")]
mod gltf;
#[cfg(feature = "iqm")]
mod iqm;
pub(crate) mod item;
mod json;
#[cfg(feature = "tso")]
mod sims;

pub use json::write_json;

use crate::clip_frame::ClipFrame;
use crate::error::{Error, ErrorKind};
use crate::formats::dump_part::Own;
use crate::formats::{AnyModel, Companions, extras_of};
use item::{Fields, Item, fields, hex};
use meshwright_rig::{Evaluator, Precision, RigError};
use meshwright_scene::{Clip, Extra, Joint, Mesh, MeshId, MeshPose, Scene, SceneOptions, Space};
use sha2::{Digest, Sha256};
use std::cell::RefCell;
use std::io::{self, BufWriter, Write};

/// A pose to dump.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PoseRef {
    /// A frame of a clip, by index.
    Clip {
        /// The clip.
        clip: usize,
        /// The frame, from 0.
        frame: u32,
    },
    /// A frame of the file, for formats that have a frame table.
    File {
        /// The frame, from 0.
        frame: u32,
    },
}

impl PoseRef {
    /// Parses `CLIP:FRAME`, or `:FRAME` for a frame of the file.
    ///
    /// # Errors
    /// As [`ClipFrame::parse`].
    pub fn parse(text: &str, scene: &Scene) -> Result<Self, String> {
        let ClipFrame { clip, frame } = ClipFrame::parse(text, scene)?;
        Ok(clip.map_or(Self::File { frame }, |clip| Self::Clip { clip, frame }))
    }
}

/// Options for a dump.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct DumpOptions {
    /// The poses that follow the rest pose. By default none.
    pub poses: Vec<PoseRef>,
    /// The precision in which poses are computed. By default 64, because a dump is a reference.
    pub precision: Precision,
    /// Bytes that the scene may take. By default 256 MiB.
    pub memory: u64,
}

impl Default for DumpOptions {
    fn default() -> Self {
        Self { poses: Vec::new(), precision: Precision::Double, memory: 256 << 20 }
    }
}

impl DumpOptions {
    meshwright_core::setters! {
        /// Returns the same options with these poses.
        with_poses(poses: Vec<PoseRef>): poses;
        /// Returns the same options with poses in another precision.
        with_precision(precision: Precision): precision;
        /// Returns the same options with another limit of bytes.
        with_memory(bytes: u64): memory;
    }
}

/// A model that is ready to be written as JSON.
#[derive(Debug)]
pub struct Dump<'m> {
    model: &'m AnyModel,
    companions: &'m Companions,
    source: String,
    sha256: String,
    /// The scene for motion. `None` if the file's own lists are complete.
    scene: Option<Scene>,
    /// The number of the scene's own clips; a clip of all frames of the file may follow.
    clips: usize,
    poses: Vec<PoseRef>,
    precision: Precision,
}

impl<'m> Dump<'m> {
    /// Prepares a model: its rest pose, then the poses asked for.
    ///
    /// `source` says where the file came from, `bytes` are its content.
    ///
    /// # Errors
    /// When the model cannot be turned into a scene, when the scene cannot be posed, when it has no such pose, or when
    /// what is repeated in the dump would exceed the limit.
    pub fn new(
        model: &'m AnyModel,
        companions: &'m Companions,
        source: &str,
        bytes: &[u8],
        options: &DumpOptions,
    ) -> Result<Self, Error> {
        let file = SceneOptions::in_space(Space::File).with_extras(true).with_memory(options.memory);
        let own = model.dump_part(companions);
        file.budget().charge("meshes", own.repeated)?;
        let scene = match own.meshes {
            Some(_) => None,
            None => Some(model.to_scene("", companions, &file)?.value),
        };
        let mut dump = Self {
            model,
            companions,
            source: source.to_owned(),
            sha256: hex(&Sha256::digest(bytes)),
            clips: scene.as_ref().map_or(0, |s| s.clips.len()),
            scene,
            poses: options.poses.clone(),
            precision: options.precision,
        };
        if let Some(scene) = &mut dump.scene {
            // Any number of meshes can share a long name.
            let shared = scene.meshes.iter().filter_map(|m| scene.materials.get(m.material?.0));
            let names = shared.map(|m| m.name.len() as u64).fold(own.repeated, u64::saturating_add);
            file.budget().charge("names", names)?;
            scene.clips.extend(model.file_clip());
        }
        dump.check()?;
        Ok(dump)
    }

    /// Checks that every pose exists, so that later only a write error can interrupt a dump.
    fn check(&self) -> Result<(), Error> {
        let mut stage = self.stage()?;
        for asked in &self.poses {
            let (clip, frame, index) = self.place(*asked);
            let own = clip.is_none_or(|clip| clip < self.clips);
            let found = self.scene.as_ref().and_then(|s| s.clips.get(index)).filter(|_| own);
            if found.is_none_or(|c| frame >= c.frames) {
                let what = clip.map_or("file".into(), |c| format!("clip {c}"));
                return Err(Error::new(ErrorKind::NotFound, "usage", format!("{what} has no frame {frame}")));
            }
            if let Some(stage) = &mut stage {
                stage.evaluator.pose(Some((index, f64::from(frame))))?;
            }
        }
        Ok(())
    }

    /// Returns the clip and frame of a pose as they are written, and the clip's number in the scene.
    const fn place(&self, pose: PoseRef) -> (Option<usize>, u32, usize) {
        match pose {
            PoseRef::Clip { clip, frame } => (Some(clip), frame, clip),
            PoseRef::File { frame } => (None, frame, self.clips),
        }
    }

    fn stage(&self) -> Result<Option<Stage<'_>>, RigError> {
        let stage = |scene| {
            let evaluator = Evaluator::new(scene)?.with_precision(self.precision);
            Ok(Stage { scene, evaluator: evaluator.with_normal_length(self.model.normals()), at: None })
        };
        self.scene.as_ref().map(stage).transpose()
    }

    /// Writes the dump as one JSON document, in which no character acts on a terminal.
    ///
    /// # Errors
    /// When `out` takes no more.
    pub fn write(&self, out: impl Write) -> io::Result<()> {
        let stage = self.stage().map_err(io::Error::other)?.map(RefCell::new);
        let mut out = BufWriter::with_capacity(1 << 16, out);
        write_json(&mut out, &self.document(stage.as_ref()))?;
        out.flush()
    }

    /// Returns the dump as text.
    pub fn to_json(&self) -> String {
        let mut out = Vec::new();
        // Writing to memory never fails.
        let _ = self.write(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    fn document<'d>(&'d self, stage: Option<&'d RefCell<Stage<'d>>>) -> Item<'d> {
        let Own { bones, clips, meshes, native, .. } = self.model.dump_part(self.companions);
        let scene = self.scene.as_ref();
        let joints = move || scene.into_iter().flat_map(|s| &s.skeletons).flat_map(|s| &s.joints);
        let moved = move || scene.into_iter().flat_map(|s| &s.clips).take(self.clips).enumerate();
        let drawn = move || {
            scene.into_iter().flat_map(|s| s.meshes.iter().enumerate()).zip(stage.into_iter().cycle())
        };
        fields! {
            format: self.model.format().family(),
            source: &self.source,
            sha256: &self.sha256,
            bones: bones.unwrap_or_else(|| Item::list(move || joints().map(bone))),
            clips: clips.unwrap_or_else(|| Item::list(move || moved().map(|(i, clip)| self.clip(i, clip)))),
            meshes: meshes.unwrap_or_else(|| {
                Item::list(move || drawn().map(|((i, mesh), stage)| self.mesh(i, mesh, stage)))
            }),
            native: Item::Map(native).merged(scene.map_or(Item::Null, extras)),
        }
        .into()
    }

    fn clip<'d>(&self, i: usize, clip: &'d Clip) -> Fields<'d> {
        fields! {
            name: &clip.name,
            frames: clip.frames,
            fps: self.model.stored_rate(i, self.companions).unwrap_or(clip.rate),
            r#loop: clip.looping,
        }
    }

    fn mesh<'d>(&'d self, i: usize, mesh: &'d Mesh, stage: &'d RefCell<Stage<'d>>) -> Fields<'d> {
        let material = mesh.material.and_then(|m| self.scene.as_ref()?.materials.get(m.0));
        let some = |there: bool, list: Item<'d>| if there { list } else { Item::Null };
        // The rest pose is what the conversion itself worked out.
        let rest = move || {
            fields! {
                clip: Item::Null,
                frame: Item::Null,
                positions: Item::values(&mesh.positions),
                normals: some(!mesh.normals.is_empty(), Item::values(&mesh.normals)),
            }
        };
        let posed = move |pose: &PoseRef| {
            let (clip, frame, index) = self.place(*pose);
            let MeshPose { positions, normals } = self.posed(i, index, frame, stage);
            let has_normals = !normals.is_empty();
            fields! {
                clip: clip,
                frame: frame,
                positions: Item::list(move || positions.clone()),
                normals: some(has_normals, Item::list(move || normals.clone())),
            }
        };
        fields! {
            material: material.map(|m| &m.name),
            vertex_count: mesh.positions.len(),
            triangle_count: mesh.triangles.len(),
            triangles: Item::values(&mesh.triangles),
            uvs: some(!mesh.uvs.is_empty(), Item::values(&mesh.uvs)),
            colors: some(!mesh.colors.is_empty(), Item::values(&mesh.colors)),
            poses: Item::list(move || std::iter::once_with(rest).chain(self.poses.iter().map(posed))),
        }
    }

    /// Returns a mesh at a frame of a clip. The caller has checked that both exist.
    fn posed(&self, mesh: usize, clip: usize, frame: u32, stage: &RefCell<Stage<'_>>) -> MeshPose {
        if let Some(posed) = exact(self.model, mesh, clip, frame, self.precision) {
            return posed;
        }
        let mut stage = stage.borrow_mut();
        let mut posed = stage.mesh(MeshId(mesh), clip, frame).unwrap_or_default();
        let start = stage.scene.clips.get(clip).map_or(0, |c| c.start);
        if let Some(normals) = turned_normals(self.model, mesh, start.saturating_add(frame))
            && normals.len() == posed.normals.len()
        {
            posed.normals = normals;
        }
        posed
    }
}

/// A scene, and its number.
struct Stage<'s> {
    scene: &'s Scene,
    evaluator: Evaluator<&'s Scene>,
    at: Option<(usize, u32)>,
}

impl Stage<'_> {
    fn mesh(&mut self, mesh: MeshId, clip: usize, frame: u32) -> Result<MeshPose, RigError> {
        let follows = self.scene.meshes.get(mesh.0).is_some_and(Mesh::is_skinned);
        if follows && self.at != Some((clip, frame)) {
            self.evaluator.pose(Some((clip, f64::from(frame))))?;
            self.at = Some((clip, frame));
        }
        self.evaluator.mesh(mesh)
    }
}

fn bone(joint: &Joint) -> Fields<'_> {
    fields! {
        name: &joint.name,
        parent: joint.parent.and_then(|p| i64::try_from(p).ok()).unwrap_or(-1),
    }
}

/// Returns the pose of a BMD by its own evaluation. The keys of its scene are rounded to 32 bits, which shows where a
/// blend of nearly opposite rotations is nearly zero.
#[cfg(feature = "bmd")]
fn exact(model: &AnyModel, mesh: usize, clip: usize, frame: u32, precision: Precision) -> Option<MeshPose> {
    let AnyModel::Bmd(model) = model else { return None };
    let pose = model.motion(clip).filter(|_| precision == Precision::Double)?.pose(f64::from(frame));
    let mesh = model.meshes.get(mesh)?;
    let material = mesh.material_kind();
    Some(MeshPose {
        positions: mesh.vertices.iter().map(|v| pose.position(*v)).collect(),
        normals: mesh.vertices.iter().map(|v| pose.normal(*v, material)).collect(),
    })
}

#[cfg(not(feature = "bmd"))]
const fn exact(_: &AnyModel, _: usize, _: usize, _: u32, _: Precision) -> Option<MeshPose> {
    None
}

/// Returns the normals of an IQM mesh at a frame of the file: the cofactors of the blended matrix transform them,
/// which differs from the sum of normals over the joints.
#[cfg(feature = "iqm")]
fn turned_normals(model: &AnyModel, mesh: usize, frame: u32) -> Option<Vec<[f32; 3]>> {
    let AnyModel::Iqm(model) = model else { return None };
    Some(model.evaluate(model.meshes.get(mesh)?, Some(frame))?.normals)
}

#[cfg(not(feature = "iqm"))]
const fn turned_normals(_: &AnyModel, _: usize, _: u32) -> Option<Vec<[f32; 3]>> {
    None
}

/// Facts about the file and its parts, in addition to those of every scene.
fn extras(scene: &Scene) -> Item<'_> {
    let whole = match scene.extras.as_ref() {
        Some(map @ Extra::Map(_)) => map.into(),
        Some(other) => fields! { file: other }.into(),
        None => Item::Null,
    };
    let mut lists = Fields::new();
    let [bones, meshes, _, materials, clips] = extras_of(scene);
    for (name, parts) in [("meshes", meshes), ("materials", materials), ("clips", clips), ("bones", bones)] {
        if parts.iter().any(Option::is_some) {
            lists.push((name.into(), Item::list(move || parts.clone())));
        }
    }
    whole.merged(Item::Map(lists))
}

//! The content of a model, in numbers and names.

mod clips;
mod gpu;
mod images;
mod memory;

pub use clips::NameSource;
pub use gpu::GpuMemory;
pub use images::ImageInfo;
pub use memory::Memory;

use crate::formats::{Format, Summary};
use crate::model::{Model, Part, PartRole, PartState};
use meshwright_core::Role;
use meshwright_scene::{Bounds, Scene};

/// A mesh of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MeshInfo {
    /// The name.
    pub name: String,
    /// The vertices.
    pub vertices: usize,
    /// The triangles.
    pub triangles: usize,
    /// The most bones that one of its vertices follows.
    pub influences: usize,
    /// The number of its material.
    pub material: Option<usize>,
}

/// A material of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct MaterialInfo {
    /// The name.
    pub name: String,
    /// The name of its texture; `None` if the material is a colour.
    pub texture: Option<String>,
    /// The image file that was found: a path of the tree, or the name in the file.
    pub found: Option<String>,
    /// The size and format of that image. `None` without an image, or if its header is unreadable.
    pub image: Option<ImageInfo>,
    /// The result of the search by the rules of the format's engine, as far as these are known.
    pub state: TextureState,
}

/// The result of the search for the texture of a material.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TextureState {
    /// The material means a colour.
    Untextured,
    /// It was found.
    Found,
    /// It was found where the engine does not look for it.
    Elsewhere,
    /// It was not found.
    NotFound,
    /// The engine does not draw meshes of this material.
    NotDrawn,
}

impl TextureState {
    /// Returns a stable name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Untextured => "untextured",
            Self::Found => "found",
            Self::Elsewhere => "elsewhere",
            Self::NotFound => "not-found",
            Self::NotDrawn => "not-drawn",
        }
    }
}

/// A bone of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct BoneInfo {
    /// The name.
    pub name: String,
    /// The number of the parent bone, in the list of all bones.
    pub parent: Option<usize>,
}

/// A clip of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ClipInfo {
    /// The name.
    pub name: String,
    /// The source of the name.
    pub source: NameSource,
    /// The frames.
    pub frames: u32,
    /// Frames per second.
    pub rate: f32,
    /// The duration.
    pub seconds: f64,
    /// True if it loops.
    pub looping: bool,
}

/// A summary of a model and its files: see [`Model::describe`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Description {
    /// The kind of file.
    pub format: Format,
    /// The dialect, if the format has several.
    pub dialect: Option<String>,
    /// Bytes of the model's file.
    pub bytes: usize,
    /// The content, in numbers.
    pub summary: Summary,
    /// The bounding box of everything that is drawn at rest, in the axes and the unit of the file.
    pub bounds: Option<Bounds>,
    /// The axis of the file that points up, 0 to 2.
    pub up: usize,
    /// The unit of length in metres, where the format has one.
    pub metres: Option<f64>,
    /// The meshes.
    pub meshes: Vec<MeshInfo>,
    /// The materials.
    pub materials: Vec<MaterialInfo>,
    /// The bones of all skeletons.
    pub bones: Vec<BoneInfo>,
    /// The clips.
    pub clips: Vec<ClipInfo>,
    /// The companion files of the model, used and unusable.
    pub parts: Vec<Part>,
    /// The memory of the open model.
    pub memory: Memory,
    /// An estimate of its memory on a GPU.
    pub gpu: GpuMemory,
}

impl Description {
    /// Returns the height at rest, in the unit of the file.
    pub fn height(&self) -> Option<f64> {
        self.bounds.map(|bounds| bounds.extent(self.up))
    }
}

impl Model {
    /// Describes the model's file. [`add_scene`](Description::add_scene) adds the facts that need a scene.
    pub fn describe(&self) -> Description {
        let mut summary = self.summary();
        let dialect = summary.notes.iter().position(|note| note.starts_with(DIALECT));
        let dialect = dialect.map(|at| summary.notes.remove(at).split_off(DIALECT.len()));
        Description {
            format: self.format(),
            dialect,
            bytes: self.bytes().len(),
            summary,
            bounds: None,
            up: self.format().up(),
            metres: self.format().metres(),
            meshes: Vec::new(),
            materials: Vec::new(),
            bones: Vec::new(),
            clips: Vec::new(),
            parts: parts(self),
            memory: Memory::default(),
            gpu: GpuMemory::default(),
        }
    }
}

impl Description {
    /// Adds the facts of the model's scene, in the [file's own space](meshwright_scene::Space::File). The scene has
    /// images if these are to be described. It may have [taken the meshes](Model::take_scene) of the model.
    pub fn add_scene(&mut self, asset: &Model, scene: &Scene) {
        let mesh = |mesh: &meshwright_scene::Mesh| MeshInfo {
            name: mesh.name.clone(),
            vertices: mesh.positions.len(),
            triangles: mesh.triangles.len(),
            influences: mesh.skin.as_ref().map_or(0, meshwright_scene::Skin::max_influences),
            material: mesh.material.map(|material| material.0),
        };
        let material = |(i, material): (usize, &meshwright_scene::Material)| {
            let texture = asset.model().texture(i, &material.name);
            let found = material.image.as_ref().map(|i| i.source.clone().unwrap_or_else(|| i.name.clone()));
            let state = texture_state(asset, material, texture.is_some(), found.as_deref());
            let image = material.image.as_ref().and_then(ImageInfo::read);
            MaterialInfo { name: material.name.clone(), texture, found, image, state }
        };
        self.bounds = scene.rest_bounds();
        self.meshes = scene.meshes.iter().map(mesh).collect();
        self.materials = scene.materials.iter().enumerate().map(material).collect();
        self.bones = bones(scene);
        self.clips = clips::describe_clips(asset, scene);
        self.parts = parts(asset);
        self.memory = Memory::measure(scene);
        self.gpu = GpuMemory::estimate(scene);
    }
}

fn texture_state(
    asset: &Model,
    material: &meshwright_scene::Material,
    is_textured: bool,
    found: Option<&str>,
) -> TextureState {
    let is_elsewhere = |path: &str| {
        let of_path = |part: &&Part| part.path.as_ref().is_some_and(|own| *own == *path);
        asset.parts().iter().find(of_path).is_some_and(|part| part.state == PartState::Elsewhere)
    };
    match found {
        _ if material.is_hidden() => TextureState::NotDrawn,
        Some(path) if is_elsewhere(path) => TextureState::Elsewhere,
        Some(_) => TextureState::Found,
        None if is_textured => TextureState::NotFound,
        None => TextureState::Untextured,
    }
}

/// Returns the companion files and textures of a model, and skeletons next to it that do not fit.
fn parts(asset: &Model) -> Vec<Part> {
    let used = asset.parts().iter().filter(|part| part.role != PartRole::Model).cloned();
    let unfit = asset.companions().unfit.iter().map(|(name, why)| {
        let state = PartState::Ignored(format!("does not fit the mesh: {why}"));
        Part::named(PartRole::Companion(Role::Skeleton), name, state)
    });
    used.chain(unfit).collect()
}

/// The start of a summary's notes that name a dialect.
const DIALECT: &str = "dialect ";

fn bones(scene: &Scene) -> Vec<BoneInfo> {
    let mut bones: Vec<BoneInfo> = Vec::new();
    for skeleton in &scene.skeletons {
        let first = bones.len();
        bones.extend(skeleton.joints.iter().map(|joint| BoneInfo {
            name: joint.name.clone(),
            parent: joint.parent.map(|parent| parent.saturating_add(first)),
        }));
    }
    bones
}

//! Converts any glTF document to a scene.
//!
//! It reads documents from all tools: nodes with matrices, joints in any order and below other nodes,
//! several skins over the same joints, keys at any time, strips and fans, quantised and compressed
//! attributes. The result looks the same: every vertex is always where a viewer would show it.
//!
//! | glTF | scene |
//! |---|---|
//! | the default scene, otherwise all roots | the scene |
//! | joints of skins, animated nodes, and the nodes between them | joints; those that a skin or an animation ties together are one skeleton |
//! | nodes above the first joint that do not move | folded into the joint if they turn, move, scale evenly and mirror, otherwise joints |
//! | an empty node with a name below a joint | a joint that moves nothing: a tag |
//! | a primitive of triangles, strips or fans | a mesh |
//! | a mesh without skin below a joint | a mesh that follows this joint |
//! | other nodes that draw | nodes |
//! | scenes of a document that an export of this crate made | levels of detail |
//! | an animation | a clip |
//!
//! Skins with different inverse bind matrices for the same joints share them if a single transform of the vertices
//! compensates for the difference. Otherwise each further bind matrix gets a copy of its joint, which follows it. Steps
//! become two keys at neighbouring times, cubic splines as many linear keys as keep within [`SPLINE_ERROR`] of their
//! range.
#![cfg_attr(not(test), deny(clippy::arithmetic_side_effects, clippy::indexing_slicing))]

mod attributes;
mod bindings;
mod clips;
mod extras;
mod keys;
mod levels;
mod marks;
mod materials;
mod meshes;
mod neutral_bone;
mod nodes;
mod plan;
mod scene_extras;
mod times;
mod variants;
mod weights;

use crate::document::Document;
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::Marks;
use meshwright_scene::{Converted, Extra, Loss, Scene};

pub use keys::SPLINE_ERROR;

/// The extensions that the import supports.
pub const EXTENSIONS: &[&str] = &[
    "KHR_mesh_quantization",
    "KHR_texture_transform",
    "KHR_materials_pbrSpecularGlossiness",
    "KHR_materials_specular",
    "KHR_materials_unlit",
    "KHR_materials_variants",
    "KHR_lights_punctual",
    "EXT_meshopt_compression",
];

/// Returns the bytes of an image file next to the document, by the path that
/// [`Files`](crate::document::Files) gets.
pub type Pictures<'f> = dyn Fn(&str) -> Option<Vec<u8>> + 'f;

/// Options for converting a document to a scene.
#[derive(Clone, Copy, Default)]
#[non_exhaustive]
pub struct ImportOptions<'o> {
    /// The name of the scene.
    pub name: &'o str,
    /// The frames per second of all clips. If `None`, it is the rate that an export of this crate stated,
    /// otherwise the lowest common rate at which every key is at a whole frame.
    pub rate: Option<f32>,
    /// Reads image files next to the document; without it, they are dropped.
    pub files: Option<&'o Pictures<'o>>,
}

impl std::fmt::Debug for ImportOptions<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ImportOptions")
            .field("name", &self.name)
            .field("rate", &self.rate)
            .finish_non_exhaustive()
    }
}

impl<'o> ImportOptions<'o> {
    /// Returns options for a scene with this name.
    #[must_use]
    pub fn named(name: &'o str) -> Self {
        Self { name, ..Self::default() }
    }

    /// Sets the rate of all clips.
    #[must_use]
    pub const fn with_rate(mut self, rate: Option<f32>) -> Self {
        self.rate = rate;
        self
    }

    /// Sets the function that reads image files next to the document.
    #[must_use]
    pub const fn with_files(mut self, files: &'o Pictures<'o>) -> Self {
        self.files = Some(files);
        self
    }
}

/// The source of a mesh of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Origin {
    /// The node that draws it, or the first of several.
    pub node: usize,
    /// The mesh of the document.
    pub mesh: usize,
    /// The primitive of that mesh.
    pub primitive: usize,
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Import {
    /// The scene.
    pub scene: Scene,
    /// The source of each of its meshes.
    pub origins: Vec<Origin>,
    /// The animation that each of its clips comes from.
    pub animations: Vec<usize>,
    /// The rate of the keys of clips, if the document states one that differs from the clips' own rates.
    /// Clips that the document does not list have this rate themselves.
    pub frames_at: Option<f32>,
    /// The original numbers of its parts, if an export of this crate [embedded](crate::export_keeping) them.
    pub marks: Marks,
    /// The data that an export of this crate [embedded](crate::export_keeping) in the document. A
    /// [file](crate::GltfFile::embedded) returns the embedded original directly.
    pub kept: Option<Extra>,
}

/// Converts a document to a scene, with the document's lengths. If an export of this crate multiplied them,
/// [`scale`](Scene::scale) is the factor. The document should have been read with [`EXTENSIONS`]. Warnings
/// are added to the document's [`report`](Document::report). Data that the scene cannot hold is reported as
/// a loss.
///
/// # Errors
/// If a vertex, key or matrix is not finite or has an invalid index, if times of keys descend, or if the
/// document's limits do not suffice for the scene.
pub fn import(document: &Document<'_>, options: &ImportOptions<'_>) -> Result<Converted<Import>, ReadError> {
    let mut losses = Vec::new();
    for name in document.required_extensions().filter(|name| !EXTENSIONS.contains(&&**name)) {
        let message = format!("{name} is required but not read; surfaces may look different");
        losses.push(Loss::new("extension-unread", "extensionsRequired", message));
    }
    let mut told = scene_extras::FileData::read(document)?;
    let plan = plan::Plan::new(document, told.levels, &mut losses)?;
    let bindings = bindings::Bindings::new(document, &plan)?;
    let mut scene = Scene::new(options.name);
    let materials = materials::read(document, options, &mut losses)?;
    let built = meshes::read(document, &plan, &bindings, &materials, &mut losses)?;
    scene.levels = if told.levels { levels::read(document, &built.roots, &told.name)? } else { Vec::new() };
    scene.nodes = built.nodes;
    scene.meshes = built.meshes;
    scene.materials = materials.into_materials();
    scene.variants = variants::read(document, &built.origins)?;
    let (clips, animations) = clips::read(document, &plan, (&told, options), &mut losses)?;
    scene.clips = clips;
    scene.skeletons = bindings.into_skeletons();
    scene.extras = scene_extras::FileData::rest(extras::of_scene(document)?);
    let (frames_at, kept) = (told.frames_at(), told.kept.take());
    scene.format = told.format;
    scene.scale = told.scale.unwrap_or(1.0);
    for (place, mesh) in built.solids {
        let skeleton = scene.skeletons.get_mut(place.group);
        if let Some(joint) = skeleton.and_then(|skeleton| skeleton.joints.get_mut(place.joint)) {
            joint.solid = Some(mesh);
            joint.extras = scene_extras::without(joint.extras.take(), &meshes::SOLID);
        }
    }
    neutral_bone::remove(document, &mut scene)?;
    let origins = built.origins;
    let marks = marks::take(document, &mut scene, &origins)?;
    Ok(Converted::new(Import { scene, origins, animations, frames_at, marks, kept }, losses))
}

/// Adds a loss. Losses with the same code are counted in one.
fn lose(losses: &mut Vec<Loss>, code: &'static str, path: &dyn Fn() -> String, message: &'static str) {
    match losses.iter_mut().find(|loss| loss.code == code) {
        Some(loss) => loss.count = loss.count.saturating_add(1),
        None => losses.push(Loss::new(code, path(), message)),
    }
}

/// Charges an item that is pushed onto a list. While the list grows to twice its length, it is in memory
/// twice.
fn charge_push<T>(
    document: &Document<'_>,
    path: &FieldPath<'_>,
    what: &'static str,
) -> Result<(), ReadError> {
    document.charge::<T>(path, what, 3)
}

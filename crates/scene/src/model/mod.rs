//! The scene: its meshes, nodes, skeletons, motions and materials.

pub(crate) mod axes;
pub(crate) mod extra;
pub(crate) mod ids;
mod index;
mod join;
pub(crate) mod marks;
pub mod names;
mod nodes;
mod scale;

use crate::animation::motion::{Clip, PoseSet};
use crate::convert::Space;
use crate::material::alpha::{AlphaLevels, AlphaMode};
use crate::mesh::Mesh;
use crate::model::extra::Extra;
use crate::model::ids::{MaterialId, MeshId, NodeId};
use crate::skeleton::{Local, Skeleton};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

/// Meshes, their nodes, skeletons, motions and materials.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// The model's name, usually its file name without extension.
    pub name: String,
    /// The short name of the format that it was read from; empty where it was built otherwise.
    pub format: String,
    /// Axes, units, winding and texture origin of everything below.
    pub space: Space,
    /// The factor of all lengths since they were read; see [`rescale`](Self::rescale).
    pub scale: f32,
    /// The node tree. A mesh that no node refers to is not drawn.
    pub nodes: Vec<Node>,
    /// Meshes, each with one material.
    pub meshes: Vec<Mesh>,
    /// Skeletons that meshes are bound to.
    pub skeletons: Vec<Skeleton>,
    /// Materials by name.
    pub materials: Vec<Material>,
    /// Dense poses that clips refer to.
    pub pose_sets: Vec<PoseSet>,
    /// Motions.
    pub clips: Vec<Clip>,
    /// Levels of detail, finest first; empty when the model has one level only.
    pub levels: Vec<Level>,
    /// Other looks of the whole; none when the model has one.
    pub variants: Vec<Variant>,
    /// Native fields of the file as a whole.
    pub extras: Option<Extra>,
}

/// A look of a model: the materials that some of its meshes have instead of their own.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variant {
    /// Its name.
    pub name: String,
    /// Meshes with their materials.
    pub materials: Vec<(MeshId, MaterialId)>,
}

impl Default for Scene {
    fn default() -> Self {
        Self {
            name: String::new(),
            format: String::new(),
            space: Space::default(),
            scale: 1.0,
            nodes: Vec::new(),
            meshes: Vec::new(),
            skeletons: Vec::new(),
            materials: Vec::new(),
            pose_sets: Vec::new(),
            clips: Vec::new(),
            levels: Vec::new(),
            variants: Vec::new(),
            extras: None,
        }
    }
}

impl Scene {
    /// An empty scene in glTF's space.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same scene in another space; nothing is converted.
    #[must_use]
    pub fn in_space(mut self, space: Space) -> Self {
        self.space = space;
        self
    }

    setters! {
        /// The same scene with the format that it was read from.
        with_format(impl Into<String>): format;
        /// The same scene with other nodes.
        with_nodes(Vec<Node>): nodes;
        /// The same scene with other meshes.
        with_meshes(Vec<Mesh>): meshes;
        /// The same scene with other skeletons.
        with_skeletons(Vec<Skeleton>): skeletons;
        /// The same scene with other materials.
        with_materials(Vec<Material>): materials;
        /// The same scene with other dense poses.
        with_pose_sets(Vec<PoseSet>): pose_sets;
        /// The same scene with other motions.
        with_clips(Vec<Clip>): clips;
        /// The same scene with other levels of detail.
        with_levels(Vec<Level>): levels;
        /// The same scene with native fields.
        with_extras(impl Into<Option<Extra>>): extras;
    }
}

impl Scene {
    /// The level of detail for a viewer at a distance in metres: the first that is meant for that distance, otherwise
    /// the last; `None` if the scene has no levels.
    #[must_use]
    pub fn level_at(&self, metres: f32) -> Option<usize> {
        let last = self.levels.len().checked_sub(1)?;
        let near = |l: &Level| l.max_distance.is_none_or(|d| metres <= d);
        Some(self.levels.iter().position(near).unwrap_or(last))
    }
}

/// A place in the scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The node's name.
    pub name: String,
    /// The parent node.
    pub parent: Option<NodeId>,
    /// The transform relative to the parent. The nodes of skinned meshes are not transformed: their vertices follow
    /// only the skeleton.
    pub local: Local,
    /// Meshes drawn here.
    pub meshes: Vec<MeshId>,
    /// Native fields.
    pub extras: Option<Extra>,
}

impl Node {
    /// A node at the root that draws one mesh.
    pub fn of_mesh(name: impl Into<String>, mesh: MeshId) -> Self {
        Self { name: name.into(), meshes: alloc::vec![mesh], ..Self::default() }
    }
}

/// A surface by name. The formats name textures or shaders and say nothing else of them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Material {
    /// The texture path or shader name as the file has it.
    pub name: String,
    /// A flat colour in linear light, times the vertex colours.
    pub base_color: [f32; 4],
    /// The texture, where one was found.
    pub image: Option<Image>,
    /// Directions of the surface, as glTF has them: red to the right, green up, blue out of it.
    pub normal: Option<Image>,
    /// The light that the surface emits, in colours that are added to it.
    pub emissive: Option<Image>,
    /// The treatment of alpha.
    pub alpha: AlphaMode,
    /// Both sides are drawn.
    pub double_sided: bool,
    /// The textures stop at their edges; else they repeat.
    pub clamped: bool,
    /// Native fields.
    pub extras: Option<Extra>,
}

impl Material {
    /// A white surface of a name.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    setters! {
        /// The same surface in a colour, in linear light.
        with_base_color([f32; 4]): base_color;
        /// The same surface with a texture.
        with_image(impl Into<Option<Image>>): image;
        /// The same surface with a picture of its directions.
        with_normal(impl Into<Option<Image>>): normal;
        /// The same surface with a picture of what it shines by itself.
        with_emissive(impl Into<Option<Image>>): emissive;
        /// The same surface that treats alpha in this way.
        with_alpha(AlphaMode): alpha;
        /// The same surface drawn on both sides, or on one.
        with_double_sided(bool): double_sided;
        /// The same surface whose textures stop at their edges, or repeat.
        with_clamped(bool): clamped;
        /// The same surface with native fields.
        with_extras(impl Into<Option<Extra>>): extras;
    }

    /// The same surface, which nothing is seen of: a mask that lets nothing through. So a mesh stays that its engine does not
    /// draw.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.base_color = [1.0, 1.0, 1.0, 0.0];
        self.alpha = AlphaMode::Mask(0.5);
        self.image = None;
        self
    }

    /// Returns true if the surface is invisible, whatever its texture and its mesh are. Materials that engines do not
    /// draw have this mark.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        match self.alpha {
            AlphaMode::Mask(least) => self.base_color[3] < least,
            AlphaMode::Blend | AlphaMode::Content => self.base_color[3] <= 0.0,
            AlphaMode::Opaque => false,
        }
    }

    /// The treatment of alpha on a mesh, including the alpha of its vertices. The texture counts only if the mesh has
    /// texture coordinates. Without a mesh, the treatment on the surface itself. Never [`AlphaMode::Content`].
    #[must_use]
    pub fn alpha_mode(&self, mesh: Option<&Mesh>) -> AlphaMode {
        let own = if self.base_color[3] < 1.0 { AlphaLevels::Many } else { AlphaLevels::Full };
        let image = self.image.as_ref().filter(|_| mesh.is_none_or(|m| !m.uvs.is_empty()));
        let picture = image.map_or(AlphaLevels::Full, |i| i.alpha);
        let vertices = mesh.map_or(AlphaLevels::Full, Mesh::alpha_levels);
        // A colour that is transparent throughout was chosen.
        self.alpha.resolved(own.max(picture.times(vertices)))
    }
}

impl Default for Material {
    fn default() -> Self {
        Self {
            name: String::new(),
            base_color: [1.0; 4],
            image: None,
            normal: None,
            emissive: None,
            alpha: AlphaMode::Content,
            double_sided: false,
            clamped: false,
            extras: None,
        }
    }
}

/// A texture. Materials that share one share its bytes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Image {
    /// Its name.
    pub name: String,
    /// Its media type: `image/png` or `image/jpeg`.
    pub mime: &'static str,
    /// The encoded image.
    pub bytes: Arc<Vec<u8>>,
    /// Which values its alpha has.
    pub alpha: AlphaLevels,
    /// The file that it was read from, which may be of another type: its path in the tree that it was found in.
    pub source: Option<String>,
}

impl Image {
    /// An opaque image.
    #[must_use]
    pub fn new(name: impl Into<String>, mime: &'static str, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), mime, bytes: Arc::new(bytes), alpha: AlphaLevels::Full, source: None }
    }

    setters! {
        /// The same image with these levels of alpha.
        with_alpha(AlphaLevels): alpha;
        /// The same image from a file.
        with_source(impl Into<Option<String>>): source;
    }
}

/// One level of detail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// The level's name.
    pub name: String,
    /// The root nodes drawn at this level.
    pub nodes: Vec<NodeId>,
    /// Metres from the viewer up to which the level is meant; `None` for no limit.
    pub max_distance: Option<f32>,
}

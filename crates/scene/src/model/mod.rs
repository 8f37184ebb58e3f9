//! The scene: its meshes, nodes, skeletons, clips and materials.

pub(crate) mod axes;
pub(crate) mod extra;
pub(crate) mod ids;
mod index;
mod join_levels;
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

/// A model: meshes, nodes, skeletons, clips and materials.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// The model's name, usually its file name without extension.
    pub name: String,
    /// The short name of the source format; empty if the scene was built otherwise.
    pub format: String,
    /// The axes, units, winding and texture origin of the whole scene.
    pub space: Space,
    /// The factor by which all lengths were multiplied since reading; see [`rescale`](Self::rescale).
    pub scale: f32,
    /// The node tree. A mesh that no node refers to is not drawn.
    pub nodes: Vec<Node>,
    /// Meshes, each with one material.
    pub meshes: Vec<Mesh>,
    /// Skeletons that meshes are bound to.
    pub skeletons: Vec<Skeleton>,
    /// The materials.
    pub materials: Vec<Material>,
    /// Dense poses that clips refer to.
    pub pose_sets: Vec<PoseSet>,
    /// The clips.
    pub clips: Vec<Clip>,
    /// Levels of detail, finest first; empty if the model has only one level.
    pub levels: Vec<Level>,
    /// The variants of the model; empty if it has only one look.
    pub variants: Vec<Variant>,
    /// Native fields of the file as a whole.
    pub extras: Option<Extra>,
}

/// A variant of a model: some of its meshes have other materials.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Variant {
    /// The name.
    pub name: String,
    /// The meshes with their materials in this variant.
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
    /// Returns an empty scene in glTF's space.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// Sets the space without converting anything.
    #[must_use]
    pub fn in_space(mut self, space: Space) -> Self {
        self.space = space;
        self
    }

    meshwright_core::setters! {
        /// Sets the source format.
        with_format(format: impl Into<String>): format;
        /// Sets the nodes.
        with_nodes(nodes: Vec<Node>): nodes;
        /// Sets the meshes.
        with_meshes(meshes: Vec<Mesh>): meshes;
        /// Sets the skeletons.
        with_skeletons(skeletons: Vec<Skeleton>): skeletons;
        /// Sets the materials.
        with_materials(materials: Vec<Material>): materials;
        /// Sets the dense poses.
        with_pose_sets(pose_sets: Vec<PoseSet>): pose_sets;
        /// Sets the clips.
        with_clips(clips: Vec<Clip>): clips;
        /// Sets the levels of detail.
        with_levels(levels: Vec<Level>): levels;
        /// Sets the native fields.
        with_extras(extras: impl Into<Option<Extra>>): extras;
    }
}

impl Scene {
    /// Returns a copy without meshes, which take the most memory. Nodes still refer to them.
    #[must_use]
    pub fn without_meshes(&self) -> Self {
        Self {
            name: self.name.clone(),
            format: self.format.clone(),
            space: self.space,
            scale: self.scale,
            nodes: self.nodes.clone(),
            meshes: Vec::new(),
            skeletons: self.skeletons.clone(),
            materials: self.materials.clone(),
            pose_sets: self.pose_sets.clone(),
            clips: self.clips.clone(),
            levels: self.levels.clone(),
            variants: self.variants.clone(),
            extras: self.extras.clone(),
        }
    }

    /// Returns the level of detail for a viewer at a distance in metres: the first level for that distance,
    /// otherwise the last. `None` if the scene has no levels.
    #[must_use]
    pub fn level_at(&self, metres: f32) -> Option<usize> {
        let last = self.levels.len().checked_sub(1)?;
        let near = |l: &Level| l.max_distance.is_none_or(|d| metres <= d);
        Some(self.levels.iter().position(near).unwrap_or(last))
    }
}

/// A node of the scene tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The node's name.
    pub name: String,
    /// The parent node.
    pub parent: Option<NodeId>,
    /// The transform relative to the parent. It does not apply to skinned meshes: their vertices follow only
    /// the skeleton.
    pub local: Local,
    /// The meshes that the node draws.
    pub meshes: Vec<MeshId>,
    /// Native fields.
    pub extras: Option<Extra>,
}

impl Node {
    /// Returns a node at the root that draws one mesh.
    pub fn of_mesh(name: impl Into<String>, mesh: MeshId) -> Self {
        Self { name: name.into(), meshes: alloc::vec![mesh], ..Self::default() }
    }
}

/// A material. Most formats store only its name, which is that of a texture or shader.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Material {
    /// The texture path or shader name, as in the file.
    pub name: String,
    /// The colour factor in linear light. It is multiplied with the vertex colours.
    pub base_color: [f32; 4],
    /// The texture, if one was found.
    pub image: Option<Image>,
    /// The normal map, as in glTF: red to the right, green up, blue out of the surface.
    pub normal: Option<Image>,
    /// The emissive texture, whose colours are added.
    pub emissive: Option<Image>,
    /// Further textures of the engine, each kind at most once.
    pub layers: Vec<TextureLayer>,
    /// The treatment of alpha.
    pub alpha: AlphaMode,
    /// True if both sides are drawn.
    pub double_sided: bool,
    /// True if textures are clamped at their edges instead of repeated.
    pub clamped: bool,
    /// Native fields.
    pub extras: Option<Extra>,
}

impl Material {
    /// Returns a white material with this name.
    #[must_use]
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    meshwright_core::setters! {
        /// Sets the base colour, in linear light.
        with_base_color(base_color: [f32; 4]): base_color;
        /// Sets the texture.
        with_image(image: impl Into<Option<Image>>): image;
        /// Sets the normal map.
        with_normal(normal: impl Into<Option<Image>>): normal;
        /// Sets the emissive texture.
        with_emissive(emissive: impl Into<Option<Image>>): emissive;
        /// Sets the further textures of the engine.
        with_layers(layers: Vec<TextureLayer>): layers;
        /// Sets the treatment of alpha.
        with_alpha(alpha: AlphaMode): alpha;
        /// Sets whether both sides are drawn.
        with_double_sided(double_sided: bool): double_sided;
        /// Sets whether textures are clamped at their edges.
        with_clamped(clamped: bool): clamped;
        /// Sets the native fields.
        with_extras(extras: impl Into<Option<Extra>>): extras;
    }

    /// Returns the image of a layer.
    #[must_use]
    pub fn layer(&self, kind: LayerKind) -> Option<&Image> {
        self.layers.iter().find(|layer| layer.kind == kind).map(|layer| &layer.image)
    }

    /// Makes the material invisible, by a mask that no pixel passes. It keeps a mesh in the scene that its
    /// engine does not draw.
    #[must_use]
    pub fn hidden(mut self) -> Self {
        self.base_color = [1.0, 1.0, 1.0, 0.0];
        self.alpha = AlphaMode::Mask(0.5);
        self.image = None;
        self
    }

    /// Returns true if the material is invisible, whatever its texture and its mesh are. Materials that
    /// engines do not draw are marked this way.
    #[must_use]
    pub fn is_hidden(&self) -> bool {
        match self.alpha {
            AlphaMode::Mask(least) => self.base_color[3] < least,
            AlphaMode::Blend | AlphaMode::Content => self.base_color[3] <= 0.0,
            AlphaMode::Opaque => false,
        }
    }

    /// Returns the treatment of alpha on a mesh, including the alpha of its vertices. The texture counts
    /// only if the mesh has texture coordinates. Without a mesh, only the material counts. The result is
    /// never [`AlphaMode::Content`].
    #[must_use]
    pub fn alpha_mode(&self, mesh: Option<&Mesh>) -> AlphaMode {
        let own = if self.base_color[3] < 1.0 { AlphaLevels::Many } else { AlphaLevels::Full };
        let image = self.image.as_ref().filter(|_| mesh.is_none_or(|m| !m.uvs.is_empty()));
        let picture = image.map_or(AlphaLevels::Full, |i| i.alpha);
        let vertices = mesh.map_or(AlphaLevels::Full, Mesh::alpha_levels);
        // A transparent base colour is intentional, so it counts in any case.
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
            layers: Vec::new(),
            alpha: AlphaMode::Content,
            double_sided: false,
            clamped: false,
            extras: None,
        }
    }
}

/// A texture that an engine of the Quake family adds to the base texture of a material.
#[derive(Clone, Debug, PartialEq)]
pub struct TextureLayer {
    /// The purpose.
    pub kind: LayerKind,
    /// The image.
    pub image: Image,
}

/// The purpose of a texture layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LayerKind {
    /// The base texture of the file, if the material's texture has the colours of a player mixed in.
    Base,
    /// The colour of highlights.
    Gloss,
    /// The share of the colour of a player's pants.
    Pants,
    /// The share of the colour of a player's shirt.
    Shirt,
    /// The share of reflections.
    Reflect,
}

impl LayerKind {
    /// All kinds, in the order in which files list them.
    pub const ALL: [Self; 5] = [Self::Base, Self::Gloss, Self::Pants, Self::Shirt, Self::Reflect];

    /// Returns the name: the suffix of the file without its underscore, or `base`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Gloss => "gloss",
            Self::Pants => "pants",
            Self::Shirt => "shirt",
            Self::Reflect => "reflect",
        }
    }

    /// Returns the suffix of the layer's file after the name of the base texture.
    #[must_use]
    pub const fn suffix(self) -> &'static str {
        match self {
            Self::Base => "",
            Self::Gloss => "_gloss",
            Self::Pants => "_pants",
            Self::Shirt => "_shirt",
            Self::Reflect => "_reflect",
        }
    }

    /// Returns the kind with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// An image for a texture. Materials can share one, with its bytes.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Image {
    /// The name.
    pub name: String,
    /// The media type: `image/png` or `image/jpeg`.
    pub mime: &'static str,
    /// The encoded image.
    pub bytes: Arc<Vec<u8>>,
    /// The class of its alpha values.
    pub alpha: AlphaLevels,
    /// The source file, which may have another type: its path in the tree that it was found in.
    pub source: Option<String>,
}

impl Image {
    /// Returns an opaque image.
    #[must_use]
    pub fn new(name: impl Into<String>, mime: &'static str, bytes: Vec<u8>) -> Self {
        Self { name: name.into(), mime, bytes: Arc::new(bytes), alpha: AlphaLevels::Full, source: None }
    }

    meshwright_core::setters! {
        /// Sets the class of its alpha values.
        with_alpha(alpha: AlphaLevels): alpha;
        /// Sets the source file.
        with_source(source: impl Into<Option<String>>): source;
    }
}

/// One level of detail.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Level {
    /// The level's name.
    pub name: String,
    /// The root nodes drawn at this level.
    pub nodes: Vec<NodeId>,
    /// The distance in metres up to which the level is used; `None` for no limit.
    pub max_distance: Option<f32>,
}

//! To and from the exchange model.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "works on models that were checked before"
)]

mod bones;
mod clips;
mod export;
mod export_motion;
mod skin;

pub use export::ExportOptions;

use crate::anim::Anim;
use crate::mesh::{Geometry, Mesh};
use crate::skel::Skel;
use crate::ts1::{Bmf, Skn};
use alloc::string::String;
use alloc::vec::Vec;
use bones::Joints;
use meshwright_scene::{
    AxisMap, ConvertError, Converted, Material, MaterialId, Memory, MeshId, Node, Scene, SceneOptions,
    SkeletonId, Space,
};

/// From the file's space (left-handed, +Z front, 3 units to the metre) to glTF's.
pub const TO_GLTF: AxisMap = AxisMap::new([0, 1, 2], [-1.0, 1.0, 1.0], 1.0 / 3.0);

fn map(space: Space) -> AxisMap {
    match space {
        Space::Gltf => TO_GLTF,
        Space::File => AxisMap::IDENTITY,
    }
}

/// A mesh of an [`Assembly`].
#[derive(Clone, Debug)]
pub struct Part<'a> {
    /// Its name; the file says none.
    pub name: String,
    /// The mesh.
    pub geometry: &'a Geometry,
    /// The name of its texture, which only a `.bnd` or The Sims 1 file knows.
    pub material: Option<String>,
}

impl<'a> Part<'a> {
    /// A mesh without a texture.
    pub fn new(name: impl Into<String>, geometry: &'a Geometry) -> Self {
        Self { name: name.into(), geometry, material: None }
    }

    /// The same with the name of its texture.
    #[must_use]
    pub fn with_material(mut self, texture: impl Into<String>) -> Self {
        self.material = Some(texture.into());
        self
    }
}

/// What makes up a figure: meshes, the skeleton they share, animations of it. Any of them may be missing.
///
/// * Without a skeleton the bones of the meshes become joints at the origin, and vertices stay in the space of
///   their bones; animations cannot be applied.
/// * A bone that the skeleton has not got becomes a joint at the origin.
/// * Names are compared without regard to letter case.
#[derive(Clone, Debug, Default)]
pub struct Assembly<'a> {
    /// The name of the whole.
    pub name: String,
    /// Meshes.
    pub parts: Vec<Part<'a>>,
    /// The skeleton.
    pub skeleton: Option<&'a Skel>,
    /// Animations of the skeleton.
    pub animations: Vec<&'a Anim>,
    /// Compute normals from the faces instead of taking the file's, which in many files written by FreeSO point
    /// in wrong directions. Vertices that share place and stored normal stay smooth, others get edges.
    pub recompute_normals: bool,
}

impl<'a> Assembly<'a> {
    /// Nothing yet.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// The same with one more mesh.
    #[must_use]
    pub fn with_part(mut self, part: Part<'a>) -> Self {
        self.parts.push(part);
        self
    }

    /// The same with a skeleton or without.
    #[must_use]
    pub fn with_skeleton(mut self, skeleton: impl Into<Option<&'a Skel>>) -> Self {
        self.skeleton = skeleton.into();
        self
    }

    /// The same with more animations.
    #[must_use]
    pub fn with_animations(mut self, animations: impl IntoIterator<Item = &'a Anim>) -> Self {
        self.animations.extend(animations);
        self
    }

    /// The same with normals computed from faces, or with the file's.
    #[must_use]
    pub fn with_recomputed_normals(mut self, recompute: bool) -> Self {
        self.recompute_normals = recompute;
        self
    }

    /// Converts everything into one scene.
    ///
    /// In [`Space::Gltf`] normals have length 1 and successive rotation keys lie less than half a turn apart. In
    /// [`Space::File`] a normal that is zero stays zero. In either space [`Skin::local`](meshwright_scene::Skin)
    /// is scaled so that normals have length 1 in the rest pose. Rotations of joints are the conjugates of what
    /// the files store.
    pub fn to_scene(&self, options: &SceneOptions) -> Result<Converted<Scene>, ConvertError> {
        let memory = Memory::new(options.limits.memory);
        let mut losses = Vec::new();
        let mut scene = Scene { name: self.name.clone(), space: options.space, ..Scene::default() };
        let (joints, skeleton) = Joints::new(self, options, &memory, &mut losses)?;
        for (i, part) in self.parts.iter().enumerate() {
            let conversion = skin::Conversion {
                index: i,
                part,
                joints: &joints,
                options,
                recompute_normals: self.recompute_normals,
            };
            let mut mesh = conversion.run(&memory, &mut losses)?;
            mesh.material = part.material.as_ref().map(|name| material(&mut scene, name));
            scene.nodes.push(Node::of_mesh(part.name.clone(), MeshId(scene.meshes.len())));
            scene.meshes.push(mesh);
        }
        clips::convert(self, &joints, options, &memory, &mut scene.clips, &mut losses)?;
        if !skeleton.joints.is_empty() {
            scene.skeletons.push(skeleton);
        } else {
            // Vertices of a mesh without bones follow nothing.
            scene.meshes.iter_mut().for_each(|m| m.skin = None);
        }
        Ok(Converted::new(scene, losses))
    }
}

/// The one skeleton of a scene.
const SKELETON: SkeletonId = SkeletonId(0);

fn material(scene: &mut Scene, name: &str) -> MaterialId {
    let known = scene.materials.iter().position(|m| m.name == name);
    MaterialId(known.unwrap_or_else(|| {
        scene.materials.push(Material { name: name.into(), ..Material::default() });
        scene.materials.len() - 1
    }))
}

impl Mesh {
    /// Converts the mesh, with a skeleton and animations where there are some; see [`Assembly`] for several
    /// meshes, names and textures.
    pub fn to_scene(
        &self,
        options: &SceneOptions,
        skeleton: Option<&Skel>,
        animations: &[Anim],
    ) -> Result<Converted<Scene>, ConvertError> {
        let part = Part::new("mesh", &self.geometry);
        Assembly::new("mesh")
            .with_part(part)
            .with_skeleton(skeleton)
            .with_animations(animations)
            .to_scene(options)
    }
}

impl Skel {
    /// Converts the skeleton alone, with animations where there are some.
    pub fn to_scene(
        &self,
        options: &SceneOptions,
        animations: &[Anim],
    ) -> Result<Converted<Scene>, ConvertError> {
        Assembly::new(self.name.text()).with_skeleton(self).with_animations(animations).to_scene(options)
    }
}

impl Anim {
    /// Converts the animation onto a skeleton, without any mesh.
    pub fn to_scene(
        &self,
        options: &SceneOptions,
        skeleton: &Skel,
    ) -> Result<Converted<Scene>, ConvertError> {
        skeleton.to_scene(options, core::slice::from_ref(self))
    }
}

macro_rules! ts1 {
    ($($ty:ident)+) => {$(
        impl $ty {
            /// Converts the mesh, with its texture by name and a skeleton where there is one; see [`Assembly`].
            pub fn to_scene(
                &self,
                options: &SceneOptions,
                skeleton: Option<&Skel>,
                animations: &[Anim],
            ) -> Result<Converted<Scene>, ConvertError> {
                let mut part = Part::new(self.skin.text(), &self.geometry);
                if !self.texture.bytes().is_empty() {
                    part = part.with_material(self.texture.text());
                }
                Assembly::new(self.skin.text())
                    .with_part(part)
                    .with_skeleton(skeleton)
                    .with_animations(animations)
                    .to_scene(options)
            }
        }
    )+};
}

ts1!(Bmf Skn);

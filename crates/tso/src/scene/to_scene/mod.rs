//! Converts characters to scenes.

mod bones;
mod clips;
mod mesh;
mod normals;

use super::assembly::{Assembly, Part};
use super::extras;
use crate::anim::Anim;
use crate::mesh::Mesh;
use crate::skel::Skel;
use crate::ts1::{Bmf, Skn};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use bones::Joints;
use meshwright_core::{FileFormat, SortedSet};
use meshwright_scene::{
    ConvertError, Converted, Loss, Material, MaterialId, MeshId, Node, Scene, SceneOptions,
};

impl Assembly<'_> {
    /// Converts everything into one scene.
    ///
    /// In [`Space::Gltf`](meshwright_scene::Space::Gltf) normals have length 1 and successive rotation keys lie less than half a turn apart. In
    /// [`Space::File`](meshwright_scene::Space::File) a normal that is zero stays zero. In either space [`Skin::local`](meshwright_scene::Skin)
    /// is scaled so that normals have length 1 in the rest pose. Rotations of joints are the conjugates of what
    /// the files store.
    ///
    /// In [`Space::Gltf`](meshwright_scene::Space::Gltf) positions and bind matrices are those of the pose that the meshes were
    /// modelled in ([`Skel::bind_pose`]), while joints rest as the skeleton does: bodies by Maxis are bound with their arms
    /// stretched out.
    ///
    /// # Errors
    /// When the scene would take more memory than the options allow, or an animation has more frames than floats
    /// count exactly.
    pub fn to_scene(&self, options: &SceneOptions) -> Result<Converted<Scene>, ConvertError> {
        let budget = options.budget();
        let mut losses = Vec::new();
        let scene = Scene::new(self.name.clone()).in_space(options.space);
        let mut scene = scene.with_format(<Mesh as FileFormat>::ID);
        let (joints, skeleton) = Joints::new(self, options, &budget, &mut losses)?;
        for (i, part) in self.parts.iter().enumerate() {
            let conversion = mesh::Conversion {
                index: i,
                part,
                joints: &joints,
                options,
                recompute_normals: self.recompute_normals,
                blend_normals: self.blend_normals,
            };
            let mut mesh = conversion.run(&budget, &mut losses)?;
            mesh.material = part.material.as_ref().map(|name| material(&mut scene, name));
            if let Some((suit, skin)) = part.suit {
                extras::add(&mut mesh.extras, extras::of_suit(suit, skin, &budget)?);
            }
            scene.nodes.push(Node::of_mesh(part.name.clone(), MeshId(scene.meshes.len())));
            scene.meshes.push(mesh);
        }
        self.piled(&joints, &mut losses);
        clips::convert(self, &joints, options, &budget, &mut scene.clips, &mut losses)?;
        if !skeleton.joints.is_empty() {
            scene.skeletons.push(skeleton);
        } else {
            // Vertices of a mesh without bones follow nothing.
            scene.meshes.iter_mut().for_each(|m| m.skin = None);
        }
        Ok(Converted::new(scene, losses))
    }

    /// Reports that parts with one bone each are all at the origin. A part with several bones is reported separately.
    fn piled(&self, joints: &Joints, losses: &mut Vec<Loss>) {
        const CODE: &str = "skeleton-missing";
        if joints.known > 0 || losses.iter().any(|loss| loss.code == CODE) {
            return;
        }
        let mut bones = SortedSet::<usize>::new();
        for (part, of_part) in self.parts.iter().zip(&joints.of_parts) {
            let owners = part.geometry.owners();
            let used = owners.real.into_iter().chain(owners.blends).flatten();
            bones.extend(used.filter_map(|bone| of_part.get(usize::try_from(bone).ok()?).copied()));
        }
        if bones.len() > 1 {
            losses.push(Loss::new(CODE, "parts", without_skeleton(bones.len())));
        }
    }
}

/// Returns the message about meshes with several bones and no skeleton.
fn without_skeleton(bones: usize) -> String {
    format!(
        "no fitting skeleton found: the parts of {bones} bones are all at the origin; name it with --skeleton, or \
         the game's folder with --root"
    )
}

fn material(scene: &mut Scene, name: &str) -> MaterialId {
    let known = scene.materials.iter().position(|m| m.name == name);
    MaterialId(known.unwrap_or_else(|| {
        scene.materials.push(Material::named(name));
        scene.materials.len() - 1
    }))
}

impl Mesh {
    /// Converts the mesh, with a skeleton and animations, if there are any; see [`Assembly`] for several
    /// meshes, names and textures.
    ///
    /// # Errors
    /// When the scene would take more memory than the options allow, or an animation has more frames than floats
    /// count exactly.
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
    /// Converts only the skeleton, with any animations.
    ///
    /// # Errors
    /// If the scene would take more memory than the options allow, or an animation has more frames than floats count
    /// exactly.
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
    ///
    /// # Errors
    /// When the scene would take more memory than the options allow, or an animation has more frames than floats
    /// count exactly.
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
            /// Converts the mesh, with the name of its texture, and a skeleton if there is one; see [`Assembly`].
            ///
            /// # Errors
            /// When the scene would take more memory than the options allow, or an animation has more frames than floats
            /// count exactly.
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

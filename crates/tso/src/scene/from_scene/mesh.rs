//! Converts everything that a scene draws to one mesh.

use super::names::{self, Namer, SHORT};
use super::options::{MeshForm, TsoSceneOptions};
use super::vertices::Gatherer;
use crate::mesh::{Geometry, Mesh};
use crate::name::Name;
use crate::scene::space::TO_GLTF;
use crate::ts1::{Bmf, Skn};
use alloc::vec::Vec;
use meshwright_scene::{
    Budget, ConvertError, Converted, DrawOptions, Drawables, FromScene, FromSceneOptions, Levels, Loss,
    Scene, Unsupported,
};

/// Returns the flattening options for these files: a vertex follows at most two bones.
pub(crate) fn draw(scene: &Scene, options: &FromSceneOptions<TsoSceneOptions>) -> DrawOptions {
    options
        .draw(scene, &TO_GLTF, Levels::Finest)
        .with_normals(true)
        .with_normalize(true)
        .with_max_influences(2)
}

/// Returns the names of all joints of all skeletons as bones.
pub(crate) fn all_bones(
    scene: &Scene,
    form: MeshForm,
    options: &FromSceneOptions<TsoSceneOptions>,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Vec<Vec<Name>>, ConvertError> {
    let all = 0..scene.skeletons.len();
    all.map(|id| names::bones(scene, id, form, options.names, budget, losses)).collect()
}

/// Converts all drawn meshes of a scene.
fn drawn_geometry(
    scene: &Scene,
    form: MeshForm,
    options: &FromSceneOptions<TsoSceneOptions>,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Geometry, ConvertError> {
    let mut drawables = Drawables::new(scene, &draw(scene, options), budget)?;
    let names = all_bones(scene, form, options, budget, losses)?;
    let mut gatherer = Gatherer::new(scene, &names, options, budget)?;
    let mut count = 0_usize;
    for drawable in drawables.by_ref() {
        gatherer.add(&drawable?)?;
        count += 1;
    }
    losses.extend(drawables.take_losses());
    if count > 1 {
        let loss = Loss::note("meshes-merged", "meshes", "all meshes became one, which has one texture");
        losses.push(loss.with_count(count, "mesh", "meshes"));
    }
    gatherer.report("meshes", losses);
    gatherer.arrange()
}

impl Mesh {
    /// Converts everything that a scene draws to one mesh.
    ///
    /// A vertex keeps its two largest weights, the larger one's joint owning it; weights are rounded to Q1.15.
    /// Vertices are ordered by joint and keep their order within one. Meshes without a skin follow the root, with
    /// their node's transform applied.
    ///
    /// # Errors
    /// If the scene breaks its own rules, if a name is not possible and must not be changed, or if the result would
    /// take more memory than allowed.
    pub fn from_scene(
        scene: &Scene,
        options: &FromSceneOptions<TsoSceneOptions>,
    ) -> Result<Converted<Self>, ConvertError> {
        let mut losses = Vec::new();
        let geometry = drawn_geometry(scene, MeshForm::Mesh, options, &options.budget(), &mut losses)?;
        Unsupported::report(
            &[Unsupported::Materials, Unsupported::Colors, Unsupported::Tangents, Unsupported::Clips],
            scene,
            &mut losses,
        );
        Ok(Converted::new(Self::from(geometry), losses))
    }
}

/// Returns the names of skin and texture in the files of The Sims 1: of the scene or the mesh, and of the material.
pub(crate) fn skin_and_texture(
    skin: &str,
    texture: &str,
    form: MeshForm,
    options: &FromSceneOptions<TsoSceneOptions>,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<[Name; 2], ConvertError> {
    let mut namer = Namer::new(SHORT, form, options.names, budget);
    Ok([namer.fit(skin, "name", losses)?, namer.fit(texture, "materials[0].name", losses)?])
}

macro_rules! ts1 {
    ($($ty:ident)+) => {$(
        impl $ty {
            /// Makes one mesh of everything that a scene draws, as [`Mesh::from_scene`] does, with the names of the scene
            /// and of its first material.
            ///
            /// # Errors
            /// As [`Mesh::from_scene`].
            pub fn from_scene(
                scene: &Scene,
                options: &FromSceneOptions<TsoSceneOptions>,
            ) -> Result<Converted<Self>, ConvertError> {
                let (budget, mut losses) = (options.budget(), Vec::new());
                let geometry = drawn_geometry(scene, MeshForm::$ty, options, &budget, &mut losses)?;
                let texture = scene.materials.first().map_or("", |m| &m.name);
                let [skin, texture] =
                    skin_and_texture(&scene.name, texture, MeshForm::$ty, options, &budget, &mut losses)?;
                let others = scene.materials.len().saturating_sub(1);
                if others > 0 {
                    let message = "the file names the first material only";
                    losses.push(Loss::new("materials-dropped", "materials", message).counted(others));
                }
                let lacks = [Unsupported::Images, Unsupported::Surfaces, Unsupported::Colors, Unsupported::Tangents, Unsupported::Clips];
                Unsupported::report(&lacks, scene, &mut losses);
                Ok(Converted::new(Self::new(skin, texture, geometry), losses))
            }
        }
    )+};
}

ts1!(Bmf Skn);

macro_rules! from_scene {
    ($($ty:ident)+) => {$(
        impl FromScene for $ty {
            type Options = TsoSceneOptions;

            fn from_scene(
                scene: &Scene,
                options: &FromSceneOptions<TsoSceneOptions>,
            ) -> Result<Converted<Self>, ConvertError> {
                Self::from_scene(scene, options)
            }
        }
    )+};
}

from_scene!(Mesh Bmf Skn);

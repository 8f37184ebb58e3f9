//! Characters of The Sims: a file with its skeleton, meshes and animations from companion files.

use super::companions::keys;
use super::{AnyModel, CompanionFile, Companions};
use meshwright_core::Role;
use meshwright_tso::{Anim, Assembly, Bnd, Character, FileMesh, Geometry, Part, ResourceId, Skel};

/// Metres in the unit of their files.
pub(super) const UNIT: Option<f64> = Some(1.0 / 3.0);

/// Returns the mesh of a file.
pub(crate) fn shape(model: &AnyModel) -> Option<FileMesh<'_>> {
    match model {
        AnyModel::TsoMesh(m) => Some(FileMesh::from(&**m)),
        AnyModel::Bmf(m) => Some(FileMesh::from(&**m)),
        AnyModel::Skn(m) => Some(FileMesh::from(&**m)),
        _ => None,
    }
}

/// Assembles a character: a file with its skeleton, animations and further meshes.
pub(super) fn figure<'a>(name: &str, lead: Option<FileMesh<'a>>, companions: &'a Companions) -> Assembly<'a> {
    let mut figure = Assembly::new(name)
        .with_skeleton(skeleton_for(name, lead.map(|l| l.geometry), companions))
        .with_animations(companions.all::<Anim>())
        .with_recomputed_normals(companions.scene.recompute_normals)
        .with_blend_normals(companions.scene.blend_normals);
    figure.binding = companions.one::<Bnd>();
    // The texture of the companions applies to the first mesh.
    let bound = || figure.binding.and_then(|b| b.texture.as_ref()).map(ResourceId::tag);
    let lead = lead.map(|shape| (name, shape, companions.texture.clone().or_else(bound)));
    let parts = companions.files.iter().filter(|file| file.role == Role::Part);
    let parts = parts.filter_map(|p| Some((p.name.as_str(), shape(&p.model)?, p.texture.clone())));
    figure.parts = lead
        .into_iter()
        .chain(parts)
        .map(|(name, shape, texture)| {
            let part = Part::from_file(name, shape);
            // A texture that was found replaces a name or its placeholder.
            match texture {
                Some(texture) => part.with_material(texture),
                None => part,
            }
        })
        .collect();
    figure
}

/// Returns the skeleton among the companions that fits the meshes best.
pub(crate) fn skeleton_for<'a>(
    name: &str,
    lead: Option<&Geometry>,
    companions: &'a Companions,
) -> Option<&'a Skel> {
    let skeletons: Vec<&Skel> = companions.all().collect();
    let parts = companions.files.iter().filter_map(|file| Some(shape(&file.model)?.geometry));
    let shapes: Vec<&Geometry> = lead.into_iter().chain(parts).collect();
    Skel::best_for(&skeletons, &shapes, name)
}

impl AnyModel {
    /// Returns the content of a file of skeletons, suits and skills.
    pub(crate) fn character(&self) -> Option<&Character> {
        match self {
            Self::Bcf(m) => Some(&m.character),
            Self::Cmx(m) => Some(&m.character),
            _ => None,
        }
    }
}

/// Returns the skills of a file whose keys were found, as animations with their indices in the file.
pub(crate) fn skills(character: &Character, keys_in: &[CompanionFile]) -> Vec<(usize, Anim)> {
    let all = character.skills.iter().enumerate();
    all.filter_map(|(n, skill)| Some((n, skill.to_anim(keys(keys_in, &skill.keys)?)?))).collect()
}

/// Returns the meshes of a model and of its companions.
pub(crate) fn geometries<'a>(
    model: &'a AnyModel,
    companions: &'a Companions,
) -> impl Iterator<Item = &'a Geometry> {
    let all = core::iter::once(model).chain(companions.files.iter().map(|file| &file.model));
    all.filter_map(|model| Some(shape(model)?.geometry))
}

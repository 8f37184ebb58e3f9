//! Characters of The Sims: a file with its skeleton, meshes and animations from companion files.

use super::companions::keys;
use super::{AnyModel, CompanionFile, Companions};
use meshwright_core::Role;
use meshwright_tso::{Anim, Assembly, Bnd, Character, Geometry, Name, Part, ResourceId, Skel};

/// Metres in the unit of their files.
pub(super) const UNIT: Option<f64> = Some(1.0 / 3.0);

/// A mesh, and the texture that its file names.
pub(super) struct Shape<'m> {
    geometry: &'m Geometry,
    texture: Option<String>,
}

impl<'m> Shape<'m> {
    pub(super) fn from_model(model: &'m AnyModel) -> Option<Self> {
        match model {
            AnyModel::TsoMesh(m) => Some(Self::plain(&m.geometry)),
            AnyModel::Bmf(m) => Some(Self::named(&m.geometry, m.texture.text())),
            AnyModel::Skn(m) => Some(Self::named(&m.geometry, m.texture.text())),
            _ => None,
        }
    }

    pub(super) const fn plain(geometry: &'m Geometry) -> Self {
        Self { geometry, texture: None }
    }

    pub(super) fn named(geometry: &'m Geometry, texture: String) -> Self {
        Self { geometry, texture: Some(texture).filter(|t| !t.is_empty()) }
    }
}

/// The texture name in The Sims 1 for a texture that the suit selects: it is not the name of a file.
pub(crate) const CHOSEN_BY_SUIT: &str = "x";

/// Assembles a character: a file with its skeleton, animations and further meshes.
pub(super) fn figure<'a>(name: &str, lead: Option<Shape<'a>>, companions: &'a Companions) -> Assembly<'a> {
    let mut figure = Assembly::new(name)
        .with_skeleton(skeleton_for(name, lead.as_ref().map(|l| l.geometry), companions))
        .with_recomputed_normals(companions.scene.recompute_normals)
        .with_blend_normals(companions.scene.blend_normals);
    figure.animations.extend(companions.all::<Anim>());
    // The texture of the companions applies to the first mesh.
    let bound = || companions.one::<Bnd>().and_then(|b| b.texture.as_ref()).map(ResourceId::tag);
    let lead = lead.map(|shape| (name, shape, companions.texture.clone().or_else(bound)));
    let parts = companions.files.iter().filter(|file| file.role == Role::Part);
    let parts =
        parts.filter_map(|p| Some((p.name.as_str(), Shape::from_model(&p.model)?, p.texture.clone())));
    for (name, shape, texture) in lead.into_iter().chain(parts) {
        let part = Part::new(name, shape.geometry);
        // A texture that was found replaces a name or its placeholder.
        figure.parts.push(match texture.or(shape.texture) {
            Some(texture) => part.with_material(texture),
            None => part,
        });
    }
    figure
}

/// Returns the skeleton whose rest pose fits the blend vertices best. Without blend vertices, it is the one that the
/// name of a mesh suggests, otherwise the last.
pub(crate) fn skeleton_for<'a>(
    name: &str,
    lead: Option<&Geometry>,
    companions: &'a Companions,
) -> Option<&'a Skel> {
    let skeletons: Vec<&Skel> = companions.all().collect();
    if let [] | [_] = skeletons.as_slice() {
        return skeletons.first().copied();
    }
    let parts = companions.files.iter().filter_map(|file| Some(Shape::from_model(&file.model)?.geometry));
    let meshes: Vec<&Geometry> = lead.into_iter().chain(parts).collect();
    let misfit = |skel: &&Skel| meshes.iter().filter_map(|g| g.misfit(skel)).reduce(f64::max);
    let fits: Vec<_> = skeletons.iter().filter_map(|s| Some((misfit(s)?, *s))).collect();
    let best = fits.iter().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, s)| *s);
    let wanted = Name::from(if is_child(name) { "child" } else { "adult" });
    let named = || skeletons.iter().rev().find(|s| s.name.matches(&wanted)).copied();
    best.or_else(named).or_else(|| skeletons.last().copied())
}

/// Returns true if a suit or skin of The Sims 1 has a name like those of children: `b002ucchd_01`, `c001fc_...`, also after
/// `xskin-`.
pub(crate) fn is_child(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let name = lower.strip_prefix("xskin-").unwrap_or(&lower);
    let code = name.split(['_', '-', '.']).next().unwrap_or_default();
    let ages = code.get(4..6).is_some_and(|age| matches!(age, "fc" | "mc" | "uc"));
    code.ends_with("chd") || (ages && code.as_bytes().get(1).is_some_and(u8::is_ascii_digit))
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

/// Returns the texture that a mesh of The Sims 1 names. It may be empty; other models have none.
pub(crate) fn texture_of(model: &AnyModel) -> Option<String> {
    match model {
        AnyModel::Bmf(m) => Some(m.texture.text()),
        AnyModel::Skn(m) => Some(m.texture.text()),
        _ => None,
    }
}

/// Returns the skills of a file whose keys were found, as animations with their indices in the file.
pub(crate) fn skills(character: &Character, keys_in: &[CompanionFile]) -> Vec<(usize, Anim)> {
    let all = character.skills.iter().enumerate();
    all.filter_map(|(n, skill)| Some((n, skill.to_anim(keys(keys_in, &skill.keys)?)?))).collect()
}

/// Returns the same animations without indices.
pub(super) fn animations(character: &Character, companions: &Companions) -> Vec<Anim> {
    skills(character, &companions.files).into_iter().map(|(_, anim)| anim).collect()
}

/// Returns the meshes of a model and of its companions.
pub(crate) fn geometries<'a>(
    model: &'a AnyModel,
    companions: &'a Companions,
) -> impl Iterator<Item = &'a Geometry> {
    let all = core::iter::once(model).chain(companions.files.iter().map(|file| &file.model));
    all.filter_map(|model| Some(Shape::from_model(model)?.geometry))
}

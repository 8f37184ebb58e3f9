//! The materials of a model's surfaces by the rules of its engine.

use meshwright_core::SortedSet;
use meshwright_scene::{AlphaMode, Extra, Image, Material, MaterialId, MeshId, Scene, TextureLayer, Variant};

/// The look of a surface, as far as a material can express it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Look {
    pub(crate) image: Option<Image>,
    pub(crate) normal: Option<Image>,
    pub(crate) emissive: Option<Image>,
    /// The treatment of alpha, if the engine defines it.
    pub(crate) alpha: Option<AlphaMode>,
    pub(crate) double_sided: bool,
    /// Textures stop at their edges.
    pub(crate) clamped: bool,
    /// The reason why it is not drawn.
    pub(crate) hidden: Option<String>,
    /// Further textures.
    pub(crate) layers: Vec<TextureLayer>,
    /// The paths of further textures, by their purpose.
    pub(crate) further: Vec<(&'static str, String)>,
}

/// The look of some meshes with a common material.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dressing {
    pub(crate) meshes: Vec<usize>,
    pub(crate) material: usize,
    pub(crate) look: Look,
}

/// Another look of the whole model.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Variation {
    pub(crate) name: String,
    pub(crate) dressings: Vec<Dressing>,
}

/// Gives a scene its looks: that of all meshes, and the others that it can have.
pub(crate) fn dress_all(scene: &mut Scene, dressings: &[Dressing], variations: &[Variation]) {
    let plain = scene.materials.clone();
    dress(scene, dressings);
    let worn = |scene: &mut Scene, dressing: &Dressing| {
        let material = wearing(plain.get(dressing.material)?.clone(), &dressing.look);
        let known = scene.materials.iter().position(|known| *known == material);
        Some(MaterialId(known.unwrap_or_else(|| {
            scene.materials.push(material);
            scene.materials.len().saturating_sub(1)
        })))
    };
    for variation in variations {
        let mut variant = Variant { name: variation.name.clone(), materials: Vec::new() };
        for dressing in &variation.dressings {
            let Some(material) = worn(scene, dressing) else { continue };
            variant.materials.extend(dressing.meshes.iter().map(|mesh| (MeshId(*mesh), material)));
        }
        scene.variants.push(variant);
    }
}

/// Gives meshes their looks: the first of a material changes it, others become materials of their own.
fn dress(scene: &mut Scene, dressings: &[Dressing]) {
    let (mut taken, plain) = (SortedSet::new(), scene.materials.len());
    let originals: Vec<_> = dressings.iter().map(|d| scene.materials.get(d.material).cloned()).collect();
    for (dressing, original) in dressings.iter().zip(originals) {
        let Some(original) = original.filter(|_| dressing.material < plain) else { continue };
        let material = wearing(original, &dressing.look);
        if taken.insert(dressing.material) {
            if let Some(own) = scene.materials.get_mut(dressing.material) {
                *own = material;
            }
            continue;
        }
        let id = MaterialId(scene.materials.len());
        scene.materials.push(material);
        for mesh in &dressing.meshes {
            if let Some(mesh) = scene.meshes.get_mut(*mesh) {
                mesh.material = Some(id);
            }
        }
    }
}

fn wearing(mut material: Material, look: &Look) -> Material {
    material.image = look.image.clone().or(material.image);
    material.normal = look.normal.clone();
    material.emissive = look.emissive.clone();
    material.layers.clone_from(&look.layers);
    material.alpha = look.alpha.unwrap_or(material.alpha);
    material.double_sided |= look.double_sided;
    material.clamped |= look.clamped;
    if let Some(why) = &look.hidden {
        material = material.hidden();
        note(&mut material, "nodraw", Extra::Text(why.clone()));
    }
    if !look.further.is_empty() {
        let further = look.further.iter().map(|(kind, path)| ((*kind).into(), Extra::Text(path.clone())));
        note(&mut material, "textures", Extra::Map(further.collect()));
    }
    material
}

/// Writes something into the extras of a material.
fn note(material: &mut Material, key: &str, value: Extra) {
    match &mut material.extras {
        Some(Extra::Map(map)) => map.push((key.into(), value)),
        extras => *extras = Some(Extra::Map(vec![(key.into(), value)])),
    }
}

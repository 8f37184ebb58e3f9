//! Data of a scene that a format cannot hold: native fields, nodes without meshes.

use super::Format;
use meshwright_core::SortedSet;
use meshwright_scene::{Budget, ConvertError, Extra, Loss, Scene};
use std::borrow::Cow;

/// Fields that follow from other parts of the scene, or that have a meaning only for their own format.
const DERIVED: &[&str] =
    &["bones", "blends", "blend_residual", "total_counts_real_only", "quads", "duration", "crucible"];

/// Names that a message lists.
const LISTED: usize = 8;

/// Returns true for values that mean the same as an absent field.
fn is_blank(value: &Extra) -> bool {
    match value {
        Extra::Bool(on) => !on,
        Extra::Int(n) => *n == 0,
        Extra::Float(n) => *n == 0.0,
        Extra::Text(text) => text.is_empty(),
        Extra::List(items) => items.iter().all(is_blank),
        Extra::Map(fields) => fields.iter().all(|(_, value)| is_blank(value)),
    }
}

/// Returns the scene with bones for its marked places, if the format has such bones.
pub(super) fn tagged<'s>(
    format: Format,
    scene: &'s Scene,
    budget: &Budget,
) -> Result<(Cow<'s, Scene>, Vec<Loss>), ConvertError> {
    let (mut notes, scene) = (Vec::new(), Cow::Borrowed(scene));
    if !format.traits().has_tags {
        return Ok((scene, notes));
    }
    // Tools remove bones that nothing follows, unless they are attachments.
    let is_flagged = |format: &str| matches!(format, "dpm" | "zym");
    let attach = is_flagged(format.id()) && !is_flagged(&scene.format);
    let fields = attach.then(|| Extra::Map(vec![("attach".into(), true.into())]));
    let scene = Scene::with_tags(scene, fields.as_ref(), budget, &mut notes)?;
    Ok((scene, notes))
}

/// Returns the extras of joints, meshes, nodes, materials and clips.
pub(crate) fn extras_of(scene: &Scene) -> [Vec<Option<&Extra>>; 5] {
    let mut all = [const { Vec::new() }; 5];
    let [joints, meshes, nodes, materials, clips] = &mut all;
    for skeleton in &scene.skeletons {
        skeleton.joints.iter().for_each(|joint| joints.push(joint.extras.as_ref()));
    }
    scene.meshes.iter().for_each(|mesh| meshes.push(mesh.extras.as_ref()));
    scene.nodes.iter().for_each(|node| nodes.push(node.extras.as_ref()));
    scene.materials.iter().for_each(|material| materials.push(material.extras.as_ref()));
    scene.clips.iter().for_each(|clip| clips.push(clip.extras.as_ref()));
    all
}

/// Returns a loss for each kind of part with native fields that the format does not store.
pub(super) fn dropped(format: Format, scene: &Scene) -> Vec<Loss> {
    const PARTS: [(&str, &str, &str); 5] = [
        ("skeletons", "joint", "joints"),
        ("meshes", "mesh", "meshes"),
        ("nodes", "node", "nodes"),
        ("materials", "material", "materials"),
        ("clips", "clip", "clips"),
    ];
    let mut losses = Vec::new();
    for ((path, one, several), extras) in PARTS.into_iter().zip(extras_of(scene)) {
        let (mut names, mut count) = (SortedSet::new(), 0_usize);
        for extra in extras {
            let Some(Extra::Map(fields)) = extra else { continue };
            let (mut is_counted, is_listed) = (false, names.len() < LISTED);
            for (name, value) in fields {
                let is_taken = || (format.row().takes)(path, name, value);
                if DERIVED.contains(&name.as_str()) || is_blank(value) || is_taken() {
                    continue;
                }
                is_counted = true;
                if is_listed {
                    names.insert(name.as_str());
                }
            }
            count = count.saturating_add(usize::from(is_counted));
        }
        if count > 0 {
            let listed: Vec<_> = names.into_iter().take(LISTED).collect();
            let message = format!("the format has no place for these fields: {}", listed.join(", "));
            losses.push(Loss::new("extras-dropped", path, message).with_count(count, one, several));
        }
    }
    losses
}

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

/// Returns a loss for each kind of part with native fields that the format does not store.
pub(super) fn dropped(format: Format, scene: &Scene) -> Vec<Loss> {
    let is_dropped = |part: &str, name: &str, value: &Extra| {
        !DERIVED.contains(&name) && !is_blank(value) && !(format.row().takes)(part, name, value)
    };
    let joints = scene.skeletons.iter().flat_map(|s| &s.joints).map(|joint| &joint.extras);
    let joints: Vec<_> = joints.collect();
    let meshes: Vec<_> = scene.meshes.iter().map(|mesh| &mesh.extras).collect();
    let nodes: Vec<_> = scene.nodes.iter().map(|node| &node.extras).collect();
    let materials: Vec<_> = scene.materials.iter().map(|material| &material.extras).collect();
    let clips: Vec<_> = scene.clips.iter().map(|clip| &clip.extras).collect();
    let parts = [
        ("skeletons", joints, ["joint", "joints"]),
        ("meshes", meshes, ["mesh", "meshes"]),
        ("nodes", nodes, ["node", "nodes"]),
        ("materials", materials, ["material", "materials"]),
        ("clips", clips, ["clip", "clips"]),
    ];
    let loss = |(path, extras, [one, several]): (&str, Vec<&Option<Extra>>, [&'static str; 2])| {
        let (mut names, mut count) = (SortedSet::new(), 0_usize);
        for extra in extras.into_iter().flatten() {
            let Extra::Map(fields) = extra else { continue };
            let before = names.len();
            let own = fields.iter().filter(|(name, value)| is_dropped(path, name, value));
            let own: Vec<_> = own.map(|(name, _)| name.as_str()).collect();
            count = count.saturating_add(usize::from(!own.is_empty()));
            if before < LISTED {
                names.extend(own);
            }
        }
        let listed: Vec<_> = names.into_iter().take(LISTED).collect();
        let message = format!("the format has no place for these fields: {}", listed.join(", "));
        (count > 0).then(|| Loss::new("extras-dropped", path, message).with_count(count, one, several))
    };
    parts.into_iter().filter_map(loss).collect()
}

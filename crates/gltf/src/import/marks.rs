//! The original numbers of parts of a document that an export of this crate wrote.

use super::Origin;
use super::scene_extras::{KEY, VERSION, without};
use crate::document::{Document, JsonValue};
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::{Extra, Mark, Marks, Scene};

/// Removes the marks from the extras of a scene; invalid ones are ignored.
pub(super) fn take(
    document: &Document<'_>,
    scene: &mut Scene,
    origins: &[Origin],
) -> Result<Marks, ReadError> {
    let mut marks = Marks::default();
    let all = FieldPath::ROOT.field("extras");
    let joints = scene.skeletons.iter().map(|s| s.joints.len()).fold(0, usize::saturating_add);
    let count = joints.saturating_add(scene.meshes.len()).saturating_add(scene.materials.len());
    document.charge::<Option<Mark>>(&all, "marks", count)?;
    for skeleton in &mut scene.skeletons {
        let mut of = document.room(&all, "marks", skeleton.joints.len())?;
        for joint in &mut skeleton.joints {
            of.push(take_mark(document, &mut joint.extras)?);
        }
        marks.joints.push(of);
    }
    // Primitives of one mesh become several meshes, one each.
    for (mesh, origin) in scene.meshes.iter_mut().zip(origins) {
        let mark = take_mark(document, &mut mesh.extras)?;
        marks.meshes.push(mark.filter(|_| origin.primitive == 0));
    }
    for material in &mut scene.materials {
        marks.materials.push(take_mark(document, &mut material.extras)?);
    }
    // Tools copy extras to whatever they make of an object.
    for node in &mut scene.nodes {
        node.extras = without(node.extras.take(), &[KEY]);
    }
    Ok(marks)
}

/// The mark that extras hold, which they do not any more.
fn take_mark(document: &Document<'_>, extras: &mut Option<Extra>) -> Result<Option<Mark>, ReadError> {
    let Some(Extra::Map(fields)) = extras else { return Ok(None) };
    let text = fields.iter().find_map(|(key, value)| match value {
        Extra::Text(text) if key == KEY => Some(text),
        _ => None,
    });
    let Some(text) = text else { return Ok(None) };
    document.charge::<u8>(&FieldPath::ROOT.field("extras"), "marks", text.len())?;
    let mark = document.within(text, |value| Ok(read(value)))?.flatten();
    *extras = without(extras.take(), &[KEY]);
    Ok(mark)
}

fn read(value: JsonValue<'_, '_>) -> Option<Mark> {
    let number = |name| value.get(name).and_then(JsonValue::as_u64).and_then(|n| usize::try_from(n).ok());
    value.get("v").and_then(JsonValue::as_u64).filter(|v| *v == VERSION)?;
    Some(Mark {
        index: number("i")?,
        of: number("of").unwrap_or(0),
        name: value.get("name").and_then(JsonValue::as_str).unwrap_or_default().into_owned(),
    })
}

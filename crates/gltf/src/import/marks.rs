//! Reads the original numbers of parts in a document that this crate exported.

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
    // The primitives of one mesh become separate meshes, each with the mark.
    for (mesh, origin) in scene.meshes.iter_mut().zip(origins) {
        let mark = take_mark(document, &mut mesh.extras)?;
        marks.meshes.push(mark.filter(|_| origin.primitive == 0));
    }
    for material in &mut scene.materials {
        marks.materials.push(take_mark(document, &mut material.extras)?);
    }
    // Tools copy the extras of an object to the nodes and meshes that they create for it.
    for node in &mut scene.nodes {
        node.extras = without(node.extras.take(), &[KEY]);
    }
    Ok(marks)
}

/// Removes the mark from extras and returns it.
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

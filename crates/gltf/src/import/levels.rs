//! Converts scenes of a document to levels of detail.

use super::charge_push;
use super::extras::Extras;
use crate::document::{Document, JsonValue};
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::{Level, NodeId};

/// Returns the levels of a document whose scenes are levels. `roots` are the root nodes that the topmost
/// nodes come from. A scene with the model's name has no name of its own.
pub(super) fn read(
    document: &Document<'_>,
    roots: &[(NodeId, usize)],
    model: &str,
) -> Result<Vec<Level>, ReadError> {
    let extras = Extras::new(document, "scenes")?;
    let all = FieldPath::ROOT.field("scenes");
    let mut levels = document.room(&all, "levels", document.scenes().len())?;
    let mut drawn: Vec<bool> = document.room(&all, "levels", document.nodes().len())?;
    for (s, scene) in document.scenes().iter().enumerate() {
        let steps = document.nodes().len().saturating_add(roots.len());
        document.work(&all.index(s), "nodes of levels", steps)?;
        drawn.clear();
        drawn.resize(document.nodes().len(), false);
        for root in &scene.nodes {
            if let Some(drawn) = drawn.get_mut(*root) {
                *drawn = true;
            }
        }
        let mut nodes = Vec::new();
        for (node, _) in roots.iter().filter(|(_, root)| drawn.get(*root) == Some(&true)) {
            charge_push::<NodeId>(document, &all, "nodes of levels")?;
            nodes.push(*node);
        }
        if nodes.is_empty() {
            continue;
        }
        document.charge::<u8>(&all, "names", scene.name.len())?;
        let name = if scene.name == model { String::new() } else { scene.name.to_string() };
        let distance = extras.value(s).and_then(|e| e.get("max_distance")).and_then(JsonValue::as_f64);
        #[expect(clippy::cast_possible_truncation, reason = "checked to be finite")]
        let max_distance = distance.map(|d| d as f32).filter(|d| d.is_finite());
        levels.push(Level { name, nodes, max_distance });
    }
    Ok(levels)
}

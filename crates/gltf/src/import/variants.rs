//! Looks of a model. Source: the text of `KHR_materials_variants`.

use super::{Origin, charge_push};
use crate::document::{Document, JsonValue};
use meshwright_core::{Path, ReadError};
use meshwright_scene::{MaterialId, MeshId, Variant};

const NAME: &str = "KHR_materials_variants";

/// The items of a list of the extension, where something has it.
fn of<'d, 'a>(value: JsonValue<'d, 'a>, member: &'static str) -> impl Iterator<Item = JsonValue<'d, 'a>> {
    let extension = value.get("extensions").and_then(|e| e.get(NAME));
    extension.and_then(|e| e.get(member)).into_iter().flat_map(JsonValue::items)
}

/// The looks of a document whose meshes come from these places, and which has so many materials.
pub(super) fn read(
    document: &Document<'_>,
    origins: &[Origin],
    materials: usize,
) -> Result<Vec<Variant>, ReadError> {
    let all = Path::ROOT.field("extensions");
    let path = all.field(NAME);
    let root = document.json();
    let mut variants: Vec<Variant> = Vec::new();
    for variant in of(root, "variants") {
        let name = variant.get("name").and_then(JsonValue::as_str).unwrap_or_default();
        document.charge::<u8>(&path, "names", name.len())?;
        charge_push::<Variant>(document, &path, "variants")?;
        variants.push(Variant { name: name.into(), materials: Vec::new() });
    }
    if variants.is_empty() {
        return Ok(variants);
    }
    let meshes = || root.get("meshes").into_iter().flat_map(JsonValue::items);
    let mut lists: Vec<JsonValue<'_, '_>> = document.room(&path, "meshes", meshes().count())?;
    lists.extend(meshes());
    let number = |value: Option<JsonValue<'_, '_>>| {
        value.and_then(JsonValue::as_u64).and_then(|n| usize::try_from(n).ok())
    };
    for (mesh, origin) in origins.iter().enumerate() {
        document.work(&path, "variants", origin.primitive.saturating_add(1))?;
        let primitives = lists.get(origin.mesh).and_then(|mesh| mesh.get("primitives"));
        let mut primitives = primitives.into_iter().flat_map(JsonValue::items);
        let Some(primitive) = primitives.nth(origin.primitive) else { continue };
        for mapping in of(primitive, "mappings") {
            let Some(material) = number(mapping.get("material")).filter(|m| *m < materials) else { continue };
            for variant in mapping.get("variants").into_iter().flat_map(JsonValue::items) {
                let Some(variant) = number(Some(variant)).and_then(|v| variants.get_mut(v)) else { continue };
                document.work(&path, "variants", 1)?;
                charge_push::<(MeshId, MaterialId)>(document, &path, "variants")?;
                variant.materials.push((MeshId(mesh), MaterialId(material)));
            }
        }
    }
    Ok(variants)
}

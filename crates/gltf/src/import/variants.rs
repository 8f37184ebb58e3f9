//! Converts the variants of a model.

use super::{Origin, charge_push};
use crate::document::Document;
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::{MaterialId, MeshId, Variant};

/// Returns the variants of a document. `origins` are the sources of the scene's meshes.
pub(super) fn read(document: &Document<'_>, origins: &[Origin]) -> Result<Vec<Variant>, ReadError> {
    let path = FieldPath::ROOT.field("extensions");
    let names = document.variants();
    let mut variants: Vec<Variant> = document.room(&path, "variants", names.len())?;
    for name in names {
        document.charge::<u8>(&path, "names", name.len())?;
        variants.push(Variant { name: name.to_string(), materials: Vec::new() });
    }
    for (mesh, origin) in origins.iter().enumerate() {
        let primitives = document.meshes().get(origin.mesh).map_or(&[][..], |mesh| &mesh.primitives);
        let Some(primitive) = primitives.get(origin.primitive) else { continue };
        for one in &primitive.variants {
            for number in &one.variants {
                let Some(variant) = variants.get_mut(*number) else { continue };
                document.work(&path, "variants", 1)?;
                charge_push::<(MeshId, MaterialId)>(document, &path, "variants")?;
                variant.materials.push((MeshId(mesh), MaterialId(one.material)));
            }
        }
    }
    Ok(variants)
}

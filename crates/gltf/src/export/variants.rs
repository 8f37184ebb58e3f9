//! Writes looks of a model as `KHR_materials_variants`.

use crate::document::VariantUse;
use crate::export::geometry::{Written, owned};
use crate::export::material::Materials;
use crate::export::output::Output;
use meshwright_core::SortedMap;
use meshwright_scene::{ConvertError, Loss, Mesh, MeshId};

/// Gives a written mesh its materials in the looks of the scene.
pub(crate) fn map<'a>(
    out: &mut Output<'a>,
    materials: &mut Materials<'a>,
    (id, mesh): (MeshId, &Mesh),
    written: &Written,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    let scene = materials.scene();
    let mut uses = SortedMap::<usize, Vec<usize>>::new();
    for (number, variant) in scene.variants.iter().enumerate() {
        out.memory.work("variants", variant.materials.len() as u64)?;
        let Some((_, material)) = variant.materials.iter().find(|(mesh, _)| *mesh == id) else { continue };
        let Some(index) = materials.get(out, material.0, mesh, losses)? else { continue };
        out.charge_objects(1, 0)?;
        uses.entry(index).or_default().push(number);
    }
    if uses.is_empty() {
        return Ok(());
    }
    let tables = &mut out.tables;
    if tables.variants.is_empty() {
        tables.variants.extend(scene.variants.iter().map(|variant| owned(&variant.name)));
    }
    if let Some(primitive) = tables.meshes.get_mut(written.mesh).and_then(|m| m.primitives.first_mut()) {
        primitive.variants =
            uses.into_iter().map(|(material, variants)| VariantUse { material, variants }).collect();
    }
    Ok(())
}

//! Looks of a model as `KHR_materials_variants`.

use crate::export::geometry::Written;
use crate::export::material::Materials;
use crate::export::output::Output;
use gltf_json::extensions::mesh::{KhrMaterialsVariants, Mapping, Primitive};
use gltf_json::extensions::root::KhrMaterialsVariants as Names;
use gltf_json::extensions::scene::khr_materials_variants::Variant;
use meshwright_scene::{ConvertError, Loss, Mesh, MeshId};
use std::collections::BTreeMap;

const NAME: &str = "KHR_materials_variants";

/// Gives a mesh that was written the materials that it has in the looks of the scene.
pub(crate) fn map<'a>(
    out: &mut Output<'a>,
    materials: &mut Materials<'a>,
    (id, mesh): (MeshId, &Mesh),
    written: &Written,
    losses: &mut Vec<Loss>,
) -> Result<(), ConvertError> {
    let scene = materials.scene();
    let mut mappings = BTreeMap::<u32, Vec<u32>>::new();
    for (variant, number) in scene.variants.iter().zip(0_u32..) {
        out.memory.work("variants", variant.materials.len() as u64)?;
        let Some((_, material)) = variant.materials.iter().find(|(mesh, _)| *mesh == id) else { continue };
        let Some(index) = materials.get(out, material.0, mesh, losses)? else { continue };
        let Ok(index) = u32::try_from(index.value()) else { continue };
        out.charge_objects(1, 0)?;
        mappings.entry(index).or_default().push(number);
    }
    if mappings.is_empty() {
        return Ok(());
    }
    let names = || scene.variants.iter().map(|variant| Variant { name: variant.name.clone() }).collect();
    let root = out.root.extensions.get_or_insert_with(Default::default);
    if root.khr_materials_variants.is_none() {
        root.khr_materials_variants = Some(Names { variants: names() });
        out.root.extensions_used.push(NAME.into());
    }
    let mappings = mappings.into_iter().map(|(material, variants)| Mapping { material, variants }).collect();
    let primitive = out.root.meshes.get_mut(written.mesh.value()).and_then(|m| m.primitives.first_mut());
    if let Some(primitive) = primitive {
        // The crate has more fields where another user of it asks for them.
        let extensions: &mut Primitive = primitive.extensions.get_or_insert_default();
        extensions.khr_materials_variants = Some(KhrMaterialsVariants { mappings });
    }
    Ok(())
}

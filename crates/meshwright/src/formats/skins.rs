//! Writes the looks of a scene as skins of a model.

use super::Format;
use super::texture_names::TextureNames;
use meshwright_core::SortedMap;
use meshwright_quake::{Skin, SkinLine};
use meshwright_scene::names::{Encoding, NameRules};
use meshwright_scene::{
    Budget, ConvertError, Converted, Loss, Material, MaterialId, MeshId, OutputFiles, Scene, Variant,
};
#[cfg(feature = "gltf")]
use meshwright_scene::{Limits, OutputFile};

/// Returns the name of a mesh in a skin, from its own and its material: IQM has mesh names, DPM and ZYM have only their shaders.
fn name_of<'s>(format: Format, mesh: &'s str, material: Option<MaterialId>, scene: &'s Scene) -> &'s str {
    let material = material.and_then(|id| scene.materials.get(id.0)).map(|m: &Material| m.name.as_str());
    match format.id() {
        "iqm" => Some(mesh).filter(|name| !name.is_empty()).or(material).unwrap_or_default(),
        _ => material.unwrap_or(mesh),
    }
}

/// Returns a name as the format stores it.
fn stored(format: Format, name: &str) -> Option<Vec<u8>> {
    let encoding = if format.id() == "iqm" { Encoding::Utf8 } else { Encoding::LATIN1 };
    let longest = if format.id() == "iqm" { usize::MAX } else { 31 };
    let fitted = NameRules::new(encoding, longest).fit(name);
    fitted.is_exact().then_some(fitted.bytes)
}

/// Returns the name by which skins know a mesh with a material of a scene, as the format stores it.
#[cfg(feature = "gltf")]
pub(crate) fn mesh_in_skin(
    format: Format,
    mesh: &str,
    material: Option<MaterialId>,
    scene: &Scene,
) -> Option<Vec<u8>> {
    stored(format, name_of(format, mesh, material, scene))
}

/// Gives meshes in a skin their new names. Lines that name none of them stay as they are.
#[cfg(feature = "gltf")]
pub(crate) fn renamed_skin(mut skin: OutputFile, renames: &[[Vec<u8>; 2]]) -> OutputFile {
    let new_name = |mesh: &[u8]| renames.iter().find(|[old, _]| old == mesh).map(|[_, new]| new);
    let read = |text: &[u8]| Skin::parse(text, &Budget::new(Limits::default()));
    let Ok(mut wanted) = read(&skin.bytes) else { return skin };
    if wanted.lines.iter().all(|line| new_name(&line.mesh).is_none()) {
        return skin;
    }
    for line in &mut wanted.lines {
        line.mesh = new_name(&line.mesh).unwrap_or(&line.mesh).clone();
    }
    let rename = |line: &[u8]| {
        let name: &[u8] = line.split(|b| matches!(b, b',' | b' ' | b'\t')).next().unwrap_or_default();
        match new_name(name) {
            Some(new) => [new, line.get(name.len()..).unwrap_or_default()].concat(),
            None => line.to_vec(),
        }
    };
    skin.bytes = skin.bytes.split_inclusive(|b| *b == b'\n').flat_map(rename).collect();
    // A line that is written in another way, such as between quotes.
    if !read(&skin.bytes).is_ok_and(|read| read.lines == wanted.lines) {
        skin.bytes = wanted.to_bytes();
    }
    skin
}

/// Adds a `.skin` file for each look of a scene to a model called `stem`. If the first variant is not the look without
/// a variant, that look becomes the first skin.
pub(super) fn beside(
    format: Format,
    scene: &Scene,
    stem: &str,
    textures: &TextureNames,
    budget: &Budget,
    made: &mut Converted<OutputFiles>,
) -> Result<(), ConvertError> {
    let drawn: Vec<usize> = (0..scene.meshes.len())
        .filter(|mesh| scene.nodes.iter().any(|node| node.meshes.contains(&MeshId(*mesh))))
        .collect();
    let own = |mesh: usize| scene.meshes.get(mesh).and_then(|mesh| mesh.material);
    let worn = |variant: &Variant, mesh: usize| {
        let other = variant.materials.iter().find(|(id, _)| id.0 == mesh).map(|(_, material)| *material);
        other.or_else(|| own(mesh))
    };
    let plain = Variant::default();
    let first = scene.variants.first();
    let differs = first.is_some_and(|first| drawn.iter().any(|mesh| worn(first, *mesh) != own(*mesh)));
    if differs {
        let message = "the look without a variant is skin 0; those of the variants follow";
        made.losses.push(Loss::note("skins-numbered", "variants", message));
    }
    let mut lost = 0_usize;
    for (number, variant) in differs.then_some(&plain).into_iter().chain(&scene.variants).enumerate() {
        let mut lines: SortedMap<Vec<u8>, Option<MaterialId>> = SortedMap::new();
        for mesh in &drawn {
            let material = worn(variant, *mesh);
            // Meshes with the same name share a line.
            let shown =
                scene.meshes.get(*mesh).map(|shown| name_of(format, &shown.name, shown.material, scene));
            let name = stored(format, shown.unwrap_or_default());
            let is_written = name.is_some_and(|name| *lines.entry(name).or_insert(material) == material);
            lost = lost.saturating_add(usize::from(!is_written));
        }
        let line = |(mesh, material): (Vec<u8>, Option<MaterialId>)| {
            let texture = material.and_then(|id| textures.name(id.0)).unwrap_or_default();
            SkinLine { mesh, texture: texture.as_bytes().to_vec() }
        };
        let skin = Skin::new(lines.into_iter().map(line).collect()).to_bytes();
        budget.charge("skins", skin.len() as u64)?;
        let extension = format.extensions().first().copied().unwrap_or_default();
        made.value.push(format!("{stem}.{extension}_{number}.skin"), skin);
    }
    if lost > 0 {
        let message = "a skin has one line for all meshes of a name, and names of its format";
        made.losses
            .push(Loss::new("variants-dropped", "variants", message).with_count(lost, "mesh", "meshes"));
    }
    Ok(())
}

#[cfg(all(test, feature = "gltf"))]
mod tests {
    use super::*;

    #[test]
    fn a_renamed_mesh_is_renamed_in_its_skin() {
        let renames = [[b"body".to_vec(), b"fur".to_vec()], [b"a hat".to_vec(), b"hat".to_vec()]];
        for (text, wanted) in [
            ("// mine\nbody,a\r\neye , b\n", "// mine\nfur,a\r\neye , b\n"),
            ("bodyguard,a\ntag_body,\n", "bodyguard,a\ntag_body,\n"),
            ("body,a\n\"a hat\",b\n", "fur,a\nhat,b\n"),
            ("replace body a\n", "fur,a\n"),
        ] {
            let skin = OutputFile { name: "x_0.skin".into(), bytes: text.into() };
            assert_eq!(String::from_utf8(renamed_skin(skin, &renames).bytes).unwrap(), wanted);
        }
    }
}

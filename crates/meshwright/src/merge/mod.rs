//! Writes an edited scene into the model that it came from.

use crate::formats::{Merging, WriteOptions, invalid_file};
use crate::model::Model;
use meshwright_edit::Patch;
use meshwright_scene::{ConvertError, Converted, Loss, Material, OutputFiles, Scene};

/// The loss code if nothing of the original could be kept.
pub(crate) const ORIGINAL_DROPPED: &str = "original-dropped";

/// Writes a patch of `native`, the scene of the original model, as files; the main file is first.
///
/// Unchanged parts have the model's bits; changed parts are encoded from the edited scene. Data that scenes cannot hold
/// (flags, unknown words, padding of names, comments, the file layout) stays as it is in the model. Where this is not
/// possible, a loss reports it. Without edits, the result is the original, byte for byte. Textures are written for
/// materials that the native scene lacks.
///
/// The files are named like the model's unless the options give a stem.
///
/// # Errors
/// When a scene breaks its own rules, when the format can express nothing of the edited scene, or when the result would
/// take more than the limits allow.
pub fn merge(
    original: &Model,
    native: &Scene,
    patch: &Patch,
    options: &WriteOptions,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let name = name_of(original, options);
    let recovered = &patch.scene;
    if patch.is_empty() {
        let whole = original.rewrite(&name).map_err(invalid_file)?;
        return Ok(Converted::new(whole, Vec::new()));
    }
    let merging =
        Merging { companions: original.companions(), native, patch, recovered, name: &name, options };
    let mut made = match original.model().merge(&merging) {
        Err(refused @ (ConvertError::Invalid { .. } | ConvertError::Unsupported { .. })) => {
            let stem = name.rsplit_once('.').map_or(&*name, |(stem, _)| stem);
            // If it cannot be written at all, that error is reported.
            let mut made = original.format().encode_scene(recovered, stem, options)?;
            let message = format!("no part of the original was reused: {refused}");
            made.losses.insert(0, Loss::new(ORIGINAL_DROPPED, "file", message));
            made
        }
        other => other?,
    };
    let pictures = pictures(native, recovered);
    crate::formats::pictures_beside(original.format(), &pictures, "", options, &mut made)?;
    Ok(made)
}

/// Returns the name of the main file.
fn name_of(original: &Model, options: &WriteOptions) -> String {
    let name = String::from_utf8_lossy(original.path().name()).into_owned();
    if options.stem.is_empty() {
        return name;
    }
    let own = name.rsplit_once('.').map(|(_, extension)| extension);
    let extension = own.or_else(|| original.format().extensions().first().copied()).unwrap_or_default();
    format!("{}.{extension}", options.stem)
}

/// Returns the materials of an edited scene; native ones have no textures.
fn pictures(native: &Scene, recovered: &Scene) -> Scene {
    let known = |m: &Material| native.materials.iter().any(|n| n.name == m.name && n.image == m.image);
    let without = |m: &Material| if known(m) { m.clone().with_image(None) } else { m.clone() };
    Scene::new("").with_materials(recovered.materials.iter().map(without).collect())
}

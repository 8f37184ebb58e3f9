//! An edited scene written into the model that it came from.

use crate::asset::Asset;
use crate::kinds::{Kind, Merging, Visitor, WriteOptions};
use meshwright_edit::Patch;
use meshwright_scene::{ConvertError, Converted, Loss, Material, OutputFiles, Scene};

/// The loss of a model of which nothing could be kept.
pub(crate) const ORIGINAL_DROPPED: &str = "original-dropped";

/// The note on a companion that is no longer used; its path is the name of the file.
pub(crate) const FILE_LEFT: &str = "file-left";

/// The files of a model, the main one first, with a patch of `native`, the scene that the model gives.
///
/// Where the patch names no change the result has the bits of the model, elsewhere those that the edited scene gives in its format. What scenes cannot hold, flags, unknown words, names' padding, comments,
/// the layout of the file, stays as it is in the model; where it cannot, a loss says so. With nothing edited the result is
/// the original, byte for byte. Pictures are written for materials that the native scene does not have.
///
/// The files are called like the model's unless the options name a stem.
///
/// # Errors
/// When a scene breaks its own rules, when the format can express nothing of the edited scene, or when the result would
/// take more than the limits allow.
pub fn merge(
    original: &Asset,
    native: &Scene,
    patch: &Patch,
    options: &WriteOptions,
) -> Result<Converted<OutputFiles>, ConvertError> {
    let name = name_of(original, options);
    let recovered = &patch.scene;
    if native == recovered {
        let whole = original.rewrite(&name).map_err(|e| ConvertError::invalid("file", e.to_string()))?;
        return Ok(Converted::new(whole, Vec::new()));
    }
    original.format().visit(Into { original, native, patch, name: &name, options })
}

/// The name of the main file.
fn name_of(original: &Asset, options: &WriteOptions) -> String {
    let name = String::from_utf8_lossy(original.path().name()).into_owned();
    if options.stem.is_empty() {
        return name;
    }
    let own = name.rsplit_once('.').map(|(_, extension)| extension);
    let extension = own.or_else(|| original.format().extensions().first().copied()).unwrap_or_default();
    format!("{}.{extension}", options.stem)
}

struct Into<'m> {
    original: &'m Asset,
    native: &'m Scene,
    patch: &'m Patch,
    name: &'m str,
    options: &'m WriteOptions,
}

impl Visitor for Into<'_> {
    type Output = Result<Converted<OutputFiles>, ConvertError>;

    fn visit<K: Kind>(self) -> Self::Output {
        let Self { original, native, patch, name, options } = self;
        let recovered = &patch.scene;
        let companions = original.companions();
        let merging = Merging { companions, native, patch, recovered, name, options };
        let model = K::from_any(original.model())
            .ok_or_else(|| ConvertError::invalid("file", "it is of another kind"))?;
        let merged = model.merge(&merging);
        let mut made = match merged {
            Err(refused @ (ConvertError::Invalid { .. } | ConvertError::Unsupported { .. })) => {
                let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
                // If it cannot be written at all, that error is reported.
                let mut made = K::write_scene(recovered, stem, options)?;
                let message = format!("nothing is kept of the original: {refused}");
                made.losses.insert(0, Loss::new(ORIGINAL_DROPPED, "file", message));
                made
            }
            other => other?,
        };
        crate::kinds::pictures_beside::<K>(&pictures(native, recovered), "", options, &mut made)?;
        Ok(made)
    }
}

/// The materials of an edited scene, those that are native without their pictures.
fn pictures(native: &Scene, recovered: &Scene) -> Scene {
    let known = |m: &Material| native.materials.iter().any(|n| n.name == m.name && n.image == m.image);
    let without = |m: &Material| if known(m) { m.clone().with_image(None) } else { m.clone() };
    Scene::new("").with_materials(recovered.materials.iter().map(without).collect())
}

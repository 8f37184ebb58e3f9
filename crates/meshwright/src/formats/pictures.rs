//! Textures of materials as files next to native files.

use super::texture_names::TextureNames;
use super::{Format, WriteOptions};
use meshwright_scene::{
    Budget, ConvertError, Converted, Image, LayerKind, Loss, Material, MaterialId, OutputFiles, Scene,
    Unsupported,
};
use std::borrow::Cow;

/// Renames drawn materials whose names would mean the textures of other materials, or none: engines find the texture of
/// a material by its name.
pub(super) fn named_apart<'s>(
    format: Format,
    scene: Cow<'s, Scene>,
    options: &WriteOptions,
    losses: &mut Vec<Loss>,
) -> Result<Cow<'s, Scene>, ConvertError> {
    if !options.writes_pictures() {
        return Ok(scene);
    }
    let names = TextureNames::new(format, &scene);
    let mut renamed = Vec::new();
    for (i, material) in scene.materials.iter().enumerate() {
        let is_drawn = || scene.meshes.iter().any(|mesh| mesh.material == Some(MaterialId(i)));
        let is_found_by_name = (format.row().picture)(material) == Some(material.name.as_str());
        let name = names.name(i).filter(|name| *name != material.name);
        if let Some(name) = name.filter(|_| is_found_by_name && material.image.is_some() && is_drawn()) {
            renamed.push((i, name.to_owned()));
        }
    }
    if renamed.is_empty() {
        return Ok(scene);
    }
    let mut scene = match scene {
        Cow::Borrowed(scene) => scene.copied(&options.shared.budget())?,
        Cow::Owned(scene) => scene,
    };
    for (i, name) in renamed {
        let Some(material) = scene.materials.get_mut(i) else { continue };
        let path = format!("materials[{i}].name");
        losses.push(if material.name.is_empty() {
            let message =
                format!("a material without a name is called {name}, by which engines find its texture");
            Loss::note("material-named", path, message)
        } else {
            let message = format!("the name is used twice for different textures; renamed to {name}");
            Loss::new("name-renamed", path, message)
        });
        material.name = name;
    }
    Ok(Cow::Owned(scene))
}

/// Adds the textures of a scene's materials to the converted files, each under the last part of the name by which
/// engines search for it. It also adds skins for other looks of the scene if engines support them. A written texture is
/// not a loss.
pub(crate) fn beside(
    format: Format,
    scene: &Scene,
    stem: &str,
    options: &WriteOptions,
    made: &mut Converted<OutputFiles>,
) -> Result<(), ConvertError> {
    if !options.writes_pictures() {
        return Ok(());
    }
    let has_looks = has_looks(format, options);
    let budget = options.shared.budget();
    let names = TextureNames::new(format, scene);
    let mut written = 0_usize;
    for (i, material) in scene.materials.iter().enumerate() {
        // If there is only one look, the others are left out.
        let is_drawn = scene.meshes.iter().any(|mesh| mesh.material == Some(MaterialId(i)));
        let Some(name) = names.name(i).filter(|_| has_looks || is_drawn || scene.variants.is_empty()) else {
            continue;
        };
        let Some(stem) = super::texture_names::stem(name) else { continue };
        // The engine mixes the colours of players itself.
        let mixed = material.layer(LayerKind::Base).filter(|_| format.traits().pictures_beside);
        let own = if mixed.is_some() { COLORED } else { "" };
        let mut images = Vec::new();
        images.extend(material.image.as_ref().map(|image| (image, own)));
        if format.traits().pictures_beside {
            images.extend(further_textures(material));
        }
        for (image, suffix) in images {
            let (stem, losses) = (format!("{stem}{suffix}"), &mut made.losses);
            let Some(Written { name, bytes }) = file(format, image, &stem, i, &budget, losses)? else {
                continue;
            };
            let same = made.value.iter().find(|file| file.name.eq_ignore_ascii_case(&name));
            match same.map(|file| file.bytes == *bytes) {
                Some(true) => {}
                Some(false) => {
                    let message = format!("another file is called {name}");
                    losses.push(Loss::new("picture-dropped", format!("materials[{i}]"), message));
                    continue;
                }
                None => {
                    budget.charge("pictures", bytes.len() as u64)?;
                    made.value.push(name, bytes.into_owned());
                }
            }
            written = written.saturating_add((suffix == own).into());
        }
    }
    for loss in made.losses.iter_mut().filter(|loss| loss.code == Unsupported::Images.code()) {
        loss.count = loss.count.saturating_sub(written as u64);
    }
    made.losses.retain(|loss| loss.code != Unsupported::Images.code() || loss.count > 0);
    #[cfg(feature = "dpm")]
    if has_looks && !scene.variants.is_empty() {
        super::skins::beside(format, scene, stem, &names, &budget, made)?;
    }
    Ok(())
}

/// The suffix of a texture that has the colours of a player mixed in.
pub(crate) const COLORED: &str = "_colored";

/// Returns the textures of a material besides its own, with the suffixes of their files.
pub(crate) fn further_textures(material: &Material) -> Vec<(&Image, &'static str)> {
    let mut textures = Vec::new();
    textures.extend(material.normal.as_ref().map(|image| (image, "_norm")));
    textures.extend(material.emissive.as_ref().map(|image| (image, "_glow")));
    textures.extend(material.layers.iter().map(|layer| (&layer.image, layer.kind.suffix())));
    textures
}

/// Returns true if all looks of a scene are written, not only the first.
pub(super) fn has_looks(format: Format, options: &WriteOptions) -> bool {
    format.traits().has_skins && cfg!(feature = "dpm") && options.writes_pictures()
}

/// Reports the looks and textures of a scene that a format with one look, and one texture per material, cannot store.
pub(crate) fn one_look(scene: &Scene, pictures_beside: bool, skins: bool, losses: &mut Vec<Loss>) {
    let further = scene.materials.iter().map(left_out).fold(0, usize::saturating_add);
    if further > 0 && !pictures_beside {
        let message = "the format has no textures of directions, of light, and of players' colours";
        losses.push(
            Loss::new("texture-left-out", "materials", message).with_count(further, "texture", "textures"),
        );
    }
    if !scene.variants.is_empty() && !skins {
        let message = "the format has one look; the first is written";
        let looks = scene.variants.len();
        losses.push(Loss::new("variants-dropped", "variants", message).with_count(looks, "look", "looks"));
    }
}

/// Returns the number of textures of a material besides its own, without those that are mixed into it.
pub(crate) fn left_out(material: &Material) -> usize {
    let is_mixed = material.layer(LayerKind::Base).is_some();
    let left = |suffix: &str| match suffix {
        "" => false,
        "_pants" | "_shirt" => !is_mixed,
        _ => true,
    };
    further_textures(material).iter().filter(|(_, suffix)| left(suffix)).count()
}

/// A texture in the form that the engine reads.
struct Written<'i> {
    name: String,
    bytes: Cow<'i, [u8]>,
}

/// Returns the unchanged file of a picture.
///
/// # Errors
/// If the image is neither PNG nor JPEG.
fn file_of<'i>(image: &'i Image, stem: &str) -> Result<Written<'i>, String> {
    let (extension, head) = match image.mime {
        "image/jpeg" => ("jpg", &b"\xff\xd8\xff"[..]),
        _ => ("png", &b"\x89PNG\r\n\x1a\n"[..]),
    };
    if !image.bytes.starts_with(head) {
        return Err(format!("the image is not a {extension} file"));
    }
    Ok(Written { name: format!("{stem}.{extension}"), bytes: Cow::Borrowed(image.bytes.as_slice()) })
}

/// Adds a picture of another look of a model, under its own name.
#[cfg(feature = "gltf")]
pub(crate) fn push_picture(image: &Image, made: &mut Converted<OutputFiles>) {
    let stem = super::texture_names::stem(&image.name).ok_or_else(|| "the image has no name".to_owned());
    let written = stem.and_then(|stem| file_of(image, &stem)).and_then(|written| {
        match made.value.iter().all(|file| !file.name.eq_ignore_ascii_case(&written.name)) {
            true => Ok(written),
            false => Err(format!("another file is called {}", written.name)),
        }
    });
    match written {
        Ok(Written { name, bytes }) => made.value.push(name, bytes.into_owned()),
        Err(why) => made.losses.push(Loss::new("picture-dropped", "variants", why)),
    }
}

/// Returns the image file: unchanged, or with 256 colours if the engine reads nothing else. `None` if this fails.
#[cfg_attr(
    not(feature = "textures"),
    expect(unused_variables, reason = "only pictures as they are can be written")
)]
fn file<'i>(
    format: Format,
    image: &'i Image,
    stem: &str,
    material: usize,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Option<Written<'i>>, ConvertError> {
    if !format.traits().paletted {
        let made = file_of(image, stem);
        let dropped = |why| losses.push(Loss::new("picture-dropped", format!("materials[{material}]"), why));
        return Ok(made.map_err(dropped).ok());
    }
    #[cfg(feature = "textures")]
    {
        use super::palette;
        let path = || format!("materials[{material}]");
        let Some(made) = palette::bmp(image, budget)? else {
            losses.push(Loss::new("picture-dropped", path(), "the picture cannot be decoded"));
            return Ok(None);
        };
        if made.worst > 0 {
            let message = "the picture has more than the 256 colours of a palette";
            losses.push(
                Loss::new("picture-quantized", path(), message).with_amount(f64::from(made.worst), "of 255"),
            );
        }
        if made.had_alpha {
            losses.push(Loss::new("picture-alpha", path(), "a picture with a palette has no alpha"));
        }
        Ok(Some(Written { name: format!("{stem}.bmp"), bytes: Cow::Owned(made.bytes) }))
    }
    #[cfg(not(feature = "textures"))]
    Ok(None)
}

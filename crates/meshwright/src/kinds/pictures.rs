//! Pictures of materials beside native files.

use super::{Kind, WriteOptions};
use meshwright_files::output::OutputName;
use meshwright_scene::{Budget, ConvertError, Converted, Image, Loss, OutputFiles, Scene, Unsupported};
use std::borrow::Cow;

/// Extensions that a name may have and that the file need not.
const EXTENSIONS: [&str; 7] = ["bmp", "dds", "jpeg", "jpg", "pcx", "png", "tga"];

/// Adds the pictures of a scene's materials to what was made of it, each under the last part of the name by which engines
/// look for it. One that is written is not lost.
pub(crate) fn beside<K: Kind>(
    scene: &Scene,
    options: &WriteOptions,
    made: &mut Converted<OutputFiles>,
) -> Result<(), ConvertError> {
    if options.without_pictures {
        return Ok(());
    }
    let budget = options.shared.budget();
    let mut written = 0_usize;
    for (i, material) in scene.materials.iter().enumerate() {
        let Some(stem) = K::picture(material).and_then(stem) else { continue };
        let further = [(&material.normal, "_norm"), (&material.emissive, "_glow")];
        let further = further.into_iter().filter(|_| K::PICTURES_BESIDE);
        for (image, suffix) in [(&material.image, "")].into_iter().chain(further) {
            let Some(image) = image else { continue };
            let (stem, losses) = (format!("{stem}{suffix}"), &mut made.losses);
            let Some(Written { name, bytes }) = file::<K>(image, &stem, i, &budget, losses)? else {
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
            written = written.saturating_add(suffix.is_empty().into());
        }
    }
    for loss in made.losses.iter_mut().filter(|loss| loss.code == Unsupported::Images.code()) {
        loss.count = loss.count.saturating_sub(written as u64);
    }
    made.losses.retain(|loss| loss.code != Unsupported::Images.code() || loss.count > 0);
    Ok(())
}

/// Says what of the looks of a scene a format of one look, and of one picture a material, does not hold.
pub(crate) fn one_look(scene: &Scene, pictures_beside: bool, skins: bool, losses: &mut Vec<Loss>) {
    let further = scene.materials.iter().flat_map(|m| [&m.normal, &m.emissive]).flatten().count();
    if further > 0 && !pictures_beside {
        let message = "the format has no textures of directions and of light";
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

/// A picture as the engine reads it.
struct Written<'i> {
    name: String,
    bytes: Cow<'i, [u8]>,
}

/// The file of a picture: as it is, or of 256 colours where the engine takes no other; none where it cannot be made.
#[cfg_attr(
    not(feature = "textures"),
    expect(unused_variables, clippy::ptr_arg, reason = "only pictures as they are can be written")
)]
fn file<'i, K: Kind>(
    image: &'i Image,
    stem: &str,
    material: usize,
    budget: &Budget,
    losses: &mut Vec<Loss>,
) -> Result<Option<Written<'i>>, ConvertError> {
    if !K::PALETTED {
        let (extension, head) = match image.mime {
            "image/jpeg" => ("jpg", &b"\xff\xd8\xff"[..]),
            _ => ("png", &b"\x89PNG\r\n\x1a\n"[..]),
        };
        if !image.bytes.starts_with(head) {
            let path = format!("materials[{material}]");
            losses.push(Loss::new("picture-dropped", path, format!("the image is no {extension}")));
            return Ok(None);
        }
        let name = format!("{stem}.{extension}");
        return Ok(Some(Written { name, bytes: Cow::Borrowed(image.bytes.as_slice()) }));
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

/// The last part of a name without the extension of a picture, as every file system takes it and short enough for what
/// follows it.
fn stem(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next()?;
    let stem = match last.rsplit_once('.') {
        Some((stem, extension)) if EXTENSIONS.iter().any(|e| e.eq_ignore_ascii_case(extension)) => stem,
        _ => last,
    };
    let named = !stem.trim_end_matches(['.', ' ']).is_empty();
    named.then(|| OutputName::cleaned(stem).as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::stem;

    #[test]
    fn names_of_pictures_are_plain() {
        for (name, wanted) in [
            ("models/player/marine", Some("marine")),
            ("resource\\wall.TGA", Some("wall")),
            ("Material.001", Some("Material.001")),
            ("a:b?.png", Some("a_b_")),
            ("textures/.profile.png", Some("_.profile")),
            ("CON", Some("_CON")),
            ("a\u{202e}b", Some("a_b")),
            ("..", None),
            ("x/", None),
            ("", None),
        ] {
            assert_eq!(stem(name).as_deref(), wanted, "{name}");
        }
    }
}

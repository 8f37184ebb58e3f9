//! The pictures of a scene's materials as textures of the rasteriser.

use image::{ImageFormat, ImageReader};
use meshwright_render::Texture;
use meshwright_scene::{AlphaMode, Budget, ConvertError, Image, Scene};
use std::collections::BTreeMap;
use std::io::Cursor;
use std::sync::Arc;

/// The textures of a scene's materials, decoded, by their numbers: what [`render`](meshwright_render::render) takes. A
/// material without a picture, or with one that is broken, has none. However many materials share a picture, it is
/// decoded once for each way of treating alpha.
///
/// # Errors
/// When the budget does not allow for one of them.
pub fn textures(scene: &Scene, budget: &Budget) -> Result<Vec<Option<Arc<Texture>>>, ConvertError> {
    let mut known: BTreeMap<(usize, bool), Option<Arc<Texture>>> = BTreeMap::new();
    let mut textures = budget.reserve("textures", scene.materials.len())?;
    for material in &scene.materials {
        let Some(image) = &material.image else {
            textures.push(None);
            continue;
        };
        let alpha = material.alpha_mode(None) != AlphaMode::Opaque;
        let place = (Arc::as_ptr(&image.bytes).addr(), alpha);
        let texture = match known.get(&place) {
            Some(texture) => texture.clone(),
            None => texture(image, alpha, budget)?.map(Arc::new),
        };
        known.insert(place, texture.clone());
        textures.push(texture);
    }
    Ok(textures)
}

fn texture(image: &Image, alpha: bool, budget: &Budget) -> Result<Option<Texture>, ConvertError> {
    let format = match image.mime {
        "image/jpeg" => ImageFormat::Jpeg,
        _ => ImageFormat::Png,
    };
    let reader = || ImageReader::with_format(Cursor::new(image.bytes.as_slice()), format);
    let Ok((width, height)) = reader().into_dimensions() else { return Ok(None) };
    // What is decoded, of up to eight bytes a pixel, and what is kept of it.
    let bytes = u64::from(width).saturating_mul(u64::from(height)).saturating_mul(12);
    budget.charge("textures", bytes)?;
    let mut limited = reader();
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(bytes.saturating_add(1 << 20));
    limited.limits(limits);
    let Ok(decoded) = limited.decode() else { return Ok(None) };
    let pixels = decoded.into_rgba8().into_raw();
    let pixels: Vec<[u8; 4]> = pixels.as_chunks().0.to_vec();
    Texture::new(width, height, pixels, alpha, budget).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::{AlphaLevels, Limits, Material};

    fn png(color: image::Rgba<u8>) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image::RgbaImage::from_pixel(4, 2, color).write_to(&mut bytes, ImageFormat::Png).unwrap();
        bytes.into_inner()
    }

    #[test]
    fn pictures_are_decoded_once_and_broken_ones_are_none() {
        let shared = Image::new("a", "image/png", png(image::Rgba([9, 8, 7, 255])));
        let clear = shared.clone().with_alpha(AlphaLevels::Two);
        let broken = Image::new("b", "image/jpeg", b"no picture".to_vec());
        let images = [Some(shared.clone()), Some(shared), None, Some(broken), Some(clear)];
        let materials = images.map(|image| Material::named("m").with_image(image)).into();
        let scene = Scene::new("s").with_materials(materials);
        let made = textures(&scene, &Budget::new(Limits::default())).unwrap();
        let sizes: Vec<_> = made.iter().map(|t| t.as_ref().map(|t| t.size())).collect();
        assert_eq!(sizes, [Some((4, 2)), Some((4, 2)), None, None, Some((4, 2))]);
        let same = |a: usize, b: usize| Arc::ptr_eq(made[a].as_ref().unwrap(), made[b].as_ref().unwrap());
        assert!(same(0, 1) && !same(0, 4));
        assert!(textures(&scene, &Budget::new(Limits::default().with_memory(64))).is_err());
    }
}

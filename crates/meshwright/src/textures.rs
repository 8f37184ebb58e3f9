//! Decodes the textures of a scene's materials for the rasteriser.

use crate::pixels::{Allowance, DecodeError, Kind, decode};
use meshwright_core::SortedMap;
use meshwright_render::Texture;
use meshwright_scene::{AlphaMode, Budget, ConvertError, Image, Scene};
use std::sync::Arc;

/// Returns the decoded textures of a scene's materials, by material number, for [`render`](meshwright_render::render).
/// A material without an image, or with a broken one, has none. An image that several materials share is decoded once
/// for each treatment of alpha.
///
/// # Errors
/// When the budget does not allow for one of them.
pub fn textures(scene: &Scene, budget: &Budget) -> Result<Vec<Option<Arc<Texture>>>, ConvertError> {
    let mut known: SortedMap<(usize, bool), Option<Arc<Texture>>> = SortedMap::new();
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
    // The memory of decoding, up to eight bytes per pixel, and of the result.
    let charge = |width: u32, height: u32, _: u64| {
        budget.charge("textures", u64::from(width).saturating_mul(u64::from(height)).saturating_mul(12))
    };
    let allowance = Allowance { memory: budget.remaining(), charge: &charge };
    let decoded = match decode(&image.bytes, Kind::of_mime(image.mime), &allowance) {
        Ok(decoded) => decoded,
        Err(DecodeError::Limit(e)) => return Err(e.into()),
        Err(_) => return Ok(None),
    };
    let (width, height, pixels) = (decoded.width, decoded.height, decoded.to_rgba());
    let create = if alpha { Texture::with_alpha } else { Texture::opaque };
    create(width, height, pixels, budget).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixels::Pixels;
    use meshwright_scene::{AlphaLevels, Limits, Material};

    fn png(color: [u8; 4]) -> Vec<u8> {
        Pixels::from_rgba(4, 2, vec![color; 8]).unwrap().to_png().unwrap()
    }

    #[test]
    fn pictures_are_decoded_once_and_broken_ones_are_none() {
        let shared = Image::new("a", "image/png", png([9, 8, 7, 255]));
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

//! Computes images that an engine derives from image files.

use super::{Refused, Room};
use crate::pixels::{DecodeError, Kind, Pixels};
use meshwright_scene::Image;

/// The sum of three channels that corresponds to a slope of 1 in DarkPlaces: 255 * 6 / 4.
const STEEP: f32 = 382.5;

fn decoded(image: &Image, room: &Room) -> Result<Pixels, Refused> {
    room.decode(&image.bytes, Kind::of_mime(image.mime))
}

fn encode_image(pixels: &Pixels, like: &Image, room: &Room) -> Result<Image, Refused> {
    let bytes = pixels.to_png().map_err(|why| Refused::Broken(Kind::Png, why))?;
    room.charge_kept(bytes.len())?;
    let image = Image::new(like.name.clone(), "image/png", bytes).with_alpha(pixels.alpha);
    Ok(image.with_source(like.source.clone()))
}

/// Returns the normals of a height map, as DarkPlaces computes them (image.c, `Image_HeightmapToNormalmap_BGRA`): red to the
/// right, green up. The map repeats at its edges.
pub(in crate::model) fn normals(heights: &Image, room: &Room) -> Result<Image, Refused> {
    let picture = decoded(heights, room)?;
    let (width, height) = (picture.width, picture.height);
    let heights_of = picture.to_rgb();
    let at = |x: u32, y: u32| {
        let place = u64::from(y).saturating_mul(width.into()).saturating_add(x.into());
        let pixel = usize::try_from(place).ok().and_then(|place| heights_of.get(place));
        pixel.map_or(0.0, |channels| channels.iter().map(|c| f32::from(*c)).sum::<f32>())
    };
    let (right, below) = (width.saturating_sub(1), height.saturating_sub(1));
    let before = |at: u32, last: u32| at.checked_sub(1).unwrap_or(last);
    let after = |at: u32, last: u32| if at >= last { 0 } else { at.saturating_add(1) };
    let normal = |x: u32, y: u32| {
        let across = at(before(x, right), y) - at(after(x, right), y);
        let up = at(x, after(y, below)) - at(x, before(y, below));
        let shorter = 1.0 / (across * across + up * up + STEEP * STEEP).sqrt();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 1 to 255, cut as the engine does"
        )]
        let byte = |part: f32| (128.0 + part * shorter * 127.0) as u8;
        [byte(across), byte(up), byte(STEEP)]
    };
    let normals =
        (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| normal(x, y)).collect();
    let normals = Pixels::from_rgb(width, height, normals);
    encode_image(&normals.ok_or(Refused::Broken(Kind::Png, DecodeError::Unsound))?, heights, room)
}

/// Returns an image with the blue channel of another as its alpha; `None` if their sizes differ.
pub(in crate::model) fn with_alpha(
    image: &Image,
    alpha: &Image,
    room: &Room,
) -> Result<Option<Image>, Refused> {
    let (picture, mask) = (decoded(image, room)?, decoded(alpha, room)?);
    let (width, height) = (picture.width, picture.height);
    if (width, height) != (mask.width, mask.height) {
        return Ok(None);
    }
    let mut pixels = picture.to_rgba();
    for (pixel, mask) in pixels.iter_mut().zip(mask.to_rgb()) {
        pixel[3] = mask[2];
    }
    let pixels = Pixels::from_rgba(width, height, pixels);
    pixels.map(|pixels| encode_image(&pixels, image, room)).transpose()
}

/// Returns an image with colours added, each as much as its layer says (DarkPlaces: base + layer * colour). `None` if a layer has
/// another size. The result gets another name than the file.
pub(in crate::model) fn colored(
    image: &Image,
    layers: &[(Image, [u8; 3])],
    room: &Room,
) -> Result<Option<Image>, Refused> {
    let picture = decoded(image, room)?;
    let (width, height) = (picture.width, picture.height);
    let mut pixels = picture.to_rgba();
    for (layer, color) in layers {
        let layer = decoded(layer, room)?;
        if (width, height) != (layer.width, layer.height) {
            return Ok(None);
        }
        for (pixel, share) in pixels.iter_mut().zip(layer.to_rgb()) {
            for ((channel, share), color) in pixel.iter_mut().zip(share).zip(color) {
                let added = (u16::from(share).saturating_mul(u16::from(*color)).saturating_add(127)) / 255;
                *channel = channel.saturating_add(u8::try_from(added).unwrap_or(u8::MAX));
            }
        }
    }
    let name = format!("{}_colored", image.name);
    let like = Image::new(name, image.mime, Vec::new());
    let pixels = Pixels::from_rgba(width, height, pixels);
    pixels.map(|pixels| encode_image(&pixels, &like, room)).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::{Budget, Limits};

    fn png(width: u32, pixels: Vec<[u8; 3]>) -> Image {
        let height = u32::try_from(pixels.len()).unwrap() / width;
        Image::new("a", "image/png", Pixels::from_rgb(width, height, pixels).unwrap().to_png().unwrap())
    }

    fn room() -> Room {
        Room::new(Budget::new(Limits::default()))
    }

    fn pixels(image: &Image) -> Vec<[u8; 4]> {
        decoded(image, &room()).unwrap().to_rgba()
    }

    #[test]
    fn heights_become_directions() {
        // One step up from left to right, and level from top to bottom.
        let step = [[0; 3], [0; 3], [255; 3], [255; 3]];
        let made = pixels(&normals(&png(4, step.repeat(2)), &room()).unwrap());
        // 765 down and 382.5 out: -2 and 1 over the root of 5.
        assert_eq!(made[1], [14, 128, 184, 255]);
        assert_eq!(made[0], [241, 128, 184, 255], "the map repeats at its edges");
        let made = pixels(&normals(&png(1, step.to_vec()), &room()).unwrap());
        assert_eq!((made[1], made[0][1]), ([128, 241, 184, 255], 14));
    }

    #[test]
    fn the_blue_of_a_picture_is_the_alpha_of_another() {
        let image = png(2, vec![[1, 2, 3]; 2]);
        let mask = |width: usize| {
            let blue = [[9, 9, 255], [9, 9, 7], [9, 9, 7]];
            png(u32::try_from(width).unwrap(), blue[..width].to_vec())
        };
        let made = with_alpha(&image, &mask(2), &room()).unwrap().unwrap();
        assert_eq!(pixels(&made)[1], [1, 2, 3, 7]);
        assert_eq!(made.alpha, meshwright_scene::AlphaLevels::Many);
        assert!(with_alpha(&image, &mask(3), &room()).unwrap().is_none());
    }

    #[test]
    fn colors_are_added_through_their_layers() {
        let image = png(2, vec![[0, 0, 0], [200, 10, 10]]);
        let (all, half) = (png(2, vec![[255; 3]; 2]), png(2, vec![[128; 3], [0; 3]]));
        let layers = [(all, [100, 0, 50]), (half.clone(), [0, 255, 0])];
        let made = colored(&image, &layers, &room()).unwrap().unwrap();
        assert_eq!(pixels(&made), [[100, 128, 50, 255], [255, 10, 60, 255]]);
        assert_eq!((made.name.as_str(), made.source), ("a_colored", None));
        let other = [(png(1, vec![[0; 3]; 2]), [1; 3])];
        assert!(colored(&image, &other, &room()).unwrap().is_none(), "another size");
    }
}

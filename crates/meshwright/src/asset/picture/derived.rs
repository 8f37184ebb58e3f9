//! Pictures that an engine makes of others.

use super::{Kind, Refused, Room, encoded, levels};
use image::{DynamicImage, ImageFormat, RgbImage};
use meshwright_scene::Image;

/// The steps of three channels over which DarkPlaces' heights rise as far as the surface is wide: 255 * 6 / 4.
const STEEP: f32 = 382.5;

fn decoded(image: &Image, room: &Room) -> Result<(DynamicImage, Kind), Refused> {
    let (kind, format) = match image.mime {
        "image/png" => (Kind::Png, ImageFormat::Png),
        _ => (Kind::Jpeg, ImageFormat::Jpeg),
    };
    Ok((super::by_image(&image.bytes, kind, format, room)?, kind))
}

fn made(picture: &DynamicImage, like: &Image, kind: Kind, room: &Room) -> Result<Image, Refused> {
    let bytes = encoded(picture, kind)?;
    room.kept(bytes.len())?;
    let image = Image::new(like.name.clone(), "image/png", bytes).with_alpha(levels(picture));
    Ok(image.with_source(like.source.clone()))
}

/// The directions of a surface of heights, as DarkPlaces computes them (image.c, `Image_HeightmapToNormalmap_BGRA`): red to
/// the right, green up; what lies beside an edge is the other edge.
pub(in crate::asset) fn normals(heights: &Image, room: &Room) -> Result<Image, Refused> {
    let (picture, kind) = decoded(heights, room)?;
    let heights_of = picture.into_rgb8();
    let (width, height) = heights_of.dimensions();
    let at = |x: u32, y: u32| {
        let sum = |p: &image::Rgb<u8>| p.0.iter().map(|c| f32::from(*c)).sum::<f32>();
        heights_of.get_pixel_checked(x, y).map_or(0.0, sum)
    };
    let (right, below) = (width.saturating_sub(1), height.saturating_sub(1));
    let before = |at: u32, last: u32| at.checked_sub(1).unwrap_or(last);
    let after = |at: u32, last: u32| if at >= last { 0 } else { at.saturating_add(1) };
    let normals = RgbImage::from_fn(width, height, |x, y| {
        let across = at(before(x, right), y) - at(after(x, right), y);
        let up = at(x, after(y, below)) - at(x, before(y, below));
        let shorter = 1.0 / (across * across + up * up + STEEP * STEEP).sqrt();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "from 1 to 255, cut as the engine does"
        )]
        let byte = |part: f32| (128.0 + part * shorter * 127.0) as u8;
        image::Rgb([byte(across), byte(up), byte(STEEP)])
    });
    made(&DynamicImage::ImageRgb8(normals), heights, kind, room)
}

/// A picture with the blue of another as its alpha; none where they are not of one size.
pub(in crate::asset) fn with_alpha(
    image: &Image,
    alpha: &Image,
    room: &Room,
) -> Result<Option<Image>, Refused> {
    let (picture, kind) = decoded(image, room)?;
    let (mask, _) = decoded(alpha, room)?;
    let (mut picture, mask) = (picture.into_rgba8(), mask.into_rgb8());
    if picture.dimensions() != mask.dimensions() {
        return Ok(None);
    }
    for (pixel, mask) in picture.pixels_mut().zip(mask.pixels()) {
        pixel.0[3] = mask.0[2];
    }
    made(&DynamicImage::ImageRgba8(picture), image, kind, room).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{GrayImage, Luma, Rgb};
    use meshwright_core::{Budget, Limits};

    fn png(picture: &DynamicImage) -> Image {
        Image::new("a", "image/png", encoded(picture, Kind::Png).unwrap())
    }

    fn pixels(image: &Image) -> image::RgbaImage {
        image::load_from_memory(&image.bytes).unwrap().into_rgba8()
    }

    #[test]
    fn heights_become_directions() {
        let room = Room::new(Budget::new(Limits::default()));
        // One step up from left to right, and level from top to bottom.
        let heights = GrayImage::from_fn(4, 2, |x, _| Luma([if x < 2 { 0 } else { 255 }]));
        let made = pixels(&normals(&png(&DynamicImage::ImageLuma8(heights)), &room).unwrap());
        // 765 down and 382.5 out: -2 and 1 over the root of 5.
        assert_eq!(made.get_pixel(1, 0).0, [14, 128, 184, 255]);
        assert_eq!(made.get_pixel(0, 0).0, [241, 128, 184, 255], "the other edge lies beside the first");
        let heights = GrayImage::from_fn(1, 4, |_, y| Luma([if y < 2 { 0 } else { 255 }]));
        let made = pixels(&normals(&png(&DynamicImage::ImageLuma8(heights)), &room).unwrap());
        assert_eq!((made.get_pixel(0, 1).0, made.get_pixel(0, 0).0[1]), ([128, 241, 184, 255], 14));
    }

    #[test]
    fn the_blue_of_a_picture_is_the_alpha_of_another() {
        let room = Room::new(Budget::new(Limits::default()));
        let image = png(&DynamicImage::ImageRgb8(RgbImage::from_pixel(2, 1, Rgb([1, 2, 3]))));
        let mask = |width| RgbImage::from_fn(width, 1, |x, _| Rgb([9, 9, if x == 0 { 255 } else { 7 }]));
        let mask = |width| png(&DynamicImage::ImageRgb8(mask(width)));
        let made = with_alpha(&image, &mask(2), &room).unwrap().unwrap();
        assert_eq!(pixels(&made).get_pixel(1, 0).0, [1, 2, 3, 7]);
        assert_eq!(made.alpha, meshwright_scene::AlphaLevels::Many);
        assert!(with_alpha(&image, &mask(3), &room).unwrap().is_none());
    }
}

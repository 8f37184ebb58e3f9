//! Images with 256 colours, as The Sims 1 reads them: BMP with a palette, without alpha.

use crate::pixels::{self, Allowance, DecodeError, Kind};
use meshwright_core::{Order as _, SortedMap};
use meshwright_scene::{AlphaLevels, Budget, ConvertError, Image};

/// The number of colours of a palette.
const COLORS: usize = 256;

/// An image with 256 colours.
pub(super) struct Paletted {
    /// The file.
    pub(super) bytes: Vec<u8>,
    /// The largest error of a pixel's channel, of 255.
    pub(super) worst: u8,
    /// The image had alpha, which was dropped.
    pub(super) had_alpha: bool,
}

/// Reduces an image to 256 colours, or returns `None` if it cannot be decoded. An image with no more colours keeps all
/// of them.
pub(super) fn bmp(picture: &Image, budget: &Budget) -> Result<Option<Paletted>, ConvertError> {
    let charge = |width: u32, height: u32, _: u64| {
        let pixels = u64::from(width).saturating_mul(height.into());
        // The memory of the decoded image (up to eight bytes per pixel), its colours, its indices, and the file.
        budget.charge("pictures", pixels.saturating_mul(64).saturating_add(1 << 12))?;
        budget.work("pixels of pictures", pixels.saturating_mul(16))
    };
    let allowance = Allowance { memory: budget.remaining(), charge: &charge };
    let decoded = match pixels::decode(&picture.bytes, Kind::of_mime(picture.mime), &allowance) {
        Ok(decoded) => decoded,
        Err(DecodeError::Limit(e)) => return Err(e.into()),
        Err(_) => return Ok(None),
    };
    let samples = decoded.to_rgb();
    let mut counts: SortedMap<[u8; 3], u64> = SortedMap::new();
    for color in &samples {
        let count = counts.entry(*color).or_default();
        *count = count.saturating_add(1);
    }
    let (palette, places) = palette(counts.into_iter().collect());
    let mut worst = 0;
    let mut indices = Vec::with_capacity(samples.len());
    for color in &samples {
        let place = places.get(color).copied().unwrap_or(0);
        let shown = palette.get(usize::from(place)).copied().unwrap_or_default();
        worst = color.iter().zip(shown).map(|(a, b)| a.abs_diff(b)).fold(worst, u8::max);
        indices.push(place);
    }
    let bytes = pixels::bmp::encode(decoded.width, decoded.height, &indices, &palette);
    let had_alpha = picture.alpha != AlphaLevels::Full;
    Ok(bytes.map(|bytes| Paletted { bytes, worst, had_alpha }))
}

/// Colours with their numbers of pixels.
type Counted = Vec<([u8; 3], u64)>;

/// Returns a full palette for colours, and the index of each colour. It splits boxes of colours at the median of their
/// longest side, the box with the longest side first, until the palette is full.
fn palette(colors: Counted) -> (Vec<[u8; 3]>, SortedMap<[u8; 3], u8>) {
    let mut boxes = vec![colors];
    while boxes.len() < COLORS {
        let widest = boxes.iter().enumerate().map(|(i, list)| (longest(list).1, i)).max();
        let Some((_, at)) = widest.filter(|(side, _)| *side > 0) else { break };
        let mut list = boxes.swap_remove(at);
        let channel = longest(&list).0;
        let of = |color: &[u8; 3]| color.get(channel).copied().unwrap_or(0);
        list.sort_unstable_by_key(|(color, _)| (of(color), *color));
        let all: u64 = list.iter().map(|(_, n)| n).sum();
        let mut before = 0_u64;
        let half = list.iter().position(|(_, n)| {
            before = before.saturating_add(*n);
            before.saturating_mul(2) >= all
        });
        let cut = half.map_or(1, |h| h.saturating_add(1)).clamp(1, list.len().saturating_sub(1));
        let rest = list.split_off(cut);
        boxes.extend([list, rest]);
    }
    let mut palette = Vec::with_capacity(COLORS);
    let mut places = SortedMap::new();
    // The order does not depend on the splits, so that equal images give equal files.
    boxes.order();
    for (place, list) in (0..=u8::MAX).zip(&boxes) {
        palette.push(mean(list));
        places.extend(list.iter().map(|(color, _)| (*color, place)));
    }
    palette.resize(COLORS, [0; 3]);
    (palette, places)
}

/// Returns the channel with the largest range of colours, and the range.
fn longest(colors: &[([u8; 3], u64)]) -> (usize, u8) {
    let side = |channel: usize| {
        let values = || colors.iter().filter_map(|(color, _)| color.get(channel).copied());
        let (low, high) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
        high.saturating_sub(low)
    };
    (0..3).map(|channel| (channel, side(channel))).max_by_key(|(_, side)| *side).unwrap_or((0, 0))
}

/// Returns the mean of colours weighted by pixels, rounded.
fn mean(colors: &[([u8; 3], u64)]) -> [u8; 3] {
    let all: u64 = colors.iter().map(|(_, n)| n).sum::<u64>().max(1);
    std::array::from_fn(|channel| {
        let value = |color: &[u8; 3]| u64::from(color.get(channel).copied().unwrap_or(0));
        let sum: u64 = colors.iter().map(|(color, n)| value(color).saturating_mul(*n)).sum();
        u8::try_from(sum.saturating_add(all / 2).div_euclid(all)).unwrap_or(u8::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pixels::Pixels;
    use meshwright_scene::Limits;

    fn png(width: u32, color: impl Fn(u8, u8) -> [u8; 3]) -> (Image, Vec<[u8; 3]>) {
        let side = u8::try_from(width).unwrap();
        let pixels: Vec<_> =
            (0..side).flat_map(|y| (0..side).map(move |x| (x, y))).map(|(x, y)| color(x, y)).collect();
        let png = Pixels::from_rgb(width, width, pixels.clone()).unwrap().to_png().unwrap();
        (Image::new("p", "image/png", png), pixels)
    }

    fn palette_and_pixels(image: &Image) -> (Paletted, Vec<[u8; 3]>) {
        let made = bmp(image, &Budget::new(Limits::default())).unwrap().unwrap();
        let allowance = Allowance { memory: u64::MAX, charge: &|_, _, _| Ok(()) };
        let back = pixels::decode(&made.bytes, Kind::Bmp, &allowance).unwrap().to_rgb();
        (made, back)
    }

    #[test]
    fn few_colours_are_all_kept() {
        let (image, picture) = png(16, |x, y| [x * 17, y * 17, 200]);
        let (made, back) = palette_and_pixels(&image);
        assert_eq!((made.worst, back), (0, picture));
        // A header of 14 and 40 bytes, a full palette, 8 bits a pixel without compression.
        assert_eq!(made.bytes.len(), 14 + 40 + 1024 + 256);
        assert_eq!((&made.bytes[28..30], &made.bytes[30..34]), (&[8, 0][..], &[0; 4][..]));
    }

    #[test]
    fn many_colours_are_near_what_they_were() {
        let (image, picture) = png(64, |x, y| [x * 4, y * 4, (x + y) * 2]);
        let (made, back) = palette_and_pixels(&image);
        let off = |(a, b): (&[u8; 3], &[u8; 3])| a.iter().zip(b).map(|(a, b)| a.abs_diff(*b)).max();
        let worst = picture.iter().zip(&back).filter_map(off).max().unwrap();
        assert_eq!(made.worst, worst);
        assert!((1..=24).contains(&worst), "{worst}");
    }

    #[test]
    fn what_cannot_be_decoded_or_is_too_large_is_told() {
        let broken = Image::new("b", "image/png", b"no picture".to_vec());
        assert!(bmp(&broken, &Budget::new(Limits::default())).unwrap().is_none());
        let (image, _) = png(64, |_, _| [0; 3]);
        assert!(bmp(&image, &Budget::new(Limits::default().with_memory(1 << 16))).is_err());
    }
}

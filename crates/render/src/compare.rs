//! Where two pictures differ.
#![allow(
    clippy::arithmetic_side_effects,
    reason = "channels of 8 bits in 32; counts of pixels that were charged"
)]

use crate::picture::Picture;
use crate::sheet::sheet;
use meshwright_scene::{Budget, ConvertError};

/// Two pictures held against each other, pixel by pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// What is the same in pale grey; what is not in red, the stronger the more it differs.
    pub difference: Picture,
    /// Pixels that differ; where one picture is larger, all that the other has not.
    pub differing: u64,
    /// Pixels of the larger of both in each direction.
    pub pixels: u64,
    /// The largest difference of a channel, 0 to 255; 255 where one picture has no pixel.
    pub largest: u8,
}

/// How red a pixel becomes that differs as little as it can.
const FAINTEST: u32 = 96;

impl Comparison {
    /// Compares two pictures.
    ///
    /// # Errors
    /// When the budget does not allow for a third picture as large as both.
    pub fn of(left: &Picture, right: &Picture, budget: &Budget) -> Result<Self, ConvertError> {
        let (width, height) = (left.width().max(right.width()), left.height().max(right.height()));
        let pixels = u64::from(width) * u64::from(height);
        budget.work("pixels", pixels)?;
        let mut difference = Picture::filled(width, height, [255; 4], budget)?;
        let (mut differing, mut largest) = (0_u64, 0_u8);
        let places = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        for ((x, y), out) in places.zip(difference.rows_mut()) {
            let (a, b) = (left.pixel(x, y), right.pixel(x, y));
            let by = match (a, b) {
                (Some(a), Some(b)) => farthest(a, b),
                _ => u8::MAX,
            };
            *out = if by == 0 { pale(a.unwrap_or_default()) } else { red(by) };
            differing += u64::from(by > 0);
            largest = largest.max(by);
        }
        Ok(Self { difference, differing, pixels, largest })
    }

    /// Both pictures and where they differ side by side, each with a line of text below it.
    ///
    /// # Errors
    /// When a side would have more than 16384 pixels, and when the budget does not allow for it.
    pub fn side_by_side(
        &self,
        (left, left_name): (&Picture, &str),
        (right, right_name): (&Picture, &str),
        background: [u8; 4],
        budget: &Budget,
    ) -> Result<Picture, ConvertError> {
        let text = format!("{} of {} pixels differ", self.differing, self.pixels);
        let three = [(left, left_name), (right, right_name), (&self.difference, text.as_str())];
        sheet(&three, 3, background, budget)
    }
}

/// The largest difference of a channel; what is transparent in both has no colour.
fn farthest(a: [u8; 4], b: [u8; 4]) -> u8 {
    if a == b || (a[3] == 0 && b[3] == 0) {
        return 0;
    }
    a.into_iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

/// A pixel in three quarters white.
fn pale([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    let [r, g, b, a] = [r, g, b, a].map(u32::from);
    let grey = (r * 2 + g * 5 + b) / 8 * a / 255 + 255 - a;
    let light = u8::try_from(191 + grey / 4).unwrap_or(u8::MAX);
    [light, light, light, 255]
}

fn red(by: u8) -> [u8; 4] {
    let strength = FAINTEST + u32::from(by) * (255 - FAINTEST) / 255;
    let rest = u8::try_from((255 - strength.min(255)) * 3 / 4).unwrap_or(0);
    [220, rest, rest, 255]
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::Limits;

    fn budget() -> Budget {
        Budget::new(Limits::default())
    }

    fn filled(width: u32, height: u32, color: [u8; 4]) -> Picture {
        Picture::filled(width, height, color, &budget()).unwrap()
    }

    #[test]
    fn pixels_that_differ_are_counted_and_red() {
        let left = filled(4, 3, [10, 20, 30, 255]);
        let mut right = left.clone();
        right.put(1, 1, &filled(2, 1, [10, 24, 30, 255]));
        let same = Comparison::of(&left, &left, &budget()).unwrap();
        assert_eq!((same.differing, same.pixels, same.largest), (0, 12, 0));
        let found = Comparison::of(&left, &right, &budget()).unwrap();
        assert_eq!((found.differing, found.pixels, found.largest), (2, 12, 4));
        let is_red = |[r, g, b, _]: [u8; 4]| r > g + 50 && r > b + 50;
        for (x, y) in (0..3).flat_map(|y| (0..4).map(move |x| (x, y))) {
            let own = found.difference.pixel(x, y).unwrap();
            assert_eq!(is_red(own), y == 1 && (1..3).contains(&x), "{x} {y} {own:?}");
        }
        let far = Comparison::of(&left, &filled(4, 3, [255; 4]), &budget()).unwrap();
        assert_eq!((far.differing, far.largest), (12, 245));
        assert!(far.difference.pixel(0, 0).unwrap()[1] < found.difference.pixel(1, 1).unwrap()[1]);
    }

    #[test]
    fn pictures_of_other_sizes_differ_where_one_ends() {
        let (wide, high) = (filled(3, 1, [0; 4]), filled(1, 3, [9, 9, 9, 0]));
        let found = Comparison::of(&wide, &high, &budget()).unwrap();
        assert_eq!((found.differing, found.pixels, found.largest), (8, 9, 255), "one is clear in both");
        let page = found.side_by_side((&wide, "a"), (&high, "b"), [0, 0, 0, 255], &budget()).unwrap();
        assert_eq!((page.width(), page.height()), (6 + 9 * 3, 6 + 3 + 14 + 6));
        let nothing = filled(0, 0, [0; 4]);
        assert_eq!(Comparison::of(&nothing, &nothing, &budget()).unwrap().pixels, 0);
        let small = Budget::new(Limits::default().with_memory(8));
        assert!(Comparison::of(&wide, &high, &small).is_err());
    }
}

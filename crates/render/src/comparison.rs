//! Comparison of two renderings.
#![allow(
    clippy::arithmetic_side_effects,
    reason = "channels of 8 bits in 32; counts of pixels that were charged"
)]

use crate::contact_sheet::contact_sheet;
use crate::rendering::Rendering;
use meshwright_scene::{Budget, ConvertError};

/// Two renderings, compared pixel by pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// A rendering of the difference: equal pixels are pale grey, others red, stronger where they differ more.
    pub difference: Rendering,
    /// The number of pixels that differ. Pixels that only one rendering has count as different.
    pub differing: u64,
    /// The number of pixels of an area as wide and as high as the larger rendering.
    pub pixels: u64,
    /// The largest difference of a channel, 0 to 255; 255 if one rendering has no pixel there.
    pub largest: u8,
}

/// The strength of red for the smallest difference.
const FAINTEST: u32 = 96;

impl Comparison {
    /// Compares two renderings.
    ///
    /// # Errors
    /// If the budget does not suffice for a third rendering of that size.
    pub fn new(left: &Rendering, right: &Rendering, budget: &Budget) -> Result<Self, ConvertError> {
        let (width, height) = (left.width().max(right.width()), left.height().max(right.height()));
        let pixels = u64::from(width) * u64::from(height);
        budget.work("pixels", pixels)?;
        let mut difference = Rendering::filled(width, height, [255; 4], budget)?;
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

    /// Returns both renderings and their difference side by side, each with a line of text below.
    ///
    /// # Errors
    /// If a side would have more than 16384 pixels, or if the budget does not suffice.
    pub fn side_by_side(
        &self,
        (left, left_name): (&Rendering, &str),
        (right, right_name): (&Rendering, &str),
        background: [u8; 4],
        budget: &Budget,
    ) -> Result<Rendering, ConvertError> {
        let text = format!("{} of {} pixels differ", self.differing, self.pixels);
        let three = [(left, left_name), (right, right_name), (&self.difference, text.as_str())];
        contact_sheet(&three, 3, background, budget)
    }
}

/// Returns the largest difference of a channel. Pixels that are transparent in both are equal.
fn farthest(a: [u8; 4], b: [u8; 4]) -> u8 {
    if a == b || (a[3] == 0 && b[3] == 0) {
        return 0;
    }
    a.into_iter().zip(b).map(|(a, b)| a.abs_diff(b)).max().unwrap_or(0)
}

/// Returns a pixel as grey mixed with three quarters of white.
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

    fn filled(width: u32, height: u32, color: [u8; 4]) -> Rendering {
        Rendering::filled(width, height, color, &budget()).unwrap()
    }

    #[test]
    fn pixels_that_differ_are_counted_and_red() {
        let left = filled(4, 3, [10, 20, 30, 255]);
        let mut right = left.clone();
        right.draw_rendering(1, 1, &filled(2, 1, [10, 24, 30, 255]));
        let same = Comparison::new(&left, &left, &budget()).unwrap();
        assert_eq!((same.differing, same.pixels, same.largest), (0, 12, 0));
        let found = Comparison::new(&left, &right, &budget()).unwrap();
        assert_eq!((found.differing, found.pixels, found.largest), (2, 12, 4));
        let is_red = |[r, g, b, _]: [u8; 4]| r > g + 50 && r > b + 50;
        for (x, y) in (0..3).flat_map(|y| (0..4).map(move |x| (x, y))) {
            let own = found.difference.pixel(x, y).unwrap();
            assert_eq!(is_red(own), y == 1 && (1..3).contains(&x), "{x} {y} {own:?}");
        }
        let far = Comparison::new(&left, &filled(4, 3, [255; 4]), &budget()).unwrap();
        assert_eq!((far.differing, far.largest), (12, 245));
        assert!(far.difference.pixel(0, 0).unwrap()[1] < found.difference.pixel(1, 1).unwrap()[1]);
    }

    #[test]
    fn pictures_of_other_sizes_differ_where_one_ends() {
        let (wide, high) = (filled(3, 1, [0; 4]), filled(1, 3, [9, 9, 9, 0]));
        let found = Comparison::new(&wide, &high, &budget()).unwrap();
        assert_eq!((found.differing, found.pixels, found.largest), (8, 9, 255), "one is clear in both");
        let page = found.side_by_side((&wide, "a"), (&high, "b"), [0, 0, 0, 255], &budget()).unwrap();
        assert_eq!((page.width(), page.height()), (6 + 9 * 3, 6 + 3 + 24 + 6));
        let nothing = filled(0, 0, [0; 4]);
        assert_eq!(Comparison::new(&nothing, &nothing, &budget()).unwrap().pixels, 0);
        let small = Budget::new(Limits::default().with_memory(8));
        assert!(Comparison::new(&wide, &high, &small).is_err());
    }
}

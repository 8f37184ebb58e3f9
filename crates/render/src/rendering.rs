//! Rows of pixels.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "pixels by coordinates that were compared with the picture's size"
)]

use crate::font;
use meshwright_scene::{Budget, LimitExceeded};

/// Rows of pixels from the top: sRGB with straight alpha.
#[derive(Clone, PartialEq, Eq)]
pub struct Rendering {
    width: u32,
    height: u32,
    pixels: Vec<[u8; 4]>,
}

/// Returns a colour for text on a background.
pub(crate) fn ink_on(background: [u8; 4]) -> [u8; 4] {
    let [r, g, b, a] = background.map(u32::from);
    let dark = a > 127 && r * 2 + g * 5 + b < 1024;
    if dark { [235, 238, 242, 255] } else { [24, 28, 34, 255] }
}

impl std::fmt::Debug for Rendering {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Rendering({} x {})", self.width, self.height)
    }
}

/// The maximum number of characters of a text.
const LONGEST: usize = 256;

impl Rendering {
    /// Returns a rendering of one colour.
    ///
    /// # Errors
    /// If the budget does not suffice for its pixels.
    pub fn filled(width: u32, height: u32, color: [u8; 4], budget: &Budget) -> Result<Self, LimitExceeded> {
        let count = u64::from(width) * u64::from(height);
        let pixels = budget.filled("pixels", usize::try_from(count).unwrap_or(usize::MAX), color)?;
        Ok(Self { width, height, pixels })
    }

    /// Returns the width in pixels.
    #[must_use]
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// Returns the height in pixels.
    #[must_use]
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Returns all pixels, row by row from the top.
    #[must_use]
    pub fn pixels(&self) -> &[[u8; 4]] {
        &self.pixels
    }

    pub(crate) fn rows_mut(&mut self) -> &mut [[u8; 4]] {
        &mut self.pixels
    }

    /// Returns one pixel; `None` outside the rendering.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 4]> {
        let inside = x < self.width && y < self.height;
        inside.then(|| self.pixels[y as usize * self.width as usize + x as usize])
    }

    /// Sets a pixel; does nothing outside the rendering.
    fn set(&mut self, x: i64, y: i64, color: [u8; 4]) {
        let Some((x, y)) = u32::try_from(x).ok().zip(u32::try_from(y).ok()) else { return };
        if x < self.width && y < self.height {
            self.pixels[y as usize * self.width as usize + x as usize] = color;
        }
    }

    /// Draws another rendering over this one, with its top left corner at a pixel. Transparent pixels are blended.
    pub fn draw_rendering(&mut self, x: i64, y: i64, other: &Self) {
        for (row, pixels) in (0_i64..).zip(other.pixels.chunks(other.width.max(1) as usize)) {
            for (column, color) in (0_i64..).zip(pixels) {
                let (x, y) = (x.saturating_add(column), y.saturating_add(row));
                match color[3] {
                    0 => {}
                    255 => self.set(x, y, *color),
                    alpha => self.mix(x, y, *color, alpha),
                }
            }
        }
    }

    fn mix(&mut self, x: i64, y: i64, over: [u8; 4], alpha: u8) {
        let at = u32::try_from(x).ok().zip(u32::try_from(y).ok());
        let Some(under) = at.and_then(|(x, y)| self.pixel(x, y)) else { return };
        let (above, rest) = (u32::from(alpha) * 255, (255 - u32::from(alpha)) * u32::from(under[3]));
        let sum = above + rest;
        let part = |o: u8, u: u8| {
            let mixed = (u32::from(o) * above + u32::from(u) * rest + sum / 2) / sum.max(1);
            u8::try_from(mixed).unwrap_or(u8::MAX)
        };
        let [r, g, b] = std::array::from_fn(|i| part(over[i], under[i]));
        self.set(x, y, [r, g, b, u8::try_from((sum + 127) / 255).unwrap_or(u8::MAX)]);
    }

    /// Returns width and height of a text: six pixels per character and eight in height.
    #[must_use]
    pub fn text_size(text: &str) -> (u32, u32) {
        let count = u32::try_from(text.chars().take(LONGEST).count()).unwrap_or(0);
        (count.saturating_mul(font::WIDTH), font::HEIGHT)
    }

    /// Draws a text with its top left corner at a pixel. Characters outside printable ASCII are boxes; a text ends after
    /// 256 characters.
    pub fn draw_text(&mut self, x: i64, y: i64, color: [u8; 4], text: &str) {
        for (i, letter) in (0_i64..).zip(text.chars().take(LONGEST)) {
            for (column, row) in font::dots(letter) {
                self.set(x + i * i64::from(font::WIDTH) + column, y + row, color);
            }
        }
    }

    /// Draws a text in the middle, in lines that end at spaces and hyphens, in a colour that is visible on the pixel in the
    /// corner. Lines that are too long are cut.
    pub fn draw_centred(&mut self, text: &str) {
        let (letter, line) = (font::WIDTH, font::HEIGHT + 2);
        let most = (self.width / letter.max(1)) as usize;
        let mut lines: Vec<String> = vec![String::new()];
        for word in text.split_inclusive([' ', '-']).take(LONGEST) {
            if let Some(last) = lines.last_mut() {
                if last.is_empty() || last.chars().count() + word.trim_end().chars().count() <= most {
                    last.push_str(word);
                } else {
                    lines.push(word.to_owned());
                }
            }
        }
        let ink = ink_on(self.pixel(0, 0).unwrap_or_default());
        let top = i64::from(self.height) / 2 - i64::try_from(lines.len()).unwrap_or(0) * i64::from(line) / 2;
        for (row, text) in (0_i64..).zip(&lines) {
            let text: String = text.trim_end().chars().take(most).collect();
            let left = i64::from(self.width.saturating_sub(Self::text_size(&text).0) / 2);
            self.draw_text(left, top + row * i64::from(line), ink, &text);
        }
    }

    /// Returns a 64-bit FNV-1a hash of size and pixels, for tests.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let size = [self.width.to_le_bytes(), self.height.to_le_bytes()];
        let bytes = size.iter().flatten().chain(self.pixels.iter().flatten());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::Limits;

    fn picture(width: u32, height: u32, color: [u8; 4]) -> Rendering {
        Rendering::filled(width, height, color, &Budget::new(Limits::default())).unwrap()
    }

    #[test]
    fn pictures_lie_on_each_other() {
        let mut under = picture(4, 4, [0, 0, 0, 255]);
        under.draw_rendering(2, 2, &picture(9, 9, [255, 255, 255, 128]));
        under.draw_rendering(-1, 0, &picture(2, 1, [1, 2, 3, 255]));
        under.draw_rendering(i64::MAX, i64::MIN, &picture(2, 1, [1, 2, 3, 255]));
        assert_eq!(under.pixel(3, 3), Some([128, 128, 128, 255]));
        assert_eq!((under.pixel(0, 0), under.pixel(1, 0)), (Some([1, 2, 3, 255]), Some([0, 0, 0, 255])));
        assert_eq!(under.pixel(4, 0), None);
    }

    #[test]
    fn letters_are_drawn_within_their_cells() {
        for c in ' '..='~' {
            let mut page = picture(18, 24, [0; 4]);
            page.draw_text(6, 8, [255; 4], &c.to_string());
            let dots: Vec<_> =
                (0..18 * 24).filter(|i| page.pixels[*i][3] > 0).map(|i| (i % 18, i / 18)).collect();
            assert_eq!(dots.is_empty(), c == ' ', "{c}");
            assert!(dots.iter().all(|(x, y)| (6..11).contains(x) && (8..16).contains(y)), "{c}");
        }
        let mut page = picture(2, 2, [0; 4]);
        page.draw_text(-3, -3, [255; 4], "\u{202e}\0x");
    }

    #[test]
    fn no_two_letters_look_alike() {
        let shapes: Vec<Vec<_>> = (' '..='~').map(|c| font::dots(c).collect()).collect();
        for (i, shape) in shapes.iter().enumerate() {
            assert!(!shapes[..i].contains(shape), "{i}");
        }
    }
}

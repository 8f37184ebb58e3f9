//! Textures with mip levels.
#![allow(
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "texels by coordinates that are wrapped into their level"
)]

use meshwright_scene::color::{linear, srgb16};
use meshwright_scene::{Budget, ConvertError};
use std::sync::LazyLock;

/// The linear values of all sRGB bytes.
pub(crate) static LINEAR: LazyLock<[f32; 256]> =
    LazyLock::new(|| std::array::from_fn(|byte| linear(u8::try_from(byte).unwrap_or(u8::MAX))));

/// The sRGB bytes of linear light in steps of 1/65535.
static SRGB: LazyLock<Vec<u8>> = LazyLock::new(|| (0..=u16::MAX).map(srgb16).collect());

/// Returns the sRGB byte of linear light, 0 to 1.
pub(crate) fn srgb(light: f32) -> u8 {
    // The cast saturates, and NaN becomes 0.
    SRGB[usize::from((light * 65535.0 + 0.5) as u16)]
}

#[derive(Clone, Debug, PartialEq)]
struct Level {
    width: u32,
    height: u32,
    /// In sRGB, with straight alpha.
    texels: Vec<[u8; 4]>,
}

/// A decoded texture with mip levels. It repeats in both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct Texture {
    levels: Vec<Level>,
}

impl Texture {
    /// Creates the texture of an opaque surface from rows of pixels, top row first: red, green, blue and straight
    /// alpha, in sRGB. Colours of smaller levels do not depend on alpha.
    ///
    /// # Errors
    /// If there are not `width` times `height` pixels, if there are none, or if the budget does not suffice
    /// for the levels.
    pub fn opaque(
        width: u32,
        height: u32,
        pixels: Vec<[u8; 4]>,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        Self::new(width, height, pixels, false, budget)
    }

    /// Does the same as [`opaque`](Self::opaque), but smaller levels weight colours by alpha.
    ///
    /// # Errors
    /// As [`opaque`](Self::opaque).
    pub fn with_alpha(
        width: u32,
        height: u32,
        pixels: Vec<[u8; 4]>,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        Self::new(width, height, pixels, true, budget)
    }

    fn new(
        width: u32,
        height: u32,
        pixels: Vec<[u8; 4]>,
        alpha: bool,
        budget: &Budget,
    ) -> Result<Self, ConvertError> {
        let count = u64::from(width) * u64::from(height);
        if count == 0 || pixels.len() as u64 != count {
            let why = format!("{} pixels for {width} x {height}", pixels.len());
            return Err(ConvertError::invalid("texture", why));
        }
        budget.charge_items("textures", count / 2 + 64, size_of::<[u8; 4]>())?;
        budget.work("textures", count.saturating_mul(4))?;
        let mut levels = vec![Level { width, height, texels: pixels }];
        while let Some(last) = levels.last().filter(|l| l.width > 1 || l.height > 1) {
            let next = last.half(alpha);
            levels.push(next);
        }
        Ok(Self { levels })
    }

    /// Returns width and height of the largest level.
    #[must_use]
    pub fn size(&self) -> (u32, u32) {
        self.levels.first().map_or((1, 1), |l| (l.width, l.height))
    }

    /// Returns the colour in linear light at texture coordinates, from the two levels around `level` (0 is the
    /// largest).
    pub(crate) fn sample(&self, u: f32, v: f32, level: f32) -> [f32; 4] {
        let last = self.levels.len() - 1;
        let level = if level > 0.0 { level.min(last as f32) } else { 0.0 };
        let lower = level as usize;
        let t = level - lower as f32;
        let near = self.levels[lower].sample(u, v);
        if t <= 0.0 {
            return near;
        }
        let far = self.levels[(lower + 1).min(last)].sample(u, v);
        std::array::from_fn(|i| near[i] + (far[i] - near[i]) * t)
    }

    /// Returns alpha at texture coordinates, from one level.
    pub(crate) fn alpha(&self, u: f32, v: f32, level: usize) -> f32 {
        self.levels[level.min(self.levels.len() - 1)].sample(u, v)[3]
    }
}

impl Level {
    fn half(&self, alpha: bool) -> Self {
        let (width, height) = ((self.width / 2).max(1), (self.height / 2).max(1));
        let mut texels = Vec::with_capacity(width as usize * height as usize);
        // The last texel of a smaller level covers the remainder of an odd side.
        let span = |at: u32, small: u32, large: u32| {
            let end = if at + 1 == small { large } else { (at * 2 + 2).min(large) };
            (at * 2).min(large - 1)..end
        };
        let table = &*LINEAR;
        for y in 0..height {
            for x in 0..width {
                let (mut light, mut seen, mut plain, mut count) =
                    ([0.0_f32; 3], 0.0_f32, [0.0_f32; 3], 0.0_f32);
                for row in span(y, height, self.height) {
                    for column in span(x, width, self.width) {
                        let [r, g, b, a] = self.texels[row as usize * self.width as usize + column as usize];
                        let weight = f32::from(a) / 255.0;
                        for (i, c) in [r, g, b].into_iter().enumerate() {
                            plain[i] += table[usize::from(c)];
                            light[i] += table[usize::from(c)] * weight;
                        }
                        seen += weight;
                        count += 1.0;
                    }
                }
                let [r, g, b] =
                    if alpha && seen > 0.0 { light.map(|c| c / seen) } else { plain.map(|c| c / count) };
                texels.push([srgb(r), srgb(g), srgb(b), (seen / count * 255.0 + 0.5) as u8]);
            }
        }
        Self { width, height, texels }
    }

    /// Interpolates the four nearest texels.
    fn sample(&self, u: f32, v: f32) -> [f32; 4] {
        let (x0, x1, s) = wrap(u, self.width);
        let (y0, y1, t) = wrap(v, self.height);
        let at = |x: u32, y: u32| self.texels[y as usize * self.width as usize + x as usize];
        let table = &*LINEAR;
        let light = |[r, g, b, a]: [u8; 4]| {
            let [r, g, b] = [r, g, b].map(|c| table[usize::from(c)]);
            [r, g, b, f32::from(a) * (1.0 / 255.0)]
        };
        let corners = [at(x0, y0), at(x1, y0), at(x0, y1), at(x1, y1)].map(light);
        let weights = [(1.0 - s) * (1.0 - t), s * (1.0 - t), (1.0 - s) * t, s * t];
        std::array::from_fn(|i| {
            corners[0][i] * weights[0]
                + corners[1][i] * weights[1]
                + corners[2][i] * weights[2]
                + corners[3][i] * weights[3]
        })
    }
}

/// Returns the two texels around a coordinate of a repeating texture, and the distance from the first.
fn wrap(at: f32, size: u32) -> (u32, u32, f32) {
    let whole = f64::from(at);
    // Above this, a float has no visible fraction.
    let turned = if whole.abs() < 1e9 { whole - whole.floor() } else { 0.0 };
    let place = turned * f64::from(size) - 0.5;
    let floor = place.floor();
    let first = if floor < 0.0 { size - 1 } else { (floor as u32).min(size - 1) };
    let next = if first + 1 == size { 0 } else { first + 1 };
    (first, next, (place - floor) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_scene::Limits;

    fn texture_of(width: u32, height: u32, pixels: Vec<[u8; 4]>, alpha: bool) -> Texture {
        Texture::new(width, height, pixels, alpha, &Budget::new(Limits::default())).unwrap()
    }

    #[test]
    fn levels_are_means_in_linear_light() {
        let (black, white) = ([0, 0, 0, 255], [255, 255, 255, 255]);
        let texture = texture_of(2, 2, vec![black, white, white, black], false);
        assert_eq!(texture.levels[1].texels, [[188, 188, 188, 255]]);
        let texture = texture_of(3, 1, vec![white, white, black], false);
        assert_eq!(texture.levels[1].texels[0][0], 213, "two of three");
        assert_eq!(texture_of(1, 5, vec![white; 5], false).levels.len(), 3);
    }

    #[test]
    fn transparent_texels_give_no_colour_if_alpha_counts() {
        let pixels = vec![[255, 0, 0, 255], [0, 255, 0, 0]];
        assert_eq!(texture_of(2, 1, pixels.clone(), true).levels[1].texels, [[255, 0, 0, 128]]);
        assert_eq!(texture_of(2, 1, pixels, false).levels[1].texels, [[188, 188, 0, 128]]);
    }

    #[test]
    fn coordinates_repeat() {
        let pixels: Vec<_> = (0..8).map(|i| [i * 30, 255 - i * 30, 7, 255]).collect();
        let texture = texture_of(4, 2, pixels, false);
        for (u, v) in [(0.125, 0.25), (0.9, 0.6), (0.0, 0.0)] {
            for by in [-3.0, 1.0, 1000.0] {
                let (a, b) = (texture.sample(u, v, 0.0), texture.sample(u + by, v + by, 0.0));
                assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3), "{a:?} {b:?}");
            }
        }
        assert_eq!(texture.sample(0.125, 0.25, 0.0)[0], 0.0, "the middle of the first");
        for odd in [f32::NAN, f32::INFINITY, 1e30, -1e30] {
            assert!(texture.sample(odd, odd, odd).iter().all(|c| c.is_finite()));
        }
    }

    #[test]
    fn wrong_counts_are_refused() {
        let budget = Budget::new(Limits::default());
        assert!(Texture::new(2, 2, vec![[0; 4]; 3], false, &budget).is_err());
        assert!(Texture::new(0, 0, vec![], false, &budget).is_err());
        let small = Budget::new(Limits::default().with_memory(100));
        assert!(Texture::new(64, 64, vec![[0; 4]; 4096], false, &small).is_err());
    }
}

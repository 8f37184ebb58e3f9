//! Converts display colours to linear light and back, by the sRGB curve.

use meshwright_core::math::narrow1;

/// The encoding of the red, green and blue bytes of vertex colours. Alpha is linear in both encodings, with
/// 255 as 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ColorEncoding {
    /// Display values on the sRGB curve, as in `#RRGGBB`. Engines of that time bring them to the screen
    /// unchanged. Eight bits suffice only for this encoding.
    #[default]
    Srgb,
    /// Linear light, with 255 as 1.
    Linear,
}

impl ColorEncoding {
    /// Returns the colour on the sRGB curve.
    #[must_use]
    pub fn to_srgb(self, [r, g, b, a]: [u8; 4]) -> [u8; 4] {
        let [r, g, b] = match self {
            Self::Srgb => [r, g, b],
            Self::Linear => [r, g, b].map(|c| srgb16(u16::from(c).saturating_mul(257))),
        };
        [r, g, b, a]
    }

    /// Returns the colour in linear light, with 65535 as 1.
    #[must_use]
    pub fn to_linear16(self, [r, g, b, a]: [u8; 4]) -> [u16; 4] {
        let share = |c: u8| u16::from(c).saturating_mul(257);
        let [r, g, b] = match self {
            Self::Srgb => [r, g, b].map(linear16),
            Self::Linear => [r, g, b].map(share),
        };
        [r, g, b, share(a)]
    }
}

/// The linear values of all display bytes.
#[allow(clippy::indexing_slicing, reason = "computed when it is compiled")]
const LINEAR: [f64; 256] = {
    let mut all = [0.0; 256];
    let mut i = 0;
    let mut byte = 0.0;
    while i < all.len() {
        let x: f64 = byte / 255.0;
        all[i] = if x <= 0.04045 { x / 12.92 } else { power_2_4((x + 0.055) / 1.055) };
        byte += 1.0;
        i += 1;
    }
    all
};

/// Returns `x` to the power of 12/5, for 0 to 1: the twelfth power of the fifth root.
const fn power_2_4(x: f64) -> f64 {
    let mut root = 1.0;
    let mut step = 0_u32;
    while step < 40 {
        let fourth = root * root * root * root;
        root -= (root * fourth - x) / (5.0 * fourth);
        step = step.saturating_add(1);
    }
    let square = root * root;
    let fourth = square * square;
    fourth * fourth * fourth
}

fn linear64(byte: u8) -> f64 {
    LINEAR.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Returns the linear value of a display byte, 0 to 1.
#[must_use]
pub fn linear(byte: u8) -> f32 {
    narrow1(linear64(byte))
}

/// Returns the linear value of a display byte, with 65535 as 1. All bytes have different values.
#[must_use]
pub fn linear16(byte: u8) -> u16 {
    // Between 0 and 65535.5.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in range")]
    let share = (linear64(byte) * 65535.0 + 0.5) as u16;
    share
}

/// Returns the display byte with the nearest linear value; 0 for NaN.
#[must_use]
pub fn srgb(value: f32) -> u8 {
    let value = if value > 0.0 { f64::from(value.min(1.0)) } else { 0.0 };
    let after = LINEAR.partition_point(|l| *l < value).min(255);
    let before = after.saturating_sub(1);
    let away = |i: usize| LINEAR.get(i).map_or(f64::INFINITY, |l| (l - value).abs());
    let nearest = if away(before) <= away(after) { before } else { after };
    u8::try_from(nearest).unwrap_or(u8::MAX)
}

/// Returns the display byte with the nearest linear value, with 65535 as 1: the inverse of [`linear16`].
#[must_use]
pub fn srgb16(share: u16) -> u8 {
    srgb(narrow1(f64::from(share) / 65535.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_comes_back() {
        for byte in 0..=u8::MAX {
            let x = f64::from(byte) / 255.0;
            let want = if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
            assert!((f64::from(linear(byte)) - want).abs() < 1e-7, "{byte}");
            assert!((f64::from(linear16(byte)) - want * 65535.0).abs() < 0.501, "{byte}");
            assert_eq!((srgb(linear(byte)), srgb16(linear16(byte))), (byte, byte));
            let color = [byte, 0, 255, byte];
            let [r, g, b, a] = ColorEncoding::Srgb.to_linear16(color);
            assert_eq!((g, b, a), (0, 65535, u16::from(byte) * 257));
            assert_eq!([srgb16(r), srgb16(g), srgb16(b), (a / 257) as u8], color);
        }
    }

    #[test]
    fn known_values_of_the_curve() {
        assert_eq!([0, 1, 10, 11, 128, 188, 255].map(linear16), [0, 20, 199, 219, 14146, 32957, 65535]);
        assert_eq!(ColorEncoding::Linear.to_srgb([0, 55, 255, 128]), [0, 128, 255, 128]);
        assert_eq!(ColorEncoding::Linear.to_linear16([0, 55, 255, 128]), [0, 14135, 65535, 32896]);
        assert_eq!([-1.0, 0.5, 7.0, f32::NAN, f32::INFINITY].map(srgb), [0, 188, 255, 0, 255]);
    }
}

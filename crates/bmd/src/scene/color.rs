//! Display colours and linear light.

/// The linear value of a display byte, by the sRGB curve.
pub(super) fn linear(byte: u8) -> f32 {
    let x = f64::from(byte) / 255.0;
    let y = if x <= 0.04045 { x / 12.92 } else { power_2_4((x + 0.055) / 1.055) };
    meshwright_core::math::narrow1(y)
}

/// `x` to the power of 12/5 for 0 to 1: the twelfth power of the fifth root.
fn power_2_4(x: f64) -> f64 {
    let mut root = 1.0;
    for _ in 0..40 {
        let fourth = root * root * root * root;
        root -= (root * fourth - x) / (5.0 * fourth);
    }
    let square = root * root;
    let fourth = square * square;
    fourth * fourth * fourth
}

/// The display byte whose linear value is nearest.
pub(super) fn display(value: f32) -> u8 {
    let away = |byte: &u8| (linear(*byte) - value).abs();
    (0..=u8::MAX).min_by(|a, b| away(a).total_cmp(&away(b))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_that_of_srgb() {
        for byte in 0..=u8::MAX {
            let x = f64::from(byte) / 255.0;
            let want = if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
            assert!((f64::from(linear(byte)) - want).abs() < 1e-7, "{byte}");
            assert_eq!(display(linear(byte)), byte);
        }
    }
}

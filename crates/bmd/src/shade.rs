//! The colour byte: sixteen hues with sixteen levels each.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "vectors and matrices of fixed size"
)]

/// Red, green and blue of each hue (high nibble) at full level, one byte per channel: 0xFF, 0xAA or 0x55.
const HUES: [[u8; 3]; 16] = [
    [0xff, 0xff, 0xff],
    [0xff, 0x55, 0x55],
    [0x55, 0xff, 0x55],
    [0xff, 0xff, 0x55],
    [0x55, 0x55, 0xff],
    [0xff, 0x55, 0xff],
    [0x55, 0xff, 0xff],
    [0x55, 0xaa, 0xff],
    [0xff, 0xaa, 0x55],
    [0xff, 0xaa, 0xaa],
    [0xaa, 0xff, 0xaa],
    [0xff, 0xff, 0xaa],
    [0xaa, 0xaa, 0xff],
    [0xff, 0xaa, 0xff],
    [0xaa, 0xff, 0xff],
    [0xaa, 0x55, 0xff],
];

/// Red, green and blue of a colour byte.
pub const fn shade(byte: u8) -> [u8; 3] {
    let hue = HUES[(byte >> 4) as usize];
    [level(hue[0], byte), level(hue[1], byte), level(hue[2], byte)]
}

const fn level(channel: u8, byte: u8) -> u8 {
    let n = (byte & 15) as u32 + 1;
    #[expect(clippy::cast_possible_truncation, reason = "at most the channel itself")]
    let scaled = (channel as u32 * n / 16) as u8;
    scaled
}

/// Returns the colour byte whose colour is nearest to `rgb` by squared distance; the lowest among equals.
pub fn nearest_shade(rgb: [u8; 3]) -> u8 {
    let distance =
        |byte: u8| -> u32 { shade(byte).iter().zip(rgb).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum() };
    (0..=u8::MAX).min_by_key(|byte| distance(*byte)).unwrap_or(0)
}

/// Returns a colour byte's colour times a base colour, rounded.
pub const fn tint(base: [u8; 3], color: [u8; 3]) -> [u8; 3] {
    [scale(base[0], color[0]), scale(base[1], color[1]), scale(base[2], color[2])]
}

const fn scale(a: u8, b: u8) -> u8 {
    #[expect(clippy::cast_possible_truncation, reason = "at most 255")]
    let product = ((a as u32 * b as u32 + 127) / 255) as u8;
    product
}

/// Returns the colour of a material name of the form `#RRGGBB`.
pub fn flat_color(name: &[u8]) -> Option<[u8; 3]> {
    let (b'#', digits) = name.split_first()? else { return None };
    let digits: &[u8; 6] = digits.try_into().ok()?;
    let value = |d: u8| char::from(d).to_digit(16).and_then(|v| u8::try_from(v).ok());
    let pair = |hi: u8, lo: u8| Some(value(hi)? << 4 | value(lo)?);
    let [a, b, c, d, e, f] = *digits;
    Some([pair(a, b)?, pair(c, d)?, pair(e, f)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshwright_core::SortedSet;

    #[test]
    fn every_colour_comes_back() {
        for byte in 0..=u8::MAX {
            assert_eq!(nearest_shade(shade(byte)), byte);
        }
        let all: SortedSet<_> = (0..=u8::MAX).map(shade).collect();
        assert_eq!(all.len(), 256);
        assert_eq!(shade(0x0f), [255; 3]);
        assert_eq!(shade(0x15), [0x5f, 0x1f, 0x1f]);
    }

    #[test]
    fn only_six_digits_are_a_colour() {
        assert_eq!(flat_color(b"#80fF07"), Some([0x80, 0xff, 7]));
        for name in [&b"#80ff0"[..], b"#80ff071", b"80ff07", b"#80ff0g", b"#+0ff07", b"", b"#"] {
            assert_eq!(flat_color(name), None);
        }
    }
}

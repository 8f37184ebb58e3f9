//! glTF-Transform replaces plain materials with pixels of one texture (`optimize`, `palette`; measured with 4.5.1: the
//! two colours of a model become `PaletteMaterial001`).

/// Returns true for the name of a palette material, with which glTF-Transform replaces plain materials. During a
/// comparison, each of their colours is a material with this name and without a texture.
pub fn is_palette(name: &str) -> bool {
    name.strip_prefix("PaletteMaterial")
        .is_some_and(|n| n.len() >= 3 && n.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::is_palette;

    #[test]
    fn palettes_are_numbered_with_three_digits() {
        assert!(is_palette("PaletteMaterial001") && is_palette("PaletteMaterial1234"));
        assert!(
            ["PaletteMaterial", "PaletteMaterial1", "PaletteMaterial01a", "Palette001"]
                .iter()
                .all(|n| !is_palette(n))
        );
    }
}

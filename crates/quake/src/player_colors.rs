//! The colours of a player's shirt and pants, which engines add to textures.

use alloc::format;
use alloc::string::String;
use core::str::FromStr;

/// The colours of DarkPlaces' palette (palette.c, `Palette_Load`): one of the brightest of each row of
/// Quake's palette.
const PALETTE: [[u8; 3]; 16] = [
    [187, 187, 187],
    [115, 87, 31],
    [115, 115, 163],
    [83, 83, 11],
    [103, 0, 0],
    [139, 91, 19],
    [207, 143, 43],
    [183, 135, 107],
    [127, 91, 111],
    [139, 79, 107],
    [163, 135, 123],
    [79, 99, 87],
    [187, 167, 15],
    [35, 35, 191],
    [227, 151, 79],
    [255, 243, 147],
];

/// Colours by name.
const NAMES: [(&str, [u8; 3]); 12] = [
    ("black", [0, 0, 0]),
    ("white", [255, 255, 255]),
    ("grey", [128, 128, 128]),
    ("red", [255, 0, 0]),
    ("green", [0, 255, 0]),
    ("blue", [0, 0, 255]),
    ("yellow", [255, 255, 0]),
    ("orange", [255, 128, 0]),
    ("cyan", [0, 255, 255]),
    ("magenta", [255, 0, 255]),
    ("pink", [255, 128, 192]),
    ("brown", [128, 80, 32]),
];

/// A colour of a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlayerColor {
    /// The number of a colour in the engine's palette, 0 to 15.
    Number(u8),
    /// Red, green and blue.
    Rgb([u8; 3]),
}

/// The colours of a player's shirt and pants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayerColors {
    /// The colour of the `_shirt` layer.
    pub shirt: PlayerColor,
    /// The colour of the `_pants` layer.
    pub pants: PlayerColor,
}

impl Default for PlayerColors {
    /// Shirt and pants of colour 6, which a new player of Nexuiz has.
    fn default() -> Self {
        Self { shirt: PlayerColor::Number(6), pants: PlayerColor::Number(6) }
    }
}

impl PlayerColor {
    /// Reads a number from 0 to 15, a name, or `#rrggbb`.
    fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(digits) = text.strip_prefix('#') {
            let value = u32::from_str_radix(digits, 16)
                .ok()
                .filter(|_| digits.len() == 6 && !digits.starts_with('+'))?;
            let [_, r, g, b] = value.to_be_bytes();
            return Some(Self::Rgb([r, g, b]));
        }
        if let Ok(number) = text.parse::<u8>() {
            return (number < 16).then_some(Self::Number(number));
        }
        let text = if text.eq_ignore_ascii_case("gray") { "grey" } else { text };
        let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(text));
        named.map(|(_, rgb)| Self::Rgb(*rgb))
    }

    fn rgb(self, palette: Option<&[u8]>) -> [u8; 3] {
        match self {
            Self::Rgb(rgb) => rgb,
            Self::Number(n) => {
                let n = usize::from(n);
                let own = palette.and_then(|bytes| bytes.as_chunks::<3>().0.get(n));
                own.or_else(|| PALETTE.get(n)).copied().unwrap_or_default()
            }
        }
    }
}

impl PlayerColors {
    /// Returns red, green and blue of shirt and pants. `palette` is the game's file
    /// `gfx/colormap_palette.lmp`, which replaces the engine's palette. It has 16 colours for shirts, 16 for
    /// the score board, 16 for pants and 16 for the score board.
    #[must_use]
    pub fn rgb(&self, palette: Option<&[u8]>) -> [[u8; 3]; 2] {
        let shirts = palette.filter(|bytes| bytes.len() >= 96);
        let pants = match palette.filter(|bytes| bytes.len() >= 192) {
            Some(bytes) => bytes.get(96..),
            None => shirts,
        };
        [self.shirt.rgb(shirts), self.pants.rgb(pants)]
    }
}

impl FromStr for PlayerColors {
    type Err = String;

    /// Reads two colours separated by a comma, or one for both.
    fn from_str(text: &str) -> Result<Self, String> {
        let (shirt, pants) = text.split_once(',').unwrap_or((text, text));
        let color = |text: &str| {
            PlayerColor::parse(text).ok_or_else(|| {
                format!(
                    "{text:?} is not a colour: use 0 to 15, #rrggbb, or a name such as red, blue, yellow, white"
                )
            })
        };
        Ok(Self { shirt: color(shirt)?, pants: color(pants)? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colors_are_numbers_names_or_values() {
        let rgb = |text: &str, palette: Option<&[u8]>| text.parse::<PlayerColors>().map(|c| c.rgb(palette));
        assert_eq!(rgb("4,13", None), Ok([[103, 0, 0], [35, 35, 191]]));
        assert_eq!(rgb("red, #0a0B0c", None), Ok([[255, 0, 0], [10, 11, 12]]));
        assert_eq!(rgb("Gray", None), Ok([[128; 3]; 2]));
        assert!(["", "16,0", "1,", "#12345", "#+12345", "mauve"].iter().all(|t| rgb(t, None).is_err()));
        // A game's own palette: one for both, or one for each.
        let palette: alloc::vec::Vec<u8> = (0..192).collect();
        assert_eq!(rgb("1,1", palette.get(..96)), Ok([[3, 4, 5]; 2]));
        assert_eq!(rgb("1,1", Some(&palette)), Ok([[3, 4, 5], [99, 100, 101]]));
        assert_eq!(rgb("0,0", palette.get(..95)), Ok([[187; 3]; 2]));
        assert_eq!(PlayerColors::default().rgb(None), [[207, 143, 43]; 2]);
    }
}

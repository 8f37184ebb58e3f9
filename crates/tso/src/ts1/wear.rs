//! The clothes of a person of The Sims 1, from its list of texts.

use alloc::string::String;
use alloc::vec::Vec;

/// The texture name of a mesh whose texture the suit selects: it is not the name of a file.
pub const CHOSEN_BY_SUIT: &str = "x";

/// A suit, and textures for its skins: `suit,SKIN=texture[,SKIN=texture]`, as in `b001fafit_01,BODY=b001fafitlgt_Shannon01`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wear {
    /// The name of a suit in a `.cmx` or `.bcf`.
    pub suit: String,
    /// The end of the name of a skin (`BODY`, `HEAD-HEAD`), and the name of its texture.
    pub textures: Vec<(String, String)>,
}

impl Wear {
    /// Parses the alternatives of a text, which semicolons separate; the game uses the first.
    pub fn parse(text: &str) -> Vec<Self> {
        let mut all = Vec::new();
        for one in text.split(';').map(str::trim).filter(|one| !one.is_empty()) {
            let mut parts = one.split(',');
            let mut wear =
                Self { suit: parts.next().unwrap_or_default().trim().into(), textures: Vec::new() };
            for (skin, texture) in parts.filter_map(|part| part.split_once('=')) {
                wear.textures.push((skin.trim().into(), texture.trim().into()));
            }
            all.push(wear);
        }
        all
    }

    /// Returns the texture of a skin (`xskin-b001fafit_01-PELVIS-BODY`): that of the part that its name ends with,
    /// ignoring letter case.
    pub fn texture(&self, skin: &str) -> Option<&str> {
        let found = self.textures.iter().find(|(part, _)| {
            let before = skin.len().checked_sub(part.len()).and_then(|at| skin.split_at_checked(at));
            before.is_some_and(|(before, end)| {
                end.eq_ignore_ascii_case(part)
                    && !part.is_empty()
                    && (before.is_empty() || before.ends_with('-'))
            })
        });
        found.map(|(_, texture)| texture.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_the_end_of_a_skin() {
        let worn = Wear::parse("c004mc_nerd,HEAD-HEAD=c004mclgt_nerd, HEAD-NERDSPECS = nerdspecs,odd;; x ");
        assert_eq!(worn.len(), 2);
        assert_eq!((worn[1].suit.as_str(), worn[1].textures.len()), ("x", 0));
        let nerd = &worn[0];
        assert_eq!(nerd.texture("xskin-c004mc_nerd-HEAD-NerdSpecs"), Some("nerdspecs"));
        assert_eq!(nerd.texture("xskin-c004mc_nerd-HEAD-HEAD"), Some("c004mclgt_nerd"));
        assert_eq!(nerd.texture("xskin-c004mc_nerd-FOREHEAD-HEAD"), None);
        assert_eq!(nerd.texture("HEAD"), None);
    }
}

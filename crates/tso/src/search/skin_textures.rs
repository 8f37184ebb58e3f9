//! The names of the textures of The Sims 1.

use crate::outfit::Tone;
use crate::ts1::Wear;
use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use meshwright_core::{SortedMap, SortedSet};

/// The extensions of textures.
pub(super) const SKIN_IMAGES: [&str; 2] = ["bmp", "tga"];

/// Returns a tone as it is in names.
const fn tone_code(tone: Tone) -> &'static str {
    match tone {
        Tone::Light => "lgt",
        Tone::Medium => "med",
        Tone::Dark => "drk",
    }
}

/// Returns the texture names to try for a skin whose file names none, by its suit.
pub(super) fn texture_names(suit: &str, tone: Tone) -> Vec<String> {
    let tone = tone_code(tone);
    let suit = suit.to_ascii_lowercase();
    let code = suit.split('_').next().unwrap_or_default();
    let letters: Vec<char> = code.chars().collect();
    if let ['h', sex @ ('u' | 'm' | 'f'), 'l' | 'r', gesture @ ('o' | 'p' | 'c')] = letters.as_slice() {
        return vec![format!("h{sex}a{gesture}{tone}"), format!("{suit}{tone}")];
    }
    let mut names = vec![format!("{code}{tone}_")];
    // Children of both sexes share clothes.
    let others: &[&str] = match code.get(4..6).unwrap_or_default() {
        "fc" | "mc" => &["uc"],
        "uc" => &["fc", "mc"],
        _ => &[],
    };
    if let (Some(before), Some(behind)) = (code.get(..4), code.get(6..)) {
        names.extend(others.iter().map(|age| format!("{before}{age}{behind}{tone}_")));
    }
    names
}

/// Returns the suit in the name of a skin: `xskin-<suit>-<bone>-<part>`.
pub(super) fn suit_of(skin: &str) -> Option<&str> {
    let rest = skin.get(6..).filter(|_| skin.get(..6).is_some_and(|p| p.eq_ignore_ascii_case("xskin-")))?;
    rest.split('-').next()
}

/// Returns the name of a texture in another skin tone, or `None` for a name without a tone.
pub(super) fn in_tone(texture: &str, tone: Tone) -> Option<String> {
    let lower = texture.to_ascii_lowercase();
    let at = ["lgt", "med", "drk"].iter().find_map(|tone| lower.find(tone))?;
    let (before, after) = (texture.get(..at)?, texture.get(at.checked_add(3)?..)?);
    Some(format!("{before}{}{after}", tone_code(tone)))
}

/// The suits and textures of a person that a model has.
#[derive(Debug, Default)]
pub(super) struct WornSuits {
    /// Numbers of the suits that the model has.
    suits: SortedSet<usize>,
    /// By the numbers of suit and texture: true if a skin uses the texture and its file was found.
    textures: SortedMap<(usize, usize), bool>,
}

impl WornSuits {
    /// Returns the texture for a skin, and notes whether it exists.
    pub(super) fn put_on(
        &mut self,
        wear: &[Wear],
        skin: &str,
        is_there: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let suit = suit_of(skin).unwrap_or_default();
        let mut given = None;
        for (number, worn) in wear.iter().enumerate().filter(|(_, worn)| worn.suit.eq_ignore_ascii_case(suit))
        {
            self.suits.insert(number);
            let Some(texture) = worn.texture(skin) else { continue };
            let place = worn.textures.iter().position(|(_, known)| core::ptr::eq(known.as_str(), texture));
            let found = is_there(texture);
            self.textures.insert((number, place.unwrap_or(0)), found);
            given = given.or_else(|| found.then(|| texture.to_owned()));
        }
        given
    }

    /// Returns a message for each choice that had no effect.
    pub(super) fn unused(&self, wear: &[Wear]) -> Vec<String> {
        let mut unused = Vec::new();
        for (number, worn) in wear.iter().enumerate() {
            if !self.suits.contains(&number) {
                unused.push(format!("the model has no suit {}", worn.suit));
                continue;
            }
            for (place, (skin, texture)) in worn.textures.iter().enumerate() {
                match self.textures.get(&(number, place)) {
                    None => unused.push(format!("the suit {} has no skin {skin}", worn.suit)),
                    Some(false) => unused.push(format!("texture {texture} not found")),
                    Some(true) => {}
                }
            }
        }
        unused
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn textures_are_called_by_the_suit() {
        let first = |suit: &str| texture_names(suit, Tone::Light);
        assert_eq!(first("b001fafit_01"), ["b001fafitlgt_"]);
        assert_eq!(first("b002fcchd_01"), ["b002fcchdlgt_", "b002ucchdlgt_"]);
        assert_eq!(first("B002UCChd_01"), ["b002ucchdlgt_", "b002fcchdlgt_", "b002mcchdlgt_"]);
        assert_eq!(first("hulc"), ["huaclgt", "hulclgt"]);
        assert_eq!(suit_of("xskin-b001fafit_01-PELVIS-BODY"), Some("b001fafit_01"));
        assert_eq!(suit_of("flag"), None);
        assert_eq!(in_tone("B001FAFitlgt_Shannon01", Tone::Dark).unwrap(), "B001FAFitdrk_Shannon01");
        assert_eq!(in_tone("nerdspecs", Tone::Dark), None);
    }

    #[test]
    fn wear_without_effect_is_reported() {
        let wear: Vec<Wear> = ["b001,BODY=there,HEAD=gone,FOOT=there", "other,BODY=there"]
            .iter()
            .flat_map(|text| Wear::parse(text))
            .collect();
        let mut worn = WornSuits::default();
        let given = ["xskin-b001-PELVIS-BODY", "xskin-b001-HEAD-HEAD"]
            .map(|skin| worn.put_on(&wear, skin, |texture| texture == "there"));
        assert_eq!(given, [Some("there".to_owned()), None]);
        assert_eq!(
            worn.unused(&wear),
            ["texture gone not found", "the suit b001 has no skin FOOT", "the model has no suit other"]
        );
    }
}

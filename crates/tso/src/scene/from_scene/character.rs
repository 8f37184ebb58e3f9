//! Converts the skeletons, clips and meshes of a scene to the records of a character file.

use super::files::{File, Files, extension};
use super::options::CharacterForm;
use crate::anim::Anim;
use crate::mesh::Geometry;
use crate::name::Name;
use crate::scene::extras;
use crate::skel::Skel;
use crate::ts1::{Bcf, Character, CharacterSkeleton, Cmx, Skill, SkinPart, Suit};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::WriteError;
use meshwright_scene::{Budget, ConvertError, Extra, Scene};

/// A character file under construction.
#[derive(Debug)]
pub(crate) struct Records<'s> {
    form: CharacterForm,
    stem: &'s str,
    /// The name of all suits.
    name: Option<String>,
    /// The scene has meshes of several suits, which keep their names; a single suit gets the name of its file.
    several: bool,
    character: Character,
}

impl<'s> Records<'s> {
    pub(crate) fn new(form: CharacterForm, stem: &'s str, name: Option<String>, scene: &Scene) -> Self {
        let mut suits = scene.meshes.iter().filter_map(|m| Some(extras::suit_in(m.extras.as_ref())?.0.name));
        let first = suits.next();
        let several = suits.any(|other| first.as_ref().is_some_and(|first| !first.matches(&other)));
        Self { form, stem, name, several, character: Character::default() }
    }

    /// Returns the name of a mesh's file, by which its suit refers to it, in the game's form with bone and part.
    pub(crate) fn skin(
        &mut self,
        own: &str,
        extras: Option<&Extra>,
        geometry: &Geometry,
        files: &mut Files<'_, '_>,
        budget: &Budget,
    ) -> Result<String, ConvertError> {
        let said = extras::suit_in(extras);
        let first = || geometry.bones.first().cloned().unwrap_or_else(|| Name::from("ROOT"));
        let (mut suit, mut skin) = said.unwrap_or_default();
        if self.name.is_some() || !self.several || suit.name.bytes().is_empty() {
            suit.name = Name::from_text(self.name.as_deref().unwrap_or(self.stem)).0;
        }
        if skin.bone.bytes().is_empty() {
            skin.bone = first();
        }
        let named = own.split_at_checked(6).filter(|(start, _)| start.eq_ignore_ascii_case("xskin-"));
        let file = if let Some((worn, part)) = named.and_then(|(_, rest)| rest.split_once('-')) {
            // A mesh of another suit becomes one of this.
            let same = suit.name.matches(&Name::from_text(worn).0);
            if same { own.into() } else { format!("xskin-{}-{part}", suit.name.text()) }
        } else {
            let part = files.name(own)?;
            let part =
                part.rsplit('-').next().filter(|p| !p.is_empty()).unwrap_or("BODY").to_ascii_uppercase();
            format!("xskin-{}-{}-{part}", suit.name.text(), skin.bone.text())
        };
        let file = files.name_in_record(&file)?;
        let bytes = 2 * file.len() + skin.bone.bytes().len() + suit.name.bytes().len();
        budget.charge("suits", (size_of::<SkinPart>() + size_of::<Suit>() + bytes) as u64)?;
        skin.skin = Name::from_text(&file).0;
        let suits = &mut self.character.suits;
        match suits.iter_mut().find(|known| known.name.matches(&suit.name)) {
            Some(known) => known.skins.push(skin),
            None => suits.push(Suit { skins: alloc::vec![skin], ..suit }),
        }
        Ok(file)
    }

    pub(crate) fn skeleton(&mut self, skel: &Skel) {
        self.character.skeletons.push(skel.into());
    }

    /// Returns a skill, and the file of its keys.
    pub(crate) fn skill(
        &mut self,
        anim: &Anim,
        file: &str,
        files: &mut Files<'_, '_>,
    ) -> Result<(), ConvertError> {
        let (skill, keys) = Skill::from_anim(anim, Name::from_text(file).0);
        files.push(file, extension::<crate::ts1::Cfp>(), &keys)?;
        self.character.skills.push(skill);
        Ok(())
    }

    /// Returns the records so far.
    #[cfg(feature = "recover")]
    pub(crate) fn into_character(self) -> Character {
        self.character
    }

    /// Writes the records, if there are any.
    pub(crate) fn finish(self, files: &mut Files<'_, '_>) -> Result<(), ConvertError> {
        if self.character == Character::default() {
            return Ok(());
        }
        match self.form {
            CharacterForm::Text => files.push(self.stem, extension::<Cmx>(), &Cmx::new(self.character)),
            CharacterForm::Binary => files.push(self.stem, extension::<Bcf>(), &Bcf::new(self.character)),
        }
    }
}

/// Estimates the size of records in bytes.
fn size(c: &Character) -> u64 {
    let bones = c.skeletons.iter().map(|s: &CharacterSkeleton| s.bones.len()).sum::<usize>();
    let skins = c.suits.iter().map(|s| s.skins.len()).sum::<usize>();
    let motions = c.skills.iter().map(|s| s.motions.len()).sum::<usize>();
    ((bones + skins + motions + c.skills.len()) as u64).saturating_mul(128).saturating_add(256)
}

impl File for Cmx {
    fn size(&self) -> u64 {
        size(&self.character)
    }

    fn bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes()
    }
}

impl File for Bcf {
    fn size(&self) -> u64 {
        size(&self.character)
    }

    fn bytes(&self) -> Result<Vec<u8>, WriteError> {
        self.to_bytes()
    }
}

//! The skeletons, clips and meshes of a scene as the records of a character file.

use super::files::{File, Files, extension};
use super::options::CharacterForm;
use crate::anim::Anim;
use crate::mesh::Geometry;
use crate::name::Name;
use crate::skel::Skel;
use crate::ts1::{Bcf, Character, CharacterSkeleton, Cmx, Skill, SkinPart, Suit};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use meshwright_core::WriteError;
use meshwright_scene::{Budget, ConvertError};

/// A character file under construction.
#[derive(Debug)]
pub(crate) struct Records<'s> {
    form: CharacterForm,
    stem: &'s str,
    character: Character,
}

impl<'s> Records<'s> {
    pub(crate) fn new(form: CharacterForm, stem: &'s str) -> Self {
        Self { form, stem, character: Character::default() }
    }

    /// The name of a mesh's file, by which the suit finds it: as the game calls them, with bone and part.
    pub(crate) fn skin(
        &mut self,
        own: &str,
        geometry: &Geometry,
        files: &mut Files<'_, '_>,
        budget: &Budget,
    ) -> Result<String, ConvertError> {
        let bone = geometry.bones.first().cloned().unwrap_or_else(|| Name::from("ROOT"));
        let prefixed = own.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("xskin-"));
        let file = if prefixed {
            own.chars().filter(|c| c.is_ascii_alphanumeric() || "-_. ".contains(*c)).collect()
        } else {
            let part = files.name(own)?;
            let part =
                part.rsplit('-').next().filter(|p| !p.is_empty()).unwrap_or("BODY").to_ascii_uppercase();
            format!("xskin-{}-{}-{part}", self.stem, bone.text())
        };
        budget.charge("suits", (size_of::<SkinPart>() + 2 * file.len() + bone.bytes().len()) as u64)?;
        if self.character.suits.is_empty() {
            self.character.suits.push(Suit { name: Name::from_text(self.stem).0, ..Suit::default() });
        }
        let skin = SkinPart { bone, skin: Name::from_text(&file).0, ..SkinPart::default() };
        if let Some(suit) = self.character.suits.last_mut() {
            suit.skins.push(skin);
        }
        Ok(file)
    }

    pub(crate) fn skeleton(&mut self, skel: &Skel) {
        self.character.skeletons.push(skel.into());
    }

    /// A skill, and the file of its keys.
    pub(crate) fn skill(
        &mut self,
        anim: &Anim,
        own: &str,
        files: &mut Files<'_, '_>,
    ) -> Result<(), ConvertError> {
        let file = format!("xskill-{}", files.name(own)?);
        let (skill, keys) = Skill::from_anim(anim, Name::from_text(&file).0);
        files.push(&file, extension::<crate::ts1::Cfp>(), &keys)?;
        self.character.skills.push(skill);
        Ok(())
    }

    /// Writes the records, where there are any.
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

/// About how many bytes records have.
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

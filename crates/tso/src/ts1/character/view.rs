//! Converts the records of a character file to skeletons and animations.

use super::model::{Character, CharacterSkeleton, Skill, SkinPart, Suit};
use crate::anim::{Anim, Motion, Nesting, TimeProperty};
use crate::fields::Flag;
use crate::name::Name;
use crate::skel::{Bone, Skel};
use crate::ts1::cfp::Cfp;
use alloc::vec::Vec;

impl Character {
    /// Returns the skeleton of this name, ignoring letter case.
    pub fn skeleton(&self, name: &Name) -> Option<&CharacterSkeleton> {
        self.skeletons.iter().find(|s| s.name.matches(name))
    }

    /// Returns the suit of this name, ignoring letter case.
    pub fn suit(&self, name: &Name) -> Option<&Suit> {
        self.suits.iter().find(|s| s.name.matches(name))
    }
}

impl CharacterSkeleton {
    /// Returns the same bones as a skeleton of The Sims Online.
    pub fn to_skel(&self) -> Skel {
        let bone = |b: &super::model::CharacterBone| Bone {
            unknown: 1,
            name: b.name.clone(),
            parent: b.parent.clone(),
            has_properties: Flag::from(!b.properties.is_empty()),
            properties: b.properties.clone(),
            translation: b.translation,
            rotation: b.rotation,
            can_translate: b.can_translate,
            can_rotate: b.can_rotate,
            can_blend: b.can_blend,
            wiggle_value: b.wiggle_value,
            wiggle_power: b.wiggle_power,
        };
        Skel { name: self.name.clone(), bones: self.bones.iter().map(bone).collect(), trailing: Vec::new() }
    }
}

impl Skill {
    /// Returns the skill with its keys as an animation of The Sims Online; `None` if the number of keys does not match.
    pub fn to_anim(&self, keys: &Cfp) -> Option<Anim> {
        let (translations, rotations) = keys.keys(self.translations, self.rotations)?;
        let motion = |m: &super::model::SkillMotion| {
            let event = |e: &super::model::SkillEvent| TimeProperty {
                time: e.time,
                lists: alloc::vec![e.properties.clone()],
            };
            Motion {
                unknown: 0,
                bone: m.bone.clone(),
                frames: m.frames,
                duration: m.duration,
                has_translation: Flag::from(m.has_translation != 0),
                has_rotation: Flag::from(m.has_rotation != 0),
                first_translation: m.first_translation,
                first_rotation: m.first_rotation,
                has_properties: Flag::from(!m.properties.is_empty()),
                properties: if m.properties.is_empty() {
                    Vec::new()
                } else {
                    alloc::vec![m.properties.clone()]
                },
                has_time_properties: Flag::from(!m.events.is_empty()),
                time_properties: m.events.iter().map(|list| list.iter().map(event).collect()).collect(),
            }
        };
        Some(Anim {
            name: self.name.clone(),
            duration: self.duration,
            distance: self.distance,
            moving: Flag::from(self.moving != 0),
            translations,
            rotations,
            motions: self.motions.iter().map(motion).collect(),
            nesting: Nesting::Three,
            trailing: Vec::new(),
        })
    }

    /// Returns the number of frames of the longest motion.
    pub fn frames(&self) -> u32 {
        self.motions.iter().map(|m| m.frames).max().unwrap_or(0)
    }
}

impl SkinPart {
    /// Returns the part of the body that the skin covers: the last word of its name, such as `BODY` or `HEAD`.
    pub fn part(&self) -> &[u8] {
        self.skin.bytes().rsplit(|b| *b == b'-').next().unwrap_or_default()
    }
}

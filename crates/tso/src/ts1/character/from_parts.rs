//! Makes the records of a character file from skeletons, animations and meshes.

use super::model::{CharacterBone, CharacterSkeleton, Skill, SkillEvent, SkillMotion};
use crate::anim::{Anim, Motion, TimeProperty};
use crate::name::Name;
use crate::skel::{Bone, Skel};
use crate::ts1::cfp::Cfp;
use alloc::vec::Vec;

impl From<&Skel> for CharacterSkeleton {
    fn from(skel: &Skel) -> Self {
        let bone = |b: &Bone| CharacterBone {
            name: b.name.clone(),
            parent: b.parent.clone(),
            properties: b.properties.clone(),
            translation: b.translation,
            rotation: b.rotation,
            can_translate: b.can_translate,
            can_rotate: b.can_rotate,
            can_blend: b.can_blend,
            wiggle_value: b.wiggle_value,
            wiggle_power: b.wiggle_power,
        };
        Self { name: skel.name.clone(), bones: skel.bones.iter().map(bone).collect() }
    }
}

impl Skill {
    /// Returns a skill and its keys; the file of the keys has the name `keys`.
    pub fn from_anim(anim: &Anim, keys: Name) -> (Self, Cfp) {
        // A list of pairs is all that a time has here; several of one time become several times.
        let events = |list: &Vec<TimeProperty>| {
            let mut events = Vec::new();
            for e in list {
                for properties in &e.lists {
                    events.push(SkillEvent { time: e.time, properties: properties.clone() });
                }
            }
            events
        };
        let motion = |m: &Motion| SkillMotion {
            bone: m.bone.clone(),
            frames: m.frames,
            duration: m.duration,
            has_translation: u32::from(m.has_translation.is_set()),
            has_rotation: u32::from(m.has_rotation.is_set()),
            first_translation: m.first_translation,
            first_rotation: m.first_rotation,
            properties: m.properties.iter().flatten().cloned().collect(),
            events: m.time_properties.iter().map(events).collect(),
        };
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let skill = Self {
            name: anim.name.clone(),
            keys,
            duration: anim.duration,
            distance: anim.distance,
            moving: u32::from(anim.moving.is_set()),
            translations: count(anim.translations.len()),
            rotations: count(anim.rotations.len()),
            motions: anim.motions.iter().map(motion).collect(),
        };
        (skill, Cfp::of_keys(&anim.translations, &anim.rotations))
    }
}

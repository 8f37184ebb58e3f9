//! The records of a character file.

use crate::name::Name;
use crate::props::PropertyList;
use alloc::vec::Vec;
use meshwright_core::F32;

/// The content of a character file of The Sims 1, as text (`.cmx`) or in binary (`.bcf`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Character {
    /// Skeletons.
    pub skeletons: Vec<CharacterSkeleton>,
    /// Suits.
    pub suits: Vec<Suit>,
    /// Skills.
    pub skills: Vec<Skill>,
}

/// A skeleton, such as `adult` or `child`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CharacterSkeleton {
    /// The name.
    pub name: Name,
    /// The bones. Parents may come after their children.
    pub bones: Vec<CharacterBone>,
}

/// A bone of a [`CharacterSkeleton`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CharacterBone {
    /// The name.
    pub name: Name,
    /// The name of the parent bone; `NULL` for a root.
    pub parent: Name,
    /// Property lists.
    pub properties: Vec<PropertyList>,
    /// Place relative to the parent in the rest pose, 3 units to the metre.
    pub translation: [F32; 3],
    /// Quaternion x, y, z, w relative to the parent in the rest pose: the conjugate of the rotation.
    pub rotation: [F32; 4],
    /// True if skills may move the bone.
    pub can_translate: u32,
    /// True if skills may turn the bone.
    pub can_rotate: u32,
    /// True if suits may blend on the bone.
    pub can_blend: u32,
    /// A parameter of a wiggle effect that no game shows.
    pub wiggle_value: F32,
    /// A parameter of a noise on the bone that no game shows.
    pub wiggle_power: F32,
}

/// A set of meshes that a character wears.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Suit {
    /// The name, by convention that of the file.
    pub name: Name,
    /// 1 if the skins are only boxes for censoring, otherwise 0.
    pub kind: u32,
    /// A word of unknown use, 0 in every known file.
    pub unknown: u32,
    /// The meshes.
    pub skins: Vec<SkinPart>,
}

/// One mesh of a [`Suit`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkinPart {
    /// The bone that the mesh follows.
    pub bone: Name,
    /// The name of its mesh: that of a `.bmf` or `.skn` without extension.
    pub skin: Name,
    /// Parts of the body that it hides, as bits.
    pub censor: u32,
    /// A word of unknown use, 0 in every file seen.
    pub unknown: u32,
}

/// A motion of a skeleton. Its keys are in a [`Cfp`](crate::Cfp) of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skill {
    /// The name.
    pub name: Name,
    /// The name of the `.cfp` with its keys, without extension.
    pub keys: Name,
    /// The duration in milliseconds. Players use the number of frames.
    pub duration: F32,
    /// The distance that the character moves.
    pub distance: F32,
    /// True if the character moves.
    pub moving: u32,
    /// The number of translations in its keys.
    pub translations: u32,
    /// The number of rotations in its keys.
    pub rotations: u32,
    /// The motion of each bone.
    pub motions: Vec<SkillMotion>,
}

/// The motion of one bone in a [`Skill`]: a run of keys of each kind, one per frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillMotion {
    /// The bone's name.
    pub bone: Name,
    /// Number of frames, and of keys of each kind that the motion has.
    pub frames: u32,
    /// Like [`Skill::duration`].
    pub duration: F32,
    /// True if the motion has translations.
    pub has_translation: u32,
    /// True if the motion has rotations.
    pub has_rotation: u32,
    /// First of its translations; [`KEYS_UNUSED`](crate::KEYS_UNUSED), written `-1`, if it has none.
    pub first_translation: u32,
    /// First of its rotations; [`KEYS_UNUSED`](crate::KEYS_UNUSED), written `-1`, if it has none.
    pub first_rotation: u32,
    /// Property lists.
    pub properties: Vec<PropertyList>,
    /// Lists of events.
    pub events: Vec<Vec<SkillEvent>>,
}

/// Events of a [`SkillMotion`] at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SkillEvent {
    /// Milliseconds from the start.
    pub time: u32,
    /// The events.
    pub properties: PropertyList,
}

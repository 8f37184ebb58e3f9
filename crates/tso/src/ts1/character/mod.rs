//! The common content of `.cmx` and `.bcf`: skeletons, suits and skills, in one tree.

mod from_parts;
mod model;
pub(crate) mod read;
pub(crate) mod rules;
mod view;
pub(crate) mod write;

pub use model::{
    Character, CharacterBone, CharacterSkeleton, Skill, SkillEvent, SkillMotion, SkinPart, Suit,
};

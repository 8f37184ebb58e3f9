//! The Sims 1: meshes in `.bmf` and `.skn`, skeletons, suits and skills in `.bcf` and `.cmx`, keys in `.cfp`.

pub(crate) mod bcf;
pub(crate) mod bmf;
pub(crate) mod cfp;
pub(crate) mod character;
pub(crate) mod cmx;
pub(crate) mod skn;
mod spelling;
#[cfg(feature = "scene")]
mod transcribe;
mod wear;

pub use bcf::Bcf;
pub use bmf::Bmf;
pub use cfp::{Cfp, CfpOptions};
pub use character::{
    Character, CharacterBone, CharacterSkeleton, Skill, SkillEvent, SkillMotion, SkinPart, Suit,
};
pub use cmx::Cmx;
pub use skn::Skn;
pub use wear::{CHOSEN_BY_SUIT, Wear};

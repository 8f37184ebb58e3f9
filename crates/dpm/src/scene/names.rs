//! Names as the formats hold them.

use crate::bone::Name;
use crate::record::name::SIZE;
use meshwright_scene::names::{Encoding, NameRules};

/// The longest name that has an end.
const LONGEST: usize = SIZE - 1;

/// Names of scenes.
pub(super) const NAMES: NameRules = NameRules::new(Encoding::LATIN1, LONGEST);
/// Names of shaders: one for each material.
pub(super) const SHADERS: NameRules = NAMES.unique();
/// Names of bones: engines look them up without regard to case.
pub(super) const BONES: NameRules = NAMES.unique().ignoring_case();
/// Names of clips in a companion, where nothing that is quoted can hold a quote.
pub(super) const CLIPS: NameRules = NameRules::new(
    Encoding::Bytes(|c| u8::try_from(u32::from(c)).ok().filter(|b| *b >= b' ' && *b != b'"' && *b != 0x7f)),
    LONGEST,
)
.with_stand_in(b'_');

/// The most digits of a frame's number, and the line before them.
const NUMBER: usize = 8;

/// Rules for the first part of a frame's name. Engines without the companion file group frames into clips if their
/// names differ only in the number.
pub(super) const FRAMES: NameRules =
    NameRules::new(Encoding::LATIN1, LONGEST.saturating_sub(NUMBER)).unique().ignoring_case();

/// Returns the name of a clip's frame: as much of the clip's name as fits, and the frame's number.
pub(super) fn of_frame(clip: &[u8], frame: usize) -> Name {
    let number = alloc::format!("_{frame}");
    let room = LONGEST.saturating_sub(number.len());
    let clip = clip.get(..room).unwrap_or(clip);
    Name::truncated(&[clip, number.as_bytes()].concat())
}

//! The rules for names in the formats.

use crate::bone::Name;
use crate::record::name::SIZE;
use meshwright_scene::names::{Encoding, NameRules};

/// The maximum length of a terminated name.
const LONGEST: usize = SIZE - 1;

/// The rules for names of scenes.
pub(super) const NAMES: NameRules = NameRules::new(Encoding::LATIN1, LONGEST);
/// The rules for names of shaders, which are unique per material.
pub(super) const SHADERS: NameRules = NAMES.unique();
/// The rules for names of bones: engines compare them ignoring case.
pub(super) const BONES: NameRules = NAMES.unique().ignoring_case();
/// The rules for names of clips in a companion file, where a quoted name cannot contain a quote.
pub(super) const CLIPS: NameRules = NameRules::new(
    Encoding::Bytes(|c| u8::try_from(u32::from(c)).ok().filter(|b| *b >= b' ' && *b != b'"' && *b != 0x7f)),
    LONGEST,
)
.with_stand_in(b'_');

/// The length of the underscore and the longest frame number.
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

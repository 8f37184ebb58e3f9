//! The content of an animation.

use crate::fields::Flag;
use crate::name::Name;
use crate::props::PropertyList;
use alloc::vec::Vec;
use meshwright_core::F32;

/// Frames per second of every animation; the stored durations are not used.
pub const FRAME_RATE: u32 = 30;

/// The first key that real files store for a channel that a motion does not have.
pub const KEYS_UNUSED: u32 = u32::MAX;

/// An `.anim` file of The Sims Online, version 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anim {
    /// The animation's name, up to 65535 bytes.
    pub name: Name,
    /// Milliseconds in the game's own files, seconds in FreeSO's. Players use the number of frames.
    pub duration: F32,
    /// The distance that the character moves.
    pub distance: F32,
    /// True if the character moves.
    pub moving: Flag,
    /// The translation keys of all motions, relative to the parent, 3 units to the metre.
    pub translations: Vec<[F32; 3]>,
    /// The rotation keys of all motions: quaternions x, y, z, w relative to the parent, conjugates of the rotations.
    pub rotations: Vec<[F32; 4]>,
    /// The motion of each bone. If a bone has several motions, the last one counts, channel by channel.
    pub motions: Vec<Motion>,
    /// The nesting of the properties of motions.
    pub nesting: Nesting,
    /// Bytes after the last field, which a lenient reader keeps; no known file has any.
    pub trailing: Vec<u8>,
}

/// The motion of one bone: a run of keys of each kind, one per frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Motion {
    /// A word of unknown use, 0 in every file seen.
    pub unknown: u32,
    /// The bone's name.
    pub bone: Name,
    /// Number of frames, and of keys of each kind that the motion has.
    pub frames: u32,
    /// Like [`Anim::duration`].
    pub duration: F32,
    /// True if the motion has translations; otherwise the bone keeps its position.
    pub has_translation: Flag,
    /// True if the motion has rotations; otherwise the bone keeps its rotation.
    pub has_rotation: Flag,
    /// First of its [`translations`](Anim::translations); without meaning if it has none.
    pub first_translation: u32,
    /// First of its [`rotations`](Anim::rotations); means nothing if it has none.
    pub first_rotation: u32,
    /// True if properties follow in the file.
    pub has_properties: Flag,
    /// Properties, in lists of lists.
    pub properties: Vec<Vec<PropertyList>>,
    /// True if time properties follow in the file.
    pub has_time_properties: Flag,
    /// Lists of events.
    pub time_properties: Vec<Vec<TimeProperty>>,
}

/// Events at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeProperty {
    /// Milliseconds from the start.
    pub time: u32,
    /// The lists of events.
    pub lists: Vec<PropertyList>,
}

/// The nesting of the properties of motions in the file. Readers disagree, and no known file has any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nesting {
    /// Lists of lists of pairs, as in FreeSO and Niotso.
    #[default]
    Three,
    /// Lists of pairs, as in mixiate's add-on: each list of [`Motion::properties`] holds exactly one.
    Two,
}

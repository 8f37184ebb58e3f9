//! What an animation holds.

use crate::fields::Flag;
use crate::name::Name;
use crate::props::PropertyList;
use alloc::vec::Vec;
use meshwright_core::F32;

/// Frames per second of every animation; the stored durations are of no use.
pub const FRAME_RATE: u32 = 30;

/// What real files store as the first key of a channel that a motion does not have.
pub const KEYS_UNUSED: u32 = u32::MAX;

/// An `.anim` file of The Sims Online, version 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Anim {
    /// The animation's name, up to 65535 bytes.
    pub name: Name,
    /// Milliseconds in the game's own files, seconds in FreeSO's. Players go by the frames.
    pub duration: F32,
    /// How far the figure moves.
    pub distance: F32,
    /// Whether the figure moves.
    pub moving: Flag,
    /// Keys of all motions: places relative to the parent, 3 units to the metre.
    pub translations: Vec<[F32; 3]>,
    /// Keys of all motions: quaternions x, y, z, w relative to the parent, conjugates of the rotations.
    pub rotations: Vec<[F32; 4]>,
    /// What each bone does. Of several motions of one bone the last counts, channel by channel.
    pub motions: Vec<Motion>,
    /// How the properties of motions are nested.
    pub nesting: Nesting,
    /// Bytes behind the last field, kept by lenient reading; no known file has any.
    pub trailing: Vec<u8>,
}

/// What one bone does: a run of keys of each kind, one per frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Motion {
    /// A word of unknown use, 0 in every file seen.
    pub unknown: u32,
    /// The bone's name.
    pub bone: Name,
    /// Number of frames, and of keys of each kind that the motion has.
    pub frames: u32,
    /// As [`Anim::duration`].
    pub duration: F32,
    /// Whether the motion has translations; without, the bone keeps its place.
    pub has_translation: Flag,
    /// Whether the motion has rotations; without, the bone keeps its turn.
    pub has_rotation: Flag,
    /// First of its [`translations`](Anim::translations); means nothing where it has none.
    pub first_translation: u32,
    /// First of its [`rotations`](Anim::rotations); means nothing where it has none.
    pub first_rotation: u32,
    /// Whether properties follow in the file.
    pub has_properties: Flag,
    /// Properties, in lists of lists.
    pub properties: Vec<Vec<PropertyList>>,
    /// Whether time properties follow in the file.
    pub has_time_properties: Flag,
    /// Lists of events.
    pub time_properties: Vec<Vec<TimeProperty>>,
}

/// Events at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeProperty {
    /// Milliseconds from the start.
    pub time: u32,
    /// What happens.
    pub lists: Vec<PropertyList>,
}

/// How the properties of motions are nested in the file. Readers disagree, and no known file has any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Nesting {
    /// Lists of lists of pairs, as FreeSO and Niotso have it.
    #[default]
    Three,
    /// Lists of pairs, as mixiate's add-on has it: each list of [`Motion::properties`] holds exactly one.
    Two,
}

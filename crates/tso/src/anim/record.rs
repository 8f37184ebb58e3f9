//! Records of an animation, and the offsets of fields after names and tables.
#![allow(clippy::arithmetic_side_effects, reason = "offsets of what is in memory fit 64 bits")]

use super::model::{Anim, Motion, Nesting, TimeProperty};
use crate::fields::{Flag, Step, flag, float, wide};
use crate::props::PropertyList;
use alloc::vec::Vec;
use meshwright_core::record::field;
use meshwright_core::{ByteWriter, F32};
use nom::Parser as _;
use nom::number::complete::be_u32;

meshwright_core::record! {
    /// The fields between the name and the keys.
    pub(crate) mod header: 9 {
        /// Milliseconds in the game's files, seconds in those of FreeSO.
        DURATION = "duration": 0, f32;
        /// The distance of a walk.
        DISTANCE = "distance": 4, f32;
        /// 0 or 1: whether the character moves.
        MOVING = "moving": 8, u8;
    }
}

meshwright_core::record! {
    /// The fields of a motion between its bone and its properties.
    pub(crate) mod keys: 18 {
        /// The number of frames.
        FRAMES = "frames": 0, u32;
        /// The duration, as in the header.
        DURATION = "duration": 4, f32;
        /// 0 or 1: whether the motion has translations.
        HAS_TRANSLATION = "has_translation": 8, u8;
        /// 0 or 1: whether the motion has rotations.
        HAS_ROTATION = "has_rotation": 9, u8;
        /// The first translation key; 0xFFFFFFFF without translations.
        FIRST_TRANSLATION = "first_translation": 10, u32;
        /// The first rotation key; 0xFFFFFFFF without rotations.
        FIRST_ROTATION = "first_rotation": 14, u32;
    }
}

/// The only known version.
pub(crate) const VERSION: u32 = 2;
/// The offset of the animation's name.
pub(crate) const NAME: u64 = 4;
/// The bytes of a translation: three floats.
pub(crate) const TRANSLATION: usize = 12;
/// The bytes of a rotation: four floats.
pub(crate) const ROTATION: usize = 16;
/// The offset of the bone's name in a motion: a word comes before it.
pub(crate) const BONE: u64 = 4;
/// The fewest bytes of a motion: a word, a name, the keys and two flags.
pub(crate) const MOTION_MIN: usize = 4 + 1 + keys::SIZE + 1 + 1;
/// The bytes of a count, and the fewest of a list.
pub(crate) const COUNT: usize = 4;
/// The fewest bytes of events at one time: the time and a count.
pub(crate) const EVENT_MIN: usize = 4 + COUNT;

/// Reads the duration, the distance and the flag of movement.
pub(crate) fn read_header(i: &[u8]) -> Step<'_, (F32, F32, Flag)> {
    let (i, duration) = field(header::DURATION, float).parse(i)?;
    let (i, distance) = field(header::DISTANCE, float).parse(i)?;
    let (i, moving) = field(header::MOVING, flag).parse(i)?;
    Ok((i, (duration, distance, moving)))
}

/// Reads the key ranges of a motion.
pub(crate) fn read_keys(i: &[u8]) -> Step<'_, Motion> {
    let (i, frames) = field(keys::FRAMES, be_u32).parse(i)?;
    let (i, duration) = field(keys::DURATION, float).parse(i)?;
    let (i, has_translation) = field(keys::HAS_TRANSLATION, flag).parse(i)?;
    let (i, has_rotation) = field(keys::HAS_ROTATION, flag).parse(i)?;
    let (i, first_translation) = field(keys::FIRST_TRANSLATION, be_u32).parse(i)?;
    let (i, first_rotation) = field(keys::FIRST_ROTATION, be_u32).parse(i)?;
    let motion = Motion {
        frames,
        duration,
        has_translation,
        has_rotation,
        first_translation,
        first_rotation,
        ..Motion::default()
    };
    Ok((i, motion))
}

pub(crate) fn put_header(w: &mut ByteWriter, anim: &Anim) {
    w.record(header::SIZE, |r| {
        r.le_f32s(header::DURATION, &[anim.duration]);
        r.le_f32s(header::DISTANCE, &[anim.distance]);
        r.u8(header::MOVING, anim.moving.0);
    });
}

pub(crate) fn put_keys(w: &mut ByteWriter, m: &Motion) {
    w.record(keys::SIZE, |r| {
        r.be_u32(keys::FRAMES, m.frames);
        r.le_f32s(keys::DURATION, &[m.duration]);
        r.u8(keys::HAS_TRANSLATION, m.has_translation.0);
        r.u8(keys::HAS_ROTATION, m.has_rotation.0);
        r.be_u32(keys::FIRST_TRANSLATION, m.first_translation);
        r.be_u32(keys::FIRST_ROTATION, m.first_rotation);
    });
}

impl Motion {
    /// Returns the offset of the record of keys in the motion.
    pub(crate) fn keys_at(&self) -> u64 {
        BONE + 1 + wide(self.bone.bytes().len())
    }

    /// Returns the offset of the flag of the properties in the motion.
    pub(crate) fn properties_at(&self) -> u64 {
        self.keys_at() + wide(keys::SIZE)
    }

    /// Returns the offset of the flag of the events in the motion.
    pub(crate) fn events_at(&self, nesting: Nesting) -> u64 {
        let count = if nesting == Nesting::Three { wide(COUNT) } else { 0 };
        let inner = |lists: &Vec<PropertyList>| count + lists.iter().map(PropertyList::size).sum::<u64>();
        let size: u64 = self.properties.iter().map(inner).sum();
        self.properties_at() + 1 + if self.has_properties.is_set() { wide(COUNT) + size } else { 0 }
    }

    fn size(&self, nesting: Nesting) -> u64 {
        let event = |t: &TimeProperty| wide(EVENT_MIN) + t.lists.iter().map(PropertyList::size).sum::<u64>();
        let list = |l: &Vec<TimeProperty>| wide(COUNT) + l.iter().map(event).sum::<u64>();
        let size: u64 = self.time_properties.iter().map(list).sum();
        self.events_at(nesting) + 1 + if self.has_time_properties.is_set() { wide(COUNT) + size } else { 0 }
    }
}

impl Anim {
    /// Returns the size of the file without trailing bytes.
    #[cfg(feature = "scene")]
    pub(crate) fn size(&self) -> u64 {
        self.offsets().1
    }

    /// Returns the offset of the header.
    pub(crate) fn header_at(&self) -> u64 {
        NAME + 2 + wide(self.name.bytes().len())
    }

    /// Returns the offset of a translation.
    pub(crate) fn translation_at(&self, i: usize) -> u64 {
        self.header_at() + wide(header::SIZE) + wide(COUNT) + wide(TRANSLATION) * wide(i)
    }

    /// Returns the offset of a rotation.
    pub(crate) fn rotation_at(&self, i: usize) -> u64 {
        self.translation_at(self.translations.len()) + wide(COUNT) + wide(ROTATION) * wide(i)
    }

    /// Returns the offsets of all motions, and the end of the last one.
    pub(crate) fn offsets(&self) -> (Vec<u64>, u64) {
        let mut at = self.rotation_at(self.rotations.len()) + wide(COUNT);
        let step = |m: &Motion| {
            let here = at;
            at += m.size(self.nesting);
            here
        };
        let offsets = self.motions.iter().map(step).collect();
        (offsets, at)
    }
}

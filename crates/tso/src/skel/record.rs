//! Records of a skeleton, and the offsets of fields after names.
#![allow(clippy::arithmetic_side_effects, reason = "offsets of what is in memory fit 64 bits")]

use super::model::{Bone, Skel};
use crate::fields::{Step, float, floats, wide};
use crate::props::PropertyList;
use alloc::vec::Vec;
use meshwright_core::ByteWriter;
use meshwright_core::record::field;
use nom::Parser as _;
use nom::number::complete::be_u32;

meshwright_core::record! {
    /// The fields of a bone after its properties.
    pub(crate) mod tail: 48 {
        /// The translation relative to the parent.
        TRANSLATION = "translation": 0, [f32; 3];
        /// The conjugate of the bone's rotation.
        ROTATION = "rotation": 12, [f32; 4];
        /// 0 or 1: whether animations may move the bone.
        CAN_TRANSLATE = "can_translate": 28, u32;
        /// 0 or 1: whether animations may rotate the bone.
        CAN_ROTATE = "can_rotate": 32, u32;
        /// 0 or 1: whether suits may blend on the bone.
        CAN_BLEND = "can_blend": 36, u32;
        /// A parameter of an effect that no game shows.
        WIGGLE_VALUE = "wiggle_value": 40, f32;
        WIGGLE_POWER = "wiggle_power": 44, f32;
    }
}

/// The only known version.
pub(crate) const VERSION: u32 = 1;
/// The offset of the skeleton's name.
pub(crate) const NAME: u64 = 4;
/// The offset of a bone's name, after a word.
pub(crate) const BONE_NAME: u64 = 4;
/// The fewest bytes of a bone: a word, two names, a flag and the tail.
pub(crate) const BONE_MIN: usize = 4 + 1 + 1 + 1 + tail::SIZE;

/// Returns the end of a bone.
pub(crate) fn read_tail(i: &[u8]) -> Step<'_, Bone> {
    let (i, translation) = field(tail::TRANSLATION, floats).parse(i)?;
    let (i, rotation) = field(tail::ROTATION, floats).parse(i)?;
    let (i, can_translate) = field(tail::CAN_TRANSLATE, be_u32).parse(i)?;
    let (i, can_rotate) = field(tail::CAN_ROTATE, be_u32).parse(i)?;
    let (i, can_blend) = field(tail::CAN_BLEND, be_u32).parse(i)?;
    let (i, wiggle_value) = field(tail::WIGGLE_VALUE, float).parse(i)?;
    let (i, wiggle_power) = field(tail::WIGGLE_POWER, float).parse(i)?;
    let bone = Bone {
        translation,
        rotation,
        can_translate,
        can_rotate,
        can_blend,
        wiggle_value,
        wiggle_power,
        ..Bone::default()
    };
    Ok((i, bone))
}

/// Appends the end of a bone.
pub(crate) fn put_tail(w: &mut ByteWriter, bone: &Bone) {
    w.record(tail::SIZE, |r| {
        r.le_f32s(tail::TRANSLATION, &bone.translation);
        r.le_f32s(tail::ROTATION, &bone.rotation);
        r.be_u32(tail::CAN_TRANSLATE, bone.can_translate);
        r.be_u32(tail::CAN_ROTATE, bone.can_rotate);
        r.be_u32(tail::CAN_BLEND, bone.can_blend);
        r.le_f32s(tail::WIGGLE_VALUE, &[bone.wiggle_value]);
        r.le_f32s(tail::WIGGLE_POWER, &[bone.wiggle_power]);
    });
}

impl Bone {
    /// Returns the offset of the parent's name in the bone.
    pub(crate) fn parent_at(&self) -> u64 {
        BONE_NAME + 1 + wide(self.name.bytes().len())
    }

    /// Returns the offset of the flag of the properties in the bone.
    pub(crate) fn flag_at(&self) -> u64 {
        self.parent_at() + 1 + wide(self.parent.bytes().len())
    }

    /// Returns the offset of the tail in the bone.
    pub(crate) fn tail_at(&self) -> u64 {
        let lists = self.properties.iter().map(PropertyList::size);
        let properties = if self.has_properties.is_set() { 4 + lists.sum::<u64>() } else { 0 };
        self.flag_at() + 1 + properties
    }
}

impl Skel {
    /// Returns the size of the file without trailing bytes.
    #[cfg(feature = "scene")]
    pub(crate) fn size(&self) -> u64 {
        self.offsets().1
    }

    /// Returns the offset of the number of bones.
    pub(crate) fn count_at(&self) -> u64 {
        NAME + 1 + wide(self.name.bytes().len())
    }

    /// Returns the offsets of all bones, and the end of the last one.
    pub(crate) fn offsets(&self) -> (Vec<u64>, u64) {
        let mut at = self.count_at() + 2;
        let step = |b: &Bone| {
            let here = at;
            at += b.tail_at() + wide(tail::SIZE);
            here
        };
        let offsets = self.bones.iter().map(step).collect();
        (offsets, at)
    }
}

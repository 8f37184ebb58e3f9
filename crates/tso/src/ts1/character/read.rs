//! Reads the tree of a character file, from text or binary.

use super::model::{
    Character, CharacterBone, CharacterSkeleton, Skill, SkillEvent, SkillMotion, SkinPart, Suit,
};
use crate::name::Name;
use crate::props::PropertyList;
use alloc::vec::Vec;
use meshwright_core::{F32, FieldPath, ReadError, Source};

/// The least that a record takes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Least {
    /// In binary files, in bytes.
    pub(crate) bytes: u64,
    /// In text files, in lines.
    pub(crate) lines: u64,
}

const fn least(bytes: u64, lines: u64) -> Least {
    Least { bytes, lines }
}

const SKELETON: Least = least(5, 2);
const BONE: Least = least(54, 10);
const SUIT: Least = least(13, 4);
const SKIN: Least = least(10, 4);
const SKILL: Least = least(26, 8);
const MOTION: Least = least(33, 9);
const LIST: Least = least(4, 1);
const PAIR: Least = least(2, 2);
const EVENT: Least = least(8, 2);

/// A source of scalars, one after the other. Everything that is read is charged.
pub(crate) trait Input {
    /// Returns the stream that it reads from.
    fn source(&self) -> &Source<'_>;
    /// Reads a count of items that take at least `least` each, and returns its offset too. It charges no memory for
    /// the items.
    fn count(&mut self, path: &FieldPath<'_>, least: Least) -> Result<(u64, usize), ReadError>;
    /// Returns a name.
    fn name(&mut self, path: &FieldPath<'_>) -> Result<Name, ReadError>;
    /// Reads a number that is not negative.
    fn word(&mut self, path: &FieldPath<'_>) -> Result<u32, ReadError>;
    /// Reads a number that may be -1, which is stored as the largest one.
    fn index(&mut self, path: &FieldPath<'_>) -> Result<u32, ReadError>;
    /// Reads a number or a vector.
    fn floats(&mut self, path: &FieldPath<'_>, values: &mut [F32]) -> Result<(), ReadError>;
}

fn vector<const N: usize>(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<[F32; N], ReadError> {
    let mut values = [F32::default(); N];
    i.floats(path, &mut values)?;
    Ok(values)
}

fn float(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<F32, ReadError> {
    vector(i, path).map(|[value]| value)
}

/// Returns a counted table.
fn table<T>(
    i: &mut dyn Input,
    path: &FieldPath<'_>,
    least: Least,
    item: fn(&mut dyn Input, &FieldPath<'_>) -> Result<T, ReadError>,
) -> Result<Vec<T>, ReadError> {
    let (at, n) = i.count(path, least)?;
    let source = i.source();
    let mut items = source.budget().reserve("table", n).map_err(|e| source.over_limit(path, at, e))?;
    for index in 0..n {
        items.push(item(i, &path.index(index))?);
    }
    Ok(items)
}

/// Returns the whole tree.
pub(crate) fn character(i: &mut dyn Input) -> Result<Character, ReadError> {
    let root = FieldPath::ROOT;
    Ok(Character {
        skeletons: table(i, &root.field("skeletons"), SKELETON, skeleton)?,
        suits: table(i, &root.field("suits"), SUIT, suit)?,
        skills: table(i, &root.field("skills"), SKILL, skill)?,
    })
}

fn skeleton(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<CharacterSkeleton, ReadError> {
    Ok(CharacterSkeleton {
        name: i.name(&path.field("name"))?,
        bones: table(i, &path.field("bones"), BONE, bone)?,
    })
}

fn bone(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<CharacterBone, ReadError> {
    Ok(CharacterBone {
        name: i.name(&path.field("name"))?,
        parent: i.name(&path.field("parent"))?,
        properties: table(i, &path.field("properties"), LIST, list)?,
        translation: vector(i, &path.field("translation"))?,
        rotation: vector(i, &path.field("rotation"))?,
        can_translate: i.word(&path.field("can_translate"))?,
        can_rotate: i.word(&path.field("can_rotate"))?,
        can_blend: i.word(&path.field("can_blend"))?,
        wiggle_value: float(i, &path.field("wiggle_value"))?,
        wiggle_power: float(i, &path.field("wiggle_power"))?,
    })
}

fn list(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<PropertyList, ReadError> {
    table(i, path, PAIR, |i, p| Ok((i.name(&p.field("key"))?, i.name(&p.field("value"))?))).map(PropertyList)
}

fn suit(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<Suit, ReadError> {
    Ok(Suit {
        name: i.name(&path.field("name"))?,
        kind: i.word(&path.field("kind"))?,
        unknown: i.word(&path.field("unknown"))?,
        skins: table(i, &path.field("skins"), SKIN, skin)?,
    })
}

fn skin(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<SkinPart, ReadError> {
    Ok(SkinPart {
        bone: i.name(&path.field("bone"))?,
        skin: i.name(&path.field("skin"))?,
        censor: i.word(&path.field("censor"))?,
        unknown: i.word(&path.field("unknown"))?,
    })
}

fn skill(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<Skill, ReadError> {
    Ok(Skill {
        name: i.name(&path.field("name"))?,
        keys: i.name(&path.field("keys"))?,
        duration: float(i, &path.field("duration"))?,
        distance: float(i, &path.field("distance"))?,
        moving: i.word(&path.field("moving"))?,
        translations: i.word(&path.field("translations"))?,
        rotations: i.word(&path.field("rotations"))?,
        motions: table(i, &path.field("motions"), MOTION, motion)?,
    })
}

fn motion(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<SkillMotion, ReadError> {
    Ok(SkillMotion {
        bone: i.name(&path.field("bone"))?,
        frames: i.word(&path.field("frames"))?,
        duration: float(i, &path.field("duration"))?,
        has_translation: i.word(&path.field("has_translation"))?,
        has_rotation: i.word(&path.field("has_rotation"))?,
        first_translation: i.index(&path.field("first_translation"))?,
        first_rotation: i.index(&path.field("first_rotation"))?,
        properties: table(i, &path.field("properties"), LIST, list)?,
        events: table(i, &path.field("events"), LIST, |i, p| table(i, p, EVENT, event))?,
    })
}

fn event(i: &mut dyn Input, path: &FieldPath<'_>) -> Result<SkillEvent, ReadError> {
    Ok(SkillEvent { time: i.word(&path.field("time"))?, properties: list(i, &path.field("properties"))? })
}

//! Writes the tree of a character file, as text or binary.

use super::model::{Character, CharacterBone, Skill, SkillMotion, Suit};
use crate::fields::count;
use crate::name::Name;
use crate::props::PropertyList;
use meshwright_core::{F32, FieldPath, WriteError};

/// A destination of scalars, one after the other.
pub(crate) trait Output {
    /// Writes a name.
    fn name(&mut self, path: &FieldPath<'_>, name: &Name) -> Result<(), WriteError>;
    /// Writes a number that is not negative.
    fn word(&mut self, value: u32);
    /// Writes a number whose maximum means -1.
    fn index(&mut self, value: u32);
    /// Writes a number or a vector.
    fn floats(&mut self, path: &FieldPath<'_>, values: &[F32]) -> Result<(), WriteError>;
}

/// Writes a counted table.
fn table<T>(
    o: &mut dyn Output,
    path: &FieldPath<'_>,
    items: &[T],
    item: fn(&mut dyn Output, &FieldPath<'_>, &T) -> Result<(), WriteError>,
) -> Result<(), WriteError> {
    o.word(count(path, items.len())?);
    items.iter().enumerate().try_for_each(|(i, it)| item(o, &path.index(i), it))
}

/// Writes the whole tree.
pub(crate) fn character(o: &mut dyn Output, c: &Character) -> Result<(), WriteError> {
    let root = FieldPath::ROOT;
    table(o, &root.field("skeletons"), &c.skeletons, |o, path, skeleton| {
        o.name(&path.field("name"), &skeleton.name)?;
        table(o, &path.field("bones"), &skeleton.bones, bone)
    })?;
    table(o, &root.field("suits"), &c.suits, suit)?;
    table(o, &root.field("skills"), &c.skills, skill)
}

fn bone(o: &mut dyn Output, path: &FieldPath<'_>, b: &CharacterBone) -> Result<(), WriteError> {
    o.name(&path.field("name"), &b.name)?;
    o.name(&path.field("parent"), &b.parent)?;
    table(o, &path.field("properties"), &b.properties, list)?;
    o.floats(&path.field("translation"), &b.translation)?;
    o.floats(&path.field("rotation"), &b.rotation)?;
    o.word(b.can_translate);
    o.word(b.can_rotate);
    o.word(b.can_blend);
    o.floats(&path.field("wiggle_value"), &[b.wiggle_value])?;
    o.floats(&path.field("wiggle_power"), &[b.wiggle_power])
}

fn list(o: &mut dyn Output, path: &FieldPath<'_>, list: &PropertyList) -> Result<(), WriteError> {
    table(o, path, &list.0, |o, path, (key, value)| {
        o.name(&path.field("key"), key)?;
        o.name(&path.field("value"), value)
    })
}

fn suit(o: &mut dyn Output, path: &FieldPath<'_>, s: &Suit) -> Result<(), WriteError> {
    o.name(&path.field("name"), &s.name)?;
    o.word(s.kind);
    o.word(s.unknown);
    table(o, &path.field("skins"), &s.skins, |o, path, skin| {
        o.name(&path.field("bone"), &skin.bone)?;
        o.name(&path.field("skin"), &skin.skin)?;
        o.word(skin.censor);
        o.word(skin.unknown);
        Ok(())
    })
}

fn skill(o: &mut dyn Output, path: &FieldPath<'_>, s: &Skill) -> Result<(), WriteError> {
    o.name(&path.field("name"), &s.name)?;
    o.name(&path.field("keys"), &s.keys)?;
    o.floats(&path.field("duration"), &[s.duration])?;
    o.floats(&path.field("distance"), &[s.distance])?;
    o.word(s.moving);
    o.word(s.translations);
    o.word(s.rotations);
    table(o, &path.field("motions"), &s.motions, motion)
}

fn motion(o: &mut dyn Output, path: &FieldPath<'_>, m: &SkillMotion) -> Result<(), WriteError> {
    o.name(&path.field("bone"), &m.bone)?;
    o.word(m.frames);
    o.floats(&path.field("duration"), &[m.duration])?;
    o.word(m.has_translation);
    o.word(m.has_rotation);
    o.index(m.first_translation);
    o.index(m.first_rotation);
    table(o, &path.field("properties"), &m.properties, list)?;
    table(o, &path.field("events"), &m.events, |o, path, events| {
        table(o, path, events, |o, path, event| {
            o.word(event.time);
            list(o, &path.field("properties"), &event.properties)
        })
    })
}

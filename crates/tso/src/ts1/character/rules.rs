//! Checks the rules of a character file, with the offsets of its scalars.
#![allow(clippy::indexing_slicing, reason = "indices that the same function made")]

use super::model::{Character, CharacterSkeleton, Skill, SkillMotion};
use crate::anim::rules::{MOTION_DUP, MOTION_RANGE};
use crate::fields::wide;
use crate::name::{Name, NameIndex};
use crate::props::PropertyList;
use crate::rules::{self, some};
use crate::skel::rules::{BONE_DUP, NO_ROOT, PARENT, PARENT_CYCLE, ROOTS};
use crate::skel::{Walk, is_null};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{F32, FieldPath, Findings, ReadError, Rule, SortedMap};

meshwright_core::rules! {
    warning FLAG_WORD = "bad-flag" ("W_FLAG"), BadValue [Tolerated],
        "A flag is neither 0 nor 1.",
        "Write 1 for yes and 0 for no: only some programs read other numbers as yes.";
    warning FRAMES_DIFFER = "frames-differ" ("W_FRAMES_DIFFER"), BadCount [Tolerated],
        "Motions of one skill differ in their number of frames.",
        "Give each the same number of keys; shorter ones hold their last key.";
}

/// The rules of both spellings.
pub(crate) const SHARED: &[&Rule] = &[
    BONE_DUP,
    PARENT,
    PARENT_CYCLE,
    NO_ROOT,
    ROOTS,
    MOTION_RANGE,
    MOTION_DUP,
    some::NOT_FINITE,
    some::ROTATION_LENGTH,
    some::EXTENSION,
];

/// The offsets of the scalars of a file, in reading order; a vector has an offset for every number.
#[derive(Debug, Default)]
pub(crate) struct Places<'p> {
    all: &'p [u64],
    next: usize,
}

impl<'p> Places<'p> {
    pub(crate) const fn new(all: &'p [u64]) -> Self {
        Self { all, next: 0 }
    }

    /// Returns the offset of the next scalar, if it is known.
    fn take(&mut self) -> Option<u64> {
        let at = self.all.get(self.next).copied();
        self.next = self.next.saturating_add(1);
        at
    }

    fn skip(&mut self, n: usize) {
        self.next = self.next.saturating_add(n);
    }
}

/// Estimates the memory of the checks: an index of names and two offsets for each bone, a name for each motion.
pub(crate) fn memory(c: &Character) -> u64 {
    let each = |name: &Name| wide(name.bytes().len()).saturating_add(wide(NameIndex::MEMORY + 64));
    let mut memory = 0_u64;
    for skeleton in &c.skeletons {
        memory = skeleton.bones.iter().fold(memory, |sum, b| sum.saturating_add(each(&b.name)));
    }
    for skill in &c.skills {
        memory = skill.motions.iter().fold(memory, |sum, m| sum.saturating_add(each(&m.bone)));
    }
    memory
}

/// Checks all rules.
pub(crate) fn check(c: &Character, places: &mut Places<'_>, f: &mut Findings) -> Result<(), ReadError> {
    let root = FieldPath::ROOT;
    places.skip(1);
    for (i, skeleton) in c.skeletons.iter().enumerate() {
        self::skeleton(skeleton, &root.field("skeletons").index(i), places, f)?;
    }
    places.skip(1);
    for (i, suit) in c.suits.iter().enumerate() {
        let path = root.field("suits");
        let path = path.index(i);
        name(&suit.name, &path.field("name"), places, f)?;
        places.skip(3);
        for (j, skin) in suit.skins.iter().enumerate() {
            let path = path.field("skins");
            let path = path.index(j);
            name(&skin.bone, &path.field("bone"), places, f)?;
            name(&skin.skin, &path.field("skin"), places, f)?;
            places.skip(2);
        }
    }
    places.skip(1);
    for (i, skill) in c.skills.iter().enumerate() {
        self::skill(skill, &root.field("skills").index(i), places, f)?;
    }
    Ok(())
}

/// Reports findings on a name.
fn name(n: &Name, path: &FieldPath<'_>, places: &mut Places<'_>, f: &mut Findings) -> Result<(), ReadError> {
    let at = places.take();
    if f.is_validating() { rules::name(n, path, at.unwrap_or(0), f) } else { Ok(()) }
}

fn finite(
    values: &[F32],
    path: &FieldPath<'_>,
    places: &mut Places<'_>,
    f: &mut Findings,
) -> Result<(), ReadError> {
    for value in values {
        let at = places.take();
        if !value.is_finite() {
            rules::not_finite(*value, path, at, f)?;
        }
    }
    Ok(())
}

fn flag(
    value: u32,
    path: &FieldPath<'_>,
    places: &mut Places<'_>,
    f: &mut Findings,
) -> Result<(), ReadError> {
    let at = places.take();
    if value > 1 { f.broken(FLAG_WORD, path, at, || format!("{value} is neither 0 nor 1")) } else { Ok(()) }
}

fn lists(all: &[PropertyList], places: &mut Places<'_>) {
    let pairs: usize = all.iter().map(|list| list.0.len()).fold(0, usize::saturating_add);
    places.skip(pairs.saturating_mul(2).saturating_add(all.len()).saturating_add(1));
}

fn skeleton(
    s: &CharacterSkeleton,
    path: &FieldPath<'_>,
    places: &mut Places<'_>,
    f: &mut Findings,
) -> Result<(), ReadError> {
    name(&s.name, &path.field("name"), places, f)?;
    let path = path.field("bones");
    places.skip(1);
    // The offsets of the names and parents of bones.
    let mut at: Vec<[Option<u64>; 2]> = Vec::with_capacity(s.bones.len());
    for (i, b) in s.bones.iter().enumerate() {
        let path = path.index(i);
        let name_at = Places { ..*places }.take();
        name(&b.name, &path.field("name"), places, f)?;
        at.push([name_at, places.take()]);
        lists(&b.properties, places);
        finite(&b.translation, &path.field("translation"), places, f)?;
        let rotation_at = Places { ..*places }.take();
        finite(&b.rotation, &path.field("rotation"), places, f)?;
        flag(b.can_translate, &path.field("can_translate"), places, f)?;
        flag(b.can_rotate, &path.field("can_rotate"), places, f)?;
        flag(b.can_blend, &path.field("can_blend"), places, f)?;
        finite(&[b.wiggle_value], &path.field("wiggle_value"), places, f)?;
        finite(&[b.wiggle_power], &path.field("wiggle_power"), places, f)?;
        if f.is_validating() {
            rules::rotation(b.rotation, &path.field("rotation"), rotation_at.unwrap_or(0), f)?;
        }
    }
    hierarchy(s, &path, &at, f)
}

fn hierarchy(
    s: &CharacterSkeleton,
    path: &FieldPath<'_>,
    at: &[[Option<u64>; 2]],
    f: &mut Findings,
) -> Result<(), ReadError> {
    let index = NameIndex::new(s.bones.iter().map(|b| &b.name));
    for (i, b) in s.bones.iter().enumerate() {
        if let Some(first) = index.folded(&b.name).filter(|first| *first != i) {
            f.broken(BONE_DUP, &path.index(i).field("name"), at[i][0], || {
                format!("{} is the name of bone {first} too", b.name)
            })?;
        }
    }
    let mut roots = 0_u32;
    let mut parents = Vec::with_capacity(s.bones.len());
    for (i, b) in s.bones.iter().enumerate() {
        let parent = index.find(&b.parent).filter(|_| !is_null(&b.parent));
        if is_null(&b.parent) {
            roots = roots.saturating_add(1);
            if roots > 1 {
                f.broken(ROOTS, &path.index(i).field("parent"), at[i][1], || {
                    format!("{} is root number {roots}", b.name)
                })?;
            }
        } else if parent.is_none() {
            f.broken(PARENT, &path.index(i).field("parent"), at[i][1], || {
                format!("no bone is called {}", b.parent)
            })?;
        }
        parents.push(parent);
    }
    for i in Walk::new(parents).cut {
        f.broken(PARENT_CYCLE, &path.index(i).field("parent"), at[i][1], || {
            format!("{} is its own ancestor", s.bones[i].name)
        })?;
    }
    if roots == 0 && !s.bones.is_empty() {
        f.broken(NO_ROOT, path, at[0][1], || "no bone has the parent NULL")?;
    }
    Ok(())
}

fn skill(
    s: &Skill,
    path: &FieldPath<'_>,
    places: &mut Places<'_>,
    f: &mut Findings,
) -> Result<(), ReadError> {
    name(&s.name, &path.field("name"), places, f)?;
    name(&s.keys, &path.field("keys"), places, f)?;
    finite(&[s.duration], &path.field("duration"), places, f)?;
    finite(&[s.distance], &path.field("distance"), places, f)?;
    flag(s.moving, &path.field("moving"), places, f)?;
    places.skip(3);
    let path = path.field("motions");
    let mut names = SortedMap::new();
    for (i, m) in s.motions.iter().enumerate() {
        let path = path.index(i);
        let at = Places { ..*places }.take();
        motion(s, m, &path, places, f)?;
        if !f.is_validating() {
            continue;
        }
        let first = *names.entry(m.bone.bytes().to_ascii_lowercase()).or_insert(i);
        if first != i {
            f.broken(MOTION_DUP, &path.field("bone"), at, || {
                format!("{} is moved by motion {first} too; the last counts", m.bone)
            })?;
        }
        if m.frames != s.motions[0].frames {
            f.broken(FRAMES_DIFFER, &path.field("frames"), at, || {
                format!("{} frames, the first motion has {}", m.frames, s.motions[0].frames)
            })?;
        }
    }
    Ok(())
}

fn motion(
    s: &Skill,
    m: &SkillMotion,
    path: &FieldPath<'_>,
    places: &mut Places<'_>,
    f: &mut Findings,
) -> Result<(), ReadError> {
    name(&m.bone, &path.field("bone"), places, f)?;
    places.skip(1);
    finite(&[m.duration], &path.field("duration"), places, f)?;
    flag(m.has_translation, &path.field("has_translation"), places, f)?;
    flag(m.has_rotation, &path.field("has_rotation"), places, f)?;
    for (field, has, first, n) in [
        ("first_translation", m.has_translation, m.first_translation, s.translations),
        ("first_rotation", m.has_rotation, m.first_rotation, s.rotations),
    ] {
        let at = places.take();
        if has != 0 && u64::from(first).saturating_add(u64::from(m.frames)) > u64::from(n) {
            f.broken(MOTION_RANGE, &path.field(field), at, || {
                format!("{} keys from {first} on, there are {n}", m.frames)
            })?;
        }
    }
    lists(&m.properties, places);
    places.skip(1);
    for events in &m.events {
        places.skip(1);
        for event in events {
            places.skip(1);
            lists(core::slice::from_ref(&event.properties), places);
            // A time entry holds its pairs directly, without a count of lists.
            places.next = places.next.saturating_sub(1);
        }
    }
    Ok(())
}

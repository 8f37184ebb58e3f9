//! The rules of a skeleton.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "offsets of what is in memory fit 64 bits; indices that the same function made"
)]

use super::model::{Bone, Skel};
use super::record::{BONE_NAME, NAME, tail};
use crate::name::NameIndex;
use crate::rules::{self, all_rules, some};
use alloc::format;
use meshwright_core::{FieldPath, Findings, ReadError, Report, SortedMap};

meshwright_core::rules! {
    forgivable BONE_DUP = "duplicate-bone" ("E_BONE_DUP"), Duplicate [Unchecked],
        "Two bones have the same name, so that children and meshes cannot name the second.",
        "Rename one of them.";
    forgivable PARENT = "bad-parent" ("E_PARENT"), BadReference [Unchecked],
        "The parent of a bone does not exist in the skeleton.",
        "Correct the parent's name, or write NULL for a root; lenient reading makes the bone a root.";
    forgivable NO_ROOT = "no-root" ("E_NO_ROOT"), Missing [Unchecked],
        "Every bone has a parent, so that the skeleton has no root.",
        "Write NULL as the parent of the root.";
    forgivable PARENT_CYCLE = "parent-cycle" ("E_PARENT_CYCLE"), BadHierarchy [Tolerated],
        "The parents of bones form a circle.",
        "Correct a parent's name; lenient reading makes the first bone of the circle a root.";
    warning ROOTS = "several-roots" ("W_ROOTS"), BadHierarchy,
        "The skeleton has more than one root.",
        "Attach all bones to one root; the game moves the character by its ROOT.";
}

all_rules!(
    RULES,
    &[
        some::VERSION,
        some::NOT_FINITE,
        some::FLAG,
        some::BONE_NAME_DUP,
        some::ROTATION_LENGTH,
        some::TYPE_ID,
        some::EXTENSION
    ]
);

impl Skel {
    /// Reports broken rules as errors, oddities as warnings. Offsets are those of the file that the skeleton is written
    /// to, which is the original file if nothing changed.
    pub fn validate(&self) -> Report {
        rules::report(|findings| check(self, findings))
    }
}

/// A bone with its index and offset.
type Placed<'s> = (usize, &'s Bone, u64);

/// Checks all rules.
pub(crate) fn check(skel: &Skel, findings: &mut Findings) -> Result<(), ReadError> {
    let (offsets, end) = skel.offsets();
    let bones = || skel.bones.iter().zip(&offsets).enumerate().map(|(i, (bone, at))| (i, bone, *at));
    let index = skel.index();
    for bone in bones() {
        name_and_flag(bone, &index, findings)?;
    }
    parents(skel, &offsets, &index, findings)?;
    for bone in bones() {
        finite(bone, findings)?;
    }
    rules::trailing(&skel.trailing, end, findings)?;
    if !findings.is_validating() {
        return Ok(());
    }
    rules::name(&skel.name, &FieldPath::ROOT.field("name"), NAME, findings)?;
    remarks(skel, bones(), findings)
}

fn name_and_flag(
    (i, bone, at): Placed<'_>,
    index: &NameIndex<'_>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("bones");
    let path = path.index(i);
    if let Some(first) = index.first(&bone.name).filter(|first| *first != i) {
        findings.broken(BONE_DUP, &path.field("name"), at + BONE_NAME, || {
            format!("{} is the name of bone {first} too", bone.name)
        })?;
    }
    if !bone.has_properties.is_set() && !bone.properties.is_empty() {
        let message = || "is not set, but there are properties";
        findings.broken(some::FLAG, &path.field("has_properties"), at + bone.flag_at(), message)?;
    }
    Ok(())
}

fn parents(
    skel: &Skel,
    offsets: &[u64],
    index: &NameIndex<'_>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("bones");
    for (i, (bone, at)) in skel.bones.iter().zip(offsets).enumerate() {
        if bone.parent_name().is_some_and(|p| index.find(p).is_none()) {
            findings.broken(PARENT, &path.index(i).field("parent"), at + bone.parent_at(), || {
                format!("no bone is called {}", bone.parent)
            })?;
        }
    }
    if !skel.bones.is_empty() && skel.bones.iter().all(|b| b.parent_name().is_some()) {
        findings.broken(NO_ROOT, &path, skel.count_at(), || "no bone has the parent NULL")?;
    }
    for i in skel.resolve(index).1 {
        let bone = &skel.bones[i];
        let at = offsets[i] + bone.parent_at();
        findings.broken(PARENT_CYCLE, &path.index(i).field("parent"), at, || {
            format!("{} is its own ancestor", bone.name)
        })?;
    }
    Ok(())
}

fn finite((i, bone, at): Placed<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("bones");
    let (path, at) = (path.index(i), at + bone.tail_at());
    for (field, values) in [
        (tail::TRANSLATION, bone.translation.as_slice()),
        (tail::ROTATION, &bone.rotation),
        (tail::WIGGLE_VALUE, &[bone.wiggle_value]),
        (tail::WIGGLE_POWER, &[bone.wiggle_power]),
    ] {
        rules::finite(values, &field.path(&path), field.offset_in(at), findings)?;
    }
    Ok(())
}

/// Warns about values that break no rule.
fn remarks<'s>(
    skel: &Skel,
    bones: impl Iterator<Item = Placed<'s>>,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("bones");
    let mut names = SortedMap::new();
    let mut roots = 0_u32;
    for (i, bone, at) in bones {
        let path = path.index(i);
        rules::name(&bone.name, &path.field("name"), at + BONE_NAME, findings)?;
        let first = *names.entry(bone.name.bytes().to_ascii_lowercase()).or_insert(i);
        if first != i && skel.bones[first].name != bone.name {
            findings.broken(some::BONE_NAME_DUP, &path.field("name"), at + BONE_NAME, || {
                format!("{} differs from bone {first} in letter case only", bone.name)
            })?;
        }
        if bone.parent_name().is_none() {
            roots += 1;
            if roots > 1 {
                findings.broken(ROOTS, &path.field("parent"), at + bone.parent_at(), || {
                    format!("{} is root number {roots}", bone.name)
                })?;
            }
        }
        let rotation = tail::ROTATION.offset_in(at + bone.tail_at());
        rules::rotation(bone.rotation, &tail::ROTATION.path(&path), rotation, findings)?;
    }
    Ok(())
}

//! The rules of an animation.
#![allow(clippy::arithmetic_side_effects, reason = "offsets of what is in memory fit 64 bits")]

use super::model::{Anim, Motion, Nesting};
use super::record::{BONE, NAME, header, keys};
use crate::fields::wide;
use crate::rules::{self, all_rules, some};
use alloc::format;
use meshwright_core::{FieldPath, Findings, ReadError, Report, SortedMap};

meshwright_core::rules! {
    forgivable MOTION_RANGE = "motion-range" ("E_MOTION_RANGE"), OutOfBounds [Unchecked],
        "A motion uses keys after the last one of the file.",
        "Correct its first key or its number of frames; lenient reading leaves the channel out.";
    forgivable NESTING = "nesting" ("E_NESTING"), Ambiguous,
        "The properties of a motion do not fit the way in which they are nested.",
        "Nest them as lists of lists, which FreeSO and Niotso read.";
    warning DURATION_SECONDS = "duration-seconds" ("W_DURATION_SECONDS"), Compatibility [Ignored],
        "The duration is in seconds, as FreeSO writes it; the game uses milliseconds.",
        "Multiply it by 1000; players use the number of frames in either case.";
    warning MOTION_DUP = "duplicate-motion" ("W_MOTION_DUP"), Duplicate [Tolerated],
        "Two motions move the same bone; the last one counts.",
        "Remove the other.";
}

all_rules!(
    RULES,
    &[
        some::VERSION,
        some::NOT_FINITE,
        some::FLAG,
        some::ROTATION_LENGTH,
        some::TYPE_ID,
        some::EXTENSION,
        some::RESOURCE_NAME
    ]
);

impl Anim {
    /// Reports broken rules as errors, oddities as warnings. Offsets are those of the file that the animation is written
    /// to, which is the original file if nothing changed.
    pub fn validate(&self) -> Report {
        rules::report(|findings| check(self, findings))
    }
}

/// Checks all rules.
pub(crate) fn check(anim: &Anim, findings: &mut Findings) -> Result<(), ReadError> {
    let (root, (offsets, end)) = (FieldPath::ROOT, anim.offsets());
    for (field, value) in [(header::DURATION, anim.duration), (header::DISTANCE, anim.distance)] {
        rules::finite(&[value], &field.path(&root), field.offset_in(anim.header_at()), findings)?;
    }
    let path = root.field("translations");
    for (i, key) in anim.translations.iter().enumerate() {
        rules::finite(key, &path.index(i), anim.translation_at(i), findings)?;
    }
    let path = root.field("rotations");
    for (i, key) in anim.rotations.iter().enumerate() {
        rules::finite(key, &path.index(i), anim.rotation_at(i), findings)?;
    }
    let path = root.field("motions");
    for (i, (m, at)) in anim.motions.iter().zip(&offsets).enumerate() {
        motion(anim, m, &path.index(i), *at, findings)?;
    }
    rules::trailing(&anim.trailing, end, findings)?;
    if findings.is_validating() { remarks(anim, &offsets, findings) } else { Ok(()) }
}

fn motion(
    anim: &Anim,
    m: &Motion,
    path: &FieldPath<'_>,
    at: u64,
    findings: &mut Findings,
) -> Result<(), ReadError> {
    let keys_at = at + m.keys_at();
    rules::finite(&[m.duration], &keys::DURATION.path(path), keys::DURATION.offset_in(keys_at), findings)?;
    for (field, has, first, n) in [
        (keys::FIRST_TRANSLATION, m.has_translation, m.first_translation, anim.translations.len()),
        (keys::FIRST_ROTATION, m.has_rotation, m.first_rotation, anim.rotations.len()),
    ] {
        let last = u64::from(first) + u64::from(m.frames);
        if has.is_set() && m.frames > 0 && last > wide(n) {
            // More keys than the file has: no first key is possible.
            let field = if u64::from(m.frames) > wide(n) { keys::FRAMES } else { field };
            findings.broken(MOTION_RANGE, &field.path(path), field.offset_in(keys_at), || {
                format!("{} keys from {first} on, there are {n}", m.frames)
            })?;
        }
    }
    for (field, flag, empty, part) in [
        ("has_properties", m.has_properties, m.properties.is_empty(), m.properties_at()),
        (
            "has_time_properties",
            m.has_time_properties,
            m.time_properties.is_empty(),
            m.events_at(anim.nesting),
        ),
    ] {
        if !flag.is_set() && !empty {
            let message = || "is not set, but there are properties";
            findings.broken(some::FLAG, &path.field(field), at + part, message)?;
        }
    }
    if anim.nesting == Nesting::Two && m.properties.iter().any(|lists| lists.len() != 1) {
        let message = || "each list must hold exactly one in this nesting";
        findings.broken(NESTING, &path.field("properties"), at + m.properties_at() + 1, message)?;
    }
    Ok(())
}

/// Warns about values that break no rule.
fn remarks(anim: &Anim, offsets: &[u64], findings: &mut Findings) -> Result<(), ReadError> {
    let root = FieldPath::ROOT;
    rules::name(&anim.name, &root.field("name"), NAME, findings)?;
    let path = root.field("rotations");
    for (i, key) in anim.rotations.iter().enumerate() {
        rules::rotation(*key, &path.index(i), anim.rotation_at(i), findings)?;
    }
    let frames = anim.frames();
    if frames > 0 && anim.duration.get() > 0.0 && f64::from(anim.duration.get()) < f64::from(frames) {
        let at = header::DURATION.offset_in(anim.header_at());
        findings.broken(DURATION_SECONDS, &header::DURATION.path(&root), at, || {
            format!("{:?} for {frames} frames must be seconds, the game stores milliseconds", anim.duration)
        })?;
    }
    let path = root.field("motions");
    let mut names = SortedMap::new();
    for (i, (m, at)) in anim.motions.iter().zip(offsets).enumerate() {
        let path = path.index(i);
        rules::name(&m.bone, &path.field("bone"), at + BONE, findings)?;
        let first = *names.entry(m.bone.bytes().to_ascii_lowercase()).or_insert(i);
        if first != i {
            findings.broken(MOTION_DUP, &path.field("bone"), at + BONE, || {
                format!("{} is moved by motion {first} too; the last counts", m.bone)
            })?;
        }
    }
    Ok(())
}

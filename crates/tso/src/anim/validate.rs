//! The rules that an animation must keep, and what is odd about one.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "offsets of what is in memory fit 64 bits; components of a vector"
)]

use super::model::{Anim, Motion, Nesting, TimeProperty};
use crate::codes;
use crate::common::{Findings, remark_name, wide};
use crate::props::PropertyList;
use crate::skel::remark_rotation;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{F32, Path, Report};

impl Motion {
    fn frames_at(&self) -> u64 {
        5 + wide(self.bone.bytes().len())
    }

    fn properties_at(&self) -> u64 {
        self.frames_at() + 18
    }

    fn time_flag_at(&self, nesting: Nesting) -> u64 {
        let inner = |lists: &Vec<PropertyList>| {
            let lists: u64 = lists.iter().map(PropertyList::size).sum();
            lists + if nesting == Nesting::Three { 4 } else { 0 }
        };
        let properties: u64 = self.properties.iter().map(inner).sum();
        self.properties_at() + 1 + if self.has_properties.is_set() { 4 + properties } else { 0 }
    }

    fn size(&self, nesting: Nesting) -> u64 {
        let event = |t: &TimeProperty| 8 + t.lists.iter().map(PropertyList::size).sum::<u64>();
        let list = |l: &Vec<TimeProperty>| 4 + l.iter().map(event).sum::<u64>();
        let events: u64 = self.time_properties.iter().map(list).sum();
        self.time_flag_at(nesting) + 1 + if self.has_time_properties.is_set() { 4 + events } else { 0 }
    }
}

impl Anim {
    fn duration_at(&self) -> u64 {
        6 + wide(self.name.bytes().len())
    }

    fn translations_at(&self) -> u64 {
        self.duration_at() + 13
    }

    fn rotations_at(&self) -> u64 {
        self.translations_at() + 12 * wide(self.translations.len()) + 4
    }

    fn motions_at(&self) -> u64 {
        self.rotations_at() + 16 * wide(self.rotations.len()) + 4
    }

    /// The offset of every motion, and of what is behind the last.
    fn offsets(&self) -> (Vec<u64>, u64) {
        let mut at = self.motions_at();
        let step = |m: &Motion| {
            let here = at;
            at += m.size(self.nesting);
            here
        };
        let offsets = self.motions.iter().map(step).collect();
        (offsets, at)
    }

    /// Broken rules as errors, oddities as warnings. Offsets are those of the file that the animation is written
    /// to, which for an unchanged one is the file it was read from.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::default();
        check(self, &mut findings);
        let mut report = findings.report;
        remarks(self, &mut report);
        report
    }
}

/// Reports every broken rule.
pub(crate) fn check(anim: &Anim, out: &mut Findings) {
    let (root, (offsets, end)) = (Path::ROOT, anim.offsets());
    let mut finite = |path: &Path<'_>, values: &[F32], at: u64| {
        if let Some(c) = values.iter().position(|v| !v.is_finite()) {
            let at = at.saturating_add(4 * wide(c));
            out.error(codes::E_NOT_FINITE, path, Some(at), || format!("{:?} is not finite", values[c]));
        }
    };
    finite(&root.field("duration"), &[anim.duration], anim.duration_at());
    finite(&root.field("distance"), &[anim.distance], anim.duration_at() + 4);
    for (i, key) in anim.translations.iter().enumerate() {
        finite(&root.field("translations").index(i), key, anim.translations_at() + 12 * wide(i));
    }
    for (i, key) in anim.rotations.iter().enumerate() {
        finite(&root.field("rotations").index(i), key, anim.rotations_at() + 16 * wide(i));
    }
    let path = root.field("motions");
    for (i, (m, at)) in anim.motions.iter().zip(offsets).enumerate() {
        let path = path.index(i);
        let frames_at = at + m.frames_at();
        if !m.duration.is_finite() {
            out.error(codes::E_NOT_FINITE, &path.field("duration"), Some(frames_at + 4), || {
                format!("{:?} is not finite", m.duration)
            });
        }
        let channels = [
            ("first_translation", m.has_translation, m.first_translation, anim.translations.len(), 10),
            ("first_rotation", m.has_rotation, m.first_rotation, anim.rotations.len(), 14),
        ];
        for (field, has, first, keys, part) in channels {
            let last = u64::from(first) + u64::from(m.frames);
            if has.is_set() && m.frames > 0 && last > wide(keys) {
                // More keys than there are: no first one would do.
                let (field, part) =
                    if u64::from(m.frames) > wide(keys) { ("frames", 0) } else { (field, part) };
                out.error(codes::E_MOTION_RANGE, &path.field(field), Some(frames_at + part), || {
                    format!("{} keys from {first} on, there are {keys}", m.frames)
                });
            }
        }
        let flags = [
            ("has_properties", m.has_properties, m.properties.is_empty(), m.properties_at()),
            (
                "has_time_properties",
                m.has_time_properties,
                m.time_properties.is_empty(),
                m.time_flag_at(anim.nesting),
            ),
        ];
        for (field, flag, empty, part) in flags {
            if !flag.is_set() && !empty {
                out.error(
                    codes::E_FLAG,
                    &path.field(field),
                    Some(at + part),
                    || "is not set, but there are properties",
                );
            }
        }
        if anim.nesting == Nesting::Two && m.properties.iter().any(|lists| lists.len() != 1) {
            out.error(
                codes::E_NESTING,
                &path.field("properties"),
                Some(at + m.properties_at() + 1),
                || "each list must hold exactly one in this nesting",
            );
        }
    }
    out.trailing(end, &anim.trailing);
}

fn remarks(anim: &Anim, report: &mut Report) {
    let (root, (offsets, _)) = (Path::ROOT, anim.offsets());
    remark_name(report, &root.field("name"), 4, &anim.name);
    for (i, key) in anim.rotations.iter().enumerate() {
        let path = root.field("rotations");
        remark_rotation(report, &path.index(i), anim.rotations_at() + 16 * wide(i), *key);
    }
    let frames = anim.frames();
    if frames > 0 && anim.duration.get() > 0.0 && f64::from(anim.duration.get()) < f64::from(frames) {
        let path = root.field("duration");
        report.warn(codes::W_DURATION_SECONDS, &path, Some(anim.duration_at()), || {
            format!("{:?} for {frames} frames must be seconds, the game stores milliseconds", anim.duration)
        });
    }
    let path = root.field("motions");
    let mut names = BTreeMap::new();
    for (i, (m, at)) in anim.motions.iter().zip(offsets).enumerate() {
        let path = path.index(i);
        remark_name(report, &path.field("bone"), at + 4, &m.bone);
        let first = *names.entry(m.bone.bytes().to_ascii_lowercase()).or_insert(i);
        if first != i {
            report.warn(codes::W_MOTION_DUP, &path.field("bone"), Some(at + 4), || {
                format!("{} is moved by motion {first} too; the last counts", m.bone)
            });
        }
    }
}

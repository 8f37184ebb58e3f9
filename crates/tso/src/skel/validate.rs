//! The rules that a skeleton must keep, and what is odd about one.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "offsets of what is in memory fit 64 bits; components of a vector"
)]

use super::model::{Bone, Skel};
use crate::codes;
use crate::common::{Findings, remark_name, wide};
use crate::props::PropertyList;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{F32, Path, Report};

/// Quaternions whose squared length differs from 1 by more are reported.
pub(crate) const ROTATION_TOLERANCE: f64 = 2e-3;

impl Bone {
    fn parent_at(&self) -> u64 {
        5 + wide(self.name.bytes().len())
    }

    fn flag_at(&self) -> u64 {
        self.parent_at() + 1 + wide(self.parent.bytes().len())
    }

    fn translation_at(&self) -> u64 {
        let lists = self.properties.iter().map(PropertyList::size);
        let properties = if self.has_properties.is_set() { 4 + lists.sum::<u64>() } else { 0 };
        self.flag_at() + 1 + properties
    }

    fn size(&self) -> u64 {
        self.translation_at() + 48
    }
}

impl Skel {
    fn bones_at(&self) -> u64 {
        7 + wide(self.name.bytes().len())
    }

    fn offsets(&self) -> Vec<u64> {
        let mut at = self.bones_at();
        let step = |b: &Bone| {
            let here = at;
            at += b.size();
            here
        };
        self.bones.iter().map(step).collect()
    }

    /// Broken rules as errors, oddities as warnings. Offsets are those of the file that the skeleton is written
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
pub(crate) fn check(skel: &Skel, out: &mut Findings) {
    let (root, offsets) = (Path::ROOT, skel.offsets());
    let path = root.field("bones");
    let index = skel.index();
    for (i, (bone, at)) in skel.bones.iter().zip(&offsets).enumerate() {
        if let Some(first) = index.first(&bone.name).filter(|first| *first != i) {
            let path = path.index(i);
            out.error(codes::E_BONE_DUP, &path.field("name"), Some(at + 4), || {
                format!("{} is the name of bone {first} too", bone.name)
            });
        }
        if !bone.has_properties.is_set() && !bone.properties.is_empty() {
            let path = path.index(i);
            out.error(
                codes::E_FLAG,
                &path.field("has_properties"),
                Some(at + bone.flag_at()),
                || "is not set, but there are properties",
            );
        }
    }
    for (i, (bone, at)) in skel.bones.iter().zip(&offsets).enumerate() {
        if bone.parent_name().is_some_and(|p| index.find(p).is_none()) {
            let path = path.index(i);
            out.error(codes::E_PARENT, &path.field("parent"), Some(at + bone.parent_at()), || {
                format!("no bone is called {}", bone.parent)
            });
        }
    }
    if !skel.bones.is_empty() && skel.bones.iter().all(|b| b.parent_name().is_some()) {
        out.error(
            codes::E_NO_ROOT,
            &path,
            Some(skel.bones_at().saturating_sub(2)),
            || "no bone has the parent NULL",
        );
    }
    let (_, cut) = skel.resolve(&index);
    for i in cut {
        let (path, at) = (path.index(i), offsets.get(i).copied().unwrap_or(0));
        let bone = &skel.bones[i];
        out.error(codes::E_PARENT_CYCLE, &path.field("parent"), Some(at + bone.parent_at()), || {
            format!("{} hangs from itself by way of its parents", bone.name)
        });
    }
    for (i, (bone, at)) in skel.bones.iter().zip(&offsets).enumerate() {
        let path = path.index(i);
        let at = at + bone.translation_at();
        let mut finite = |field: &'static str, values: &[F32], at: u64| {
            if let Some(c) = values.iter().position(|v| !v.is_finite()) {
                out.error(codes::E_NOT_FINITE, &path.field(field), Some(at + 4 * wide(c)), || {
                    format!("{:?} is not finite", values[c])
                });
            }
        };
        finite("translation", &bone.translation, at);
        finite("rotation", &bone.rotation, at + 12);
        finite("wiggle_value", &[bone.wiggle_value], at + 40);
        finite("wiggle_power", &[bone.wiggle_power], at + 44);
    }
    let end = offsets.last().zip(skel.bones.last()).map_or(skel.bones_at(), |(at, b)| at + b.size());
    out.trailing(end, &skel.trailing);
}

fn remarks(skel: &Skel, report: &mut Report) {
    let (root, offsets) = (Path::ROOT, skel.offsets());
    remark_name(report, &root.field("name"), 4, &skel.name);
    let path = root.field("bones");
    let mut names = BTreeMap::new();
    let mut roots = 0_u32;
    for (i, (bone, at)) in skel.bones.iter().zip(&offsets).enumerate() {
        let path = path.index(i);
        remark_name(report, &path.field("name"), at + 4, &bone.name);
        let first = *names.entry(bone.name.bytes().to_ascii_lowercase()).or_insert(i);
        if first != i && skel.bones[first].name != bone.name {
            report.warn(codes::W_BONE_NAME_DUP, &path.field("name"), Some(at + 4), || {
                format!("{} differs from bone {first} in letter case only", bone.name)
            });
        }
        if bone.parent_name().is_none() {
            roots += 1;
            if roots > 1 {
                report.warn(codes::W_ROOTS, &path.field("parent"), Some(at + bone.parent_at()), || {
                    format!("{} is root number {roots}", bone.name)
                });
            }
        }
        remark_rotation(report, &path.field("rotation"), at + bone.translation_at() + 12, bone.rotation);
    }
}

/// A warning for a quaternion that must be brought to length 1 before use.
pub(crate) fn remark_rotation(report: &mut Report, path: &Path<'_>, at: u64, q: [F32; 4]) {
    if !is_unit(q) {
        report.warn(codes::W_ROTATION_LENGTH, path, Some(at), || {
            format!("[{:?}, {:?}, {:?}, {:?}] is not of length 1", q[0], q[1], q[2], q[3])
        });
    }
}

pub(crate) fn is_unit(q: [F32; 4]) -> bool {
    let square: f64 = q.iter().map(|c| f64::from(c.get()) * f64::from(c.get())).sum();
    (square - 1.0).abs() <= ROTATION_TOLERANCE
}

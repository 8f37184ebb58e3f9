//! What is wrong with a ZYM model.

use super::layout::{LUMPS, SCENE, ZymLayout};
use super::model::{Zym, ZymBounds};
use super::read::is_rate;
use crate::decode;
use crate::model::BonePose;
use crate::read::{CORNERS, first_beyond, item};
use crate::validate::{find_bad_parents, warn_bones, warn_name, warn_texcoords};
use alloc::format;
use meshwright_core::{Path, Report, Severity};

/// Numbers of the lumps in the header.
const SCENES: usize = 0;
const POSES: usize = 1;
const BONES: usize = 2;
const COUNTS: usize = 3;
const VERTS: usize = 4;
const TEXCOORDS: usize = 5;
const RENDER: usize = 6;
const SHADERS: usize = 7;

impl Zym {
    /// Finds everything that is wrong with the model, with offsets where it came from a file.
    ///
    /// Errors are what a strict reader refuses. Warnings: `trailing-bytes`, `unterminated-name`,
    /// `duplicate-name`, `unknown-bone-flags`, `unknown-scene-flags`, `non-finite-bounds`,
    /// `non-finite-texcoord`, `misaligned-offset`, `table-in-header`. For information: `unreferenced-bytes`.
    pub fn validate(&self) -> Report {
        let mut report = Report::new();
        self.find_errors(&mut report);
        let places = Places::of(self);
        self.warn_layout(&places, &mut report);
        warn_bounds(&self.bounds, &Path::ROOT, places.header(20), &mut report);
        let table = Path::ROOT.field("scenes");
        for (i, scene) in self.scenes.iter().enumerate() {
            let (path, at) = (table.index(i), places.item(SCENES, i, SCENE));
            let field = |n: u64| at.map(|o| o.saturating_add(n));
            warn_name(&scene.name, &path.field("name"), at, &mut report);
            warn_bounds(&scene.bounds, &path, field(32), &mut report);
            if scene.flags.unknown() != 0 {
                let message = || format!("{:?} has unknown bits", scene.flags);
                report.warn("unknown-scene-flags", &path.field("flags"), field(64), message);
            }
        }
        warn_bones(&self.bones, |i| places.item(BONES, i, 40), 32, &mut report);
        let at = places.item(TEXCOORDS, 0, 8);
        warn_texcoords(&self.texcoords, &Path::ROOT.field("texcoords"), at, &mut report);
        let table = Path::ROOT.field("shaders");
        for (i, run) in self.runs.iter().enumerate() {
            warn_name(&run.shader, &table.index(i), places.item(SHADERS, i, 32), &mut report);
        }
        report
    }

    /// Everything that a strict reader refuses.
    pub(crate) fn find_errors(&self, report: &mut Report) {
        let root = Path::ROOT;
        let places = Places::of(self);
        let triangles = self.triangle_count();
        for (n, least, field, at) in [
            (self.counts.len(), 3, "numverts", 48),
            (triangles, 1, "numtris", 52),
            (self.runs.len(), 1, "numshaders", 56),
            (self.bones.len(), 1, "numbones", 60),
            (self.scenes.len(), 1, "numscenes", 64),
        ] {
            if n < least {
                let message = || format!("is {n}, must be at least {least}");
                report.error("bad-count", &root.field(field), places.header(at), message);
            }
        }
        let counted: u64 = self.counts.iter().map(|&c| u64::from(c)).sum();
        for (what, n, expected) in [
            ("verts", self.influences.len() as u64, counted),
            ("texcoords", self.texcoords.len() as u64, self.counts.len() as u64),
            ("trizone", self.trizone.len() as u64, triangles as u64),
        ] {
            if n != expected {
                report.error("bad-count", &root.field(what), None, || format!("{n}, {expected} expected"));
            }
        }
        self.find_pose_errors(&places, report);
        find_bad_parents(&self.bones, |i| places.item(BONES, i, 40), 36, report);
        self.find_vertex_errors(&places, report);
    }

    fn find_pose_errors(&self, places: &Places<'_>, report: &mut Report) {
        let root = Path::ROOT;
        let (bones, poses) = (self.bones.len().max(1), self.pose_count());
        if poses == 0 || !self.poses.len().is_multiple_of(bones) {
            let message = || format!("{} matrices for poses of {bones} bones", self.poses.len());
            report.error("bad-lump-size", &root.field("poses"), None, message);
        }
        let table = root.field("scenes");
        for (i, scene) in self.scenes.iter().enumerate() {
            let (path, at) = (table.index(i), places.item(SCENES, i, SCENE));
            let field = |n: u64| at.map(|o| o.saturating_add(n));
            let end = u64::from(scene.start).saturating_add(scene.length.into());
            if scene.length < 1 || end > poses as u64 {
                let message = || format!("{} poses from pose {} of {poses}", scene.length, scene.start);
                report.error("bad-scene", &path.field("length"), field(72), message);
            }
            if !is_rate(scene.framerate) {
                let message = || format!("{:?} is no rate", scene.framerate);
                report.error("bad-scene", &path.field("framerate"), field(60), message);
            }
        }
        if decode::poses_are_finite(&self.poses) {
            return;
        }
        let table = root.field("poses");
        for (i, _) in self.poses.iter().enumerate().filter(|(_, p)| !p.is_finite()) {
            let path = table.index(i.checked_div(bones).unwrap_or(0));
            let at = places.item(POSES, i, BonePose::SIZE);
            report.error(
                "non-finite",
                &path.index(i.checked_rem(bones).unwrap_or(0)),
                at,
                || "an element is not finite",
            );
        }
    }

    fn find_vertex_errors(&self, places: &Places<'_>, report: &mut Report) {
        let table = Path::ROOT.field("vertbonecounts");
        for (i, &count) in self.counts.iter().enumerate().filter(|(_, c)| **c != 1) {
            let code = if count == 0 { "no-influence" } else { "several-influences" };
            let at = places.item(COUNTS, i, 4);
            report.error(code, &table.index(i), at, || format!("{count} bones, must be 1"));
        }
        let table = Path::ROOT.field("verts");
        let bones = self.bones.len();
        for (i, influence) in self.influences.iter().enumerate() {
            let at = places.item(VERTS, i, 16);
            if influence.bone as usize >= bones {
                let message = || format!("bone {} of {bones}", influence.bone);
                report.error("bad-bone-index", &table.index(i).field("bonenum"), at, message);
            }
            if let Some(bad) = influence.origin.iter().find(|f| !f.is_finite()) {
                let at = at.map(|o| o.saturating_add(4));
                let message = || format!("{bad:?} is not finite");
                report.error("non-finite", &table.index(i).field("origin"), at, message);
            }
        }
        let table = Path::ROOT.field("render");
        let limit = u32::try_from(self.counts.len()).unwrap_or(u32::MAX);
        let mut before = 0_u64;
        for (i, run) in self.runs.iter().enumerate() {
            let start = places.item(RENDER, 0, 0).map(|o| item(item(o, i, 4), 1, 4).saturating_add(before));
            before = item(before, run.triangles.len(), 12);
            if let Some((t, corner, v)) = first_beyond(&run.triangles, limit) {
                let path = table.index(i);
                let list = path.field("tris");
                let tri = list.index(t);
                let at = start.map(|o| item(item(o, t, 12), corner, 4));
                let message = || format!("index {v} of {limit} vertices");
                report.error(
                    "bad-vertex-index",
                    &tri.field(CORNERS.get(corner).copied().unwrap_or_default()),
                    at,
                    message,
                );
            }
        }
    }

    fn warn_layout(&self, places: &Places<'_>, report: &mut Report) {
        let Some(layout) = places.0 else { return };
        let (root, claimed) = (Path::ROOT, u64::from(layout.filesize));
        if layout.size > claimed {
            let message = || {
                format!("{} bytes behind the stored size of {claimed}", layout.size.saturating_sub(claimed))
            };
            report.warn("trailing-bytes", &root.field("filesize"), Some(16), message);
        }
        for (at, bytes) in layout.gaps.runs().filter(|(at, _)| *at < claimed) {
            let message = || format!("{} bytes that no lump covers", bytes.len());
            report.add(Severity::Info, "unreferenced-bytes", &root, Some(at), message);
        }
        for (i, (name, &(start, len))) in LUMPS.iter().zip(&layout.lumps).enumerate() {
            let (path, at, last) =
                (root.field(name), Some(item(68, i, 8)), i.saturating_add(1) == LUMPS.len());
            // A byte per triangle needs no alignment.
            if !start.is_multiple_of(4) && !last {
                let message = || format!("{start:#x} is not a multiple of 4");
                report.warn("misaligned-offset", &path, at, message);
            }
            if u64::from(start) < super::layout::HEADER && len > 0 {
                report.warn("table-in-header", &path, at, || format!("{start:#x} is within the header"));
            }
        }
    }
}

fn warn_bounds(bounds: &ZymBounds, path: &Path<'_>, at: Option<u64>, report: &mut Report) {
    const FIELDS: [&str; 7] = ["mins", "mins", "mins", "maxs", "maxs", "maxs", "radius"];
    for ((i, value), field) in bounds.values().enumerate().zip(FIELDS).filter(|((_, v), _)| !v.is_finite()) {
        let offset = at.map(|o| item(o, i, 4));
        report.warn("non-finite-bounds", &path.field(field), offset, || format!("{value:?} is not finite"));
    }
}

/// Offsets of a model's parts in the file it came from; none where it was built or has changed in size.
struct Places<'a>(Option<&'a ZymLayout>);

impl<'a> Places<'a> {
    fn of(model: &'a Zym) -> Self {
        Self(model.layout.get().filter(|layout| layout.fits(model)))
    }

    fn header(&self, field: u64) -> Option<u64> {
        self.0.map(|_| field)
    }

    fn item(&self, lump: usize, i: usize, size: u64) -> Option<u64> {
        self.0?.lumps.get(lump).map(|&(start, _)| item(start.into(), i, size))
    }
}

//! Finding everything that is wrong or odd.

use crate::codes;
use crate::layout::{BONE, CLIP, HEADER, LOD, Layout, ListPlace, MESH};
use crate::model::{Bmd, Mesh, QuadCount};
use crate::packed::{PrimitiveKind, VertexKind};
use crate::read::record;
use crate::rules::{self, identity};
use crate::shade::flat_color;
use crate::solid::{Allowance, Flaw, flaws};
use crate::stream::{ABSENT, Stream};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::layout::Coverage;
use meshwright_core::num::St14Form;
use meshwright_core::{Path, Report, Severity};

/// Elements that are walked for remarks on pairs of lists, which hostile files share between many meshes.
const WALKED: usize = 16_000_000;
/// The longest material name that the original engine has room for.
const MAX_NAME: usize = 255;
/// Padding behind the last structure that tools leave.
const PADDING: usize = 32;

impl Bmd {
    /// Lists what is wrong (errors), what readers must live with (warnings) and what is worth knowing.
    ///
    /// Solids are checked for being closed, consistently oriented, right side out, free of self-intersection
    /// and on one bone; on very large ones the search for self-intersections is cut off and reported so.
    pub fn validate(&self) -> Report {
        let mut report = Report::new();
        rules::check(self, &mut |code, path, offset, message| {
            report.error(code, path, offset, || message);
            true
        });
        let mut v = Validator { model: self, report };
        v.header();
        v.meshes();
        v.lods();
        v.bones();
        v.clips();
        if let Some(layout) = &self.layout {
            v.layout(layout);
        }
        v.report
    }
}

struct Validator<'m> {
    model: &'m Bmd,
    report: Report,
}

impl Validator<'_> {
    /// The offset of a field of record `index` of a table.
    fn field(&self, table: usize, index: usize, size: u64, field: u64) -> Option<u64> {
        let start = self.model.layout.as_ref()?.tables.get(table)?;
        Some(record(*start, index, size).saturating_add(field))
    }

    fn header(&mut self) {
        let path = Path::ROOT.field("header");
        for ((value, name), at) in self.model.reserved.iter().zip(["resv1", "resv2", "resv3"]).zip([4, 8, 12])
        {
            if *value != 0 {
                let message = || format!("{value:#x}, must be zero");
                self.report.warn(codes::W_MBZ, &path.field(name), Some(at), message);
            }
        }
        let (model, layout) = (self.model, self.model.layout.as_ref());
        let skeletal = [("bones", model.bones.len(), 0x20), ("anims", model.clips.len(), 0x28)];
        let places = layout.iter().flat_map(|l| l.tables.iter().skip(2));
        for ((name, count, at), place) in skeletal.into_iter().zip(places) {
            if model.bones.is_empty() && count == 0 && *place != 0 {
                let message = || format!("offset {place:#x} in a static model, must be zero");
                self.report.warn(codes::W_MBZ, &path.field(name), Some(at), message);
            }
        }
    }

    fn meshes(&mut self) {
        let model = self.model;
        let root = Path::ROOT.field("meshes");
        let (mut vertex_lists, mut primitive_lists) = (BTreeSet::new(), BTreeSet::new());
        let mut walked = 0_usize;
        let mut legacy = model.st_form() == St14Form::Legacy;
        for (i, mesh) in model.meshes.iter().enumerate() {
            let path = root.index(i);
            let place = model.layout.as_ref().and_then(|l| l.meshes.get(i)).copied();
            if mesh.reserved != 0 {
                let message = || format!("{:#x}, must be zero", mesh.reserved);
                self.report.warn(codes::W_MBZ, &path.field("resv3"), self.field(0, i, MESH, 0x1c), message);
            }
            if mesh.flags.unknown() != 0 {
                let message = || format!("unknown bits {:#x}", mesh.flags.unknown());
                self.report.warn(codes::W_FLAGS, &path.field("flags"), self.field(0, i, MESH, 0x18), message);
            }
            if let Some(p) = place.filter(|p| p.vertices.size > p.vertices.used) {
                let spare = p.vertices.size.saturating_sub(p.vertices.used);
                let message = || format!("{spare} bytes behind the last vertex");
                self.report.warn(
                    codes::W_VTX_SLACK,
                    &path.field("sz_vtx"),
                    self.field(0, i, MESH, 0x10),
                    message,
                );
            }
            if mesh.quad_count == QuadCount::Other && mesh.vertices.len() != 1024 {
                let message = || "quads are counted by the other rule";
                self.report.warn(codes::W_NTRI, &path.field("n_tris"), self.field(0, i, MESH, 0x0e), message);
            }
            self.material(i, mesh);
            if vertex_lists.insert(identity(&mesh.vertices)) {
                self.vertices(mesh, &path, place.map(|p| p.vertices));
                // Told once.
                if legacy && mesh.vertices.iter().any(|v| v.kind() == VertexKind::Bits128) {
                    legacy = false;
                    let message =
                        || "128-bit vertices hold texture coordinates in the old form, two 16-bit numbers";
                    let at = place.map(|p| u64::from(p.vertices.at));
                    self.report.warn(codes::W_ST_LEGACY, &path.field("vtx"), at, message);
                }
            }
            if primitive_lists.insert(identity(&mesh.primitives)) {
                self.degenerate(mesh, &path, place.map(|p| p.primitives));
            }
            let work = mesh.vertices.len().saturating_add(mesh.primitives.len());
            walked = walked.saturating_add(work);
            if walked <= WALKED {
                self.missing(i, mesh);
                self.remarks(mesh, &path, place.map(|p| (p.vertices, p.primitives)));
            }
        }
    }

    fn material(&mut self, i: usize, mesh: &Mesh) {
        let Some(name) = &mesh.material else { return };
        let root = Path::ROOT.field("meshes");
        let path = root.index(i);
        let path = path.field("ofs_mat");
        let bytes = name.bytes();
        let at = self.model.layout.as_ref().and_then(|l| l.meshes.get(i)).map(|p| u64::from(p.material.at));
        if bytes.starts_with(b"#") && flat_color(bytes).is_none() {
            let message = || format!("{name} is no colour: six hexadecimal digits follow a #");
            self.report.warn(codes::W_MAT_NAME, &path, at, message);
        }
        if bytes.len() > MAX_NAME {
            let message = || format!("{} bytes, the engine has room for {MAX_NAME}", bytes.len());
            self.report.warn(codes::W_MAT_NAME, &path, at, message);
        }
        if bytes.len() > 4 && bytes.iter().rev().nth(3) == Some(&b'.') {
            let message = || format!("{name} has a file name extension");
            self.report.add(Severity::Info, codes::I_MAT_EXT, &path, at, message);
        }
    }

    fn vertices(&mut self, mesh: &Mesh, path: &Path<'_>, place: Option<ListPlace>) {
        let model = self.model;
        if model.bones.is_empty() && !model.clips.is_empty() && mesh.bones().any(|b| b > 0) {
            let message = || "vertices of bones in a file whose bone table is missing";
            self.report.warn(codes::W_VTX_BONE, &path.field("vtx"), place.map(|p| u64::from(p.at)), message);
        }
        let mut at = place.map(|p| u64::from(p.at));
        for (i, v) in mesh.vertices.iter().enumerate() {
            if matches!(v.tag(), 0xf0..=0xf7) {
                let message = || format!("tag {:#04x} is reserved, read by its low two bits", v.tag());
                self.report.warn(codes::W_VTX_TAG, &path.field("vtx").index(i), at, message);
            }
            at = at.map(|a| a.saturating_add(v.size() as u64));
        }
    }

    fn degenerate(&mut self, mesh: &Mesh, path: &Path<'_>, place: Option<ListPlace>) {
        let mut at = place.map(|p| u64::from(p.at));
        for (i, p) in mesh.primitives.iter().enumerate() {
            if p.triangles().any(|[a, b, c]| a == b || b == c || a == c) {
                let message = || format!("{p:?} names a vertex twice");
                self.report.warn(codes::W_DEGENERATE, &path.field("tris").index(i), at, message);
            }
            at = at.map(|a| a.saturating_add(p.size() as u64));
        }
    }

    /// Triangles of missing vertices, in a mesh whose lists overlap; in any other they are errors.
    fn missing(&mut self, i: usize, mesh: &Mesh) {
        let places = self.model.layout.as_ref().and_then(|l| l.meshes.get(i));
        if !places.is_some_and(rules::lies_on_vertices) {
            return;
        }
        let n = mesh.vertices.len();
        let lost = mesh.primitives.iter().filter(|p| p.max_index() as usize >= n).count();
        if lost > 0 {
            let root = Path::ROOT.field("meshes");
            let path = root.index(i);
            let message = || format!("{lost} primitives name vertices beyond {n}; the lists overlap");
            let at = places.map(|p| u64::from(p.primitives.at));
            self.report.warn(codes::W_INDEX, &path.field("tris"), at, message);
        }
    }

    /// Remarks that look at both lists.
    fn remarks(&mut self, mesh: &Mesh, path: &Path<'_>, place: Option<(ListPlace, ListPlace)>) {
        let n = mesh.vertices.len();
        let mut used = alloc::vec![false; n];
        for i in mesh.primitives.iter().flat_map(|p| p.indices()) {
            if let Some(u) = used.get_mut(i as usize) {
                *u = true;
            }
        }
        let unused = used.iter().filter(|u| !**u).count();
        if unused > 0 {
            let message = || format!("{unused} of {n} vertices are not used");
            let at = place.map(|p| u64::from(p.0.at));
            self.report.add(Severity::Info, codes::I_VTX_UNUSED, &path.field("vtx"), at, message);
        }
        let wide = mesh.primitives.iter().filter(|p| p.kind() == PrimitiveKind::Triangle64).count();
        if wide > 0 && n < 1024 {
            let message = || format!("{wide} triangles of 64 bits over {n} vertices");
            let at = place.map(|p| u64::from(p.1.at));
            self.report.add(Severity::Info, codes::I_TRI_WIDE, &path.field("tris"), at, message);
        }
    }

    fn lods(&mut self) {
        let model = self.model;
        let root = Path::ROOT.field("lods");
        // How many hidden meshes come before each.
        let mut hidden = alloc::vec![0_usize];
        for mesh in &model.meshes {
            let before = hidden.last().copied().unwrap_or(0);
            hidden.push(before.saturating_add(usize::from(mesh.material.is_none())));
        }
        for (i, lod) in model.lods.iter().enumerate() {
            let path = root.index(i);
            let (first, count) = (usize::from(lod.first), usize::from(lod.count));
            if lod.reserved != 0 {
                let message = || format!("{:#x}, must be zero", lod.reserved);
                self.report.warn(codes::W_MBZ, &path.field("resv1"), self.field(1, i, LOD, 3), message);
            }
            if count == 0 {
                let message = || "no meshes; in the only level that is read as all of them";
                self.report.warn(codes::W_LOD_EMPTY, &path, self.field(1, i, LOD, 1), message);
            }
            let before = |n: usize| hidden.get(n).copied().unwrap_or(0);
            if before(first.saturating_add(count)) > before(first) {
                let message = || "a mesh without a material is not drawn";
                self.report.warn(codes::W_LOD_HIDDEN, &path, self.field(1, i, LOD, 0), message);
            }
        }
    }

    fn bones(&mut self) {
        let model = self.model;
        let root = Path::ROOT.field("bones");
        let (mut allowance, mut checked) = (Allowance::default(), BTreeSet::new());
        let mut spread: BTreeMap<usize, (u8, u8)> = BTreeMap::new();
        for (i, bone) in model.bones.iter().enumerate() {
            let path = root.index(i);
            let mut zero = |name: &'static str, value: u64, at: u64, what: &'static str| {
                if value != 0 {
                    let offset =
                        model.layout.as_ref().map(|l| record(l.tables[2], i, BONE).saturating_add(at));
                    self.report
                        .warn(codes::W_MBZ, &path.field(name), offset, || format!("{value:#x}, {what}"));
                }
            };
            if i == 0 {
                zero("xform", bone.transform.to_bits(), 0, "bone 0 has no transform");
                zero("id_parent", u64::from(bone.parent), 0x0c, "bone 0 has no parent");
            }
            zero("resv1", u64::from(bone.reserved[0]), 0x0e, "must be zero");
            zero("resv2", u64::from(bone.reserved[1]), 0x0f, "must be zero");
            if i > 0 && !bone.is_pseudo() && usize::from(bone.parent) > i {
                let message = || format!("parent {} comes after the bone", bone.parent);
                let at = self.field(2, i, BONE, 0x0c);
                self.report.warn(codes::W_PARENT_ORDER, &path.field("id_parent"), at, message);
            }
            if let Some(name) = bone.name.as_ref().filter(|n| flat_color(n.bytes()).is_some()) {
                let message = || format!("{name} is the name of a material");
                let at = self.field(2, i, BONE, 8);
                self.report.add(Severity::Info, codes::I_BONE_NAME, &path.field("ofs_name"), at, message);
            }
            let Some(mesh) = Some(usize::from(bone.solid)).filter(|s| *s > 0) else { continue };
            let Some(solid) = model.meshes.get(mesh) else { continue };
            let at = self.field(2, i, BONE, 0x0d);
            let (low, high) = *spread.entry(identity(&solid.vertices)).or_insert_with(|| {
                let (low, high) = (solid.bones().min(), solid.bones().max());
                (low.unwrap_or(0), high.unwrap_or(0))
            });
            if low != high || (usize::from(low) != i && low != 0) {
                let message = || format!("mesh {mesh} hangs on bones {low} to {high}");
                self.report.warn(codes::W_SOLID_BONES, &path.field("id_solid"), at, message);
            }
            // Meshes that share their lists have the same flaws.
            if checked.insert((identity(&solid.vertices), identity(&solid.primitives))) {
                self.solid(&path, at, mesh, solid, &mut allowance);
            }
        }
    }

    fn solid(&mut self, path: &Path<'_>, at: Option<u64>, i: usize, mesh: &Mesh, allowance: &mut Allowance) {
        let path = path.field("id_solid");
        for flaw in flaws(mesh, allowance) {
            let report = &mut self.report;
            match flaw {
                Flaw::Degenerate { triangle } => report.warn(codes::W_SOLID_OPEN, &path, at, || {
                    format!("triangle {triangle} of mesh {i} names a vertex twice")
                }),
                Flaw::Open { a, b } => report.warn(codes::W_SOLID_OPEN, &path, at, || {
                    format!("mesh {i}: edge {a}-{b} is not used once in each direction")
                }),
                Flaw::Inverted => report.warn(codes::W_SOLID_INVERTED, &path, at, || {
                    format!("the faces of mesh {i} look inward")
                }),
                Flaw::Crossing { a, b } => report.warn(codes::W_SOLID_CROSS, &path, at, || {
                    format!("triangles {a} and {b} of mesh {i} cross")
                }),
                Flaw::Unchecked => {
                    report.add(Severity::Info, codes::I_SOLID_UNCHECKED, &path, at, || {
                        format!("mesh {i} is too large to be checked in full")
                    });
                }
            }
        }
    }

    fn clips(&mut self) {
        let model = self.model;
        let root = Path::ROOT.field("anims");
        if model.bones.is_empty() && !model.clips.is_empty() {
            let at = model.layout.as_ref().map(|_| 0x28);
            self.report.warn(codes::W_ANIM_BONES, &root, at, || "animations without bones");
        }
        let mut streams = BTreeSet::new();
        for (i, clip) in model.clips.iter().enumerate() {
            let path = root.index(i);
            for ((name, at), value) in [("resv1", 6), ("resv2", 7)].into_iter().zip(clip.reserved) {
                if value != 0 {
                    let message = || format!("{value:#x}, must be zero");
                    self.report.warn(codes::W_MBZ, &path.field(name), self.field(3, i, CLIP, at), message);
                }
            }
            if clip.rate.frames_per_second() == 0.0 {
                let message = || "the rate is zero";
                self.report.warn(codes::W_ANIM_HZ, &path.field("fl_hz"), self.field(3, i, CLIP, 5), message);
            }
            let place = model.layout.as_ref().and_then(|l| l.clips.get(i)).map(|c| c.stream);
            if let Some(p) = place.filter(|p| p.size > p.used) {
                let spare = p.size.saturating_sub(p.used);
                let message = || format!("{spare} bytes behind the last bone");
                let at = self.field(3, i, CLIP, 0x0c);
                self.report.warn(codes::W_ANIM_SLACK, &path.field("sz_frames"), at, message);
            }
            if streams.insert(identity(&clip.stream)) {
                self.stream(&path, &clip.stream, place);
            }
        }
    }

    fn stream(&mut self, path: &Path<'_>, stream: &Stream, place: Option<ListPlace>) {
        let path = path.field("frames");
        let mut at = place.map(|p| u64::from(p.at));
        for (bone, steps) in stream.bones().enumerate() {
            for step in steps {
                let words = step.words().into_iter().flatten();
                if words.clone().any(|w| w == ABSENT) {
                    let message = || "a payload of FFFFFFFF is read as no key";
                    self.report.warn(codes::W_ANIM_ABSENT, &path.index(bone), at, message);
                }
                if bone == 0 && step.has_key() {
                    let message = || "keys of bone 0 have no effect";
                    self.report.warn(codes::W_ANIM_BONE0, &path.index(0), at, message);
                }
                at = at.map(|a| a.saturating_add(step.size() as u64));
            }
            at = at.map(|a| a.saturating_add(1));
        }
    }

    fn layout(&mut self, layout: &Layout) {
        let model = self.model;
        let counts = [model.meshes.len(), model.lods.len(), model.bones.len(), model.clips.len()];
        let sizes = [MESH, LOD, BONE, CLIP];
        let mut coverage = Coverage::new();
        coverage.add(0, HEADER);
        let mut lists: Vec<(u32, u64, bool)> = Vec::new();
        for ((at, count), size) in layout.tables.iter().zip(counts).zip(sizes) {
            lists.push((*at, (count as u64).saturating_mul(size), true));
        }
        for mesh in &layout.meshes {
            lists.push((mesh.vertices.at, u64::from(mesh.vertices.size), true));
            lists.push((mesh.primitives.at, u64::from(mesh.primitives.size), true));
            lists
                .extend((mesh.material.at > 0).then(|| (mesh.material.at, string(mesh.material.len), false)));
        }
        for name in layout.bones.iter().filter(|b| b.at > 0) {
            lists.push((name.at, string(name.len), false));
        }
        for clip in &layout.clips {
            lists.push((clip.stream.at, u64::from(clip.stream.size), false));
            lists.extend((clip.name.at > 0).then(|| (clip.name.at, string(clip.name.len), false)));
        }
        for (at, size, aligned) in lists {
            coverage.add(u64::from(at), size);
            if aligned && size > 0 && at % 4 != 0 {
                let message = || format!("{size} bytes at {at:#x}, no multiple of 4");
                self.report.warn(codes::W_ALIGN, &Path::ROOT, Some(u64::from(at)), message);
            }
        }
        for (a, b) in coverage.overlaps() {
            let message = || format!("what starts here overlaps what starts at {a:#x}");
            self.report.warn(codes::W_OVERLAP, &Path::ROOT, Some(b), message);
        }
        let last = layout.gaps.runs().last();
        let last = last.filter(|(at, b)| at.saturating_add(b.len() as u64) == layout.len);
        if let Some((at, bytes)) = last.filter(|(_, b)| b.len() >= PADDING || b.iter().any(|b| *b != 0)) {
            let message = || format!("{} bytes behind the last structure", bytes.len());
            self.report.warn(codes::W_TRAILING, &Path::ROOT, Some(at), message);
        }
    }
}

/// Bytes of a string with its terminator.
fn string(len: u32) -> u64 {
    u64::from(len).saturating_add(1)
}

//! What is wrong with a DPM model.

use crate::decode;
use crate::layout::{BONE, FRAME, HEADER, Layout, MESH, MeshLayout};
use crate::model::{Bone, BonePose, Bounds, Dpm, Influence, Mesh, Name, Vertices};
use crate::read::{CORNERS, first_beyond, item};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::sync::Arc;
use meshwright_core::{F32, Path, Report, Severity};

/// How far the influences of a vertex may be from 1 in sum.
const SUM_TOLERANCE: f32 = 1.0e-3;

impl Dpm {
    /// Finds everything that is wrong with the model, with offsets where it came from a file.
    ///
    /// Errors are what a strict reader refuses. Warnings: `trailing-bytes`, `unterminated-name`,
    /// `duplicate-name`, `unknown-bone-flags`, `influence-sum`, `negative-influence`,
    /// `more-influences-than-bones`, `non-finite-bounds`, `non-finite-texcoord`, `misaligned-offset`,
    /// `table-in-header`. For information: `unreferenced-bytes`.
    ///
    /// Stored bounds are not compared with true ones: in most files they are wrong, and no engine minds.
    pub fn validate(&self) -> Report {
        let mut report = Report::new();
        self.find_errors(&mut report);
        let places = Places::of(self);
        self.warn_layout(&places, &mut report);
        warn_bounds(&self.bounds, &Path::ROOT, places.header(24), &mut report);
        warn_bones(&self.bones, |i| places.bone(i), 36, &mut report);
        self.warn_meshes(&places, &mut report);
        self.warn_frames(&places, &mut report);
        report
    }

    /// Everything that a strict reader refuses.
    pub(crate) fn find_errors(&self, report: &mut Report) {
        let root = Path::ROOT;
        let places = Places::of(self);
        for (empty, field, at, code) in [
            (self.bones.is_empty(), "bones", 56, "no-bones"),
            (self.meshes.is_empty(), "meshes", 60, "no-meshes"),
            (self.frames.is_empty(), "frames", 64, "no-frames"),
        ] {
            if empty {
                report.error(code, &root.field(field), places.header(at), || "there must be at least one");
            }
        }
        find_bad_parents(&self.bones, |i| places.bone(i), 32, report);
        self.find_mesh_errors(&places, report);
        self.find_pose_errors(&places, report);
    }

    fn find_mesh_errors(&self, places: &Places<'_>, report: &mut Report) {
        let table = Path::ROOT.field("meshes");
        let mut checked = BTreeSet::new();
        let mut greatest = BTreeMap::new();
        for (i, mesh) in self.meshes.iter().enumerate() {
            let path = table.index(i);
            let at = places.mesh(i);
            let verts = mesh.vertices.len();
            if checked.insert(Arc::as_ptr(&mesh.vertices)) {
                self.find_vertex_errors(&mesh.vertices, &path.field("verts"), at, report);
            }
            if mesh.texcoords.len() != verts {
                let message = || format!("{} for {verts} vertices", mesh.texcoords.len());
                report.error("bad-count", &path.field("texcoords"), None, message);
            }
            if mesh.groupids.len() != mesh.triangles.len() {
                let message = || format!("{} for {} triangles", mesh.groupids.len(), mesh.triangles.len());
                report.error("bad-count", &path.field("groupids"), None, message);
            }
            let max = *greatest
                .entry(Arc::as_ptr(&mesh.triangles))
                .or_insert_with(|| decode::max_index(&mesh.triangles));
            let limit = u32::try_from(verts).unwrap_or(u32::MAX);
            if max >= limit
                && let Some((t, corner, v)) = first_beyond(&mesh.triangles, limit)
            {
                let offset = at.map(|m| item(item(m.ofs_indices.into(), t, 12), corner, 4));
                let tris = path.field("tris");
                let tri = tris.index(t);
                let field = tri.field(CORNERS.get(corner).copied().unwrap_or_default());
                report.error("bad-vertex-index", &field, offset, || format!("index {v} of {verts} vertices"));
            }
        }
    }

    fn find_vertex_errors(
        &self,
        vertices: &Vertices,
        path: &Path<'_>,
        at: Option<&MeshLayout>,
        report: &mut Report,
    ) {
        let counted: u64 = vertices.counts.iter().map(|&c| u64::from(c)).sum();
        if counted != vertices.influences.len() as u64 {
            let message = || format!("counts sum up to {counted}, not {}", vertices.influences.len());
            report.error("bad-count", path, None, message);
        }
        let bones = u32::try_from(self.bones.len()).unwrap_or(u32::MAX);
        let unbound = vertices.counts.iter().fold(false, |bad, &c| bad | (c == 0));
        let seen = decode::seen(&vertices.influences);
        if !(unbound || seen.non_finite || seen.max_bone >= bones) {
            return;
        }
        for (vertex, influences, offset) in located(vertices, at) {
            let path = path.index(vertex);
            if influences.is_empty() {
                let message = || "a vertex needs at least one influence";
                report.error("no-influence", &path.field("numbones"), offset, message);
            }
            let list = path.field("bones");
            for (k, i) in influences.iter().enumerate() {
                let path = list.index(k);
                let start = offset.map(|o| item(o.saturating_add(4), k, Influence::SIZE));
                let at = |n: u64| start.map(|o| o.saturating_add(n));
                if i.bone >= bones {
                    let message = || format!("bone {} of {bones}", i.bone);
                    report.error("bad-bone-index", &path.field("bonenum"), at(28), message);
                }
                let fields: [(_, _, &[F32]); 3] = [
                    ("origin", 0, &i.origin),
                    ("influence", 12, core::slice::from_ref(&i.influence)),
                    ("normal", 16, &i.normal),
                ];
                for (field, ofs, values) in fields {
                    if let Some(bad) = values.iter().find(|f| !f.is_finite()) {
                        let message = || format!("{bad:?} is not finite");
                        report.error("non-finite", &path.field(field), at(ofs), message);
                    }
                }
            }
        }
    }

    fn find_pose_errors(&self, places: &Places<'_>, report: &mut Report) {
        let (bones, table) = (self.bones.len(), Path::ROOT.field("frames"));
        if bones == 0 {
            return;
        }
        let poses = Path::ROOT.field("poses");
        if !self.poses.len().is_multiple_of(bones) {
            let message = || format!("{} matrices for poses of {bones} bones", self.poses.len());
            report.error("bad-count", &poses, None, message);
        }
        let mut used = alloc::vec![None; self.pose_count()];
        for (i, frame) in self.frames.iter().enumerate() {
            match used.get_mut(frame.pose.0 as usize) {
                Some(user) => *user = user.or(Some(i)),
                None => {
                    let message = || format!("pose {} of {}", frame.pose.0, self.pose_count());
                    report.error("bad-pose-index", &table.index(i).field("pose"), places.frame(i), message);
                }
            }
        }
        if let Some(p) = used.iter().position(Option::is_none) {
            report.error("unused-pose", &poses.index(p), None, || "no frame has this pose");
        }
        if decode::poses_are_finite(&self.poses) {
            return;
        }
        for (p, pose) in self.poses.chunks(bones).enumerate().filter(|(_, p)| !decode::poses_are_finite(p)) {
            let path = table.index(used.get(p).copied().flatten().unwrap_or_default());
            let list = path.field("poses");
            for (b, matrix) in pose.iter().enumerate() {
                let elements = matrix.0.as_flattened();
                if let Some((e, bad)) = elements.iter().enumerate().find(|(_, v)| !v.is_finite()) {
                    let offset = places.pose(p).map(|o| item(item(o, b, BonePose::SIZE), e, 4));
                    let message = || format!("element {e} is {bad:?}, not finite");
                    report.error("non-finite", &list.index(b), offset, message);
                }
            }
        }
    }

    fn warn_layout(&self, places: &Places<'_>, report: &mut Report) {
        let Some(layout) = places.0 else { return };
        let root = Path::ROOT;
        let claimed = u64::from(layout.filesize);
        if layout.size > claimed {
            let extra = layout.size.saturating_sub(claimed);
            let message = || format!("{extra} bytes behind the stored size of {claimed}");
            report.warn("trailing-bytes", &root.field("filesize"), Some(20), message);
        }
        let inner = layout.gaps.runs().filter(|(at, _)| *at < claimed);
        for (at, bytes) in inner {
            let message = || format!("{} bytes that no structure refers to", bytes.len());
            report.add(Severity::Info, "unreferenced-bytes", &root, Some(at), message);
        }
        let mut offset = |field: &Path<'_>, at: u64, start: u32, len: u64| {
            if !start.is_multiple_of(4) {
                let message = || format!("{start:#x} is not a multiple of 4");
                report.warn("misaligned-offset", field, Some(at), message);
            }
            if u64::from(start) < HEADER && len > 0 {
                let message = || format!("{start:#x} is within the header");
                report.warn("table-in-header", field, Some(at), message);
            }
        };
        offset(&root.field("ofs_bones"), 68, layout.ofs_bones, layout.num_bones.into());
        offset(&root.field("ofs_meshs"), 72, layout.ofs_meshes, layout.meshes.len() as u64);
        offset(&root.field("ofs_frames"), 76, layout.ofs_frames, layout.num_frames.into());
        let table = root.field("meshes");
        for (i, m) in layout.meshes.iter().enumerate() {
            let path = table.index(i);
            let at = item(layout.ofs_meshes.into(), i, MESH);
            for (name, ofs, start, count) in [
                ("ofs_verts", 40, m.ofs_verts, m.num_verts),
                ("ofs_texcoords", 44, m.ofs_texcoords, m.num_verts),
                ("ofs_indices", 48, m.ofs_indices, m.num_tris),
                ("ofs_groupids", 52, m.ofs_groupids, m.num_tris),
            ] {
                offset(&path.field(name), at.saturating_add(ofs), start, count.into());
            }
        }
        let table = root.field("frames");
        for (i, frame) in self.frames.iter().enumerate() {
            let Some(&start) = layout.poses.get(frame.pose.0 as usize) else { continue };
            let at = item(layout.ofs_frames.into(), i, FRAME).saturating_add(64);
            offset(&table.index(i).field("ofs_bonepositions"), at, start, layout.num_bones.into());
        }
    }

    fn warn_meshes(&self, places: &Places<'_>, report: &mut Report) {
        let table = Path::ROOT.field("meshes");
        let (mut vertices, mut texcoords) = (BTreeSet::new(), BTreeSet::new());
        for (i, mesh) in self.meshes.iter().enumerate() {
            let path = table.index(i);
            warn_name(&mesh.shader, &path.field("shadername"), places.mesh_header(i), report);
            if vertices.insert(Arc::as_ptr(&mesh.vertices)) {
                self.warn_vertices(mesh, &path.field("verts"), places.mesh(i), report);
            }
            if texcoords.insert(Arc::as_ptr(&mesh.texcoords)) {
                let at = places.mesh(i).map(|m| u64::from(m.ofs_texcoords));
                warn_texcoords(&mesh.texcoords, &path.field("texcoords"), at, report);
            }
        }
    }

    fn warn_vertices(&self, mesh: &Mesh, path: &Path<'_>, at: Option<&MeshLayout>, report: &mut Report) {
        let bones = self.bones.len();
        let odd = |influences: &[Influence]| {
            let (mut sum, mut negative) = (0.0, false);
            for i in influences {
                sum += i.influence.get();
                negative |= i.influence.get() < 0.0;
            }
            negative | ((sum - 1.0_f32).abs() > SUM_TOLERANCE) | (influences.len() > bones)
        };
        // Nearly no vertex is odd: the offsets are computed only for a mesh that has one.
        if !mesh.vertices.iter().fold(false, |any, v| any | odd(v)) {
            return;
        }
        for (v, influences, offset) in located(&mesh.vertices, at).filter(|(_, i, _)| odd(i)) {
            let path = path.index(v);
            let sum: f32 = influences.iter().map(|i| i.influence.get()).sum();
            if (sum - 1.0).abs() > SUM_TOLERANCE {
                report.warn("influence-sum", &path, offset, || format!("influences sum up to {sum}, not 1"));
            }
            if influences.len() > bones {
                let message = || format!("{} influences, the model has {bones} bones", influences.len());
                report.warn("more-influences-than-bones", &path.field("numbones"), offset, message);
            }
            let list = path.field("bones");
            for (k, i) in influences.iter().enumerate().filter(|(_, i)| i.influence.get() < 0.0) {
                let at = offset.map(|o| item(o.saturating_add(16), k, Influence::SIZE));
                let path = list.index(k);
                let message = || format!("{:?} is negative", i.influence);
                report.warn("negative-influence", &path.field("influence"), at, message);
            }
        }
    }

    fn warn_frames(&self, places: &Places<'_>, report: &mut Report) {
        let table = Path::ROOT.field("frames");
        for (i, frame) in self.frames.iter().enumerate() {
            let path = table.index(i);
            let at = places.frame(i);
            warn_name(&frame.name, &path.field("name"), at, report);
            warn_bounds(&frame.bounds, &path, at.map(|o| o.saturating_add(32)), report);
        }
    }
}

/// Vertices with their numbers and, where they lie in a file, their offsets.
fn located<'a>(
    vertices: &'a Vertices,
    at: Option<&MeshLayout>,
) -> impl Iterator<Item = (usize, &'a [Influence], Option<u64>)> {
    let mut next = at.map(|m| u64::from(m.ofs_verts));
    vertices.iter().enumerate().map(move |(v, influences)| {
        let here = next;
        next = next.map(|o| item(o.saturating_add(4), influences.len(), Influence::SIZE));
        (v, influences, here)
    })
}

/// Bones of DPM and ZYM: their parents must come before them.
pub(crate) fn find_bad_parents(
    bones: &[Bone],
    at: impl Fn(usize) -> Option<u64>,
    field: u64,
    report: &mut Report,
) {
    let table = Path::ROOT.field("bones");
    for (i, bone) in bones.iter().enumerate() {
        if bone.parent < -1 || bone.parent().is_some_and(|p| p >= i) {
            let offset = at(i).map(|o| o.saturating_add(field));
            let message = || format!("parent {} of bone {i}", bone.parent);
            report.error("bad-parent", &table.index(i).field("parent"), offset, message);
        }
    }
}

/// What is odd with the bones of DPM and ZYM, whose flags lie `flags` bytes into a bone.
pub(crate) fn warn_bones(bones: &[Bone], at: impl Fn(usize) -> Option<u64>, flags: u64, report: &mut Report) {
    let table = Path::ROOT.field("bones");
    let mut first = BTreeMap::new();
    for (i, bone) in bones.iter().enumerate() {
        let path = table.index(i);
        warn_name(&bone.name, &path.field("name"), at(i), report);
        if bone.flags.unknown() != 0 {
            let offset = at(i).map(|o| o.saturating_add(flags));
            let message = || format!("{:?} has unknown bits", bone.flags);
            report.warn("unknown-bone-flags", &path.field("flags"), offset, message);
        }
        // Engines look names up without regard to case.
        let mut key = [0; 32];
        for (to, from) in key.iter_mut().zip(bone.name.bytes()) {
            *to = from.to_ascii_lowercase();
        }
        let earlier = *first.entry(key).or_insert(i);
        if earlier != i {
            let message = || format!("{} is the name of bone {earlier} too", bone.name);
            report.warn("duplicate-name", &path.field("name"), at(i), message);
        }
    }
}

pub(crate) fn warn_name(name: &Name, path: &Path<'_>, at: Option<u64>, report: &mut Report) {
    if !name.is_terminated() {
        report.warn("unterminated-name", path, at, || format!("{name} fills all 32 bytes"));
    }
}

fn warn_bounds(bounds: &Bounds, path: &Path<'_>, at: Option<u64>, report: &mut Report) {
    const FIELDS: [&str; 8] = ["mins", "mins", "mins", "maxs", "maxs", "maxs", "yawradius", "allradius"];
    if !decode::any_non_finite(bounds.values()) {
        return;
    }
    for ((i, value), field) in bounds.values().enumerate().zip(FIELDS).filter(|((_, v), _)| !v.is_finite()) {
        let offset = at.map(|o| item(o, i, 4));
        report.warn("non-finite-bounds", &path.field(field), offset, || format!("{value:?} is not finite"));
    }
}

pub(crate) fn warn_texcoords(texcoords: &[[F32; 2]], path: &Path<'_>, at: Option<u64>, report: &mut Report) {
    if !decode::any_non_finite(texcoords.as_flattened().iter().copied()) {
        return;
    }
    for (v, pair) in texcoords.iter().enumerate() {
        if let Some(bad) = pair.iter().find(|f| !f.is_finite()) {
            let message = || format!("{bad:?} is not finite");
            report.warn("non-finite-texcoord", &path.index(v), at.map(|o| item(o, v, 8)), message);
        }
    }
}

/// Offsets of a model's parts in the file it came from; none where it was built or has changed in size.
struct Places<'a>(Option<&'a Layout>);

impl<'a> Places<'a> {
    fn of(model: &'a Dpm) -> Self {
        Self(model.layout.get().filter(|layout| layout.fits(model)))
    }

    fn header(&self, field: u64) -> Option<u64> {
        self.0.map(|_| field)
    }

    fn bone(&self, i: usize) -> Option<u64> {
        self.0.map(|l| item(l.ofs_bones.into(), i, BONE))
    }

    fn mesh_header(&self, i: usize) -> Option<u64> {
        self.0.map(|l| item(l.ofs_meshes.into(), i, MESH))
    }

    fn mesh(&self, i: usize) -> Option<&'a MeshLayout> {
        self.0?.meshes.get(i)
    }

    fn frame(&self, i: usize) -> Option<u64> {
        self.0.map(|l| item(l.ofs_frames.into(), i, FRAME))
    }

    fn pose(&self, p: usize) -> Option<u64> {
        self.0?.poses.get(p).map(|&o| o.into())
    }
}

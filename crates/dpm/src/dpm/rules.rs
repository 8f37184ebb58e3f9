//! The rules of a DPM file. Reading, writing and validation check the same rules.

use super::decode;
use super::layout::MeshLayout;
use super::model::{Dpm, Frame, Influence, Mesh, Vertices};
use super::plan::Places;
use super::record::{bone, bounds, frame, header, influence, mesh, vertex};
use super::winding::Winding;
use crate::bone::{Bone, BonePose};
use crate::decode::{InfluenceSummary, max_index, poses_are_finite};
use crate::record::item;
use crate::rules::{
    self, BoneFields, check_bone_index, check_bones, check_bounds, check_finite, check_name, check_parents,
    check_pose, check_start, check_texcoords, check_triangles, joined,
};
use alloc::format;
use alloc::sync::Arc;
use meshwright_core::record::Field;
use meshwright_core::{FieldPath, Findings, ReadError, Report, Rule, SortedMap, SortedSet};

mod own {
    meshwright_core::rules! {
        error NO_BONES = "no-bones", Missing [Refuses],
            "The model has no bone, so that nothing can move its vertices; engines refuse it.",
            "Add a root bone.";
        error NO_MESHES = "no-meshes", Missing [Refuses],
            "The model has no mesh; engines refuse it for having no geometry.",
            "Add a mesh.";
        error NO_FRAMES = "no-frames", Missing [Refuses],
            "The model has no frame, so that its bones have no pose; engines refuse it.",
            "Add a frame with the pose that the skeleton was bound in.";
        forgivable NO_INFLUENCE = "no-influence", Missing [Misshown],
            "A vertex has no bone, so that engines draw it at the origin.",
            "Hang it from a bone.";
        error POSE_INDEX = "bad-pose-index", BadReference,
            "A frame has a pose that is not there.",
            "Point it at a pose that is there, or add the pose.";
        error UNUSED_POSE = "unused-pose", Unused [Ignored],
            "No frame has one of the poses, and only frames say where poses are.",
            "Remove the pose, or add a frame that has it.";
        warning INFLUENCE_SUM = "influence-sum", NotNormalized [Misshown],
            "The influences of a vertex do not sum to 1, so that it shrinks towards the origin or away from it.",
            "Divide origins, normals and influences of the vertex by the sum.";
        warning NEGATIVE_INFLUENCE = "negative-influence", NotNormalized [Misshown],
            "A bone pushes a vertex away; not every program keeps negative weights.",
            "Bind the vertex again with weights from 0 to 1.";
        warning CROWDED = "more-influences-than-bones", Duplicate [Ignored],
            "A vertex has more influences than there are bones, so that some of them name the same bone.",
            "Add up the influences of one bone.";
        info WINDING = "winding", Degenerate [Misshown],
            "Triangles are wound against the normals of their corners: they are drawn from one side and lit from the other.",
            "If the model looks inside out, reverse the triangles or the normals.";
    }
}
pub(crate) use own::*;

/// All rules of a DPM file.
pub(crate) const RULES: &[&Rule] =
    &joined::<{ rules::RULES.len() + own::RULES.len() }>(rules::RULES, own::RULES);

/// The maximum difference of a vertex's weight sum from 1.
const SUM_TOLERANCE: f32 = 1.0e-3;

const BONE: BoneFields =
    BoneFields { name: bone::NAME, parent: bone::PARENT, flags: bone::FLAGS, size: bone::SIZE };

type Checked = Result<(), ReadError>;

impl Dpm {
    /// Reports every broken rule, with offsets if the model came from a file.
    ///
    /// Errors are rules that a strict reader enforces. Warnings: `trailing-bytes`, `unterminated-name`,
    /// `duplicate-name`, `unknown-bone-flags`, `influence-sum`, `negative-influence`,
    /// `more-influences-than-bones`, `non-finite-bounds`, `non-finite-texcoord`, `misaligned-offset`,
    /// `table-in-header`. For information: `unreferenced-bytes`, `winding`.
    ///
    /// Stored bounds are not compared with the actual ones: in most files they are wrong, and no engine uses
    /// them.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        // Validation does not stop at an error.
        let _ = check(self, &mut findings).and_then(|()| check_oddities(self, &mut findings));
        findings.into_report()
    }
}

/// Checks the rules that a strict reader enforces.
pub(crate) fn check(model: &Dpm, findings: &mut Findings) -> Checked {
    let places = Places::locate(model);
    check_tables(
        [model.bones.len(), model.meshes.len(), model.frames.len()],
        |f| places.header(f),
        findings,
    )?;
    if let Some(layout) = places.0 {
        layout.extent().check_size(findings)?;
        layout.extent().check_end(layout.end(), findings)?;
    }
    check_bone_tree(&model.bones, places.bones(), findings)?;
    check_meshes(model, &places, findings)?;
    check_poses(model, &places, findings)
}

/// Checks that there are bones, meshes and frames.
pub(crate) fn check_tables(
    counts: [usize; 3],
    at: impl Fn(Field) -> Option<u64>,
    findings: &mut Findings,
) -> Checked {
    let tables =
        [(NO_BONES, header::NUM_BONES), (NO_MESHES, header::NUM_MESHES), (NO_FRAMES, header::NUM_FRAMES)];
    for ((rule, field), _) in tables.into_iter().zip(counts).filter(|(_, n)| *n == 0) {
        findings.broken(rule, &field.path(&FieldPath::ROOT), at(field), || "is 0, must be at least 1")?;
    }
    Ok(())
}

/// Checks that parents come before their children. `start` is the offset of the bone table.
pub(crate) fn check_bone_tree(bones: &[Bone], start: Option<u64>, findings: &mut Findings) -> Checked {
    check_parents(bones, &BONE, start, findings)
}

fn check_meshes(model: &Dpm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let table = FieldPath::ROOT.field("meshes");
    let mut checked = SortedSet::new();
    let mut greatest = SortedMap::new();
    for (i, mesh) in model.meshes.iter().enumerate() {
        let path = table.index(i);
        let (verts, tris) = (mesh.vertices.len(), mesh.triangles.len());
        if checked.insert(Arc::as_ptr(&mesh.vertices)) {
            let start = places.section(i, |m| m.ofs_verts);
            check_vertices(&mesh.vertices, model.bones.len(), &path.field("verts"), start, findings)?;
        }
        check_length("texcoords", mesh.texcoords.len(), verts, &path, findings)?;
        check_length("groupids", mesh.groupids.len(), tris, &path, findings)?;
        let max = *greatest.entry(Arc::as_ptr(&mesh.triangles)).or_insert_with(|| max_index(&mesh.triangles));
        let start = places.section(i, |m| m.ofs_indices);
        check_triangles(&mesh.triangles, max, verts, &path.field("tris"), start, findings)?;
    }
    Ok(())
}

fn check_length(
    list: &'static str,
    found: usize,
    expected: usize,
    mesh: &FieldPath<'_>,
    findings: &mut Findings,
) -> Checked {
    if found == expected {
        return Ok(());
    }
    findings.broken(rules::BAD_COUNT, &mesh.field(list), None, || format!("{found}, {expected} expected"))
}

/// Checks the vertices of a model; `start` is their offset in a file. A reader checks them in blocks instead.
fn check_vertices(
    vertices: &Vertices,
    bones: usize,
    path: &FieldPath<'_>,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    let counted: u64 = vertices.counts.iter().map(|&c| u64::from(c)).sum();
    let found = vertices.influences.len();
    if counted != found as u64 {
        let message = || format!("counts sum to {counted}, not {found}");
        findings.broken(rules::BAD_COUNT, path, None, message)?;
    }
    if vertices.counts.iter().fold(false, |any, &c| any | (c == 0)) {
        for (v, influences, at) in located(vertices, start) {
            check_count(influences.len() as u64, &path.index(v), at, findings)?;
        }
    }
    check_influences(vertices, decode::summarize(&vertices.influences), bones, path, start, findings)
}

/// Checks that a vertex has a bone. `at` is the offset of the vertex.
pub(crate) fn check_count(
    count: u64,
    vertex: &FieldPath<'_>,
    at: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    if count > 0 {
        return Ok(());
    }
    let at = at.map(|o| vertex::NUM_BONES.offset_in(o));
    let message = || "a vertex needs at least one influence";
    findings.broken(NO_INFLUENCE, &vertex::NUM_BONES.path(vertex), at, message)
}

/// Checks influences. `seen` is a summary that shows whether a search for faults is necessary.
pub(crate) fn check_influences(
    vertices: &Vertices,
    seen: InfluenceSummary,
    bones: usize,
    path: &FieldPath<'_>,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    if seen.is_sound(bones) {
        return Ok(());
    }
    for (v, influences, at) in located(vertices, start) {
        let vertex = path.index(v);
        let list = vertex.field("bones");
        for (k, i) in influences.iter().enumerate() {
            let path = list.index(k);
            let start = at.map(|o| influence_at(o, k));
            let at = |field: Field| start.map(|o| field.offset_in(o));
            let bone = influence::BONE;
            check_bone_index(i.bone, bones, &bone.path(&path), at(bone), findings)?;
            let weight = core::slice::from_ref(&i.influence);
            let fields: [(_, &[_]); 3] = [
                (influence::ORIGIN, &i.origin),
                (influence::INFLUENCE, weight),
                (influence::NORMAL, &i.normal),
            ];
            for (field, values) in fields {
                check_finite(values, &field.path(&path), at(field), findings)?;
            }
        }
    }
    Ok(())
}

/// Returns the offset of influence `k` of the vertex at `vertex`.
const fn influence_at(vertex: u64, k: usize) -> u64 {
    item(item(vertex, 1, vertex::SIZE), k, influence::SIZE)
}

/// Iterates over vertices with their indices and, for a file, their offsets.
fn located(
    vertices: &Vertices,
    start: Option<u64>,
) -> impl Iterator<Item = (usize, &[Influence], Option<u64>)> {
    let mut next = start;
    vertices.iter().enumerate().map(move |(v, influences)| {
        let here = next;
        next = next.map(|o| influence_at(o, influences.len()));
        (v, influences, here)
    })
}

fn check_poses(model: &Dpm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let (bones, all, table) = (model.bones.len(), model.poses.len(), FieldPath::ROOT.field("frames"));
    if bones == 0 {
        return Ok(());
    }
    let poses = FieldPath::ROOT.field("poses");
    if !all.is_multiple_of(bones) {
        let message = || format!("{all} matrices for poses of {bones} bones");
        findings.broken(rules::BAD_COUNT, &poses, None, message)?;
    }
    let count = model.pose_count();
    let mut used = alloc::vec![false; count];
    for (i, frame) in model.frames.iter().enumerate() {
        match used.get_mut(frame.pose.0 as usize) {
            Some(used) => *used = true,
            None => {
                let message = || format!("pose {} of {count}", frame.pose.0);
                let at = places.frame(i).map(|o| frame::OFS_POSE.offset_in(o));
                findings.broken(POSE_INDEX, &table.index(i).field("pose"), at, message)?;
            }
        }
    }
    if let Some(p) = used.iter().position(|used| !used) {
        findings.broken(UNUSED_POSE, &poses.index(p), None, || "no frame has this pose")?;
    }
    if poses_are_finite(&model.poses) {
        return Ok(());
    }
    check_finite_poses(&model.frames, &model.poses, bones, |p| places.pose(p), findings)
}

/// The memory of [`check_finite_poses`] for each pose.
pub(crate) const POSE_USER: usize = size_of::<usize>();

/// Reports the transforms that are not finite. `at` returns the offset of a pose in a file.
pub(crate) fn check_finite_poses(
    frames: &[Frame],
    poses: &[BonePose],
    bones: usize,
    at: impl Fn(usize) -> Option<u64>,
    findings: &mut Findings,
) -> Checked {
    // A pose is reported under the first frame that uses it.
    let poses = poses.chunks(bones.max(1));
    let mut users = alloc::vec![0; poses.len()];
    for (i, frame) in frames.iter().enumerate().rev() {
        if let Some(user) = users.get_mut(frame.pose.0 as usize) {
            *user = i;
        }
    }
    let table = FieldPath::ROOT.field("frames");
    for ((p, pose), user) in poses.enumerate().zip(users) {
        if !poses_are_finite(pose) {
            check_pose(pose, &table.index(user).field("poses"), at(p), findings)?;
        }
    }
    Ok(())
}

/// Checks values that engines accept.
fn check_oddities(model: &Dpm, findings: &mut Findings) -> Checked {
    let places = Places::locate(model);
    check_layout(model, &places, findings)?;
    let at = places.header(header::BOUNDS);
    check_bounds(model.bounds.values(), bounds::FIELDS, &FieldPath::ROOT, at, findings)?;
    check_bones(&model.bones, &BONE, places.bones(), findings)?;
    odd_meshes(model, &places, findings)?;
    let meshes = FieldPath::ROOT.field("meshes");
    for (i, Winding { against, seen }) in model.windings() {
        let message = || format!("{against} of {seen} triangles are wound against their own normals");
        let at = places.section(i, |m| m.ofs_indices);
        findings.broken(WINDING, &meshes.index(i).field("tris"), at, message)?;
    }
    if decode::frames_are_plain(&model.frames) {
        return Ok(());
    }
    let table = FieldPath::ROOT.field("frames");
    for (i, frame) in model.frames.iter().enumerate() {
        let path = table.index(i);
        let at = |field: Field| places.frame(i).map(|o| field.offset_in(o));
        check_name(&frame.name, &frame::NAME.path(&path), at(frame::NAME), findings)?;
        check_bounds(frame.bounds.values(), bounds::FIELDS, &path, at(frame::BOUNDS), findings)?;
    }
    Ok(())
}

fn check_layout(model: &Dpm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let Some(layout) = places.0 else { return Ok(()) };
    layout.extent().check_rest(&layout.gaps, findings)?;
    let root = FieldPath::ROOT;
    let mut check = |field: Field, of: &FieldPath<'_>, record: u64, start: u32, count: u32| {
        check_start(
            start,
            (count == 0, true),
            header::SIZE,
            &field.path(of),
            field.offset_in(record),
            findings,
        )
    };
    let meshes = u32::try_from(layout.meshes.len()).unwrap_or(u32::MAX);
    check(header::OFS_BONES, &root, 0, layout.ofs_bones, layout.num_bones)?;
    check(header::OFS_MESHES, &root, 0, layout.ofs_meshes, meshes)?;
    check(header::OFS_FRAMES, &root, 0, layout.ofs_frames, layout.num_frames)?;
    let table = root.field("meshes");
    for (i, m) in layout.meshes.iter().enumerate() {
        let (path, at) = (table.index(i), item(layout.ofs_meshes.into(), i, mesh::SIZE));
        check(mesh::OFS_VERTS, &path, at, m.ofs_verts, m.num_verts)?;
        check(mesh::OFS_TEXCOORDS, &path, at, m.ofs_texcoords, m.num_verts)?;
        check(mesh::OFS_INDICES, &path, at, m.ofs_indices, m.num_tris)?;
        check(mesh::OFS_GROUPIDS, &path, at, m.ofs_groupids, m.num_tris)?;
    }
    let table = root.field("frames");
    for (i, frame) in model.frames.iter().enumerate() {
        let Some(&start) = layout.poses.get(frame.pose.0 as usize) else { continue };
        let at = item(layout.ofs_frames.into(), i, frame::SIZE);
        check(frame::OFS_POSE, &table.index(i), at, start, layout.num_bones)?;
    }
    Ok(())
}

fn odd_meshes(model: &Dpm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let table = FieldPath::ROOT.field("meshes");
    let (mut vertices, mut texcoords) = (SortedSet::new(), SortedSet::new());
    for (i, mesh) in model.meshes.iter().enumerate() {
        let path = table.index(i);
        let at = places.mesh_header(i).map(|o| mesh::SHADER.offset_in(o));
        check_name(&mesh.shader, &mesh::SHADER.path(&path), at, findings)?;
        let start = |offset: fn(&MeshLayout) -> u32| places.section(i, offset);
        if vertices.insert(Arc::as_ptr(&mesh.vertices)) {
            odd_vertices(mesh, model.bones.len(), &path.field("verts"), start(|m| m.ofs_verts), findings)?;
        }
        if texcoords.insert(Arc::as_ptr(&mesh.texcoords)) {
            let start = start(|m| m.ofs_texcoords);
            check_texcoords(&mesh.texcoords, &path.field("texcoords"), start, findings)?;
        }
    }
    Ok(())
}

fn odd_vertices(
    mesh: &Mesh,
    bones: usize,
    path: &FieldPath<'_>,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    // Offsets are computed only for meshes with an odd vertex, because there are few.
    if !decode::some_odd(&mesh.vertices, bones, SUM_TOLERANCE) {
        return Ok(());
    }
    let odd = |influences: &[Influence]| decode::is_odd(influences, bones, SUM_TOLERANCE);
    for (v, influences, at) in located(&mesh.vertices, start).filter(|(_, i, _)| odd(i)) {
        let path = path.index(v);
        let sum: f32 = influences.iter().map(|i| i.influence.get()).sum();
        if (sum - 1.0).abs() > SUM_TOLERANCE {
            findings.broken(INFLUENCE_SUM, &path, at, || format!("influences sum to {sum}, not 1"))?;
        }
        if influences.len() > bones {
            let message = || format!("{} influences, the model has {bones} bones", influences.len());
            let field = vertex::NUM_BONES;
            findings.broken(CROWDED, &field.path(&path), at.map(|o| field.offset_in(o)), message)?;
        }
        let list = path.field("bones");
        for (k, i) in influences.iter().enumerate().filter(|(_, i)| i.influence.get() < 0.0) {
            let field = influence::INFLUENCE;
            let at = at.map(|o| field.offset_in(influence_at(o, k)));
            let message = || format!("{:?} is negative", i.influence);
            findings.broken(NEGATIVE_INFLUENCE, &field.path(&list.index(k)), at, message)?;
        }
    }
    Ok(())
}

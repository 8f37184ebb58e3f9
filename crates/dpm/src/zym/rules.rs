//! The rules of a ZYM file. Reading, writing and validation check the same rules.

use super::decode;
use super::model::{Zym, ZymInfluence, ZymScene};
use super::plan::Places;
use super::record::{LUMPS, bone, bounds, header, lump, scene, vertex};
use crate::bone::{Bone, BonePose};
use crate::decode::{InfluenceSummary, max_index, poses_are_finite};
use crate::record::{WORD, item, length, matrix, name, triangle};
use crate::rules::{
    self, BoneFields, check_bone_index, check_bones, check_bounds, check_finite, check_name, check_parents,
    check_pose, check_start, check_texcoords, check_triangles, joined,
};
use alloc::format;
use meshwright_core::record::Field;
use meshwright_core::{FieldPath, Findings, ReadError, Report, Rule};

mod own {
    meshwright_core::rules! {
        error TOO_FEW = "bad-count", BadCount [Refuses],
            "A model needs 3 vertices, a triangle, a shader, a bone and a scene; engines refuse less.",
            "Add what is missing.";
        error LUMP_SIZE = "bad-lump-size", BadSize,
            "The length of a lump does not agree with the number of its items.",
            "Correct the length or the count that the header states.";
        error SCENE_RANGE = "bad-scene", BadReference,
            "A scene has poses that are not there, or none at all.",
            "Correct its start and its length.";
        error SCENE_RATE = "bad-scene", BadValue,
            "The rate of a scene is negative, infinite or no number.",
            "Set a rate of 0 or more poses per second.";
        error NO_INFLUENCE = "no-influence", Missing [Refuses],
            "A vertex has no bone; engines refuse the model.",
            "Hang it from a bone.";
        forgivable SEVERAL = "several-influences", Compatibility [Refuses],
            "A vertex has several bones: DarkPlaces refuses the model, FTE gives each bone the same share.",
            "Keep the bone that the vertex follows most, or write a DPM.";
        error RENDER = "bad-render", BadCount [Refuses],
            "The triangles of the shaders are not as many as the header states.",
            "Correct the counts.";
        warning SCENE_FLAGS = "unknown-scene-flags", BadValue [Ignored],
            "A scene has flags without a known meaning.",
            "Nothing needs to be done: the flags are kept and engines ignore them.";
    }
}
pub(crate) use own::*;

/// All rules of a ZYM file.
pub(crate) const RULES: &[&Rule] =
    &joined::<{ rules::RULES.len() + own::RULES.len() }>(rules::RULES, own::RULES);

const BONE: BoneFields =
    BoneFields { name: bone::NAME, parent: bone::PARENT, flags: bone::FLAGS, size: bone::SIZE };

type Checked = Result<(), ReadError>;

impl Zym {
    /// Reports every broken rule, with offsets if the model came from a file.
    ///
    /// Errors are rules that a strict reader enforces. Warnings: `trailing-bytes`, `unterminated-name`,
    /// `duplicate-name`, `unknown-bone-flags`, `unknown-scene-flags`, `non-finite-bounds`,
    /// `non-finite-texcoord`, `misaligned-offset`, `table-in-header`. For information: `unreferenced-bytes`.
    pub fn validate(&self) -> Report {
        let mut findings = Findings::validating();
        // These findings never end the check.
        let _ = check(self, &mut findings).and_then(|()| check_oddities(self, &mut findings));
        findings.into_report()
    }
}

/// Checks the rules that a strict reader enforces.
pub(crate) fn check(model: &Zym, findings: &mut Findings) -> Checked {
    let places = Places::locate(model);
    let triangles = model.triangle_count();
    let counts = [model.counts.len(), triangles, model.runs.len(), model.bones.len(), model.scenes.len()];
    let counts = counts.map(|n| i64::try_from(n).unwrap_or(i64::MAX));
    check_counts(counts, |field| places.header(field), findings)?;
    if let Some(layout) = places.0 {
        layout.extent().check_size(findings)?;
        layout.extent().check_end(layout.end(), findings)?;
    }
    let bones = model.bones.len();
    let at = places.header(header::POSES).map(|o| lump::LENGTH.offset_in(o));
    check_pose_count(length(model.poses.len(), matrix::SIZE), bones, at, findings)?;
    if !poses_are_finite(&model.poses) {
        check_poses(&model.poses, bones, places.lump(header::POSES), findings)?;
    }
    let table = FieldPath::ROOT.field("scenes");
    for (i, scene) in model.scenes.iter().enumerate() {
        let at = places.item(header::SCENES, i, scene::SIZE);
        check_scene(scene, model.pose_count() as u64, &table.index(i), at, findings)?;
    }
    check_bone_tree(&model.bones, places.lump(header::BONES), findings)?;
    check_vertices(model, &places, findings)?;
    let counted = model.counts.iter().map(|&c| u64::from(c)).sum();
    for (what, found, expected) in [
        ("verts", model.influences.len(), counted),
        ("texcoords", model.texcoords.len(), model.counts.len() as u64),
        ("trizone", model.trizone.len(), triangles as u64),
    ] {
        if found as u64 != expected {
            let message = || format!("{found}, {expected} expected");
            findings.broken(rules::BAD_COUNT, &FieldPath::ROOT.field(what), None, message)?;
        }
    }
    let mut start = places.lump(header::RENDER);
    for (i, run) in model.runs.iter().enumerate() {
        start = start.map(|o| item(o, 1, WORD));
        check_run(i, &run.triangles, max_index(&run.triangles), model.counts.len(), start, findings)?;
        start = start.map(|o| item(o, run.triangles.len(), triangle::SIZE));
    }
    Ok(())
}

/// Checks that there are vertices, triangles, shaders, bones and scenes.
pub(crate) fn check_counts(
    counts: [i64; 5],
    at: impl Fn(Field) -> Option<u64>,
    findings: &mut Findings,
) -> Checked {
    let least = [
        (header::NUM_VERTS, 3),
        (header::NUM_TRIS, 1),
        (header::NUM_SHADERS, 1),
        (header::NUM_BONES, 1),
        (header::NUM_SCENES, 1),
    ];
    for ((field, least), n) in least.into_iter().zip(counts).filter(|((_, least), n)| n < least) {
        let message = || format!("is {n}, must be at least {least}");
        findings.broken(TOO_FEW, &field.path(&FieldPath::ROOT), at(field), message)?;
    }
    Ok(())
}

/// Checks that the lump of poses, `len` bytes long, has at least one pose and only whole ones. `at` is the
/// offset of the lump's length.
pub(crate) fn check_pose_count(len: u64, bones: usize, at: Option<u64>, findings: &mut Findings) -> Checked {
    let pose = length(bones, matrix::SIZE);
    if len > 0 && len.is_multiple_of(pose.max(1)) {
        return Ok(());
    }
    let message = || format!("{len} bytes, a positive multiple of {pose} expected");
    findings.broken(LUMP_SIZE, &header::POSES.path(&FieldPath::ROOT), at, message)
}

/// Reports the transforms that are not finite.
pub(crate) fn check_poses(
    poses: &[BonePose],
    bones: usize,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    let table = FieldPath::ROOT.field("poses");
    let bones = bones.max(1);
    for (p, pose) in poses.chunks(bones).enumerate().filter(|(_, pose)| !poses_are_finite(pose)) {
        let at = start.map(|o| item(o, p, matrix::SIZE.saturating_mul(bones)));
        check_pose(pose, &table.index(p), at, findings)?;
    }
    Ok(())
}

/// Checks that a scene has a valid range of poses, and a valid rate.
pub(crate) fn check_scene(
    scene: &ZymScene,
    poses: u64,
    path: &FieldPath<'_>,
    at: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    let (start, length) = (scene.start, scene.length);
    let at = |field: Field| at.map(|o| field.offset_in(o));
    let left = poses.saturating_sub(start.into());
    if left == 0 {
        let message = || format!("starts at pose {} of {poses}", start.cast_signed());
        findings.broken(SCENE_RANGE, &scene::START.path(path), at(scene::START), message)?;
    } else if length < 1 || u64::from(length) > left {
        let message = || format!("{} poses from pose {start} of {poses}", length.cast_signed());
        findings.broken(SCENE_RANGE, &scene::LENGTH.path(path), at(scene::LENGTH), message)?;
    }
    let rate = scene.framerate;
    if !(rate.is_finite() && rate.get() >= 0.0) {
        let message = || format!("{rate:?} is no rate");
        findings.broken(SCENE_RATE, &scene::FRAMERATE.path(path), at(scene::FRAMERATE), message)?;
    }
    Ok(())
}

/// Checks that parents come before their children. `start` is the offset of the bone table.
pub(crate) fn check_bone_tree(bones: &[Bone], start: Option<u64>, findings: &mut Findings) -> Checked {
    check_parents(bones, &BONE, start, findings)
}

fn check_vertices(model: &Zym, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let start = places.lump(header::COUNTS);
    check_positive(&model.counts, start, findings)?;
    check_single(&model.counts, start, findings)?;
    let (seen, start) = (decode::summarize(&model.influences), places.lump(header::VERTS));
    check_influences(&model.influences, seen, model.bones.len(), start, findings)
}

/// Checks that every vertex has a bone. `start` is the offset of the counts.
pub(crate) fn check_positive(counts: &[u32], start: Option<u64>, findings: &mut Findings) -> Checked {
    let table = FieldPath::ROOT.field("vertbonecounts");
    for (i, count) in counts.iter().enumerate().filter(|(_, c)| c.cast_signed() < 1) {
        let message = || format!("is {}, must be at least 1", count.cast_signed());
        findings.broken(NO_INFLUENCE, &table.index(i), start.map(|o| item(o, i, WORD)), message)?;
    }
    Ok(())
}

/// Checks that no vertex has several bones. `start` is the offset of the counts.
pub(crate) fn check_single(counts: &[u32], start: Option<u64>, findings: &mut Findings) -> Checked {
    let table = FieldPath::ROOT.field("vertbonecounts");
    for (i, count) in counts.iter().enumerate().filter(|(_, c)| c.cast_signed() > 1) {
        let message = || format!("{count} bones, no engine but FTE reads more than 1");
        findings.broken(SEVERAL, &table.index(i), start.map(|o| item(o, i, WORD)), message)?;
    }
    Ok(())
}

/// Checks influences. `seen` is a summary that shows whether a search for faults is necessary.
pub(crate) fn check_influences(
    influences: &[ZymInfluence],
    seen: InfluenceSummary,
    bones: usize,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    if seen.is_sound(bones) {
        return Ok(());
    }
    let table = FieldPath::ROOT.field("verts");
    for (i, influence) in influences.iter().enumerate() {
        let path = table.index(i);
        let at = |field: Field| start.map(|o| field.offset_in(item(o, i, vertex::SIZE)));
        let (number, origin) = (vertex::BONE, vertex::ORIGIN);
        check_bone_index(influence.bone, bones, &number.path(&path), at(number), findings)?;
        check_finite(&influence.origin, &origin.path(&path), at(origin), findings)?;
    }
    Ok(())
}

/// Checks that the vertices of shader `i`'s triangles exist. `start` is the offset of the triangles.
pub(crate) fn check_run(
    i: usize,
    triangles: &[[u32; 3]],
    max: u32,
    vertices: usize,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    let table = FieldPath::ROOT.field("render");
    check_triangles(triangles, max, vertices, &table.index(i).field("tris"), start, findings)
}

/// Checks values that engines accept.
fn check_oddities(model: &Zym, findings: &mut Findings) -> Checked {
    let places = Places::locate(model);
    let root = FieldPath::ROOT;
    if let Some(layout) = places.0 {
        layout.extent().check_rest(&layout.gaps, findings)?;
        for (field, &(start, len)) in LUMPS.into_iter().zip(&layout.lumps) {
            let words = field != header::TRIZONE;
            check_start(
                start,
                (len == 0, words),
                header::SIZE,
                &field.path(&root),
                field.offset_in(0),
                findings,
            )?;
        }
    }
    let at = places.header(header::BOUNDS);
    check_bounds(model.bounds.values(), bounds::FIELDS, &root, at, findings)?;
    let table = root.field("scenes");
    for (i, scene) in model.scenes.iter().enumerate() {
        let path = table.index(i);
        let at = |field: Field| places.item(header::SCENES, i, scene::SIZE).map(|o| field.offset_in(o));
        check_name(&scene.name, &scene::NAME.path(&path), at(scene::NAME), findings)?;
        check_bounds(scene.bounds.values(), bounds::FIELDS, &path, at(scene::BOUNDS), findings)?;
        if scene.flags.unknown() != 0 {
            let message = || format!("{:?} has unknown bits", scene.flags);
            findings.broken(SCENE_FLAGS, &scene::FLAGS.path(&path), at(scene::FLAGS), message)?;
        }
    }
    check_bones(&model.bones, &BONE, places.lump(header::BONES), findings)?;
    let start = places.lump(header::TEXCOORDS);
    check_texcoords(&model.texcoords, &root.field("texcoords"), start, findings)?;
    let table = root.field("shaders");
    for (i, run) in model.runs.iter().enumerate() {
        let at = places.item(header::SHADERS, i, name::SIZE);
        check_name(&run.shader, &table.index(i), at, findings)?;
    }
    Ok(())
}

//! The rules that DPM and ZYM share. Reading, writing and validation check the same rules.

use crate::bone::{Bone, BonePose, Name};
use crate::bone_order::parents_first;
use crate::record::{WORD, item, matrix, texcoord, triangle};
use alloc::format;
use meshwright_core::layout::Gaps;
use meshwright_core::record::Field;
use meshwright_core::{Codes, F32, FieldPath, Findings, ReadError, Rule, SortedMap, bulk};

meshwright_core::rules! {
    error MAGIC = "bad-magic", BadMagic [Refuses],
        "The file does not begin with the letters of its format.",
        "Nothing can be repaired: the file is of another format, or its beginning is lost.";
    error TYPE = "bad-type", BadValue [Refuses],
        "The file is of a type that was never defined; engines refuse it.",
        "Look for another program's format under the same extension.";
    error SHORT = "out-of-file", Truncated [Unchecked],
        "The file ends within a field, or a section is outside of it.",
        "Get a complete copy; what is missing cannot be rebuilt.";
    error COUNT = "out-of-file", BadCount [Unchecked],
        "A table claims more items than the file has room for.",
        "Get a complete copy, or correct the count.";
    error LIMIT = "limit", Limit [NoEngine],
        "Reading on would take more memory than the caller allows.",
        "Allow more memory, if the file is trusted.";
    forgivable TRUNCATED = "truncated", Truncated [Unchecked],
        "The file is shorter than its header says.",
        "Get a complete copy, or write the model again with a new layout.";
    forgivable BEHIND_END = "out-of-file", OutOfBounds [Ignored],
        "Sections are after the size that the header states.",
        "Correct the stored size, or write the model again with a new layout.";
    forgivable PARENT_ORDER = "bad-parent", BadHierarchy [Refuses],
        "A bone does not come after its parent; engines refuse the model.",
        "Sort the bones so that parents come first: a lenient reader does, and what it read can be written.";
    error PARENT_CIRCLE = "bad-parent", BadHierarchy [Refuses],
        "A bone is its own ancestor; engines refuse the model.",
        "Hang one of the bones from another.";
    error PARENT_MISSING = "bad-parent", BadReference [Refuses],
        "The parent of a bone does not exist; engines refuse the model.",
        "Hang it from a bone that is there.";
    forgivable PARENT_BELOW = "bad-parent", BadReference [Refuses],
        "The number of a bone's parent is below -1; DarkPlaces takes the bone for a root, other engines refuse it.",
        "Set the parent to -1.";
    error BONE_INDEX = "bad-bone-index", BadReference [Unchecked],
        "The bone of a vertex does not exist; engines crash or draw garbage.",
        "Point it at a bone that is there.";
    error VERTEX_INDEX = "bad-vertex-index", BadReference [Tolerated],
        "A triangle has a vertex that is not there; DarkPlaces takes the first one of the mesh instead.",
        "Remove the triangle, or point it at a vertex that is there.";
    forgivable NON_FINITE = "non-finite", NonFinite [Misshown],
        "A position, weight, normal or transform is infinite or no number, so that nothing sensible can be drawn.",
        "Replace the number, or export the model again.";
    error BAD_COUNT = "bad-count", BadCount [NoEngine],
        "Lists that belong together are not of one length.",
        "Give each vertex and each triangle what belongs to it.";
    warning TRAILING = "trailing-bytes", Unused [Ignored],
        "Bytes follow the end that the header states; engines do not read them.",
        "Cut them off, if nothing else is known to use them.";
    info UNREFERENCED = "unreferenced-bytes", Unused [Ignored],
        "No structure refers to some bytes of the file; they are kept.",
        "Nothing needs to be done.";
    warning MISALIGNED = "misaligned-offset", Misaligned [Ignored],
        "An offset is no multiple of 4, which no known tool writes; readers that cast pointers may fail on it.",
        "Write the model again with a new layout.";
    warning IN_HEADER = "table-in-header", Overlap [Ignored],
        "A section begins within the header.",
        "Check the offset; write the model again with a new layout if its content is right.";
    warning UNTERMINATED = "unterminated-name", BadName [Unchecked],
        "A name fills its field, so that programs that expect its end read past it.",
        "Shorten it to 31 bytes.";
    warning DUPLICATE_NAME = "duplicate-name", Duplicate [Tolerated],
        "Two bones have one name but for upper and lower case; engines find the first of them only.",
        "Rename one of them.";
    warning BONE_FLAGS = "unknown-bone-flags", BadValue [Ignored],
        "A bone has flags without a known meaning.",
        "Nothing needs to be done: the flags are kept and engines ignore them.";
    warning BOUNDS = "non-finite-bounds", NonFinite [Misshown],
        "Stored bounds are infinite or no number; engines that rely on them may never draw the model.",
        "Compute the bounds again.";
    warning TEXCOORD = "non-finite-texcoord", NonFinite [Unchecked],
        "A texture coordinate is infinite or no number; 0 is taken where the model is converted.",
        "Replace it.";
}

pub(crate) const CODES: Codes = Codes { short: SHORT, count: COUNT, limit: LIMIT };

/// Joins two lists of rules.
#[allow(clippy::indexing_slicing, clippy::arithmetic_side_effects, reason = "evaluated at compile time")]
pub(crate) const fn joined<const N: usize>(a: &[&'static Rule], b: &[&'static Rule]) -> [&'static Rule; N] {
    assert!(a.len() + b.len() == N, "the length of both lists");
    let mut all = [a[0]; N];
    let mut i = 0;
    while i < N {
        all[i] = if i < a.len() { a[i] } else { b[i - a.len()] };
        i += 1;
    }
    all
}

type Checked = Result<(), ReadError>;

/// The size of a file according to its header, and its actual size.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    /// The header's field with the size.
    pub field: Field,
    /// The stated size.
    pub claimed: u32,
    /// The actual size.
    pub size: u64,
}

impl Extent {
    /// Checks that the file is at least as long as its header states.
    pub(crate) fn check_size(&self, findings: &mut Findings) -> Checked {
        let Self { field, claimed, size } = *self;
        if u64::from(claimed) <= size {
            return Ok(());
        }
        let message = || format!("the header says {claimed} bytes, the file has {size}");
        findings.broken(TRUNCATED, &field.path(&FieldPath::ROOT), field.offset_in(0), message)
    }

    /// Checks that sections up to `end` are within the stated size of the file.
    pub(crate) fn check_end(&self, end: u64, findings: &mut Findings) -> Checked {
        let Self { field, claimed, size } = *self;
        let stated = u64::from(claimed);
        if end <= stated || stated > size {
            return Ok(());
        }
        let message = || format!("sections end at {end:#x}, after the stored size of {claimed} bytes");
        findings.broken(BEHIND_END, &field.path(&FieldPath::ROOT), field.offset_in(0), message)
    }

    /// Checks the bytes between and after the sections.
    pub(crate) fn check_rest(&self, gaps: &Gaps, findings: &mut Findings) -> Checked {
        let Self { field, claimed, size } = *self;
        let stated = u64::from(claimed);
        if size > stated {
            let extra = size.saturating_sub(stated);
            let message = || format!("{extra} bytes after the stored size of {claimed}");
            findings.broken(TRAILING, &field.path(&FieldPath::ROOT), field.offset_in(0), message)?;
        }
        for (at, bytes) in gaps.runs().filter(|(at, _)| *at < stated) {
            let message = || format!("{} bytes that no structure refers to", bytes.len());
            findings.broken(UNREFERENCED, &FieldPath::ROOT, at, message)?;
        }
        Ok(())
    }
}

/// Checks the start of a section: it is after the header and, unless the section holds bytes, at a multiple
/// of 4.
pub(crate) fn check_start(
    start: u32,
    (is_empty, of_words): (bool, bool),
    header: usize,
    path: &FieldPath<'_>,
    at: u64,
    findings: &mut Findings,
) -> Checked {
    if of_words && !start.is_multiple_of(4) {
        findings.broken(MISALIGNED, path, at, || format!("{start:#x} is not a multiple of 4"))?;
    }
    if u64::from(start) < header as u64 && !is_empty {
        findings.broken(IN_HEADER, path, at, || format!("{start:#x} is within the header"))?;
    }
    Ok(())
}

/// The fields of a bone, whose order differs between DPM and ZYM.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoneFields {
    pub name: Field,
    pub parent: Field,
    pub flags: Field,
    pub size: usize,
}

/// Checks that parents come before their children. `start` is the offset of the bone table.
pub(crate) fn check_parents(
    bones: &[Bone],
    fields: &BoneFields,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    let table = FieldPath::ROOT.field("bones");
    let mut broken = |rule, i: usize, fault: &str| {
        let path = table.index(i);
        let at = start.map(|o| fields.parent.offset_in(item(o, i, fields.size)));
        let number = bones.get(i).map_or(0, |b| b.parent);
        let message = || format!("parent {number} of bone {i} is {fault}");
        findings.broken(rule, &fields.parent.path(&path), at, message)
    };
    let (mut in_order, mut is_tree) = (true, true);
    for (i, bone) in bones.iter().enumerate() {
        let rule = match bone.parent() {
            Some(parent) if parent >= bones.len() => PARENT_MISSING,
            Some(parent) if parent == i => PARENT_CIRCLE,
            Some(parent) if parent > i => {
                in_order = false;
                PARENT_ORDER
            }
            None if bone.parent < -1 => {
                broken(PARENT_BELOW, i, "below -1")?;
                continue;
            }
            _ => continue,
        };
        is_tree &= rule == PARENT_ORDER;
        broken(rule, i, "not before it")?;
    }
    if let (false, true, Err(bone)) = (in_order, is_tree, parents_first(bones)) {
        broken(PARENT_CIRCLE, bone, "after it, but is its parent")?;
    }
    Ok(())
}

/// Checks for warnings about bones that engines accept. `start` is the offset of the bone table.
pub(crate) fn check_bones(
    bones: &[Bone],
    fields: &BoneFields,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    let table = FieldPath::ROOT.field("bones");
    let mut first = SortedMap::new();
    for (i, bone) in bones.iter().enumerate() {
        let path = table.index(i);
        let at = |field: Field| start.map(|o| field.offset_in(item(o, i, fields.size)));
        check_name(&bone.name, &fields.name.path(&path), at(fields.name), findings)?;
        if bone.flags.unknown() != 0 {
            let message = || format!("{:?} has unknown bits", bone.flags);
            findings.broken(BONE_FLAGS, &fields.flags.path(&path), at(fields.flags), message)?;
        }
        // Engines compare names ignoring case.
        let mut key = [0; crate::record::name::SIZE];
        for (to, from) in key.iter_mut().zip(bone.name.bytes()) {
            *to = from.to_ascii_lowercase();
        }
        let earlier = *first.entry(key).or_insert(i);
        if earlier != i {
            let message = || format!("{} is the name of bone {earlier} too", bone.name);
            findings.broken(DUPLICATE_NAME, &fields.name.path(&path), at(fields.name), message)?;
        }
    }
    Ok(())
}

/// Checks that a name is terminated.
pub(crate) fn check_name(
    name: &Name,
    path: &FieldPath<'_>,
    at: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    if name.is_terminated() {
        return Ok(());
    }
    findings.broken(UNTERMINATED, path, at, || format!("{name} fills all {} bytes", name.raw().len()))
}

/// Reports the transforms of a pose that are not finite.
pub(crate) fn check_pose(
    pose: &[BonePose],
    path: &FieldPath<'_>,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    for (bone, transform) in pose.iter().enumerate() {
        let elements = transform.0.as_flattened();
        if let Some((e, value)) = elements.iter().enumerate().find(|(_, v)| !v.is_finite()) {
            let at = start.map(|o| item(item(o, bone, matrix::SIZE), e, WORD));
            let message = || format!("element {e} is {value:?}, not finite");
            findings.broken(NON_FINITE, &path.index(bone), at, message)?;
        }
    }
    Ok(())
}

/// Checks that the bone of a vertex is one of `bones`.
pub(crate) fn check_bone_index(
    bone: u32,
    bones: usize,
    path: &FieldPath<'_>,
    at: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    if (bone as usize) < bones {
        return Ok(());
    }
    findings.broken(BONE_INDEX, path, at, || format!("bone {} of {bones}", bone.cast_signed()))
}

/// Checks that the numbers of a field are finite.
pub(crate) fn check_finite(
    values: &[F32],
    path: &FieldPath<'_>,
    at: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    match values.iter().find(|f| !f.is_finite()) {
        Some(bad) => findings.broken(NON_FINITE, path, at, || format!("{bad:?} is not finite")),
        None => Ok(()),
    }
}

/// Checks that the vertices of triangles exist and reports the first one that does not. `max` is the largest
/// vertex index.
pub(crate) fn check_triangles(
    triangles: &[[u32; 3]],
    max: u32,
    vertices: usize,
    path: &FieldPath<'_>,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    if triangles.is_empty() || (max as usize) < vertices {
        return Ok(());
    }
    let beyond = |v: &u32| *v as usize >= vertices;
    let first = triangles.iter().enumerate().find_map(|(t, corners)| {
        let (v, field) = corners.iter().zip(triangle::FIELDS).find(|(v, _)| beyond(v))?;
        Some((t, *v, *field))
    });
    let Some((t, v, field)) = first else { return Ok(()) };
    let path = path.index(t);
    let at = start.map(|o| field.offset_in(item(o, t, triangle::SIZE)));
    findings.broken(VERTEX_INDEX, &field.path(&path), at, || format!("index {v} of {vertices} vertices"))
}

/// Checks that texture coordinates are finite.
pub(crate) fn check_texcoords(
    texcoords: &[[F32; 2]],
    path: &FieldPath<'_>,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    if bulk::all_finite(texcoords.as_flattened()) {
        return Ok(());
    }
    for (v, pair) in texcoords.iter().enumerate() {
        if let Some(bad) = pair.iter().find(|f| !f.is_finite()) {
            let at = start.map(|o| item(o, v, texcoord::SIZE));
            findings.broken(TEXCOORD, &path.index(v), at, || format!("{bad:?} is not finite"))?;
        }
    }
    Ok(())
}

/// Checks that bounds are finite. `values` are in the order of `fields`, each of which may have several.
pub(crate) fn check_bounds(
    values: impl Iterator<Item = F32> + Clone,
    fields: &[Field],
    path: &FieldPath<'_>,
    start: Option<u64>,
    findings: &mut Findings,
) -> Checked {
    if values.clone().all(F32::is_finite) {
        return Ok(());
    }
    let places = fields.iter().flat_map(|f| (0..f.width).step_by(WORD).map(move |within| (f, within)));
    for ((field, within), value) in places.zip(values).filter(|(_, v)| !v.is_finite()) {
        let at = start.map(|o| item(field.offset_in(o), within, 1));
        findings.broken(BOUNDS, &field.path(path), at, || format!("{value:?} is not finite"))?;
    }
    Ok(())
}

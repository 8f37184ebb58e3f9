//! The rules of a geometry.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "components of a vector; sums of 32-bit fields in 64 bits; one flag per vertex in memory"
)]

use super::model::{Binding, Geometry, Mesh, Total};
use super::offsets::{Finder, Places, Spot};
use super::record::{GEOMETRY, binding, pull, vertex};
use crate::fields::wide;
use crate::rules::{self, all_rules, some};
use crate::skel::Skel;
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::record::Field;
use meshwright_core::{F32, FieldPath, Findings, Place, ReadError, Report, Rule, SortedMap};

meshwright_core::rules! {
    forgivable FACE_INDEX = "face-index" ("E_FACE_INDEX"), BadReference [Unchecked],
        "A corner of a triangle names a real vertex that does not exist.",
        "Remove the triangle or correct the index.";
    forgivable BINDING_BONE = "binding-bone" ("E_BINDING_BONE"), BadReference [Tolerated],
        "A binding names a bone that the mesh does not list.",
        "Correct the index; FreeSO takes the last bone instead, as lenient reading does.";
    forgivable BINDING_DUP = "duplicate-binding" ("E_BINDING_DUP"), Duplicate [Tolerated],
        "Two bindings belong to the same bone.",
        "Join them, or give one of them another bone; some programs read only the first.";
    forgivable BINDING_RANGE = "binding-range" ("E_BINDING_RANGE"), OutOfBounds [Unchecked],
        "A binding covers real vertices after the last one.",
        "Correct its first vertex or its count.";
    forgivable BINDING_OVERLAP = "binding-overlap" ("E_BINDING_OVERLAP"), Overlap [Unchecked],
        "Two bindings cover the same real vertex.",
        "Correct the run of one of them; lenient reading uses the first.";
    forgivable BINDING_GAP = "binding-gap" ("E_BINDING_GAP"), Missing [Unchecked],
        "Real vertices belong to no binding, so that no bone moves them.",
        "Extend a binding over them; lenient reading gives them to the first.";
    forgivable BLEND_RANGE = "blend-range" ("E_BLEND_RANGE"), OutOfBounds [Unchecked],
        "A binding covers blend vertices after the last one.",
        "Correct its first blend vertex or its count.";
    forgivable BLEND_OVERLAP = "blend-overlap" ("E_BLEND_OVERLAP"), Overlap [Unchecked],
        "Two bindings cover the same blend vertex.",
        "Correct the run of one of them; lenient reading uses the first.";
    forgivable BLEND_GAP = "blend-gap" ("E_BLEND_GAP"), Missing [Ignored],
        "Blend vertices belong to no binding and so have no effect.",
        "Extend a binding over them or remove them.";
    forgivable BLEND_VERTEX = "blend-vertex-index" ("E_BLEND_VERTEX"), BadReference [Unchecked],
        "A blend vertex pulls at a real vertex that does not exist.",
        "Correct the index or remove the blend vertex; Niotso writes outside its memory.";
    forgivable WEIGHT = "blend-weight" ("E_WEIGHT"), BadValue [Unchecked],
        "The weight of a blend vertex is above 0x8000, which means 1.",
        "Set it to 0x8000, as lenient reading does.";
    forgivable TOTAL = "total-count" ("E_TOTAL"), BadCount [Unchecked],
        "The number of all vertices equals neither the number of real and blend vertices nor that of real vertices.",
        "Set it to the number of real and blend vertices; otherwise Niotso reads the wrong bytes.";
    warning BLEND_NORMALS = "blend-normals" ("W_BLEND_NORMALS"), Degenerate [Misshown],
        "The normals of blend vertices differ from those of the vertices that they pull, as in all bodies that \
         Maxis exported.",
        "Nothing needs to be done: vertices are shaded by their own normals, unless blend normals are asked for.";
    warning TOTAL_REAL_ONLY = "total-real-only" ("W_TOTAL_REAL_ONLY"), BadCount [Unchecked],
        "The number of all vertices does not count the blend vertices, as in files that FreeSO writes.",
        "Count the blend vertices too: Niotso leaves them unread.";
    warning NORMAL_LENGTH = "normal-length" ("W_NORMAL_LENGTH"), NotNormalized [Misshown],
        "Normals are not of length 1; FreeSO's exporter makes them 3 long.",
        "Divide them by their length, as the game does when it draws.";
    warning WEIGHT_ZERO = "zero-weight" ("W_WEIGHT_ZERO"), Unused [Ignored],
        "A blend vertex has weight 0 and no effect.",
        "Remove it; FreeSO writes such vertices if a weight is too small for the format.";
    warning VERTEX_UNUSED = "unused-vertices" ("W_VERTEX_UNUSED"), Unused [Ignored],
        "A vertex is not part of any triangle.",
        "Remove it.";
    warning FACE_DEGENERATE = "degenerate-triangle" ("W_FACE_DEGENERATE"), Degenerate [Misshown],
        "Two corners of a triangle are the same vertex, so it has no area.",
        "Remove the triangle.";
    warning BINDING_EMPTY = "empty-binding" ("W_BINDING_EMPTY"), Unused [Ignored],
        "A binding has neither real nor blend vertices.",
        "Remove it with its bone.";
    warning BINDING_COUNT = "binding-count" ("W_BINDING_COUNT"), BadCount,
        "The number of bindings differs from the number of bones.",
        "Give each bone one binding, as all known files do.";
    warning BLEND_MULTI = "several-blends" ("W_BLEND_MULTI"), Compatibility [Tolerated],
        "Several blend vertices pull at one real vertex.",
        "Keep the strongest: FreeSO uses only the last one.";
    info BLEND_SAME_BONE = "blend-same-bone" ("W_BLEND_SAME_BONE"), Compatibility [Ignored],
        "A blend vertex pulls at a real vertex of its own bone, which has no effect.",
        "Nothing needs to be done; the bodies of The Sims 1 have a few.";
    warning NORMAL_FACES = "normals-against-faces" ("W_NORMAL_FACES"), BadValue [Misshown],
        "Normals do not match the faces around them, so the mesh is lit from the wrong side; an importer of FreeSO \
         did not rotate them.",
        "Compute them from the faces; conversion does so with --recompute-normals.";
}

all_rules!(
    RULES,
    &[
        some::VERSION,
        some::NOT_FINITE,
        some::BONE_NAME_DUP,
        some::BONE_MISSING,
        some::TYPE_ID,
        some::EXTENSION
    ]
);

/// Largest difference of a normal's length from 1 that is not reported.
const NORMAL_TOLERANCE: f64 = 1e-3;

impl Mesh {
    /// Checks the mesh: broken rules are errors, oddities are warnings. Offsets are those of the written file, which
    /// for an unchanged mesh is the file that was read.
    pub fn validate(&self) -> Report {
        rules::report(|findings| mesh(self, findings))
    }
}

/// Checks the rules of a `.mesh`. Returns the end of its last field.
pub(crate) fn mesh(mesh: &Mesh, findings: &mut Findings) -> Result<u64, ReadError> {
    let places = Places::Binary(GEOMETRY);
    let end = places.finder(&mesh.geometry).end();
    geometry(&mesh.geometry, &places, findings)?;
    rules::trailing(&mesh.trailing, end, findings)?;
    remarks(&mesh.geometry, &places, findings)?;
    Ok(end)
}

impl Geometry {
    /// Warns of bones that the skeleton lacks, and of blend normals that belong to other vertices.
    pub fn validate_with(&self, skeleton: &Skel) -> Report {
        let (mut findings, path) = (Findings::validating(), FieldPath::ROOT.field("bones"));
        for (i, (name, bone)) in self.bones.iter().zip(skeleton.find_all(&self.bones)).enumerate() {
            if bone.is_none() {
                let message = || format!("the skeleton has no bone {:?}", name.text());
                let _ = findings.broken(some::BONE_MISSING, &path.index(i), None, message);
            }
        }
        let apart = self.normals_apart(skeleton).filter(|degrees| *degrees > NORMALS_APART);
        if let Some(degrees) = apart {
            let path = FieldPath::ROOT.field("blends");
            let message =
                || format!("the normals are {degrees:.0} degrees off those of the vertices that they pull");
            let _ = findings.broken(BLEND_NORMALS, &path, None, message);
        }
        findings.into_report()
    }
}

/// Largest angle between the normals of a blend vertex and its target, in degrees. A larger one means that the normal
/// belongs to another vertex.
const NORMALS_APART: f64 = 10.0;

/// Checks the rules whose violations are errors.
pub(crate) fn geometry(g: &Geometry, places: &Places, findings: &mut Findings) -> Result<(), ReadError> {
    let find = places.finder(g);
    faces(g, &find, findings)?;
    bindings(g, &find, findings)?;
    runs(g, &find, findings, &REAL_RUNS)?;
    runs(g, &find, findings, &BLEND_RUNS)?;
    blends(g, &find, findings)?;
    total(g, &find, findings)?;
    finite(g, &find, findings)
}

/// Returns the memory of the checks.
pub(crate) fn memory(g: &Geometry) -> u64 {
    wide(g.bones.len()).saturating_add(wide(g.bindings.len()).saturating_mul(size_of::<Run>() as u64))
}

/// The start, the end and the binding of a run.
type Run = (u64, u64, usize);

fn faces(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let (root, n) = (FieldPath::ROOT, g.real.len());
    let path = root.field("faces");
    for (i, face) in g.faces.iter().enumerate() {
        for (corner, &v) in face.iter().enumerate() {
            if wide(n) <= u64::from(v) {
                let path = path.index(i);
                findings.broken(
                    FACE_INDEX,
                    &path.index(corner),
                    find.offset_of(Spot::Face(i, corner)),
                    || format!("index {v} of {n} real vertices"),
                )?;
            }
        }
    }
    Ok(())
}

fn bindings(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let (root, bones) = (FieldPath::ROOT, g.bones.len());
    let path = root.field("bindings");
    let mut seen = alloc::vec![false; bones];
    for (i, b) in g.bindings.iter().enumerate() {
        let (at, bone) = (find.offset_of(Spot::Binding(i, binding::BONE)), b.bone);
        let path = path.index(i);
        let path = binding::BONE.path(&path);
        match usize::try_from(bone).ok().and_then(|b| seen.get_mut(b)) {
            None => findings.broken(BINDING_BONE, &path, at, || format!("index {bone} of {bones} bones"))?,
            Some(true) => {
                findings.broken(BINDING_DUP, &path, at, || format!("bone {bone} is bound before"))?;
            }
            Some(new) => *new = true,
        }
    }
    Ok(())
}

/// Real or blend vertices, which bindings divide among bones.
struct Runs {
    noun: &'static str,
    first: Field,
    table: &'static str,
    range: &'static Rule,
    overlap: &'static Rule,
    gap: &'static Rule,
    of: fn(&Binding) -> (u32, u32),
    len: fn(&Geometry) -> usize,
}

const REAL_RUNS: Runs = Runs {
    noun: "real",
    first: binding::FIRST_REAL,
    table: "real",
    range: BINDING_RANGE,
    overlap: BINDING_OVERLAP,
    gap: BINDING_GAP,
    of: |b| (b.first_real, b.real_count),
    len: |g| g.real.len(),
};

const BLEND_RUNS: Runs = Runs {
    noun: "blend",
    first: binding::FIRST_BLEND,
    table: "blends",
    range: BLEND_RANGE,
    overlap: BLEND_OVERLAP,
    gap: BLEND_GAP,
    of: |b| (b.first_blend, b.blend_count),
    len: |g| g.blends.len(),
};

/// Checks that the runs of one kind contain each vertex once, in any order.
fn runs(g: &Geometry, find: &Finder<'_>, findings: &mut Findings, kind: &Runs) -> Result<(), ReadError> {
    let (root, noun, n) = (FieldPath::ROOT, kind.noun, wide((kind.len)(g)));
    let table = root.field("bindings");
    let mut runs: Vec<Run> = Vec::with_capacity(g.bindings.len());
    for (i, b) in g.bindings.iter().enumerate() {
        let (first, count) = (kind.of)(b);
        if count == 0 {
            continue;
        }
        let (from, to) = (u64::from(first), u64::from(first) + u64::from(count));
        if to > n {
            let path = table.index(i);
            findings.broken(
                kind.range,
                &kind.first.path(&path),
                find.offset_of(Spot::Binding(i, kind.first)),
                || format!("{count} vertices from {first} on, there are {n} {noun} vertices"),
            )?;
        }
        runs.push((from.min(n), to.min(n), i));
    }
    runs.order();
    // Overlaps are reported before gaps: a run with a wrong start causes both, but the overlap shows the wrong number.
    let mut end = 0;
    for &(from, to, i) in &runs {
        if from < end && to > from {
            let path = table.index(i);
            findings.broken(
                kind.overlap,
                &kind.first.path(&path),
                find.offset_of(Spot::Binding(i, kind.first)),
                || format!("{noun} vertex {from} belongs to another binding"),
            )?;
        }
        end = end.max(to);
    }
    end = 0;
    for &(from, to, _) in runs.iter().chain([&(n, n, usize::MAX)]) {
        if from > end {
            let path = root.field(kind.table);
            let vertex = path.index(usize::try_from(end).unwrap_or(usize::MAX));
            let last = from - 1;
            findings.broken(kind.gap, &vertex, find.offset_of(Spot::Bindings), || {
                format!("{noun} vertices {end} to {last} belong to no binding")
            })?;
        }
        end = end.max(to);
    }
    Ok(())
}

fn blends(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let (root, n) = (FieldPath::ROOT, g.real.len());
    let path = root.field("blends");
    for (i, blend) in g.blends.iter().enumerate() {
        let (weight, target) = (blend.weight, blend.target);
        let path = path.index(i);
        if wide(n) <= u64::from(target) {
            let at = find.offset_of(Spot::Pull(i, pull::TARGET));
            findings.broken(BLEND_VERTEX, &pull::TARGET.path(&path), at, || {
                format!("index {target} of {n} real vertices")
            })?;
        }
        if !weight.is_valid() {
            let at = find.offset_of(Spot::Pull(i, pull::WEIGHT));
            findings.broken(WEIGHT, &pull::WEIGHT.path(&path), at, || format!("{weight:?} is above 1"))?;
        }
    }
    Ok(())
}

fn total(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let Total::Other(stored) = g.total else { return Ok(()) };
    let (real, blend) = (g.real.len(), g.blends.len());
    findings.broken(TOTAL, &FieldPath::ROOT.field("total"), find.offset_of(Spot::Total), || {
        format!("{stored} vertices stated, the mesh has {real} real and {blend} blend vertices")
    })
}

fn finite(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let bad = |values: &[F32]| values.iter().position(|v| !v.is_finite());
    let mut report = |table: &'static str, i: usize, what: &'static str, value: F32, spot: Spot| {
        let root = FieldPath::ROOT;
        let path = root.field(table);
        let path = path.index(i);
        rules::not_finite(value, &path.field(what), find.offset_of(spot), findings)
    };
    for (i, v) in g.real.iter().enumerate() {
        if let Some(c) = bad(&v.uv) {
            report("real", i, "uv", v.uv[c], Spot::Uv(i, c))?;
        }
        for (f, values) in [(vertex::POSITION, &v.position), (vertex::NORMAL, &v.normal)] {
            if let Some(c) = bad(values) {
                report("real", i, f.name, values[c], Spot::Real(i, f, c))?;
            }
        }
    }
    for (i, v) in g.blends.iter().enumerate() {
        for (f, values) in [(vertex::POSITION, &v.position), (vertex::NORMAL, &v.normal)] {
            if let Some(c) = bad(values) {
                report("blends", i, f.name, values[c], Spot::Blend(i, f, c))?;
            }
        }
    }
    Ok(())
}

/// Warns about values that break no rule. Only validation calls it.
pub(crate) fn remarks(g: &Geometry, places: &Places, findings: &mut Findings) -> Result<(), ReadError> {
    if !findings.is_validating() {
        return Ok(());
    }
    let find = places.finder(g);
    odd_names(g, places, findings)?;
    odd_faces(g, &find, findings)?;
    odd_bindings(g, &find, findings)?;
    odd_blends(g, &find, findings)?;
    if g.total == Total::RealOnly {
        findings.broken(
            TOTAL_REAL_ONLY,
            &FieldPath::ROOT.field("total"),
            find.offset_of(Spot::Total),
            || {
                format!(
                    "counts the {} real vertices, not the {} blend vertices",
                    g.real.len(),
                    g.blends.len()
                )
            },
        )?;
    }
    odd_normals(g, &find, findings)?;
    odd_facing(g, &find, findings)
}

fn odd_names(g: &Geometry, places: &Places, findings: &mut Findings) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("bones");
    let mut names = SortedMap::new();
    for (i, (name, at)) in g.bones.iter().zip(places.names(g)).enumerate() {
        let path = path.index(i);
        rules::name(name, &path, at, findings)?;
        let first = *names.entry(name.bytes().to_ascii_lowercase()).or_insert(i);
        if first != i {
            findings.broken(some::BONE_NAME_DUP, &path, at, || {
                format!("{name} is the name of bone {first} too")
            })?;
        }
    }
    Ok(())
}

fn odd_faces(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let (root, mut used) = (FieldPath::ROOT, alloc::vec![false; g.real.len()]);
    let path = root.field("faces");
    for (i, &[a, b, c]) in g.faces.iter().enumerate() {
        for v in [a, b, c] {
            if let Some(used) = usize::try_from(v).ok().and_then(|v| used.get_mut(v)) {
                *used = true;
            }
        }
        if a == b || b == c || c == a {
            findings.broken(FACE_DEGENERATE, &path.index(i), find.offset_of(Spot::Face(i, 0)), || {
                format!("two corners of [{a}, {b}, {c}] are the same")
            })?;
        }
    }
    let path = root.field("real");
    for (i, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
        let at = find.offset_of(Spot::Real(i, vertex::POSITION, 0));
        findings.broken(VERTEX_UNUSED, &path.index(i), at, || "no triangle uses this vertex")?;
    }
    Ok(())
}

fn odd_bindings(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("bindings");
    if g.bindings.len() != g.bones.len() {
        findings.broken(BINDING_COUNT, &path, find.offset_of(Spot::Bindings), || {
            format!("{} bindings for {} bones", g.bindings.len(), g.bones.len())
        })?;
    }
    for (i, b) in g.bindings.iter().enumerate() {
        if b.real_count == 0 && b.blend_count == 0 {
            let at = find.offset_of(Spot::Binding(i, binding::BONE));
            findings.broken(BINDING_EMPTY, &path.index(i), at, || "the binding has no vertices")?;
        }
    }
    Ok(())
}

fn odd_blends(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let path = FieldPath::ROOT.field("blends");
    let owners = g.owners();
    let mut pulled = alloc::vec![false; g.real.len()];
    let mut at_home: Option<(usize, u32, usize)> = None;
    for (i, blend) in g.blends.iter().enumerate() {
        let (path, target) = (path.index(i), blend.target);
        let at = |f: Field| Place::from(find.offset_of(Spot::Pull(i, f)));
        if blend.weight.to_bits() == 0 {
            findings.broken(WEIGHT_ZERO, &pull::WEIGHT.path(&path), at(pull::WEIGHT), || {
                format!("has no effect on real vertex {target}")
            })?;
        }
        let Some(real) = usize::try_from(target).ok().filter(|t| *t < g.real.len()) else { continue };
        if core::mem::replace(&mut pulled[real], true) {
            findings.broken(BLEND_MULTI, &pull::TARGET.path(&path), at(pull::TARGET), || {
                format!("real vertex {target} is blended more than once")
            })?;
        }
        let bone = owners.blends.get(i).copied().flatten();
        if bone.is_some() && bone == owners.real.get(real).copied().flatten() {
            at_home.get_or_insert((i, target, 0)).2 += 1;
        }
    }
    let Some((i, target, n)) = at_home else { return Ok(()) };
    let (path, at) = (path.index(i), find.offset_of(Spot::Pull(i, pull::TARGET)));
    findings.broken(BLEND_SAME_BONE, &pull::TARGET.path(&path), at, || {
        format!("real vertex {target} is on the same bone; {n} of {} blend vertices in all", g.blends.len())
    })
}

/// Reports one finding for all faces with wrong normals.
fn odd_facing(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let facing = g.facing();
    let Some(i) = facing.first.filter(|_| facing.disagrees()) else { return Ok(()) };
    let path = FieldPath::ROOT.field("faces");
    findings.broken(NORMAL_FACES, &path.index(i), find.offset_of(Spot::Face(i, 0)), || format!("{facing}"))
}

/// Reports one finding for all normals: in real files, either all of them have another length or none.
fn odd_normals(g: &Geometry, find: &Finder<'_>, findings: &mut Findings) -> Result<(), ReadError> {
    let (low, high) = (1.0 - NORMAL_TOLERANCE, 1.0 + NORMAL_TOLERANCE);
    let is_odd = |normal: [F32; 3]| {
        let square: f64 = normal.map(F32::get).map(f64::from).iter().map(|c| c * c).sum();
        !(low * low..=high * high).contains(&square)
    };
    let (mut first, mut n) = (None, 0);
    let mut check = |table, i, normal| {
        if is_odd(normal) {
            first.get_or_insert((table, i, normal));
            n += 1;
        }
    };
    for (i, v) in g.real.iter().enumerate() {
        check("real", i, v.normal);
    }
    for (i, v) in g.blends.iter().enumerate() {
        check("blends", i, v.normal);
    }
    let Some((table, i, [x, y, z])) = first else { return Ok(()) };
    let spot = match table {
        "real" => Spot::Real(i, vertex::NORMAL, 0),
        _ => Spot::Blend(i, vertex::NORMAL, 0),
    };
    let path = FieldPath::ROOT.field(table);
    let path = path.index(i);
    findings.broken(NORMAL_LENGTH, &vertex::NORMAL.path(&path), find.offset_of(spot), || {
        let all = wide(g.real.len()).saturating_add(wide(g.blends.len()));
        format!("[{x:?}, {y:?}, {z:?}] is not of length 1, nor are {n} of {all} normals in all")
    })
}

//! The rules that a geometry must keep.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "components of a vector; sums of 32-bit fields in 64 bits"
)]

use super::model::{Geometry, Total};
use super::places::{Field, Finder, Places};
use crate::codes;
use crate::common::{Findings, wide};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::{F32, Path};

/// Reports every broken rule.
pub(crate) fn check(g: &Geometry, places: &Places, out: &mut Findings) {
    let find = places.finder(g);
    faces(g, &find, out);
    bindings(g, &find, out);
    runs(g, &find, out, &REAL);
    runs(g, &find, out, &BLEND);
    blends(g, &find, out);
    total(g, &find, out);
    finite(g, &find, out);
}

/// What the check takes.
pub(crate) fn memory(g: &Geometry) -> u64 {
    wide(g.bones.len()).saturating_add(wide(g.bindings.len()).saturating_mul(size_of::<Run>() as u64))
}

/// From where to where, of which binding.
type Run = (u64, u64, usize);

fn faces(g: &Geometry, find: &Finder<'_>, out: &mut Findings) {
    let (root, n) = (Path::ROOT, g.real.len());
    let path = root.field("faces");
    for (i, face) in g.faces.iter().enumerate() {
        for (corner, &v) in face.iter().enumerate() {
            if wide(n) <= u64::from(v) {
                let path = path.index(i);
                out.error(codes::E_FACE_INDEX, &path.index(corner), find.at(Field::Face(i, corner)), || {
                    format!("index {v} of {n} real vertices")
                });
            }
        }
    }
}

fn bindings(g: &Geometry, find: &Finder<'_>, out: &mut Findings) {
    let (root, bones) = (Path::ROOT, g.bones.len());
    let path = root.field("bindings");
    let mut seen = alloc::vec![false; bones];
    for (i, binding) in g.bindings.iter().enumerate() {
        let (at, bone) = (find.at(Field::Binding(i, 0)), binding.bone);
        let path = path.index(i);
        let path = path.field("bone");
        match usize::try_from(bone).ok().and_then(|b| seen.get_mut(b)) {
            None => out.error(codes::E_BINDING_BONE, &path, at, || format!("index {bone} of {bones} bones")),
            Some(true) => {
                out.error(codes::E_BINDING_DUP, &path, at, || format!("bone {bone} is bound before"));
            }
            Some(new) => *new = true,
        }
    }
}

/// One of the two kinds of vertices that bindings divide among bones.
struct Kind {
    noun: &'static str,
    field: &'static str,
    table: &'static str,
    part: usize,
    codes: [&'static str; 3],
}

const REAL: Kind = Kind {
    noun: "real",
    field: "first_real",
    table: "real",
    part: 1,
    codes: [codes::E_BINDING_RANGE, codes::E_BINDING_OVERLAP, codes::E_BINDING_GAP],
};

const BLEND: Kind = Kind {
    noun: "blend",
    field: "first_blend",
    table: "blends",
    part: 3,
    codes: [codes::E_BLEND_RANGE, codes::E_BLEND_OVERLAP, codes::E_BLEND_GAP],
};

/// The runs of one kind must cover every vertex once, in whatever order.
fn runs(g: &Geometry, find: &Finder<'_>, out: &mut Findings, kind: &Kind) {
    let root = Path::ROOT;
    let (table, real) = (root.field("bindings"), kind.part == REAL.part);
    let n = wide(if real { g.real.len() } else { g.blends.len() });
    let mut runs: Vec<Run> = Vec::with_capacity(g.bindings.len());
    for (i, b) in g.bindings.iter().enumerate() {
        let (first, count) = if real { (b.first_real, b.real_count) } else { (b.first_blend, b.blend_count) };
        let (from, to) = (u64::from(first), u64::from(first) + u64::from(count));
        if count > 0 && to > n {
            let path = table.index(i);
            out.error(kind.codes[0], &path.field(kind.field), find.at(Field::Binding(i, kind.part)), || {
                format!("{count} vertices from {first} on, there are {n} {} vertices", kind.noun)
            });
        }
        if count > 0 {
            runs.push((from.min(n), to.min(n), i));
        }
    }
    runs.sort_unstable();
    // Overlaps before gaps: a run that was moved leaves a gap too, but its own number is at fault.
    let mut end = 0;
    for &(from, to, i) in &runs {
        if from < end && to > from {
            let path = table.index(i);
            out.error(kind.codes[1], &path.field(kind.field), find.at(Field::Binding(i, kind.part)), || {
                format!("{} vertex {from} belongs to another binding", kind.noun)
            });
        }
        end = end.max(to);
    }
    end = 0;
    for &(from, to, _) in runs.iter().chain([&(n, n, usize::MAX)]) {
        if from > end {
            let path = root.field(kind.table);
            let vertex = path.index(usize::try_from(end).unwrap_or(usize::MAX));
            let (last, noun) = (from - 1, kind.noun);
            out.error(kind.codes[2], &vertex, find.at(Field::Bindings), || {
                format!("{noun} vertices {end} to {last} belong to no binding")
            });
        }
        end = end.max(to);
    }
}

fn blends(g: &Geometry, find: &Finder<'_>, out: &mut Findings) {
    let (root, n) = (Path::ROOT, g.real.len());
    let path = root.field("blends");
    for (i, blend) in g.blends.iter().enumerate() {
        let (weight, target) = (blend.weight, blend.target);
        let path = path.index(i);
        if wide(n) <= u64::from(target) {
            out.error(codes::E_BLEND_VERTEX, &path.field("target"), find.at(Field::Target(i)), || {
                format!("index {target} of {n} real vertices")
            });
        }
        if !weight.is_valid() {
            out.error(codes::E_WEIGHT, &path.field("weight"), find.at(Field::Weight(i)), || {
                format!("{weight:?} is more than all")
            });
        }
    }
}

fn total(g: &Geometry, find: &Finder<'_>, out: &mut Findings) {
    if let Total::Other(stored) = g.total {
        let (real, blend) = (g.real.len(), g.blends.len());
        out.error(codes::E_TOTAL, &Path::ROOT.field("total"), find.at(Field::Total), || {
            format!("{stored} vertices, there are {real} real and {blend} blend vertices")
        });
    }
}

fn finite(g: &Geometry, find: &Finder<'_>, out: &mut Findings) {
    let root = Path::ROOT;
    let bad = |values: &[F32]| values.iter().position(|v| !v.is_finite());
    let mut report = |table: &'static str, i: usize, what: &'static str, value: F32, at: Option<u64>| {
        let path = root.field(table);
        let path = path.index(i);
        out.error(codes::E_NOT_FINITE, &path.field(what), at, || format!("{value:?} is not finite"));
    };
    for (i, v) in g.real.iter().enumerate() {
        if let Some(c) = bad(&v.uv) {
            report("real", i, "uv", v.uv[c], find.at(Field::Uv(i, c)));
        }
        if let Some(c) = bad(&v.position) {
            report("real", i, "position", v.position[c], find.at(Field::Real(i, c)));
        }
        if let Some(c) = bad(&v.normal) {
            report("real", i, "normal", v.normal[c], find.at(Field::Real(i, c + 3)));
        }
    }
    for (i, v) in g.blends.iter().enumerate() {
        if let Some(c) = bad(&v.position) {
            report("blends", i, "position", v.position[c], find.at(Field::Blend(i, c)));
        }
        if let Some(c) = bad(&v.normal) {
            report("blends", i, "normal", v.normal[c], find.at(Field::Blend(i, c + 3)));
        }
    }
}

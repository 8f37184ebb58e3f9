//! Everything that can be said against a mesh.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "one flag and one count per vertex in memory"
)]

use super::model::{Geometry, Mesh, Total};
use super::places::{Field, Places};
use super::rules;
use crate::codes;
use crate::common::{Findings, remark_name, wide};
use alloc::collections::BTreeMap;
use alloc::format;
use meshwright_core::{F32, Path, Report};

/// Normals whose length differs from 1 by more are reported.
const NORMAL_TOLERANCE: f64 = 1e-3;

impl Mesh {
    /// Broken rules as errors, oddities as warnings. Offsets are those of the file that the mesh is written to,
    /// which for an unchanged mesh is the file it was read from.
    pub fn validate(&self) -> Report {
        let places = Places::Binary(4);
        let mut findings = Findings::default();
        rules::check(&self.geometry, &places, &mut findings);
        let end = places.finder(&self.geometry).at(Field::End).unwrap_or(0);
        findings.trailing(end, &self.trailing);
        let mut report = findings.report;
        remarks(&self.geometry, &places, &mut report);
        report
    }
}

/// Reports everything odd that breaks no rule.
pub(crate) fn remarks(g: &Geometry, places: &Places, report: &mut Report) {
    let root = Path::ROOT;
    let find = places.finder(g);

    let path = root.field("bones");
    let mut names = BTreeMap::new();
    for (i, (name, at)) in g.bones.iter().zip(places.names(g)).enumerate() {
        let path = path.index(i);
        remark_name(report, &path, at, name);
        let first = *names.entry(name.bytes().to_ascii_lowercase()).or_insert(i);
        if first != i {
            report.warn(codes::W_BONE_NAME_DUP, &path, Some(at), || {
                format!("{name} is the name of bone {first} too")
            });
        }
    }

    let path = root.field("faces");
    let mut used = alloc::vec![false; g.real.len()];
    for (i, &[a, b, c]) in g.faces.iter().enumerate() {
        for v in [a, b, c] {
            if let Some(used) = usize::try_from(v).ok().and_then(|v| used.get_mut(v)) {
                *used = true;
            }
        }
        if a == b || b == c || c == a {
            report.warn(codes::W_FACE_DEGENERATE, &path.index(i), find.at(Field::Face(i, 0)), || {
                format!("two corners of [{a}, {b}, {c}] are the same")
            });
        }
    }
    let path = root.field("real");
    for (i, _) in used.iter().enumerate().filter(|(_, used)| !**used) {
        report.warn(
            codes::W_VERTEX_UNUSED,
            &path.index(i),
            find.at(Field::Real(i, 0)),
            || "no face uses this vertex",
        );
    }

    let path = root.field("bindings");
    if g.bindings.len() != g.bones.len() {
        report.warn(codes::W_BINDING_COUNT, &path, find.at(Field::Bindings), || {
            format!("{} bindings for {} bones", g.bindings.len(), g.bones.len())
        });
    }
    for (i, b) in g.bindings.iter().enumerate() {
        if b.real_count == 0 && b.blend_count == 0 {
            report.warn(
                codes::W_BINDING_EMPTY,
                &path.index(i),
                find.at(Field::Binding(i, 0)),
                || "the binding has no vertices",
            );
        }
    }

    blends(g, places, report);
    if g.total == Total::RealOnly {
        report.warn(codes::W_TOTAL_REAL_ONLY, &root.field("total"), find.at(Field::Total), || {
            format!("counts the {} real vertices, not the {} blend vertices", g.real.len(), g.blends.len())
        });
    }
    normals(g, places, report);
}

fn blends(g: &Geometry, places: &Places, report: &mut Report) {
    let root = Path::ROOT;
    let find = places.finder(g);
    let path = root.field("blends");
    let owners = g.owners();
    let mut pulled = alloc::vec![false; g.real.len()];
    for (i, blend) in g.blends.iter().enumerate() {
        let path = path.index(i);
        let target = blend.target;
        if blend.weight.to_bits() == 0 {
            report.warn(codes::W_WEIGHT_ZERO, &path.field("weight"), find.at(Field::Weight(i)), || {
                format!("has no effect on real vertex {target}")
            });
        }
        let Some(real) = usize::try_from(target).ok().filter(|t| *t < g.real.len()) else { continue };
        if core::mem::replace(&mut pulled[real], true) {
            report.warn(codes::W_BLEND_MULTI, &path.field("target"), find.at(Field::Target(i)), || {
                format!("real vertex {target} is blended more than once")
            });
        }
        let bone = owners.blends.get(i).copied().flatten();
        if bone.is_some() && bone == owners.real.get(real).copied().flatten() {
            report.warn(codes::W_BLEND_SAME_BONE, &path.field("target"), find.at(Field::Target(i)), || {
                format!("real vertex {target} is on the same bone")
            });
        }
    }
}

/// One finding for all normals: in real files either all of them are odd or none.
fn normals(g: &Geometry, places: &Places, report: &mut Report) {
    let find = places.finder(g);
    let real = g.real.iter().enumerate().map(|(i, v)| (v.normal, Field::Real(i, 3)));
    let blend = g.blends.iter().enumerate().map(|(i, v)| (v.normal, Field::Blend(i, 3)));
    let (mut first, mut odd) = (None, 0_u64);
    for (normal, field) in real.chain(blend) {
        let square: f64 = normal.map(F32::get).map(f64::from).iter().map(|c| c * c).sum();
        let (low, high) = (1.0 - NORMAL_TOLERANCE, 1.0 + NORMAL_TOLERANCE);
        if !(low * low..=high * high).contains(&square) {
            first = first.or(Some((field, normal)));
            odd += 1;
        }
    }
    let Some((field, [x, y, z])) = first else { return };
    let (table, i) = match field {
        Field::Blend(i, _) => ("blends", i),
        Field::Real(i, _) => ("real", i),
        _ => ("real", 0),
    };
    let path = Path::ROOT.field(table);
    let path = path.index(i);
    report.warn(codes::W_NORMAL_LENGTH, &path.field("normal"), find.at(field), || {
        let all = wide(g.real.len()).saturating_add(wide(g.blends.len()));
        format!("[{x:?}, {y:?}, {z:?}] is not of length 1, nor are {odd} of {all} normals in all")
    });
}

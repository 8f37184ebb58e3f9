//! The rules of arrays, meshes and triangles.

use crate::model::{ArrayFormat, ArrayKind, Iqm, IqmMesh, VertexArray};
use crate::plan::Places;
use crate::record::{
    ADJACENCY as ADJACENCY_TABLE, ARRAYS, MESHES, TRIANGLES, array, header as h, item, mesh, triangle,
};
use crate::rules::{
    ADJACENCY, ARRAY_ORDER, BAD_COUNT, BAD_FORMAT, DUPLICATE_ARRAY, JOINT_INDEX, JOINT_INDEX_UNUSED,
    MESH_RANGE, NO_POSITION, NO_TEXCOORD, NO_WEIGHTS, NON_FINITE, NON_FINITE_EXTRA, OVERLAP, TOO_MUCH,
    UNKNOWN_ARRAY, UNUSED_TRIANGLES, UNUSED_VERTICES, UNUSUAL_FORMAT, VERTEX_INDEX, WEIGHT_RANGE, WEIGHT_SUM,
};
use alloc::format;
use alloc::vec::Vec;
use meshwright_core::Order as _;
use meshwright_core::{FieldPath, Findings, ReadError, Rule, SortedSet};

type Checked = Result<(), ReadError>;

/// Meshes may use this many vertices or triangles together, however few are stored. Above this number, they
/// may use at most eight times the stored number.
const SHARED: u64 = 1 << 20;

/// Returns the rules of vertices for a strict reader.
pub(crate) fn check_vertices(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    check_arrays(model, places, findings)?;
    check_values(model, places, findings)?;
    check_meshes(model, places, findings)
}

/// Returns true if the model has something to draw. Some games have files with only animations that still
/// state a number of vertices.
fn is_drawn(model: &Iqm) -> bool {
    !model.triangles.is_empty() || !model.meshes.is_empty()
}

fn check_arrays(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let list = FieldPath::ROOT.field("vertexarrays");
    for (i, a) in model.arrays.iter().enumerate() {
        let path = list.index(i);
        let fault = match (a.kind, a.format) {
            (_, format) if format.width().is_none() => Some(array::FORMAT),
            _ if a.components == 0 => Some(array::COMPONENTS),
            (ArrayKind::POSITION, _) if a.components < 3 => Some(array::COMPONENTS),
            (ArrayKind::BLEND_INDEXES | ArrayKind::BLEND_WEIGHTS, _) if a.components != 4 => {
                Some(array::COMPONENTS)
            }
            (ArrayKind::BLEND_INDEXES, format) if format.is_float() => Some(array::FORMAT),
            _ => None,
        };
        if let Some(field) = fault {
            let at = places.item(ARRAYS, i).map(|o| field.offset_in(o));
            let message =
                || format!("kind {} has {} components of format {}", a.kind.0, a.components, a.format.0);
            findings.broken(BAD_FORMAT, &field.path(&path), at, message)?;
        }
        let value = u64::from(a.format.width().unwrap_or(0)).saturating_mul(a.components.into());
        let expected = value.saturating_mul(model.vertex_count.into());
        if a.data.len() as u64 != expected {
            let message = || format!("{} bytes, {expected} expected", a.data.len());
            findings.broken(BAD_COUNT, &path, None, message)?;
        }
    }
    if is_drawn(model) && model.array(ArrayKind::POSITION).is_none() {
        let at = places.header(h::NUM_ARRAYS);
        findings.broken(
            NO_POSITION,
            &h::NUM_ARRAYS.path(&FieldPath::ROOT),
            at,
            || "the model has no array of positions",
        )?;
    }
    Ok(())
}

/// Returns vertex and component of the first value of an array that is not finite.
fn first_non_finite(a: &VertexArray) -> Option<(usize, usize)> {
    let components = a.components as usize;
    let index = match a.format {
        // The value is not finite if all exponent bits are set.
        ArrayFormat::FLOAT => {
            a.data.as_chunks::<4>().0.iter().position(|w| u32::from_le_bytes(*w) & 0x7f80_0000 == 0x7f80_0000)
        }
        ArrayFormat::HALF => {
            a.data.as_chunks::<2>().0.iter().position(|w| u16::from_le_bytes(*w) & 0x7c00 == 0x7c00)
        }
        ArrayFormat::DOUBLE => {
            a.data.as_chunks::<8>().0.iter().position(|w| !f64::from_le_bytes(*w).is_finite())
        }
        _ => None,
    }?;
    Some((index.checked_div(components)?, index.checked_rem(components)?))
}

fn non_finite(
    model: &Iqm,
    rule: &'static Rule,
    kinds: &[ArrayKind],
    places: &Places<'_>,
    findings: &mut Findings,
) -> Checked {
    let list = FieldPath::ROOT.field("vertexarrays");
    for (i, a) in model.arrays.iter().enumerate().filter(|(_, a)| kinds.contains(&a.kind)) {
        let Some((vertex, component)) = first_non_finite(a) else { continue };
        let width = a.format.width().unwrap_or(1) as usize;
        let value = width.saturating_mul(a.components as usize);
        let at = places.array(i).map(|o| item(item(o, vertex, value), component, width));
        findings.broken(rule, &list.index(i).index(vertex), at, || {
            format!("component {component} is not finite")
        })?;
    }
    Ok(())
}

fn check_values(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let numbers = [ArrayKind::POSITION, ArrayKind::NORMAL, ArrayKind::BLEND_WEIGHTS];
    non_finite(model, NON_FINITE, &numbers, places, findings)?;
    check_joints(model, places, findings, false)
}

/// Checks that the joints of vertices exist. `idle` selects joints without a weight instead of those with
/// one.
fn check_joints(model: &Iqm, places: &Places<'_>, findings: &mut Findings, idle: bool) -> Checked {
    let kinds = [ArrayKind::BLEND_INDEXES, ArrayKind::BLEND_WEIGHTS];
    let [Some(indexes), Some(_)] = kinds.map(|kind| model.array(kind)) else { return Ok(()) };
    if model.joints.is_empty() {
        return Ok(());
    }
    let number = model.arrays.iter().position(|a| a.kind == ArrayKind::BLEND_INDEXES).unwrap_or(0);
    let (list, joints) = (FieldPath::ROOT.field("vertexarrays"), model.joints.len());
    let rule = if idle { JOINT_INDEX_UNUSED } else { JOINT_INDEX };
    let width = indexes.format.width().unwrap_or(1) as usize;
    for v in 0..model.vertex_count as usize {
        for (c, (joint, weight)) in model.influences(v).into_iter().enumerate() {
            let there = usize::try_from(joint).is_ok_and(|j| j < joints);
            if there || (weight == 0.0) != idle {
                continue;
            }
            let at = places.array(number).map(|o| item(item(o, v, width.saturating_mul(4)), c, width));
            findings
                .broken(rule, &list.index(number).index(v), at, || format!("joint {joint} of {joints}"))?;
        }
    }
    Ok(())
}

fn check_meshes(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let list = FieldPath::ROOT.field("meshes");
    let sum =
        |of: fn(&IqmMesh) -> u32| model.meshes.iter().fold(0_u64, |sum, m| sum.saturating_add(of(m).into()));
    for (field, used, stored) in [
        (mesh::NUM_VERTEXES, sum(|m| m.vertex_count), u64::from(model.vertex_count)),
        (mesh::NUM_TRIANGLES, sum(|m| m.triangle_count), model.triangles.len() as u64),
    ] {
        let most = SHARED.max(stored.saturating_mul(8));
        if used > most {
            let message = || format!("the meshes have {used} together, {stored} are stored");
            let at = places.item(MESHES, 0).map(|o| field.offset_in(o));
            findings.broken(TOO_MUCH, &field.path(&list.index(0)), at, message)?;
            // The remaining checks would take equally long.
            return Ok(());
        }
    }
    let vertices = |from: u64, to: u64| move |v: &u32| !(from..to).contains(&u64::from(*v));
    for (i, m) in model.meshes.iter().enumerate() {
        let (path, at) = (list.index(i), places.item(MESHES, i));
        for (field, first, count, all) in [
            (mesh::NUM_VERTEXES, m.first_vertex, m.vertex_count, u64::from(model.vertex_count)),
            (mesh::NUM_TRIANGLES, m.first_triangle, m.triangle_count, model.triangles.len() as u64),
        ] {
            if u64::from(first).saturating_add(count.into()) > all {
                let message = || format!("{count} from {first} on, there are {all}");
                findings.broken(MESH_RANGE, &field.path(&path), at.map(|o| field.offset_in(o)), message)?;
            }
        }
        let own =
            vertices(m.first_vertex.into(), u64::from(m.first_vertex).saturating_add(m.vertex_count.into()));
        check_triangles(model.triangles_of(m), m.first_triangle as usize, own, places, findings)?;
    }
    check_triangles(&model.triangles, 0, vertices(0, model.vertex_count.into()), places, findings)
}

/// Checks triangles for vertices that are `beyond` and reports the first one. `first` is the number of the
/// first triangle.
fn check_triangles(
    triangles: &[[u32; 3]],
    first: usize,
    beyond: impl Fn(&u32) -> bool,
    places: &Places<'_>,
    findings: &mut Findings,
) -> Checked {
    let found = triangles.iter().enumerate().find_map(|(t, corners)| {
        let (v, field) = corners.iter().zip(triangle::FIELDS).find(|(v, _)| beyond(v))?;
        Some((first.saturating_add(t), *v, *field))
    });
    let Some((t, v, field)) = found else { return Ok(()) };
    let list = FieldPath::ROOT.field("triangles");
    let at = places.item(TRIANGLES, t).map(|o| field.offset_in(o));
    let message = || format!("vertex {v} does not exist, or belongs to another mesh");
    findings.broken(VERTEX_INDEX, &field.path(&list.index(t)), at, message)
}

/// Checks vertex values that most loaders accept.
pub(crate) fn odd_vertices(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    odd_arrays(model, places, findings)?;
    let extra = [ArrayKind::TEXCOORD, ArrayKind::TANGENT, ArrayKind::COLOR];
    non_finite(model, NON_FINITE_EXTRA, &extra, places, findings)?;
    check_joints(model, places, findings, true)?;
    odd_weights(model, places, findings)?;
    odd_ranges(model, places, findings)?;
    let list = FieldPath::ROOT.field("adjacency");
    let triangles = model.triangles.len();
    for (i, row) in model.adjacency.iter().flatten().enumerate() {
        let bad = |t: &&u32| **t != Iqm::NO_NEIGHBOUR && **t as usize >= triangles;
        if let Some(t) = row.iter().find(bad) {
            let at = places.item(ADJACENCY_TABLE, i);
            findings.broken(ADJACENCY, &list.index(i), at, || format!("triangle {t} of {triangles}"))?;
        }
    }
    Ok(())
}

/// Returns whether all loaders read an array as it is stored.
pub(crate) fn is_portable(a: &VertexArray) -> bool {
    let form = (a.format, a.components);
    match a.kind {
        ArrayKind::POSITION | ArrayKind::NORMAL => form == (ArrayFormat::FLOAT, 3),
        ArrayKind::TEXCOORD => form == (ArrayFormat::FLOAT, 2),
        ArrayKind::TANGENT => form == (ArrayFormat::FLOAT, 4),
        ArrayKind::BLEND_INDEXES | ArrayKind::BLEND_WEIGHTS => form == (ArrayFormat::U8, 4),
        ArrayKind::COLOR => matches!(form, (ArrayFormat::U8 | ArrayFormat::FLOAT, 4)),
        _ => true,
    }
}

fn odd_arrays(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let list = FieldPath::ROOT.field("vertexarrays");
    let (mut seen, mut last) = (SortedSet::new(), ArrayKind::default());
    for (i, a) in model.arrays.iter().enumerate() {
        let (path, kind) = (list.index(i), array::TYPE);
        let place = places.item(ARRAYS, i);
        let mut odd = |rule, field: meshwright_core::record::Field, message: &str| {
            let at = place.map(|o| field.offset_in(o));
            findings.broken(rule, &field.path(&path), at, || format!("kind {}: {message}", a.kind.0))
        };
        if !a.kind.is_known() && a.kind.custom().is_none() {
            odd(UNKNOWN_ARRAY, kind, "is not defined")?;
        }
        if !is_portable(a) {
            let message = format!("{} components of format {}", a.components, a.format.0);
            odd(UNUSUAL_FORMAT, array::FORMAT, &message)?;
        }
        if !seen.insert(a.kind) {
            odd(DUPLICATE_ARRAY, kind, "occurs twice")?;
        }
        if a.kind < last {
            odd(ARRAY_ORDER, kind, "comes after an array of a greater kind")?;
        }
        last = a.kind;
    }
    if model.vertex_count > 0 && !is_drawn(model) {
        let at = places.header(h::NUM_VERTEXES);
        let message = || format!("{} vertices, but no mesh", model.vertex_count);
        findings.broken(UNUSED_VERTICES, &h::NUM_VERTEXES.path(&FieldPath::ROOT), at, message)?;
    }
    if model.vertex_count > 0 && is_drawn(model) && model.array(ArrayKind::TEXCOORD).is_none() {
        let at = places.header(h::NUM_ARRAYS);
        let message = || "the model has no array of texture coordinates";
        findings.broken(NO_TEXCOORD, &h::NUM_ARRAYS.path(&FieldPath::ROOT), at, message)?;
    }
    Ok(())
}

fn odd_weights(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    if model.joints.is_empty() || model.vertex_count == 0 || !is_drawn(model) {
        return Ok(());
    }
    let kinds = [ArrayKind::BLEND_INDEXES, ArrayKind::BLEND_WEIGHTS];
    let [Some(_), Some(weights)] = kinds.map(|kind| model.array(kind)) else {
        let at = places.header(h::NUM_ARRAYS);
        let message = || "the model has joints, but vertices lack an array of joints or of weights";
        return findings.broken(NO_WEIGHTS, &h::NUM_ARRAYS.path(&FieldPath::ROOT), at, message);
    };
    let number = model.arrays.iter().position(|a| a.kind == ArrayKind::BLEND_WEIGHTS).unwrap_or(0);
    let list = FieldPath::ROOT.field("vertexarrays");
    let value = (weights.format.width().unwrap_or(1) as usize).saturating_mul(4);
    for v in 0..model.vertex_count as usize {
        let row = weights.floats::<4>(v, [0.0; 4]);
        let sum: f64 = row.iter().sum();
        let at = places.array(number).map(|o| item(o, v, value));
        // This is also true if the sum is NaN.
        if (sum - 1.0).abs() > 1e-3 {
            findings.broken(WEIGHT_SUM, &list.index(number).index(v), at, || {
                format!("the weights sum to {sum}")
            })?;
        }
        if let Some(w) = row.iter().find(|w| **w < 0.0 || **w > 1.001) {
            findings.broken(WEIGHT_RANGE, &list.index(number).index(v), at, || format!("a weight of {w}"))?;
        }
    }
    Ok(())
}

/// Checks that meshes share nothing, and that every triangle is in a mesh.
fn odd_ranges(model: &Iqm, places: &Places<'_>, findings: &mut Findings) -> Checked {
    let list = FieldPath::ROOT.field("meshes");
    let ranges = |of: fn(&IqmMesh) -> (u32, u32)| {
        let mut ranges: Vec<(u64, u64, usize)> = Vec::with_capacity(model.meshes.len());
        for (i, m) in model.meshes.iter().enumerate() {
            let (first, count) = of(m);
            if count > 0 {
                ranges.push((first.into(), u64::from(first).saturating_add(count.into()), i));
            }
        }
        ranges.order();
        ranges
    };
    let vertices = ranges(|m| (m.first_vertex, m.vertex_count));
    let triangles = ranges(|m| (m.first_triangle, m.triangle_count));
    for (field, ranges) in [(mesh::FIRST_VERTEX, &vertices), (mesh::FIRST_TRIANGLE, &triangles)] {
        let mut end = 0;
        for &(from, to, i) in ranges {
            if from < end {
                let at = places.item(MESHES, i).map(|o| field.offset_in(o));
                let message = || format!("{from} belongs to another mesh too");
                findings.broken(OVERLAP, &field.path(&list.index(i)), at, message)?;
            }
            end = end.max(to);
        }
    }
    let (mut used, mut end) = (0_u64, 0_u64);
    for &(from, to, _) in &triangles {
        used = used.saturating_add(to.saturating_sub(from.max(end)));
        end = end.max(to);
    }
    let all = model.triangles.len() as u64;
    if used < all {
        let at = places.header(h::NUM_TRIANGLES);
        let message = || format!("{} of {all} triangles belong to no mesh", all.saturating_sub(used));
        findings.broken(UNUSED_TRIANGLES, &h::NUM_TRIANGLES.path(&FieldPath::ROOT), at, message)?;
    }
    Ok(())
}

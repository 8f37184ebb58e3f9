//! Reads the transforms of nodes.

use crate::document::rules::ROTATIONS_SCALED;
use crate::document::{Document, Transform};
use meshwright_core::math::{Affine64, Trs64, distance, dot, length, narrow, unit, wide};
use meshwright_core::{FieldPath, ReadError};
use meshwright_scene::{Affine, Local, Trs};

/// The difference of a quaternion's length from 1 up to which its bits are kept without a report.
const EXACT: f64 = 1e-6;
const UNIT: f64 = 1e-3;

/// Returns the transforms of all nodes relative to their parents.
pub(super) fn locals(document: &Document<'_>) -> Result<Vec<Local>, ReadError> {
    let all = FieldPath::ROOT.field("nodes");
    let mut locals = document.room(&all, "nodes", document.nodes().len())?;
    for (n, node) in document.nodes().iter().enumerate() {
        locals.push(match node.transform {
            Transform::Matrix(m) => Local::Affine(affine(m)),
            Transform::Parts { translation, rotation, scale } => {
                let (rotation, odd) = unit_rotation(rotation);
                if odd {
                    let message = "a quaternion that is not of length 1";
                    document.warn(ROTATIONS_SCALED, &all.index(n).field("rotation"), ("nodes", n), message);
                }
                Local::Trs(Trs { translation, rotation, scale })
            }
        });
    }
    Ok(locals)
}

/// Returns a normalised quaternion, and whether its length differed from 1.
pub(super) fn unit_rotation(q: [f32; 4]) -> ([f32; 4], bool) {
    let away = (length(wide(q)) - 1.0).abs();
    if away <= EXACT {
        return (q, false);
    }
    match unit(wide(q)) {
        Some(unit) => (narrow(unit), away > UNIT),
        None => (Trs::IDENTITY.rotation, true),
    }
}

/// Returns a matrix without its last row, which is stored column by column.
pub(super) const fn affine(m: [f32; 16]) -> Affine {
    let [a, b, c, _, d, e, f, _, g, h, i, _, j, k, l, _] = m;
    Affine { x: [a, b, c], y: [d, e, f], z: [g, h, i], w: [j, k, l] }
}

/// The mirror in which joints are seen that are below a mirrored node: their X axis points the other way.
pub(super) const MIRROR: Affine64 = Affine64 { x: [-1.0, 0.0, 0.0], ..Affine64::IDENTITY };

/// Returns a transform as it is seen in the mirror.
pub(super) fn in_mirror(local: &Trs64) -> Trs64 {
    let ([x, y, z], [i, j, k, w]) = (local.translation, local.rotation);
    Trs64 { translation: [-x, y, z], rotation: [i, -j, -k, w], scale: local.scale }
}

/// Returns a matrix as translation, rotation and even scale, if it has no other part, after the [mirror](MIRROR) if it
/// mirrors. Also returns whether it does.
pub(super) fn similarity(m: &Affine64) -> Option<(Trs64, bool)> {
    let mirrors = m.determinant() < 0.0;
    let m = &if mirrors { m.after(&MIRROR) } else { *m };
    let scale = length(m.x);
    let even = [m.y, m.z].iter().all(|c| (length(*c) - scale).abs() <= 1e-6 * scale);
    let square =
        [(m.x, m.y), (m.y, m.z), (m.z, m.x)].iter().all(|(a, b)| dot(*a, *b).abs() <= 1e-6 * scale * scale);
    if !(scale.is_normal() && even && square && m.determinant() > 0.0) {
        return None;
    }
    let trs = Trs64::from_affine(m);
    Some((Trs64 { scale: [scale; 3], ..trs }, mirrors))
}

/// Returns whether two matrices are equal up to rounding.
pub(super) fn is_similar(a: &Affine64, b: &Affine64) -> bool {
    let size = [a.x, a.y, a.z, a.w].into_iter().map(length).fold(0.0, f64::max);
    let pairs = [(a.x, b.x), (a.y, b.y), (a.z, b.z), (a.w, b.w)];
    pairs.into_iter().all(|(a, b)| distance(a, b) <= 1e-6 * size)
}

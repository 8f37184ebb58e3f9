//! Checks that a mesh bounds a solid: closed, consistently oriented, right side out, without
//! self-intersection.
//!
//! All arithmetic is exact: coordinates are integers, and determinants have 128 bits.
#![allow(
    clippy::arithmetic_side_effects,
    clippy::indexing_slicing,
    reason = "vectors and matrices of fixed size"
)]

use crate::model::Mesh;
use alloc::vec::Vec;
use meshwright_core::{Order as _, SortedMap};

/// A fault of a solid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flaw {
    /// A triangle uses a vertex twice.
    Degenerate { triangle: usize },
    /// An edge is not used once in each direction.
    Open { a: u32, b: u32 },
    /// The faces look inward.
    Inverted,
    /// Two triangles touch or cross outside of shared corners.
    Crossing { a: usize, b: usize },
    /// The allowance was used up before the check was complete.
    Unchecked,
}

/// The work on solids that one validation may do.
pub(super) struct Allowance {
    /// Vertices and triangles to examine.
    pub(super) elements: u64,
    /// Comparisons of boxes.
    pub(super) boxes: u64,
    /// Exact tests of two triangles.
    pub(super) exact: u64,
}

impl Default for Allowance {
    fn default() -> Self {
        Self { elements: 1_000_000, boxes: 4_000_000, exact: 200_000 }
    }
}

type Point = [i64; 3];

/// Returns the first flaw of each type.
pub(super) fn flaws(mesh: &Mesh, allowance: &mut Allowance) -> Vec<Flaw> {
    let work = mesh.vertices.len().saturating_add(mesh.primitives.len()) as u64;
    allowance.elements = match allowance.elements.checked_sub(work) {
        Some(left) => left,
        None => return alloc::vec![Flaw::Unchecked],
    };
    let points = grid(mesh);
    let triangles: Vec<[u32; 3]> = mesh.triangles().collect();
    if let Some(triangle) = triangles.iter().position(|[a, b, c]| a == b || b == c || a == c) {
        return alloc::vec![Flaw::Degenerate { triangle }];
    }
    if let Some(flaw) = open_edge(&triangles) {
        return alloc::vec![flaw];
    }
    let corners: Vec<[Point; 3]> =
        triangles.iter().map(|t| t.map(|i| points.get(i as usize).copied().unwrap_or_default())).collect();
    let mut found = Vec::new();
    // A common origin keeps the products small. Only the sign of the volume matters.
    let volume: f64 = corners.iter().map(f64_volume).sum();
    if volume < 0.0 {
        found.push(Flaw::Inverted);
    }
    found.extend(crossing(&triangles, &corners, allowance));
    found
}

/// Converts coordinates to integers. The step is 2^-24 for binary16, and 2^-22 for the shared exponent form,
/// whose coordinates can be so large that smaller steps would not fit.
fn grid(mesh: &Mesh) -> Vec<Point> {
    let mut largest = 0.0_f32;
    for position in mesh.positions() {
        largest = position.iter().fold(largest, |m, c| m.max(c.abs()));
    }
    let steps = if largest < 32768.0 { 16_777_216.0 } else { 4_194_304.0 };
    #[expect(clippy::cast_possible_truncation, reason = "at most 2^17 * 2^22; saturates beyond")]
    let whole = |c: f32| (f64::from(c) * steps) as i64;
    mesh.positions().map(|p| p.map(whole)).collect()
}

fn open_edge(triangles: &[[u32; 3]]) -> Option<Flaw> {
    let mut uses: SortedMap<(u32, u32), (u32, u32)> = SortedMap::new();
    for [a, b, c] in triangles {
        for (from, to) in [(*a, *b), (*b, *c), (*c, *a)] {
            let entry = uses.entry((from.min(to), from.max(to))).or_default();
            if from < to { entry.0 += 1 } else { entry.1 += 1 }
        }
    }
    uses.into_iter().find(|(_, n)| *n != (1, 1)).map(|((a, b), _)| Flaw::Open { a, b })
}

fn f64_volume([a, b, c]: &[Point; 3]) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "only the sign of the sum is used")]
    let [a, b, c] = [a, b, c].map(|p| p.map(|c| c as f64));
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

struct BoundingBox {
    min: Point,
    max: Point,
    triangle: usize,
}

/// Finds intersecting triangles: sweeps along the longest axis and tests pairs whose boxes touch.
fn crossing(triangles: &[[u32; 3]], corners: &[[Point; 3]], allowance: &mut Allowance) -> Option<Flaw> {
    let mut boxes = Vec::with_capacity(corners.len());
    let (mut least, mut most) = ([i64::MAX; 3], [i64::MIN; 3]);
    for (triangle, [a, b, c]) in corners.iter().enumerate() {
        let mut bounds = BoundingBox { min: *a, max: *a, triangle };
        for axis in 0..3 {
            bounds.min[axis] = a[axis].min(b[axis]).min(c[axis]);
            bounds.max[axis] = a[axis].max(b[axis]).max(c[axis]);
            least[axis] = least[axis].min(bounds.min[axis]);
            most[axis] = most[axis].max(bounds.max[axis]);
        }
        boxes.push(bounds);
    }
    let spread = |axis: usize| most[axis].saturating_sub(least[axis]);
    let axis = (0..3).max_by_key(|a| spread(*a)).unwrap_or(0);
    boxes.order_by_key(|b| (b.min[axis], b.triangle));
    for (i, a) in boxes.iter().enumerate() {
        for b in boxes.iter().skip(i + 1).take_while(|b| b.min[axis] <= a.max[axis]) {
            allowance.boxes = match allowance.boxes.checked_sub(1) {
                Some(left) => left,
                None => return Some(Flaw::Unchecked),
            };
            if (0..3).any(|k| a.max[k] < b.min[k] || b.max[k] < a.min[k]) {
                continue;
            }
            allowance.exact = match allowance.exact.checked_sub(1) {
                Some(left) => left,
                None => return Some(Flaw::Unchecked),
            };
            let (x, y) = (a.triangle.min(b.triangle), a.triangle.max(b.triangle));
            let pair = (triangles.get(x)?, triangles.get(y)?, corners.get(x)?, corners.get(y)?);
            if touch(pair.0, pair.1, pair.2, pair.3) {
                return Some(Flaw::Crossing { a: x, b: y });
            }
        }
    }
    None
}

/// Returns six times the signed volume of the tetrahedron a, b, c, d.
fn orient([a, b, c]: &[Point; 3], d: &Point) -> i128 {
    let v = |p: &Point| -> [i128; 3] { core::array::from_fn(|i| i128::from(p[i]) - i128::from(d[i])) };
    let (a, b, c) = (v(a), v(b), v(c));
    a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Returns true if two triangles have a common point that is not a shared corner or edge.
fn touch(ta: &[u32; 3], tb: &[u32; 3], a: &[Point; 3], b: &[Point; 3]) -> bool {
    let shared = ta.iter().filter(|v| tb.contains(v)).count();
    if shared == 3 {
        return true;
    }
    if shared == 2 {
        // Neighbours with a common edge overlap only if they are folded flat onto one another.
        let own = |t: &[u32; 3], other: &[u32; 3], p: &[Point; 3]| {
            t.iter().zip(p).find(|(v, _)| !other.contains(v)).map(|(_, p)| *p)
        };
        let edge: Vec<Point> = ta.iter().zip(a).filter(|(v, _)| tb.contains(v)).map(|(_, p)| *p).collect();
        return match (own(ta, tb, a), own(tb, ta, b), edge.as_slice()) {
            (Some(p), Some(q), [e, f]) if orient(b, &p) == 0 => {
                let axes = plane(&[*e, *f, q]);
                let (sp, sq) = (turn(e, f, &p, axes), turn(e, f, &q, axes));
                (sp > 0) == (sq > 0)
            }
            _ => false,
        };
    }
    // If a corner is shared, only the edges opposite to it can meet the other triangle elsewhere.
    for (t, other, corners, triangle) in [(ta, tb, a, b), (tb, ta, b, a)] {
        for (i, j) in [(0, 1), (1, 2), (2, 0)] {
            let apart = !other.contains(&t[i]) && !other.contains(&t[j]);
            if apart && segment_meets(&corners[i], &corners[j], triangle) {
                return true;
            }
        }
    }
    false
}

fn segment_meets(p: &Point, q: &Point, t: &[Point; 3]) -> bool {
    let (dp, dq) = (orient(t, p).signum(), orient(t, q).signum());
    if dp * dq > 0 {
        return false;
    }
    let [a, b, c] = t;
    if dp == 0 && dq == 0 {
        let axes = plane(t);
        let inside = |x: &Point| {
            let s = [turn(a, b, x, axes), turn(b, c, x, axes), turn(c, a, x, axes)].map(i128::signum);
            s.iter().all(|s| *s >= 0) || s.iter().all(|s| *s <= 0)
        };
        return inside(p)
            || inside(q)
            || [(a, b), (b, c), (c, a)].iter().any(|(e, f)| cross(p, q, e, f, axes));
    }
    let s = [orient(&[*p, *q, *a], b), orient(&[*p, *q, *b], c), orient(&[*p, *q, *c], a)];
    let s = s.map(i128::signum);
    s.iter().all(|s| *s >= 0) || s.iter().all(|s| *s <= 0)
}

/// Returns the two axes of a projection that does not collapse the triangle.
fn plane([a, b, c]: &[Point; 3]) -> (usize, usize) {
    [(0, 1), (1, 2), (2, 0)].into_iter().max_by_key(|axes| turn(a, b, c, *axes).abs()).unwrap_or((0, 1))
}

/// Returns twice the signed area of a projected triangle.
fn turn(a: &Point, b: &Point, c: &Point, (u, v): (usize, usize)) -> i128 {
    let d = |p: &Point, i: usize| i128::from(p[i]) - i128::from(a[i]);
    d(b, u) * d(c, v) - d(b, v) * d(c, u)
}

/// Returns true if two projected segments have a common point.
fn cross(p: &Point, q: &Point, a: &Point, b: &Point, axes: (usize, usize)) -> bool {
    let s = |x: &Point, y: &Point, z: &Point| turn(x, y, z, axes).signum();
    let (pa, pb, ap, aq) = (s(p, q, a), s(p, q, b), s(a, b, p), s(a, b, q));
    if pa * pb < 0 && ap * aq < 0 {
        return true;
    }
    let between = |x: &Point, y: &Point, z: &Point| {
        [axes.0, axes.1].iter().all(|&i| z[i] >= x[i].min(y[i]) && z[i] <= x[i].max(y[i]))
    };
    (pa == 0 && between(p, q, a))
        || (pb == 0 && between(p, q, b))
        || (ap == 0 && between(a, b, p))
        || (aq == 0 && between(a, b, q))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packed::{Primitive, Vertex};
    use meshwright_core::num::{Se32, St11};
    use std::sync::Arc;
    use std::vec;

    fn mesh(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Mesh {
        let vertex = |p: &[f32; 3]| Vertex::textured64(Se32::encode(*p), St11::default(), 0).unwrap();
        Mesh {
            vertices: Arc::new(points.iter().map(vertex).collect()),
            primitives: Arc::new(triangles.iter().map(|t| Primitive::triangle(*t).unwrap()).collect()),
            ..Mesh::default()
        }
    }

    fn find_flaws(points: &[[f32; 3]], triangles: &[[u32; 3]]) -> Vec<Flaw> {
        flaws(&mesh(points, triangles), &mut Allowance::default())
    }

    const POINTS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 4.0]];
    const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    fn moved_points(by: [f32; 3], scale: f32) -> Vec<[f32; 3]> {
        POINTS.iter().map(|p| std::array::from_fn(|i| p[i] * scale + by[i])).collect()
    }

    fn both(by: [f32; 3], scale: f32) -> Vec<Flaw> {
        let points = [POINTS.to_vec(), moved_points(by, scale)].concat();
        let faces = [FACES.to_vec(), FACES.map(|f| f.map(|i| i + 4)).to_vec()].concat();
        find_flaws(&points, &faces)
    }

    #[test]
    fn a_tetrahedron_is_a_solid() {
        assert_eq!(find_flaws(&POINTS, &FACES), []);
        assert_eq!(both([9.0, 0.0, 0.0], 1.0), []);
        // A solid inside another one does not touch it.
        assert_eq!(both([0.5, 0.5, 0.5], 0.25), []);
    }

    #[test]
    fn flaws_are_told_apart() {
        assert!(matches!(find_flaws(&POINTS, &FACES[..3])[..], [Flaw::Open { .. }]));
        let turned = [[0, 1, 2], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        assert!(matches!(find_flaws(&POINTS, &turned)[..], [Flaw::Open { .. }]));
        assert_eq!(find_flaws(&POINTS, &FACES.map(|[a, b, c]| [a, c, b])), [Flaw::Inverted]);
        assert_eq!(find_flaws(&POINTS, &[[0, 0, 1]]), [Flaw::Degenerate { triangle: 0 }]);
    }

    #[test]
    fn crossings_are_found() {
        assert!(matches!(both([1.0, 1.0, -1.0], 0.5)[..], [Flaw::Crossing { .. }]), "through a face");
        assert!(matches!(both([4.0, 0.0, 0.0], 1.0)[..], [Flaw::Crossing { .. }]), "at a corner");
        assert!(matches!(both([0.5, 0.5, 0.0], 0.25)[..], [Flaw::Crossing { .. }]), "in the plane of a face");
        // Two triangles back to back.
        assert!(matches!(find_flaws(&POINTS, &[[0, 1, 2], [0, 2, 1]])[..], [Flaw::Crossing { .. }]));
        // Flat: the fourth corner is in the plane of the first face.
        let flat = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0], [1.0, 1.0, 0.0]];
        assert!(find_flaws(&flat, &FACES).iter().any(|f| matches!(f, Flaw::Crossing { .. })));
    }

    #[test]
    fn the_allowance_ends_the_search() {
        let mut little = Allowance { boxes: 2, ..Allowance::default() };
        assert_eq!(flaws(&mesh(&POINTS, &FACES), &mut little), vec![Flaw::Unchecked]);
        // Four vertices and four triangles, twice.
        let mut little = Allowance { elements: 15, ..Allowance::default() };
        assert_eq!(flaws(&mesh(&POINTS, &FACES), &mut little), []);
        assert_eq!(flaws(&mesh(&POINTS, &FACES), &mut little), vec![Flaw::Unchecked]);
    }

    #[test]
    fn extreme_coordinates_do_not_overflow() {
        let far = POINTS.map(|p| p.map(|c| if c == 0.0 { -131_072.0 } else { 130_560.0 }));
        assert_eq!(find_flaws(&far, &FACES), []);
    }
}

//! Pairs the corners of triangles that two meshes draw at the same place, in any order.

use super::nearest::distance;
use meshwright_scene::Mesh;
use std::collections::HashMap;

/// Pairs of corners, by the numbers of their vertices.
#[derive(Debug, Default)]
pub(super) struct Corners {
    pub(super) pairs: Vec<(usize, usize)>,
    /// Some triangles are in another order.
    pub(super) reordered: bool,
}

/// The maximum number of triangles at one place that are compared with a triangle.
const MOST_CANDIDATES: usize = 16;

type Triangle = [u32; 3];
type Cell = [i64; 3];

/// A triangle of the second mesh, turned so that its corners are those of one of the first.
struct Match {
    /// The greatest distance of two corners.
    apart: f64,
    /// The difference of their texture coordinates and normals.
    dressed: f64,
    pairs: [(usize, usize); 3],
}

/// Pairs the corners of two meshes. Triangles with the same index and place are paired first, then triangles at the
/// same place, then the others by index. Triangles may begin at any corner.
pub(super) fn corners(a: &Mesh, b: &Mesh, tolerance: f64) -> Corners {
    let mut corners = Corners::default();
    if a.triangles.len() != b.triangles.len() {
        return corners;
    }
    let mut left = Vec::new();
    for (i, (one, other)) in a.triangles.iter().zip(&b.triangles).enumerate() {
        match matched(a, b, *one, *other) {
            Some(found) if found.apart <= tolerance => corners.pairs.extend(found.pairs),
            _ => left.push(i),
        }
    }
    let mut cells: HashMap<Cell, Vec<usize>> = HashMap::new();
    let cell_of = |mesh: &Mesh, triangle: Triangle| cell(mesh, triangle, tolerance * 2.0);
    for i in left.iter().rev() {
        if let Some(cell) = b.triangles.get(*i).and_then(|triangle| cell_of(b, *triangle)) {
            cells.entry(cell).or_default().push(*i);
        }
    }
    let (mut alone, mut taken) = (Vec::new(), Vec::new());
    for i in left {
        let Some(&one) = a.triangles.get(i) else { continue };
        let Some(center) = cell_of(a, one) else { continue };
        let mut best: Option<(Match, Cell, usize)> = None;
        let cost = |m: &Match| m.apart + m.dressed;
        for cell in around(center) {
            // Nothing is nearer than what agrees in everything.
            if best.as_ref().is_some_and(|(known, ..)| cost(known) <= 0.0) {
                break;
            }
            let here = cells.get(&cell).map(Vec::as_slice).unwrap_or_default();
            for (place, j) in here.iter().enumerate().rev().take(MOST_CANDIDATES) {
                let other = b.triangles.get(*j).and_then(|other| matched(a, b, one, *other));
                let Some(other) = other.filter(|other| other.apart <= tolerance) else { continue };
                if best.as_ref().is_none_or(|(known, ..)| cost(&other) < cost(known)) {
                    best = Some((other, cell, place));
                }
            }
        }
        match best {
            Some((found, cell, place)) => {
                corners.pairs.extend(found.pairs);
                corners.reordered = true;
                taken.extend(cells.get_mut(&cell).map(|here| here.remove(place)));
            }
            None => alone.push(i),
        }
    }
    // A triangle that moved is compared with the triangle of the same number.
    taken.sort_unstable();
    for i in alone.into_iter().filter(|i| taken.binary_search(i).is_err()) {
        let pair = a.triangles.get(i).zip(b.triangles.get(i));
        corners.pairs.extend(
            pair.and_then(|(one, other)| matched(a, b, *one, *other)).into_iter().flat_map(|m| m.pairs),
        );
    }
    corners
}

/// Returns the turn of a triangle that is nearest to another.
fn matched(a: &Mesh, b: &Mesh, one: Triangle, other: Triangle) -> Option<Match> {
    let turns = (0..3).filter_map(|turn| {
        let mut pairs = [(0, 0); 3];
        for (pair, (i, j)) in pairs.iter_mut().zip(one.iter().zip(other.iter().cycle().skip(turn))) {
            *pair = (usize::try_from(*i).ok()?, usize::try_from(*j).ok()?);
        }
        let mut found = Match { apart: 0.0, dressed: 0.0, pairs };
        for (i, j) in pairs {
            found.apart = found.apart.max(distance(*a.positions.get(i)?, *b.positions.get(j)?));
            let uvs = a.uvs.get(i).zip(b.uvs.get(j)).map(|(x, y)| flat_distance(x, y));
            let normals = a.normals.get(i).zip(b.normals.get(j)).map(|(x, y)| distance(*x, *y));
            found.dressed += uvs.unwrap_or(0.0) + normals.unwrap_or(0.0);
        }
        Some(found)
    });
    turns.min_by(|x, y| x.apart.total_cmp(&y.apart).then(x.dressed.total_cmp(&y.dressed)))
}

fn flat_distance([a, b]: &[f32; 2], [c, d]: &[f32; 2]) -> f64 {
    (f64::from(*a) - f64::from(*c)).hypot(f64::from(*b) - f64::from(*d))
}

/// Returns the cell of a grid that the center of a triangle is in.
fn cell(mesh: &Mesh, triangle: Triangle, size: f64) -> Option<Cell> {
    let mut sum = [0.0; 3];
    for vertex in triangle {
        let position = mesh.positions.get(usize::try_from(vertex).ok()?)?;
        sum.iter_mut().zip(position).for_each(|(sum, c)| *sum += f64::from(*c) / 3.0);
    }
    #[expect(clippy::cast_possible_truncation, reason = "saturates, and cells far out are as good as any")]
    let cell = sum.map(|c| (c / size).floor() as i64);
    Some(cell)
}

/// Returns a cell and its neighbours.
fn around([x, y, z]: Cell) -> impl Iterator<Item = Cell> {
    let steps = [0, -1, 1];
    let cells = steps.into_iter().flat_map(move |i| steps.into_iter().map(move |j| (i, j)));
    let cells = cells.flat_map(move |(i, j)| steps.into_iter().map(move |k| (i, j, k)));
    cells.map(move |(i, j, k)| [x.saturating_add(i), y.saturating_add(j), z.saturating_add(k)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strip(order: &[usize]) -> Mesh {
        let positions = (0..20_u8).map(|i| [f32::from(i / 2), f32::from(i % 2), 0.0]).collect();
        let all: Vec<Triangle> = (0..18).map(|i| [i, i + 1, i + 2]).collect();
        let mut mesh = Mesh::new("m", positions, order.iter().map(|i| all[*i]).collect());
        mesh.uvs = (0..20_u8).map(|i| [f32::from(i) / 20.0, 0.0]).collect();
        mesh
    }

    #[test]
    fn triangles_in_another_order_are_the_same() {
        let order: Vec<usize> = (0..18).collect();
        let (whole, mut turned) = (strip(&order), strip(&order.iter().rev().copied().collect::<Vec<_>>()));
        turned.triangles.iter_mut().for_each(|t| t.rotate_left(1));
        let same = corners(&whole, &whole, 1e-4);
        assert!(!same.reordered && same.pairs.iter().all(|(i, j)| i == j));
        let other = corners(&whole, &turned, 1e-4);
        assert!(other.reordered && other.pairs.len() == 54);
        assert!(other.pairs.iter().all(|(i, j)| i == j), "{:?}", other.pairs);
        // A vertex that moved stays the one of its number.
        let mut moved = whole.clone();
        moved.positions[7][2] = 5.0;
        let moved = corners(&whole, &moved, 1e-4);
        assert!(!moved.reordered && moved.pairs.len() == 54 && moved.pairs.iter().all(|(i, j)| i == j));
        assert!(corners(&whole, &strip(&order[1..]), 1e-4).pairs.is_empty());
    }

    /// If all triangles coincide, the time must not grow with the square of their number.
    #[test]
    fn coincident_triangles_are_paired_in_turn() {
        let many = |turn: u32| {
            let triangles = (0..60_000).map(|i| [(i + turn) % 3, (i + turn + 1) % 3, (i + turn + 2) % 3]);
            Mesh::new("m", vec![[0.0; 3]; 3], triangles.collect())
        };
        let pairs = corners(&many(0), &many(1), 1e-4).pairs;
        assert_eq!(pairs.len(), 180_000);
    }
}

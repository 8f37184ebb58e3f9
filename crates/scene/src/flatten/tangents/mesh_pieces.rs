//! Divides a mesh into pieces whose tangents do not depend on each other.

use super::Corner;
use crate::mesh::Mesh;
use alloc::vec;
use alloc::vec::Vec;
use core::ops::Range;
use meshwright_core::math::{self, narrow1};
use meshwright_core::{Budget, LimitExceeded};

/// The maximum number of corners at one vertex: MikkTSpace recurses around a vertex and compares all of its
/// corners.
const MOST: u64 = 512;
/// The maximum number of pieces of a mesh.
const PIECES: u64 = 32;
/// A length or an area that is not larger does not determine a tangent. MikkTSpace compares with the least normal
/// number; the factor is for rounding, because a triangle that is counted here for nothing changes no result.
const LEAST: f32 = f32::MIN_POSITIVE * 16.0;

/// The pieces of a mesh. MikkTSpace takes much memory for each corner, so it gets them one after the other.
///
/// The tangents at a vertex depend on the triangles around it, and on those around all vertices with the same
/// attributes. A triangle whose texture coordinates determine no tangent takes the side of the first triangle that
/// it is joined with at any of its vertices, so its vertices are in one piece. With this, the pieces have the
/// tangents of the whole mesh.
pub(super) struct Pieces {
    /// The first vertex with the same attributes, by vertex.
    pub(super) equal: Vec<u32>,
    /// The number of corners of the largest piece.
    pub(super) largest: u64,
    /// The piece of each vertex.
    of_vertex: Vec<u32>,
    spans: Vec<Span>,
}

/// The range of a mesh's triangles that has those of a piece, and the number of their corners.
#[derive(Clone, Default)]
struct Span {
    triangles: Range<usize>,
    corners: u64,
}

impl Span {
    fn add(&mut self, triangle: usize) {
        if self.corners == 0 {
            self.triangles.start = triangle;
        }
        self.triangles.end = triangle.saturating_add(1);
        self.corners = self.corners.saturating_add(3);
    }
}

/// One piece: the triangles around its vertices.
pub(super) struct Piece<'p> {
    pub(super) triangles: Vec<u32>,
    of_vertex: &'p [u32],
    number: u32,
}

impl Piece<'_> {
    /// Returns whether the piece determines the tangents of a vertex.
    pub(super) fn has(&self, v: u32) -> bool {
        self.of_vertex.get(v as usize) == Some(&self.number)
    }
}

impl Pieces {
    /// Divides a mesh into pieces of at least this many corners. Returns `None` without texture coordinates, or if too
    /// many triangles meet in a vertex.
    pub(super) fn new(mesh: &Mesh, least: u64, budget: &Budget) -> Result<Option<Self>, LimitExceeded> {
        if mesh.uvs.is_empty() {
            return Ok(None);
        }
        let equal = equal_vertices(mesh);
        let corners = mesh.triangles.as_flattened();
        let mut sizes = vec![0_u32; equal.len()];
        for v in corners {
            increase(&mut sizes, value(&equal, *v), 1);
        }
        if sizes.iter().any(|uses| u64::from(*uses) > MOST) {
            return Ok(None);
        }
        let work = sizes.iter().map(|uses| u64::from(*uses).saturating_pow(2)).fold(0, u64::saturating_add);
        budget.work("tangents", work.saturating_add(corners.len() as u64))?;
        // The first vertex of a group represents the group.
        let mut groups = grouped(mesh, &equal);
        for (v, leader) in (0..).zip(&groups) {
            if *leader != v {
                let size = value(&sizes, v);
                increase(&mut sizes, *leader, size);
            }
        }
        // The first triangles go to the first piece, so that a piece has few triangles of others.
        let limit = least.max((corners.len() as u64).div_ceil(PIECES));
        for (v, first) in (0..).zip(&equal) {
            let group = value(&groups, *first);
            if let Some(slot) = groups.get_mut(v) {
                *slot = group;
            }
        }
        let (of_vertex, count) = assign(corners, &groups, &sizes, limit);
        let spans = spans(&mesh.triangles, &of_vertex, count);
        let largest = spans.iter().map(|span| span.corners).max().unwrap_or(0);
        Ok(Some(Self { equal, largest, of_vertex, spans }))
    }

    /// Returns each piece after the other.
    pub(super) fn iter<'p>(&'p self, mesh: &'p Mesh) -> impl Iterator<Item = Piece<'p>> {
        (0..).zip(&self.spans).map(|(number, span)| {
            let range = &span.triangles;
            let mut piece = Piece { triangles: Vec::new(), of_vertex: &self.of_vertex, number };
            let all = mesh.triangles.get(range.clone()).unwrap_or_default();
            // MikkTSpace would search all other triangles for each that has no area.
            let triangles = all.iter().enumerate().filter(|(_, triangle)| {
                triangle.iter().any(|v| piece.has(*v)) && !is_degenerate(mesh, triangle)
            });
            let triangles = triangles.filter_map(|(i, _)| u32::try_from(range.start.saturating_add(i)).ok());
            piece.triangles = triangles.collect();
            piece
        })
    }
}

/// Puts whole groups into pieces of at least `limit` corners. `groups` has the group of each vertex, `sizes` the corners of
/// each group. Returns the piece of each vertex, and the number of pieces.
fn assign(corners: &[u32], groups: &[u32], sizes: &[u32], limit: u64) -> (Vec<u32>, usize) {
    // The first vertex of a group has the group's piece.
    let mut pieces = vec![u32::MAX; groups.len()];
    let (mut last, mut filled) = (0_u32, 0_u64);
    for v in corners {
        let group = value(groups, *v);
        let Some(piece) = pieces.get_mut(group as usize).filter(|piece| **piece == u32::MAX) else {
            continue;
        };
        if filled >= limit {
            (last, filled) = (last.saturating_add(1), 0);
        }
        *piece = last;
        filled = filled.saturating_add(u64::from(value(sizes, group)));
    }
    for (v, group) in groups.iter().enumerate() {
        let piece = value(&pieces, *group);
        if let Some(slot) = pieces.get_mut(v) {
            *slot = piece;
        }
    }
    (pieces, (last as usize).saturating_add(1))
}

/// Returns the triangles of each piece: those with a vertex of it.
fn spans(triangles: &[[u32; 3]], of_vertex: &[u32], count: usize) -> Vec<Span> {
    let mut spans = vec![Span::default(); count];
    for (i, triangle) in triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|v| value(of_vertex, v));
        for piece in [Some(a), (b != a).then_some(b), (c != a && c != b).then_some(c)].into_iter().flatten() {
            if let Some(span) = spans.get_mut(piece as usize) {
                span.add(i);
            }
        }
    }
    spans
}

fn value(values: &[u32], v: u32) -> u32 {
    values.get(v as usize).copied().unwrap_or_default()
}

fn increase(values: &mut [u32], v: u32, by: u32) {
    if let Some(value) = values.get_mut(v as usize) {
        *value = value.saturating_add(by);
    }
}

/// Returns for each vertex the first one with the same attributes.
fn equal_vertices(mesh: &Mesh) -> Vec<u32> {
    let key = |v: &u32| (Corner::new(mesh, *v).key(), *v);
    let mut order: Vec<u32> = (0..).take(mesh.positions.len()).collect();
    order.sort_unstable_by_key(key);
    let mut equal = vec![0; order.len()];
    for same in order.chunk_by(|a, b| key(a).0 == key(b).0) {
        for v in same {
            if let (Some(slot), Some(first)) = (equal.get_mut(*v as usize), same.first()) {
                *slot = *first;
            }
        }
    }
    equal
}

/// Returns for each vertex the first of those that are in a piece with it because of triangles that determine no
/// tangent.
fn grouped(mesh: &Mesh, equal: &[u32]) -> Vec<u32> {
    let mut groups: Vec<u32> = (0..).take(equal.len()).collect();
    for [a, b, c] in mesh.triangles.iter().filter(|triangle| !determines_tangent(mesh, triangle)) {
        for (a, b) in [(a, b), (b, c)] {
            let [a, b] = [a, b].map(|v| leader(&mut groups, value(equal, *v)));
            if let Some(slot) = groups.get_mut(a.max(b) as usize) {
                *slot = a.min(b);
            }
        }
    }
    for v in (0..).take(groups.len()) {
        leader(&mut groups, v);
    }
    groups
}

/// Returns the first vertex of a group, and makes the way to it short.
fn leader(groups: &mut [u32], v: u32) -> u32 {
    let mut first = v;
    while value(groups, first) != first {
        first = value(groups, first);
    }
    let mut next = v;
    while next != first {
        let Some(slot) = groups.get_mut(next as usize) else { break };
        next = core::mem::replace(slot, first);
    }
    first
}

/// Returns whether two corners of a triangle are at the same point.
fn is_degenerate(mesh: &Mesh, triangle: &[u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|v| Corner::new(mesh, v).position);
    a == b || b == c || c == a
}

/// Returns whether the texture coordinates of a triangle determine a tangent. They do not if they, or the direction
/// in which one of them grows, have no extent.
fn determines_tangent(mesh: &Mesh, triangle: &[u32; 3]) -> bool {
    let [a, b, c] = triangle.map(|v| Corner::new(mesh, v));
    let [(p, [pu, pv]), (q, [qu, qv])] = [b, c].map(|corner| {
        let [x, y, z] = a.position;
        let ([x1, y1, z1], [u, v]) = (corner.position, corner.uv);
        ([x1 - x, y1 - y, z1 - z], [u - a.uv[0], v - a.uv[1]])
    });
    let area = (pu * qv - pv * qu).abs();
    let extent = |s: f32, t: f32| {
        let squared: f32 = p.iter().zip(q).map(|(p, q)| s * p - t * q).map(|x| x * x).sum();
        squared.min(narrow1(math::sqrt(f64::from(squared))) / area)
    };
    area > LEAST && extent(qv, pv) > LEAST && extent(qu, pu) > LEAST
}

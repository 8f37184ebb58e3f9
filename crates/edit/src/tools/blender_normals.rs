//! Changes that editors make to normals.
//!
//! Blender stores the normal of a corner as two angles in a frame of the faces around it: the tilt from their mean, and
//! the direction of the tilt counted from an edge. A direction whose cosine to the edge is above 0.9999 becomes the
//! edge's. If one of the edges has no length, there is no frame, and the normal becomes the mean. Faces without area
//! have a normal that points up. The faces around a corner are those of one fan: faces that are connected by edges of
//! exactly two faces with the same winding.

use alloc::vec::Vec;
use core::f64::consts::{FRAC_PI_2, PI};
use meshwright_core::Order as _;
use meshwright_core::math::{
    acos, add, corner_angle, cross, distance, dot, face_normal, length, scale, sub, unit, wide,
};
use meshwright_scene::Mesh;

/// The angle below which Blender treats two directions as equal, in radians. Its cosine is 0.9999.
const ALONG: f64 = 0.014_142_254;

/// Rounding error of angles with 16 bits in frames of 32-bit floats, in radians.
const STEP: f64 = 0.05 * PI / 180.0;

/// Most corners around a vertex that are examined.
const LOOKED_AT: usize = 256;

/// The height of an invisible triangle, relative to its longest edge.
const THIN: f64 = 1e-5;

/// The corners around the vertices of a mesh.
#[derive(Debug)]
pub(crate) struct Shading {
    /// Vertex classes with the vertex and the triangle, sorted.
    corners: Vec<(u32, u32, u32)>,
}

impl Shading {
    pub(crate) fn new(mesh: &Mesh, class: &[u32]) -> Self {
        let mut corners = Vec::with_capacity(mesh.triangles.len().saturating_mul(3));
        if !mesh.normals.is_empty() {
            for (t, triangle) in (0_u32..).zip(&mesh.triangles) {
                let of = |v: &u32| class.get(*v as usize).map(|c| (*c, *v, t));
                corners.extend(triangle.iter().filter_map(of));
            }
        }
        corners.sort_unstable();
        Self { corners }
    }

    /// Returns true if Blender changes the normal `there` to `here`, at any vertex of a class. Both are unit vectors in
    /// the space of the mesh.
    pub(crate) fn makes(&self, mesh: &Mesh, class: u32, here: [f64; 3], there: [f64; 3]) -> bool {
        let from = self.corners.partition_point(|(own, ..)| *own < class);
        let around = self.corners.get(from..).unwrap_or_default().iter();
        let around: Vec<_> = around.take_while(|(own, ..)| *own == class).take(LOOKED_AT).copied().collect();
        let mut own = around.chunk_by(|a, b| a.1 == b.1);
        own.any(|corners| fans(mesh, corners).iter().any(|fan| fan.makes(here, there)))
    }
}

/// A face at a vertex, by its three corners: the vertex, the next corner, and the previous corner.
#[derive(Clone, Copy)]
struct Face {
    corner: u32,
    behind: u32,
    before: u32,
}

/// Groups the faces around a vertex into fans.
fn fans(mesh: &Mesh, corners: &[(u32, u32, u32)]) -> Vec<Fan> {
    let face = |&(_, v, t): &(u32, u32, u32)| {
        let &[a, b, c] = mesh.triangles.get(t as usize)?;
        let (behind, before) = match v {
            _ if v == a => (b, c),
            _ if v == b => (c, a),
            _ => (a, b),
        };
        Some(Face { corner: v, behind, before })
    };
    let faces: Vec<Face> = corners.iter().filter_map(face).collect();
    let sorted = |end: fn(&Face) -> u32| {
        let mut list: Vec<(u32, usize)> = faces.iter().enumerate().map(|(i, f)| (end(f), i)).collect();
        list.order();
        list
    };
    let (behind, before) = (sorted(|f| f.behind), sorted(|f| f.before));
    // An edge connects exactly two faces: the vertex is the next corner of one and the previous corner of the other.
    let across = |to: &[(u32, usize)], from: &[(u32, usize)], v: u32| {
        only(from, v)?;
        only(to, v)
    };
    let mut free = alloc::vec![true; faces.len()];
    let mut fans = Vec::new();
    for (i, first) in faces.iter().enumerate() {
        let mut own = Vec::new();
        let mut take = |i: usize| {
            let slot = free.get_mut(i)?;
            let face = faces.get(i).filter(|_| core::mem::take(slot))?;
            own.push(*face);
            Some(*face)
        };
        if take(i).is_none() {
            continue;
        }
        let mut v = first.before;
        while let Some(face) = across(&behind, &before, v).and_then(&mut take) {
            v = face.before;
        }
        v = first.behind;
        while let Some(face) = across(&before, &behind, v).and_then(&mut take) {
            v = face.behind;
        }
        fans.push(Fan::new(mesh, &own));
    }
    fans
}

/// Returns the face of a sorted list with this end, if exactly one has it.
fn only(list: &[(u32, usize)], v: u32) -> Option<usize> {
    let from = list.partition_point(|(end, _)| *end < v);
    match list.get(from..)? {
        [(own, face), rest @ ..] if *own == v && rest.first().is_none_or(|(end, _)| *end != v) => Some(*face),
        _ => None,
    }
}

/// Connected faces around a vertex.
struct Fan {
    mean: [f64; 3],
    edges: Vec<[f64; 3]>,
    /// True if one of its edges has no length.
    broken: bool,
    /// True if at least one of its faces has an area.
    solid: bool,
}

impl Fan {
    fn new(mesh: &Mesh, faces: &[Face]) -> Self {
        let mut fan = Self { mean: [0.0; 3], edges: Vec::new(), broken: false, solid: false };
        let at = |v: u32| mesh.positions.get(v as usize).map(|p| wide(*p));
        for face in faces {
            let Some(((x, y), z)) = at(face.corner).zip(at(face.behind)).zip(at(face.before)) else {
                continue;
            };
            let edges = [unit(sub(y, x)), unit(sub(z, x))];
            let angle = if edges.contains(&None) { FRAC_PI_2 } else { corner_angle([x, y, z]) };
            fan.broken |= edges.contains(&None);
            fan.edges.extend(edges.into_iter().flatten());
            let face = face_normal([x, y, z]);
            fan.solid |= face.is_some();
            fan.mean = add(fan.mean, scale(face.unwrap_or([0.0, 1.0, 0.0]), angle));
        }
        fan
    }

    fn makes(&self, here: [f64; 3], there: [f64; 3]) -> bool {
        let Some(mean) = unit(self.mean).filter(|_| self.solid) else { return false };
        if self.broken && distance(here, mean) <= STEP {
            return true;
        }
        let lean = |n: [f64; 3]| acos(dot(n, mean).clamp(-1.0, 1.0));
        let way = |n: [f64; 3]| sub(n, scale(mean, dot(n, mean)));
        let (own, was) = (way(here), way(there));
        if (lean(here) - lean(there)).abs() > STEP || distance(own, was) > length(was) * ALONG + STEP {
            return false;
        }
        let along = |edge: &[f64; 3]| {
            let Some(edge) = unit(way(*edge)) else { return false };
            dot(own, edge) > 0.0 && dot(here, cross(mean, edge)).abs() <= STEP
        };
        self.edges.iter().any(along)
    }
}

/// Returns, for each vertex of a mesh, whether all its triangles are too thin to be visible. Its normal does not matter
/// then.
pub(crate) fn hidden(mesh: &Mesh) -> Vec<bool> {
    let mut thin = alloc::vec![false; mesh.positions.len()];
    let mut seen = thin.clone();
    for corners in &mesh.triangles {
        let [a, b, c] = corners.map(|v| mesh.positions.get(v as usize).map_or([0.0; 3], |p| wide(*p)));
        let longest =
            [sub(b, a), sub(c, b), sub(a, c)].map(|edge| dot(edge, edge)).into_iter().fold(0.0, f64::max);
        let list = if length(cross(sub(b, a), sub(c, a))) <= THIN * longest { &mut thin } else { &mut seen };
        for v in corners {
            list.get_mut(*v as usize).into_iter().for_each(|slot| *slot = true);
        }
    }
    thin.iter().zip(&seen).map(|(thin, seen)| *thin && !*seen).collect()
}

//! Comparison of vertices, and a grid to find them by position.

use crate::attributes::Attributes;
use crate::correspond::joints::Bones;
use crate::joint_index::At;
use crate::tolerance::Tolerance;
use crate::tools::blender::LEFT_OUT;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use meshwright_core::math::{Affine64, add, distance, dot, unit, wide};
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::{ColorEncoding, Influence, Mesh};

/// A vertex of the native model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Vertex {
    pub(crate) mesh: usize,
    pub(crate) vertex: usize,
}

/// The equal attributes of two vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Same {
    pub(crate) position: bool,
    pub(crate) normal: bool,
    pub(crate) uv: bool,
    pub(crate) color: bool,
    pub(crate) weights: bool,
}

impl Same {
    pub(crate) const fn all(self) -> bool {
        self.position && self.normal && self.uv && self.color && self.weights
    }

    /// Returns the attributes that differ.
    pub(crate) fn changed(self) -> Attributes {
        Attributes::POSITION.only_if(!self.position)
            | Attributes::NORMAL.only_if(!self.normal)
            | Attributes::UV.only_if(!self.uv)
            | Attributes::COLOR.only_if(!self.color)
            | Attributes::WEIGHTS.only_if(!self.weights)
    }
}

/// An edited mesh in the native bind pose and in model space.
pub(crate) struct Moved<'m> {
    pub(crate) mesh: &'m Mesh,
    pub(crate) positions: Vec<[f64; 3]>,
    pub(crate) normals: Vec<[f64; 3]>,
    /// Vertices that are only in invisible triangles.
    pub(crate) hidden: Vec<bool>,
    pub(crate) colors: Cow<'m, [[u8; 4]]>,
    /// Vertices whose colours the tool lost.
    pub(crate) uncolored: Vec<bool>,
    /// The tool dropped the alpha of the colours.
    pub(crate) opaque: bool,
}

/// A vertex of a native mesh with the mesh's world transform.
pub(crate) struct PlacedVertex<'m> {
    pub(crate) mesh: &'m Mesh,
    pub(crate) index: usize,
    pub(crate) world: &'m Affine64,
}

/// Compares a vertex of an edited mesh with a native one.
pub(crate) fn compare(
    (edited, v): (&Moved<'_>, usize),
    &PlacedVertex { mesh: native, index: n, world }: &PlacedVertex<'_>,
    bones: &Bones,
    tolerance: &Tolerance,
) -> Same {
    let [least, _] = tolerance.normal;
    let hidden = least > 0.0 && edited.hidden.get(v) == Some(&true);
    let there = native.positions.get(n).map(|p| world.point(wide(*p)));
    let here = edited.positions.get(v).copied();
    let position = here.zip(there).is_some_and(|(a, b)| distance(a, b) <= tolerance.position);
    let normal = match (edited.normals.get(v), native.normals.get(n)) {
        (Some(a), Some(b)) => hidden || same_direction(*a, normal_of(world, *b), tolerance.normal),
        _ => true,
    };
    let uv = match (edited.mesh.uvs.get(v), native.uvs.get(n)) {
        (Some(a), Some(b)) => wide(*a).iter().zip(wide(*b)).all(|(a, b)| (a - b).abs() <= tolerance.uv),
        _ => true,
    };
    let color = match (edited.colors.get(v), native.colors.get(n)) {
        (Some(_), Some(_)) if edited.uncolored.get(v) == Some(&true) => true,
        (Some(a), Some(b)) => {
            let colors = [(edited.mesh.color_encoding, *a), (native.color_encoding, *b)];
            same_color(colors, if edited.opaque { 3 } else { 4 }, tolerance)
        }
        _ => true,
    };
    let weights = same_weights((edited.mesh, v), (native, n), bones, tolerance.weight);
    Same { position, normal, uv, color, weights }
}

/// Returns true if two vertices of an edited mesh may be one vertex that a tool split.
pub(crate) fn may_be_one(edited: &Moved<'_>, v: usize, w: usize, tolerance: &Tolerance) -> bool {
    let near = |a: Option<&[f64; 3]>, b: Option<&[f64; 3]>| {
        a.zip(b).is_none_or(|(a, b)| distance(*a, *b) <= tolerance.position)
    };
    let mesh = edited.mesh;
    let normals = match (edited.normals.get(v), edited.normals.get(w)) {
        (Some(a), Some(b)) => same_direction(*a, *b, tolerance.normal),
        _ => true,
    };
    let uv = |n: usize| mesh.uvs.get(n).map(|uv| wide(*uv));
    let uvs =
        uv(v).zip(uv(w)).is_none_or(|(a, b)| a.iter().zip(b).all(|(a, b)| (a - b).abs() <= tolerance.uv));
    let skins = mesh.skin.as_ref().is_none_or(|s| s.influences(v) == s.influences(w));
    let colors = edited.colors.get(v) == edited.colors.get(w);
    near(edited.positions.get(v), edited.positions.get(w)) && normals && uvs && skins && colors
}

/// Returns true if two vertices of a native mesh are nearly equal.
pub(crate) fn are_twins(
    (mesh, world): (&Mesh, &Affine64),
    v: usize,
    w: usize,
    tolerance: &Tolerance,
) -> bool {
    let at = |n: usize| mesh.positions.get(n).map(|p| world.point(wide(*p)));
    let places = at(v).zip(at(w)).is_some_and(|(a, b)| distance(a, b) <= tolerance.position);
    let normals = match (mesh.normals.get(v), mesh.normals.get(w)) {
        (Some(a), Some(b)) => same_direction(wide(*a), wide(*b), tolerance.normal),
        _ => true,
    };
    let uvs = match (mesh.uvs.get(v), mesh.uvs.get(w)) {
        (Some(a), Some(b)) => wide(*a).iter().zip(wide(*b)).all(|(a, b)| (a - b).abs() <= tolerance.uv),
        _ => true,
    };
    let near_weights = |a: &[Influence], b: &[Influence]| {
        let sum = |list: &[Influence], joint: u32| {
            let own = list.iter().filter(|i| i.joint == joint);
            own.map(|i| f64::from(i.weight)).fold(0.0, |s, w| s + w)
        };
        a.iter().chain(b).all(|i| (sum(a, i.joint) - sum(b, i.joint)).abs() <= tolerance.weight)
    };
    let colors = match (mesh.colors.get(v), mesh.colors.get(w)) {
        (Some(a), Some(b)) => same_color([*a, *b].map(|c| (mesh.color_encoding, c)), 4, tolerance),
        _ => true,
    };
    places
        && normals
        && uvs
        && colors
        && mesh.skin.as_ref().is_none_or(|s| near_weights(s.influences(v), s.influences(w)))
}

/// Returns a normal in model space, not normalised.
pub(crate) fn normal_of(world: &Affine64, normal: [f32; 3]) -> [f64; 3] {
    let normal = wide(normal);
    world.normals().map_or(normal, |m| m.vector(normal))
}

/// Returns true if the first channels of two colours are equal in linear light.
fn same_color(
    [(own, a), (other, b)]: [(ColorEncoding, [u8; 4]); 2],
    channels: usize,
    tolerance: &Tolerance,
) -> bool {
    if a == b && own == other {
        return true;
    }
    let most = tolerance.color * 65535.0;
    let (a, b) = (own.to_linear16(a), other.to_linear16(b));
    a.iter().zip(b).take(channels).all(|(a, b)| f64::from(a.abs_diff(b)) <= most)
}

fn same_direction(a: [f64; 3], b: [f64; 3], [near, far]: [f64; 2]) -> bool {
    if a == b {
        return true;
    }
    let length = dot(b, b);
    let Some((a, b)) = unit(a).zip(unit(b)) else { return near > 0.0 };
    let degrees = if (length - 1.0).abs() < 1e-3 { near } else { far };
    // The chord of a small angle is as long as the arc.
    distance(a, b) <= degrees * core::f64::consts::PI / 180.0
}

/// Returns true if the same joints move two vertices with the same weights.
fn same_weights(
    (edited, v): (&Mesh, usize),
    (native, n): (&Mesh, usize),
    bones: &Bones,
    tolerance: f64,
) -> bool {
    let (a, b) = match (&edited.skin, &native.skin) {
        (Some(a), Some(b)) => (a, b),
        // Models with one frame are exported as static meshes.
        (None, Some(_)) if bones.silent => return true,
        (a, b) => return a.is_none() == b.is_none(),
    };
    let to_native = |joint: u32| {
        let at = At { skeleton: a.skeleton.0, joint: joint as usize };
        bones.get(at).native.filter(|n| n.skeleton == b.skeleton.0).map(|n| n.joint)
    };
    let sum = |list: &[Influence], of: &dyn Fn(u32) -> Option<usize>, joint: usize| {
        list.iter()
            .filter(|i| of(i.joint) == Some(joint))
            .map(|i| f64::from(i.weight))
            .fold(0.0, |s, w| s + w)
    };
    let own = |joint: u32| Some(joint as usize);
    let (here, there) = (a.influences(v), b.influences(n));
    let is = |joint: usize| sum(here, &to_native, joint);
    let was = |joint: usize| sum(there, &own, joint);
    let left_out = |joint: usize| tolerance > 0.0 && was(joint) < LEFT_OUT && is(joint) == 0.0;
    let total = |list: &mut dyn Iterator<Item = &Influence>| {
        list.map(|i| f64::from(i.weight)).fold(0.0, |s, w| s + w)
    };
    let kept = total(&mut there.iter().filter(|i| !left_out(i.joint as usize)));
    let part = if kept > 0.0 { total(&mut there.iter()) / kept } else { 1.0 };
    let close = |joint: usize| left_out(joint) || (is(joint) - was(joint) * part).abs() <= tolerance;
    there.iter().all(|i| close(i.joint as usize))
        && here.iter().all(|i| match to_native(i.joint) {
            Some(joint) => close(joint),
            None => f64::from(i.weight).abs() <= tolerance,
        })
}

/// Vertices in a grid of cells.
pub(crate) struct Grid {
    size: f64,
    /// Vertices sorted by cell.
    cells: Vec<([i64; 3], Vertex)>,
}

impl Grid {
    /// Makes a grid in which vertices no farther apart than `reach` are in neighbouring cells.
    pub(crate) fn new(
        vertices: impl Iterator<Item = (Vertex, [f64; 3])>,
        count: usize,
        reach: f64,
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        let size = reach * 4.0;
        let mut cells = budget.reserve("vertices", count)?;
        cells.extend(vertices.map(|(vertex, p)| (cell(p, size), vertex)));
        cells.sort_unstable();
        Ok(Self { size, cells })
    }

    /// Returns the vertices near a point, and some farther away.
    pub(crate) fn vertices_near(&self, point: [f64; 3]) -> impl Iterator<Item = Vertex> {
        let step = self.size / 4.0;
        let mut probes: [[i64; 3]; 8] = core::array::from_fn(|k| {
            let side = |bit: usize| if k & bit == 0 { -step } else { step };
            cell(add(point, [side(1), side(2), side(4)]), self.size)
        });
        probes.sort_unstable();
        let mut last = None;
        let probes = probes.map(|p| if last.replace(p) == Some(p) { None } else { Some(p) });
        probes.into_iter().flatten().flat_map(|probe| {
            let from = self.cells.partition_point(|(cell, _)| *cell < probe);
            let own = self.cells.get(from..).unwrap_or_default();
            own.iter().take_while(move |(cell, _)| *cell == probe).map(|(_, vertex)| *vertex)
        })
    }
}

/// Returns the cell of a grid of this size in which a point is.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "saturates: what is that far away shares a cell"
)]
pub(crate) fn cell(point: [f64; 3], size: f64) -> [i64; 3] {
    point.map(|c| {
        let cut = (c / size) as i64;
        if cut as f64 > c / size { cut.saturating_sub(1) } else { cut }
    })
}

/// Returns the weighted mean of the transforms of a vertex's joints. Joints without a transform are left out.
pub(crate) fn blended(mesh: &Mesh, v: usize, place: &dyn Fn(u32) -> Option<Affine64>) -> Option<Affine64> {
    let influences = mesh.skin.as_ref().map_or(&[][..], |s| s.influences(v));
    let mut sum = [0.0; 12];
    let mut total = 0.0;
    for i in influences {
        let weight = f64::from(i.weight);
        let Some(m) = place(i.joint) else { continue };
        total += weight;
        for (s, c) in sum.iter_mut().zip(m.to_array()) {
            *s += weight * c;
        }
    }
    (total > 0.0).then(|| {
        let [a, b, c, d, e, f, g, h, i, j, k, l] = sum.map(|s| s / total);
        Affine64 { x: [a, b, c], y: [d, e, f], z: [g, h, i], w: [j, k, l] }
    })
}

/// Returns the vertices of a skinned mesh in the native bind pose, because a tool may bind it in another pose of the
/// skeleton. `place` gives, for an edited joint, the transform from the native bind pose to that of the file.
pub(crate) fn unbound(
    mesh: &Mesh,
    place: &dyn Fn(u32) -> Option<Affine64>,
) -> (Vec<[f64; 3]>, Vec<[f64; 3]>) {
    let mut positions = Vec::with_capacity(mesh.positions.len());
    let mut normals = Vec::with_capacity(mesh.normals.len());
    for v in 0..mesh.positions.len() {
        let back = blended(mesh, v, place).and_then(|m| m.inverse()).unwrap_or(Affine64::IDENTITY);
        positions.extend(mesh.positions.get(v).map(|p| back.point(wide(*p))));
        normals.extend(mesh.normals.get(v).map(|n| {
            if back == Affine64::IDENTITY {
                return wide(*n);
            }
            // Blender's importer transforms normals like directions along the surface, whatever the scale.
            unit(back.vector(wide(*n))).unwrap_or(wide(*n))
        }));
    }
    (positions, normals)
}

//! Comparison of vertices, and a grid to find them by position.

use crate::attributes::Attributes;
use crate::correspond::joints::Bones;
use crate::joint_index::At;
use crate::tolerance::Tolerance;
use crate::tools::blender::LEFT_OUT;
use crate::tools::blender_normals::hidden;
use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::cell::OnceCell;
use meshwright_core::math::{Affine64, add, distance, dot, unit, wide};
use meshwright_core::{Budget, LimitExceeded};
use meshwright_scene::{ColorEncoding, Influence, Mesh};

/// A vertex of the native model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Vertex {
    pub(crate) mesh: usize,
    pub(crate) vertex: usize,
}

impl Vertex {
    /// Returns the index in the mesh as triangles store it.
    pub(crate) fn number(self) -> u32 {
        u32::try_from(self.vertex).unwrap_or(u32::MAX)
    }
}

/// The equal attributes of two vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        let attributes = [
            (self.position, Attributes::POSITION),
            (self.normal, Attributes::NORMAL),
            (self.uv, Attributes::UV),
            (self.color, Attributes::COLOR),
            (self.weights, Attributes::WEIGHTS),
        ];
        let differ = attributes.into_iter().filter(|(is_same, _)| !is_same);
        differ.fold(Attributes::NONE, |all, (_, attribute)| all | attribute)
    }
}

/// An edited mesh in the native bind pose and in model space.
pub(crate) struct Moved<'m> {
    pub(crate) mesh: &'m Mesh,
    /// Empty if the positions and normals are those of the mesh.
    pub(crate) places: Vec<Place>,
    /// Vertices that are only in invisible triangles.
    pub(crate) hidden: OnceCell<Vec<bool>>,
    pub(crate) colors: Cow<'m, [[u8; 4]]>,
    /// Vertices whose colours the tool lost.
    pub(crate) uncolored: Vec<bool>,
    /// The tool dropped the alpha of the colours.
    pub(crate) opaque: bool,
}

/// The position of a vertex, and its normal if the mesh has normals.
pub(crate) type Place = ([f64; 3], [f64; 3]);

impl Moved<'_> {
    /// Returns the position of a vertex.
    pub(crate) fn position(&self, v: usize) -> Option<[f64; 3]> {
        let stored = || self.mesh.positions.get(v).map(|p| wide(*p));
        self.places.get(v).map(|place| place.0).or_else(stored)
    }

    /// Returns the normal of a vertex.
    pub(crate) fn normal(&self, v: usize) -> Option<[f64; 3]> {
        let stored = self.mesh.normals.get(v)?;
        Some(self.places.get(v).map_or_else(|| wide(*stored), |place| place.1))
    }

    fn is_hidden(&self, v: usize) -> bool {
        self.hidden.get_or_init(|| hidden(self.mesh)).get(v) == Some(&true)
    }

    fn view(&self, v: usize) -> View {
        let color = self.colors.get(v).map(|color| (self.mesh.color_encoding, *color));
        View { position: self.position(v), normal: self.normal(v), uv: self.mesh.uvs.get(v).copied(), color }
    }
}

/// A native mesh in model space.
#[derive(Clone, Copy)]
pub(crate) struct PlacedMesh<'m> {
    pub(crate) mesh: &'m Mesh,
    pub(crate) world: Affine64,
    /// The transform of normals.
    turn: Affine64,
}

impl<'m> PlacedMesh<'m> {
    /// Places a mesh with its world transform.
    pub(crate) fn new(mesh: &'m Mesh, world: Affine64) -> Self {
        Self { mesh, world, turn: world.normals().unwrap_or(Affine64::IDENTITY) }
    }

    /// Returns the position of a vertex.
    pub(crate) fn position(&self, v: usize) -> Option<[f64; 3]> {
        self.mesh.positions.get(v).map(|p| self.world.point(wide(*p)))
    }

    /// Returns the normal of a vertex, not normalised.
    pub(crate) fn normal(&self, v: usize) -> Option<[f64; 3]> {
        self.mesh.normals.get(v).map(|n| self.turn.vector(wide(*n)))
    }

    fn view(&self, v: usize) -> View {
        let Mesh { uvs, colors, color_encoding, .. } = self.mesh;
        let color = colors.get(v).map(|color| (*color_encoding, *color));
        View { position: self.position(v), normal: self.normal(v), uv: uvs.get(v).copied(), color }
    }
}

/// A vertex in model space. An attribute that its mesh lacks equals any other.
struct View {
    position: Option<[f64; 3]>,
    normal: Option<[f64; 3]>,
    uv: Option<[f32; 2]>,
    color: Option<(ColorEncoding, [u8; 4])>,
}

impl View {
    /// Returns the attributes that equal those of another vertex, in the first `channels` of the colours. The weights
    /// are not compared.
    fn same(&self, other: &Self, channels: usize, tolerance: &Tolerance) -> Same {
        let near = |a: [f32; 2], b: [f32; 2]| {
            wide(a).iter().zip(wide(b)).all(|(a, b)| (a - b).abs() <= tolerance.uv)
        };
        let place = self.position.zip(other.position);
        Same {
            position: place.is_some_and(|(a, b)| distance(a, b) <= tolerance.position),
            normal: self.normal.zip(other.normal).is_none_or(|(a, b)| same_direction(a, b, tolerance.normal)),
            uv: self.uv.zip(other.uv).is_none_or(|(a, b)| near(a, b)),
            color: self.color.zip(other.color).is_none_or(|(a, b)| same_color([a, b], channels, tolerance)),
            weights: true,
        }
    }
}

/// Compares a vertex of an edited mesh with a native one.
pub(crate) fn compare(
    (edited, v): (&Moved<'_>, usize),
    (native, n): (&PlacedMesh<'_>, usize),
    bones: &Bones,
    tolerance: &Tolerance,
) -> Same {
    let [least, _] = tolerance.normal;
    let channels = if edited.opaque { 3 } else { 4 };
    let same = edited.view(v).same(&native.view(n), channels, tolerance);
    Same {
        normal: same.normal || least > 0.0 && edited.is_hidden(v),
        color: same.color || edited.uncolored.get(v) == Some(&true),
        weights: same_weights((edited.mesh, v), (native.mesh, n), bones, tolerance.weight),
        ..same
    }
}

/// Returns true if two vertices of an edited mesh may be one vertex that a tool split.
pub(crate) fn may_be_one(edited: &Moved<'_>, v: usize, w: usize, tolerance: &Tolerance) -> bool {
    let (a, b) = (edited.view(v), edited.view(w));
    let skins = edited.mesh.skin.as_ref().is_none_or(|s| s.influences(v) == s.influences(w));
    skins && a.color == b.color && a.same(&b, 4, tolerance).all()
}

/// Returns true if two vertices of a native mesh are nearly equal.
pub(crate) fn are_twins(native: &PlacedMesh<'_>, v: usize, w: usize, tolerance: &Tolerance) -> bool {
    let near_weights = |a: &[Influence], b: &[Influence]| {
        let sum = |list: &[Influence], joint: u32| total(list.iter().filter(|i| i.joint == joint));
        a.iter().chain(b).all(|i| (sum(a, i.joint) - sum(b, i.joint)).abs() <= tolerance.weight)
    };
    native.view(v).same(&native.view(w), 4, tolerance).all()
        && native.mesh.skin.as_ref().is_none_or(|s| near_weights(s.influences(v), s.influences(w)))
}

/// Returns the sum of the weights of influences.
fn total<'i>(list: impl Iterator<Item = &'i Influence>) -> f64 {
    list.map(|i| f64::from(i.weight)).fold(0.0, |sum, weight| sum + weight)
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
    let native = |i: &Influence| {
        let at = At { skeleton: a.skeleton.0, joint: i.joint as usize };
        bones.get(at).native.filter(|n| n.skeleton == b.skeleton.0).map(|n| n.joint)
    };
    let (here, there) = (a.influences(v), b.influences(n));
    // Most vertices have the same influences in the same order.
    let equal =
        |(h, t): (&Influence, &Influence)| h.weight == t.weight && native(h) == Some(t.joint as usize);
    if here.len() == there.len() && here.iter().zip(there).all(equal) {
        return true;
    }
    let is = |joint: usize| total(here.iter().filter(|i| native(i) == Some(joint)));
    let was = |joint: usize| total(there.iter().filter(|i| i.joint as usize == joint));
    let left_out = |joint: usize| tolerance > 0.0 && was(joint) < LEFT_OUT && is(joint) == 0.0;
    let kept = total(there.iter().filter(|i| !left_out(i.joint as usize)));
    let part = if kept > 0.0 { total(there.iter()) / kept } else { 1.0 };
    let close = |joint: usize| left_out(joint) || (is(joint) - was(joint) * part).abs() <= tolerance;
    there.iter().all(|i| close(i.joint as usize))
        && here.iter().all(|i| match native(i) {
            Some(joint) => close(joint),
            None => f64::from(i.weight).abs() <= tolerance,
        })
}

/// Points of meshes in a grid of cells, which is built when it is first searched.
pub(crate) struct Grid<'m> {
    size: f64,
    meshes: Vec<(Cow<'m, [[f32; 3]]>, Affine64)>,
    /// Hash of the cell, and the vertex, sorted.
    cells: OnceCell<Vec<(u64, u32, u32)>>,
}

impl<'m> Grid<'m> {
    /// Makes a grid in which vertices no farther apart than `reach` are in neighbouring cells.
    pub(crate) fn new(
        meshes: Vec<(Cow<'m, [[f32; 3]]>, Affine64)>,
        reach: f64,
        budget: &Budget,
    ) -> Result<Self, LimitExceeded> {
        let count = meshes.iter().map(|(points, _)| points.len() as u64).sum();
        budget.charge_items("vertices", count, size_of::<(u64, u32, u32)>())?;
        Ok(Self { size: reach * 4.0, meshes, cells: OnceCell::new() })
    }

    fn cells(&self) -> &[(u64, u32, u32)] {
        self.cells.get_or_init(|| {
            let mut cells = Vec::new();
            for (m, (points, world)) in (0..).zip(&self.meshes) {
                let cell = |p: &[f32; 3]| hash(cell(world.point(wide(*p)), self.size));
                cells.extend((0..).zip(points.iter()).map(|(v, p)| (cell(p), m, v)));
            }
            cells.sort_unstable();
            cells
        })
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
        let probes = probes.map(|p| if last.replace(p) == Some(p) { None } else { Some(hash(p)) });
        probes.into_iter().flatten().flat_map(|probe| {
            let from = self.cells().partition_point(|(cell, ..)| *cell < probe);
            let own = self.cells().get(from..).unwrap_or_default().iter();
            let own = own.take_while(move |(cell, ..)| *cell == probe);
            own.map(|(_, mesh, vertex)| Vertex { mesh: *mesh as usize, vertex: *vertex as usize })
        })
    }
}

/// Returns a hash of a cell.
fn hash(cell: [i64; 3]) -> u64 {
    mix(cell.map(i64::cast_unsigned))
}

/// Returns a hash of numbers. Equal numbers have equal hashes, other numbers hardly ever.
pub(crate) fn mix(numbers: impl IntoIterator<Item = u64>) -> u64 {
    let add = |sum: u64, n: u64| (sum.rotate_left(5) ^ n).wrapping_mul(0x517c_c1b7_2722_0a95);
    let sum = numbers.into_iter().fold(0, add);
    sum ^ (sum >> 32)
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
pub(crate) fn unbound(mesh: &Mesh, place: &dyn Fn(u32) -> Option<Affine64>) -> Vec<Place> {
    let vertex = |(v, p): (usize, &[f32; 3])| {
        let back = blended(mesh, v, place).and_then(|m| m.inverse()).unwrap_or(Affine64::IDENTITY);
        let normal = wide(mesh.normals.get(v).copied().unwrap_or_default());
        // Blender's importer transforms normals like directions along the surface, whatever the scale.
        let turned = unit(back.vector(normal)).filter(|_| back != Affine64::IDENTITY);
        (back.point(wide(*p)), turned.unwrap_or(normal))
    };
    mesh.positions.iter().enumerate().map(vertex).collect()
}

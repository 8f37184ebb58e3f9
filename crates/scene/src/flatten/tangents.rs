//! Computes missing tangents by the rule that tools use for baking normal maps (MikkTSpace).

mod mesh_pieces;

use crate::mesh::Mesh;
use crate::mesh::surface::unit_tangent;
use alloc::vec;
use alloc::vec::Vec;
use bevy_mikktspace::{Geometry, Ops, TangentSpace, generate_tangents};
use mesh_pieces::{Piece, Pieces};
use meshwright_core::math::{self, narrow1};
use meshwright_core::{Budget, LimitExceeded, Order as _};

/// The memory of a corner while MikkTSpace works on it.
const CORNER: usize = 136;
/// The memory of a vertex: its tangent, the vertex that it is equal to, its uses, and its piece.
const VERTEX: usize = 32;
/// The least number of corners of a piece of a mesh.
const PIECE: u64 = 200_000;

/// The changes of a mesh by computing tangents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TangentChanges {
    /// The number of vertices that were added because their triangles have different tangents.
    pub(super) split: usize,
    /// The number of vertices whose texture coordinates do not determine a tangent.
    pub(super) guessed: usize,
}

/// Computes the tangents of a mesh that has normals. `up` states whether texture coordinates grow upwards.
pub(super) fn compute(mesh: &mut Mesh, up: bool, budget: &Budget) -> Result<TangentChanges, LimitExceeded> {
    compute_in_pieces(mesh, up, PIECE, budget)
}

/// Computes the tangents of pieces with at least this many corners, one after the other.
fn compute_in_pieces(
    mesh: &mut Mesh,
    up: bool,
    least: u64,
    budget: &Budget,
) -> Result<TangentChanges, LimitExceeded> {
    let n = mesh.positions.len();
    budget.charge_items("tangents", n as u64, VERTEX)?;
    let mut found = Found { tangents: vec![[f32::NAN; 4]; n], others: Vec::new() };
    let side = if up { 1.0 } else { -1.0 };
    if let Some(pieces) = Pieces::new(mesh, least, budget)? {
        budget.charge_items("tangents", pieces.largest, CORNER)?;
        for piece in pieces.iter(mesh) {
            let before = found.others.len();
            let mut walk = Walk { mesh, piece, side, found };
            // The error type has no values.
            let _ = generate_tangents::<Walk<'_>, Exact>(&mut walk);
            found = walk.found;
            let new = found.others.len().saturating_sub(before);
            budget.charge_items("tangents", new as u64, size_of::<OtherTangent>())?;
        }
        found.share(&pieces.equal);
    }
    let mut changes = TangentChanges::default();
    for (v, tangent) in found.tangents.iter_mut().enumerate().filter(|(_, t)| !is_known(t)) {
        *tangent = guess(mesh, v);
        changes.guessed = changes.guessed.saturating_add(1);
    }
    mesh.tangents = found.tangents;
    changes.split = split(mesh, found.others, budget)?;
    Ok(changes)
}

/// A corner whose tangent differs from that of its vertex: the vertex, the bits of the tangent, and the corner.
type OtherTangent = (u32, [u32; 4], usize);

/// The tangents that were found so far.
struct Found {
    /// The tangent of each vertex: that of its first corner with one, or NaN.
    tangents: Vec<[f32; 4]>,
    others: Vec<OtherTangent>,
}

fn is_known(tangent: &[f32; 4]) -> bool {
    !tangent[0].is_nan()
}

impl Found {
    /// Adds the tangent of a corner of a vertex.
    fn add(&mut self, v: u32, tangent: [f32; 4], corner: usize) {
        let Some(slot) = self.tangents.get_mut(v as usize) else { return };
        if !is_known(slot) {
            *slot = tangent;
        } else if *slot != tangent {
            self.others.push((v, tangent.map(f32::to_bits), corner));
        }
    }

    /// Gives vertices without a tangent that of a vertex with the same attributes.
    fn share(&mut self, equal: &[u32]) {
        for (v, first) in equal.iter().map(|first| *first as usize).enumerate() {
            self.copy_if_missing(v, first);
        }
        for (v, first) in equal.iter().map(|first| *first as usize).enumerate() {
            self.copy_if_missing(first, v);
        }
    }

    fn copy_if_missing(&mut self, from: usize, to: usize) {
        let Some(tangent) = self.tangents.get(from).copied().filter(is_known) else { return };
        if let Some(slot) = self.tangents.get_mut(to).filter(|slot| !is_known(slot)) {
            *slot = tangent;
        }
    }
}

/// Adds vertices for corners whose tangent differs from that of their vertex. Corners with the same tangent
/// share a vertex.
fn split(mesh: &mut Mesh, mut others: Vec<OtherTangent>, budget: &Budget) -> Result<usize, LimitExceeded> {
    others.order();
    let mut added = 0_usize;
    for same in others.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        let Some((v, bits, _)) = same.first().copied() else { continue };
        // No further vertex can be addressed, so the corner keeps its vertex.
        let Ok(new) = u32::try_from(mesh.positions.len()) else { break };
        budget.charge("vertices", 80)?;
        copy(mesh, v as usize, bits.map(f32::from_bits), budget)?;
        added = added.saturating_add(1);
        for (.., corner) in same {
            if let Some(slot) = mesh.triangles.as_flattened_mut().get_mut(*corner) {
                *slot = new;
            }
        }
    }
    Ok(added)
}

/// Adds a copy of a vertex with another tangent.
fn copy(mesh: &mut Mesh, v: usize, tangent: [f32; 4], budget: &Budget) -> Result<(), LimitExceeded> {
    fn repeat_value<T: Copy>(values: &mut Vec<T>, v: usize) {
        let value = values.get(v).copied();
        values.extend(value);
    }
    repeat_value(&mut mesh.positions, v);
    repeat_value(&mut mesh.normals, v);
    repeat_value(&mut mesh.uvs, v);
    repeat_value(&mut mesh.colors, v);
    mesh.tangents.push(tangent);
    if let Some(skin) = &mut mesh.skin {
        let range = skin.range(v);
        budget.charge_items("influences", range.len() as u64, 32)?;
        skin.influences.extend_from_within(range.clone());
        if !skin.local.is_empty() {
            skin.local.extend_from_within(range);
        }
        skin.end_vertex();
    }
    Ok(())
}

fn guess(mesh: &Mesh, v: usize) -> [f32; 4] {
    let normal = mesh.normals.get(v).copied().unwrap_or_default();
    let [x, y, z] = unit_tangent(normal, [1.0, 0.0, 0.0]);
    [x, y, z, 1.0]
}

/// The attributes of a corner that decide which corners share a tangent.
struct Corner {
    position: [f32; 3],
    normal: [f32; 3],
    uv: [f32; 2],
}

impl Corner {
    /// Returns the attributes of a vertex, 0 for those that are missing or not finite.
    fn new(mesh: &Mesh, v: u32) -> Self {
        let clean = |c: f32| if c.is_finite() { c + 0.0 } else { 0.0 };
        let v = v as usize;
        Self {
            position: mesh.positions.get(v).copied().unwrap_or_default().map(clean),
            normal: mesh.normals.get(v).copied().unwrap_or_default().map(clean),
            uv: mesh.uvs.get(v).copied().unwrap_or_default().map(clean),
        }
    }

    fn key(&self) -> [u32; 8] {
        let ([a, b, c], [d, e, f], [g, h]) = (self.position, self.normal, self.uv);
        [a, b, c, d, e, f, g, h].map(f32::to_bits)
    }
}

/// The corners of a piece of a mesh, with the tangents found so far.
struct Walk<'m> {
    mesh: &'m Mesh,
    piece: Piece<'m>,
    /// 1 if texture coordinates grow upwards, else -1.
    side: f32,
    found: Found,
}

impl Walk<'_> {
    fn vertex(&self, face: usize, vert: usize) -> Option<u32> {
        let triangle = self.mesh.triangles.get(*self.piece.triangles.get(face)? as usize)?;
        triangle.get(vert).copied()
    }

    fn corner(&self, face: usize, vert: usize) -> Corner {
        Corner::new(self.mesh, self.vertex(face, vert).unwrap_or_default())
    }
}

/// Arithmetic that gives the same roots and angles on every machine.
struct Exact;

impl Ops for Exact {
    fn sqrt(x: f32) -> f32 {
        narrow1(math::sqrt(f64::from(x)))
    }

    fn acos(x: f32) -> f32 {
        narrow1(math::acos(f64::from(x)))
    }
}

impl Geometry<Exact> for Walk<'_> {
    fn num_faces(&self) -> usize {
        self.piece.triangles.len()
    }

    fn num_vertices_of_face(&self, _: usize) -> usize {
        3
    }

    fn position(&self, face: usize, vert: usize) -> [f32; 3] {
        self.corner(face, vert).position
    }

    fn normal(&self, face: usize, vert: usize) -> [f32; 3] {
        self.corner(face, vert).normal
    }

    fn tex_coord(&self, face: usize, vert: usize) -> [f32; 2] {
        self.corner(face, vert).uv
    }

    fn set_tangent(&mut self, space: Option<TangentSpace>, face: usize, vert: usize) {
        let Some(v) = self.vertex(face, vert).filter(|v| self.piece.has(*v)) else { return };
        let Some([x, y, z, w]) = space.map(|s| s.tangent_encoded()) else { return };
        let length = x * x + y * y + z * z;
        // A direction of length 0 is not valid.
        if length.is_finite() && (length - 1.0).abs() < 1.0e-3 {
            let triangle = self.piece.triangles.get(face).copied().unwrap_or_default() as usize;
            self.found.add(v, [x, y, z, w * self.side], triangle.saturating_mul(3).saturating_add(vert));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Influence, Limits, SkeletonId, Skin};
    use meshwright_testkit::proptest;
    use proptest::prelude::*;

    fn budget() -> Budget {
        Budget::new(Limits::default())
    }

    /// Returns two squares side by side, with mirrored textures.
    fn mirrored() -> Mesh {
        let at = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 1.0]];
        let mut skin = Skin::new(SkeletonId(0));
        for joint in 0..6 {
            skin.influences.push(Influence { joint, weight: 1.0 });
            skin.end_vertex();
        }
        Mesh::new(
            "m",
            at.map(|[x, y]| [x, y, 0.0]).to_vec(),
            vec![[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]],
        )
        .with_normals(vec![[0.0, 0.0, 1.0]; 6])
        .with_uvs(at.map(|[x, y]| [if x > 1.0 { 2.0 - x } else { x }, y]).to_vec())
        .with_skin(skin)
    }

    #[test]
    fn a_mirrored_texture_parts_its_seam() {
        let mut mesh = mirrored();
        let made = compute(&mut mesh, true, &budget()).unwrap();
        assert_eq!(made, TangentChanges { split: 2, guessed: 0 });
        assert_eq!(mesh.positions.len(), 8);
        let side = |t: &[u32; 3]| t.map(|v| mesh.tangents[v as usize]);
        let near = |a: [f32; 4], b: [f32; 4]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
        for triangle in &mesh.triangles[..2] {
            assert!(side(triangle).iter().all(|t| near(*t, [1.0, 0.0, 0.0, 1.0])), "{:?}", side(triangle));
        }
        for triangle in &mesh.triangles[2..] {
            assert!(side(triangle).iter().all(|t| near(*t, [-1.0, 0.0, 0.0, -1.0])), "{:?}", side(triangle));
        }
        // The new vertices have the attributes of those at the seam.
        let skin = mesh.skin.as_ref().unwrap();
        assert_eq!((skin.influences(6)[0].joint, skin.influences(7)[0].joint), (1, 4));
        assert_eq!([mesh.positions[6], mesh.positions[7]], [mesh.positions[1], mesh.positions[4]]);
    }

    #[test]
    fn the_side_follows_the_way_that_coordinates_grow() {
        let mut mesh = mirrored();
        compute(&mut mesh, false, &budget()).unwrap();
        assert_eq!(mesh.tangents[0][3], -1.0);
    }

    #[test]
    fn without_a_texture_any_direction_across_serves() {
        let mut mesh = mirrored();
        mesh.uvs.clear();
        assert_eq!(compute(&mut mesh, true, &budget()).unwrap(), TangentChanges { split: 0, guessed: 6 });
        assert_eq!(mesh.tangents, [[1.0, 0.0, 0.0, 1.0]; 6]);
    }

    #[test]
    fn a_fan_of_any_size_ends() {
        let n = 200_000_u32;
        let rim = |i: u32| {
            let x = f64::from(i) / f64::from(n) * 6.0;
            [narrow1(math::cos(x)), narrow1(math::sin(x)), 0.0]
        };
        let positions: Vec<_> = core::iter::once([0.0; 3]).chain((0..=n).map(rim)).collect();
        let uvs = positions.iter().map(|[x, y, _]| [*x, *y]).collect();
        let normals = vec![[0.0, 0.0, 1.0]; positions.len()];
        let triangles = (1..=n).map(|i| [0, i, i + 1]).collect();
        let mut mesh = Mesh::new("fan", positions, triangles).with_normals(normals).with_uvs(uvs);
        let made = compute(&mut mesh, true, &budget()).unwrap();
        assert_eq!(made.guessed, mesh.positions.len());
        let small = Budget::new(Limits::default().with_memory(1000));
        assert!(compute(&mut mesh, true, &small).is_err());
    }

    /// Triangles that have no area take the tangents of vertices with the same attributes, without a search through
    /// all triangles for each of them.
    #[test]
    fn triangles_without_area_take_tangents_of_equal_vertices() {
        let mut mesh = mirrored();
        let v = 6;
        mesh.skin = None;
        mesh.positions.push(mesh.positions[0]);
        mesh.normals.push(mesh.normals[0]);
        mesh.uvs.push(mesh.uvs[0]);
        mesh.triangles.push([v, v, 1]);
        for x in 0_u16..50_000 {
            let at = [3.0 + f32::from(x), 0.0, 0.0];
            let first = u32::try_from(mesh.positions.len()).unwrap();
            for (at, uv) in
                [(at, [0.0, 0.0]), ([at[0] + 1.0, 0.0, 0.0], [1.0, 0.0]), ([at[0], 1.0, 0.0], [0.0, 1.0])]
            {
                mesh.positions.push(at);
                mesh.normals.push([0.0, 0.0, 1.0]);
                mesh.uvs.push(uv);
            }
            mesh.triangles.extend([[first, first + 1, first + 2], [first, first, first + 1]]);
        }
        let made = compute(&mut mesh, true, &budget()).unwrap();
        assert_eq!(made.guessed, 0);
        assert_eq!(mesh.tangents[v as usize], mesh.tangents[0]);
    }

    /// Returns a square of points in a random order with few different texture coordinates, some of them twice, with
    /// triangles that have no area.
    fn untidy() -> impl Strategy<Value = Mesh> {
        let side = 7_u32;
        let point = move |i: u32| [(i % side) as f32, (i / side) as f32, ((i * 7) % 5) as f32 * 0.1];
        let count = (side * side) as usize;
        let squares = move |order: Vec<u32>| {
            let at = |x: u32, y: u32| order[(y * side + x) as usize];
            let two = |x, y| {
                [[at(x, y), at(x + 1, y), at(x + 1, y + 1)], [at(x, y), at(x + 1, y + 1), at(x, y + 1)]]
            };
            (0..side - 1).flat_map(|y| (0..side - 1).flat_map(move |x| two(x, y))).collect::<Vec<_>>()
        };
        let order = Just((0..side * side).collect::<Vec<_>>()).prop_shuffle();
        let uvs = proptest::collection::vec([0_u8..4, 0_u8..4], count);
        let twins = proptest::collection::vec((0..count, 0..count * 2), 0..20);
        let parts = (order, uvs, twins, 0..count).prop_map(move |(order, uvs, twins, flat)| {
            let mut triangles = squares(order.clone());
            let mut places: Vec<u32> = (0..side * side).collect();
            places.sort_by_key(|v| order[*v as usize]);
            let mut positions: Vec<_> = places.into_iter().map(point).collect();
            let mut uvs: Vec<_> = uvs.into_iter().map(|uv| uv.map(f32::from)).collect();
            for (v, corner) in twins {
                let new = positions.len() as u32;
                positions.push(positions[v]);
                uvs.push(uvs[v]);
                let corners = triangles.as_flattened_mut();
                if corners[corner] == v as u32 {
                    corners[corner] = new;
                }
                triangles.push([new, v as u32, v as u32]);
            }
            let v = flat as u32;
            triangles.push([v, v, 0]);
            let normals = vec![[0.0, 0.0, 1.0]; positions.len()];
            Mesh::new("untidy", positions, triangles).with_normals(normals).with_uvs(uvs)
        });
        (parts, any::<u64>()).prop_map(|(mut mesh, seed)| {
            let n = mesh.triangles.len();
            for i in 0..n {
                mesh.triangles.swap(i, (seed as usize).wrapping_mul(i + 1).wrapping_mul(2_654_435_761) % n);
            }
            mesh
        })
    }

    proptest! {
        #[test]
        fn pieces_have_the_tangents_of_the_whole(mesh in untidy(), least in 1_u64..60) {
            let (mut whole, mut parts) = (mesh.clone(), mesh);
            let all = compute_in_pieces(&mut whole, true, u64::MAX, &budget()).unwrap();
            let made = compute_in_pieces(&mut parts, true, least, &budget()).unwrap();
            prop_assert_eq!(all, made);
            prop_assert_eq!(whole, parts);
        }
    }
}
